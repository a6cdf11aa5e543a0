//! `acp-lens tap`: what passes through it, and how it ends.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use e2e::binary::{acp_lens, run};
use serde_json::json;

/// How long anything here may take before it counts as hanging.
const PATIENCE: Duration = Duration::from_secs(30);

/// A tap around a shell script, with sockets of its own.
fn tap(runtime: &tempfile::TempDir, script: &str) -> Result<Command> {
    let mut command = Command::new(acp_lens()?);
    command
        .args(["tap", "--", "sh", "-c", script])
        .env("ACP_LENS_RUNTIME_DIR", runtime.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Ok(command)
}

/// Waits for the end of a process, and fails when it does not come.
fn wait(child: &mut Child) -> Result<ExitStatus> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if Instant::now() > deadline {
            child.kill()?;
            bail!("it did not end");
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Sends `input` through a tap around `cat`, in pieces, and gives what comes back.
fn through_cat(pieces: &[&[u8]]) -> Result<Vec<u8>> {
    let runtime = tempfile::tempdir()?;
    let mut child = tap(&runtime, "exec cat")?.spawn()?;
    let mut to = child.stdin.take().context("no input")?;
    let mut from = child.stdout.take().context("no output")?;
    let reading = thread::spawn(move || {
        let mut back = Vec::new();
        from.read_to_end(&mut back).map(|_| back)
    });
    for piece in pieces {
        to.write_all(piece)?;
        to.flush()?;
    }
    drop(to);
    let status = wait(&mut child)?;
    assert!(status.success(), "{status}");
    Ok(reading.join().expect("the reader does not panic")?)
}

/// Every byte comes back as it was sent.
fn check_bytes(pieces: &[&[u8]]) -> Result<()> {
    let back = through_cat(pieces)?;
    let sent = pieces.concat();
    assert!(
        back == sent,
        "{} bytes were sent and {} came back, the first difference is at {:?}",
        sent.len(),
        back.len(),
        back.iter()
            .zip(&sent)
            .position(|(left, right)| left != right)
    );
    Ok(())
}

#[test]
fn bytes_pass_unchanged() -> Result<()> {
    check_bytes(&[])?;
    check_bytes(&[b"{\"jsonrpc\":\"2.0\"}\n"])?;
    check_bytes(&[b"crlf\r\n", b"\r\n\n", b"no final newline"])?;
    // A character and a line in several pieces.
    check_bytes(&[b"{\"a\":\"\xe2", b"\x82", b"\xac\"", b"}\n"])?;
    let garbage: Vec<u8> = (0..=255_u8).cycle().take(100_000).collect();
    check_bytes(&[&garbage])
}

#[test]
fn a_line_of_64_megabytes_passes_unchanged() -> Result<()> {
    let mut line = vec![b'x'; 64 * 1024 * 1024];
    line.splice(..9, *b"{\"text\":\"");
    line.extend_from_slice(b"\"}\n{\"next\":1}\n");
    check_bytes(&[&line])
}

#[test]
fn standard_error_passes_unchanged() -> Result<()> {
    let runtime = tempfile::tempdir()?;
    let mut child = tap(&runtime, r"printf 'a\0b\377' >&2")?.spawn()?;
    drop(child.stdin.take());
    let mut log = Vec::new();
    child
        .stderr
        .take()
        .context("no log")?
        .read_to_end(&mut log)?;
    assert_eq!(log, b"a\0b\xff");
    assert!(wait(&mut child)?.success());
    Ok(())
}

/// How a tap around `script` ends, and that it leaves no socket.
fn check_end(script: &str, code: Option<i32>, signal: Option<i32>) -> Result<()> {
    let runtime = tempfile::tempdir()?;
    let mut child = tap(&runtime, script)?.spawn()?;
    let status = wait(&mut child)?;
    assert_eq!((status.code(), status.signal()), (code, signal), "{script}");
    let left: Vec<_> = std::fs::read_dir(runtime.path())?.collect();
    assert!(left.is_empty(), "{left:?}");
    Ok(())
}

#[test]
fn it_ends_as_the_agent_ends() -> Result<()> {
    check_end("exit 0", Some(0), None)?;
    check_end("exit 7", Some(7), None)?;
    check_end("kill -TERM $$", None, Some(15))?;
    check_end("kill -KILL $$", None, Some(9))?;
    check_end("kill -SEGV $$", None, Some(11))?;
    check_end("exec no-such-program 2>/dev/null", Some(127), None)
}

#[test]
fn signals_reach_the_agent() -> Result<()> {
    let runtime = tempfile::tempdir()?;
    let script = "trap 'echo asked; exit 3' TERM; echo ready; while :; do sleep 0.05; done";
    let mut child = tap(&runtime, script)?.spawn()?;
    let mut from = child.stdout.take().context("no output")?;
    let mut word = [0; 6];
    from.read_exact(&mut word)?;
    assert_eq!(&word, b"ready\n");
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &pid])
            .status()?
            .success()
    );
    let mut rest = String::new();
    from.read_to_string(&mut rest)?;
    assert_eq!(rest, "asked\n");
    assert_eq!(wait(&mut child)?.code(), Some(3));
    Ok(())
}

