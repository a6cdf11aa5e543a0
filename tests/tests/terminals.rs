//! Commands that an agent runs through the server, from the agent's side.

#![cfg(target_os = "linux")]

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use e2e::client::{Abilities, Client};
use e2e::process::has_ended;
use serde_json::{Value, json};
use tempfile::TempDir;

/// An editor, and an agent that does what its prompts say.
struct Stage {
    dir: TempDir,
    editor: Client,
    session: String,
    turns: u64,
}

impl Stage {
    fn new() -> Result<Self> {
        Self::with(&json!(true))
    }

    /// The setting `agentTerminals` has this value.
    fn with(allowed: &Value) -> Result<Self> {
        let dir = tempfile::tempdir()?;
        std::fs::create_dir(dir.path().join("sub"))?;
        let settings = json!({
            "agents": {"asking": {
                "command": env!("CARGO_BIN_EXE_asking-agent"), "env": {"AGENT_TOKEN": "secret"},
            }},
            "agentTerminals": allowed,
        });
        let uri = format!("file://{}", dir.path().display());
        let editor = Client::initialized(Abilities::Extension, &uri, &settings)?;
        let mut stage = Self {
            dir,
            editor,
            session: String::new(),
            turns: 0,
        };
        stage.session = stage.start()?;
        Ok(stage)
    }

    fn root(&self) -> Result<PathBuf> {
        Ok(self.dir.path().canonicalize()?)
    }

    fn start(&mut self) -> Result<String> {
        let params = json!({"agent": "asking"});
        let started = self.editor.request("acpLens/session/new", &params)?;
        let session = started["session"]["session"].as_str();
        Ok(session.context("a session has a name")?.to_owned())
    }

    /// Sends a prompt, and gives the session when its turn has ended.
    fn prompt(&mut self, steps: &Value) -> Result<Value> {
        self.turns += 1;
        let params = json!({"session": self.session, "text": steps.to_string()});
        self.editor.request("acpLens/session/prompt", &params)?;
        let (session, turns) = (self.session.clone(), self.turns);
        self.editor.expect("acpLens/didChangeSession", |it| {
            let has_ended = !it["stopReason"].is_null() && it["turnCount"] == turns;
            it["session"] == session && (has_ended || !it["error"].is_null())
        })
    }

    /// What the agent was answered in a turn of these steps.
    fn answers(&mut self, steps: &Value) -> Result<Vec<Value>> {
        let ended = self.prompt(steps)?;
        assert_eq!(ended["error"], Value::Null);
        let timeline = self.timeline()?;
        let last = timeline.last().context("a message")?;
        Ok(serde_json::from_str(
            last["text"].as_str().unwrap_or_default(),
        )?)
    }

    fn timeline(&mut self) -> Result<Vec<Value>> {
        let params = json!({"session": self.session, "subscribe": true});
        let mut timeline = self.editor.request("acpLens/session/subscribe", &params)?;
        let items = timeline["items"].as_array_mut().context("items")?;
        Ok(std::mem::take(items))
    }
}

/// Runs a shell line with these parameters to its end: what it wrote, and how it ended.
fn run(stage: &mut Stage, line: &str, more: &Value) -> Result<(String, Value)> {
    let mut params = json!({"command": line});
    for (name, value) in more.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    let answers = stage.answers(&json!([
        {"request": "terminal/create", "params": params},
        {"request": "terminal/wait_for_exit"},
        {"request": "terminal/output"},
        {"request": "terminal/release"},
        {"request": "terminal/output"},
    ]))?;
    let [created, ended, output, released, gone] = &answers[..] else {
        anyhow::bail!("five answers: {answers:?}");
    };
    assert!(created["terminalId"].is_string(), "{created}");
    assert_eq!(output["exitStatus"], *ended);
    assert_eq!(*released, json!({}));
    assert_eq!(gone["code"], -32002, "{gone}");
    let text = output["output"].as_str().unwrap_or_default().to_owned();
    Ok((
        text,
        json!({"exit": ended, "truncated": output["truncated"]}),
    ))
}

