//! Messages about what sessions changed: sessions, turns, files.

use serde::{Deserialize, Serialize};

use super::{Action, SessionInfo, WorkspaceFileRef};

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

/// What one turn did to one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnRecord {
    /// The id of the turn.
    pub turn: String,
    /// Its number for people, from 1.
    pub number: u32,
    /// When the turn first changed the path, as a number that grows over the session: it orders the
    /// files of a turn.
    pub sequence: u64,
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
