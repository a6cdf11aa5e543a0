//! JSON-RPC messages: what they are, and which way they go.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::Field;
use super::lenient::{Raw, Text, object};

/// Which way a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the client (an editor) to the agent; a trace writes `c2a`.
    ClientToAgent,
    /// From the agent to the client; a trace writes `a2c`.
    AgentToClient,
}

impl Direction {
    /// The way that a request or notification of this name goes, for the methods of ACP that go
    /// only one way; `None` for all others.
    pub fn of_method(method: &str) -> Option<Self> {
        match method {
            "session/update" | "session/request_permission" => Some(Self::AgentToClient),
            "initialize" | "authenticate" => Some(Self::ClientToAgent),
            _ if method.starts_with("session/") => Some(Self::ClientToAgent),
            _ if method.starts_with("fs/") || method.starts_with("terminal/") => {
                Some(Self::AgentToClient)
            }
            _ => None,
        }
    }
}

/// A JSON-RPC message, its parameters or result not yet read.
#[derive(Debug, Clone)]
pub enum Message<'a> {
    /// A call that wants an answer.
    Request {
        /// `id`, as JSON text.
        id: &'a str,
        /// `method`.
        method: Cow<'a, str>,
        /// `params`; `None` when missing or `null`.
        params: Option<&'a RawValue>,
    },
    /// A call that wants none.
    Notification {
        /// `method`.
        method: Cow<'a, str>,
        /// `params`; `None` when missing or `null`.
        params: Option<&'a RawValue>,
    },
    /// The answer to a request that went the other way.
    Response {
        /// The `id` of the request, as JSON text.
        id: &'a str,
        /// What came back.
        answer: Answer<'a>,
    },
}

/// What a response carries.
#[derive(Debug, Clone, Copy)]
pub enum Answer<'a> {
    /// `result`, as JSON text; `null` counts.
    Result(&'a str),
    /// `error`, as JSON text.
    Error(&'a str),
}

object! {
    /// The members of a JSON-RPC message.
    pub(super) struct AnyMessage<'a> {
        "id" => id: Raw<'a>,
        "method" => method: Text<'a>,
        "params" => params: Raw<'a>,
        "result" => result: Raw<'a>,
        "error" => error: Raw<'a>,
    }
}

impl<'a> AnyMessage<'a> {
    /// The message, or `None` when the object is none.
    pub(super) fn into_message(self) -> Option<Message<'a>> {
        let params = self.params.0.value();
        match (self.method.0, self.id.0) {
            (Field::Value(method), Field::Value(id)) => Some(Message::Request {
                id: id.get(),
                method,
                params,
            }),
            (Field::Value(method), _) => Some(Message::Notification { method, params }),
            (_, Field::Value(id)) => {
                let answer = match (self.error.0, self.result.0) {
                    (Field::Value(error), _) => Answer::Error(error.get()),
                    (_, Field::Value(result)) => Answer::Result(result.get()),
                    (_, Field::Null) => Answer::Result("null"),
                    _ => return None,
                };
                Some(Message::Response {
                    id: id.get(),
                    answer,
                })
            }
            _ => None,
        }
    }
}
