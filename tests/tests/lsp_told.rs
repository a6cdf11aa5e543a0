//! What the server says on its own: progress, what the agent edits, and when lenses are to be asked
//! for again.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use e2e::binary::acp_lens;
use e2e::client::{Abilities, Client};
use e2e::project::Project;
use serde_json::{Value, json};

/// A workspace with the files of the demo, and an editor on it that knows one agent, `scripted`.
fn stage(abilities: Abilities, agent: &Value, follow: bool) -> Result<(Project, Client)> {
    let project = Project::new()?;
    let demo = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .context("tests/ stands in the workspace")?
        .join("crates/editor-server/src/demo/before");
    for name in [
        "README.md",
        "receipt.py",
        "notes/todo.txt",
        "notes/prices-2019.txt",
    ] {
        project.write(name, &std::fs::read_to_string(demo.join(name))?)?;
    }
    let settings = json!({"agents": {"scripted": agent}, "follow": follow});
    let client = Client::initialized(abilities, &project.uri(""), &settings)?;
    Ok((project, client))
}

fn demo_agent(arguments: &[&str]) -> Result<Value> {
    let arguments = [&["demo-agent"], arguments].concat();
    Ok(json!({"command": acp_lens()?, "args": arguments}))
}

fn start(client: &mut Client) -> Result<String> {
    let started = client.request("acpLens/session/new", &json!({"agent": "scripted"}))?;
    let session = started["session"]["session"].as_str();
    Ok(session.context("a session has a name")?.to_owned())
}

fn prompt(client: &mut Client, session: &str) -> Result<()> {
    let params = json!({"session": session, "text": "Go"});
    client.request("acpLens/session/prompt", &params)?;
    Ok(())
}

/// The values of the next progress from its begin, which has this title, to its end.
fn progress(client: &mut Client, title: &str) -> Result<Vec<Value>> {
    let begin = client.expect("$/progress", |it| it["value"]["title"] == title)?;
    let token = begin["token"].clone();
    let mut values = vec![begin["value"].clone()];
    while values.last().is_none_or(|last| last["kind"] != "end") {
        let next = client.expect("$/progress", |it| it["token"] == token)?;
        values.push(next["value"].clone());
    }
    client.expect("window/workDoneProgress/create", |it| it["token"] == token)?;
    Ok(values)
}

#[test]
fn the_reading_of_a_trace_is_told() -> Result<()> {
    let mut project = Project::new()?;
    project.prompt("Write")?;
    for index in 0..2000 {
        project.edit("a.txt", Some(&format!("{index}\n")), &"line\n".repeat(20))?;
    }
    let trace = project.trace()?;
    let mut client = Client::initialized(Abilities::Standard, &project.uri(""), &Value::Null)?;
    client.request("acpLens/openTrace", &json!({"path": trace}))?;
    let values = progress(&mut client, "Reading s.ndjson")?;
    let percents: Vec<u64> = values
        .iter()
        .filter_map(|value| value["percentage"].as_u64())
        .collect();
    assert!(percents.len() > 2 && percents.is_sorted(), "{values:?}");
    assert_eq!(values.last().context("an end")?["message"], "1 session");
    client.failing("acpLens/openTrace", &json!({"path": "gone.ndjson"}))?;
    let values = progress(&mut client, "Reading gone.ndjson")?;
    assert_eq!(values.len(), 2);
    client.finish()
}

#[test]
fn the_load_of_a_session_is_told_with_a_count_and_no_percentage() -> Result<()> {
    let agent = json!({"command": env!("CARGO_BIN_EXE_chaos-agent"), "args": ["loads-slowly"]});
    let (_project, mut client) = stage(Abilities::Standard, &agent, false)?;
    let load = json!({"agent": "scripted", "sessionId": "s"});
    client.request("acpLens/session/load", &load)?;
    let values = progress(&mut client, "Loading a session of scripted")?;
    let words: Vec<&str> = values
        .iter()
        .filter_map(|it| it["message"].as_str())
        .collect();
    assert_eq!(words, ["2 updates", "2 updates"]);
    assert!(
        values.iter().all(|it| it["percentage"].is_null()),
        "{values:?}"
    );
    client.finish()
}

#[test]
fn a_load_that_fails_ends_its_progress_with_the_reason() -> Result<()> {
    let agent = json!({"command": env!("CARGO_BIN_EXE_chaos-agent"), "args": ["dies-in-load"]});
    let (_project, mut client) = stage(Abilities::Standard, &agent, false)?;
    let load = json!({"agent": "scripted", "sessionId": "s"});
    let error = client.failing("acpLens/session/load", &load)?;
    let values = progress(&mut client, "Loading a session of scripted")?;
    assert_eq!(
        values.last().context("an end")?["message"],
        error["message"]
    );
    client.finish()
}

#[test]
fn a_turn_is_told_from_its_prompt_to_its_stop_reason() -> Result<()> {
    let (_project, mut client) = stage(Abilities::Standard, &demo_agent(&[])?, false)?;
    let session = start(&mut client)?;
    prompt(&mut client, &session)?;
    let values = progress(&mut client, "scripted is working")?;
    assert_eq!(values.len(), 2);
    assert_eq!(values[1]["message"], "end_turn");
    client.finish()
}

