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

mod files;
mod sessions;

pub use files::*;
pub use sessions::*;

use serde::{Deserialize, Serialize};
use tower_lsp::lsp_types::{self, Position, Range};

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

/// How many hunks of a file are in which state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HunkCounts {
    /// Number of hunks in this state.
    pub in_place: u32,
    /// Number of hunks in this state.
    pub moved: u32,
    /// Number of hunks in this state.
    pub edited: u32,
    /// Number of hunks in this state.
    pub replaced: u32,
    /// Number of hunks in this state.
    pub reverted: u32,
    /// Number of hunks in this state.
    pub ambiguous: u32,
    /// Number of hunks in this state.
    pub not_found: u32,
    /// Number of hunks in this state.
    pub deleted: u32,
}

/// Parameters of [`DidChangeActivity`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DidChangeActivityParams {
    /// The revision that this shows. A client drops what is older than what it has.
    pub revision: u64,
    /// Forget all that was known before; this is everything.
    pub reset: bool,
    /// The sessions that are new or changed.
    pub sessions: Vec<SessionInfo>,
    /// The sessions that are gone, with their turns and files.
    pub closed: Vec<String>,
    /// The turns that are new or changed.
    pub turns: Vec<TurnInfo>,
    /// The files that are new or changed, one entry for each session and path.
    pub files: Vec<ChangedFile>,
}

/// A turn of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnInfo {
    /// The session.
    pub session: String,
    /// The id of the turn.
    pub turn: String,
    /// Its number for people, from 1.
    pub number: u32,
    /// First line of the user's words before the turn.
    pub prompt: Option<String>,
    /// Number of files that it changed.
    pub files: u32,
    /// Added lines over all its files; `null` when that is not known of one of them.
    pub added: Option<u64>,
    /// Removed lines over all its files; `null` when that is not known of one of them.
    pub removed: Option<u64>,
    /// What is not known of this turn, in words.
    pub notices: Vec<Notice>,
    /// How long it took, in milliseconds: as the server saw it, or as the agent's transcript says;
    /// `null` while it runs, and where nobody knows.
    pub duration_ms: Option<u64>,
}

/// Something that is not known, said in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// A word for programs: `shellCommands`, `noToolCallsReplayed`, `patchRejected`,
    /// `outsideWorkspace`, `gap`, `partlyApplied`, `masked`, or another one.
    pub kind: String,
    /// A sentence for people.
    pub message: String,
    /// The tool call, if it is about one.
    pub tool_call: Option<String>,
}

/// One path that a session changed, over all its turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedFile {
    /// The session.
    pub session: String,
    /// `file:` uri of the path; `null` where the path in the workspace is not known.
    pub uri: Option<String>,
    /// The file as a reference.
    pub file: WorkspaceFileRef,
    /// The path before a move.
    pub from_path: Option<String>,
    /// What happened to it, all turns taken together.
    pub action: Action,
    /// Added lines, summed over its activities; `null` when not available.
    pub added: Option<u64>,
    /// Removed lines, summed over its activities; `null` when not available.
    pub removed: Option<u64>,
    /// Why the path should not be trusted; `null` when it can be.
    pub doubt: Option<String>,
    /// One record for each turn that touched it, in order.
    pub turns: Vec<TurnRecord>,
    /// States of its hunks; `null` while nobody has asked where they stand.
    pub hunks: Option<HunkCounts>,
}

/// What one turn did to one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnRecord {
    /// The id of the turn.
    pub turn: String,
    /// Its number for people, from 1.
    pub number: u32,
    /// What happened in this turn.
    pub action: Action,
    /// Added lines, summed; `null` when not available.
    pub added: Option<u64>,
    /// Removed lines, summed; `null` when not available.
    pub removed: Option<u64>,
    /// The tool calls, in order.
    pub tool_calls: Vec<ToolCallRecord>,
}

/// What one tool call did to one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallRecord {
    /// The id of the tool call.
    pub tool_call: String,
    /// The name of the tool.
    pub tool_name: String,
    /// What happened in this call.
    pub action: Action,
}

/// Parameters of [`Changes`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ChangesParams {
    /// Only this session; all when `null`.
    pub session: Option<String>,
    /// Only the files of this turn, with this turn's record; needs `session`.
    pub turn: Option<String>,
}

