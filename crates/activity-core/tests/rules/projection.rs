//! The projection of profile `openclaw`: against the results of the reference implementation, and
//! against the plain rules on random sessions.

use crate::fixtures::{Case, cases, text};
use crate::observed;
use crate::reference;
use crate::reference::Item;
use activity_core::path::Workspace;
use activity_core::session::{Revision, TimelineText};
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn the_plain_rules_give_the_results_of_the_reference() {
    for case in cases("projection") {
        let items: Vec<Item> = items_of(&case).iter().filter_map(plain_item).collect();
        let workspace = Workspace::new(
            text(&case.input, "workspaceRoot"),
            text(&case.input, "executionCwd"),
        );
        let found = reference::project(&items, workspace.as_ref());
        assert_eq!(in_fixture_form(&found), case.expected, "{case:?}");
    }
}

#[test]
fn a_session_gives_the_results_of_the_reference() {
    for case in cases("projection") {
        let items = items_of(&case);
        // Updates cannot make two items of one tool call.
        if items.iter().any(|item| item.get("itemId").is_some()) {
            continue;
        }
        let (root, cwd) = (
            text(&case.input, "workspaceRoot"),
            text(&case.input, "executionCwd"),
        );
        for keep in [TimelineText::Keep, TimelineText::FirstLines] {
            let mut session = observed::openclaw(root, cwd, keep);
            for item in &items {
                observed::apply(&mut session, &update_of(item));
            }
            let found = in_fixture_form(&observed::projection(&session));
            assert_eq!(found, case.expected, "{case:?}");
        }
    }
}

fn items_of(case: &Case) -> Vec<Value> {
    case.input["items"]
        .as_array()
        .expect("a list of items")
        .clone()
}

fn plain_item(item: &Value) -> Option<Item> {
    let (id, fields) = if let Some(user) = item["user"].as_str() {
        (
            format!("{user}:0"),
            json!({"kind": "message-segment", "role": "user"}),
        )
    } else if let Some(thought) = item["thought"].as_str() {
        (format!("thought:{thought}"), json!({"kind": "thought"}))
    } else if item.get("plan").is_some() {
        ("plan:current".to_owned(), json!({"kind": "plan"}))
    } else {
        let call = text(item, "tool");
        let status = item["status"].as_str().unwrap_or("completed");
        let id = item["itemId"]
            .as_str()
            .map_or(format!("tool:{call}"), str::to_owned);
        (
            id,
            json!({
                "kind": "tool-call", "toolCallId": call, "title": item["title"],
                "status": status, "input": item["input"],
            }),
        )
    };
    Some(Item {
        id,
        fields: fields.as_object()?.clone(),
    })
}

fn update_of(item: &Value) -> Value {
    let content = json!({"type": "text", "text": "x"});
    if let Some(user) = item["user"].as_str() {
        return json!({"sessionUpdate": "user_message_chunk", "messageId": user, "content": content});
    }
    if let Some(thought) = item["thought"].as_str() {
        return json!({"sessionUpdate": "agent_thought_chunk", "messageId": thought, "content": content});
    }
    if item.get("plan").is_some() {
        return json!({"sessionUpdate": "plan", "entries": []});
    }
    let status = match item["status"].as_str() {
        Some("running") => "in_progress",
        status => status.unwrap_or("completed"),
    };
    let mut update = json!({
        "sessionUpdate": "tool_call", "toolCallId": item["tool"], "title": item["title"],
        "status": status, "rawInput": item["input"],
    });
    for (member, wire) in [("output", "rawOutput"), ("locations", "locations")] {
        if let Some(value) = item.get(member) {
            update[wire] = value.clone();
        }
    }
    update
}

