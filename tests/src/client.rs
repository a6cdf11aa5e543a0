//! A language client that drives the real `acp-lens lsp` over its standard streams.
//!
//! It knows nothing of the server but the protocol. Every wait has a deadline, and what the server
//! says on its own is kept until a test asks for it.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use crate::binary::acp_lens;

/// How long a test waits for anything. Far above what is needed, so that a busy machine does not
/// fail a test.
const DEADLINE: Duration = Duration::from_secs(30);

/// A client with its server.
pub struct Client {
    server: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    next_id: i64,
    /// What the server said on its own and nobody asked for yet: notifications and requests.
    pub unread: VecDeque<Value>,
    /// Answers to requests that nobody waited for yet.
    answers: VecDeque<Value>,
    /// What `window/showDocument` is answered with.
    pub shows_documents: bool,
    /// Permission questions are answered with their first option; otherwise they stay unanswered.
    pub answers_permissions: bool,
    /// The directory of the sockets, when it is the client's own.
    runtime: Option<tempfile::TempDir>,
}

/// What a client can do, for `initialize`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Abilities {
    /// None of the optional ones.
    None,
    /// Those of an editor without an extension.
    Standard,
    /// Those of an editor with the extension.
    Extension,
}

impl Client {
    /// Starts the server; nothing is said yet.
    ///
    /// # Errors
    /// When the binary cannot be built or started.
    pub fn start() -> Result<Self> {
        // No tap of another test, and none of the person who runs the tests, is to be found.
        let runtime = tempfile::tempdir().context("a directory for sockets")?;
        let mut client = Self::start_in(runtime.path())?;
        client.runtime = Some(runtime);
        Ok(client)
    }

    /// Starts the server with this directory for its sockets; nothing is said yet.
    ///
    /// # Errors
    /// When the binary cannot be built or started.
    pub fn start_in(runtime: &Path) -> Result<Self> {
        let mut server = Command::new(acp_lens()?)
            .arg("lsp")
            .env("ACP_LENS_RUNTIME_DIR", runtime)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .context("acp-lens starts")?;
        let input = server.stdin.take();
        let output = server.stdout.take().context("standard output is piped")?;
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Ok(Some(message)) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Ok(Self {
            server,
            input,
            messages,
            next_id: 0,
            unread: VecDeque::new(),
            answers: VecDeque::new(),
            shows_documents: true,
            answers_permissions: true,
            runtime: None,
        })
    }

