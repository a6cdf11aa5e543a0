//! Every message under `acpLens/`: one type per message, its method name in the table of
//! [`REQUESTS`] and [`NOTIFICATIONS`].
//!
//! The same shapes stand in `docs/protocol.md` with an example of each; a test decodes every
//! example and compares the method names. Whoever changes this file, or one of the files beside
//! it, changes the document too: its header carries the hash of these files.
//!
//! Conventions: members are camelCase; an absent value is `null`, never left out, in what the
//! server sends, and may be left out in what a client sends; positions are those of LSP, in the
//! encoding that was negotiated; `session`, `turn`, `toolCall` and `hunk` are ids that the server
//! gave out.

mod activity;
mod diff;
mod files;
mod hunks;
mod sessions;
mod timeline;
mod traces;

pub use activity::*;
pub use diff::*;
pub use files::*;
pub use hunks::*;
pub use sessions::*;
pub use timeline::*;
pub use traces::*;

use serde::{Deserialize, Serialize};
use tower_lsp::lsp_types;

/// Version of the messages under `acpLens/`. It changes when a client of the version before would
/// misunderstand the server.
pub const PROTOCOL_VERSION: u32 = 1;

/// Declares requests: a marker type for each, its parameters, its result, and the table of names.
macro_rules! requests {
    ($($(#[$doc:meta])* $name:ident($params:ty) -> $result:ty = $method:literal;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub enum $name {}

            impl lsp_types::request::Request for $name {
                type Params = $params;
                type Result = $result;
                const METHOD: &'static str = $method;
            }
        )*

        /// The method names of all requests, either direction.
        pub const REQUESTS: &[&str] = &[$($method),*];
    };
}

/// Declares notifications of the server: a marker type for each, and the table of names.
macro_rules! notifications {
    ($($(#[$doc:meta])* $name:ident($params:ty) = $method:literal;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub enum $name {}

            impl lsp_types::notification::Notification for $name {
                type Params = $params;
                const METHOD: &'static str = $method;
            }
        )*

        /// The method names of all notifications.
        pub const NOTIFICATIONS: &[&str] = &[$($method),*];
    };
}

notifications! {
    /// What changed in the activity of all sessions since the notification before.
    DidChangeActivity(DidChangeActivityParams) = "acpLens/didChangeActivity";
    /// The hunks of one open document, all of them.
    DidChangeHunks(HunksResult) = "acpLens/didChangeHunks";
    /// A session appeared, or its state, agent, title or modes changed.
    DidChangeSession(SessionInfo) = "acpLens/didChangeSession";
    /// Timeline items of a subscribed session that are new or changed.
    DidUpdateTimeline(TimelineUpdate) = "acpLens/didUpdateTimeline";
}

requests! {
    /// Server to client: the agent asks; the person answers.
    RequestPermission(PermissionQuestion) -> PermissionOutcome = "acpLens/requestPermission";

    /// Every known session, live or replayed.
    Sessions(SessionsParams) -> SessionsResult = "acpLens/sessions";
    /// File groups with their turn records, in order of first activity.
    Changes(ChangesParams) -> ChangesResult = "acpLens/changes";
    /// The diff of one file in one scope.
    Diff(DiffParams) -> DiffResult = "acpLens/diff";
    /// The hunks of a document now.
    Hunks(HunksParams) -> HunksResult = "acpLens/hunks";
    /// The next or previous change; `null` when there is none at all.
    GoTo(GoToParams) -> Option<GoToResult> = "acpLens/goTo";
    /// The text of an `acp-lens:` document.
    TextDocumentContent(TextDocumentContentParams) -> TextDocumentContentResult =
        "acpLens/textDocumentContent";
    /// Shows a recorded trace as sessions.
    OpenTrace(OpenTraceParams) -> OpenTraceResult = "acpLens/openTrace";
    /// Forgets the sessions of a trace.
    CloseTrace(CloseTraceParams) -> () = "acpLens/closeTrace";

    /// What a workspace file reference names, checked now.
    Stat(FileParams) -> StatResult = "acpLens/stat";
    /// The text or bytes of a workspace file, checked now.
    Read(ReadParams) -> ReadResult = "acpLens/read";
    /// How a workspace file can be shown, with its text where it is text.
    Preview(FileParams) -> PreviewResult = "acpLens/preview";
    /// The programs that can open a workspace file.
    OpenHandlers(FileParams) -> OpenHandlersResult = "acpLens/openHandlers";
    /// Opens a workspace file with one of these programs.
    OpenWith(OpenWithParams) -> () = "acpLens/openWith";
    /// Shows a workspace file in the system's file manager.
    Reveal(FileParams) -> () = "acpLens/reveal";
    /// Opens an HTML file of the workspace in the system's browser.
    OpenInBrowser(FileParams) -> () = "acpLens/openInBrowser";
    /// The attachments of a session.
    Attachments(AttachmentsParams) -> AttachmentsResult = "acpLens/attachments";
    /// The text or bytes of an attachment.
    ReadAttachment(ReadAttachmentParams) -> ReadResult = "acpLens/readAttachment";

    /// The agents that can be started.
    Agents(AgentsParams) -> AgentsResult = "acpLens/agents";
    /// Starts a session.
    SessionNew(SessionNewParams) -> SessionStarted = "acpLens/session/new";
    /// Loads an earlier session of an agent.
    SessionLoad(SessionLoadParams) -> SessionStarted = "acpLens/session/load";
    /// The earlier sessions that an agent offers.
    SessionList(SessionListParams) -> SessionListResult = "acpLens/session/list";
    /// Sends a prompt. Answered when the prompt is accepted, not when the turn ends.
    SessionPrompt(SessionPromptParams) -> SessionPromptResult = "acpLens/session/prompt";
    /// Cancels the running prompt.
    SessionCancel(SessionParams) -> () = "acpLens/session/cancel";
    /// Ends a session; its activity stays until the server ends.
    SessionClose(SessionParams) -> () = "acpLens/session/close";
    /// Answers a permission question from elsewhere than `requestPermission`.
    SessionRespondPermission(RespondPermissionParams) -> () = "acpLens/session/respondPermission";
    /// Subscribes to the timeline of a session, or ends that; answers with the whole timeline.
    SessionSubscribe(SessionSubscribeParams) -> TimelineUpdate = "acpLens/session/subscribe";
    /// Chooses a mode that the agent offers.
    SessionSetMode(SessionSetModeParams) -> () = "acpLens/session/setMode";
    /// Chooses a value of a configuration option that the agent offers.
    SessionSetConfigOption(SessionSetConfigOptionParams) -> () = "acpLens/session/setConfigOption";
}

/// `capabilities.experimental.acpLens` of a client. Without it the client gets standard LSP alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClientExtension {
    /// [`PROTOCOL_VERSION`] that the client was written for.
    pub version: u32,
    /// The client wants the `acpLens/did...` notifications.
    pub notifications: bool,
    /// The client answers `acpLens/requestPermission`.
    pub request_permission: bool,
    /// The client registers the `acpLens.*` commands itself, so the server does not advertise them.
    pub commands: bool,
}

/// `capabilities.experimental.acpLens` of the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerExtension {
    /// [`PROTOCOL_VERSION`].
    pub version: u32,
    /// Version of the binary.
    pub server_version: String,
}

