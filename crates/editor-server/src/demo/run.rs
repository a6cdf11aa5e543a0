//! The course of `acp-lens demo`: the agent works, and what it did is shown.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;

use super::files;
use super::script::TURNS;
use crate::acp::lines::Sender;
use crate::acp::link::{FromAgent, Link, Question};
use crate::acp::process::{AgentCommand, AgentProcess};

/// Why the demo ended early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DemoError {
    /// A file of the demo cannot be written.
    #[error("the demo's files cannot be written")]
    Files(#[source] std::io::Error),
    /// The agent could not be started, or ended early.
    #[error("the demo agent failed: {0}")]
    Agent(String),
}

/// Where the demo's files are.
#[derive(Debug)]
pub(crate) struct Places {
    /// The project.
    pub(crate) workspace: PathBuf,
    /// The recording of the session.
    pub(crate) trace: PathBuf,
}

/// Lays out the project below `dir`, and lets the agent work in it.
pub(crate) async fn work_in(dir: &Path) -> Result<Places, DemoError> {
    let places = Places {
        workspace: dir.join("till"),
        trace: dir.join("session.ndjson"),
    };
    std::fs::create_dir_all(&places.workspace).map_err(DemoError::Files)?;
    files::lay_out(&places.workspace).map_err(DemoError::Files)?;
    let command = AgentCommand {
        command: std::env::current_exe()
            .map_err(DemoError::Files)?
            .to_string_lossy()
            .into_owned(),
        args: vec!["demo-agent".to_owned()],
        ..AgentCommand::default()
    };
    let (mut process, streams) =
        AgentProcess::start(&command).map_err(|why| DemoError::Agent(why.to_string()))?;
    let (link, heard) = Link::open(streams)
        .await
        .map_err(|why| DemoError::Agent(why.to_string()))?;
    let mut talk = Talk {
        link,
        heard,
        trace: String::new(),
    };
    let done = talk.whole_session(&places.workspace).await;
    let Talk { link, trace, .. } = talk;
    drop(link);
    let _ = process.end().await;
    done?;
    std::fs::write(&places.trace, trace).map_err(DemoError::Files)?;
    Ok(places)
}

/// A conversation with the agent.
struct Talk {
    link: Link,
    heard: UnboundedReceiver<FromAgent>,
    trace: String,
}

impl Talk {
    async fn whole_session(&mut self, workspace: &Path) -> Result<(), DemoError> {
        let capabilities = json!({"fs": {"readTextFile": false, "writeTextFile": false}});
        self.ask(
            "initialize",
            json!({"protocolVersion": 1, "clientCapabilities": capabilities}),
        )
        .await?;
        let opened = self
            .ask("session/new", json!({"cwd": workspace, "mcpServers": []}))
            .await?;
        let session = opened.get("sessionId").cloned().unwrap_or_default();
        for turn in TURNS {
            let prompt = json!([{"type": "text", "text": turn.prompt}]);
            self.ask(
                "session/prompt",
                json!({"sessionId": session, "prompt": prompt}),
            )
            .await?;
        }
        Ok(())
    }

    /// Sends a request, records what comes until its answer, and allows what the agent asks for.
    async fn ask(&mut self, method: &str, params: Value) -> Result<Value, DemoError> {
        let failed = |why: String| DemoError::Agent(format!("{method}: {why}"));
        let id = self
            .link
            .request(method, params)
            .map_err(|why| failed(why.to_string()))?;
        let id: Value = serde_json::from_str(&id).unwrap_or_default();
        loop {
            match self.heard.recv().await {
                None => return Err(failed("the agent is gone".to_owned())),
                Some(FromAgent::Closed(why)) => {
                    return Err(failed(why.unwrap_or_else(|| "the agent ended".to_owned())));
                }
                Some(FromAgent::Question(question)) => allow(*question),
                Some(FromAgent::Line(line)) => {
                    let dir = match line.sender {
                        Sender::Client => "c2a",
                        Sender::Agent => "a2c",
                    };
                    let text = &line.text;
                    // Writing to a string cannot fail.
                    let _ = writeln!(self.trace, "{{\"t\":0,\"dir\":\"{dir}\",\"msg\":{text}}}");
                    let message: Value = serde_json::from_str(text).unwrap_or_default();
                    let is_answer = line.sender == Sender::Agent
                        && message.get("method").is_none()
                        && message.get("id") == Some(&id);
                    if is_answer {
                        return match message.get("result") {
                            Some(result) => Ok(result.clone()),
                            None => Err(failed(message["error"]["message"].to_string())),
                        };
                    }
                }
            }
        }
    }
}

/// Allows once what the agent asks for.
fn allow(question: Question) {
    if question.method != "session/request_permission" {
        question.refuse_method();
        return;
    }
    let options = question.params.get("options").and_then(Value::as_array);
    let allowing = options
        .into_iter()
        .flatten()
        .find(|option| option["kind"] == "allow_once");
    let outcome = match allowing.and_then(|option| option.get("optionId")) {
        Some(id) => json!({"outcome": "selected", "optionId": id}),
        None => json!({"outcome": "cancelled"}),
    };
    question.answer(json!({"outcome": outcome}));
}
