use activity_core::session::Options;
use proptest::prelude::*;

use super::*;

/// Lines that mean something, some of them broken, in any order.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(r#"{"id":1,"method":"session/new","params":{"cwd":"/w"}}"#.to_owned()),
        Just(r#"{"id":1,"result":{"sessionId":"s"}}"#.to_owned()),
        Just(r#"{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/w"}}"#.to_owned()),
        Just(r#"{"id":1,"result":null}"#.to_owned()),
        Just(r#"{"id":1,"error":{"message":"no"}}"#.to_owned()),
        Just(r#"{"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"go\u0007"}]}}"#.to_owned()),
        Just(r#"{"id":1,"result":{"stopReason":"end_turn"}}"#.to_owned()),
        (0..3_u8, 0..4_u8, "[a-c\n]{0,6}", "[a-c\n]{0,6}").prop_map(|(id, kind, old, new)| {
            let call = match kind {
                0 => serde_json::json!({"title": "write: x", "rawInput": {"path": "a b", "content": new}}),
                1 => serde_json::json!({"title": "edit: x", "rawInput": {"path": "\"q\"", "oldText": old, "newText": new}}),
                2 => serde_json::json!({"kind": "edit", "content": [{"type": "diff", "path": "/w/c", "oldText": old, "newText": new}]}),
                _ => serde_json::json!({"status": "failed"}),
            };
            let mut update = serde_json::json!({"sessionUpdate": "tool_call_update", "toolCallId": id.to_string(), "status": "completed"});
            if let (Some(update), serde_json::Value::Object(call)) = (update.as_object_mut(), call) {
                update.extend(call);
            }
            serde_json::json!({"sessionId": "s", "update": update}).to_string()
        }),
        "[{}\\[\\]\":,a-z0-9 ]{0,20}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_trace_makes_it_panic(lines in proptest::collection::vec(line(), 0..30)) {
        fuzz_trace(lines.join("\n").as_bytes());
    }

    #[test]
    fn no_bytes_make_it_panic(data in proptest::collection::vec(any::<u8>(), 0..300)) {
        fuzz_trace(&data);
    }
}

#[test]
fn a_load_that_fails_leaves_the_session_as_it_was() {
    let trace = r#"
{"id":1,"method":"session/new","params":{"cwd":"/w"}}
{"id":1,"result":{"sessionId":"s"}}
{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"1","title":"write: x","status":"completed","rawInput":{"path":"a","content":"x"}}}
{"id":2,"method":"session/load","params":{"sessionId":"s","cwd":"/w"}}
{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"half of it"}}}
{"id":2,"error":{"code":-32603,"message":"no such session"}}
"#;
    let (recording, end) = Recording::read(trace.as_bytes(), Options::default());
    end.expect("memory can be read");
    let [recorded] = recording.sessions() else {
        panic!("one session: {recording:?}");
    };
    assert_eq!(recorded.session.paths(), ["a".into()]);
    assert_eq!(recorded.session.item_count(), 1);
    let notices: Vec<String> = recorded.notices().into_iter().map(|it| it.text).collect();
    assert_eq!(
        notices,
        ["the agent could not load this session: no such session"]
    );
}

#[test]
fn sessions_in_turns_are_told_apart_however_many_there_are() {
    let update = |session: usize, update: serde_json::Value| {
        serde_json::json!({"sessionId": session.to_string(), "update": update}).to_string()
    };
    let sessions = 0..20_usize;
    let begun = sessions.clone().map(|session| {
        let begun = serde_json::json!({"sessionUpdate": "tool_call", "toolCallId": "1", "kind": "edit",
            "status": "in_progress", "content": [{"type": "diff", "path": "/w/a", "newText": "x"}]});
        update(session, begun)
    });
    let ended = sessions.clone().rev().map(|session| {
        let ended = serde_json::json!({"sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "completed"});
        update(session, ended)
    });
    let trace: Vec<String> = begun.chain(ended).collect();
    let options = Options {
        workspace_root: Some("/w".into()),
        text: activity_core::session::TimelineText::FirstLines,
        ..Options::default()
    };
    let (recording, end) = Recording::read(trace.join("\n").as_bytes(), options);
    end.expect("memory can be read");
    assert_eq!(recording.sessions().len(), sessions.len());
    for recorded in recording.sessions() {
        assert_eq!(recorded.session.paths(), ["a".into()], "{}", recorded.id);
    }
}

#[test]
fn a_long_list_is_the_list_that_one_thread_writes() {
    let write = |id: usize| {
        let text = format!("line {id}\n").repeat(1_000);
        let path = format!("/w/{}", id % 7);
        serde_json::json!({"sessionUpdate": "tool_call", "toolCallId": id.to_string(), "kind": "edit",
            "status": "completed", "content": [{"type": "diff", "path": path, "newText": text}]})
    };
    let trace: Vec<String> = (0..501).map(|id| write(id).to_string()).collect();
    let options = Options {
        workspace_root: Some("/w".into()),
        ..Options::default()
    };
    let (recording, end) = Recording::read(trace.join("\n").as_bytes(), options);
    end.expect("memory can be read");
    let mut output = Vec::new();
    json::write(std::slice::from_ref(&recording), &mut output).expect("memory can be written");
    assert!(output.len() > 8_000_000, "long enough for two threads");
    let document: serde_json::Value = serde_json::from_slice(&output).expect("JSON");
    let session = &document["sessions"][0];
    let ids = session["activities"].as_array().expect("a list").iter();
    let ids: Vec<&str> = ids.filter_map(|it| it["toolCallId"].as_str()).collect();
    let expect: Vec<String> = (0..501).map(|id| id.to_string()).collect();
    assert_eq!(ids, expect);
    let changes = session["changes"].as_array().expect("a list").iter();
    let paths: Vec<&str> = changes
        .filter_map(|it| it["relativePath"].as_str())
        .collect();
    assert_eq!(paths, ["0", "1", "2", "3", "4", "5", "6"]);
}
