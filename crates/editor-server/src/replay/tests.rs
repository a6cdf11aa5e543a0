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
fn what_steers_a_terminal_is_shown_as_an_escape() {
    assert_eq!(visible("plain é"), "plain é");
    assert_eq!(visible("a\u{1b}[2J\nb\u{202e}"), "a\\u{1b}[2J\\nb\\u{202e}");
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
