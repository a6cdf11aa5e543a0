//! Agents that misbehave: the person is told what happened, the server lives on, and no process is
//! left.

use anyhow::{Context as _, Result};
use e2e::client::{Abilities, Client};
use serde_json::{Value, json};
use tempfile::TempDir;

/// An editor whose settings name the misbehaving agent and a good one.
struct Stage {
    dir: TempDir,
    editor: Client,
}

impl Stage {
    /// `mode` is how it misbehaves, and after a space what it calls itself.
    fn new(mode: &str) -> Result<Self> {
        let dir = tempfile::tempdir()?;
        let program = env!("CARGO_BIN_EXE_chaos-agent");
        let settings = json!({
            "agents": {
                "chaos": {"command": program, "args": mode.split(' ').collect::<Vec<_>>()},
                "good": {"command": program, "args": ["good"]},
            },
            "agentDeadlines":
                {"unacknowledgedMs": 300, "acknowledgedMs": 600, "startMs": 1500, "loadMs": 1500},
        });
        let uri = format!("file://{}", dir.path().display());
        let editor = Client::initialized(Abilities::Extension, &uri, &settings)?;
        Ok(Self { dir, editor })
    }

    fn start(&mut self, agent: &str) -> Result<String> {
        let params = json!({"agent": agent});
        let started = self.editor.request("acpLens/session/new", &params)?;
        let session = started["session"]["session"].as_str();
        Ok(session.context("a session has a name")?.to_owned())
    }

    fn prompt(&mut self, session: &str) -> Result<()> {
        let params = json!({"session": session, "text": "go"});
        self.editor.request("acpLens/session/prompt", &params)?;
        Ok(())
    }

    /// Waits until a turn of the session has ended.
    fn ended(&mut self, session: &str) -> Result<Value> {
        self.editor.expect("acpLens/didChangeSession", |it| {
            it["session"] == session && (!it["stopReason"].is_null() || !it["error"].is_null())
        })
    }

    fn files(&mut self, session: &str) -> Result<Vec<String>> {
        let params = json!({"session": session});
        let changes = self.editor.request("acpLens/changes", &params)?;
        let files = changes["sessions"][0]["files"].as_array();
        let path = |file: &Value| {
            let path = file["file"]["relativePath"].as_str();
            path.unwrap_or_default().to_owned()
        };
        Ok(files.into_iter().flatten().map(path).collect())
    }

    /// Waits until files of the session are listed that fit.
    fn files_become(&mut self, session: &str, expect: &[&str]) -> Result<()> {
        while self.files(session)? != expect {
            self.editor.expect("acpLens/didChangeActivity", |_| true)?;
        }
        Ok(())
    }

    /// The good agent works as if nothing had happened, and the server ends with all its agents.
    fn finish(mut self) -> Result<()> {
        let session = self.start("good")?;
        self.prompt(&session)?;
        assert_eq!(self.ended(&session)?["stopReason"], "end_turn");
        assert_eq!(self.files(&session)?, ["a.txt"]);
        #[cfg(target_os = "linux")]
        let agents = e2e::process::children(self.editor.process_id())?;
        self.editor.finish()?;
        #[cfg(target_os = "linux")]
        for agent in agents {
            e2e::process::has_ended(agent)?;
        }
        drop(self.dir);
        Ok(())
    }
}

/// A session cannot be started, and the error says this.
fn check_no_start(mode: &str, expect: &str) -> Result<()> {
    let mut stage = Stage::new(mode)?;
    let params = json!({"agent": "chaos"});
    let error = stage.editor.failing("acpLens/session/new", &params)?;
    let message = error["message"].as_str().unwrap_or_default();
    assert!(message.contains(expect), "{mode}: {message}");
    stage.finish()
}

/// A prompt ends with this stop reason, and the edit of it is listed.
fn check_prompt(mode: &str, stop_reason: &str) -> Result<()> {
    let mut stage = Stage::new(mode)?;
    let session = stage.start("chaos")?;
    stage.prompt(&session)?;
    let ended = stage.ended(&session)?;
    assert_eq!(ended["stopReason"], stop_reason, "{mode}: {ended}");
    assert_eq!(stage.files(&session)?, ["a.txt"], "{mode}");
    stage.finish()
}

/// A prompt ends with an error that says this, and the edit before it stays listed.
fn check_broken_prompt(mode: &str, expect: &str) -> Result<()> {
    let mut stage = Stage::new(mode)?;
    let session = stage.start("chaos")?;
    stage.prompt(&session)?;
    let ended = stage.ended(&session)?;
    let message = ended["error"].as_str().unwrap_or_default();
    assert!(message.contains(expect), "{mode}: {ended}");
    assert_eq!(stage.files(&session)?, ["a.txt"], "{mode}");
    stage.finish()
}

