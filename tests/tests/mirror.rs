//! An agent in a tap, an ACP client that uses it, and editors that look on.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use e2e::binary::acp_lens;
use e2e::client::{Abilities, Client};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What the demo agent does in two turns, as an editor lists it.
const ALL: &str = "discount.py created +11 -0
receipt.py modified +7 -1
README.md modified +1 -1
test_discount.py created +9 -0
docs/todo.txt moved +0 -2
notes/prices-2019.txt deleted
";

/// A workspace with the demo's project, and a directory for sockets.
struct Stage {
    dir: TempDir,
}

impl Stage {
    fn new() -> Result<Self> {
        let dir = tempfile::tempdir()?;
        let project = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .context("tests/ stands in the workspace")?
            .join("crates/editor-server/src/demo/before");
        copy(&project, &dir.path().join("till"))?;
        std::fs::create_dir(dir.path().join("sockets"))?;
        Ok(Self { dir })
    }

    fn workspace(&self) -> std::path::PathBuf {
        self.dir.path().join("till")
    }

    fn sockets(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.dir.path().join("sockets"));
        entries
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect()
    }

    /// An editor with this folder open.
    fn editor(&self, folder: &Path) -> Result<Client> {
        let mut client = Client::start_in(&self.dir.path().join("sockets"))?;
        let uri = format!("file://{}", folder.display());
        client.initialize(Abilities::Extension, &uri, &json!({}))?;
        Ok(client)
    }

    /// The official crate's client, with the demo agent behind a recorder, the tap, and another
    /// recorder.
    fn client(&self) -> Result<Child> {
        let recorder = env!("CARGO_BIN_EXE_recorder");
        let outer = self.dir.path().join("outer");
        let inner = self.dir.path().join("inner");
        let child = Command::new(env!("CARGO_BIN_EXE_acp-client"))
            .arg(self.workspace())
            .args([recorder.as_ref(), outer.as_os_str()])
            .arg(acp_lens()?)
            .args(["tap", "--", recorder])
            .arg(inner)
            .arg(acp_lens()?)
            .args(["demo-agent", "--pace", "20"])
            .env("ACP_LENS_RUNTIME_DIR", self.dir.path().join("sockets"))
            .stdin(Stdio::null())
            .spawn()?;
        Ok(child)
    }

    fn recorded(&self, name: &str) -> Result<Vec<u8>> {
        Ok(std::fs::read(self.dir.path().join(name))?)
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// The files of all sessions that an editor knows.
fn listed(client: &mut Client) -> Result<String> {
    let changes = client.request("acpLens/changes", &json!({}))?;
    let mut text = String::new();
    for session in changes["sessions"].as_array().into_iter().flatten() {
        for file in session["files"].as_array().into_iter().flatten() {
            let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            text += &word(&file["file"]["relativePath"]);
            text.push(' ');
            text += &word(&file["action"]);
            if let (Some(added), Some(removed)) = (file["added"].as_u64(), file["removed"].as_u64())
            {
                write!(text, " +{added} -{removed}")?;
            }
            text.push('\n');
        }
    }
    Ok(text)
}

fn until(what: &str, mut holds: impl FnMut() -> Result<bool>) -> Result<()> {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !holds()? {
        if Instant::now() > deadline {
            bail!("{what}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

#[test]
fn editors_attached_before_during_and_after_see_the_same() -> Result<()> {
    let stage = Stage::new()?;
    let mut before = stage.editor(&stage.workspace())?;
    let other_dir = tempfile::tempdir()?;
    let mut other = stage.editor(other_dir.path())?;
    let mut client = stage.client()?;
    before.expect("acpLens/didChangeActivity", |it| {
        it["files"]
            .as_array()
            .is_some_and(|files| !files.is_empty())
    })?;
    let mut during = stage.editor(&stage.workspace())?;
    until("the first editor has not everything", || {
        Ok(listed(&mut before)? == ALL)
    })?;
    let mut after = stage.editor(&stage.workspace())?;
    for (name, editor) in [("during", &mut during), ("after", &mut after)] {
        until(
            &format!("the editor that came {name} has not everything"),
            || Ok(listed(editor)? == ALL),
        )?;
    }
    assert_eq!(listed(&mut other)?, "", "another workspace sees nothing");
    assert!(client.wait()?.success());
    // Whoever saw it live is told that it is over.
    before.expect("acpLens/didChangeSession", |it| {
        it["state"] == "disconnected"
    })?;
    assert_eq!(listed(&mut before)?, ALL);
    for editor in [before, during, after, other] {
        editor.finish()?;
    }
    assert_eq!(stage.sockets(), Vec::<String>::new());
    Ok(())
}

#[test]
fn client_and_agent_see_identical_bytes() -> Result<()> {
    let stage = Stage::new()?;
    let mut editor = stage.editor(&stage.workspace())?;
    assert!(stage.client()?.wait()?.success());
    for stream in ["in", "out"] {
        let outer = stage.recorded(&format!("outer.{stream}"))?;
        let inner = stage.recorded(&format!("inner.{stream}"))?;
        assert!(!outer.is_empty());
        assert!(outer == inner, "the tap has changed a byte of {stream}");
    }
    editor.settle()?;
    editor.finish()
}

#[test]
fn a_killed_tap_is_told_and_leaves_nothing_in_the_way() -> Result<()> {
    let stage = Stage::new()?;
    let mut editor = stage.editor(&stage.workspace())?;
    let mut tap = Command::new(acp_lens()?)
        .args(["tap", "--"])
        .arg(acp_lens()?)
        .args(["demo-agent"])
        .env("ACP_LENS_RUNTIME_DIR", stage.dir.path().join("sockets"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut talk = Talk::new(&mut tap)?;
    talk.ask("initialize", &json!({"protocolVersion": 1}))?;
    let opened = talk.ask(
        "session/new",
        &json!({"cwd": stage.workspace(), "mcpServers": []}),
    )?;
    talk.ask(
        "session/prompt",
        &json!({"sessionId": opened["sessionId"], "prompt": [{"type": "text", "text": "go"}]}),
    )?;
    editor.expect("acpLens/didChangeSession", |it| {
        it["stopReason"] == "end_turn"
    })?;
    tap.kill()?;
    tap.wait()?;
    let told = editor.expect("acpLens/didChangeSession", |it| {
        it["state"] == "disconnected"
    })?;
    let error = told["error"].as_str().unwrap_or_default();
    assert!(error.contains("the tap was killed"), "{told}");
    assert_eq!(
        listed(&mut editor)?,
        "discount.py created +11 -0\nreceipt.py modified +7 -1\n"
    );
    // The socket of the dead tap is still there; the next server removes it.
    assert_eq!(stage.sockets().len(), 2);
    let next = stage.editor(&stage.workspace())?;
    until("the stale socket is still there", || {
        Ok(stage.sockets().len() == 2)
    })?;
    next.finish()?;
    editor.finish()?;
    assert_eq!(stage.sockets(), Vec::<String>::new());
    Ok(())
}

#[test]
fn a_load_that_fails_leaves_what_is_shown() -> Result<()> {
    // Writes a file when it is prompted, and knows no session that it could load.
    const AGENT: &str = r#"while read -r request; do case $request in
        *session/new*) echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}' ;;
        *session/prompt*)
            echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"1","title":"write","kind":"edit","status":"completed","content":[{"type":"diff","path":"new.py","newText":"x"}]}}}'
            echo '{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}' ;;
        *session/load*) echo '{"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"no such session"}}' ;;
        *) echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}' ;;
        esac; done"#;
    let stage = Stage::new()?;
    let mut editor = stage.editor(&stage.workspace())?;
    let mut tap = Command::new(acp_lens()?)
        .args(["tap", "--", "sh", "-c", AGENT])
        .env("ACP_LENS_RUNTIME_DIR", stage.dir.path().join("sockets"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut talk = Talk::new(&mut tap)?;
    talk.ask("initialize", &json!({"protocolVersion": 1}))?;
    let cwd = stage.workspace();
    talk.ask("session/new", &json!({"cwd": cwd, "mcpServers": []}))?;
    let prompt = json!([{"type": "text", "text": "go"}]);
    talk.ask(
        "session/prompt",
        &json!({"sessionId": "s", "prompt": prompt}),
    )?;
    let written = "new.py created +1 -0\n";
    until("the file is not listed", || {
        Ok(listed(&mut editor)? == written)
    })?;
    talk.ask(
        "session/load",
        &json!({"sessionId": "s", "cwd": cwd, "mcpServers": []}),
    )?;
    let told = editor.expect("acpLens/didChangeSession", |it| it["error"].is_string())?;
    assert_eq!(told["state"], "idle", "{told}");
    assert_eq!(
        told["error"],
        "the agent could not load this session: no such session"
    );
    assert_eq!(listed(&mut editor)?, written);
    drop(tap.stdin.take());
    tap.wait()?;
    editor.finish()
}

#[test]
fn a_killed_editor_does_not_disturb_the_agent() -> Result<()> {
    let stage = Stage::new()?;
    let mut editor = stage.editor(&stage.workspace())?;
    let mut client = stage.client()?;
    editor.expect("acpLens/didChangeActivity", |it| {
        it["files"]
            .as_array()
            .is_some_and(|files| !files.is_empty())
    })?;
    editor.kill()?;
    assert!(client.wait()?.success());
    assert_eq!(stage.recorded("outer.out")?, stage.recorded("inner.out")?);
    Ok(())
}

#[test]
fn a_stopped_editor_does_not_hold_up_the_agent() -> Result<()> {
    let stage = Stage::new()?;
    let mut editor = stage.editor(&stage.workspace())?;
    editor.settle()?;
    editor.signal("STOP")?;
    let mut client = stage.client()?;
    until("the agent waits for the editor", || {
        Ok(client.try_wait()?.is_some())
    })?;
    editor.signal("CONT")?;
    editor.finish()
}

/// A plain client on the streams of a process.
struct Talk<'a> {
    to: &'a mut std::process::ChildStdin,
    from: std::io::BufReader<&'a mut std::process::ChildStdout>,
    last_id: u64,
}