/// `data` of every error that an `acpLens/` request or an `acpLens.*` command answers with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorData {
    /// What kind of failure it is; the message is for people.
    pub kind: ErrorKind,
}

/// The kinds of failure that a client may want to tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ErrorKind {
    /// The session, turn, tool call, hunk or trace is not known, or is gone.
    Gone,
    /// The session was loaded anew since; the generation is stale.
    StaleSession,
    /// The parameters name nothing that exists: a bad uri, an unknown command.
    InvalidReference,
    /// The path does not lie inside the workspace.
    OutsideSandbox,
    /// There is no such file.
    NotFound,
    /// A file stands where a directory is needed.
    NotDirectory,
    /// Something else than a regular file.
    NotFile,
    /// The file is larger than what is read.
    TooLarge,
    /// The file is not text.
    Binary,
    /// The attachment's file is missing.
    Unavailable,
    /// The url is one that is not opened.
    UnsafeUrl,
    /// This system cannot do it.
    UnsupportedPlatform,
    /// The agent cannot do it, or refused.
    AgentFailed,
    /// The session cannot do it now: a prompt is running, or none is.
    Busy,
    /// Anything else.
    OperationFailed,
}

/// The only way to name a file that is to be read or opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceFileRef {
    /// Absolute path of the workspace root.
    pub workspace_root: String,
    /// Path beneath it, with forward slashes.
    pub relative_path: String,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Action {
    /// It is new.
    Created,
    /// Its text changed, or nothing proves that it is new.
    Modified,
    /// It is gone.
    Deleted,
    /// It has another path.
    Moved,
}
