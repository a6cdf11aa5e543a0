use expect_test::{Expect, expect};

use super::*;

/// Compares the `Debug` form of a decoded update, which names every member that is not empty.
fn check(json: &str, expect: &Expect) {
    let update = Update::decode(json).map(|update| format!("{update:?}"));
    expect.assert_eq(&update.unwrap_or_else(|| "no object".to_owned()));
}

/// The members of a call that are not missing.
fn check_call(json: &str, expect: &Expect) {
    let Some(call) = ToolCallPatch::decode(json) else {
        panic!("an object: {json}");
    };
    let members = [
        ("title", format!("{:?}", call.title)),
        ("kind", format!("{:?}", call.kind)),
        ("status", format!("{:?}", call.status)),
        ("content", format!("{:?}", call.content)),
        ("locations", format!("{:?}", call.locations)),
        ("rawInput", format!("{:?}", call.raw_input)),
        ("rawOutput", format!("{:?}", call.raw_output)),
        ("name", format!("{:?}", call.name)),
        ("_meta", format!("{:?}", call.meta)),
    ];
    let mut text = format!("{:?}\n", call.tool_call_id);
    for (name, value) in members.iter().filter(|(_, value)| value != "Missing") {
        text.extend([name, ": ", value, "\n"]);
    }
    expect.assert_eq(&text);
}

