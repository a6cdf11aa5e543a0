use acp_grammar::wire::ContentBlock;
use expect_test::{Expect, expect};

use super::super::batch::{DecodedBatch, LineContent};
use super::super::lines::{LineBatch, Lines};
use super::*;

/// One line per fact that the trace tells.
fn check(trace: &str, expect: &Expect) {
    let mut batch = LineBatch::default();
    Lines::new(trace.as_bytes())
        .read_batch(&mut batch)
        .expect("memory can be read");
    let mut batch = DecodedBatch::decode(batch);
    let mut connection = Connection::default();
    let mut facts = String::new();
    batch.with_dependent_mut(|_, lines| {
        for line in lines.drain(..) {
            let mut tell = |told| {
                facts.push_str(&describe(&told));
                facts.push('\n');
            };
            match line.content.expect("a line that can be read") {
                LineContent::Update { hop, params } if connection.follows(hop) => {
                    tell(update(params));
                }
                LineContent::Message {
                    direction,
                    hop,
                    message,
                } if connection.follows(hop) => {
                    connection.observe(direction, message, &mut tell);
                }
                _ => {}
            }
        }
    });
    expect.assert_eq(&facts);
}

fn describe(told: &Told<'_>) -> String {
    match told {
        Told::Agent(agent) => format!("agent {:?} {:?}", agent.agent_name, agent.agent_version),
        Told::Created(session) => format!("{session}: created"),
        Told::LoadFailed(session, why) => format!("{session}: load failed: {why:?}"),
        Told::Session(session, event) => {
            let session = session.as_deref().unwrap_or("(the one)");
            match event {
                Event::Opened { cwd } => format!("{session}: opened in {cwd}"),
                Event::PromptSent { blocks } => match blocks.as_slice() {
                    [ContentBlock::Text(text)] => format!("{session}: prompt {text:?}"),
                    blocks => format!("{session}: prompt of {} blocks", blocks.len()),
                },
                Event::Update(Update::ToolCallUpdate(call)) => {
                    format!("{session}: update of {}", call.tool_call_id)
                }
                Event::PermissionRequested {
                    request_id,
                    tool_call,
                } => {
                    format!(
                        "{session}: {request_id} asks about {}",
                        tool_call.tool_call_id
                    )
                }
                event => format!("{session}: {event:?}"),
            }
        }
    }
}

