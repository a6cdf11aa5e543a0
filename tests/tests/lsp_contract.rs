//! What the document of the protocol promises, looked up at the wire.

use anyhow::{Context as _, Result};
use e2e::client::{Abilities, Client};
use e2e::project::Project;
use serde_json::{Value, json};

/// A client that has opened the trace of the project, and the only session of it.
fn open(project: &Project) -> Result<(Client, Value)> {
    let mut client = Client::initialized(Abilities::Standard, &project.uri(""), &Value::Null)?;
    let opened = client.request("acpLens/openTrace", &json!({"path": project.trace()?}))?;
    Ok((client, opened["sessions"][0].clone()))
}

/// The reason why the last turn of a trace ended, when the answer to its prompt is this.
fn stop_reason(answer: Option<Value>) -> Result<Value> {
    let mut project = Project::new()?;
    let prompt = json!({"sessionId": "s", "prompt": [{"type": "text", "text": "Go"}]});
    project
        .line(&json!({"jsonrpc": "2.0", "id": 7, "method": "session/prompt", "params": prompt}))?;
    project.edit("a.txt", None, "one\n")?;
    if let Some(mut answer) = answer {
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = json!(7);
        project.line(&answer)?;
    }
    let (client, session) = open(&project)?;
    client.finish()?;
    Ok(session["stopReason"].clone())
}

#[test]
fn a_trace_tells_why_its_last_turn_ended() -> Result<()> {
    for reason in ["end_turn", "cancelled"] {
        let answer = json!({"result": {"stopReason": reason}});
        assert_eq!(stop_reason(Some(answer))?, reason);
    }
    let failed = json!({"error": {"code": -32603, "message": "no"}});
    assert_eq!(stop_reason(Some(failed))?, Value::Null);
    assert_eq!(stop_reason(None)?, Value::Null);
    Ok(())
}

#[test]
fn a_deleted_file_has_its_hunk_and_nothing_is_wrong_with_it() -> Result<()> {
    let mut project = Project::new()?;
    project.prompt("Remove it")?;
    project.delete("old.txt", "one\ntwo\n")?;
    project.edit("lost.txt", Some("a\n"), "b\n")?;
    let (mut client, _) = open(&project)?;
    for _ in 0..2 {
        let params = json!({"uri": project.uri("old.txt")});
        let hunks = client.request("acpLens/hunks", &params)?;
        assert_eq!(hunks["limit"], Value::Null, "{hunks}");
        let hunk = &hunks["hunks"][0];
        assert_eq!(hunk["wholeFile"], true, "{hunks}");
        assert_eq!(
            (&hunk["state"], &hunk["range"]),
            (&json!("deleted"), &Value::Null)
        );
        // Of this file nothing says that it should be gone.
        let params = json!({"uri": project.uri("lost.txt")});
        let hunks = client.request("acpLens/hunks", &params)?;
        let limit = hunks["limit"].as_str().context("a reason")?;
        assert!(limit.contains("not found"), "{limit}");
    }
    client.finish()
}

#[test]
fn the_pieces_of_a_call_stand_apart() -> Result<()> {
    let mut project = Project::new()?;
    project.prompt("Import and use it")?;
    project.edits(
        "a.py",
        &[
            ("import os\n", "import os\nimport sys\n"),
            ("run()\n", "sys.exit(run())\n"),
        ],
    )?;
    let (mut client, session) = open(&project)?;
    let session = &session["session"];
    for scope in [
        json!({"kind": "toolCall", "toolCall": "c1"}),
        json!({"kind": "session"}),
    ] {
        let params = json!({"session": session, "relativePath": "a.py", "scope": scope});
        let diff = client.request("acpLens/diff", &params)?;
        assert_eq!(diff["net"], false, "{diff}");
        let text = diff["newText"].as_str().context("a text")?;
        let (first, second) = text.split_once("\n\n").context("a blank line between")?;
        assert_eq!(
            (first, second.trim_start()),
            ("import os\nimport sys", "sys.exit(run())\n")
        );
        assert_eq!(diff["hunks"].as_array().map(Vec::len), Some(2), "{diff}");
        assert_eq!((&diff["added"], &diff["removed"]), (&json!(2), &json!(1)));
    }
    let params = json!({"session": session, "relativePath": "b.py", "scope": {"kind": "session"}});
    let error = client.failing("acpLens/diff", &params)?;
    assert_eq!(error["data"]["kind"], "notFound");
    assert_eq!(error["message"], "the session changed no file b.py");
    client.finish()
}

#[test]
fn the_largest_size_is_for_bytes() -> Result<()> {
    let project = Project::new()?;
    project.write("a.txt", "12345678")?;
    project.write("b.txt", "1")?;
    project.write("large.txt", &"x".repeat(2 * 1024 * 1024 + 1))?;
    let (mut client, _) = open(&project)?;
    let read = |path: &str, encoding: &str, max_bytes: Value| {
        let file = json!({"workspaceRoot": project.root(), "relativePath": path});
        json!({"file": file, "encoding": encoding, "maxBytes": max_bytes})
    };
    for (params, size) in [
        (read("a.txt", "base64", json!(8)), 8),
        (read("a.txt", "base64", Value::Null), 8),
        // Less than a byte is a byte.
        (read("b.txt", "base64", json!(0)), 1),
        (read("a.txt", "text", json!(3)), 8),
        (
            read("large.txt", "base64", Value::Null),
            2 * 1024 * 1024 + 1,
        ),
    ] {
        assert_eq!(
            client.request("acpLens/read", &params)?["size"],
            size,
            "{params}"
        );
    }
    for params in [
        read("a.txt", "base64", json!(7)),
        read("a.txt", "base64", json!(0)),
        read("large.txt", "text", json!(u32::MAX)),
    ] {
        let error = client.failing("acpLens/read", &params)?;
        assert_eq!(error["data"]["kind"], "tooLarge", "{params}");
    }
    client.finish()
}