#[test]
fn missing_null_and_value_are_three_things() {
    check_call(
        r#"{"toolCallId":"t","title":null,"status":"completed","rawInput":null,"content":null}"#,
        &expect![[r#"
            "t"
            title: Null
            status: Value("completed")
            content: Null
            rawInput: Null
        "#]],
    );
}

#[test]
fn odd_shapes_cost_only_themselves() {
    check_call(
        r#"{"toolCallId":"t","title":7,"kind":["edit"],"status":{"x":1},"content":"text",
            "locations":[{"path":"a","line":3},5,{"line":1},{"path":"b","line":-1},
            {"path":"c","line":2.0},{"path":"d","line":99999999999}],
            "rawInput":"no object","name":true,"new member":[[{}]]}"#,
        &expect![[r#"
            "t"
            title: Null
            kind: Null
            status: Null
            content: Null
            locations: Value([Location { path: "a", line: Some(3) }, Location { path: "b", line: None }, Location { path: "c", line: Some(2) }, Location { path: "d", line: None }])
            rawInput: Value(RawValue("no object"))
            name: Null
        "#]],
    );
}

#[test]
fn content_of_a_call() {
    check_call(
        r#"{"toolCallId":"t","content":[
            {"type":"content","content":{"type":"text","text":"a\nb"}},
            {"type":"diff","path":"/w/a","oldText":null,"newText":"x","_meta":{"kind":"add"}},
            {"type":"diff","path":"/w/b","newText":"y"},
            {"type":"diff","newText":"no path"},
            17,
            {"type":"terminal","terminalId":"term"},
            {"type":"text","text":"bare"},
            {"type":"hologram","data":"AAAA"},
            {"type":"content","content":{"type":"image","mimeType":"image/png","data":"AAAA"}}]}"#,
        &expect![[r#"
            "t"
            content: Value([Block(Text("a\nb")), Diff(Diff { path: "/w/a", old_path: None, old_text: Null, new_text: Value("x"), operation: Some("add"), deleted: false, file_type: None, patch: None, meta: Some(RawValue({"kind":"add"})) }), Diff(Diff { path: "/w/b", old_path: None, old_text: Missing, new_text: Value("y"), operation: None, deleted: false, file_type: None, patch: None, meta: None }), Unknown("diff"), Terminal { terminal_id: "term" }, Block(Text("bare")), Unknown("hologram"), Block(Image { mime_type: Some("image/png"), uri: None, data_len: 4 })])
        "#]],
    );
}

#[test]
fn a_diff_of_several_files_becomes_one_each() {
    check_call(
        r#"{"toolCallId":"t","content":[{"type":"diff","changes":[
            {"operation":"move","oldPath":"/w/a","path":"/w/b","fileType":"text"},
            {"operation":"delete","path":"/w/c"},
            {"operation":"add"}],
            "patch":{"format":"git_patch","text":"diff --git a/a b/b\nrename to b\ndiff --git a/c b/c\n--- a/c\n+++ /dev/null\n"}}]}"#,
        &expect![[r#"
            "t"
            content: Value([Diff(Diff { path: "/w/b", old_path: Some("/w/a"), old_text: Missing, new_text: Missing, operation: Some("move"), deleted: false, file_type: Some("text"), patch: Some("diff --git a/a b/b\nrename to b\n"), meta: None }), Diff(Diff { path: "/w/c", old_path: None, old_text: Missing, new_text: Missing, operation: Some("delete"), deleted: true, file_type: None, patch: Some("diff --git a/c b/c\n--- a/c\n+++ /dev/null\n"), meta: None })])
        "#]],
    );
}

#[test]
fn messages() {
    check(
        r#"{"content":{"text":"hi","type":"text"},"messageId":"m","sessionUpdate":"agent_message_chunk"}"#,
        &expect![[
            r#"AgentMessageChunk(MessageChunk { message_id: Some("m"), content: Text("hi"), meta: None })"#
        ]],
    );
    check(
        r#"{"sessionUpdate":"user_message","messageId":"m","content":[{"type":"text","text":"a"},
            {"type":"resource_link","uri":"file:///w/a.png","name":"a.png","size":5},
            {"type":"resource","resource":{"uri":"file:///w/b","text":"b"}}]}"#,
        &expect![[
            r#"UserMessage(WholeMessage { message_id: Some("m"), content: Value([Text("a"), ResourceLink(ResourceLink { uri: "file:///w/a.png", name: Some("a.png"), title: None, mime_type: None, size: Some(5) }), Resource { uri: "file:///w/b", mime_type: None, text: Some("b") }]) })"#
        ]],
    );
    check(
        r#"{"sessionUpdate":"agent_thought","messageId":"m"}"#,
        &expect![[r#"AgentThought(WholeMessage { message_id: Some("m"), content: Missing })"#]],
    );
}

#[test]
fn content_of_an_odd_shape_is_still_content() {
    for content in [
        "[]",
        r#"[{"type":"text","text":"a"}]"#,
        r#""a""#,
        "7",
        "true",
    ] {
        let chunk = format!(r#"{{"sessionUpdate":"user_message_chunk","content":{content}}}"#);
        check(
            &chunk,
            &expect![[
                r#"UserMessageChunk(MessageChunk { message_id: None, content: Unknown(""), meta: None })"#
            ]],
        );
    }
    for content in ["null", r#""""#, "0", "false"] {
        let chunk = format!(r#"{{"sessionUpdate":"user_message_chunk","content":{content}}}"#);
        let update = Update::decode(&chunk);
        assert!(matches!(update, Some(Update::Unknown { .. })), "{chunk}");
    }
    let piece = r#"ToolContentChunk { tool_call_id: "t", content: [Unknown("")] }"#;
    for content in [
        "",
        r#","content":null"#,
        r#","content":[]"#,
        r#","content":"a""#,
    ] {
        let chunk =
            format!(r#"{{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t"{content}}}"#);
        let update = Update::decode(&chunk).expect("an object");
        assert_eq!(format!("{update:?}"), piece, "{chunk}");
    }
}

#[test]
fn plans_of_both_versions() {
    check(
        r#"{"sessionUpdate":"plan","entries":[{"content":"do","status":"pending"},null]}"#,
        &expect![[
            r#"Plan { entries: [PlanEntry { content: "do", status: "pending", priority: "" }] }"#
        ]],
    );
    check(
        r#"{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"do","status":"pending"}]}}"#,
        &expect![[
            r#"PlanUpdate { entries: [PlanEntry { content: "do", status: "pending", priority: "" }] }"#
        ]],
    );
}

#[test]
fn what_is_not_known_is_kept() {
    check(
        r#"{"sessionUpdate":"teleport","to":"x"}"#,
        &expect![[
            r#"Unknown { name: "teleport", raw: RawValue({"sessionUpdate":"teleport","to":"x"}) }"#
        ]],
    );
    check(
        r#"{"sessionUpdate":5}"#,
        &expect![[r#"Unknown { name: "", raw: RawValue({"sessionUpdate":5}) }"#]],
    );
    check(
        r#"{"sessionUpdate":"usage_update","used":1}"#,
        &expect![[
            r#"Metadata { name: "usage_update", raw: RawValue({"sessionUpdate":"usage_update","used":1}) }"#
        ]],
    );
    check("[]", &expect!["no object"]);
    check("{", &expect!["no object"]);
}

#[test]
fn parameters() {
    let json = r#"{"update":{"sessionUpdate":"x","a":1},"sessionId":"s"}"#;
    let params = UpdateParams::decode(json).expect("parameters");
    assert_eq!(params.session_id.as_deref(), Some("s"));
    assert_eq!(
        format!("{:?}", params.update),
        r#"Unknown { name: "x", raw: RawValue({"sessionUpdate":"x","a":1}) }"#
    );
    assert!(UpdateParams::decode(r#"{"sessionId":"s","update":[]}"#).is_none());
}

#[test]
fn texts_without_escapes_are_borrowed() {
    let json = r#"{"sessionUpdate":"tool_call","toolCallId":"t","content":[{"type":"diff","path":"p","newText":"plain"}]}"#;
    let Some(Update::ToolCall(call)) = Update::decode(json) else {
        panic!("a tool call");
    };
    assert!(matches!(call.tool_call_id, Cow::Borrowed("t")));
    let Field::Value(content) = call.content else {
        panic!("content");
    };
    let [super::super::ToolContent::Diff(diff)] = content.as_slice() else {
        panic!("one diff");
    };
    assert!(matches!(
        diff.new_text,
        Field::Value(Cow::Borrowed("plain"))
    ));
}
