//! The shapes of the Agent Client Protocol that the project reads, borrowed from the message.
//!
//! Decoding keeps what it does not know: an unknown `sessionUpdate` becomes
//! [`Update::Unknown`], an unknown status or kind stays a string, a malformed member of a list
//! does not cost its neighbours. Only text that is no JSON object is an error.
//!
//! A line of a trace that is a plain `session/update` is read in one pass by
//! [`UpdateParams::of_line`]. Any other takes two steps: [`trace::Line`] finds its form and the outer
//! members of the message in it, and leaves the parameters as text; once the method is known, they
//! are read by the types of [`method`] and by [`UpdateParams`].

mod content;
mod git_patch;
pub(crate) mod lenient;
mod plain;
mod update;

pub mod message;
pub mod method;
pub mod trace;

pub use update::UpdateParams;

use std::borrow::Cow;

use serde_json::value::RawValue;

/// A member of an update that can be missing, `null`, or present.
///
/// ACP updates are partial: a missing member keeps what was known before, while an explicit
/// `null` can overwrite it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Field<T> {
    /// The member is not in the object.
    #[default]
    Missing,
    /// The member is there and is `null`.
    Null,
    /// The member is there with a value.
    Value(T),
}

impl<T> Field<T> {
    /// The value, if there is one; `None` for both a missing member and a `null`.
    pub fn value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Missing | Self::Null => None,
        }
    }

    /// The field with its value changed; missing and `null` stay what they are.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Field<U> {
        match self {
            Self::Value(value) => Field::Value(change(value)),
            Self::Missing => Field::Missing,
            Self::Null => Field::Null,
        }
    }

    /// The value by reference, if there is one.
    pub fn as_value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Missing | Self::Null => None,
        }
    }

    /// True when the member was in the object at all, `null` included.
    pub fn is_present(&self) -> bool {
        !matches!(self, Self::Missing)
    }
}

