//! What the messages of one ACP connection mean for its sessions.
//!
//! A response names only the request it answers, so requests are remembered until then, for each
//! direction apart: both sides count their ids from anywhere, and the same id is often open in
//! both. A raw message does not say which way it goes; that is told from its method or, for a
//! response, from what it holds.

use std::borrow::Cow;
use std::collections::HashMap;

use acp_grammar::wire::message::{Answer, Direction, Message};
use acp_grammar::wire::method::{
    self, Initialized, PermissionQuestion, Prompt, ResultShape, SessionParams,
};
use acp_grammar::wire::trace::Hop;
use acp_grammar::wire::{Update, UpdateParams};
use activity_core::event::{Event, PermissionAnswer};
use serde_json::value::RawValue;

/// Requests that may wait for their answers in one direction. A peer that leaves more of them open
/// never answers; they are forgotten so that memory stays bounded.
const MAX_OPEN_REQUESTS: usize = 65_536;

/// What a message tells, and of which session.
#[derive(Debug)]
pub(super) enum Told<'a> {
    /// Something happened to a session. `None` is the one session of a trace that names none.
    Session(Option<Cow<'a, str>>, Event<'a>),
    /// The agent of the connection named itself; its sessions have it from now on.
    Agent(Initialized<'a>),
    /// The agent made a session of this id: it is no session of an earlier connection.
    Created(Cow<'a, str>),
    /// A session could not be loaded, with the agent's reason.
    LoadFailed(Cow<'a, str>, Option<Cow<'a, str>>),
}

/// A request that waits for its answer, with what its answer will not repeat.
#[derive(Debug)]
enum OpenRequest {
    Initialize,
    /// `session/new` and `session/fork`: the answer names the session.
    New {
        cwd: Option<Box<str>>,
    },
    /// `session/load`, and `session/resume` with a replay.
    Load {
        session_id: Box<str>,
    },
    Prompt {
        session_id: Option<Box<str>>,
    },
    Permission {
        session_id: Option<Box<str>>,
        /// The options that refuse.
        rejecting: Vec<Box<str>>,
    },
    /// Any other. It is remembered because its id may be open in the other direction too.
    Other,
}

/// One connection between a client and an agent.
#[derive(Debug, Default)]
pub(super) struct Connection {
    from_client: HashMap<Box<str>, OpenRequest>,
    from_agent: HashMap<Box<str>, OpenRequest>,
    from_anyone: HashMap<Box<str>, OpenRequest>,
    /// The step of a conductor's chain that is followed: the first that was seen.
    hop: Option<Hop>,
}

impl Connection {
    /// Takes in one message that is no `session/update`, and tells what it means.
    pub(super) fn observe<'a>(
        &mut self,
        direction: Option<Direction>,
        message: Message<'a>,
        tell: &mut impl FnMut(Told<'a>),
    ) {
        match message {
            Message::Request { id, method, params } => {
                let direction = direction.or_else(|| Direction::of_method(&method));
                if method == "initialize" {
                    // Another connection begins, and its ids with it.
                    *self = Self {
                        hop: self.hop,
                        ..Self::default()
                    };
                }
                let open = request(&method, id, params.map_or("null", RawValue::get), tell);
                let requests = match direction {
                    Some(Direction::ClientToAgent) => &mut self.from_client,
                    Some(Direction::AgentToClient) => &mut self.from_agent,
                    None => &mut self.from_anyone,
                };
                if requests.len() >= MAX_OPEN_REQUESTS {
                    requests.clear();
                }
                requests.insert(id.into(), open);
            }
            // Those that would mean something go through their requests: a cancelled turn is
            // known by the end of its prompt.
            Message::Notification { .. } => {}
            Message::Response { id, answer } => {
                if let Some(open) = self.take_request(direction, id, answer) {
                    response(open, id, answer, tell);
                }
            }
        }
    }

    /// True when the story is told at this step of a conductor's chain: the first that was seen.
    pub(super) fn follows(&mut self, hop: Hop) -> bool {
        match (hop, self.hop) {
            (Hop::Only, _) => true,
            (Hop::Between, _) => false,
            (_, None) => {
                self.hop = Some(hop);
                true
            }
            (_, Some(followed)) => hop == followed,
        }
    }

    /// The request that a response answers.
    fn take_request(
        &mut self,
        direction: Option<Direction>,
        id: &str,
        answer: Answer<'_>,
    ) -> Option<OpenRequest> {
        let requests = match direction {
            Some(Direction::AgentToClient) => &mut self.from_client,
            Some(Direction::ClientToAgent) => &mut self.from_agent,
            None => {
                // Among equals the last one is taken.
                let candidates = [
                    &mut self.from_agent,
                    &mut self.from_client,
                    &mut self.from_anyone,
                ];
                let shape = match answer {
                    Answer::Result(json) => Some(ResultShape::of(json)),
                    Answer::Error(_) => None,
                };
                candidates
                    .into_iter()
                    .filter(|requests| requests.contains_key(id))
                    .max_by_key(|requests| requests.get(id).map(|open| open.fits(shape)))?
            }
        };
        requests.remove(id)
    }
}

impl OpenRequest {
    /// How well a result of this shape answers the request. An error answers each as well.
    fn fits(&self, shape: Option<ResultShape>) -> Fit {
        let Some(shape) = shape else {
            return Fit::Possible;
        };
        let wanted = match self {
            Self::Initialize => ResultShape::Initialized,
            Self::New { .. } => ResultShape::SessionOpened,
            Self::Prompt { .. } => ResultShape::PromptEnded,
            Self::Permission { .. } => ResultShape::PermissionAnswered,
            Self::Load { .. } | Self::Other => return Fit::Possible,
        };
        if shape == wanted {
            Fit::Sure
        } else {
            Fit::Hardly
        }
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Hardly,
    Possible,
    Sure,
}

/// What a request tells, and what is to be remembered of it.
fn request<'a>(
    method: &str,
    id: &'a str,
    params: &'a str,
    tell: &mut impl FnMut(Told<'a>),
) -> OpenRequest {
    match method {
        "initialize" => OpenRequest::Initialize,
        "session/new" | "session/fork" => OpenRequest::New {
            cwd: SessionParams::decode(params).cwd.as_deref().map(Into::into),
        },
        "session/load" | "session/resume" => {
            let SessionParams { session_id, cwd } = SessionParams::decode(params);
            let Some(session_id) = session_id else {
                return OpenRequest::Other;
            };
            if let Some(cwd) = cwd {
                tell(Told::Session(
                    Some(session_id.clone()),
                    Event::Opened { cwd },
                ));
            }
            if method == "session/resume" && !method::asks_for_replay(params) {
                return OpenRequest::Other;
            }
            let open = OpenRequest::Load {
                session_id: session_id.as_ref().into(),
            };
            tell(Told::Session(Some(session_id), Event::LoadStarted));
            open
        }
        "session/prompt" => {
            let Prompt { session_id, blocks } = Prompt::decode(params);
            let open = OpenRequest::Prompt {
                session_id: session_id.as_deref().map(Into::into),
            };
            tell(Told::Session(session_id, Event::PromptSent { blocks }));
            open
        }
        "session/request_permission" => {
            let question = PermissionQuestion::decode(params);
            let Some(tool_call) = question.tool_call else {
                return OpenRequest::Other;
            };
            let rejecting = question.options.iter().filter(|option| option.rejects());
            let open = OpenRequest::Permission {
                session_id: question.session_id.as_deref().map(Into::into),
                rejecting: rejecting
                    .map(|option| option.option_id.as_ref().into())
                    .collect(),
            };
            let asked = Event::PermissionRequested {
                request_id: Cow::Borrowed(id),
                tool_call,
            };
            tell(Told::Session(question.session_id, asked));
            open
        }
        _ => OpenRequest::Other,
    }
}

/// What the answer to a request tells.
fn response<'a>(
    open: OpenRequest,
    id: &'a str,
    answer: Answer<'a>,
    tell: &mut impl FnMut(Told<'a>),
) {
    let session = |id: Option<Box<str>>| id.map(|id| Cow::Owned(id.into_string()));
    match (open, answer) {
        (OpenRequest::Initialize, Answer::Result(json)) => {
            tell(Told::Agent(Initialized::decode(json)));
        }
        (OpenRequest::New { cwd }, Answer::Result(json)) => {
            if let (Some(session_id), Some(cwd)) =
                (SessionParams::decode(json).session_id, session(cwd))
            {
                tell(Told::Created(session_id.clone()));
                tell(Told::Session(Some(session_id), Event::Opened { cwd }));
            }
        }
        (OpenRequest::Load { session_id }, Answer::Result(_)) => {
            tell(Told::Session(session(Some(session_id)), Event::LoadEnded));
        }
        (OpenRequest::Load { session_id }, Answer::Error(json)) => {
            let session_id = Cow::Owned(session_id.into_string());
            tell(Told::LoadFailed(session_id, method::error_message(json)));
        }
        (OpenRequest::Prompt { session_id }, Answer::Result(json)) => {
            // In version 2 the answer only accepts the prompt; a state update ends the turn.
            if let Some(stop_reason) = method::stop_reason(json) {
                let ended = Event::PromptEnded {
                    stop_reason: Some(stop_reason),
                };
                tell(Told::Session(session(session_id), ended));
            }
        }
        (OpenRequest::Prompt { session_id }, Answer::Error(_)) => {
            let ended = Event::PromptEnded { stop_reason: None };
            tell(Told::Session(session(session_id), ended));
        }
        (
            OpenRequest::Permission {
                session_id,
                rejecting,
            },
            answer,
        ) => {
            let selected = match answer {
                Answer::Result(json) => method::selected_option(json),
                Answer::Error(_) => None,
            };
            let answer = selected.map_or(PermissionAnswer::Cancelled, |option_id| {
                PermissionAnswer::Selected {
                    rejected: rejecting.iter().any(|id| **id == *option_id),
                    option_id,
                }
            });
            let answered = Event::PermissionAnswered {
                request_id: Cow::Borrowed(id),
                answer,
            };
            tell(Told::Session(session(session_id), answered));
        }
        (OpenRequest::Initialize | OpenRequest::New { .. }, Answer::Error(_))
        | (OpenRequest::Other, _) => {}
    }
}

/// What an update tells.
pub(super) fn update(params: UpdateParams<'_>) -> Told<'_> {
    let UpdateParams { session_id, update } = params;
    let ended = match &update {
        Update::Metadata { name, raw } if name == "state_update" => method::idle_after(raw.get()),
        _ => None,
    };
    let event = match ended {
        Some(stop_reason) => Event::PromptEnded { stop_reason },
        None => Event::Update(update),
    };
    Told::Session(session_id, event)
}

#[cfg(test)]
mod tests;