#[test]
fn closed_ends_are_passed_on() -> Result<()> {
    let runtime = tempfile::tempdir()?;
    // The agent closes its output and lives on: the client learns of it at once.
    let mut child = tap(&runtime, "echo last; exec >&-; read line; exit 5")?.spawn()?;
    let mut words = String::new();
    child
        .stdout
        .take()
        .context("no output")?
        .read_to_string(&mut words)?;
    assert_eq!(words, "last\n");
    assert!(child.try_wait()?.is_none(), "the agent still runs");
    child.stdin.take().context("no input")?.write_all(b"go\n")?;
    assert_eq!(wait(&mut child)?.code(), Some(5));
    Ok(())
}

/// Whether a process is there.
fn is_alive(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"));
    status.is_ok_and(|status| !status.contains("State:\tZ"))
}

fn until(what: &str, mut holds: impl FnMut() -> bool) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        if Instant::now() > deadline {
            bail!("{what}");
        }
        thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// Starts a tap around an agent that looks at nothing, and gives the agent's process id.
fn stubborn(runtime: &tempfile::TempDir) -> Result<(Child, u32)> {
    let script = "trap '' TERM HUP PIPE; echo $$; while :; do sleep 0.05; done";
    let mut child = tap(runtime, script)?.spawn()?;
    let mut from = child.stdout.take().context("no output")?;
    let mut number = String::new();
    let mut byte = [0];
    while from.read(&mut byte)? == 1 && byte != *b"\n" {
        number.push(char::from(byte[0]));
    }
    child.stdout = Some(from);
    Ok((child, number.parse()?))
}

#[test]
#[cfg(target_os = "linux")]
fn a_killed_tap_takes_its_agent_along() -> Result<()> {
    let runtime = tempfile::tempdir()?;
    let (mut child, agent) = stubborn(&runtime)?;
    child.kill()?;
    wait(&mut child)?;
    until("the agent is still there", || !is_alive(agent))
}

#[test]
#[cfg(target_os = "linux")]
fn an_agent_whose_client_is_gone_is_ended() -> Result<()> {
    let runtime = tempfile::tempdir()?;
    let (mut child, agent) = stubborn(&runtime)?;
    drop(child.stdin.take());
    drop(child.stdout.take());
    assert_eq!(wait(&mut child)?.signal(), Some(9));
    assert!(!is_alive(agent));
    Ok(())
}

#[test]
fn a_socket_left_behind_is_in_nobodys_way() -> Result<()> {
    let runtime = tempfile::tempdir()?;
    let (mut killed, _) = stubborn(&runtime)?;
    killed.kill()?;
    wait(&mut killed)?;
    // A server that looks around removes it; a tap does not need to.
    let mut child = tap(&runtime, "exit 0")?.spawn()?;
    assert!(wait(&mut child)?.success());
    Ok(())
}

#[test]
fn a_recording_holds_the_messages_and_masks_secrets() -> Result<()> {
    let runtime = tempfile::tempdir()?;
    let secret = r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[{"name":"m","command":"x","args":[],"env":[{"name":"KEY","value":"s3cret"}]}]}}"#;
    for (flags, expect) in [
        (&["--record"][..], "***"),
        (&["--record-raw", "--record"], "s3cret"),
    ] {
        let file = runtime.path().join(format!("{expect}.ndjson"));
        let mut child = Command::new(acp_lens()?)
            .arg("tap")
            .args(flags)
            .arg(&file)
            .args([
                "--",
                "sh",
                "-c",
                "read line; echo noise; printf '{\"id\":1,\"result\":{\"sessionId\":\"s\"}}'",
            ])
            .env("ACP_LENS_RUNTIME_DIR", runtime.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()?;
        let mut to = child.stdin.take().context("no input")?;
        writeln!(to, "{secret}")?;
        drop(to);
        assert!(wait(&mut child)?.success());
        let text = std::fs::read_to_string(&file)?;
        let lines: Vec<serde_json::Value> = text
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<_, _>>()?;
        assert_eq!(lines.len(), 2, "{text}");
        assert_eq!(lines[0]["dir"], "c2a");
        assert_eq!(
            lines[0]["msg"]["params"]["mcpServers"][0]["env"][0]["value"],
            expect
        );
        assert_eq!(lines[1]["dir"], "a2c");
        assert_eq!(lines[1]["msg"]["result"]["sessionId"], "s");
    }
    Ok(())
}