/// One `session/update`, by its `sessionUpdate` name.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Update<'a> {
    /// `user_message_chunk`: a piece of what the user said, in a replay or as an echo.
    UserMessageChunk(MessageChunk<'a>),
    /// `agent_message_chunk`.
    AgentMessageChunk(MessageChunk<'a>),
    /// `agent_thought_chunk`.
    AgentThoughtChunk(MessageChunk<'a>),
    /// `user_message`: a whole message that replaces the segments of its id.
    UserMessage(WholeMessage<'a>),
    /// `agent_message`: a whole message that replaces the segments of its id.
    AgentMessage(WholeMessage<'a>),
    /// `agent_thought`: a whole thought that replaces what its id had (ACP v2).
    AgentThought(WholeMessage<'a>),
    /// `tool_call`: a call is announced, or announced once more.
    ToolCall(ToolCallPatch<'a>),
    /// `tool_call_update`: some members of a call changed.
    ToolCallUpdate(ToolCallPatch<'a>),
    /// `tool_call_content_chunk`: one more piece of output of a call.
    ToolContentChunk {
        /// The call it belongs to.
        tool_call_id: Cow<'a, str>,
        /// The piece; a diff of several files (ACP v2) is several, and a chunk without content
        /// is one unknown piece.
        content: Vec<ToolContent<'a>>,
    },
    /// `plan`: the whole plan, replacing the one before.
    Plan {
        /// The entries, in order.
        entries: Vec<PlanEntry<'a>>,
    },
    /// `plan_update` with a list of items (ACP v2): the whole plan, replacing the one before.
    PlanUpdate {
        /// The entries, in order.
        entries: Vec<PlanEntry<'a>>,
    },
    /// `available_commands_update`, `current_mode_update`, `config_option_update`,
    /// `session_info_update`, `usage_update`, `state_update`: they change what is known of the
    /// session, not its timeline.
    Metadata {
        /// The `sessionUpdate` name.
        name: Cow<'a, str>,
        /// The whole update object.
        raw: &'a RawValue,
    },
    /// Any other name, kept as it came.
    Unknown {
        /// The `sessionUpdate` name; empty when the member is missing or no string.
        name: Cow<'a, str>,
        /// The whole update object.
        raw: &'a RawValue,
    },
}

/// A piece of a message or thought.
#[derive(Debug, Clone)]
pub struct MessageChunk<'a> {
    /// `messageId`, where the agent gives one.
    pub message_id: Option<Cow<'a, str>>,
    /// The content block.
    pub content: ContentBlock<'a>,
    /// The update's `_meta`.
    pub meta: Option<&'a RawValue>,
}

/// A whole message.
#[derive(Debug, Clone)]
pub struct WholeMessage<'a> {
    /// `messageId`.
    pub message_id: Option<Cow<'a, str>>,
    /// Its content blocks. What is no list counts as `Null`, one block as a list of one.
    pub content: Field<Vec<ContentBlock<'a>>>,
}

/// A content block of a message, a prompt or a tool's output.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ContentBlock<'a> {
    /// `text`.
    Text(Cow<'a, str>),
    /// `image`, by where it is; inline data is not kept.
    Image {
        /// `mimeType`.
        mime_type: Option<Cow<'a, str>>,
        /// `uri`, if the image has one.
        uri: Option<Cow<'a, str>>,
        /// Length of the inline base64 data in bytes, 0 without any.
        data_len: usize,
    },
    /// `audio`.
    Audio {
        /// `mimeType`.
        mime_type: Option<Cow<'a, str>>,
    },
    /// `resource_link`.
    ResourceLink(ResourceLink<'a>),
    /// `resource`: an embedded resource, text or blob.
    Resource {
        /// `resource.uri`.
        uri: Cow<'a, str>,
        /// `resource.mimeType`.
        mime_type: Option<Cow<'a, str>>,
        /// `resource.text`, if it is a text resource.
        text: Option<Cow<'a, str>>,
    },
    /// Any other type, or a block that lacks what its type needs; the type's name, empty when it
    /// has none.
    Unknown(Cow<'a, str>),
}

/// A `resource_link` content block.
#[derive(Debug, Clone)]
pub struct ResourceLink<'a> {
    /// `uri`.
    pub uri: Cow<'a, str>,
    /// `name`.
    pub name: Option<Cow<'a, str>>,
    /// `title`.
    pub title: Option<Cow<'a, str>>,
    /// `mimeType`.
    pub mime_type: Option<Cow<'a, str>>,
    /// `size` in bytes.
    pub size: Option<u64>,
}

/// The members of a `tool_call`, a `tool_call_update`, or the `toolCall` of a permission request.
#[derive(Debug, Clone, Default)]
pub struct ToolCallPatch<'a> {
    /// `toolCallId`.
    pub tool_call_id: Cow<'a, str>,
    /// `title`.
    pub title: Field<Cow<'a, str>>,
    /// `kind`, as sent: `edit`, `execute`, or a word that this crate does not know.
    pub kind: Field<Cow<'a, str>>,
    /// `status`, as sent. A member that is no string counts as `Null`.
    pub status: Field<Cow<'a, str>>,
    /// `content`. It replaces what the call had before.
    pub content: Field<Vec<ToolContent<'a>>>,
    /// `locations`. They replace what the call had before.
    pub locations: Field<Vec<Location<'a>>>,
    /// `rawInput`, any JSON value.
    pub raw_input: Field<&'a RawValue>,
    /// `rawOutput`, any JSON value.
    pub raw_output: Field<&'a RawValue>,
    /// `name`: the tool's name (ACP v2, and some agents before).
    pub name: Field<Cow<'a, str>>,
    /// `_meta`.
    pub meta: Field<&'a RawValue>,
}

/// A piece of a tool call's `content`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ToolContent<'a> {
    /// `content`: an ordinary content block.
    Block(ContentBlock<'a>),
    /// `diff`.
    Diff(Diff<'a>),
    /// `terminal`.
    Terminal {
        /// `terminalId`.
        terminal_id: Cow<'a, str>,
    },
    /// Any other type, or a piece that lacks what its type needs; the type's name, empty when it
    /// has none.
    Unknown(Cow<'a, str>),
}

/// A `diff` of a tool call.
///
/// ACP v1 gives one file with its old and new text; v2 gives `changes`, each with an operation
/// and optionally a git patch. Both end here, a v2 diff as one `Diff` per change.
#[derive(Debug, Clone, Default)]
pub struct Diff<'a> {
    /// `path`, as sent. For a v2 move it is the new path.
    pub path: Cow<'a, str>,
    /// The path before a move (v2 `oldPath`), if there was one.
    pub old_path: Option<Cow<'a, str>>,
    /// `oldText`. Missing, `null` and empty do not prove that the file did not exist.
    pub old_text: Field<Cow<'a, str>>,
    /// `newText`.
    pub new_text: Field<Cow<'a, str>>,
    /// The operation where the wire names one: v2 `operation`, or `_meta.kind`.
    pub operation: Option<Cow<'a, str>>,
    /// True when the wire carries `deleted: true`.
    pub deleted: bool,
    /// v2 `fileType` (`text`, `binary`, `directory`, ...).
    pub file_type: Option<Cow<'a, str>>,
    /// v2 `patch`: a git patch of this one file.
    pub patch: Option<Cow<'a, str>>,
    /// `_meta` of the diff.
    pub meta: Option<&'a RawValue>,
}

/// An entry of a tool call's `locations`.
#[derive(Debug, Clone)]
pub struct Location<'a> {
    /// `path`, as sent: absolute, relative, or with `~`.
    pub path: Cow<'a, str>,
    /// `line` as sent: from 1 by most agents, 0 or absent where unknown.
    pub line: Option<u32>,
}

/// An entry of a plan.
#[derive(Debug, Clone)]
pub struct PlanEntry<'a> {
    /// What is to be done.
    pub content: Cow<'a, str>,
    /// `pending`, `in_progress`, `completed`, or another word.
    pub status: Cow<'a, str>,
    /// `high`, `medium`, `low`, or another word.
    pub priority: Cow<'a, str>,
}
