//! Which messages of a connection concern a workspace.
//!
//! An agent can have sessions in several workspaces over one connection. A server gets those of
//! its own, and what belongs to no session.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Direction;

/// Requests that may wait for their answers. A peer that leaves more of them open never answers; they
/// are forgotten so that memory stays bounded.
const MAX_OPEN_REQUESTS: usize = 65_536;

/// Decides message by message, in the order of the wire.
#[derive(Debug)]
pub(super) struct Router {
    roots: Vec<PathBuf>,
    /// Session id to whether it is wanted.
    sessions: HashMap<String, bool>,
    /// Requests without an answer: direction and id, as JSON text.
    pending: HashMap<(bool, String), Pending>,
    /// How many requests for a new wanted session wait for their answer.
    wanted_new: usize,
}

/// A request that waits for its answer.
#[derive(Debug, Clone, Copy)]
enum Pending {
    /// `session/new`: the answer names the session.
    New { wanted: bool },
    /// Anything else.
    Other { wanted: bool },
}

impl Pending {
    /// Whether its answer names a session that is wanted.
    fn wants_new(self) -> bool {
        matches!(self, Self::New { wanted: true })
    }
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
}

/// The members of parameters and results that say where a message belongs.
#[derive(Deserialize, Default)]
struct Place<'a> {
    #[serde(borrow, default, rename = "sessionId")]
    session_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    cwd: Option<Cow<'a, str>>,
}

impl<'a> Place<'a> {
    fn of(value: Option<&'a RawValue>) -> Self {
        // What is no object, or has other types in these members, belongs nowhere.
        value
            .and_then(|value| serde_json::from_str(value.get()).ok())
            .unwrap_or_default()
    }
}

/// A line of the connection that concerns the workspace.
#[derive(Debug)]
pub(super) struct Wanted<'a> {
    /// The message: one JSON object.
    pub(super) message: &'a str,
    /// Its method, if it is no answer.
    pub(super) method: Option<Cow<'a, str>>,
}

impl Router {
    /// A router for the workspace folders `roots`, which have all links resolved.
    pub(super) fn new(roots: impl IntoIterator<Item = PathBuf>) -> Self {
        Self {
            roots: roots.into_iter().collect(),
            sessions: HashMap::new(),
            pending: HashMap::new(),
            wanted_new: 0,
        }
    }

    /// A router that wants everything.
    pub(super) fn everything() -> Self {
        Self::new([PathBuf::from("/")])
    }

