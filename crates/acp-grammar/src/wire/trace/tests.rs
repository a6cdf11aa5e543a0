use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::wire::UpdateParams;

fn check(line: impl AsRef<[u8]>, expect: &Expect) {
    let text = match Line::decode(line.as_ref()) {
        Ok(line) => format!("{line:?}"),
        Err(fault) => format!("fault: {fault}"),
    };
    expect.assert_eq(&text);
}

#[test]
fn the_five_forms() {
    check(
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w"}}"#,
        &expect![[
            r#"Message { direction: None, hop: Only, message: Request { id: "1", method: "session/new", params: Some(RawValue({"cwd":"/w"})) } }"#
        ]],
    );
    check(
        r#"{"t":3,"dir":"a2c","msg":{"jsonrpc":"2.0","result":null,"id":"x"}}"#,
        &expect![[
            r#"Message { direction: Some(AgentToClient), hop: Only, message: Response { id: "\"x\"", answer: Result("null") } }"#
        ]],
    );
    check(
        r#"{"type":"notification","ts":0.5,"protocol":"acp","from":"Agent","to":"Client","method":"session/update","session":null,"params":{}}"#,
        &expect![[
            r#"Message { direction: Some(AgentToClient), hop: Client, message: Notification { method: "session/update", params: Some(RawValue({})) } }"#
        ]],
    );
    check(
        r#"{"type":"response","ts":1,"from":"Proxy(0)","to":"Client","id":4,"is_error":true,"payload":{"code":1}}"#,
        &expect![[
            r#"Message { direction: Some(AgentToClient), hop: Client, message: Response { id: "4", answer: Error("{\"code\":1}") } }"#
        ]],
    );
    check(
        r#"{"type":"request","ts":1,"protocol":"mcp","from":"Client","to":"Proxy(1)","id":4,"method":"x","params":null}"#,
        &expect![[
            r#"Message { direction: None, hop: Between, message: Request { id: "4", method: "x", params: None } }"#
        ]],
    );
    check(
        r#"{"sessionId":"s","update":{"sessionUpdate":"x"}}"#,
        &expect![[r#"Params("{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"x\"}}")"#]],
    );
    check(
        "\u{feff}{\"sessionUpdate\":\"x\"}\r\n",
        &expect![[r#"Update("{\"sessionUpdate\":\"x\"}")"#]],
    );
    check(" \t\r\n", &expect!["Blank"]);
}

#[test]
fn faults() {
    check(b"\x00\xff\xfe", &expect!["fault: not UTF-8 at byte 1"]);
    check(
        "hello",
        &expect!["fault: no JSON: expected value at byte 0"],
    );
    check(
        r#"{"a":1} x"#,
        &expect!["fault: no JSON: trailing characters at byte 8"],
    );
    check(
        r#"{"a":{"b":"c"#,
        &expect!["fault: cut off in the middle of a JSON value"],
    );
    check("[1]", &expect!["fault: JSON, but no object"]);
    check(
        "{}",
        &expect!["fault: an object, but no message, update or trace event of ACP"],
    );
    check(
        r#"{"t":1,"dir":"a2c","msg":{"x":1}}"#,
        &expect!["fault: an object, but no message, update or trace event of ACP"],
    );
    check(
        format!(
            r#"{{"sessionUpdate":"x","a":{}{}}}"#,
            "[".repeat(600),
            "]".repeat(600)
        ),
        &expect!["fault: nested deeper than 512 levels"],
    );
    check(
        "[".repeat(1_000_000),
        &expect!["fault: nested deeper than 512 levels"],
    );
}

#[test]
fn depth_counts_only_outside_of_strings() {
    let deep_text = "[".repeat(10_000);
    let line = format!(r#"{{"sessionUpdate":"x","a":"\\\"{deep_text}","b":[]}}"#);
    assert!(matches!(Line::decode(line.as_bytes()), Ok(Line::Update(_))));
}

#[test]
fn lone_surrogates_are_mended() {
    for (line, mended) in [
        (r#""\ud83d""#, r#""\ufffd""#),
        (r#""\uDE00 x""#, r#""\ufffd x""#),
        (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
        (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
        (r#""\\ud83d""#, r#""\\ud83d""#),
        (r#""\ud83"#, r#""\ud83"#),
        (r#""\ud83x""#, r#""\ud83x""#),
    ] {
        let mut bytes = line.as_bytes().to_vec();
        mend_lone_surrogates(&mut bytes);
        assert_eq!(String::from_utf8(bytes).expect("text"), mended);
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(data in proptest::collection::vec(any::<u8>(), 0..200)) {
        fuzz_line(&data);
    }

    #[test]
    fn no_json_makes_it_panic(
        data in r#"(\{|\}|\[|\]|,|:|"|\\u[dD][89c-f][0-9a-f]{2}|"sessionUpdate"|"tool_call"|"toolCallId"|"content"|"update"|"msg"|"method"|"id"|"params"|"type"|"diff"|"changes"|null|true|-?[0-9]{1,3}|1e999){0,60}"#
    ) {
        fuzz_line(data.as_bytes());
    }

    /// Depth found by the scan is the depth that a plain count over JSON without strings finds.
    #[test]
    fn depth_is_the_depth(open in 0_usize..30, limit in 0_usize..30) {
        let json = format!("{}{}", "[{\"a\":".repeat(open), "}]".repeat(open));
        prop_assert_eq!(is_deeper_than(&json, limit), 2 * open > limit);
    }
}

/// The session and the update of a line that is read in one pass.
fn check_plain(line: &str, expect: &Expect) {
    let params = text_of(line.as_bytes())
        .ok()
        .and_then(UpdateParams::of_line);
    expect.assert_eq(&format!("{params:?}"));
    check_plain_update(line.as_bytes());
}

#[test]
fn plain_updates_take_one_pass() {
    check_plain(
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}"#,
        &expect![[r#"Some(UpdateParams { session_id: Some("s"), update: Plan { entries: [] } })"#]],
    );
    check_plain(
        r#"{"t":1,"dir":"a2c","msg":{"method":"session/update","params":{"update":{"sessionUpdate":"usage_update","used":1}}}}"#,
        &expect![[
            r#"Some(UpdateParams { session_id: None, update: Metadata { name: "usage_update", raw: RawValue({"sessionUpdate":"usage_update","used":1}) } })"#
        ]],
    );
    check_plain(
        r#"{"sessionId":"s","update":{"sessionUpdate":"x"}}"#,
        &expect![[
            r#"Some(UpdateParams { session_id: Some("s"), update: Unknown { name: "x", raw: RawValue({"sessionUpdate":"x"}) } })"#
        ]],
    );
    for other in [
        r#"{"params":{"update":{}},"method":"session/update"}"#,
        r#"{"id":1,"method":"session/update","params":{"update":{}}}"#,
        r#"{"method":"session/update","params":{"update":7}}"#,
        r#"{"msg":{"sessionId":"s","update":{}}}"#,
        r#"{"sessionId":"s","update":{}}}"#,
    ] {
        check_plain(other, &expect!["None"]);
    }
}

/// Objects of the members that decide about the form of a line, in any order, some of them twice.
fn odd_objects() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        Just("null".to_owned()),
        Just("\"session/update\"".to_owned()),
        Just("{\"sessionUpdate\":\"plan\",\"entries\":[]}".to_owned()),
        Just("{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"usage_update\"}}".to_owned()),
    ];
    value.prop_recursive(2, 12, 4, |inner| {
        let names = prop_oneof![
            3 => Just("method"), 3 => Just("params"), 2 => Just("update"), 2 => Just("msg"),
            1 => Just("sessionId"), 1 => Just("id"), 1 => Just("jsonrpc"), 1 => Just("from"),
        ];
        prop::collection::vec((names, inner), 0..4).prop_map(|members| {
            let members: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{name:?}:{value}"))
                .collect();
            format!("{{{}}}", members.join(","))
        })
    })
}

proptest! {
    #[test]
    fn one_pass_sees_what_two_see(line in odd_objects()) {
        check_plain_update(line.as_bytes());
    }
}