#[test]
fn a_client_that_shows_no_progress_is_told_none() -> Result<()> {
    let (project, mut client) = stage(Abilities::None, &demo_agent(&[])?, true)?;
    let session = start(&mut client)?;
    prompt(&mut client, &session)?;
    let uri = project.uri("receipt.py");
    client.open(
        &uri,
        &std::fs::read_to_string(project.root().join("receipt.py"))?,
    )?;
    client.lenses_become(&uri, |lenses| !lenses.is_empty())?;
    assert_eq!(client.unread, [] as [Value; 0], "nor is it asked to follow");
    client.finish()
}

#[test]
fn what_the_agent_edits_is_shown_to_those_who_follow_and_never_takes_the_focus() -> Result<()> {
    for follow in [true, false] {
        let (project, mut client) = stage(Abilities::Standard, &demo_agent(&[])?, follow)?;
        let receipt = project.uri("receipt.py");
        let text = std::fs::read_to_string(project.root().join("receipt.py"))?;
        client.open(&receipt, &text)?;
        let session = start(&mut client)?;
        prompt(&mut client, &session)?;
        progress(&mut client, "scripted is working")?;
        if follow {
            let shown = client.expect("window/showDocument", |it| it["uri"] == receipt)?;
            assert_eq!(shown["takeFocus"], false);
            assert_eq!(shown["external"], false);
        } else {
            // What the turn changed has been told, and showing it was no part of that.
            client.expect("workspace/codeLens/refresh", |_| true)?;
            client.settle()?;
            assert_eq!(client.count_unread("window/showDocument"), 0);
        }
        client.finish()?;
    }
    Ok(())
}

/// One commit, one placing, one refresh, however long the session is.
#[test]
fn a_load_asks_for_lenses_once() -> Result<()> {
    let kept = tempfile::tempdir()?;
    let state_dir = kept.path().to_string_lossy().into_owned();
    let agent = demo_agent(&["--state-dir", &state_dir])?;
    let (project, mut client) = stage(Abilities::Extension, &agent, false)?;
    let mut updates = format!("{}\n", json!({"cwd": project.root()}));
    let mut text = String::new();
    for index in 0..2000 {
        let diff = json!({"type": "diff", "path": project.root().join("a.txt"),
            "oldText": format!("old {index}\n"), "newText": format!("new {index}\n")});
        let call = json!({"sessionUpdate": "tool_call", "toolCallId": format!("c{index}"), "title": "edit",
            "kind": "edit", "status": "completed", "content": [diff]});
        writeln!(updates, "{call}")?;
        writeln!(text, "new {index}")?;
    }
    std::fs::write(kept.path().join("demo-1.ndjson"), updates)?;
    let uri = project.uri("a.txt");
    client.open(&uri, &text)?;
    assert_eq!(client.lenses(&uri)?, [""; 0]);
    let load = json!({"agent": "scripted", "sessionId": "demo-1"});
    client.request("acpLens/session/load", &load)?;
    client.expect("acpLens/didChangeHunks", |it| {
        it["uri"] == *uri
            && it["hunks"]
                .as_array()
                .is_some_and(|hunks| hunks.len() == 2000)
    })?;
    client.expect("workspace/codeLens/refresh", |_| true)?;
    // Another batch, so that a second refresh for the first one would have come.
    client.insert(&uri, 2, (0, 1), "!")?;
    client.expect("acpLens/didChangeHunks", |it| it["version"] == 2)?;
    client.expect("workspace/codeLens/refresh", |_| true)?;
    client.settle()?;
    assert_eq!(client.count_unread("workspace/codeLens/refresh"), 0);
    client.finish()
}

#[test]
fn a_question_that_was_answered_elsewhere_is_cancelled() -> Result<()> {
    let (_project, mut client) = stage(Abilities::Extension, &demo_agent(&[])?, false)?;
    client.answers_permissions = false;
    let session = start(&mut client)?;
    prompt(&mut client, &session)?;
    progress(&mut client, "scripted is working")?;
    prompt(&mut client, &session)?;
    let asked = client.expect_message("acpLens/requestPermission", |_| true)?;
    let question = &asked["params"];
    let file = &question["files"][0];
    let path = file["path"].as_str().context("the question names a file")?;
    assert!(!path.starts_with('/'), "beneath the root: {question}");
    assert!(
        file["uri"].as_str().is_some_and(|uri| uri.ends_with(path)),
        "{question}"
    );
    let answer = json!({"session": session, "permission": question["permission"],
        "outcome": "selected", "optionId": "reject"});
    client.request("acpLens/session/respondPermission", &answer)?;
    client.expect("$/cancelRequest", |it| it["id"] == asked["id"])?;
    client.refuse(&asked["id"], -32800)?;
    progress(&mut client, "scripted is working")?;
    client.failing("acpLens/session/respondPermission", &answer)?;
    client.finish()
}
