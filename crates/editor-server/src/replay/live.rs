//! Messages as they happen, each together with what it means for its session.
//!
//! A message goes to the one who owns the session as one value: its text, and what was read from
//! it without a copy.

use std::borrow::Cow;
use std::sync::Arc;

use acp_grammar::wire::message::Direction;
use acp_grammar::wire::method::Initialized;
use acp_grammar::wire::{Update, UpdateParams};
use activity_core::event::Event;
use activity_core::session::Session;
use self_cell::self_cell;
use serde::Deserialize;
use serde_json::Value;

use super::batch::{LineContent, content};
use super::connection::{self, Connection, Told};

self_cell!(
    /// A message, and what it tells.
    struct HeardCell {
        owner: Box<[u8]>,
        #[covariant]
        dependent: Facts,
    }
);

type Facts<'a> = Vec<Told<'a>>;

/// A message of a session, and what it tells.
pub(crate) struct Heard {
    cell: HeardCell,
    session_id: Arc<str>,
}

impl std::fmt::Debug for Heard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Heard")
            .field("session_id", &self.session_id)
            .finish_non_exhaustive()
    }
}

/// What a message changes about a session apart from its timeline.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum News {
    /// The directory became known: the session is new, or is about to be loaded.
    Opened(String),
    /// History follows.
    LoadStarted,
    /// The agent has answered the load.
    LoadEnded,
    /// The agent cannot load the session.
    LoadFailed(Option<String>),
    /// The user has sent a prompt.
    PromptSent,
    /// The agent has ended its turn, with its stop reason.
    PromptEnded(Option<String>),
    /// The modes with the one in force, the options, the commands, a title: what is `None` stays.
    Metadata(Box<Metadata>),
}

/// What agents tell of a session as such.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Metadata {
    /// `modes`, as `session/new` and `session/load` answer.
    pub(crate) modes: Option<Value>,
    /// `currentModeId`, as `current_mode_update` says.
    pub(crate) current_mode_id: Option<String>,
    /// `configOptions`.
    pub(crate) config_options: Option<Value>,
    /// `availableCommands`.
    pub(crate) available_commands: Option<Value>,
    /// `title`.
    pub(crate) title: Option<String>,
}

impl Metadata {
    fn read(json: &str) -> Option<Self> {
        serde_json::from_str(json)
            .ok()
            .filter(|it| *it != Self::default())
    }
}

impl Heard {
    /// The session.
    pub(crate) fn session_id(&self) -> &Arc<str> {
        &self.session_id
    }

    /// Whether the message is a `session/update`.
    pub(crate) fn is_update(&self) -> bool {
        let facts = self.cell.borrow_dependent();
        matches!(facts.as_slice(), [Told::Session(_, Event::Update(_))])
    }

    /// What changes apart from the timeline.
    pub(crate) fn news(&self) -> Vec<News> {
        #[derive(Deserialize)]
        struct Answer {
            result: Option<Metadata>,
        }
        let mut news = Vec::new();
        for fact in self.cell.borrow_dependent() {
            match fact {
                Told::Agent(_) | Told::Created(_) => {}
                Told::LoadFailed(_, why) => {
                    news.push(News::LoadFailed(why.as_deref().map(str::to_owned)));
                }
                Told::Session(_, event) => match event {
                    Event::Opened { cwd } => news.push(News::Opened(cwd.clone().into_owned())),
                    Event::LoadStarted => news.push(News::LoadStarted),
                    Event::LoadEnded => news.push(News::LoadEnded),
                    Event::PromptSent { .. } => news.push(News::PromptSent),
                    Event::PromptEnded { stop_reason } => {
                        let reason = stop_reason.as_deref().map(str::to_owned);
                        news.push(News::PromptEnded(reason));
                    }
                    Event::Update(Update::Metadata { raw, .. }) => {
                        let told = Metadata::read(raw.get()).map(Box::new);
                        news.extend(told.map(News::Metadata));
                    }
                    _ => {}
                },
            }
        }
        let may_answer = news
            .iter()
            .any(|it| matches!(it, News::Opened(_) | News::LoadEnded));
        if may_answer && let Ok(answer) = serde_json::from_slice::<Answer>(self.cell.borrow_owner())
        {
            let told = answer.result.filter(|it| *it != Metadata::default());
            news.extend(told.map(Box::new).map(News::Metadata));
        }
        news
    }

    /// Lets the session take it in.
    pub(crate) fn apply(mut self, session: &mut Session) {
        self.cell.with_dependent_mut(|_, facts| {
            for fact in facts.drain(..) {
                match fact {
                    Told::Session(_, event) => drop(session.apply(event)),
                    Told::LoadFailed(..) => drop(session.apply(Event::LoadFailed)),
                    Told::Agent(_) | Told::Created(_) => {}
                }
            }
        });
    }
}

/// A connection that is listened to while it is used.
#[derive(Debug, Default)]
pub(crate) struct LiveConnection {
    connection: Connection,
    agent: Option<LiveAgent>,
}

/// The agent at the other end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LiveAgent {
    /// Its name.
    pub(crate) name: Arc<str>,
    /// Its version, if it said one.
    pub(crate) version: Option<Arc<str>>,
}

impl LiveAgent {
    /// Tells a session who its agent is.
    pub(crate) fn introduce(&self, session: &mut Session) {
        session.apply(Event::AgentNamed {
            name: Cow::Borrowed(&self.name),
            version: self.version.as_deref().map(Cow::Borrowed),
        });
    }
}

impl LiveConnection {
    /// Takes in a message. `None` when it concerns no session, or cannot be read.
    pub(crate) fn hear(&mut self, direction: Direction, message: &str) -> Option<Heard> {
        let mut owner: Box<[u8]> = message.as_bytes().into();
        acp_grammar::wire::trace::mend_lone_surrogates(&mut owner);
        let cell = HeardCell::new(owner, |message| self.facts(direction, message));
        let session_id = cell.borrow_dependent().iter().find_map(|fact| match fact {
            Told::Session(id, _) => id.as_deref().map(Arc::from),
            Told::Created(id) | Told::LoadFailed(id, _) => Some(Arc::from(&**id)),
            Told::Agent(_) => None,
        })?;
        Some(Heard { cell, session_id })
    }

    /// The agent, once it has named itself.
    pub(crate) fn agent(&self) -> Option<&LiveAgent> {
        self.agent.as_ref()
    }

    fn facts<'a>(&mut self, direction: Direction, message: &'a [u8]) -> Facts<'a> {
        let mut facts = Vec::new();
        let read = match content(message) {
            Ok(Some(read)) => read,
            Ok(None) => return facts,
            Err(why) => {
                tracing::debug!(%why, "a message cannot be read");
                return facts;
            }
        };
        match read {
            LineContent::Update { params, .. } => {
                let UpdateParams { session_id, update } = params;
                // What the trace of one session may leave out, a connection has to say.
                if session_id.is_some() {
                    let params = UpdateParams { session_id, update };
                    facts.push(connection::update(params));
                }
            }
            LineContent::Message { message, .. } => {
                let told = &mut |fact| facts.push(fact);
                self.connection.observe(Some(direction), message, told);
            }
        }
        for fact in &facts {
            if let Told::Agent(Initialized {
                agent_name: Some(name),
                agent_version,
                ..
            }) = fact
            {
                self.agent = Some(LiveAgent {
                    name: name.as_ref().into(),
                    version: agent_version.as_deref().map(Into::into),
                });
            }
        }
        facts
    }
}
