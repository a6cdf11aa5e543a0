//! A tool call as merged from all that the wire said about it.

use std::sync::Arc;

/// The status of a tool call after reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// Announced; also every status word that is missing or unknown.
    Pending,
    /// `in_progress`.
    Running,
    /// `completed`.
    Completed,
    /// `failed`.
    Failed,
}

/// An owned `diff` content block; see `acp_grammar::wire::Diff` for the members.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DiffBlock {
    /// Path as sent; the new path of a move.
    pub path: Arc<str>,
    /// Path before a move.
    pub old_path: Option<Arc<str>>,
    /// Old text; `None` when missing or `null`.
    pub old_text: Option<Arc<str>>,
    /// New text; `None` when missing or `null`.
    pub new_text: Option<Arc<str>>,
    /// `operation` or `_meta.kind`: `add`, `update`, `modify`, `delete`, `move`, ...
    pub operation: Option<Arc<str>>,
    /// The wire says that the file was deleted.
    pub deleted: bool,
    /// ACP v2 `fileType`.
    pub file_type: Option<Arc<str>>,
    /// ACP v2 git patch.
    pub patch: Option<Arc<str>>,
}

/// An owned location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallLocation {
    /// Path as sent.
    pub path: Arc<str>,
    /// Line as sent, usually from 1; 0 means unknown.
    pub line: Option<u32>,
}

/// What a permission question said about a call, kept apart because it is a weaker evidence than
/// what the call itself says.
#[derive(Debug, Clone, Default)]
pub struct PermissionFacts {
    /// Diff blocks of the question.
    pub diffs: Vec<DiffBlock>,
    /// Locations of the question.
    pub locations: Vec<CallLocation>,
    /// `rawInput` of the question, as JSON text.
    pub raw_input: Option<Box<str>>,
}

/// All that is known of a tool call when its file changes are worked out.
///
/// It lives while the call can still change; afterwards only its activities are kept.
#[derive(Debug, Clone)]
pub struct ToolCall {
    /// `toolCallId`.
    pub id: Arc<str>,
    /// The title, or the id while none was sent.
    pub title: Arc<str>,
    /// The title that was sent first: some agents begin with the tool's name and end with prose.
    pub first_title: Option<Arc<str>>,
    /// The tool's name where the wire has a member for it (`name`).
    pub name: Option<Arc<str>>,
    /// `kind` as sent.
    pub kind: Option<Arc<str>>,
    /// The merged status.
    pub status: Status,
    /// `rawInput` as JSON text, the last one sent that was not empty (`{}` does not overwrite).
    pub raw_input: Option<Box<str>>,
    /// `rawOutput` as JSON text, the last one sent.
    pub raw_output: Option<Box<str>>,
    /// `_meta` as JSON text, every different one that was sent, in order. Agents spread facts over
    /// several updates (a result in one, the final status in the next).
    pub metas: Vec<Box<str>>,
    /// Locations: the last list that was not empty.
    pub locations: Vec<CallLocation>,
    /// Diff blocks of the current content (content replaces content).
    pub diffs: Vec<DiffBlock>,
    /// `diffs` came in a message with the status `completed`: they show what was done. Otherwise
    /// they were a proposal that nothing has replaced since.
    pub diffs_are_final: bool,
    /// Diff blocks of the last content before the current one that had any.
    pub earlier_diffs: Vec<DiffBlock>,
    /// Text of the current content's text blocks, joined with LF.
    pub text: String,
    /// What permission questions said.
    pub permission: PermissionFacts,
    /// The call came from a replay of an earlier session (`session/load`), not live.
    pub historical: bool,
    /// The agent's name from `initialize`, if known.
    pub agent_name: Option<Arc<str>>,
}

impl ToolCall {
    /// A call of which only the id is known.
    pub fn new(id: Arc<str>) -> Self {
        Self {
            title: Arc::clone(&id),
            first_title: None,
            id,
            name: None,
            kind: None,
            status: Status::Pending,
            raw_input: None,
            raw_output: None,
            metas: Vec::new(),
            locations: Vec::new(),
            diffs: Vec::new(),
            diffs_are_final: false,
            earlier_diffs: Vec::new(),
            text: String::new(),
            permission: PermissionFacts::default(),
            historical: false,
            agent_name: None,
        }
    }
}
