//! The parameters and results of the methods that make up a session's life.

use std::borrow::Cow;

use super::content::AnyContent;
use super::lenient::{List, Map, Number, Raw, Text, object, object_from_str};
use super::{ContentBlock, ToolCallPatch};

object! {
    struct AnyParams<'a> {
        "sessionId" => session_id: Text<'a>,
        "cwd" => cwd: Text<'a>,
    }
}

object! {
    struct AnyInitialized<'a> {
        "protocolVersion" => protocol_version: Number,
        "agentInfo" => agent_info: Map<AnyInfo<'a>>,
        "info" => info: Map<AnyInfo<'a>>,
    }
}

object! {
    struct AnyInfo<'a> {
        "name" => name: Text<'a>,
        "title" => title: Text<'a>,
        "version" => version: Text<'a>,
    }
}

object! {
    struct AnyResume<'a> {
        "replayFrom" => replay_from: Raw<'a>,
    }
}

object! {
    struct AnyPrompt<'a> {
        "sessionId" => session_id: Text<'a>,
        "prompt" => prompt: List<Map<AnyContent<'a>>>,
    }
}

object! {
    struct AnyPromptEnd<'a> {
        "stopReason" => stop_reason: Text<'a>,
    }
}

object! {
    struct AnyStateChange<'a> {
        "state" => state: Text<'a>,
        "stopReason" => stop_reason: Text<'a>,
    }
}

object! {
    /// The members that tell results apart.
    struct AnyResult<'a> {
        "protocolVersion" => protocol_version: Number,
        "sessionId" => session_id: Text<'a>,
        "stopReason" => stop_reason: Text<'a>,
        "outcome" => outcome: Raw<'a>,
    }
}

object! {
    struct AnyQuestion<'a> {
        "sessionId" => session_id: Text<'a>,
        "toolCall" => tool_call: Raw<'a>,
        "subject" => subject: Map<AnySubject<'a>>,
        "options" => options: List<Map<AnyOption<'a>>>,
    }
}

object! {
    /// The `subject` of a version 2 question.
    struct AnySubject<'a> {
        "toolCall" => tool_call: Raw<'a>,
    }
}

object! {
    struct AnyOption<'a> {
        "optionId" => option_id: Text<'a>,
        "name" => name: Text<'a>,
        "kind" => kind: Text<'a>,
    }
}

object! {
    struct AnyAnswer<'a> {
        "outcome" => outcome: Map<AnyOutcome<'a>>,
    }
}

object! {
    struct AnyOutcome<'a> {
        "outcome" => outcome: Text<'a>,
        "optionId" => option_id: Text<'a>,
    }
}

object! {
    struct AnyError<'a> {
        "message" => message: Text<'a>,
        "data" => data: Raw<'a>,
    }
}

object! {
    struct AnyErrorData<'a> {
        "details" => details: Text<'a>,
        "message" => message: Text<'a>,
        "reason" => reason: Text<'a>,
    }
}

/// What `session/new`, `session/load`, `session/resume`, `session/fork` and `session/cancel` say of
/// the session in their parameters, and `session/new` and `session/fork` in their result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionParams<'a> {
    /// `sessionId`.
    pub session_id: Option<Cow<'a, str>>,
    /// `cwd`, as sent.
    pub cwd: Option<Cow<'a, str>>,
}

impl<'a> SessionParams<'a> {
    /// Reads parameters or a result. What is no JSON object says nothing.
    pub fn decode(json: &'a str) -> Self {
        let params: AnyParams<'a> = object_from_str(json).unwrap_or_default();
        Self {
            session_id: params.session_id.value(),
            cwd: params.cwd.value(),
        }
    }
}

/// The result of `initialize`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Initialized<'a> {
    /// `protocolVersion`.
    pub protocol_version: Option<u64>,
    /// The agent's `name`, from `agentInfo` (`info` in ACP v2).
    pub agent_name: Option<Cow<'a, str>>,
    /// Its `title`, for people.
    pub agent_title: Option<Cow<'a, str>>,
    /// Its `version`.
    pub agent_version: Option<Cow<'a, str>>,
}

