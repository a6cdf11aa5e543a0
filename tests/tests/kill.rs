//! An agent that streams edits behind a tap, an ACP client, editors that look on, and one of them
//! killed at any point: no process is left, nothing is in the way of the next start, and whoever
//! looks on is told what happened.
//!
//! The points are chosen at random from a seed; `ACP_LENS_KILL_SEED` tries others.
#![cfg(target_os = "linux")]

use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use e2e::binary::acp_lens;
use e2e::client::{Abilities, Client};
use e2e::process::{has_ended, is_alive};
use e2e::random::Random;
use serde_json::{Value, json};
use tempfile::TempDir;

/// How many files the agent edits in a turn, and does so in two turns.
const STREAMED: u64 = 300;
/// How many points are tried for each victim.
const POINTS: u64 = 4;

struct Stage {
    dir: TempDir,
}

/// A session that runs behind a tap.
struct Running {
    client: Child,
    tap: u32,
    agent: u32,
}

impl Stage {
    fn new() -> Result<Self> {
        let dir = tempfile::tempdir()?;
        std::fs::create_dir(dir.path().join("work"))?;
        std::fs::create_dir(dir.path().join("sockets"))?;
        Ok(Self { dir })
    }

    fn editor(&self) -> Result<Client> {
        let mut editor = Client::start_in(&self.dir.path().join("sockets"))?;
        let uri = format!("file://{}", self.dir.path().join("work").display());
        editor.initialize(Abilities::Extension, &uri, &json!({}))?;
        Ok(editor)
    }

    fn tap(&self, agent: &[&str]) -> Result<Command> {
        let mut command = Command::new(acp_lens()?);
        command
            .args(["tap", "--"])
            .args(agent)
            .env("ACP_LENS_RUNTIME_DIR", self.dir.path().join("sockets"));
        Ok(command)
    }

    /// Starts the client, and waits until the editor sees its session.
    fn run(&self, editor: &mut Client) -> Result<Running> {
        let client = Command::new(env!("CARGO_BIN_EXE_acp-client"))
            .arg(self.dir.path().join("work"))
            .arg(acp_lens()?)
            .args(["tap", "--", env!("CARGO_BIN_EXE_chaos-agent"), "streams"])
            .env("ACP_LENS_RUNTIME_DIR", self.dir.path().join("sockets"))
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let seen = editor.expect("acpLens/didChangeSession", |it| !it["agent"].is_null())?;
        // This agent tells its process as its version.
        let agent = seen["agent"]["version"].as_str().context("a version")?;
        let tap = self.sockets()?.into_iter().find_map(|name| {
            let process = name.strip_prefix("tap-")?.split('-').next()?;
            process.parse().ok()
        });
        Ok(Running {
            client,
            tap: tap.context("the tap has a socket")?,
            agent: agent.parse()?,
        })
    }

    fn sockets(&self) -> Result<Vec<String>> {
        let entries = std::fs::read_dir(self.dir.path().join("sockets"))?;
        let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        names.collect()
    }

    /// Whatever was left behind, the next tap and the next editor work, and then nothing is left.
    fn check_next_start(&self) -> Result<()> {
        let mut next = self.editor()?;
        let mut tap = self.tap(&["sh", "-c", "exit 7"])?;
        let status = tap.stdin(Stdio::null()).status()?;
        assert_eq!(status.code(), Some(7));
        next.settle()?;
        next.finish()?;
        let left = self.sockets()?;
        ensure!(left.is_empty(), "{left:?}");
        Ok(())
    }
}

/// Waits until the editor lists this many edited files.
fn has_seen(editor: &mut Client, n_files: u64) -> Result<()> {
    editor.expect("acpLens/didChangeActivity", |it| {
        let sessions = it["sessions"].as_array().into_iter().flatten();
        let counts = sessions.filter_map(|session| session["uniqueFileCount"].as_u64());
        counts.max() >= Some(n_files)
    })?;
    Ok(())
}

/// Waits until the editor is told of the end, and gives the error that it is told.
fn end_of_session(editor: &mut Client) -> Result<Value> {
    let ended = editor.expect("acpLens/didChangeSession", |it| {
        it["state"] == "disconnected"
    })?;
    Ok(ended["error"].clone())
}

fn kill(process: u32) -> Result<()> {
    let status = Command::new("kill")
        .args(["-KILL", &process.to_string()])
        .status()?;
    ensure!(status.success(), "{process} could not be killed");
    Ok(())
}

/// Points of the stream at which something is killed: numbers of files seen.
fn points(victim: u64) -> Result<Vec<u64>> {
    let seed = match std::env::var("ACP_LENS_KILL_SEED") {
        Ok(seed) => seed.parse()?,
        Err(_) => 1_u64,
    };
    let mut random = Random::new(seed * 1000 + victim * 100);
    Ok((0..POINTS)
        .map(|_| 1 + random.below(STREAMED - 1))
        .collect())
}

/// Kills the victim at each of its points. `check` is given what ran, and looks on.
fn check(
    victim: u64,
    mut check: impl FnMut(&Stage, &mut Client, &mut Running) -> Result<()>,
) -> Result<()> {
    for point in points(victim)? {
        let stage = Stage::new()?;
        let mut editor = stage.editor()?;
        let mut running = stage.run(&mut editor)?;
        has_seen(&mut editor, point)
            .and_then(|()| check(&stage, &mut editor, &mut running))
            .with_context(|| format!("at the point {point}"))?;
        for process in [running.client.id(), running.tap, running.agent] {
            has_ended(process)?;
        }
        drop(editor);
        stage.check_next_start()?;
    }
    Ok(())
}

#[test]
fn the_agent_is_killed() -> Result<()> {
    check(0, |_, editor, running| {
        kill(running.agent)?;
        let error = end_of_session(editor)?;
        assert_eq!(error, "the agent ended (signal: 9 (SIGKILL))");
        ensure!(!running.client.wait()?.success(), "the client is told");
        Ok(())
    })
}

#[test]
fn the_client_is_killed() -> Result<()> {
    check(1, |_, editor, running| {
        running.client.kill()?;
        running.client.wait()?;
        let error = end_of_session(editor)?;
        let error = error.as_str().context("an error")?;
        assert!(
            error.starts_with("the agent's client went away, and the agent ended ("),
            "{error}"
        );
        Ok(())
    })
}

#[test]
fn the_tap_is_killed() -> Result<()> {
    check(2, |_, editor, running| {
        kill(running.tap)?;
        let error = end_of_session(editor)?;
        assert_eq!(
            error,
            "the tap was killed; what the agent did last may be missing"
        );
        ensure!(!running.client.wait()?.success(), "the client is told");
        Ok(())
    })
}

#[test]
fn an_editor_is_killed() -> Result<()> {
    check(3, |stage, editor, running| {
        editor.kill()?;
        // The session goes on, and another editor sees all of it.
        assert!(is_alive(running.agent));
        let mut next = stage.editor()?;
        has_seen(&mut next, STREAMED)?;
        ensure!(
            running.client.wait()?.success(),
            "the client is undisturbed"
        );
        assert_eq!(end_of_session(&mut next)?, Value::Null);
        next.finish()
    })
}