#[test]
fn it_dies_in_initialize() -> Result<()> {
    check_no_start("dies-in-initialize", "exit status: 3")
}

#[test]
fn it_hangs_in_initialize() -> Result<()> {
    check_no_start("hangs-in-initialize", "did not answer in time")
}

#[test]
fn it_wants_a_sign_in() -> Result<()> {
    check_no_start(
        "wants-a-sign-in",
        "Authentication required; sign in with the agent's own command in a terminal",
    )
}

#[test]
fn it_refuses_sessions_and_says_why_in_the_data() -> Result<()> {
    let mut stage = Stage::new("refuses-sessions")?;
    let params = json!({"agent": "chaos"});
    let error = stage.editor.failing("acpLens/session/new", &params)?;
    // This one tells where it was started: in the project.
    let place = std::fs::canonicalize(stage.dir.path())?;
    let expect = format!("Internal error: {}", place.display());
    assert_eq!(error["message"], expect);
    stage.finish()
}

/// The list of an agent's sessions cannot be had, and the error says this.
fn check_no_list(mode: &str, expect: &str) -> Result<()> {
    let mut stage = Stage::new(mode)?;
    let params = json!({"agent": "chaos"});
    let error = stage.editor.failing("acpLens/session/list", &params)?;
    assert_eq!(error["data"]["kind"], "agentFailed", "{mode}: {error}");
    let message = error["message"].as_str().unwrap_or_default();
    assert!(message.contains(expect), "{mode}: {message}");
    stage.finish()
}

#[test]
fn it_cannot_list_its_sessions_and_says_why() -> Result<()> {
    check_no_list("dies-in-initialize", "exit status: 3")?;
    check_no_list("hangs-in-initialize", "did not answer in time")
}

#[test]
fn it_lists_its_sessions_after_its_connection_broke() -> Result<()> {
    let mut stage = Stage::new("closes-output")?;
    let session = stage.start("chaos")?;
    stage.prompt(&session)?;
    stage.ended(&session)?;
    let params = json!({"agent": "chaos"});
    let listed = stage.editor.request("acpLens/session/list", &params)?;
    assert_eq!(listed["sessions"][0]["sessionId"], "here");
    stage.finish()
}

#[test]
fn it_finds_no_sessions_by_their_directory() -> Result<()> {
    let mut stage = Stage::new("good")?;
    let place = std::fs::canonicalize(stage.dir.path())?;
    for (place, expect) in [
        (json!(place), &["here"][..]),
        (json!("/nobody"), &[]),
        (Value::Null, &["here", "nowhere", "elsewhere"]),
    ] {
        let params = json!({"agent": "chaos", "executionCwd": place});
        let listed = stage.editor.request("acpLens/session/list", &params)?;
        let ids: Vec<_> = listed["sessions"]
            .as_array()
            .context("a list")?
            .iter()
            .map(|it| it["sessionId"].as_str().unwrap_or_default())
            .collect();
        assert_eq!(ids, expect);
    }
    stage.finish()
}

#[test]
fn it_dies_in_a_prompt() -> Result<()> {
    check_broken_prompt("dies-in-prompt", "exit status: 5")
}

#[test]
fn it_closes_its_output_and_lives_on() -> Result<()> {
    check_broken_prompt("closes-output", "closed its standard output")
}

#[test]
fn it_never_ends_a_line() -> Result<()> {
    check_broken_prompt("endless-line", "longer than 64 MiB")
}

#[test]
fn it_floods() -> Result<()> {
    check_prompt("floods", "end_turn")
}

#[test]
fn it_answers_twice() -> Result<()> {
    let mut stage = Stage::new("answers-twice")?;
    let session = stage.start("chaos")?;
    // The second answer to a prompt is none to the next one.
    for turn in 1..=3 {
        stage.prompt(&session)?;
        let ended = stage.ended(&session)?;
        assert_eq!(ended["stopReason"], "end_turn", "{turn}: {ended}");
        assert_eq!(ended["turnCount"], turn, "{ended}");
    }
    assert_eq!(stage.files(&session)?, ["a.txt"]);
    stage.finish()
}