    /// The message in `line` if it is one and concerns the workspace.
    pub(super) fn want<'a>(&mut self, direction: Direction, line: &'a [u8]) -> Option<Wanted<'a>> {
        let text = std::str::from_utf8(line).ok()?.trim();
        if !text.starts_with('{') {
            return None;
        }
        let envelope: Envelope<'_> = serde_json::from_str(text).ok()?;
        self.is_wanted(direction, &envelope).then_some(Wanted {
            message: text,
            method: envelope.method,
        })
    }

    fn is_wanted(&mut self, direction: Direction, envelope: &Envelope<'_>) -> bool {
        let to_agent = direction == Direction::ToAgent;
        let id = envelope.id.map(|id| id.get().to_owned());
        let Some(method) = envelope.method.as_deref() else {
            // An answer goes the other way than its request.
            let pending = id.and_then(|id| self.pending.remove(&(!to_agent, id)));
            return pending.is_some_and(|pending| self.is_answer_wanted(pending, envelope));
        };
        let place = Place::of(envelope.params);
        let wanted = self.is_place_wanted(to_agent, method, &place);
        if let Some(id) = id {
            let pending = if to_agent && method == "session/new" {
                Pending::New { wanted }
            } else {
                Pending::Other { wanted }
            };
            self.remember((to_agent, id), pending);
        }
        wanted
    }

    fn remember(&mut self, request: (bool, String), pending: Pending) {
        if self.pending.len() >= MAX_OPEN_REQUESTS {
            self.pending.clear();
            self.wanted_new = 0;
        }
        self.wanted_new += usize::from(pending.wants_new());
        // An id that is used again says that the answer to its first request will not come.
        if let Some(unanswered) = self.pending.insert(request, pending) {
            self.wanted_new -= usize::from(unanswered.wants_new());
        }
    }

    fn is_place_wanted(&mut self, to_agent: bool, method: &str, place: &Place<'_>) -> bool {
        let holds_cwd = place.cwd.as_deref().map(|cwd| self.holds(Path::new(cwd)));
        if let (true, Some(holds_cwd)) = (to_agent, holds_cwd) {
            // `session/new`, `session/load`, `session/resume` and their like name the directory.
            if method == "session/list" {
                return holds_cwd;
            }
            if let Some(session) = &place.session_id {
                self.sessions
                    .insert(session.clone().into_owned(), holds_cwd);
            }
            return holds_cwd;
        }
        match &place.session_id {
            None => true,
            Some(session) => self
                .sessions
                .get(session.as_ref())
                .copied()
                // Some agents send the first updates before the answer that names the session.
                .unwrap_or(self.wanted_new > 0),
        }
    }

    fn is_answer_wanted(&mut self, pending: Pending, envelope: &Envelope<'_>) -> bool {
        self.wanted_new -= usize::from(pending.wants_new());
        match pending {
            Pending::Other { wanted } => wanted,
            Pending::New { wanted } => {
                if let Some(session) = Place::of(envelope.result).session_id {
                    self.sessions.insert(session.into_owned(), wanted);
                }
                wanted
            }
        }
    }

    fn holds(&self, cwd: &Path) -> bool {
        // A directory that is gone is compared as it is written.
        let cwd = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
        self.roots.iter().any(|root| cwd.starts_with(root))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of the lines are wanted by a workspace in `/w`; `>` goes to the agent.
    fn check(lines: &[&str], expect: &[usize]) {
        let mut router = Router::new([PathBuf::from("/w")]);
        let wanted: Vec<usize> = lines
            .iter()
            .enumerate()
            .filter_map(|(n, line)| {
                let (direction, text) = match line.split_at(1) {
                    (">", text) => (Direction::ToAgent, text),
                    (_, text) => (Direction::ToClient, text),
                };
                router.want(direction, text.as_bytes()).map(|_| n)
            })
            .collect();
        assert_eq!(wanted, expect);
    }

    #[test]
    fn a_server_gets_the_sessions_of_its_workspace() {
        check(
            &[
                r#">{"id":0,"method":"initialize","params":{}}"#,
                r#"<{"id":0,"result":{}}"#,
                r#">{"id":1,"method":"session/new","params":{"cwd":"/w/sub"}}"#,
                r#">{"id":2,"method":"session/new","params":{"cwd":"/other"}}"#,
                r#"<{"id":2,"result":{"sessionId":"b"}}"#,
                r#"<{"method":"session/update","params":{"sessionId":"a","update":{}}}"#,
                r#"<{"id":1,"result":{"sessionId":"a"}}"#,
                r#"<{"method":"session/update","params":{"sessionId":"b","update":{}}}"#,
                r#"<{"method":"session/update","params":{"sessionId":"a","update":{}}}"#,
                r#"<{"id":1,"method":"session/request_permission","params":{"sessionId":"b"}}"#,
                r#">{"id":1,"result":{}}"#,
                r#">{"id":3,"method":"session/load","params":{"sessionId":"b","cwd":"/w"}}"#,
                r#"<{"method":"session/update","params":{"sessionId":"b","update":{}}}"#,
                r#"<{"id":3,"result":{}}"#,
            ],
            &[0, 1, 2, 5, 6, 8, 11, 12, 13],
        );
    }

    #[test]
    fn a_request_whose_id_is_used_again_waits_no_more() {
        check(
            &[
                r#">{"id":1,"method":"session/new","params":{"cwd":"/w"}}"#,
                r#">{"id":1,"method":"session/new","params":{"cwd":"/other"}}"#,
                r#"<{"id":1,"result":{"sessionId":"b"}}"#,
                r#"<{"method":"session/update","params":{"sessionId":"c","update":{}}}"#,
            ],
            &[0],
        );
    }

    #[test]
    fn requests_that_are_never_answered_are_forgotten() {
        let mut router = Router::everything();
        for id in 0..=MAX_OPEN_REQUESTS {
            let line = format!(r#"{{"id":{id},"method":"session/new","params":{{}}}}"#);
            assert!(router.want(Direction::ToAgent, line.as_bytes()).is_some());
        }
        assert_eq!((router.pending.len(), router.wanted_new), (1, 1));
    }

    #[test]
    fn what_is_no_message_is_not_wanted() {
        check(
            &[
                "<hello",
                "<",
                "<[1]",
                "<{\"broken\":",
                r#"<{"id":77,"result":{}}"#,
                "<  {\"method\":\"x\"}\r",
            ],
            &[5],
        );
    }
}
