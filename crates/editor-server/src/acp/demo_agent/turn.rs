//! One turn of the demo agent: the steps of the script, told and done.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use agent_client_protocol::v1::schema::{
    Content, ContentBlock, ContentChunk, Diff, PermissionOption, PermissionOptionKind,
    PromptResponse, ReadTextFileRequest, RequestPermissionOutcome, RequestPermissionRequest,
    SessionId, SessionNotification, SessionUpdate, StopReason, ToolCall, ToolCallContent,
    ToolCallLocation, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
    WriteTextFileRequest,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{Client, Error};
use serde_json::{Value, json};

use super::Shared;
use super::history::Begun;
use crate::demo::files;
use crate::demo::script::{Step, TURNS};

/// What the agent says in any other directory than that of its script.
const ELSEWHERE: &str = "This agent has no model: it plays a script in the project of \
                         `acp-lens demo`, and nothing was changed here. \
                         `acp-lens demo --keep` makes such a project.";

/// Runs the turn and answers the prompt.
pub(super) async fn run(
    shared: Arc<Shared>,
    begun: Begun,
    responder: Responder<PromptResponse>,
    connection: ConnectionTo<Client>,
) -> Result<(), Error> {
    let turn = Turn {
        id: SessionId::new(Arc::clone(&begun.session)),
        shared,
        begun,
        connection,
    };
    match turn.run().await {
        Ok(reason) => responder.respond(PromptResponse::new(reason)),
        Err(why) => responder.respond_with_error(why),
    }
}

struct Turn {
    id: SessionId,
    shared: Arc<Shared>,
    begun: Begun,
    connection: ConnectionTo<Client>,
}

/// A call of a tool before it is made.
struct Call {
    id: String,
    title: String,
    kind: ToolKind,
    name: &'static str,
    paths: Vec<PathBuf>,
    input: Value,
}

/// What the user said to a question.
enum Answer {
    Allowed,
    Rejected,
    Cancelled,
}

/// How a tool ended: with its result, or with the reason why it failed.
type Done = Result<Finished, String>;

/// What a tool that worked gives.
struct Finished {
    /// What is shown to the user.
    content: Vec<ToolCallContent>,
    /// What the tool says to the agent, where that is more.
    raw_output: Option<Value>,
}

impl From<ToolCallContent> for Finished {
    fn from(content: ToolCallContent) -> Self {
        Self {
            content: vec![content],
            raw_output: None,
        }
    }
}

impl Turn {
    async fn run(&self) -> Result<StopReason, Error> {
        let Some(turn) = TURNS.get(self.begun.prompt) else {
            self.say("That was the whole script of the demo.").await?;
            return Ok(StopReason::EndTurn);
        };
        if !files::is_project(&self.begun.cwd) {
            self.say(ELSEWHERE).await?;
            return Ok(StopReason::EndTurn);
        }
        for (n, step) in turn.steps.iter().enumerate() {
            if self.begun.cancelled.load(Ordering::Relaxed) {
                return Ok(StopReason::Cancelled);
            }
            match step {
                Step::Think(words) => {
                    let chunk = ContentChunk::new(ContentBlock::from(*words));
                    self.send(SessionUpdate::AgentThoughtChunk(chunk))?;
                }
                Step::Say(words) => self.say(words).await?,
                Step::Read { path } => {
                    let call = self.call(n, "read", ToolKind::Read, path, json!({"path": path}));
                    let id = self.begin(call)?;
                    let done = self.read(path).await.map(|text| told(&text).into());
                    self.end(id, done)?;
                }
                Step::Write { path, text } => {
                    let input = json!({"path": path, "content": text});
                    let id = self.begin(self.call(n, "write", ToolKind::Edit, path, input))?;
                    let done = self.write(path, text).await;
                    let diff = Diff::new(self.absolute(path), *text);
                    self.end(id, done.map(|()| ToolCallContent::from(diff).into()))?;
                }
                Step::Edit { path, edits } => {
                    let pairs: Vec<Value> = edits
                        .iter()
                        .map(|(old, new)| json!({"oldText": old, "newText": new}))
                        .collect();
                    let input = json!({"path": path, "edits": pairs});
                    let id = self.begin(self.call(n, "edit", ToolKind::Edit, path, input))?;
                    let done = self.edit(path, edits).await;
                    self.end(id, done)?;
                }
                Step::Patch { payload } => {
                    let call = self.patch_call(n, payload);
                    let question = self.question(&call);
                    let id = self.begin(call)?;
                    match self.ask(question).await? {
                        Answer::Allowed => {
                            let done = files::apply(&self.begun.cwd, payload);
                            let done = done.map(|text| told(&text).into());
                            self.end(id, done.map_err(|why| why.to_string()))?;
                        }
                        Answer::Rejected => {
                            self.end(id, Err("rejected by the user".to_owned()))?;
                        }
                        Answer::Cancelled => return Ok(StopReason::Cancelled),
                    }
                }
            }
        }
        Ok(StopReason::EndTurn)
    }

    fn absolute(&self, path: &str) -> PathBuf {
        self.begun.cwd.join(path)
    }

