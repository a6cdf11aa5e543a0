//! Messages about diffs, and the documents that show them.

use serde::{Deserialize, Serialize};

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
