//! Messages about the timeline of a session, and the questions of its agent.

use serde::{Deserialize, Serialize};

use super::Action;

/// Parameters of `acpLens/didUpdateTimeline` and result of `acpLens/session/subscribe`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TimelineUpdate {
    /// The session.
    pub session: String,
    /// Its generation. Another one than before: forget the timeline, this is all of it.
    pub generation: u64,
    /// The revision that this shows.
    pub revision: u64,
    /// Number of items in the whole timeline.
    pub length: u32,
    /// The items that are new or changed, in order. Each replaces the one at its index.
    pub items: Vec<TimelineItem>,
}

/// An item of a timeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TimelineItem {
    /// Its position in the timeline, from 0; it never changes.
    pub index: u32,
    /// Its id.
    pub id: String,
    /// The turn that it belongs to; `null` for the user's words.
    pub turn: Option<String>,
    /// What it is.
    #[serde(flatten)]
    pub content: TimelineContent,
}

/// What an item of a timeline is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "type")]
pub enum TimelineContent {
    /// A segment of a message.
    #[serde(rename_all = "camelCase")]
    Message {
        /// `user` or `agent`.
        role: String,
        /// Its text, Markdown.
        text: String,
        /// Images, links and other parts, one label each.
        parts: Vec<String>,
        /// For the user's words: how long the turn took that answers them, in milliseconds;
        /// `null` while it runs, and where nobody knows.
        duration_ms: Option<u64>,
    },
    /// A thought of the agent.
    #[serde(rename_all = "camelCase")]
    Thought {
        /// Its text, Markdown.
        text: String,
    },
    /// A tool call.
    #[serde(rename_all = "camelCase")]
    ToolCall {
        /// The id of the call.
        tool_call: String,
        /// The title.
        title: String,
        /// ACP's tool kind, as sent.
        kind: Option<String>,
        /// `pending`, `running`, `completed` or `failed`.
        status: String,
        /// The files that it changed, or that its locations name.
        files: Vec<TimelineFile>,
        /// Its text output.
        text: String,
        /// Its permission question, if it has one.
        permission: Option<Box<PermissionState>>,
    },
    /// The plan.
    #[serde(rename_all = "camelCase")]
    Plan {
        /// Its entries, in order.
        entries: Vec<PlanEntry>,
    },
}

/// A file that a timeline item names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TimelineFile {
    /// `file:` uri; `null` for a path outside the workspace, which is never opened.
    pub uri: Option<String>,
    /// The path to show.
    pub path: String,
    /// What happened to it; `null` while nothing did.
    pub action: Option<Action>,
    /// Added lines.
    pub added: Option<u64>,
    /// Removed lines.
    pub removed: Option<u64>,
    /// Line from 0, where the agent named one.
    pub line: Option<u32>,
}

/// An entry of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanEntry {
    /// What is to be done.
    pub content: String,
    /// `pending`, `in_progress`, `completed`, or another word.
    pub status: String,
    /// `high`, `medium`, `low`, or another word.
    pub priority: String,
}

/// A permission question in a timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PermissionState {
    /// The question.
    pub question: PermissionQuestion,
    /// The answer; `null` while it waits for one.
    pub outcome: Option<PermissionOutcome>,
}

/// Parameters of `acpLens/requestPermission`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PermissionQuestion {
    /// The session.
    pub session: String,
    /// Its generation.
    pub generation: u64,
    /// The id of the question.
    pub permission: String,
    /// The tool call that it is about.
    pub tool_call: String,
    /// What the agent wants to do.
    pub title: String,
    /// ACP's tool kind, as sent.
    pub kind: Option<String>,
    /// The files that it is about, as far as the question names them.
    pub files: Vec<TimelineFile>,
    /// A command line or another text that the question carries.
    pub detail: Option<String>,
    /// The possible answers, in the agent's order.
    pub options: Vec<PermissionOption>,
}

/// A possible answer to a permission question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PermissionOption {
    /// The id to answer with.
    pub option_id: String,
    /// The label.
    pub name: String,
    /// `allow_once`, `allow_always`, `reject_once`, `reject_always`, or another word.
    pub kind: String,
}

/// The answer to a permission question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "outcome")]
pub enum PermissionOutcome {
    /// One of the options.
    #[serde(rename_all = "camelCase")]
    Selected {
        /// Its id.
        option_id: String,
    },
    /// No answer; the agent is told that the question was cancelled.
    Cancelled,
}
