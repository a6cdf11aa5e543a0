//! What a client should not send, and what the server answers.

use anyhow::Result;
use e2e::client::{Abilities, Client};
use e2e::project::Project;
use serde_json::{Value, json};

const TEXT: &str = "one\nTWO\n";

fn start() -> Result<(Client, Project)> {
    let mut project = Project::new()?;
    project.prompt("Shout")?;
    project.edit("a.txt", Some("two\n"), "TWO\n")?;
    project.write("a.txt", TEXT)?;
    let settings = json!({"trace": project.trace()?});
    let mut client = Client::initialized(Abilities::Standard, &project.uri(""), &settings)?;
    client.open(&project.uri("a.txt"), TEXT)?;
    Ok((client, project))
}

/// The server still answers as it should.
fn works(client: &mut Client, project: &Project) -> Result<()> {
    assert_eq!(client.lenses(&project.uri("a.txt"))?[1], "1: turn 1: +1 -1");
    Ok(())
}

#[test]
fn requests_before_initialize_are_refused() -> Result<()> {
    let mut client = Client::start()?;
    let error = client.failing("acpLens/sessions", &json!({}))?;
    assert_eq!(error["code"], -32002);
    client.initialize(Abilities::None, "file:///w", &Value::Null)?;
    let again = json!({"capabilities": {}, "processId": null});
    assert_eq!(client.failing("initialize", &again)?["code"], -32600);
    client.finish()
}

#[test]
fn requests_after_shutdown_are_refused() -> Result<()> {
    let (mut client, _project) = start()?;
    client.request("shutdown", &Value::Null)?;
    assert_eq!(
        client.failing("acpLens/sessions", &json!({}))?["code"],
        -32600
    );
    client.notify("exit", &Value::Null)?;
    assert_eq!(client.ended()?.code(), Some(0));
    Ok(())
}

#[test]
fn broken_messages_are_answered_and_passed_over() -> Result<()> {
    let (mut client, project) = start()?;
    works(&mut client, &project)?;
    for (bytes, code) in [
        ("Content-Length: 3\r\n\r\n{]}", -32700),
        ("Content-Length: 4\r\n\r\nnull", -32600),
        ("Content-Length: 2\r\n\r\n[]", -32600),
        ("No-Length: 1\r\n\r\n", -32700),
        ("Content-Length: x\r\n\r\n", -32700),
    ] {
        client.raw(bytes.as_bytes())?;
        let answer = client.answer_to(&Value::Null)?;
        assert_eq!(answer["error"]["code"], code, "{bytes:?}");
        works(&mut client, &project)?;
    }
    client.raw(b"Content-Length: 2\r\n\r\n\xFF\xFF")?;
    assert_eq!(client.answer_to(&Value::Null)?["error"]["code"], -32700);
    client.raw(b"Content-Length: 59\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":\"late\",\"result\":{\"success\":true,\"a\":1}}")?;
    works(&mut client, &project)?;
    client.finish()
}

#[test]
fn unknown_and_malformed_requests_get_an_error_each() -> Result<()> {
    let (mut client, project) = start()?;
    works(&mut client, &project)?;
    let a = project.uri("a.txt");
    for (method, params, code, kind) in [
        ("acpLens/nope", json!({}), -32601, json!("invalidReference")),
        (
            "acpLens/diff",
            json!({"session": 3}),
            -32602,
            json!("invalidReference"),
        ),
        (
            "acpLens/hunks",
            json!({"uri": "untitled:1"}),
            -32602,
            json!("invalidReference"),
        ),
        (
            "acpLens/hunks",
            json!({"uri": "file:///nowhere"}),
            -32803,
            json!("notFound"),
        ),
        (
            "acpLens/changes",
            json!({"session": "x"}),
            -32803,
            json!("gone"),
        ),
        (
            "acpLens/textDocumentContent",
            json!({"uri": a}),
            -32602,
            json!("invalidReference"),
        ),
        (
            "acpLens/openTrace",
            json!({"path": "/no/such"}),
            -32803,
            json!("operationFailed"),
        ),
        (
            "acpLens/openTrace",
            json!({"path": "x", "profile": "y"}),
            -32602,
            json!("invalidReference"),
        ),
        (
            "acpLens/session/subscribe",
            json!({"session": "x", "subscribe": true}),
            -32803,
            json!("gone"),
        ),
        (
            "workspace/executeCommand",
            json!({"command": "acpLens.nope"}),
            -32602,
            json!("invalidReference"),
        ),
        (
            "workspace/executeCommand",
            json!({"command": "acpLens.showDiff", "arguments": [{"hunk": "x"}]}),
            -32803,
            json!("gone"),
        ),
        (
            "workspace/executeCommand",
            json!({"command": "acpLens.showDiff", "arguments": [[]]}),
            -32602,
            json!("invalidReference"),
        ),
    ] {
        let error = client.failing(method, &params)?;
        assert_eq!(
            (&error["code"], &error["data"]["kind"]),
            (&json!(code), &kind),
            "{method} {params}"
        );
    }
    works(&mut client, &project)?;
    client.finish()
}