#[test]
fn it_answers_after_it_was_cancelled() -> Result<()> {
    let mut stage = Stage::new("answers-after-cancel")?;
    let session = stage.start("chaos")?;
    stage.prompt(&session)?;
    stage.files_become(&session, &["a.txt"])?;
    let cancel = json!({"session": session});
    stage.editor.request("acpLens/session/cancel", &cancel)?;
    let ended = stage.ended(&session)?;
    assert_eq!(ended["stopReason"], "cancelled", "{ended}");
    // What it did in the meantime and afterwards is listed all the same.
    stage.files_become(&session, &["a.txt", "b.txt", "c.txt"])?;
    let sessions = stage.editor.request("acpLens/sessions", &json!({}))?;
    assert_eq!(sessions["sessions"][0]["stopReason"], "cancelled");
    stage.finish()
}

#[test]
fn it_starts_the_run_again() -> Result<()> {
    let mut stage = Stage::new("starts-again")?;
    let session = stage.start("chaos")?;
    stage.prompt(&session)?;
    assert_eq!(stage.ended(&session)?["stopReason"], "end_turn");
    assert_eq!(stage.files(&session)?, ["a.txt"]);
    let params = json!({"session": session, "subscribe": true});
    let timeline = stage.editor.request("acpLens/session/subscribe", &params)?;
    let items = timeline["items"].as_array().context("items")?;
    let calls: Vec<String> = items
        .iter()
        .filter(|item| item["type"] == "toolCall")
        .map(|item| format!("{} {}", item["toolCall"], item["status"]).replace('"', ""))
        .collect();
    // Only what the old run had open when its own successor named it.
    let expect = ["old failed", "older completed", "call-a.txt completed"];
    assert_eq!(calls, expect);
    // The answer to the prompt has ended it, under whatever name.
    stage.prompt(&session)?;
    stage.finish()
}

#[test]
fn it_hangs_in_a_prompt() -> Result<()> {
    let mut stage = Stage::new("hangs-in-prompt")?;
    let session = stage.start("chaos")?;
    stage.prompt(&session)?;
    stage.files_become(&session, &["a.txt"])?;
    let params = json!({"session": session});
    stage.editor.request("acpLens/session/cancel", &params)?;
    // It does not listen; the person closes the session, and what was seen stays.
    stage.editor.request("acpLens/session/close", &params)?;
    stage.editor.expect("acpLens/didChangeSession", |it| {
        it["session"] == session && it["state"] == "disconnected"
    })?;
    assert_eq!(stage.files(&session)?, ["a.txt"]);
    // It can be loaded again, although the prompt was never answered.
    let params = json!({"agent": "chaos", "sessionId": "s"});
    let loaded = stage.editor.request("acpLens/session/load", &params)?;
    assert_eq!(loaded["session"]["state"], "idle", "{loaded}");
    assert_eq!(stage.files(&session)?, ["old.txt"]);
    stage.finish()
}

#[test]
fn it_hangs_in_a_load() -> Result<()> {
    let mut stage = Stage::new("hangs-in-load")?;
    let params = json!({"agent": "chaos", "sessionId": "s"});
    let error = stage.editor.failing("acpLens/session/load", &params)?;
    let message = error["message"].as_str().unwrap_or_default();
    assert!(message.contains("did not answer in time"), "{message}");
    let sessions = stage.editor.request("acpLens/sessions", &json!({}))?;
    assert_eq!(sessions["sessions"], json!([]), "nothing of it is shown");
    stage.finish()
}

#[test]
fn it_talks_of_unknown_sessions() -> Result<()> {
    let mut stage = Stage::new("unknown-sessions")?;
    let session = stage.start("chaos")?;
    stage.prompt(&session)?;
    assert_eq!(stage.ended(&session)?["stopReason"], "end_turn");
    assert_eq!(stage.files(&session)?, ["a.txt"]);
    let sessions = stage.editor.request("acpLens/sessions", &json!({}))?;
    assert_eq!(sessions["sessions"].as_array().map(Vec::len), Some(1));
    stage.finish()
}

#[test]
fn its_directory_is_gone() -> Result<()> {
    let mut stage = Stage::new("good")?;
    let place = stage.dir.path().join("inner");
    std::fs::create_dir(&place)?;
    let params = json!({"agent": "chaos", "executionCwd": place});
    let started = stage.editor.request("acpLens/session/new", &params)?;
    let session = started["session"]["session"].clone();
    std::fs::remove_dir(&place)?;
    let params = json!({"session": session, "text": "go"});
    let error = stage.editor.failing("acpLens/session/prompt", &params)?;
    assert_eq!(error["data"]["kind"], "invalidReference", "{error}");
    std::fs::create_dir(&place)?;
    stage.editor.request("acpLens/session/prompt", &params)?;
    stage.finish()
}

