//! An agent that misbehaves in one way, named by its first argument. Otherwise it answers what it
//! must: `initialize`, `session/new`, `session/load` and `session/prompt`.

use std::io::{self, BufRead as _, Write as _};
use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

/// How many files a stream edits, one after the other.
const STREAMED: u32 = 300;

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut agent = Agent {
        mode: arguments.next().unwrap_or_default(),
        name: arguments.next().unwrap_or_default(),
        cwd: std::path::PathBuf::new(),
        steps: 0,
        out: io::stdout().lock(),
        prompt: Value::Null,
        run: Value::Null,
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
    /// What it calls itself.
    name: String,
    /// The directory of its session.
    cwd: std::path::PathBuf,
    /// How often it has written.
    steps: u32,
    out: io::StdoutLock<'static>,
    /// The prompt that waits for an answer.
    prompt: Value,
    /// The name of the run that the prompt began.
    run: Value,
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
                let result = json!({
                    "protocolVersion": 1,
                    "agentCapabilities": {"loadSession": true, "sessionCapabilities": {"list": {}}},
                    "agentInfo": {"name": self.name, "version": std::process::id().to_string()},
                });
                self.answer(id, &result)
            }
            (Some("session/new"), "refuses-sessions") => {
                let details = std::env::current_dir()?;
                let error = json!({"code": -32603, "message": "Internal error",
                    "data": {"details": details}});
                self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
            }
            (Some("session/new"), "wants-a-sign-in") => {
                let error = json!({"code": -32000, "message": "Authentication required"});
                self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
            }
            (Some("session/new"), _) => {
                self.cwd = message["params"]["cwd"].as_str().unwrap_or_default().into();
                self.answer(id, &json!({"sessionId": "s"}))
            }
            (Some("session/list"), _) => {
                // It finds nothing by a directory.
                let is_all = message["params"]["cwd"].is_null();
                let cwd = std::env::current_dir()?;
                let sessions = json!([{"sessionId": "here", "cwd": cwd}, {"sessionId": "nowhere"},
                    {"sessionId": "elsewhere", "cwd": "/elsewhere"}]);
                self.answer(
                    id,
                    &json!({"sessions": if is_all { sessions } else { json!([]) }}),
                )
            }
            (Some("session/load"), "dies-in-load") => exit(4),
            (Some("session/load"), "hangs-in-load") => self.edit("s", "old.txt"),
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
                self.run = message["params"]["_meta"]["messageId"].clone();
                self.prompt(id, &mode)
            }
            (Some("session/cancel"), "answers-after-cancel") => {
                self.edit("s", "b.txt")?;
                let prompt = self.prompt.take();
                self.answer(&prompt, &json!({"stopReason": "cancelled"}))?;
                self.edit("s", "c.txt")?;
                self.answer(&prompt, &json!({"stopReason": "end_turn"}))
            }
            (None, "reads-before-it-writes") => self.has_read(message),
            (None, "edits-in-steps") => self.next_step(message),
            _ => Ok(()),
        }
    }

    fn prompt(&mut self, id: &Value, mode: &str) -> io::Result<()> {
        match mode {
            "dies-in-prompt" => {
                self.edit("s", "a.txt")?;
                exit(5)
            }
            "starts-again" => {
                let update = |update: Value, meta: Value| {
                    json!({"jsonrpc": "2.0", "method": "session/update",
                        "params": {"sessionId": "s", "update": update, "_meta": meta}})
                };
                for call in ["old", "older"] {
                    let call = json!({"sessionUpdate": "tool_call", "toolCallId": call,
                        "title": "work", "status": "in_progress"});
                    self.send(&update(call, json!({})))?;
                }
                let words = json!({"sessionUpdate": "agent_message_chunk",
                    "content": {"type": "text", "text": "again"}});
                let stranger = json!({"runId": "r1", "resumedFromRunId": "nobody's"});
                self.send(&update(words.clone(), stranger))?;
                let call = json!({"sessionUpdate": "tool_call_update", "toolCallId": "older",
                    "status": "completed"});
                self.send(&update(call, json!({})))?;
                let ours = json!({"runId": "r2", "resumedFromRunId": self.run});
                self.send(&update(words, ours))?;
                self.edit("s", "a.txt")?;
                self.answer(id, &json!({"stopReason": "end_turn"}))
            }
            "endless-line" => {
                self.edit("s", "a.txt")?;
                let piece = vec![b'x'; 1024 * 1024];
                for _ in 0..=64 {
                    self.out.write_all(&piece)?;
                }
                self.out.flush()?;
                sleep(Duration::from_mins(10));
                Ok(())
            }
            "hangs-in-prompt" => self.edit("s", "a.txt"),
            "answers-after-cancel" => {
                self.prompt = id.clone();
                self.edit("s", "a.txt")
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
            "streams" => {
                for n in 0..STREAMED {
                    self.edit("s", &format!("{n}.txt"))?;
                    sleep(Duration::from_millis(2));
                }
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
            "reads-before-it-writes" | "edits-in-steps" => self.read(id),
            _ => {
                self.edit("s", "a.txt")?;
                self.answer(id, &json!({"stopReason": "end_turn"}))
            }
        }
    }

    /// Asks for the text of a file of its session, under the id of the prompt.
    fn read(&mut self, id: &Value) -> io::Result<()> {
        let params = json!({"sessionId": "s", "path": self.cwd.join("a.txt")});
        self.send(
            &json!({"jsonrpc": "2.0", "id": id, "method": "fs/read_text_file", "params": params}),
        )
    }

    /// Appends a line to what it has read, and reads again, twice.
    fn next_step(&mut self, message: &Value) -> io::Result<()> {
        let id = &message["id"];
        if let Some(text) = message["result"]["content"].as_str() {
            let params = json!({"sessionId": "s", "path": self.cwd.join("a.txt"),
                "content": format!("{text}more\n")});
            return self.send(
                &json!({"jsonrpc": "2.0", "id": id, "method": "fs/write_text_file",
                "params": params}),
            );
        }
        self.steps += 1;
        if self.steps < 2 {
            return self.read(id);
        }
        self.edit("s", "a.txt")?;
        self.answer(id, &json!({"stopReason": "end_turn"}))
    }

    /// The answer to what was read: it edits only what it could read, and ends with the error's
    /// code as the reason otherwise.
    fn has_read(&mut self, message: &Value) -> io::Result<()> {
        let reason = match message["error"]["code"].as_i64() {
            None => {
                self.edit("s", "a.txt")?;
                "end_turn".to_owned()
            }
            Some(code) => code.to_string(),
        };
        self.answer(&message["id"], &json!({"stopReason": reason}))
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
