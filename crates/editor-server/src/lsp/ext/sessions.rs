//! Messages about sessions and the agent host.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Notice, PermissionOutcome, WorkspaceFileRef};

/// Parameters of `acpLens/sessions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionsParams {}

/// Result of `acpLens/sessions`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionsResult {
    /// The revision that this shows.
    pub revision: u64,
    /// The sessions, in the order in which they became known.
    pub sessions: Vec<SessionInfo>,
}

/// A session, without its turns and files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionInfo {
    /// The server's id of the session.
    pub session: String,
    /// The ACP session id; several agents may use the same one.
    pub session_id: String,
    /// How the server knows of it.
    pub source: SessionSource,
    /// Changes when the session is loaded or created anew.
    pub generation: u64,
    /// What it is doing.
    pub state: SessionState,
    /// The agent, as far as it is known.
    pub agent: Option<AgentInfo>,
    /// A title: the agent's, or the first line of the first prompt.
    pub title: Option<String>,
    /// `openclaw` or `acp`: how its activity is derived.
    pub profile: String,
    /// Absolute path of the workspace root; `null` when nothing names one, and then there is no
    /// activity.
    pub workspace_root: Option<String>,
    /// Absolute path of the execution cwd.
    pub execution_cwd: Option<String>,
    /// Number of different files that it changed.
    pub unique_file_count: u32,
    /// Number of turns.
    pub turn_count: u32,
    /// Added lines over all files; `null` when that is not known of one of them.
    pub added: Option<u64>,
    /// Removed lines over all files; `null` when that is not known of one of them.
    pub removed: Option<u64>,
    /// Why the last turn ended: ACP's stop reason.
    pub stop_reason: Option<String>,
    /// What went wrong, for people.
    pub error: Option<String>,
    /// What is not known of the session, in words.
    pub notices: Vec<Notice>,
    /// The agent's modes, as ACP has them (`currentModeId`, `availableModes`).
    pub modes: Option<Value>,
    /// The agent's configuration options, as ACP has them.
    pub config_options: Option<Value>,
    /// The agent's slash commands, as ACP has them (`availableCommands`).
    pub commands: Option<Value>,
}

/// The agent of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentInfo {
    /// Its name, as `initialize` gives it, or as the settings name it.
    pub name: String,
    /// Its version.
    pub version: Option<String>,
}

/// How the server knows of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SessionSource {
    /// The server started the agent.
    Host,
    /// A tap mirrors it.
    Tap,
    /// It is replayed from a recorded trace.
    Trace,
}

/// What a session is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SessionState {
    /// The agent is starting.
    Connecting,
    /// An earlier session or a trace is being read.
    Loading,
    /// Nothing runs.
    Idle,
    /// A prompt runs.
    Prompting,
    /// The agent, the tap or the connection is gone; what was seen stays.
    Disconnected,
}

/// Parameters of the requests that only name a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionParams {
    /// The session.
    pub session: String,
}

/// Parameters of `acpLens/agents`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentsParams {}

/// Result of `acpLens/agents`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentsResult {
    /// The agents, those of the settings first.
    pub agents: Vec<AgentEntry>,
}

/// An agent that can be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentEntry {
    /// The name to start it by.
    pub name: String,
    /// The program and its arguments; the environment is never told.
    pub command: Vec<String>,
    /// `settings`, `path` or `builtin`.
    pub origin: String,
}

/// Parameters of `acpLens/session/new`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionNewParams {
    /// Name of the agent; the first of `acpLens/agents` when `null`.
    #[serde(default)]
    pub agent: Option<String>,
    /// Absolute path of the workspace root; the first workspace folder when `null`.
    #[serde(default)]
    pub workspace_root: Option<String>,
    /// Absolute path of a directory inside it; the root when `null`.
    #[serde(default)]
    pub execution_cwd: Option<String>,
}

/// Parameters of `acpLens/session/load`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionLoadParams {
    /// Name of the agent; the first of `acpLens/agents` when `null`.
    #[serde(default)]
    pub agent: Option<String>,
    /// The agent's id of the session.
    pub session_id: String,
    /// Absolute path of the workspace root; the first workspace folder when `null`.
    #[serde(default)]
    pub workspace_root: Option<String>,
    /// Absolute path of a directory inside it; the root when `null`.
    #[serde(default)]
    pub execution_cwd: Option<String>,
}

/// Result of `acpLens/session/new` and `acpLens/session/load`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionStarted {
    /// The session.
    pub session: SessionInfo,
    /// The session was loaded while its prompt ran; nothing was replayed and the prompt goes on.
    pub resumed_active_prompt: bool,
}

/// Parameters of `acpLens/session/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionListParams {
    /// Name of the agent; the first of `acpLens/agents` when `null`.
    #[serde(default)]
    pub agent: Option<String>,
    /// Only sessions of this directory.
    #[serde(default)]
    pub execution_cwd: Option<String>,
}

/// Result of `acpLens/session/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionListResult {
    /// False when the agent cannot list its sessions.
    pub supported: bool,
    /// The sessions, in the agent's order.
    pub sessions: Vec<EarlierSession>,
}

/// A session that an agent can load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EarlierSession {
    /// The agent's id of the session.
    pub session_id: String,
    /// Its title.
    pub title: Option<String>,
    /// Its directory.
    pub execution_cwd: Option<String>,
    /// When it changed last, as the agent writes it (ISO 8601).
    pub updated_at: Option<String>,
}

/// Parameters of `acpLens/session/prompt`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionPromptParams {
    /// The session.
    pub session: String,
    /// The user's words.
    pub text: String,
    /// Files that go with the prompt as resource links.
    #[serde(default)]
    pub files: Vec<WorkspaceFileRef>,
}

/// Result of `acpLens/session/prompt`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionPromptResult {
    /// Id of the user's message in the timeline.
    pub message_id: String,
}

/// Parameters of `acpLens/session/respondPermission`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RespondPermissionParams {
    /// The session.
    pub session: String,
    /// The id of the question.
    pub permission: String,
    /// The answer.
    #[serde(flatten)]
    pub outcome: PermissionOutcome,
}

/// Parameters of `acpLens/session/subscribe`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionSubscribeParams {
    /// The session.
    pub session: String,
    /// False ends the subscription.
    pub subscribe: bool,
}

/// Parameters of `acpLens/session/setMode`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionSetModeParams {
    /// The session.
    pub session: String,
    /// The mode's id.
    pub mode_id: String,
}

/// Parameters of `acpLens/session/setConfigOption`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionSetConfigOptionParams {
    /// The session.
    pub session: String,
    /// The option's id.
    pub config_id: String,
    /// Its new value.
    pub value: Value,
}