fn check_run(line: &str, more: &Value, text: &str, exit: &Value, truncated: bool) -> Result<()> {
    let mut stage = Stage::new()?;
    let (wrote, end) = run(&mut stage, line, more)?;
    assert_eq!(wrote, text, "{line}");
    assert_eq!(end, json!({"exit": exit, "truncated": truncated}), "{line}");
    stage.editor.finish()
}

fn code(code: i32) -> Value {
    json!({"exitCode": code, "signal": null})
}

fn signal(name: &str) -> Value {
    json!({"exitCode": null, "signal": name})
}

/// Starts a command that tells its process ids, and then does `more`; gives the ids.
fn processes(stage: &mut Stage, line: &str, more: &Value) -> Result<Vec<u32>> {
    let file = stage.root()?.join("processes");
    let line = format!("{line}; echo $$ >> {}; echo ready; wait", file.display());
    let mut steps = vec![
        json!({"request": "terminal/create", "params": {"command": line}}),
        json!({"until": "ready"}),
    ];
    steps.extend(more.as_array().into_iter().flatten().cloned());
    stage.prompt(&steps.into())?;
    let text = std::fs::read_to_string(file)?;
    text.lines().map(|line| Ok(line.parse()?)).collect()
}

/// A shell with a child that does not end by itself.
const ENDLESS: &str = "sleep 600 & echo $! >> processes";
/// The same, and it does not end when it is asked to.
const STUBBORN: &str = "trap '' TERM; sleep 600 & echo $! >> processes";

#[test]
fn there_are_none_unless_a_person_allowed_them() -> Result<()> {
    for allowed in [json!(null), json!(false), json!("yes")] {
        let mut stage = Stage::with(&allowed)?;
        let answers = stage.answers(&json!([
            {"capabilities": true},
            {"request": "terminal/create", "params": {"command": "touch made"}},
        ]))?;
        assert_eq!(answers[0]["terminal"], false);
        assert_eq!(answers[1]["code"], -32601, "{}", answers[1]);
        assert!(!stage.root()?.join("made").exists());
        stage.editor.finish()?;
    }
    let mut stage = Stage::new()?;
    let answers = stage.answers(&json!([{"capabilities": true}]))?;
    assert_eq!(answers[0]["terminal"], true);
    stage.editor.finish()
}

#[test]
fn a_command_runs_to_its_end() -> Result<()> {
    let nothing = json!({});
    check_run(
        "echo one; echo two >&2; echo three; exit 3",
        &nothing,
        "one\ntwo\nthree\n",
        &code(3),
        false,
    )?;
    check_run("kill -KILL $$", &nothing, "", &signal("SIGKILL"), false)?;
    check_run("cat; echo end", &nothing, "end\n", &code(0), false)?;
    check_run(
        "no-such-program 2>&1 | wc -l",
        &nothing,
        "1\n",
        &code(0),
        false,
    )?;
    check_run(
        "printf",
        &json!({"args": ["%s|", "a b", "$HOME", "é"]}),
        "a b|$HOME|é|",
        &code(0),
        false,
    )
}

#[test]
fn a_command_gets_its_directory_and_its_variables() -> Result<()> {
    let mut stage = Stage::new()?;
    let root = stage.root()?;
    let print = r#"printf '%s %s %s' "$PWD" "$GIVEN" "${AGENT_TOKEN-none}""#;
    let env = json!([{"name": "GIVEN", "value": "a b"}]);
    let (text, _) = run(&mut stage, print, &json!({"env": env}))?;
    assert_eq!(text, format!("{} a b none", root.display()));
    let cwd = root.join("sub");
    let (text, _) = run(&mut stage, "pwd", &json!({"cwd": cwd}))?;
    assert_eq!(text, format!("{}\n", cwd.display()));
    stage.editor.finish()
}

