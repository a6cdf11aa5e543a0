//! The timeline and its turns, against the results of the reference implementation.

use crate::fixtures::{cases, optional_text, text};
use crate::observed;
use acp_grammar::tool::FileTool;
use activity_core::event::Event;
use activity_core::session::{Session, TimelineText};
use activity_core::timeline::tool_call::Status;
use activity_core::timeline::{Item, ItemKind, Part, Role};
use serde_json::{Value, json};

#[test]
fn a_title_names_the_tool() {
    for case in cases("tool") {
        let found = FileTool::from_title(text(&case.input, "title")).map(FileTool::name);
        assert_eq!(found, optional_text(&case.expected, "tool"), "{case:?}");
    }
}

#[test]
fn updates_reduce_to_items() {
    for case in cases("reduce") {
        let mut session = observed::openclaw("/w", "/w", TimelineText::Keep);
        let mut input = None;
        for update in list(&case.input, "updates") {
            if update["historical"] == true {
                session.apply(Event::LoadStarted);
            }
            input = update.get("rawInput").cloned().or(input);
            observed::apply(&mut session, &update);
        }
        let mut expected = list(&case.expected, "items");
        for item in &mut expected {
            // The input is evidence, not a part of the timeline; what it declares is tested with
            // the projection.
            item.as_object_mut().expect("an item").remove("input");
        }
        let found: Vec<Value> = items(&session).iter().map(reduced).collect();
        assert_eq!(found, expected, "{case:?}");
    }
}

fn reduced(item: &Item) -> Value {
    match &item.kind {
        ItemKind::Message { role, parts, .. } => json!({
            "id": *item.id, "kind": "message-segment", "role": role_name(*role),
            "parts": parts.iter().map(part_text).collect::<Vec<_>>(),
        }),
        ItemKind::Tool {
            title,
            status,
            parts,
            historical,
            ..
        } => json!({
            "id": *item.id, "kind": "tool-call", "title": **title, "status": status_name(*status),
            "parts": parts.len(), "historical": historical,
        }),
        ItemKind::Thought { parts, .. } => json!({
            "id": *item.id, "kind": "thought", "parts": parts.iter().map(part_text).collect::<Vec<_>>(),
        }),
        ItemKind::Plan { entries } => {
            json!({"id": *item.id, "kind": "plan", "entries": entries.len()})
        }
    }
}

#[test]
fn items_group_into_turns() {
    for case in cases("turns") {
        let mut session = observed::openclaw("/w", "/w", TimelineText::Keep);
        for item in list(&case.input, "items") {
            for update in updates_for(item.as_str().expect("an item")) {
                observed::apply(&mut session, &update);
            }
        }
        assert_eq!(groups(&session), list(&case.expected, "groups"), "{case:?}");
    }
}

/// Updates that make an item like `assistant m:0 [markdown,attachment]`.
fn updates_for(item: &str) -> Vec<Value> {
    let (head, parts) = item.split_once(" [").expect("an item with parts");
    let (kind, id) = head.split_once(' ').expect("a kind and an id");
    let blocks: Vec<Value> = parts
        .trim_end_matches(']')
        .split(',')
        .filter(|part| !part.is_empty())
        .map(|part| match part {
            "markdown" => json!({"type": "text", "text": "x"}),
            "attachment" => json!({"type": "resource_link", "uri": "file:///x", "name": "x"}),
            other => panic!("unknown part {other}"),
        })
        .collect();
    if kind == "tool" {
        let content: Vec<Value> = blocks
            .iter()
            .map(|block| json!({"type": "content", "content": block}))
            .collect();
        return vec![json!({"sessionUpdate": "tool_call", "toolCallId": id, "content": content})];
    }
    let name = if kind == "user" {
        "user_message_chunk"
    } else {
        "agent_message_chunk"
    };
    let (message_id, _) = id.split_once(':').expect("a message and a segment");
    let chunk =
        |block: &Value| json!({"sessionUpdate": name, "messageId": message_id, "content": block});
    blocks.iter().map(chunk).collect()
}

/// The groups that a reader shows: what is attached is lifted out of the items, and a message of
/// the agent of which nothing is left is not shown.
fn groups(session: &Session) -> Vec<Value> {
    let mut groups: Vec<(Option<String>, Vec<String>, usize)> = Vec::new();
    for item in items(session) {
        let turn = item.turn_id.as_deref().map(str::to_owned);
        if groups.last().is_none_or(|(last, ..)| *last != turn) {
            groups.push((turn, Vec::new(), 0));
        }
        let (_, ids, attachments) = groups.last_mut().expect("a group was pushed");
        let (ItemKind::Message { parts, .. }
        | ItemKind::Tool { parts, .. }
        | ItemKind::Thought { parts, .. }) = &item.kind
        else {
            continue;
        };
        let attached = parts
            .iter()
            .filter(|part| matches!(part, Part::Attachment { .. }))
            .count();
        *attachments += attached;
        let of_assistant = matches!(
            &item.kind,
            ItemKind::Message {
                role: Role::Assistant,
                ..
            }
        );
        if !(of_assistant && attached == parts.len()) {
            ids.push(item.id.to_string());
        }
    }
    let turns = session.turns();
    let shown = groups.into_iter().map(|(turn, items, attachments)| {
        let Some(turn) = turn else {
            return json!({
                "kind": "user", "id": format!("user-group:{}", items[0]), "items": items,
                "attachments": attachments,
            });
        };
        let state = turns
            .iter()
            .find(|state| *state.id == turn)
            .expect("a turn of its items");
        let mut group = json!({
            "kind": "assistant-turn", "id": turn, "items": items, "attachments": attachments,
        });
        if let Some(id) = &state.user_message_id {
            group["userMessageId"] = json!(**id);
        }
        group
    });
    shown.collect()
}

fn items(session: &Session) -> Vec<Item> {
    (0..session.item_count())
        .map(|position| session.item(position).expect("text is kept"))
        .collect()
}

fn list(value: &Value, member: &str) -> Vec<Value> {
    value[member]
        .as_array()
        .unwrap_or_else(|| panic!("no list {member}"))
        .clone()
}

fn part_text(part: &Part) -> String {
    match part {
        Part::Text(text) => text.clone(),
        other => format!("{other:?}"),
    }
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

fn status_name(status: Status) -> &'static str {
    match status {
        Status::Pending => "pending",
        Status::Running => "running",
        Status::Completed => "completed",
        Status::Failed => "failed",
    }
}