    /// Starts the server and says what the client can do and where it works.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn initialized(abilities: Abilities, root: &str, settings: &Value) -> Result<Self> {
        let mut client = Self::start()?;
        client.initialize(abilities, root, settings)?;
        Ok(client)
    }

    /// `initialize` and `initialized`; gives the server's capabilities.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn initialize(
        &mut self,
        abilities: Abilities,
        root: &str,
        settings: &Value,
    ) -> Result<Value> {
        let capabilities = match abilities {
            Abilities::None => json!({}),
            Abilities::Standard => json!({
                "workspace": {"codeLens": {"refreshSupport": true}},
                "window": {"showDocument": {"support": true}, "workDoneProgress": true},
                "general": {"positionEncodings": ["utf-8", "utf-16"]},
            }),
            Abilities::Extension => json!({
                "workspace": {"codeLens": {"refreshSupport": true}},
                "window": {"showDocument": {"support": true}, "workDoneProgress": true},
                "experimental": {"acpLens": {
                    "version": 1, "notifications": true, "requestPermission": true, "commands": true,
                }},
            }),
        };
        let answer = self.request(
            "initialize",
            &json!({
                "processId": null,
                "capabilities": capabilities,
                "workspaceFolders": [{"uri": root, "name": "root"}],
                "initializationOptions": settings,
            }),
        )?;
        self.notify("initialized", &json!({}))?;
        Ok(answer)
    }

    /// Sends bytes as they are.
    ///
    /// # Errors
    /// When the server does not read.
    pub fn raw(&mut self, bytes: &[u8]) -> Result<()> {
        let input = self.input.as_mut().context("standard input is open")?;
        input.write_all(bytes)?;
        Ok(input.flush()?)
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let body = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes())
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// When the server does not read.
    pub fn notify(&mut self, method: &str, params: &Value) -> Result<()> {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    /// Sends a request and gives its id, without waiting.
    ///
    /// # Errors
    /// When the server does not read.
    pub fn begin(&mut self, method: &str, params: &Value) -> Result<i64> {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        Ok(id)
    }

    /// Waits for the whole answer to a request.
    ///
    /// # Errors
    /// When it does not come.
    pub fn answer(&mut self, id: i64) -> Result<Value> {
        self.answer_to(&json!(id))
    }

    /// Waits for an answer by any id; what could not be understood is answered to `null`.
    ///
    /// # Errors
    /// When it does not come.
    pub fn answer_to(&mut self, id: &Value) -> Result<Value> {
        self.wait(&format!("the answer to {id}"), |client| {
            let at = client.answers.iter().position(|it| it["id"] == *id)?;
            client.answers.remove(at)
        })
    }

    /// Sends a request and waits for its result.
    ///
    /// # Errors
    /// When it fails or is not answered.
    pub fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        let id = self.begin(method, params)?;
        let mut answer = self.answer(id)?;
        ensure!(answer.get("error").is_none(), "{method}: {answer}");
        Ok(answer["result"].take())
    }

    /// Sends a request that has to fail, and gives the error.
    ///
    /// # Errors
    /// When it does not fail, or is not answered.
    pub fn failing(&mut self, method: &str, params: &Value) -> Result<Value> {
        let id = self.begin(method, params)?;
        let mut answer = self.answer(id)?;
        ensure!(answer.get("error").is_some(), "{method}: {answer}");
        Ok(answer["error"].take())
    }

    /// Waits for a message of the server that has this method and that `is_wanted` accepts; gives
    /// its parameters. Messages before it stay unread.
    ///
    /// # Errors
    /// When it does not come.
    pub fn expect(&mut self, method: &str, is_wanted: impl Fn(&Value) -> bool) -> Result<Value> {
        let mut message = self.expect_message(method, is_wanted)?;
        Ok(message["params"].take())
    }

    /// The same, and gives the whole message.
    ///
    /// # Errors
    /// When it does not come.
    pub fn expect_message(
        &mut self,
        method: &str,
        is_wanted: impl Fn(&Value) -> bool,
    ) -> Result<Value> {
        self.wait(method, |client| {
            let at = client
                .unread
                .iter()
                .position(|it| it["method"] == method && is_wanted(&it["params"]))?;
            client.unread.remove(at)
        })
    }

    /// Answers a request of the server with an error.
    ///
    /// # Errors
    /// When the server does not read.
    pub fn refuse(&mut self, id: &Value, code: i64) -> Result<()> {
        let error = json!({"code": code, "message": "refused"});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
    }

    /// Answers a request of the server.
    ///
    /// # Errors
    /// When the server does not read.
    pub fn reply(&mut self, id: &Value, result: &Value) -> Result<()> {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
    }

    /// How many unread messages have this method.
    pub fn count_unread(&self, method: &str) -> usize {
        let unread = self.unread.iter();
        unread.filter(|it| it["method"] == method).count()
    }

    /// Asks the server something and back, so that all that it said before has arrived.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn settle(&mut self) -> Result<()> {
        self.request("acpLens/sessions", &json!({})).map(|_| ())
    }

    fn wait<T>(&mut self, what: &str, mut found: impl FnMut(&mut Self) -> Option<T>) -> Result<T> {
        let until = Instant::now() + DEADLINE;
        loop {
            if let Some(found) = found(self) {
                return Ok(found);
            }
            let left = until.saturating_duration_since(Instant::now());
            match self.messages.recv_timeout(left) {
                Ok(message) => self.receive(message)?,
                Err(RecvTimeoutError::Timeout) => {
                    bail!("{what} did not come; unread: {:?}", self.unread)
                }
                Err(RecvTimeoutError::Disconnected) => bail!("the server ended before {what}"),
            }
        }
    }

    fn receive(&mut self, message: Value) -> Result<()> {
        ensure!(message["jsonrpc"] == "2.0", "no JSON-RPC: {message}");
        let Some(method) = message["method"].as_str() else {
            self.answers.push_back(message);
            return Ok(());
        };
        if let Some(id) = message.get("id") {
            let result = match method {
                "window/showDocument" => json!({"success": self.shows_documents}),
                "workspace/codeLens/refresh" | "window/workDoneProgress/create" => Value::Null,
                "acpLens/requestPermission" if self.answers_permissions => json!({
                    "outcome": "selected",
                    "optionId": message["params"]["options"][0]["optionId"],
                }),
                "acpLens/requestPermission" => {
                    self.unread.push_back(message);
                    return Ok(());
                }
                other => bail!("an unexpected request of the server: {other}"),
            };
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
            self.send(&answer)?;
        }
        self.unread.push_back(message);
        Ok(())
    }

    /// Opens a document.
    ///
    /// # Errors
    /// When the server does not read.
    pub fn open(&mut self, uri: &str, text: &str) -> Result<()> {
        let document = json!({"uri": uri, "languageId": "plaintext", "version": 1, "text": text});
        self.notify("textDocument/didOpen", &json!({"textDocument": document}))
    }

    /// Inserts text at a position of a document, giving it a version.
    ///
    /// # Errors
    /// When the server does not read.
    pub fn insert(&mut self, uri: &str, version: i32, at: (u32, u32), text: &str) -> Result<()> {
        let position = json!({"line": at.0, "character": at.1});
        self.notify(
            "textDocument/didChange",
            &json!({
                "textDocument": {"uri": uri, "version": version},
                "contentChanges": [{"range": {"start": position, "end": position}, "text": text}],
            }),
        )
    }

    /// The lenses of a document as `line: title`.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn lenses(&mut self, uri: &str) -> Result<Vec<String>> {
        let lenses = self.request(
            "textDocument/codeLens",
            &json!({"textDocument": {"uri": uri}}),
        )?;
        let lenses = lenses.as_array().context("lenses are a list")?;
        let text = |lens: &Value| {
            let title = lens["command"]["title"].as_str().unwrap_or_default();
            format!("{}: {title}", lens["range"]["start"]["line"])
        };
        Ok(lenses.iter().map(text).collect())
    }

    /// Waits until the lenses of a document are as wanted: what the server takes in shows with the
    /// next placing.
    ///
    /// # Errors
    /// When they do not become so.
    pub fn lenses_become(
        &mut self,
        uri: &str,
        is_wanted: impl Fn(&[String]) -> bool,
    ) -> Result<Vec<String>> {
        let until = Instant::now() + DEADLINE;
        loop {
            let lenses = self.lenses(uri)?;
            if is_wanted(&lenses) {
                return Ok(lenses);
            }
            ensure!(Instant::now() < until, "the lenses stay {lenses:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Closes standard input without a word.
    pub fn hang_up(&mut self) {
        self.input = None;
    }

    /// Kills the server.
    ///
    /// # Errors
    /// When it cannot be killed.
    pub fn kill(&mut self) -> Result<()> {
        self.server.kill().context("the server can be killed")
    }

    /// The server's process id.
    pub fn process_id(&self) -> u32 {
        self.server.id()
    }

    /// Sends the server a signal by its name.
    ///
    /// # Errors
    /// When it cannot be sent.
    pub fn signal(&mut self, name: &str) -> Result<()> {
        let sent = Command::new("kill")
            .args(["-s", name, &self.server.id().to_string()])
            .status()?;
        ensure!(sent.success(), "the signal {name} was not sent");
        Ok(())
    }

    /// Waits for the end of the process.
    ///
    /// # Errors
    /// When it does not end.
    pub fn ended(&mut self) -> Result<ExitStatus> {
        let until = Instant::now() + DEADLINE;
        loop {
            if let Some(status) = self.server.try_wait()? {
                return Ok(status);
            }
            ensure!(Instant::now() < until, "the server did not end");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// `shutdown` and `exit`, with standard input left open; the process has to end well.
    ///
    /// # Errors
    /// When it does not.
    pub fn finish(mut self) -> Result<()> {
        self.request("shutdown", &Value::Null)?;
        self.notify("exit", &Value::Null)?;
        let status = self.ended()?;
        ensure!(status.success(), "the server ended with {status}");
        Ok(())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// One message; `None` at the end of the stream.
fn read(output: &mut impl BufRead) -> Result<Option<Value>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = Some(value.parse()?);
        }
    }
    let mut body = vec![0; length.context("a message has a length")?];
    output.read_exact(&mut body)?;
    Ok(Some(serde_json::from_slice(&body)?))
}