/// Result of [`Changes`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangesResult {
    /// The revision that this shows.
    pub revision: u64,
    /// The sessions, in the order in which they became known.
    pub sessions: Vec<SessionChanges>,
}

/// The changes of one session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionChanges {
    /// The session.
    pub session: SessionInfo,
    /// Its turns, those without file changes too.
    pub turns: Vec<TurnInfo>,
    /// Its file groups, in order of first activity.
    pub files: Vec<ChangedFile>,
    /// What failed, rejected, cancelled and unfinished tool calls asked for. It changed nothing.
    pub requested: Vec<RequestedChange>,
}

/// A change that a tool call asked for and did not make, or has not made yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestedChange {
    /// The turn.
    pub turn: String,
    /// The tool call.
    pub tool_call: String,
    /// The name of the tool.
    pub tool_name: String,
    /// Path relative to the workspace root.
    pub relative_path: String,
    /// What it asked for.
    pub action: Action,
    /// True while the call may still complete.
    pub open: bool,
}

/// What a diff covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum DiffScope {
    /// One tool call.
    #[serde(rename_all = "camelCase")]
    ToolCall {
        /// The id of the tool call.
        tool_call: String,
    },
    /// One turn.
    #[serde(rename_all = "camelCase")]
    Turn {
        /// The id of the turn.
        turn: String,
    },
    /// The whole session.
    Session,
}

/// Parameters of [`Diff`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiffParams {
    /// The session.
    pub session: String,
    /// Path relative to the workspace root of that session, as `ChangedFile.file` has it.
    pub relative_path: String,
    /// What the diff covers.
    pub scope: DiffScope,
}

/// Result of [`Diff`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiffResult {
    /// The revision that this shows.
    pub revision: u64,
    /// A title for the diff: `a.txt (turn 2)`.
    pub label: String,
    /// The text before; `null` when the diff is not available.
    pub old_text: Option<String>,
    /// The text after; `null` when the diff is not available.
    pub new_text: Option<String>,
    /// `acp-lens:` uri of the text before.
    pub old_uri: String,
    /// `acp-lens:` uri of the text after.
    pub new_uri: String,
    /// The hunks, in order; empty when the sides are equal or not available.
    pub hunks: Vec<DiffHunk>,
    /// Added lines of this diff; `null` when not available.
    pub added: Option<u64>,
    /// Removed lines of this diff; `null` when not available.
    pub removed: Option<u64>,
    /// True when the texts are the net change; false when they are the declared pieces, which do
    /// not compose.
    pub net: bool,
    /// Why there is nothing to see: no text on the wire, no net change.
    pub reason: Option<String>,
}

/// A hunk of a diff: changed lines without context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiffHunk {
    /// First line in the text before, from 0.
    pub old_start: u32,
    /// Number of lines in the text before.
    pub old_lines: u32,
    /// First line in the text after, from 0.
    pub new_start: u32,
    /// Number of lines in the text after.
    pub new_lines: u32,
}

/// Parameters of [`Hunks`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HunksParams {
    /// `file:` uri of the document, open or not.
    pub uri: String,
    /// Also give the texts of each hunk.
    #[serde(default)]
    pub with_text: bool,
}

/// Result of [`Hunks`] and parameters of [`DidChangeHunks`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HunksResult {
    /// The uri as the client wrote it.
    pub uri: String,
    /// Version of the open document that the ranges fit; `null` when they fit the file on disk.
    pub version: Option<i32>,
    /// The revision of the activity that this shows.
    pub revision: u64,
    /// Every hunk of the file, of all sessions: those with a range in order of position, then the
    /// others in order of activity.
    pub hunks: Vec<Hunk>,
    /// Why there are no ranges at all: the file is too large, is not text, or cannot be read.
    pub limit: Option<String>,
}

