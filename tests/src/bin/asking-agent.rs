//! An agent whose prompts are what it does: a JSON list of steps, done one after another. It ends
//! its turn with a message that holds the list of what it was answered.
//!
//! A step is one of
//! - `{"request": METHOD, "params": {...}}`: sends the request and waits for its answer;
//! - `{"begin": METHOD, "params": {...}}`: sends it, and the next `{"join": true}` waits;
//! - `{"until": TEXT}`: asks for the output of the terminal until it holds the text;
//! - `{"update": {...}}`: sends an update;
//! - `{"capabilities": true}`: tells what the client can do;
//! - `{"exit": STATUS}`: ends the process.
//!
//! Parameters get the session's id, and the last terminal's where a step of a terminal names none.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, Write as _};
use std::time::Duration;

use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let mut agent = Agent {
        input: io::stdin().lock().lines(),
        capabilities: Value::Null,
        sessions: 0,
        asked: 0,
        terminal: Value::Null,
        begun: Vec::new(),
        answers: BTreeMap::new(),
    };
    while let Some(message) = agent.read()? {
        agent.take(&message)?;
    }
    Ok(())
}

struct Agent {
    input: io::Lines<io::StdinLock<'static>>,
    capabilities: Value,
    sessions: u64,
    asked: u64,
    /// The id of the last terminal.
    terminal: Value,
    /// Requests whose answers were not waited for.
    begun: Vec<u64>,
    /// Answers that nobody waited for yet.
    answers: BTreeMap<u64, Value>,
}

impl Agent {
    fn read(&mut self) -> io::Result<Option<Value>> {
        match self.input.next() {
            Some(line) => Ok(Some(serde_json::from_str(&line?)?)),
            None => Ok(None),
        }
    }

    fn take(&mut self, message: &Value) -> io::Result<()> {
        let result = match message["method"].as_str() {
            Some("initialize") => {
                self.capabilities = message["params"]["clientCapabilities"].clone();
                json!({"protocolVersion": 1, "agentCapabilities": {}})
            }
            Some("session/new") => {
                self.sessions += 1;
                json!({"sessionId": format!("s{}", self.sessions)})
            }
            Some("session/prompt") => self.prompt(&message["params"])?,
            _ => return Ok(()),
        };
        send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
    }

    fn prompt(&mut self, params: &Value) -> io::Result<Value> {
        let session = &params["sessionId"];
        let text = params["prompt"][0]["text"].as_str().unwrap_or_default();
        let steps: Vec<Value> = serde_json::from_str(text)?;
        let mut answers = Vec::new();
        for step in &steps {
            if let Some(method) = step["request"].as_str() {
                let id = self.begin(session, method, &step["params"])?;
                answers.push(self.join(id)?);
            } else if let Some(method) = step["begin"].as_str() {
                let id = self.begin(session, method, &step["params"])?;
                self.begun.push(id);
            } else if step["join"] == true {
                for id in std::mem::take(&mut self.begun) {
                    answers.push(self.join(id)?);
                }
            } else if let Some(text) = step["until"].as_str() {
                answers.push(self.until(session, text)?);
            } else if let Some(status) = step["exit"].as_i64() {
                std::process::exit(i32::try_from(status).unwrap_or(1));
            } else if step["capabilities"] == true {
                answers.push(self.capabilities.clone());
            } else {
                let mut update = step["update"].clone();
                if update["content"][0]["type"] == "terminal" {
                    update["content"][0]["terminalId"] = self.terminal.clone();
                }
                tell(session, &update)?;
            }
        }
        let text = Value::from(answers).to_string();
        let content = json!({"type": "text", "text": text});
        tell(
            session,
            &json!({"sessionUpdate": "agent_message_chunk", "content": content}),
        )?;
        Ok(json!({"stopReason": "end_turn"}))
    }

    fn begin(&mut self, session: &Value, method: &str, params: &Value) -> io::Result<u64> {
        self.asked += 1;
        let mut given = json!({"sessionId": session});
        if method.starts_with("terminal/") && method != "terminal/create" {
            given["terminalId"] = self.terminal.clone();
        }
        for (name, value) in params.as_object().into_iter().flatten() {
            given[name] = value.clone();
        }
        send(&json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": given}))?;
        Ok(self.asked)
    }

    /// Waits for the answer to a request: its result, or its error.
    fn join(&mut self, id: u64) -> io::Result<Value> {
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                if let Some(terminal) = answer["terminalId"].as_str() {
                    self.terminal = terminal.into();
                }
                return Ok(answer);
            }
            let message = self.read()?.ok_or(io::ErrorKind::UnexpectedEof)?;
            if message["method"].is_null()
                && let Some(id) = message["id"].as_u64()
            {
                let result = message.get("result").or_else(|| message.get("error"));
                self.answers.insert(id, result.cloned().unwrap_or_default());
            }
        }
    }

    fn until(&mut self, session: &Value, text: &str) -> io::Result<Value> {
        loop {
            let id = self.begin(session, "terminal/output", &json!({}))?;
            let output = self.join(id)?;
            let is_there = output["output"].as_str().is_none_or(|it| it.contains(text));
            if is_there {
                return Ok(output);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn tell(session: &Value, update: &Value) -> io::Result<()> {
    let params = json!({"sessionId": session, "update": update});
    send(&json!({"jsonrpc": "2.0", "method": "session/update", "params": params}))
}

fn send(message: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{message}")?;
    out.flush()
}