#[test]
fn what_cannot_be_run_is_refused() -> Result<()> {
    let mut stage = Stage::new()?;
    let answers = stage.answers(&json!([
        {"request": "terminal/create", "params": {"command": "touch made", "cwd": "/"}},
        {"request": "terminal/create", "params": {"command": "touch made", "cwd": "sub/../.."}},
        {"request": "terminal/create", "params": {"command": "touch made", "cwd": "gone"}},
        {"request": "terminal/create", "params": {"cwd": null}},
        {"request": "terminal/create", "params": {"command": "touch made", "sessionId": "nobody"}},
        {"request": "terminal/output", "params": {"terminalId": "terminal-1"}},
        {"request": "terminal/resize"},
    ]))?;
    let codes: Vec<i64> = answers
        .iter()
        .filter_map(|it| it["code"].as_i64())
        .collect();
    let expect = [-32602, -32602, -32602, -32602, -32602, -32002, -32601];
    assert_eq!(codes, expect, "{answers:?}");
    assert!(!stage.root()?.join("made").exists());
    // A terminal belongs to one session.
    stage.answers(&json!([{"request": "terminal/create", "params": {"command": "echo mine"}}]))?;
    stage.session = stage.start()?;
    stage.turns = 0;
    for method in ["output", "wait_for_exit", "kill", "release"] {
        let request = format!("terminal/{method}");
        let answers = stage.answers(&json!([{"request": request}]))?;
        assert_eq!(answers[0]["code"], -32002, "{method}: {answers:?}");
    }
    stage.editor.finish()
}

#[test]
fn there_are_only_so_many() -> Result<()> {
    let mut stage = Stage::new()?;
    let create = json!({"request": "terminal/create", "params": {"command": "true"}});
    let mut steps = vec![create.clone(); 65];
    steps.push(json!({"request": "terminal/release"}));
    steps.push(create);
    let answers = stage.answers(&steps.into())?;
    let made = answers.iter().filter(|it| it["terminalId"].is_string());
    assert_eq!(made.count(), 65);
    assert_eq!(answers[64]["code"], -32602, "{}", answers[64]);
    stage.editor.finish()
}

#[test]
fn an_output_is_kept_from_its_end() -> Result<()> {
    let limit = json!({"outputByteLimit": 10});
    check_run("printf 0123456789", &limit, "0123456789", &code(0), false)?;
    check_run("printf 012345678901", &limit, "2345678901", &code(0), true)?;
    check_run("printf '%s' äääääb", &limit, "ääääb", &code(0), true)
}

#[test]
fn a_flood_is_taken_in_as_it_comes() -> Result<()> {
    let flood = "yes 0123456789abcde | head -c 100000000; printf end";
    let limit = json!({"outputByteLimit": 19});
    check_run(flood, &limit, "0123456789abcde\nend", &code(0), true)?;
    // One that never ends holds up neither the agent nor the editor.
    let mut stage = Stage::new()?;
    let answers = stage.answers(&json!([
        {"request": "terminal/create", "params": {"command": "yes", "outputByteLimit": 4}},
        {"until": "y\ny\n"},
        {"begin": "terminal/wait_for_exit"},
        {"request": "terminal/output"},
        {"request": "terminal/kill"},
        {"join": true},
        {"request": "terminal/output"},
    ]))?;
    assert_eq!(answers[2]["exitStatus"], Value::Null);
    assert_eq!(answers[4], signal("SIGTERM"));
    let last = &answers[5];
    assert_eq!(
        (&last["output"], &last["truncated"]),
        (&json!("y\ny\n"), &json!(true))
    );
    assert_eq!(last["exitStatus"], signal("SIGTERM"));
    stage.editor.finish()
}

