//! Agents that the server runs itself, from the editor's side.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use e2e::binary::acp_lens;
use e2e::client::{Abilities, Client};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A workspace, and an editor on it that knows some agents.
struct Stage {
    dir: TempDir,
    editor: Client,
}

impl Stage {
    /// `agents` are names with the arguments of this project's binary.
    fn new(agents: &[(&str, &[&str])]) -> Result<Self> {
        let dir = tempfile::tempdir()?;
        let workspace = dir.path().join("till");
        let before = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .context("tests/ stands in the workspace")?
            .join("crates/editor-server/src/demo/before");
        std::fs::create_dir_all(workspace.join("notes"))?;
        for name in [
            "README.md",
            "receipt.py",
            "notes/todo.txt",
            "notes/prices-2019.txt",
        ] {
            std::fs::copy(before.join(name), workspace.join(name))?;
        }
        let editor = editor(&workspace, agents)?;
        Ok(Self { dir, editor })
    }

    /// The server ends, and another one takes its place.
    fn restart(self, agents: &[(&str, &[&str])]) -> Result<Self> {
        self.editor.finish()?;
        let editor = editor(&self.dir.path().join("till"), agents)?;
        Ok(Self {
            dir: self.dir,
            editor,
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("till").join(name)
    }

    fn start(&mut self, agent: &str) -> Result<String> {
        let started = self
            .editor
            .request("acpLens/session/new", &json!({"agent": agent}))?;
        let session = started["session"]["session"].as_str();
        Ok(session.context("a session has a name")?.to_owned())
    }

    /// Sends a prompt, and waits until its turn, the nth of the session, has ended.
    fn prompt(&mut self, session: &str, turn: u64) -> Result<Value> {
        let params = json!({"session": session, "text": format!("prompt {turn}")});
        self.editor.request("acpLens/session/prompt", &params)?;
        self.editor.expect("acpLens/didChangeSession", |it| {
            it["session"] == session
                && it["turnCount"].as_u64() >= Some(turn)
                && !it["stopReason"].is_null()
        })
    }

    /// The files of a session, each with its action.
    fn files(&mut self, session: &str) -> Result<Vec<String>> {
        let changes = self
            .editor
            .request("acpLens/changes", &json!({"session": session}))?;
        let files = changes["sessions"][0]["files"].as_array();
        let file = |file: &Value| {
            let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            format!(
                "{} {}",
                word(&file["file"]["relativePath"]),
                word(&file["action"])
            )
        };
        Ok(files.into_iter().flatten().map(file).collect())
    }
}

/// An editor on this folder.
fn editor(workspace: &Path, agents: &[(&str, &[&str])]) -> Result<Client> {
    editor_with(workspace, agents, json!({}))
}

/// The same, with more settings.
fn editor_with(
    workspace: &Path,
    agents: &[(&str, &[&str])],
    mut settings: Value,
) -> Result<Client> {
    settings["agents"] = json!({});
    for (name, arguments) in agents {
        settings["agents"][name] = json!({"command": acp_lens()?, "args": arguments});
    }
    let uri = format!("file://{}", workspace.display());
    Client::initialized(Abilities::Extension, &uri, &settings)
}

const TURN_ONE: [&str; 2] = ["discount.py created", "receipt.py modified"];

#[test]
fn the_agent_without_a_model_plays_in_its_own_project_alone() -> Result<()> {
    let mut stage = Stage::new(&[("scripted", &["demo-agent"])])?;
    std::fs::write(stage.path("README.md"), "# Another project\n")?;
    let session = stage.start("scripted")?;
    stage.prompt(&session, 1)?;
    assert_eq!(stage.files(&session)?, [""; 0]);
    assert!(!stage.path("discount.py").exists());
    stage.editor.finish()
}

#[test]
fn a_session_from_the_first_prompt_to_the_end() -> Result<()> {
    let mut stage = Stage::new(&[("scripted", &["demo-agent"])])?;
    let agents = stage.editor.request("acpLens/agents", &json!({}))?;
    let named = agents["agents"].as_array().context("agents")?;
    let origins: Vec<_> = named
        .iter()
        .filter(|it| it["name"] == "scripted" || it["name"] == "demo")
        .map(|it| it["origin"].clone())
        .collect();
    assert_eq!(origins, ["builtin", "settings"]);

    let session = stage.start("scripted")?;
    stage.prompt(&session, 1)?;
    assert_eq!(stage.files(&session)?, TURN_ONE);
    assert!(stage.path("discount.py").exists());

    let over = stage.prompt(&session, 2)?;
    assert_eq!(
        (&over["state"], &over["stopReason"]),
        (&json!("idle"), &json!("end_turn"))
    );
    assert_eq!(over["title"], "prompt 1");
    assert_eq!(stage.files(&session)?.len(), 6);
    assert!(!stage.path("notes/todo.txt").exists());

    // The permission question stands in the timeline with its answer.
    let subscribe = json!({"session": session, "subscribe": true});
    let timeline = stage
        .editor
        .request("acpLens/session/subscribe", &subscribe)?;
    let items = timeline["items"].as_array().context("items")?;
    let asked = items.iter().find(|item| !item["permission"].is_null());
    let permission = &asked.context("a call that was asked for")?["permission"];
    assert_eq!(permission["outcome"]["optionId"], "allow");
    stage.editor.finish()
}

#[test]
fn an_agent_reads_what_the_person_sees_and_writes_the_file() -> Result<()> {
    let mut stage = Stage::new(&[("scripted", &["demo-agent"])])?;
    let path = stage.path("receipt.py");
    let uri = format!("file://{}", path.display());
    let unsaved = format!("# not saved\n{}", std::fs::read_to_string(&path)?);
    stage.editor.open(&uri, &unsaved)?;
    let session = stage.start("scripted")?;
    stage.prompt(&session, 1)?;
    let written = std::fs::read_to_string(&path)?;
    assert!(written.starts_with("# not saved\n"), "{written}");
    assert!(
        written.contains("from discount import discount\n"),
        "{written}"
    );
    stage.editor.finish()
}

#[test]
fn a_rejected_patch_changes_nothing() -> Result<()> {
    let mut stage = Stage::new(&[("scripted", &["demo-agent"])])?;
    stage.editor.answers_permissions = false;
    let session = stage.start("scripted")?;
    stage.prompt(&session, 1)?;
    let params = json!({"session": session, "text": "second"});
    stage.editor.request("acpLens/session/prompt", &params)?;
    let asked = stage
        .editor
        .expect_message("acpLens/requestPermission", |_| true)?;
    let question = &asked["params"];
    // An answer that is not offered is none, wherever it comes from.
    let unknown = json!({"outcome": "selected", "optionId": "zz"});
    stage.editor.reply(&asked["id"], &unknown)?;
    stage.editor.expect("window/logMessage", |it| {
        let message = it["message"].as_str().unwrap_or_default();
        message.contains("the question has no option zz")
    })?;
    // Nobody else's question can be answered, and this one only once.
    let permission = &question["permission"];
    let wrong = json!({"session": session, "permission": "p0", "outcome": "cancelled"});
    stage
        .editor
        .failing("acpLens/session/respondPermission", &wrong)?;
    let unknown = json!({"session": session, "permission": permission, "outcome": "selected", "optionId": "zz"});
    let error = stage
        .editor
        .failing("acpLens/session/respondPermission", &unknown)?;
    assert_eq!(error["code"], -32602);
    assert_eq!(error["data"]["kind"], "invalidReference");
    assert_eq!(
        error["message"],
        "the question has no option zz; it offers allow, reject, and stays open"
    );
    let reject = json!({"session": session, "permission": permission, "outcome": "selected", "optionId": "reject"});
    stage
        .editor
        .request("acpLens/session/respondPermission", &reject)?;
    stage
        .editor
        .failing("acpLens/session/respondPermission", &reject)?;
    stage.editor.expect("acpLens/didChangeSession", |it| {
        it["turnCount"] == 2 && it["stopReason"] == "end_turn"
    })?;
    assert_eq!(
        stage.files(&session)?,
        [
            "discount.py created",
            "receipt.py modified",
            "README.md modified"
        ]
    );
    assert!(stage.path("notes/todo.txt").exists());
    stage.editor.finish()
}

#[test]
fn a_cancelled_prompt_ends_and_the_next_one_works() -> Result<()> {
    let mut stage = Stage::new(&[("scripted", &["demo-agent"])])?;
    stage.editor.answers_permissions = false;
    let session = stage.start("scripted")?;
    stage.prompt(&session, 1)?;
    let cancel = json!({"session": session});
    let mode = json!({"session": session, "modeId": "ask"});
    let error = stage.editor.failing("acpLens/session/setMode", &mode)?;
    assert_eq!(error["data"]["kind"], "agentFailed");
    let message = error["message"].as_str().context("a message")?;
    assert!(
        message.starts_with("the agent cannot do this: "),
        "{message}"
    );
    let idle = stage.editor.failing("acpLens/session/cancel", &cancel)?;
    assert_eq!(idle["data"]["kind"], "busy");
    let params = json!({"session": session, "text": "second"});
    stage.editor.request("acpLens/session/prompt", &params)?;
    let asked = stage
        .editor
        .expect_message("acpLens/requestPermission", |_| true)?;
    let busy = stage.editor.failing("acpLens/session/prompt", &params)?;
    assert_eq!(busy["data"]["kind"], "busy");
    stage.editor.request("acpLens/session/cancel", &cancel)?;
    stage
        .editor
        .expect("$/cancelRequest", |it| it["id"] == asked["id"])?;
    stage.editor.expect("acpLens/didChangeSession", |it| {
        it["stopReason"] == "cancelled"
    })?;
    let over = stage.prompt(&session, 3)?;
    assert_eq!(over["stopReason"], "end_turn");
    stage.editor.finish()
}

#[test]
fn two_agents_on_one_workspace_keep_their_hunks_apart() -> Result<()> {
    let mut stage = Stage::new(&[("one", &["demo-agent"]), ("two", &["demo-agent"])])?;
    let first = stage.start("one")?;
    let second = stage.start("two")?;
    stage.prompt(&first, 1)?;
    // The second agent edits a file of its own: the first turn of the script fails on what the
    // first agent has already changed, its second turn edits other files.
    stage.prompt(&second, 1)?;
    stage.prompt(&second, 2)?;
    let uri = |stage: &Stage, name: &str| format!("file://{}", stage.path(name).display());
    for (name, owner) in [("receipt.py", &first), ("README.md", &second)] {
        let params = json!({"uri": uri(&stage, name), "withText": false});
        let hunks = stage.editor.request("acpLens/hunks", &params)?;
        let owners: Vec<_> = hunks["hunks"]
            .as_array()
            .context("hunks")?
            .iter()
            .filter(|hunk| hunk["state"] == "inPlace")
            .map(|hunk| hunk["session"].as_str().unwrap_or_default())
            .collect();
        assert!(
            !owners.is_empty() && owners.iter().all(|it| it == owner),
            "{name}: {hunks}"
        );
    }
    stage.editor.finish()
}

#[test]
fn a_session_comes_back_in_another_server() -> Result<()> {
    let kept = tempfile::tempdir()?;
    let state_dir = kept.path().to_string_lossy().into_owned();
    let agent: &[&str] = &["demo-agent", "--state-dir", &state_dir];
    let mut stage = Stage::new(&[("scripted", agent)])?;
    let session = stage.start("scripted")?;
    stage.prompt(&session, 1)?;
    let files = stage.files(&session)?;
    let mut stage = stage.restart(&[("scripted", agent)])?;
    let listed = stage
        .editor
        .request("acpLens/session/list", &json!({"agent": "scripted"}))?;
    assert_eq!(listed["supported"], true);
    let id = &listed["sessions"][0]["sessionId"];
    let params = json!({"agent": "scripted", "sessionId": id});
    let loaded = stage.editor.request("acpLens/session/load", &params)?;
    let session = loaded["session"]["session"]
        .as_str()
        .context("a name")?
        .to_owned();
    assert_eq!(stage.files(&session)?, files);
    let unknown = json!({"agent": "scripted", "sessionId": "demo-77"});
    let error = stage.editor.failing("acpLens/session/load", &unknown)?;
    assert_eq!(error["data"]["kind"], "agentFailed");
    let message = error["message"].as_str().context("a message")?;
    assert!(
        message.starts_with("the agent does not have what was asked for: "),
        "{message}"
    );
    for (root, cwd, kind, words) in [
        (
            "/no/such/folder",
            Value::Null,
            "notDirectory",
            "the workspace root is no directory",
        ),
        (
            ".",
            json!("nowhere"),
            "notFound",
            "the working directory does not exist",
        ),
        (
            ".",
            json!("README.md"),
            "notDirectory",
            "the working directory is no directory",
        ),
        (
            ".",
            json!(".."),
            "outsideSandbox",
            "the session cannot work there",
        ),
    ] {
        let root = stage.path(root);
        let cwd = cwd.as_str().map(|cwd| root.join(cwd));
        let params = json!({"agent": "scripted", "workspaceRoot": root, "executionCwd": cwd});
        let error = stage.editor.failing("acpLens/session/new", &params)?;
        let message = error["message"].as_str().context("a message")?;
        assert_eq!(error["data"]["kind"], kind, "{message}");
        assert!(message.starts_with(words), "{message}");
    }
    // What was loaded before is still there.
    stage.prompt(&session, 2)?;
    stage.editor.finish()
}

#[test]
#[cfg(target_os = "linux")]
fn a_session_of_the_built_in_agent_comes_back_after_its_crash() -> Result<()> {
    let mut stage = Stage::new(&[])?;
    let session = stage.start("demo")?;
    stage.prompt(&session, 1)?;
    let [agent] = e2e::process::children(stage.editor.process_id())?[..] else {
        anyhow::bail!("one agent");
    };
    let killed = std::process::Command::new("kill")
        .args(["-KILL", &agent.to_string()])
        .status()?;
    assert!(killed.success());
    stage.editor.expect("acpLens/didChangeSession", |it| {
        it["session"] == session && it["state"] == "disconnected"
    })?;
    let listed = stage
        .editor
        .request("acpLens/session/list", &json!({"agent": "demo"}))?;
    let params = json!({"agent": "demo", "sessionId": listed["sessions"][0]["sessionId"]});
    let loaded = stage.editor.request("acpLens/session/load", &params)?;
    assert_eq!(loaded["session"]["session"], session);
    assert_eq!(loaded["session"]["state"], "idle");
    assert_eq!(stage.files(&session)?, TURN_ONE);
    // It goes on where it was.
    stage.prompt(&session, 2)?;
    assert_eq!(stage.files(&session)?.len(), 6);
    stage.editor.finish()
}

#[test]
fn a_session_of_50_000_updates_becomes_visible_at_once() -> Result<()> {
    let kept = tempfile::tempdir()?;
    let mut stage = {
        let state_dir = kept.path().to_string_lossy().into_owned();
        Stage::new(&[("scripted", &["demo-agent", "--state-dir", &state_dir])])?
    };
    let cwd = stage.dir.path().join("till");
    let mut text = format!("{}\n", json!({"cwd": cwd}));
    for n in 0..25_000 {
        let call = json!({"sessionUpdate": "tool_call", "toolCallId": format!("c{n}"), "title": "edit",
            "kind": "edit", "status": "in_progress"});
        let path = cwd.join(format!("file-{}.txt", n % 50));
        let done = json!({"sessionUpdate": "tool_call_update", "toolCallId": format!("c{n}"),
            "status": "completed", "content": [{"type": "diff", "path": path,
            "oldText": format!("{n}\n"), "newText": format!("{}\n", n + 1)}]});
        writeln!(text, "{call}\n{done}")?;
    }
    std::fs::write(kept.path().join("demo-1.ndjson"), text)?;
    let params = json!({"agent": "scripted", "sessionId": "demo-1"});
    let loaded = stage.editor.request("acpLens/session/load", &params)?;
    assert_eq!(loaded["session"]["uniqueFileCount"], 50);
    stage.editor.settle()?;
    // One step from nothing to everything: no notification shows a part.
    let counts: Vec<u64> = stage
        .editor
        .unread
        .iter()
        .filter(|it| it["method"] == "acpLens/didChangeActivity")
        .flat_map(|it| {
            it["params"]["sessions"]
                .as_array()
                .cloned()
                .unwrap_or_default()
        })
        .filter_map(|session| session["uniqueFileCount"].as_u64())
        .collect();
    assert!(
        counts.iter().all(|count| [0, 50].contains(count)),
        "{counts:?}"
    );
    stage.editor.finish()
}

/// Waits until a turn of a session has a duration that fits.
fn turn_took(editor: &mut Client, number: u64, fits: impl Fn(u64) -> bool) -> Result<Value> {
    editor.expect("acpLens/didChangeActivity", |it| {
        let turns = it["turns"].as_array().into_iter().flatten();
        let mut turns = turns.filter(|turn| turn["number"] == number);
        turns.any(|turn| turn["durationMs"].as_u64().is_some_and(&fits))
    })
}

#[test]
fn turns_have_durations_as_they_were_seen_and_as_the_transcript_says() -> Result<()> {
    let kept = tempfile::tempdir()?;
    let workspace = kept.path().join("ws");
    std::fs::create_dir(&workspace)?;
    let chunk = |kind: &str, text: &str| json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}});
    let lines = [
        json!({"cwd": workspace}),
        chunk("user_message_chunk", "go"),
        chunk("agent_message_chunk", "done"),
    ];
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(kept.path().join("demo-1.ndjson"), lines.concat())?;
    let transcript = kept.path().join("transcript.jsonl");
    let record = |role: &str, text: &str, at: u64| {
        format!(
            "{}\n",
            json!({"role": role, "content": text, "timestamp": at})
        )
    };
    let mut text = record("user", "go", 1000) + &record("assistant", "done", 61_000);
    std::fs::write(&transcript, &text)?;
    let state_dir = kept.path().to_string_lossy();
    let mut editor = editor_with(
        &workspace,
        &[("scripted", &["demo-agent", "--state-dir", &state_dir])],
        json!({"transcripts": {"demo-1": transcript}}),
    )?;
    let load = json!({"agent": "scripted", "sessionId": "demo-1"});
    let loaded = editor.request("acpLens/session/load", &load)?;
    let session = &loaded["session"]["session"];
    turn_took(&mut editor, 1, |ms| ms == 60_000)?;
    let subscribe = json!({"session": session, "subscribe": true});
    let timeline = editor.request("acpLens/session/subscribe", &subscribe)?;
    assert_eq!(timeline["items"][0]["durationMs"], 60_000);
    assert_eq!(timeline["items"][1]["durationMs"], Value::Null);

    // What was seen counts until the transcript has it, which can be a moment later.
    let prompt = json!({"session": session, "text": "more"});
    editor.request("acpLens/session/prompt", &prompt)?;
    turn_took(&mut editor, 2, |ms| ms < 30_000)?;
    text += &(record("user", "more", 70_000) + &record("assistant", "done", 147_770));
    std::fs::write(&transcript, &text)?;
    turn_took(&mut editor, 2, |ms| ms == 77_770)?;
    editor.expect("acpLens/didUpdateTimeline", |it| {
        let items = it["items"].as_array().into_iter().flatten();
        let mut of_user = items.filter(|item| item["role"] == "user");
        of_user.any(|item| item["durationMs"] == 77_770)
    })?;
    editor.finish()
}

