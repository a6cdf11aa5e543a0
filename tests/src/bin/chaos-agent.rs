//! An agent that misbehaves in one way, named by its first argument. Otherwise it answers what it
//! must: `initialize`, `session/new`, `session/load` and `session/prompt`.

use std::io::{self, BufRead as _, Write as _};
use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let mode = std::env::args().nth(1).unwrap_or_default();
    let mut agent = Agent {
        mode,
        out: io::stdout().lock(),
        cancelled: false,
    };
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        agent.take(&message)?;
    }
    if agent.mode == "ignores-end-of-input" {
        sleep(Duration::from_mins(10));
    }
    Ok(())
}

struct Agent {
    mode: String,
    out: io::StdoutLock<'static>,
    cancelled: bool,
}

impl Agent {
    fn take(&mut self, message: &Value) -> io::Result<()> {
        let id = &message["id"];
        match (message["method"].as_str(), self.mode.as_str()) {
            (Some("initialize"), "dies-in-initialize") => exit(3),
            (Some("initialize"), "hangs-in-initialize") => Ok(()),
            (Some("initialize"), _) => {
                if self.mode == "prints-garbage" {
                    self.garbage()?;
                }
                let capabilities = json!({"loadSession": true});
                self.answer(
                    id,
                    &json!({"protocolVersion": 1, "agentCapabilities": capabilities}),
                )
            }
            (Some("session/new"), _) => self.answer(id, &json!({"sessionId": "s"})),
            (Some("session/load"), "dies-in-load") => exit(4),
            (Some("session/load"), mode) => {
                let is_slow = mode == "loads-slowly";
                self.edit("s", "old.txt")?;
                if is_slow {
                    sleep(Duration::from_millis(400));
                    self.edit("s", "older.txt")?;
                }
                self.answer(id, &json!({}))
            }
            (Some("session/prompt"), mode) => {
                let mode = mode.to_owned();
                self.prompt(id, &mode)
            }
            (Some("session/cancel"), _) => {
                self.cancelled = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn prompt(&mut self, id: &Value, mode: &str) -> io::Result<()> {
        match mode {
            "dies-in-prompt" => {
                self.edit("s", "a.txt")?;
                exit(5)
            }
            "closes-output" => {
                self.edit("s", "a.txt")?;
                self.out.flush()?;
                close_output();
                sleep(Duration::from_mins(10));
                Ok(())
            }
            "floods" => {
                // 100 MB in lines of 10 kB, as fast as they are taken.
                let text = "x".repeat(10_000);
                let line = json!({"jsonrpc": "2.0", "method": "session/update", "params": {
                    "sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk",
                    "content": {"type": "text", "text": text}}}})
                .to_string();
                for _ in 0..10_000 {
                    writeln!(self.out, "{line}")?;
                }
                self.edit("s", "a.txt")?;
                self.answer(id, &json!({"stopReason": "end_turn"}))
            }
            "unknown-sessions" => {
                for n in 0..1000 {
                    self.edit(&format!("nobody-{n}"), "b.txt")?;
                }
                self.edit("s", "a.txt")?;
                self.answer(id, &json!({"stopReason": "end_turn"}))
            }
            "prints-garbage" => {
                self.garbage()?;
                self.edit("s", "a.txt")?;
                self.garbage()?;
                self.answer(id, &json!({"stopReason": "end_turn"}))
            }
            "late-updates" => {
                self.answer(id, &json!({"stopReason": "cancelled"}))?;
                self.edit("s", "a.txt")
            }
            _ => {
                self.edit("s", "a.txt")?;
                self.answer(id, &json!({"stopReason": "end_turn"}))
            }
        }
    }

    /// A completed edit of a file of the working directory.
    fn edit(&mut self, session: &str, path: &str) -> io::Result<()> {
        let call = format!("call-{path}");
        self.send(
            &json!({"jsonrpc": "2.0", "method": "session/update", "params": {
            "sessionId": session, "update": {"sessionUpdate": "tool_call", "toolCallId": call,
            "title": format!("Edit {path}"), "kind": "edit", "status": "completed",
            "locations": [{"path": path}],
            "content": [{"type": "diff", "path": path, "oldText": "old\n", "newText": "new\n"}]}}}),
        )
    }

    fn garbage(&mut self) -> io::Result<()> {
        self.out
            .write_all(b"Loading model...\n\xff\xfe\0\n[1]\n{\"cut\": \n{}\n\n42\n")?;
        self.out.write_all(&vec![b'g'; 1_000_000])?;
        self.out.write_all(b"\n")
    }

    fn answer(&mut self, id: &Value, result: &Value) -> io::Result<()> {
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
        self.send(&answer)?;
        if self.mode == "answers-twice" {
            self.send(&answer)?;
        }
        Ok(())
    }

    fn send(&mut self, message: &Value) -> io::Result<()> {
        writeln!(self.out, "{message}")?;
        self.out.flush()
    }
}

/// Closes standard output while the process lives on.
#[cfg(unix)]
fn close_output() {
    if let Ok(nothing) = std::fs::File::options().write(true).open("/dev/null") {
        // Without it the test fails, and says so.
        let _ = rustix::stdio::dup2_stdout(nothing);
    }
}

#[cfg(not(unix))]
fn close_output() {}