#[test]
fn a_session_from_its_first_message_to_its_last() {
    check(
        r#"
{"t":1,"dir":"c2a","msg":{"id":0,"method":"initialize","params":{"protocolVersion":1}}}
{"t":2,"dir":"a2c","msg":{"id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"bot","version":"2"}}}}
{"t":3,"dir":"c2a","msg":{"id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}}
{"t":4,"dir":"a2c","msg":{"id":1,"result":{"sessionId":"s"}}}
{"t":5,"dir":"c2a","msg":{"id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"go"}]}}}
{"t":6,"dir":"a2c","msg":{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c"}}}}
{"t":7,"dir":"a2c","msg":{"id":"p","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"no","name":"No","kind":"reject_once"}]}}}
{"t":8,"dir":"c2a","msg":{"id":"p","result":{"outcome":{"outcome":"selected","optionId":"no"}}}}
{"t":9,"dir":"a2c","msg":{"method":"_vendor/status","params":{}}}
{"t":9,"dir":"a2c","msg":{"method":"$/cancel_request","params":{"requestId":2}}}
{"t":9,"dir":"a2c","msg":{"id":2,"result":{"stopReason":"end_turn"}}}
"#,
        &expect![[r#"
            agent Some("bot") Some("2")
            s: created
            s: opened in /w
            s: prompt "go"
            s: update of c
            s: "p" asks about c
            s: PermissionAnswered { request_id: "\"p\"", answer: Selected { option_id: "no", rejected: true } }
            s: PromptEnded { stop_reason: Some("end_turn") }
        "#]],
    );
}

#[test]
fn raw_messages_with_the_same_ids_in_both_directions() {
    check(
        r#"
{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}
{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[]}}
{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/other"}}
{"jsonrpc":"2.0","id":2,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/w/a"}}
{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"t","prompt":[]}}
{"jsonrpc":"2.0","id":3,"method":"vendor/ask","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"cancelled"}}}
{"jsonrpc":"2.0","id":2,"result":{"content":"text"}}
{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"Method not found"}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"u"}}
{"jsonrpc":"2.0","id":1,"result":{"stopReason":"cancelled"}}
{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}
{"jsonrpc":"2.0","id":9,"result":{"stopReason":"end_turn"}}
"#,
        &expect![[r#"
            s: prompt of 0 blocks
            s: 1 asks about c
            t: prompt of 0 blocks
            s: PermissionAnswered { request_id: "1", answer: Cancelled }
            u: created
            u: opened in /other
            s: PromptEnded { stop_reason: Some("cancelled") }
            t: PromptEnded { stop_reason: Some("end_turn") }
        "#]],
    );
}

#[test]
fn loading() {
    check(
        r#"
{"t":1,"dir":"c2a","msg":{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/w"}}}
{"t":2,"dir":"a2c","msg":{"id":1,"result":null}}
{"t":3,"dir":"c2a","msg":{"id":2,"method":"session/load","params":{"sessionId":"gone","cwd":"/w"}}}
{"t":4,"dir":"a2c","msg":{"id":2,"error":{"code":-32603,"message":"No such session"}}}
{"t":5,"dir":"c2a","msg":{"id":3,"method":"session/resume","params":{"sessionId":"r","cwd":"/r"}}}
{"t":6,"dir":"a2c","msg":{"id":3,"result":{}}}
{"t":7,"dir":"c2a","msg":{"id":4,"method":"session/resume","params":{"sessionId":"r","cwd":"/r","replayFrom":{"type":"start"}}}}
{"t":8,"dir":"a2c","msg":{"id":4,"result":{}}}
{"t":9,"dir":"c2a","msg":{"id":5,"method":"session/prompt","params":{"sessionId":"gone","prompt":[]}}}
{"t":9,"dir":"a2c","msg":{"id":5,"error":{"code":-32602,"message":"Session not found"}}}
"#,
        &expect![[r#"
            s: opened in /w
            s: LoadStarted
            s: LoadEnded
            gone: opened in /w
            gone: LoadStarted
            gone: load failed: Some("No such session")
            r: opened in /r
            r: opened in /r
            r: LoadStarted
            r: LoadEnded
            gone: prompt of 0 blocks
            gone: PromptEnded { stop_reason: None }
        "#]],
    );
}

#[test]
fn version_two_ends_a_turn_by_its_state() {
    check(
        r#"
{"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}
{"id":1,"result":{"messageId":"m"}}
{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"method":"session/request_permission","id":1,"params":{"sessionId":"s","title":"Edit","subject":{"type":"tool_call","toolCall":{"toolCallId":"c"}},"options":[]}}
{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"refusal"}}}
"#,
        &expect![[r#"
            s: prompt of 0 blocks
            s: Update(Metadata { name: "state_update", raw: RawValue({"sessionUpdate":"state_update","state":"running"}) })
            s: 1 asks about c
            s: PromptEnded { stop_reason: Some("refusal") }
        "#]],
    );
}

#[test]
fn of_a_conductors_chain_one_step_is_followed() {
    check(
        r#"
{"type":"request","ts":0,"protocol":"acp","from":"Client","to":"Proxy(0)","id":1,"method":"session/new","params":{"cwd":"/w"}}
{"type":"request","ts":0,"protocol":"acp","from":"Proxy(0)","to":"Agent","id":1,"method":"session/new","params":{"cwd":"/w"}}
{"type":"response","ts":0,"from":"Agent","to":"Proxy(0)","id":1,"is_error":false,"payload":{"sessionId":"s"}}
{"type":"response","ts":0,"from":"Proxy(0)","to":"Client","id":1,"is_error":false,"payload":{"sessionId":"s"}}
{"type":"notification","ts":0,"protocol":"acp","from":"Agent","to":"Proxy(0)","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c"}}}
{"type":"notification","ts":0,"protocol":"acp","from":"Proxy(0)","to":"Client","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c"}}}
{"type":"notification","ts":0,"protocol":"mcp","from":"Client","to":"Proxy(0)","method":"session/update","params":{"update":{}}}
"#,
        &expect![[r"
            s: created
            s: opened in /w
            s: update of c
        "]],
    );
}

#[test]
fn updates_without_a_session() {
    check(
        r#"
{"sessionUpdate":"tool_call_update","toolCallId":"a"}
{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"b"}}
{"update":{"sessionUpdate":"tool_call_update","toolCallId":"c"}}
"#,
        &expect![[r"
            (the one): update of a
            s: update of b
            (the one): update of c
        "]],
    );
}

#[test]
fn a_new_connection_has_its_own_ids() {
    check(
        r#"
{"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}
{"id":1,"method":"initialize","params":{}}
{"id":1,"result":{"protocolVersion":2,"info":{"name":"next"}}}
{"id":1,"result":{"stopReason":"end_turn"}}
"#,
        &expect![[r#"
            s: prompt of 0 blocks
            agent Some("next") None
        "#]],
    );
}

#[test]
fn requests_that_are_never_answered_are_forgotten() {
    let mut connection = Connection::default();
    for id in 0..MAX_OPEN_REQUESTS + 10 {
        let id = id.to_string();
        let message = Message::Request {
            id: &id,
            method: "fs/read_text_file".into(),
            params: None,
        };
        connection.observe(None, message, &mut |_| {});
    }
    assert!(connection.from_agent.len() <= MAX_OPEN_REQUESTS);
}