#[test]
fn what_is_wrong_with_a_request_is_said_in_its_own_words() -> Result<()> {
    let (mut client, project) = start()?;
    for (method, params, message) in [
        (
            "acpLens/goTo",
            json!({"direction": "nxt", "scope": "all"}),
            "`params.direction` has to be `next`, `previous`, `first` or `last`, not `nxt`",
        ),
        (
            "acpLens/stat",
            json!({"file": {"workspaceRoot": project.root()}}),
            "`params.file.relativePath` is missing",
        ),
        (
            "acpLens/agents",
            Value::Null,
            "`params` has to be an object, not `null`",
        ),
        (
            "workspace/executeCommand",
            json!({"command": "acpLens.copyOldText", "arguments": [{}]}),
            "`argument.hunk` is missing",
        ),
        (
            "acpLens/nope",
            json!({}),
            "there is no request acpLens/nope",
        ),
    ] {
        let error = client.failing(method, &params)?;
        assert_eq!(error["message"], message, "{method} {params}");
        assert_eq!(error["data"], json!({"kind": "invalidReference"}));
    }
    works(&mut client, &project)?;
    client.finish()
}

#[test]
fn impossible_edits_do_no_harm() -> Result<()> {
    let (mut client, project) = start()?;
    let a = project.uri("a.txt");
    works(&mut client, &project)?;
    client.insert("file:///never/opened", 2, (0, 0), "x")?;
    client.insert(&a, 2, (u32::MAX, u32::MAX), "three\n")?;
    let change = json!({"range": {"start": {"line": 9, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "four\n"});
    let params = json!({"textDocument": {"uri": a, "version": 3}, "contentChanges": [change]});
    client.notify("textDocument/didChange", &params)?;
    client.notify(
        "textDocument/didClose",
        &json!({"textDocument": {"uri": "file:///never"}}),
    )?;
    works(&mut client, &project)?;
    client.notify(
        "textDocument/didClose",
        &json!({"textDocument": {"uri": a}}),
    )?;
    let hunks = client.request("acpLens/hunks", &json!({"uri": a}))?;
    assert_eq!(hunks["version"], Value::Null, "now it is the file on disk");
    assert_eq!(hunks["hunks"][0]["range"]["start"]["line"], 1);
    client.finish()
}

#[test]
fn settings_are_taken_as_they_come() -> Result<()> {
    let (mut client, project) = start()?;
    let a = project.uri("a.txt");
    works(&mut client, &project)?;
    let trace = project.trace()?;
    for (settings, lenses) in [
        (json!({"acpLens": {"codeLens": "off", "trace": trace}}), 0),
        (json!({"codeLens": "file", "trace": trace}), 1),
        (json!({"codeLens": "sideways", "trace": trace}), 5),
        (json!({"maxFileLines": 1, "trace": trace}), 1),
        (json!({}), 0),
        (json!({"trace": trace}), 5),
    ] {
        client.notify(
            "workspace/didChangeConfiguration",
            &json!({"settings": settings}),
        )?;
        let seen = client.lenses_become(&a, |seen| seen.len() == lenses)?;
        if settings["maxFileLines"] == 1 {
            assert!(
                seen[0].ends_with("(the file has 2 lines, hunks are shown up to 1)"),
                "{seen:?}"
            );
        }
    }
    client.finish()
}

#[test]
fn hints_are_shown_to_those_who_ask_and_taken_back() -> Result<()> {
    let (mut client, project) = start()?;
    let trace = project.trace()?;
    works(&mut client, &project)?;
    let settings = json!({"diagnostics": "hint", "trace": trace});
    client.notify(
        "workspace/didChangeConfiguration",
        &json!({"settings": settings}),
    )?;
    let hints = client.expect("textDocument/publishDiagnostics", |_| true)?;
    assert_eq!(hints["diagnostics"][0]["severity"], 4);
    assert_eq!(hints["diagnostics"][0]["message"], "agent, turn 1: +1 -1");
    client.notify(
        "workspace/didChangeConfiguration",
        &json!({"settings": {"trace": trace}}),
    )?;
    let hints = client.expect("textDocument/publishDiagnostics", |_| true)?;
    assert_eq!(hints["diagnostics"], json!([]));
    client.finish()
}