/// The short form in which the fixtures write a projection.
fn in_fixture_form(projection: &Value) -> Value {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let activities: Vec<Value> = list(&projection["activities"])
        .iter()
        .map(|activity| {
            let fragments: Vec<Value> = list(&activity["fragments"])
                .iter()
                .map(|fragment| {
                    json!([
                        fragment["oldText"],
                        fragment["newText"],
                        fragment["sequence"]
                    ])
                })
                .collect();
            json!({
                "turnId": activity["turnId"], "toolCallId": activity["toolCallId"],
                "tool": activity["toolName"], "path": activity["relativePath"],
                "action": activity["action"], "sequence": activity["sequence"],
                "fragments": fragments,
            })
        })
        .collect();
    let mut summaries = projection["turnSummaries"].clone();
    for rows in summaries
        .as_object_mut()
        .into_iter()
        .flat_map(serde_json::Map::values_mut)
    {
        *rows = list(rows)
            .iter()
            .map(|row| {
                json!([
                    row["relativePath"],
                    row["action"],
                    row["added"],
                    row["removed"]
                ])
            })
            .collect();
    }
    let groups: Vec<Value> = list(&projection["changes"])
        .iter()
        .map(|change| {
            let path = &change["relativePath"];
            let of_path = activities
                .iter()
                .filter(|activity| activity["path"] == *path);
            json!([path, of_path.count()])
        })
        .collect();
    json!({
        "activities": activities, "summaries": summaries, "groups": groups,
        "uniqueFileCount": projection["uniqueFileCount"],
    })
}

/// Updates that a wild agent might send: few ids, so that they meet again and again.
fn updates() -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec(
        prop_oneof![2 => message(), 1 => thought_or_plan(), 5 => tool()],
        0..40,
    )
}

fn message() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec![
        "user_message_chunk",
        "agent_message_chunk",
        "user_message",
        "agent_message",
    ]);
    let id = prop::option::of(prop::sample::select(vec!["m", "n", ""]));
    let odd = prop::option::weighted(0.2, odd_content());
    (name, id, "[ab]{0,2}", any::<bool>(), odd).prop_map(|(name, id, text, attached, odd)| {
        let block = if attached {
            json!({"type": "resource_link", "uri": "file:///x", "name": "x"})
        } else {
            json!({"type": "text", "text": text})
        };
        let content = if name.ends_with("chunk") {
            block
        } else {
            json!([block])
        };
        let update = json!({"sessionUpdate": name, "content": odd.unwrap_or(content)});
        with_id(update, id)
    })
}

fn odd_content() -> impl Strategy<Value = Value> {
    let values = [
        json!(null),
        json!(""),
        json!(0),
        json!(false),
        json!("text"),
        json!(2),
        json!(-0.5),
        json!(true),
        json!([]),
        json!([{"type": "text", "text": "x"}]),
        json!({}),
    ];
    prop::sample::select(values.to_vec())
}

fn thought_or_plan() -> impl Strategy<Value = Value> {
    let id = prop::option::of(prop::sample::select(vec!["m", "t"]));
    let content = json!({"type": "text", "text": "hm"});
    let updates = vec![
        json!({"sessionUpdate": "plan", "entries": []}),
        json!({"sessionUpdate": "agent_thought_chunk", "content": content}),
        json!({"sessionUpdate": "agent_thought_chunk"}),
        // Version 2 of the protocol, which these rules do not know.
        json!({"sessionUpdate": "plan_update", "plan": {"entries": []}}),
        json!({"sessionUpdate": "agent_thought", "content": [content]}),
    ];
    (prop::sample::select(updates), id).prop_map(|(update, id)| with_id(update, id))
}

fn with_id(mut update: Value, id: Option<&str>) -> Value {
    if let Some(id) = id {
        update["messageId"] = json!(id);
    }
    update
}

fn tool() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec![
        "tool_call",
        "tool_call_update",
        "tool_call_content_chunk",
    ]);
    let id = prop::sample::select(vec!["t1", "t2", "t3", "t4", ""]);
    let title = prop::option::of(prop::sample::select(vec![
        json!("write: x"),
        json!("edit: x"),
        json!("apply_patch: x"),
        json!("exec: x"),
        json!("write"),
        json!(null),
        json!(7),
        json!("\u{feff}Write\u{a0}: x"),
    ]));
    let status = prop::option::weighted(
        0.7,
        prop::sample::select(vec![
            json!("completed"),
            json!("completed"),
            json!("completed"),
            json!("in_progress"),
            json!("failed"),
            json!("odd"),
            json!(null),
        ]),
    );
    let odd = prop::option::weighted(0.3, odd_content());
    (name, id, title, status, prop::option::of(input()), odd).prop_map(
        |(name, id, title, status, input, odd)| {
            let mut update = json!({"sessionUpdate": name, "toolCallId": id});
            if name == "tool_call_content_chunk" {
                let content = json!({"type": "content", "content": {"type": "text", "text": "x"}});
                update["content"] = odd.unwrap_or(content);
                return update;
            }
            for (member, value) in [("title", title), ("status", status), ("rawInput", input)] {
                if let Some(value) = value {
                    update[member] = value;
                }
            }
            update
        },
    )
}

