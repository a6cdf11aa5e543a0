//! What can happen to a session, in the order in which it happened.

use std::borrow::Cow;

use acp_grammar::wire::{ContentBlock, ToolCallPatch, Update};

/// One thing that happened to a session.
///
/// Everything that a session knows comes from these events; the same events in the same order
/// give the same session, whether they come from a living agent or from a recording.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The agent named itself in its answer to `initialize`.
    AgentNamed {
        /// `agentInfo.name`.
        name: Cow<'a, str>,
        /// `agentInfo.version`.
        version: Option<Cow<'a, str>>,
    },
    /// The session was created or is about to be loaded, and the wire named its directory.
    Opened {
        /// `cwd` of `session/new` or `session/load`, as sent.
        cwd: Cow<'a, str>,
    },
    /// `session/load` was sent: what follows is history, not live.
    LoadStarted,
    /// `session/load` was answered. Some agents send the history only now; a call that they replay
    /// is historical until the next prompt.
    LoadEnded,
    /// `session/load` was answered with an error: the session is what it was before.
    LoadFailed,
    /// A `session/update` came.
    Update(Update<'a>),
    /// The agent asked for permission.
    PermissionRequested {
        /// The id of the JSON-RPC request, as text; it pairs the question with its answer.
        request_id: Cow<'a, str>,
        /// What the question says about the tool call.
        tool_call: ToolCallPatch<'a>,
    },
    /// A permission question was answered, or withdrawn.
    PermissionAnswered {
        /// The id of the question.
        request_id: Cow<'a, str>,
        /// The answer.
        answer: PermissionAnswer<'a>,
    },
    /// The user sent a prompt.
    PromptSent {
        /// Its content blocks.
        blocks: Vec<ContentBlock<'a>>,
    },
    /// The agent ended the turn of a prompt.
    PromptEnded {
        /// `stopReason`; `None` when the prompt was answered with an error.
        stop_reason: Option<Cow<'a, str>>,
    },
    /// Another run goes on with the prompt: the tool calls that are open have failed.
    RunReplaced,
    /// Messages of this session were lost before they reached this reader.
    GapNoticed {
        /// How many, where that is known.
        missed: Option<u64>,
    },
}

/// The answer to a permission question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionAnswer<'a> {
    /// An option was selected.
    Selected {
        /// Its id.
        option_id: Cow<'a, str>,
        /// True when the option's kind is one that rejects (`reject_once`, `reject_always`).
        rejected: bool,
    },
    /// The question was cancelled.
    Cancelled,
}
