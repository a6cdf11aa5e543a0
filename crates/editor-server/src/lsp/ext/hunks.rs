//! Messages about where changes stand in a text, and how to get there.

use serde::{Deserialize, Serialize};
use tower_lsp::lsp_types::{Position, Range};

#[cfg(doc)]
use super::DidChangeHunks;

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
