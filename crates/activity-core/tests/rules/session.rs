//! What a session makes of the events around its updates: agents, loads, permissions, prompts.

use acp_grammar::wire::{ContentBlock, ToolCallPatch};
use activity_core::event::{Event, PermissionAnswer};
use activity_core::profile::{Profile, ProfileChoice};
use activity_core::session::{Options, Revision, Session, TimelineText};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::observed::{self, apply};

fn session(profile: ProfileChoice) -> Session {
    let mut session = Session::new(
        "s",
        Options {
            profile,
            ..Options::default()
        },
    );
    session.apply(Event::Opened { cwd: "/w".into() });
    session
}

fn acp() -> Session {
    session(ProfileChoice::Fixed(Profile::Acp))
}

fn named(session: &mut Session, name: &str) {
    session.apply(Event::AgentNamed {
        name: name.to_owned().into(),
        version: None,
    });
}

fn prompt(session: &mut Session, text: &str) {
    let blocks = vec![ContentBlock::Text(text.to_owned().into())];
    session.apply(Event::PromptSent { blocks });
}

fn write(id: &str, path: &str, content: &str) -> Value {
    json!({
        "sessionUpdate": "tool_call", "toolCallId": id, "title": format!("write: path: {path}"),
        "kind": "edit", "status": "completed", "rawInput": {"path": path, "content": content},
    })
}

fn diff(id: &str, status: &str, path: &str, old: &str, new: &str) -> Value {
    json!({
        "sessionUpdate": "tool_call", "toolCallId": id, "title": "Edit", "kind": "edit",
        "status": status, "content": [{"type": "diff", "path": path, "oldText": old, "newText": new}],
    })
}

fn said(text: &str) -> Value {
    json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})
}

fn listed(session: &Session) -> Vec<String> {
    let activities = session.activities();
    activities
        .iter()
        .map(|activity| format!("{} {}", activity.turn_id, activity.relative_path))
        .collect()
}

fn codes(session: &Session) -> Vec<&'static str> {
    session
        .notices()
        .iter()
        .map(|notice| notice.kind.code())
        .collect()
}

#[test]
fn what_the_user_said_is_known_as_a_transcript_has_it() {
    let mut session = acp();
    let user = |block: Value| json!({"sessionUpdate": "user_message_chunk", "messageId": "u", "content": block});
    let text = |text: &str| json!({"type": "text", "text": text});
    apply(&mut session, &user(text("see")));
    let link = json!({"type": "resource_link", "uri": "file:///a.txt", "name": "a", "title": "A"});
    apply(&mut session, &user(link));
    apply(
        &mut session,
        &user(json!({"type": "image", "data": "", "mimeType": "image/png"})),
    );
    apply(&mut session, &user(text("there")));
    apply(&mut session, &said("one"));
    prompt(&mut session, "first");
    prompt(&mut session, "second");
    apply(&mut session, &said("two"));
    prompt(&mut session, "third");
    assert_eq!(session.current_turn(), None);
    let messages = session.user_messages();
    let shown: Vec<(usize, &str, bool)> = messages
        .iter()
        .map(|it| (it.position, &*it.words, it.turn_id.is_some()))
        .collect();
    assert_eq!(
        shown,
        [
            (0, "see\n[Resource link (A)] file:///a.txt\nthere", true),
            (2, "first", false),
            (3, "second", true),
            (5, "third", false),
        ]
    );
    let turns = session.turns();
    assert_eq!(
        messages[2].turn_id.as_ref(),
        turns.last().map(|turn| &turn.id)
    );
    apply(&mut session, &said("three"));
    assert_eq!(
        session.current_turn(),
        session.turns().last().map(|turn| &turn.id)
    );
}