fn input() -> impl Strategy<Value = Value> {
    let path = prop::sample::select(vec![
        "a", "sub/b", "../up", "/w/c", "/else/d", " ", "~/h", "./a",
    ]);
    let lines = "([xyz]\n){0,3}[xyz]?";
    let pairs = prop::collection::vec((lines, lines), 0..3);
    prop_oneof![
        (path.clone(), lines).prop_map(|(path, content)| json!({"path": path, "content": content})),
        (path.clone(), pairs, lines, lines).prop_map(|(path, pairs, old, new)| {
            let edits: Vec<Value> =
                pairs.iter().map(|(old, new)| json!({"oldText": old, "newText": new})).collect();
            json!({"file": path, "edits": edits, "oldText": old, "newText": new, "content": new})
        }),
        (path.clone(), path, "[xyz ]{0,4}").prop_map(|(from, to, line)| {
            let payload = format!(
                "*** Begin Patch\n*** Add File: {to}\n+{line}\n*** Update File: {from}\n\
                 *** Move to: {to}\n@@ {line}\n-{line}\n+{line}!\n*** Delete File: {from}\n*** End Patch"
            );
            json!({"input": payload, "path": from})
        }),
        prop::sample::select(vec![
            json!(null), json!({}), json!([]), json!("x"), json!({"input": "*** Begin Patch"}),
            json!({"content": "no path"}),
        ]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Whatever comes in whatever order, the session says what a projection of the whole timeline
    /// says, after each single update.
    #[test]
    fn updates_one_by_one_give_the_projection_of_the_whole(updates in updates(), keep in any::<bool>()) {
        let keep = if keep { TimelineText::Keep } else { TimelineText::FirstLines };
        let workspace = Workspace::new("/w", "/w/dir");
        let mut session = observed::openclaw("/w", "/w/dir", keep);
        for (count, update) in updates.iter().enumerate() {
            observed::apply(&mut session, update);
            let timeline = reference::Timeline::of(&updates[..=count]);
            prop_assert_eq!(
                observed::projection(&session),
                reference::project(&timeline.items, workspace.as_ref()),
                "after {}", update
            );
            if keep == TimelineText::Keep {
                let ids: Vec<&str> = timeline.items.iter().map(|item| &*item.id).collect();
                prop_assert_eq!(observed::item_ids(&session), ids, "after {}", update);
            }
        }
    }

    /// A reader who asks for changes and reads only those knows as much as one who reads all.
    #[test]
    fn changes_since_a_revision_are_all_that_changed(updates in updates(), every in 1_usize..5) {
        let mut session = observed::openclaw("/w", "/w/dir", TimelineText::Keep);
        let mut known = Revision::default();
        let mut files = std::collections::BTreeMap::new();
        for (count, update) in updates.iter().enumerate() {
            observed::apply(&mut session, update);
            if count % every != 0 {
                continue;
            }
            let changes = session.changes_since(known);
            known = changes.revision;
            for path in changes.files {
                files.remove(&path);
                let activities = session.file(&path).map(|file| file.activities);
                if let Some(activities) = activities {
                    files.insert(path, without_sequences(&activities));
                }
            }
            let all = session.files().into_iter().map(|file| {
                (file.relative_path, without_sequences(&file.activities))
            });
            prop_assert_eq!(&files, &all.collect());
        }
    }
}

/// Sequences move when an earlier call changes; that alone is no change of a file.
fn without_sequences(activities: &[std::sync::Arc<activity_core::model::Activity>]) -> Vec<Value> {
    let plain = activities.iter().map(|activity| {
        let texts: Vec<_> = activity
            .fragments
            .iter()
            .map(|fragment| json!([*fragment.old_text, *fragment.new_text]))
            .collect();
        json!([
            *activity.turn_id,
            *activity.tool_call_id,
            *activity.tool_name,
            texts
        ])
    });
    plain.collect()
}