#[test]
fn it_prints_garbage() -> Result<()> {
    check_prompt("prints-garbage", "end_turn")
}

#[test]
fn it_goes_on_after_its_answer() -> Result<()> {
    let mut stage = Stage::new("late-updates")?;
    let session = stage.start("chaos")?;
    stage.prompt(&session)?;
    stage.editor.expect("acpLens/didChangeActivity", |it| {
        it["files"]
            .as_array()
            .is_some_and(|files| !files.is_empty())
    })?;
    assert_eq!(stage.files(&session)?, ["a.txt"]);
    stage.finish()
}

#[test]
fn it_does_not_end_with_its_input() -> Result<()> {
    check_prompt("ignores-end-of-input", "end_turn")
}

/// An agent reads and writes a file twice that is open with this text, and the editor does not
/// read the file anew in between.
fn check_steps(open: &str) -> Result<()> {
    let mut stage = Stage::new("edits-in-steps")?;
    let path = stage.dir.path().join("a.txt");
    std::fs::write(&path, "saved\n")?;
    let uri = format!("file://{}", path.display());
    stage.editor.open(&uri, open)?;
    let session = stage.start("chaos")?;
    stage.prompt(&session)?;
    assert_eq!(stage.ended(&session)?["stopReason"], "end_turn");
    let text = std::fs::read_to_string(&path)?;
    assert_eq!(text, format!("{open}more\nmore\n"));
    stage.finish()
}

#[test]
fn it_edits_faster_than_the_editor_reads_files_anew() -> Result<()> {
    check_steps("saved\n")?;
    check_steps("saved\nnot saved\n")
}

#[test]
fn it_takes_a_missing_file_for_a_failure() -> Result<()> {
    // An agent that is known for it reads an empty file.
    check_prompt("reads-before-it-writes gemini-cli", "end_turn")?;
    // Any other learns the truth.
    let mut stage = Stage::new("reads-before-it-writes other")?;
    let session = stage.start("chaos")?;
    stage.prompt(&session)?;
    assert_eq!(stage.ended(&session)?["stopReason"], "-32002");
    stage.finish()
}

#[test]
fn it_dies_while_it_loads() -> Result<()> {
    let mut stage = Stage::new("dies-in-load")?;
    let params = json!({"agent": "chaos", "sessionId": "s"});
    let error = stage.editor.failing("acpLens/session/load", &params)?;
    let message = error["message"].as_str().unwrap_or_default();
    assert!(message.contains("exit status: 4"), "{message}");
    stage.finish()
}

#[test]
fn a_session_that_is_loaded_after_a_crash_carries_no_error_on() -> Result<()> {
    let mut stage = Stage::new("dies-in-prompt")?;
    let session = stage.start("chaos")?;
    stage.prompt(&session)?;
    let over = stage.ended(&session)?;
    assert!(!over["error"].is_null(), "{over}");
    let load = json!({"agent": "chaos", "sessionId": "s"});
    let loaded = stage.editor.request("acpLens/session/load", &load)?;
    let info = &loaded["session"];
    assert_eq!(
        (&info["error"], &info["state"]),
        (&Value::Null, &json!("idle"))
    );
    let known = stage.editor.request("acpLens/sessions", &json!({}))?;
    let row = known["sessions"].as_array().into_iter().flatten();
    let rows: Vec<_> = row.filter(|row| row["session"] == session).collect();
    assert_eq!(rows.len(), 1);
    assert_eq!(
        (&rows[0]["error"], &rows[0]["state"]),
        (&Value::Null, &json!("idle"))
    );
    stage.finish()
}

/// A session cannot be started until the settings name another command, and then it can.
fn check_put_right(mode: &str) -> Result<()> {
    let mut stage = Stage::new(mode)?;
    let params = json!({"agent": "chaos"});
    stage.editor.failing("acpLens/session/new", &params)?;
    let good = json!({"command": env!("CARGO_BIN_EXE_chaos-agent"), "args": ["good"]});
    let settings = json!({"acpLens": {"agents": {"chaos": good, "good": good}}});
    let changed = json!({"settings": settings});
    stage
        .editor
        .notify("workspace/didChangeConfiguration", &changed)?;
    let session = stage.start("chaos")?;
    stage.prompt(&session)?;
    assert_eq!(stage.ended(&session)?["stopReason"], "end_turn", "{mode}");
    stage.finish()
}

#[test]
fn its_command_is_put_right_in_the_settings() -> Result<()> {
    check_put_right("dies-in-initialize")?;
    check_put_right("wants-a-sign-in")
}