#[test]
fn the_agent_or_a_title_chooses_the_profile() {
    let cases: [(Option<&str>, Option<&str>, Profile); 7] = [
        (None, None, Profile::Acp),
        (Some("openclaw"), None, Profile::Openclaw),
        (Some("openclaw-acp"), None, Profile::Openclaw),
        (Some("openclawing"), None, Profile::Acp),
        (None, Some("write: path: a"), Profile::Openclaw),
        (None, Some("Write a"), Profile::Acp),
        (Some("gemini-cli"), Some("write: path: a"), Profile::Acp),
    ];
    for (name, title, expect) in cases {
        let mut session = session(ProfileChoice::Auto);
        if let Some(name) = name {
            named(&mut session, name);
        }
        if let Some(title) = title {
            let update = json!({"sessionUpdate": "tool_call", "toolCallId": "t", "title": title});
            apply(&mut session, &update);
        }
        assert_eq!(session.profile(), expect, "{name:?} {title:?}");
    }
    let mut fixed = acp();
    named(&mut fixed, "openclaw");
    apply(
        &mut fixed,
        &json!({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "edit: x"}),
    );
    assert_eq!(fixed.profile(), Profile::Acp);
}

#[test]
fn a_title_that_comes_late_changes_the_rules_for_all() {
    let mut session = session(ProfileChoice::Auto);
    apply(
        &mut session,
        &diff("t1", "completed", "/w/a.txt", "one\n", "two\n"),
    );
    assert_eq!(listed(&session), ["assistant-turn:tool:t1 a.txt"]);
    let before = session.revision();
    apply(&mut session, &write("t2", "b.txt", "x"));
    assert_eq!(listed(&session), ["assistant-turn:tool:t1 b.txt"]);
    assert!(session.changes_since(before).reset);
}

#[test]
fn without_a_directory_nothing_is_listed_and_the_reason_is_said() {
    let options = Options {
        profile: ProfileChoice::Fixed(Profile::Openclaw),
        ..Options::default()
    };
    let mut session = Session::new("s", options.clone());
    apply(&mut session, &write("t", "a.txt", "x"));
    assert_eq!(
        (listed(&session).len(), codes(&session)),
        (0, vec!["noWorkspace"])
    );
    session.apply(Event::Opened { cwd: "/w".into() });
    assert_eq!(listed(&session), ["assistant-turn:tool:t a.txt"]);

    let outside = Options {
        workspace_root: Some("/w".into()),
        cwd: Some("/z".into()),
        ..options
    };
    let mut session = Session::new("s", outside);
    apply(&mut session, &write("t", "a.txt", "x"));
    assert_eq!(
        (listed(&session).len(), codes(&session)),
        (0, vec!["workspaceMismatch"])
    );
}