impl<'a> Initialized<'a> {
    /// Reads the result. What is no JSON object says nothing.
    pub fn decode(json: &'a str) -> Self {
        let result: AnyInitialized<'a> = object_from_str(json).unwrap_or_default();
        let info = result.agent_info.0.value().or(result.info.0.value());
        let info = info.unwrap_or_default();
        Self {
            protocol_version: result.protocol_version.0,
            agent_name: info.name.value(),
            agent_title: info.title.value(),
            agent_version: info.version.value(),
        }
    }
}

/// The parameters of `session/prompt`.
#[derive(Debug, Clone, Default)]
pub struct Prompt<'a> {
    /// `sessionId`.
    pub session_id: Option<Cow<'a, str>>,
    /// `prompt`: what the user said.
    pub blocks: Vec<ContentBlock<'a>>,
}

impl<'a> Prompt<'a> {
    /// Reads the parameters. What is no JSON object is an empty prompt.
    pub fn decode(json: &'a str) -> Self {
        let prompt: AnyPrompt<'a> = object_from_str(json).unwrap_or_default();
        let blocks = prompt.prompt.into_vec().into_iter();
        Self {
            session_id: prompt.session_id.value(),
            blocks: blocks
                .filter_map(|Map(block)| Some(block.value()?.into_block()))
                .collect(),
        }
    }
}

/// `stopReason` of the result of `session/prompt`.
pub fn stop_reason(json: &str) -> Option<Cow<'_, str>> {
    object_from_str::<AnyPromptEnd<'_>>(json)?
        .stop_reason
        .value()
}

/// True when the parameters of `session/resume` ask for a replay of the session (ACP v2).
pub fn asks_for_replay(json: &str) -> bool {
    object_from_str::<AnyResume<'_>>(json)
        .is_some_and(|params| params.replay_from.0.as_value().is_some())
}

/// A `state_update` (ACP v2) that ends a turn: its `stopReason`, if it has one. `None` when the
/// session is not idle after it.
pub fn idle_after(state_update: &str) -> Option<Option<Cow<'_, str>>> {
    let change: AnyStateChange<'_> = object_from_str(state_update)?;
    (change.state.as_str() == "idle").then(|| change.stop_reason.value())
}

/// Which request a result answers, as far as its members tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultShape {
    /// It has the `protocolVersion` of `initialize`.
    Initialized,
    /// It has the `stopReason` of `session/prompt`.
    PromptEnded,
    /// It has the `outcome` of `session/request_permission`.
    PermissionAnswered,
    /// It has the `sessionId` of `session/new` and `session/fork`.
    SessionOpened,
    /// It has none of these.
    Other,
}

impl ResultShape {
    /// Looks at a result.
    pub fn of(json: &str) -> Self {
        let result: AnyResult<'_> = object_from_str(json).unwrap_or_default();
        if result.protocol_version.0.is_some() {
            Self::Initialized
        } else if result.stop_reason.0.as_value().is_some() {
            Self::PromptEnded
        } else if result.outcome.0.as_value().is_some() {
            Self::PermissionAnswered
        } else if result.session_id.0.as_value().is_some() {
            Self::SessionOpened
        } else {
            Self::Other
        }
    }
}

/// What a JSON-RPC error says to people: its `message`, and behind it what its `data` says in
/// words. Many agents put "Internal error" into the first, and why into the second.
pub fn error_message(json: &str) -> Option<Cow<'_, str>> {
    let error = object_from_str::<AnyError<'_>>(json)?;
    let details = error.data.0.value().and_then(|data| {
        if let Ok(words) = serde_json::from_str::<Cow<'_, str>>(data.get()) {
            return Some(words);
        }
        let data = object_from_str::<AnyErrorData<'_>>(data.get())?;
        let mut words = [data.details, data.message, data.reason].into_iter();
        words.find_map(Text::value)
    });
    let details = details.filter(|it| !it.trim().is_empty());
    match (error.message.value(), details) {
        (Some(message), Some(details)) if !message.contains(&*details) => {
            Some(format!("{message}: {details}").into())
        }
        (None, details) => details,
        (message, _) => message,
    }
}