#[test]
fn attachments_are_read_in_their_generation_only() -> Result<()> {
    let kept = tempfile::tempdir()?;
    let mut stage = {
        let state_dir = kept.path().to_string_lossy().into_owned();
        Stage::new(&[("scripted", &["demo-agent", "--state-dir", &state_dir])])?
    };
    let cwd = stage.path("");
    let outside = kept.path().join("outside.txt");
    std::fs::write(&outside, "outside\n")?;
    let link = |uri: &str| {
        json!({"sessionUpdate": "agent_message_chunk", "content":
            {"type": "resource_link", "uri": uri, "name": "a link"}})
    };
    let lines = [
        json!({"cwd": cwd}),
        link("notes/todo.txt"),
        link(&format!("file://{}", outside.display())),
        link("https://example.com/x.png"),
        link("../escape.txt"),
        link("gone.txt"),
    ];
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    std::fs::write(kept.path().join("demo-1.ndjson"), lines.join("\n"))?;
    let load = json!({"agent": "scripted", "sessionId": "demo-1"});
    let loaded = stage.editor.request("acpLens/session/load", &load)?;
    let session = loaded["session"]["session"].clone();
    let listed = stage
        .editor
        .request("acpLens/attachments", &json!({"session": session}))?;
    let rows: Vec<String> = listed["attachments"]
        .as_array()
        .context("attachments")?
        .iter()
        .map(|it| {
            format!(
                "{} {} {}",
                it["scope"],
                it["size"],
                it["unavailable"].is_null()
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            "\"workspace\" 56 true",
            "\"file\" 8 true",
            "\"remote\" null true",
            "\"file\" null false",
            "\"file\" null false",
        ],
        "{listed}"
    );
    let generation = &listed["generation"];
    let mut read = |uri: &str, generation: &Value, encoding: &str| {
        let params =
            json!({"session": session, "generation": generation, "uri": uri, "encoding": encoding});
        let id = stage.editor.begin("acpLens/readAttachment", &params)?;
        let answer = stage.editor.answer(id)?;
        Ok::<_, anyhow::Error>(match answer.get("result") {
            Some(result) => result["content"].clone(),
            None => answer["error"]["data"]["kind"].clone(),
        })
    };
    let outside = format!("file://{}", outside.display());
    assert_eq!(read(&outside, generation, "text")?, "outside\n");
    assert_eq!(read(&outside, generation, "base64")?, "b3V0c2lkZQo=");
    assert_eq!(read(&outside, &json!(77), "text")?, "staleSession");
    assert_eq!(
        read("https://example.com/x.png", generation, "text")?,
        "invalidReference"
    );
    assert_eq!(
        read("../escape.txt", generation, "text")?,
        "invalidReference"
    );
    assert_eq!(read("gone.txt", generation, "text")?, "unavailable");
    // A file that the session does not carry is not read, wherever it is.
    assert_eq!(read("README.md", generation, "text")?, "invalidReference");
    stage.editor.finish()
}