impl<'a> Talk<'a> {
    fn new(child: &'a mut Child) -> Result<Self> {
        Ok(Self {
            to: child.stdin.as_mut().context("no input")?,
            from: std::io::BufReader::new(child.stdout.as_mut().context("no output")?),
            last_id: 0,
        })
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        use std::io::{BufRead as _, Write as _};

        self.last_id += 1;
        let id = self.last_id;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(self.to, "{request}")?;
        loop {
            let mut line = String::new();
            if self.from.read_line(&mut line)? == 0 {
                bail!("the agent ended before {method} was answered");
            }
            let mut message: Value = serde_json::from_str(&line)?;
            if message["id"] == id && message.get("method").is_none() {
                return Ok(message["result"].take());
            }
        }
    }
}

/// How many threads of a process wait for taps.
#[cfg(target_os = "linux")]
fn listeners(process: u32) -> Result<usize> {
    let mut listeners = 0;
    for thread in std::fs::read_dir(format!("/proc/{process}/task"))? {
        // A thread can end while it is looked at.
        let name = std::fs::read_to_string(thread?.path().join("comm"));
        listeners += usize::from(name.is_ok_and(|name| name == "taps\n"));
    }
    Ok(listeners)
}

#[cfg(target_os = "linux")]
#[test]
fn an_editor_that_does_not_follow_taps_any_more_listens_no_more() -> Result<()> {
    let stage = Stage::new()?;
    let mut editor = stage.editor(&stage.workspace())?;
    let process = editor.process_id();
    for is_on in [true, false, true, false] {
        let settings = json!({"acpLens": {"tap": {"enabled": is_on}}});
        let changed = json!({"settings": settings});
        editor.notify("workspace/didChangeConfiguration", &changed)?;
        let wanted = usize::from(is_on);
        until("one listener while taps are followed", || {
            Ok(listeners(process)? == wanted && stage.sockets().len() == wanted)
        })?;
    }
    editor.finish()
}