/// The parameters of `session/request_permission`.
#[derive(Debug, Clone, Default)]
pub struct PermissionQuestion<'a> {
    /// `sessionId`.
    pub session_id: Option<Cow<'a, str>>,
    /// The tool call that is asked about; `None` when the question is about something else.
    pub tool_call: Option<ToolCallPatch<'a>>,
    /// `options`, in order.
    pub options: Vec<PermissionOption<'a>>,
}

/// One option of a permission question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PermissionOption<'a> {
    /// `optionId`.
    pub option_id: Cow<'a, str>,
    /// `name`, for people.
    pub name: Cow<'a, str>,
    /// `kind`: `allow_once`, `allow_always`, `reject_once`, `reject_always`, or another word.
    pub kind: Cow<'a, str>,
}

impl PermissionOption<'_> {
    /// True when choosing it refuses the call.
    pub fn rejects(&self) -> bool {
        self.kind.starts_with("reject")
    }
}

impl<'a> PermissionQuestion<'a> {
    /// Reads the parameters. What is no JSON object asks about nothing.
    pub fn decode(json: &'a str) -> Self {
        let question: AnyQuestion<'a> = object_from_str(json).unwrap_or_default();
        let subject = question.subject.0.value().unwrap_or_default();
        let tool_call = question.tool_call.0.value().or(subject.tool_call.0.value());
        let options = question.options.into_vec().into_iter();
        Self {
            session_id: question.session_id.value(),
            tool_call: tool_call.and_then(|raw| ToolCallPatch::decode(raw.get())),
            options: options
                .filter_map(|Map(option)| {
                    let option = option.value()?;
                    Some(PermissionOption {
                        option_id: option.option_id.value()?,
                        name: option.name.value().unwrap_or_default(),
                        kind: option.kind.value().unwrap_or_default(),
                    })
                })
                .collect(),
        }
    }
}

/// The result of `session/request_permission`: the `optionId` that was selected, `None` when the
/// question was cancelled or the answer is none that ACP knows.
pub fn selected_option(json: &str) -> Option<Cow<'_, str>> {
    let answer: AnyAnswer<'_> = object_from_str(json)?;
    let outcome = answer.outcome.0.value()?;
    match outcome.outcome.as_str() {
        "selected" => outcome.option_id.value(),
        _ => None,
    }
}

#[cfg(test)]
mod error_tests {
    use super::error_message;

    #[test]
    fn an_error_says_what_it_can() {
        let check = |json: &str, expect: Option<&str>| {
            assert_eq!(error_message(json).as_deref(), expect, "{json}");
        };
        check(r#"{"code":-1,"message":"no"}"#, Some("no"));
        check(r#"{"message":"no","data":"why"}"#, Some("no: why"));
        check(
            r#"{"message":"Internal error","data":{"details":"no such session"}}"#,
            Some("Internal error: no such session"),
        );
        check(
            r#"{"message":"no","data":{"details":7,"message":"why"}}"#,
            Some("no: why"),
        );
        check(
            r#"{"message":"no: why","data":{"reason":"why"}}"#,
            Some("no: why"),
        );
        check(r#"{"message":"no","data":{"uri":"file:///x"}}"#, Some("no"));
        check(r#"{"message":"no","data":[1]}"#, Some("no"));
        check(r#"{"message":"no","data":" "}"#, Some("no"));
        check(r#"{"data":"why"}"#, Some("why"));
        check(r#"{"message":7}"#, None);
        check("7", None);
    }
}