#[test]
fn a_killed_command_takes_its_children_along() -> Result<()> {
    for (line, end) in [(ENDLESS, signal("SIGTERM")), (STUBBORN, signal("SIGKILL"))] {
        let mut stage = Stage::new()?;
        let kill = json!([{"begin": "terminal/wait_for_exit"}, {"request": "terminal/kill"}, {"join": true}]);
        let processes = processes(&mut stage, line, &kill)?;
        assert_eq!(processes.len(), 2);
        for process in processes {
            has_ended(process)?;
        }
        let answers = stage
            .answers(&json!([{"request": "terminal/output"}, {"request": "terminal/kill"}]))?;
        assert_eq!(answers[0]["exitStatus"], end, "{line}");
        assert_eq!(answers[1], json!({}));
        stage.editor.finish()?;
    }
    Ok(())
}

#[test]
fn what_a_command_leaves_behind_ends_with_it() -> Result<()> {
    let mut stage = Stage::new()?;
    let (text, end) = run(&mut stage, "sleep 600 & echo $!", &json!({}))?;
    assert_eq!(end["exit"], code(0));
    has_ended(text.trim().parse()?)?;
    stage.editor.finish()
}

#[test]
fn a_released_command_ends() -> Result<()> {
    let mut stage = Stage::new()?;
    let release = json!([{"request": "terminal/release"}]);
    for process in processes(&mut stage, STUBBORN, &release)? {
        has_ended(process)?;
    }
    stage.editor.finish()
}

#[test]
fn a_command_ends_with_its_agent() -> Result<()> {
    let mut stage = Stage::new()?;
    let exit = json!([{"begin": "terminal/wait_for_exit"}, {"exit": 3}]);
    for process in processes(&mut stage, STUBBORN, &exit)? {
        has_ended(process)?;
    }
    // The next agent starts with none.
    stage.session = stage.start()?;
    stage.turns = 0;
    let (text, _) = run(&mut stage, "echo again", &json!({}))?;
    assert_eq!(text, "again\n");
    stage.editor.finish()
}

#[test]
fn a_command_ends_with_its_session() -> Result<()> {
    let mut stage = Stage::new()?;
    let processes = processes(&mut stage, ENDLESS, &json!([]))?;
    let session = json!({"session": stage.session});
    stage.editor.request("acpLens/session/close", &session)?;
    for process in processes {
        has_ended(process)?;
    }
    stage.editor.finish()
}

#[test]
fn a_command_ends_with_the_server() -> Result<()> {
    let mut stage = Stage::new()?;
    let processes = processes(&mut stage, STUBBORN, &json!([]))?;
    stage.editor.finish()?;
    for process in processes {
        has_ended(process)?;
    }
    Ok(())
}

#[test]
fn a_killed_server_takes_its_commands_along() -> Result<()> {
    let mut stage = Stage::new()?;
    let processes = processes(&mut stage, "exec 2>&1", &json!([]))?;
    stage.editor.kill()?;
    has_ended(processes[0])
}

#[test]
fn the_timeline_shows_what_a_terminal_showed() -> Result<()> {
    let mut stage = Stage::new()?;
    stage.timeline()?;
    let go = stage.root()?.join("go");
    let wait = "until [ -e go ]; do sleep 0.01; done; echo shown";
    stage.answers(&json!([
        {"request": "terminal/create", "params": {"command": wait}},
        {"update": {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "run", "kind": "execute",
            "status": "completed", "content": [{"type": "terminal"}]}},
        {"request": "fs/write_text_file", "params": {"path": go, "content": ""}},
        {"request": "terminal/wait_for_exit"},
        {"request": "terminal/release"},
    ]))?;
    let update = stage.editor.expect("acpLens/didUpdateTimeline", |it| {
        let items = it["items"].as_array();
        let mut calls = items
            .into_iter()
            .flatten()
            .filter(|it| it["toolCall"] == "c");
        calls.any(|call| call["text"] == "shown\n")
    })?;
    assert_eq!(update["session"], stage.session);
    let timeline = stage.timeline()?;
    let call = timeline.iter().find(|item| item["toolCall"] == "c");
    assert_eq!(call.context("the call")?["text"], "shown\n");
    stage.editor.finish()
}