/// A fragment, or a chain of fragments, and where it stands in the text now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hunk {
    /// The id, the same after a replay.
    pub id: String,
    /// Where it stands: whole lines, so the end is usually character 0 of the line below. Empty at
    /// the seam for a pure deletion. `null` when it has no place.
    pub range: Option<Range>,
    /// What it does to the text.
    pub kind: HunkKind,
    /// It is about the file as a whole: created, overwritten without knowledge of its old text, or
    /// deleted. It has a state and never a range.
    pub whole_file: bool,
    /// How sure the place is.
    pub state: HunkState,
    /// The session.
    pub session: String,
    /// Name of the agent.
    pub agent: Option<String>,
    /// The turn.
    pub turn: String,
    /// The turn's number for people, from 1.
    pub turn_number: u32,
    /// The tool call.
    pub tool_call: String,
    /// Lines that it added.
    pub added: u64,
    /// Lines that it removed.
    pub removed: u64,
    /// For `ambiguous`: the places where it could stand.
    pub candidates: Vec<Range>,
    /// Ids of the earlier hunks that this one took the place of.
    pub replaces: Vec<String>,
    /// Why it has this state, where that needs words.
    pub reason: Option<String>,
    /// The text before; `null` unless asked for.
    pub old_text: Option<String>,
    /// The text after; `null` unless asked for.
    pub new_text: Option<String>,
}

/// What a hunk does to the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum HunkKind {
    /// Only new lines.
    Added,
    /// New lines in place of old ones.
    Modified,
    /// Only old lines gone.
    Deleted,
}

/// How sure the place of a hunk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum HunkState {
    /// The new text stands, once, where expected.
    InPlace,
    /// It stands, at another line than the evidence says.
    Moved,
    /// Part of it stands.
    Edited,
    /// A later hunk took its place.
    Replaced,
    /// The old text stands again.
    Reverted,
    /// It stands at several places and nothing decides.
    Ambiguous,
    /// Neither side stands.
    NotFound,
    /// A pure deletion, at its seam.
    Deleted,
}

/// Parameters of [`GoTo`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GoToParams {
    /// Which one.
    pub direction: Direction,
    /// Whether the search leaves the file.
    #[serde(default)]
    pub scope: GoToScope,
    /// The document where the search starts; `null` starts before the first change.
    #[serde(default)]
    pub uri: Option<String>,
    /// The position where it starts; `null` is the start of the document.
    #[serde(default)]
    pub position: Option<Position>,
    /// Only hunks of this session.
    #[serde(default)]
    pub session: Option<String>,
    /// Only hunks of this turn.
    #[serde(default)]
    pub turn: Option<String>,
}

/// Which change to go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Direction {
    /// The one after the position; after the last one, the first.
    Next,
    /// The one before the position; before the first one, the last.
    Previous,
    /// The first one.
    First,
    /// The last one.
    Last,
}

/// Where to look for a change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GoToScope {
    /// In the document.
    File,
    /// In all changed files: file groups in order of first activity, then position.
    #[default]
    All,
}

/// Result of [`GoTo`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GoToResult {
    /// The document.
    pub uri: String,
    /// Version of the open document that the range fits; `null` for a file on disk.
    pub version: Option<i32>,
    /// Where the hunk stands.
    pub range: Range,
    /// The hunk.
    pub hunk: String,
    /// Its number among all that the search considered, from 1.
    pub index: u32,
    /// How many the search considered.
    pub total: u32,
    /// True when the search went over the end.
    pub wrapped: bool,
}

/// Parameters of [`TextDocumentContent`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextDocumentContentParams {
    /// An `acp-lens:` uri that the server gave out.
    pub uri: String,
}

/// Result of [`TextDocumentContent`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextDocumentContentResult {
    /// The text.
    pub text: String,
    /// The revision that this shows.
    pub revision: u64,
}

/// Parameters of [`OpenTrace`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenTraceParams {
    /// Path of the trace: absolute, or relative to the first workspace folder.
    pub path: String,
    /// Workspace root, where the trace names none or another one is meant.
    #[serde(default)]
    pub root: Option<String>,
    /// Execution cwd, where the trace names none or another one is meant.
    #[serde(default)]
    pub cwd: Option<String>,
    /// `auto`, `openclaw` or `acp`; the setting when `null`.
    #[serde(default)]
    pub profile: Option<String>,
}

/// Result of [`OpenTrace`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenTraceResult {
    /// The sessions of the trace.
    pub sessions: Vec<SessionInfo>,
    /// Number of lines that could not be read; the log names them.
    pub skipped_lines: u64,
}

/// Parameters of [`CloseTrace`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CloseTraceParams {
    /// The path that was opened.
    pub path: String,
}