#[test]
fn prompts_separate_turns_and_their_echo_does_not() {
    let mut session = acp();
    prompt(&mut session, "\nfix it \nplease");
    let echo = json!({"sessionUpdate": "user_message_chunk", "messageId": "u", "content": {"type": "text", "text": "fix it"}});
    apply(&mut session, &echo);
    apply(&mut session, &said("on it"));
    session.apply(Event::PromptEnded {
        stop_reason: Some("end_turn".into()),
    });
    prompt(&mut session, "more");
    apply(&mut session, &said("done"));
    let turns = session.turns();
    let seen: Vec<_> = turns
        .iter()
        .map(|turn| {
            (
                &*turn.user_line,
                turn.user_message_id.as_deref(),
                turn.stop_reason.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("fix it", Some("u"), Some("end_turn")),
            ("more", Some("user:message:2"), None)
        ]
    );
    assert_eq!(session.item_count(), 4);
}

#[test]
fn in_profile_acp_an_id_that_is_over_can_be_used_again() {
    let mut session = acp();
    for text in ["one", "two"] {
        prompt(&mut session, text);
        apply(
            &mut session,
            &diff("call_0", "in_progress", "/w/a.txt", text, "x"),
        );
        let done = json!({"sessionUpdate": "tool_call_update", "toolCallId": "call_0", "status": "completed"});
        apply(&mut session, &done);
    }
    assert_eq!(
        listed(&session),
        [
            "assistant-turn:tool:call_0 a.txt",
            "assistant-turn:tool:call_0#2 a.txt"
        ]
    );
    assert_eq!(
        session.turn_summaries("assistant-turn:tool:call_0").len(),
        1
    );
}

#[test]
fn a_call_announced_twice_before_it_ends_is_one_call() {
    let mut session = acp();
    apply(
        &mut session,
        &json!({"sessionUpdate": "tool_call", "toolCallId": "t", "status": "pending"}),
    );
    apply(
        &mut session,
        &diff("t", "pending", "/w/a.txt", "one\n", "two\n"),
    );
    assert!(listed(&session).is_empty());
    let asked: Vec<_> = session
        .requested()
        .iter()
        .map(|asked| (asked.open, asked.draft.relative_path.to_string()))
        .collect();
    assert_eq!(asked, [(true, "a.txt".to_owned())]);
    apply(
        &mut session,
        &json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed"}),
    );
    assert_eq!(listed(&session), ["assistant-turn:tool:t a.txt"]);
    assert!(session.requested().is_empty());
}

#[test]
fn what_failed_or_was_refused_changes_nothing_but_can_be_asked_for() {
    let mut session = acp();
    apply(
        &mut session,
        &diff("t1", "failed", "/w/a.txt", "one\n", "two\n"),
    );
    let asked = json!({
        "toolCallId": "t2", "title": "b.txt", "kind": "edit", "status": "pending",
        "content": [{"type": "diff", "path": "/w/b.txt", "oldText": "1\n", "newText": "2\n"}],
    })
    .to_string();
    let tool_call = ToolCallPatch::decode(&asked).expect("an object");
    session.apply(Event::PermissionRequested {
        request_id: "7".into(),
        tool_call,
    });
    let open = |session: &Session| -> Vec<_> {
        let requested = session.requested();
        requested
            .iter()
            .map(|asked| (asked.tool_call_id.to_string(), asked.open))
            .collect()
    };
    assert_eq!(
        open(&session),
        [("t1".to_owned(), false), ("t2".to_owned(), true)]
    );
    let answer = PermissionAnswer::Selected {
        option_id: "no".into(),
        rejected: true,
    };
    session.apply(Event::PermissionAnswered {
        request_id: "7".into(),
        answer,
    });
    assert_eq!(
        open(&session),
        [("t1".to_owned(), false), ("t2".to_owned(), false)]
    );
    assert!(listed(&session).is_empty());
}

#[test]
fn a_load_begins_anew_and_a_failed_one_changes_nothing() {
    let mut session = session(ProfileChoice::Fixed(Profile::Openclaw));
    apply(&mut session, &write("t1", "a.txt", "x"));
    session.apply(Event::LoadStarted);
    assert!(listed(&session).is_empty());
    session.apply(Event::LoadFailed);
    assert_eq!(listed(&session), ["assistant-turn:tool:t1 a.txt"]);
    let known = session.revision();
    session.apply(Event::LoadStarted);
    apply(&mut session, &write("t1", "b.txt", "x"));
    session.apply(Event::LoadEnded);
    assert_eq!(listed(&session), ["assistant-turn:tool:t1 b.txt"]);
    assert!(session.changes_since(known).reset);
    assert!(codes(&session).is_empty());
}

#[test]
fn a_replay_without_tool_calls_is_said() {
    let mut session = acp();
    session.apply(Event::LoadStarted);
    apply(&mut session, &said("I wrote a.txt"));
    session.apply(Event::LoadEnded);
    assert_eq!(codes(&session), ["noToolCallsReplayed"]);
}

#[test]
fn turns_say_what_they_cannot_know() {
    let mut session = session(ProfileChoice::Fixed(Profile::Openclaw));
    let exec = |id: &str, status: &str| {
        json!({
            "sessionUpdate": "tool_call", "toolCallId": id, "title": "exec: command: make",
            "kind": "execute", "status": status, "rawInput": {"command": "make"},
        })
    };
    apply(&mut session, &exec("e1", "completed"));
    apply(&mut session, &exec("e2", "failed"));
    apply(&mut session, &exec("e3", "pending"));
    session.apply(Event::GapNoticed { missed: Some(3) });
    apply(&mut session, &write("t1", "/etc/passwd", "x"));
    let patch = json!({
        "sessionUpdate": "tool_call", "toolCallId": "p", "title": "apply_patch: input",
        "status": "completed", "rawInput": {"input": "*** Begin Patch\n*** Bogus\n*** End Patch"},
    });
    apply(&mut session, &patch);
    let half = "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch";
    let failed = json!({
        "sessionUpdate": "tool_call", "toolCallId": "q", "title": "apply_patch: input",
        "status": "failed", "rawInput": {"input": half},
    });
    apply(&mut session, &failed);
    let said: Vec<String> = session
        .notices()
        .iter()
        .map(|notice| notice.kind.to_string())
        .collect();
    assert_eq!(
        said[..3],
        [
            "3 messages of this session were lost",
            "2 shell commands ran; what they did to files is not listed",
            "/etc/passwd lies outside the workspace",
        ]
    );
    assert!(
        said[3].starts_with("a patch is malformed at line 2: "),
        "{}",
        said[3]
    );
    assert_eq!(
        said[4],
        "a patch failed, its first sections may have been applied: a"
    );
    assert_eq!(said.len(), 5);
}

#[test]
fn what_the_disk_may_not_show_is_listed_with_doubt() {
    let mut session = session(ProfileChoice::Fixed(Profile::Openclaw));
    let mut unchanged = write("t1", "a.txt", "x");
    unchanged["rawOutput"] = json!({"details": {"changed": false}});
    apply(&mut session, &unchanged);
    apply(&mut session, &write("t2", "~/b.txt", "x"));
    apply(&mut session, &write("t3", "c.txt", "API_KEY=***\n"));
    assert_eq!(listed(&session).len(), 3);
    assert_eq!(codes(&session), ["doubtful", "doubtful", "masked"]);
    let exec = json!({
        "sessionUpdate": "tool_call", "toolCallId": "e", "title": "exec: command: pwd",
        "kind": "execute", "status": "completed", "rawInput": {"command": "pwd"},
        "rawOutput": {"details": {"cwd": "/agent"}},
    });
    apply(&mut session, &exec);
    let doubtful = codes(&session)
        .iter()
        .filter(|code| **code == "doubtful")
        .count();
    assert_eq!(doubtful, 3);
}

#[test]
fn hints_come_from_the_result_and_change_nothing_else() {
    let mut session = session(ProfileChoice::Fixed(Profile::Openclaw));
    let edit = json!({
        "sessionUpdate": "tool_call", "toolCallId": "t", "title": "edit: path: a",
        "status": "completed",
        "rawInput": {"path": "a", "edits": [
            {"oldText": "later", "newText": "LATER"}, {"oldText": "two\nfoo", "newText": "two\nbar"},
        ]},
        "rawOutput": {"details": {"changed": true, "patch":
            "--- a\n+++ a\n@@ -1,4 +1,4 @@\n one\n two\n-foo\n+bar\n end\n@@ -9,1 +9,1 @@\n-x later\n+x LATER\n"}},
    });
    apply(&mut session, &edit);
    let activities = session.activities();
    let places: Vec<_> = activities[0]
        .fragments
        .iter()
        .map(|fragment| fragment.hint.new_line)
        .collect();
    assert_eq!(places, [Some(8), Some(1)]);
}

#[test]
fn attachments_come_from_content_alone_once_per_turn() {
    let mut session = acp();
    let link = |uri: &str| json!({"type": "resource_link", "uri": uri, "name": "report.pdf"});
    let chunk = |block: Value| json!({"sessionUpdate": "agent_message_chunk", "content": block});
    session.apply(Event::PromptSent {
        blocks: vec![ContentBlock::Resource {
            uri: "file:///w/notes.md".into(),
            mime_type: Some("text/markdown".into()),
            text: None,
        }],
    });
    apply(&mut session, &chunk(link("file:///w/report.pdf")));
    apply(&mut session, &chunk(link("/w/report.pdf")));
    apply(&mut session, &chunk(link("file:///w/plot.png")));
    apply(
        &mut session,
        &chunk(json!({"type": "image", "uri": "/w/plot.png", "mimeType": "image/png"})),
    );
    apply(&mut session, &write("t", "made.txt", "x"));
    let found: Vec<_> = session
        .attachments()
        .iter()
        .map(|attachment| (attachment.uri.to_string(), attachment.turn_id.is_some()))
        .collect();
    assert_eq!(
        found,
        [
            ("file:///w/notes.md".to_owned(), false),
            ("file:///w/report.pdf".to_owned(), true)
        ]
    );
}

#[test]
fn without_text_a_session_keeps_what_files_need() {
    let updates = [
        json!({"sessionUpdate": "user_message_chunk", "messageId": "u", "content": {"type": "text", "text": "go\non"}}),
        said("working"),
        write("t", "a.txt", "x\n"),
    ];
    let [mut full, mut lean] = [TimelineText::Keep, TimelineText::FirstLines]
        .map(|text| observed::openclaw("/w", "/w", text));
    for update in &updates {
        apply(&mut full, update);
        apply(&mut lean, update);
    }
    assert_eq!(observed::projection(&lean), observed::projection(&full));
    assert_eq!(lean.turns(), full.turns());
    assert_eq!(lean.turns()[0].user_line.as_ref(), "go");
    assert!(lean.item(1).is_none());
    assert!(lean.changes_since(Revision::default()).items.is_empty());
    assert_eq!(full.changes_since(Revision::default()).items, [0, 1, 2]);
}

/// What one call sends: its announcement, its diff and its end, in one to three messages.
fn messages_of(call: usize, pieces: usize) -> Vec<Value> {
    let id = format!("t{call}");
    let whole = [
        ("title", json!("Edit")),
        ("kind", json!("edit")),
        (
            "content",
            json!([{
                "type": "diff", "path": format!("/w/f{}.txt", call % 3),
                "oldText": format!("{call}\n"), "newText": format!("{call} new\n"),
            }]),
        ),
        ("status", json!("completed")),
    ];
    let mut messages =
        vec![json!({"sessionUpdate": "tool_call", "toolCallId": id, "status": "pending"})];
    messages.extend(
        (1..pieces).map(|_| json!({"sessionUpdate": "tool_call_update", "toolCallId": id})),
    );
    for (index, (member, value)) in whole.into_iter().enumerate() {
        let message = (index * pieces / 4).min(pieces - 1);
        messages[message][member] = value;
    }
    messages
}

/// A number for each message says where it goes; the messages of one call keep their order.
fn interleaved(calls: &[(usize, Vec<u32>)]) -> Vec<Value> {
    let mut placed: Vec<(u32, usize, usize, Value)> = Vec::new();
    for (call, (pieces, places)) in calls.iter().enumerate() {
        let mut sorted = places[..*pieces].to_vec();
        sorted.sort_unstable();
        for (index, (place, message)) in sorted
            .into_iter()
            .zip(messages_of(call, *pieces))
            .enumerate()
        {
            placed.push((place, call, index, message));
        }
    }
    placed.sort_by_key(|(place, call, index, _)| (*place, *call, *index));
    placed.into_iter().map(|(.., message)| message).collect()
}

/// The activities without their places, ordered by call.
fn by_call(session: &Session) -> Vec<String> {
    let mut found: Vec<String> = session
        .activities()
        .iter()
        .map(|activity| {
            let texts: Vec<_> = activity
                .fragments
                .iter()
                .map(|fragment| (&fragment.old_text, &fragment.new_text))
                .collect();
            format!(
                "{} {} {:?} {texts:?}",
                activity.tool_call_id, activity.relative_path, activity.action
            )
        })
        .collect();
    found.sort();
    found
}

proptest! {
    /// Calls that run at the same time report in any order; what each did does not depend on it,
    /// nor on how many messages it took.
    #[test]
    fn calls_that_overlap_do_not_disturb_each_other(
        calls in prop::collection::vec((1_usize..4, prop::collection::vec(any::<u32>(), 3)), 1..25),
    ) {
        let mut one_by_one = acp();
        for call in 0..calls.len() {
            for message in messages_of(call, 1) {
                apply(&mut one_by_one, &message);
            }
        }
        let mut mixed = acp();
        for message in interleaved(&calls) {
            apply(&mut mixed, &message);
        }
        prop_assert_eq!(by_call(&mixed), by_call(&one_by_one));
        prop_assert_eq!(mixed.activities().len(), calls.len());
    }
}

#[test]
fn a_session_that_rested_goes_on() {
    let mut session = acp();
    apply(&mut session, &diff("1", "completed", "/w/a", "x\n", "y\n"));
    apply(
        &mut session,
        &diff("2", "in_progress", "/w/b", "x\n", "y\n"),
    );
    let before = listed(&session);
    session.rest();
    assert_eq!(listed(&session), before);
    // What was said of an open call is still known, and so is a finished one.
    let completed =
        |id| json!({"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "completed"});
    apply(&mut session, &completed("2"));
    apply(&mut session, &completed("1"));
    assert_eq!(
        listed(&session),
        ["assistant-turn:tool:1 a", "assistant-turn:tool:1 b"]
    );
}