    /// A call of `name` on one file.
    fn call(
        &self,
        step: usize,
        name: &'static str,
        kind: ToolKind,
        path: &str,
        input: Value,
    ) -> Call {
        Call {
            id: format!("call-{}-{step}", self.begun.prompt),
            title: format!("{name} {path}"),
            kind,
            name,
            paths: vec![self.absolute(path)],
            input,
        }
    }

    /// The call that applies a patch.
    fn patch_call(&self, step: usize, payload: &str) -> Call {
        let paths = files::patched_paths(payload).into_iter();
        let input = json!({"input": payload});
        Call {
            title: "apply_patch".to_owned(),
            paths: paths.map(|path| self.absolute(path)).collect(),
            ..self.call(step, "apply_patch", ToolKind::Edit, "", input)
        }
    }

    /// Announces a call, and gives its id.
    fn begin(&self, call: Call) -> Result<String, Error> {
        let id = call.id.clone();
        self.send(SessionUpdate::ToolCall(
            ToolCall::new(call.id, call.title)
                .name(call.name.to_owned())
                .kind(call.kind)
                .status(ToolCallStatus::InProgress)
                .locations(locations(&call.paths))
                .raw_input(call.input),
        ))?;
        Ok(id)
    }

    /// Reports the end of a call.
    fn end(&self, id: String, done: Done) -> Result<(), Error> {
        let (status, finished) = match done {
            Ok(finished) => (ToolCallStatus::Completed, finished),
            Err(why) => (ToolCallStatus::Failed, told(&why).into()),
        };
        let fields = ToolCallUpdateFields::new()
            .status(status)
            .content(finished.content)
            .raw_output(finished.raw_output);
        self.send(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(
            id, fields,
        )))
    }

    async fn say(&self, words: &str) -> Result<(), Error> {
        for word in words.split_inclusive(' ') {
            tokio::time::sleep(self.shared.pace).await;
            let chunk = ContentChunk::new(ContentBlock::from(word));
            self.send(SessionUpdate::AgentMessageChunk(chunk))?;
        }
        Ok(())
    }

    /// The question whether a call may be made.
    fn question(&self, call: &Call) -> RequestPermissionRequest {
        let fields = ToolCallUpdateFields::new()
            .title(call.title.clone())
            .kind(call.kind)
            .locations(locations(&call.paths))
            .raw_input(call.input.clone());
        RequestPermissionRequest::new(
            self.id.clone(),
            ToolCallUpdate::new(call.id.clone(), fields),
            vec![
                PermissionOption::new("allow", "Allow", PermissionOptionKind::AllowOnce),
                PermissionOption::new("reject", "Reject", PermissionOptionKind::RejectOnce),
            ],
        )
    }

    async fn ask(&self, question: RequestPermissionRequest) -> Result<Answer, Error> {
        let answer = self.connection.send_request(question).block_task().await?;
        Ok(match answer.outcome {
            RequestPermissionOutcome::Selected(selected) if &*selected.option_id.0 == "allow" => {
                Answer::Allowed
            }
            RequestPermissionOutcome::Selected(_) => Answer::Rejected,
            _ => Answer::Cancelled,
        })
    }

    async fn read(&self, path: &str) -> Result<String, String> {
        if !self.shared.client_writes() {
            return files::read(&self.begun.cwd, path).map_err(|why| why.to_string());
        }
        let path = self.absolute(path);
        let request = ReadTextFileRequest::new(self.id.clone(), path);
        let answer = self.connection.send_request(request).block_task().await;
        answer
            .map(|answer| answer.content)
            .map_err(|why| why.message)
    }

    async fn write(&self, path: &str, text: &str) -> Result<(), String> {
        if !self.shared.client_writes() {
            return files::write(&self.begun.cwd, path, text).map_err(|why| why.to_string());
        }
        let path = self.absolute(path);
        let request = WriteTextFileRequest::new(self.id.clone(), path, text);
        let answer = self.connection.send_request(request).block_task().await;
        answer.map(|_| ()).map_err(|why| why.message)
    }

    /// Replaces each old text, which must be there exactly once, and shows the whole file before
    /// and after, as many agents do.
    async fn edit(&self, path: &str, edits: &[(&str, &str)]) -> Done {
        let before = self.read(path).await?;
        let mut text = before.clone();
        for (old, new) in edits {
            if text.matches(old).count() != 1 {
                return Err(format!("the text to replace is not in {path} exactly once"));
            }
            text = text.replacen(old, new, 1);
        }
        self.write(path, &text).await?;
        let path = self.absolute(path);
        let raw_output = json!({"path": path, "originalContent": before, "newContent": text});
        Ok(Finished {
            content: vec![Diff::new(path, text).old_text(before).into()],
            raw_output: Some(raw_output),
        })
    }

    /// Sends an update, and keeps it for later replays.
    fn send(&self, update: SessionUpdate) -> Result<(), Error> {
        let kept = update.clone();
        self.shared
            .with_sessions(|sessions| sessions.remember(&self.begun.session, kept));
        self.connection
            .send_notification(SessionNotification::new(self.id.clone(), update))
    }
}

fn told(text: &str) -> ToolCallContent {
    ToolCallContent::Content(Content::new(text))
}

fn locations(paths: &[PathBuf]) -> Vec<ToolCallLocation> {
    paths.iter().map(ToolCallLocation::new).collect()
}