/// A tap that records an agent which makes the session `s-1` and writes one file in it.
fn recording_tap(runtime: &tempfile::TempDir, file: &Path, changed: &str) -> Result<Child> {
    let answers = [
        json!({"jsonrpc": "2.0", "id": 0, "result": {"agentInfo": {"name": "counter", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s-1"}}),
        json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1",
            "update": {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "write",
                "kind": "edit", "status": "completed",
                "content": [{"type": "diff", "path": changed, "newText": "x\n"}]}}}),
    ];
    let mut script = "read a; read b".to_owned();
    for answer in answers {
        write!(script, "; printf '%s\\n' '{answer}'")?;
    }
    let child = Command::new(acp_lens()?)
        .args(["tap", "--record"])
        .arg(file)
        .args(["--", "sh", "-c", &format!("{script}; cat > /dev/null")])
        .env("ACP_LENS_RUNTIME_DIR", runtime.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut to = child.stdin.as_ref().context("no input")?;
    writeln!(
        to,
        "{}",
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}})
    )?;
    let new = json!({"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/w"}});
    writeln!(to, "{new}")?;
    Ok(child)
}

/// Lets the client of a tap go, and waits until the tap has ended well.
fn leave(mut tap: Child) -> Result<()> {
    drop(tap.stdin.take());
    let status = wait(&mut tap)?;
    anyhow::ensure!(status.success(), "{status}");
    Ok(())
}

#[test]
fn a_recording_goes_on_and_keeps_its_sessions_apart() -> Result<()> {
    let runtime = tempfile::tempdir()?;
    let file = runtime.path().join("session.ndjson");
    leave(recording_tap(&runtime, &file, "/w/one.txt")?)?;
    let first = std::fs::read_to_string(&file)?;
    // A tap that was killed can leave half a line.
    std::fs::write(&file, format!("{first}{{\"t\":1,"))?;
    leave(recording_tap(&runtime, &file, "/w/two.txt")?)?;
    let both = std::fs::read_to_string(&file)?;
    assert!(both.starts_with(&first), "{both}");

    let path = file.to_str().context("a path in UTF-8")?;
    let shown = run(&["replay", "--format", "json", path], b"")?;
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    let document: serde_json::Value = serde_json::from_str(&shown.stdout)?;
    assert_eq!(document["skippedLines"], 1, "the half line");
    let sessions = document["sessions"].as_array().context("no sessions")?;
    let seen: Vec<_> = sessions
        .iter()
        .map(|session| {
            (
                &session["sessionId"],
                &session["activities"][0]["relativePath"],
            )
        })
        .collect();
    let id = json!("s-1");
    assert_eq!(seen, [(&id, &json!("one.txt")), (&id, &json!("two.txt"))]);
    Ok(())
}

#[test]
fn a_file_that_cannot_be_recorded_into_stays_as_it_is() -> Result<()> {
    let runtime = tempfile::tempdir()?;
    let recording = runtime.path().join("session.ndjson");
    let other = runtime.path().join("notes.md");
    std::fs::write(&other, "# Notes\n")?;
    let running = recording_tap(&runtime, &recording, "/w/one.txt")?;
    until("the recording begins", || {
        std::fs::metadata(&recording).is_ok_and(|it| it.len() > 0)
    })?;
    for (file, why) in [
        (&other, "it holds something else than a recording"),
        (&recording, "another tap writes it"),
    ] {
        let before = std::fs::read(file)?;
        let path = file.to_str().context("a path in UTF-8")?;
        let agent = runtime.path().join("agent-ran");
        let touch = format!("touch {}", agent.display());
        let refused = run(&["tap", "--record", path, "--", "sh", "-c", &touch], b"")?;
        assert_eq!(refused.code, Some(1));
        assert!(refused.stderr.contains(why), "{}", refused.stderr);
        assert_eq!(refused.stderr.lines().count(), 2, "{}", refused.stderr);
        assert!(!agent.exists(), "the agent must not start");
        assert!(std::fs::read(file)?.starts_with(&before));
    }
    leave(running)
}
