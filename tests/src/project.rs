//! A small workspace on disk with a recorded session that changed it.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A directory with files and a trace, removed at the end.
pub struct Project {
    directory: TempDir,
    root: PathBuf,
    session: String,
    trace: String,
    calls: usize,
}

impl Project {
    /// An empty workspace, and a trace in which an agent named `demo` opened it.
    ///
    /// # Errors
    /// When the directory cannot be made.
    pub fn new() -> Result<Self> {
        let directory = TempDir::new()?;
        let root = fs::canonicalize(directory.path())?.join("work");
        fs::create_dir(&root)?;
        let mut project = Self {
            directory,
            root,
            session: String::new(),
            trace: String::new(),
            calls: 0,
        };
        project.begin("demo", "s")?;
        Ok(project)
    }

    /// Another trace begins: an agent opened the workspace in a session.
    ///
    /// # Errors
    /// Never in practice.
    pub fn begin(&mut self, agent: &str, session: &str) -> Result<()> {
        self.trace.clear();
        session.clone_into(&mut self.session);
        let request = |id: u32, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let result = |id: u32, result: Value| json!({"jsonrpc": "2.0", "id": id, "result": result});
        let agent = json!({"name": agent, "version": "1"});
        for line in [
            request(0, "initialize", json!({"protocolVersion": 1})),
            result(0, json!({"protocolVersion": 1, "agentInfo": agent})),
            request(
                1,
                "session/new",
                json!({"cwd": self.root, "mcpServers": []}),
            ),
            result(1, json!({"sessionId": session})),
        ] {
            self.line(&line)?;
        }
        Ok(())
    }

    /// Appends a message to the trace.
    ///
    /// # Errors
    /// Never in practice.
    pub fn line(&mut self, message: &Value) -> Result<()> {
        Ok(writeln!(self.trace, "{message}")?)
    }

    fn update(&mut self, update: &Value) -> Result<()> {
        let params = json!({"sessionId": self.session, "update": update});
        self.line(&json!({"jsonrpc": "2.0", "method": "session/update", "params": params}))
    }

    /// The user says something: a turn begins.
    ///
    /// # Errors
    /// Never in practice.
    pub fn prompt(&mut self, text: &str) -> Result<()> {
        let content = json!({"type": "text", "text": text});
        self.update(&json!({"sessionUpdate": "user_message_chunk", "content": content}))
    }

    /// A completed edit of a file, `old` to `new`; `None` makes the file.
    ///
    /// # Errors
    /// Never in practice.
    pub fn edit(&mut self, path: &str, old: Option<&str>, new: &str) -> Result<()> {
        self.calls += 1;
        let diff =
            json!({"type": "diff", "path": self.root.join(path), "oldText": old, "newText": new});
        let call = json!({
            "sessionUpdate": "tool_call", "toolCallId": format!("c{}", self.calls), "title": format!("Edit {path}"),
            "kind": "edit", "status": "completed", "content": [diff],
        });
        self.update(&call)
    }

    /// A completed call that edits a file in several places.
    ///
    /// # Errors
    /// Never in practice.
    pub fn edits(&mut self, path: &str, edits: &[(&str, &str)]) -> Result<()> {
        self.calls += 1;
        let path = self.root.join(path);
        let diffs: Vec<Value> = edits
            .iter()
            .map(|(old, new)| json!({"type": "diff", "path": path, "oldText": old, "newText": new}))
            .collect();
        let call = json!({
            "sessionUpdate": "tool_call", "toolCallId": format!("c{}", self.calls), "title": "Edit",
            "kind": "edit", "status": "completed", "content": diffs,
        });
        self.update(&call)
    }

    /// A completed call that deletes a file with this text.
    ///
    /// # Errors
    /// Never in practice.
    pub fn delete(&mut self, path: &str, text: &str) -> Result<()> {
        self.calls += 1;
        let path = self.root.join(path);
        let diff = json!({"type": "diff", "path": path, "oldText": text, "newText": ""});
        let call = json!({
            "sessionUpdate": "tool_call", "toolCallId": format!("c{}", self.calls), "title": "Delete",
            "kind": "delete", "status": "completed", "content": [diff],
        });
        self.update(&call)
    }

    /// Writes a file of the workspace.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &str, text: &str) -> Result<()> {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().context("a file has a directory")?)?;
        Ok(fs::write(path, text)?)
    }

    /// Writes the trace and gives its path.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn trace(&self) -> Result<String> {
        let path = self
            .directory
            .path()
            .join(format!("{}.ndjson", self.session));
        fs::write(&path, &self.trace)?;
        Ok(path.to_string_lossy().into_owned())
    }

    /// The uri of the workspace, or of a file in it.
    pub fn uri(&self, path: &str) -> String {
        let root = self.root.to_string_lossy();
        if path.is_empty() {
            format!("file://{root}")
        } else {
            format!("file://{root}/{path}")
        }
    }

    /// The path of the workspace.
    pub fn root(&self) -> &std::path::Path {
        &self.root
    }
}
