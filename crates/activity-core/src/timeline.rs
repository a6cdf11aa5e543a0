//! The timeline of a session: ordered items, merged from updates.

pub(crate) mod parts;
pub(crate) mod store;
pub mod tool_call;
pub(crate) mod turn;

use std::sync::Arc;

use tool_call::Status;

/// An item of the timeline, for a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Position in the timeline, from 0. It never changes.
    pub position: usize,
    /// `<messageId>:<segment>`, `thought:<messageId>`, `tool:<toolCallId>` or `plan:current`.
    pub id: Arc<str>,
    /// The turn; `None` for what the user said.
    pub turn_id: Option<Arc<str>>,
    /// What it is.
    pub kind: ItemKind,
}

/// What an item of the timeline is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemKind {
    /// A segment of a message.
    Message {
        /// Who speaks.
        role: Role,
        /// The message.
        message_id: Arc<str>,
        /// Its parts.
        parts: Vec<Part>,
    },
    /// A thought of the agent.
    Thought {
        /// The message it belongs to.
        message_id: Arc<str>,
        /// Its parts.
        parts: Vec<Part>,
    },
    /// A tool call.
    Tool {
        /// `toolCallId`.
        tool_call_id: Arc<str>,
        /// The title.
        title: Arc<str>,
        /// `kind` as sent.
        kind: Option<Arc<str>>,
        /// The merged status.
        status: Status,
        /// Its output.
        parts: Vec<Part>,
        /// It came from a replay of an earlier session, at least in part.
        historical: bool,
        /// Its permission question waits for an answer.
        asking: bool,
    },
    /// The plan.
    Plan {
        /// Its entries.
        entries: Vec<PlanEntry>,
    },
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The user.
    User,
    /// The agent.
    Assistant,
}

/// A part of a message or of a tool's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text, usually Markdown. Text that comes in pieces is one part.
    Text(String),
    /// An image, by where it is.
    Image {
        /// `uri`, if it has one.
        uri: Option<Arc<str>>,
        /// `mimeType`, if sent.
        mime_type: Option<Arc<str>>,
    },
    /// A resource; see `attachment`.
    Attachment {
        /// `uri` as sent.
        uri: Arc<str>,
        /// A name for people.
        display_name: Arc<str>,
    },
    /// A diff of a tool's output.
    Diff {
        /// Path as sent.
        path: Arc<str>,
    },
    /// A terminal of a tool's output.
    Terminal {
        /// `terminalId`.
        terminal_id: Arc<str>,
    },
    /// A block that this version does not know.
    Unsupported,
}

/// An entry of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanEntry {
    /// What is to be done.
    pub content: Arc<str>,
    /// `pending`, `in_progress`, `completed`, or another word.
    pub status: Arc<str>,
    /// `high`, `medium`, `low`, or another word.
    pub priority: Arc<str>,
}
