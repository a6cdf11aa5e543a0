//! From the messages of one session to what the server shows of it.
//!
//! A history becomes visible in one step: while a session is loaded, or while a tap tells what
//! happened before the server came, it is built aside, and put in place when it is whole.

use std::sync::Arc;

use acp_grammar::wire::Field;
use activity_core::event::Event;
use activity_core::host::Generation;
use activity_core::session::{Options, Session};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::lsp::ext::{SessionSource, SessionState};
use crate::replay::live::{Heard, LiveAgent, Metadata, News};
use crate::session::entry::{Opening, Status};
use crate::session::handle::Handle;
use crate::session::progress::Progress;
use crate::session::sources::SessionKey;

/// What a feed is about.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    /// The server's name of the session.
    pub(crate) key: SessionKey,
    /// The ACP id.
    pub(crate) session_id: Arc<str>,
    /// How the server knows of it.
    pub(crate) source: SessionSource,
    /// What the settings or the command line call the agent.
    pub(crate) agent: Option<Arc<str>>,
    /// How it is read.
    pub(crate) options: Options,
}

/// Feeds one session of the server.
#[derive(Debug)]
pub(crate) struct SessionFeed {
    handle: Handle,
    subject: Subject,
    generation: Generation,
    /// The generation of what is shown.
    shown: Generation,
    aside: Option<Box<Aside>>,
    modes: Option<Value>,
    /// When the running prompt was sent; not of one that is told afterwards.
    prompted: Option<Instant>,
    /// A prompt runs.
    is_prompting: bool,
    /// The turn that runs, as the client shows it.
    turn: Option<Progress>,
}

/// A session while it is built aside of what is shown.
#[derive(Debug)]
struct Aside {
    session: Session,
    /// What is not part of the timeline, to be told when the session is shown.
    news: Vec<News>,
    /// A load, as the client shows it.
    progress: Option<Progress>,
}

/// When something happened that is noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    Now,
    /// Before the server was told.
    Earlier,
}

impl SessionFeed {
    /// A session that begins, or begins to be told.
    pub(crate) fn open(handle: &Handle, subject: Subject, generation: Generation) -> Self {
        let feed = Self {
            handle: handle.clone(),
            subject,
            generation,
            shown: generation,
            aside: None,
            modes: None,
            prompted: None,
            is_prompting: false,
            turn: None,
        };
        feed.announce();
        feed
    }

    /// The server's name of the session.
    pub(crate) fn key(&self) -> &SessionKey {
        &self.subject.key
    }

    fn announce(&self) {
        let subject = &self.subject;
        self.handle.open_session(Opening {
            key: Arc::clone(&subject.key),
            session_id: Arc::clone(&subject.session_id),
            source: subject.source,
            generation: self.generation.0,
            state: SessionState::Idle,
            agent: subject.agent.clone(),
            options: subject.options.clone(),
        });
    }

    /// Builds the session aside of what is shown.
    pub(crate) fn begin_aside(&mut self, agent: Option<&LiveAgent>) {
        let subject = &self.subject;
        let mut session = Session::new(Arc::clone(&subject.session_id), subject.options.clone());
        if let Some(agent) = agent {
            agent.introduce(&mut session);
        }
        self.aside = Some(Box::new(Aside {
            session,
            news: Vec::new(),
            progress: None,
        }));
    }

    /// The session is loaded anew: it is built aside, under the next generation.
    pub(crate) fn begin_load(&mut self, agent: Option<&LiveAgent>) {
        self.generation = Generation(self.generation.0 + 1);
        self.begin_aside(agent);
        let title = loading(self.subject.agent.as_deref());
        if let Some(aside) = &mut self.aside {
            aside.progress = Some(Progress::begin(&self.handle, title));
        }
        self.set_state(SessionState::Loading, None);
    }

    /// Whether a prompt waits for its end.
    pub(crate) fn is_prompting(&self) -> bool {
        self.is_prompting
    }

    /// Whether the session is being built aside.
    pub(crate) fn is_aside(&self) -> bool {
        self.aside.is_some()
    }

    /// Shows what was built aside, in one step.
    pub(crate) fn commit_aside(&mut self) {
        let Some(aside) = self.aside.take() else {
            return;
        };
        if self.shown != self.generation {
            self.shown = self.generation;
            self.announce();
        }
        self.handle
            .replace_session(&self.subject.key, aside.session);
        for it in aside.news {
            self.tell(it, Moment::Earlier);
        }
        if let Some(progress) = aside.progress {
            let updates = progress.counted_updates();
            progress.end(updates);
        }
        self.show_turn();
    }

    /// Goes on with what is shown: the load failed, and its generation is used up.
    pub(crate) fn abandon_aside(&mut self, failure: News) {
        let progress = self.aside.take().and_then(|aside| aside.progress);
        if let (Some(progress), News::LoadFailed(Some(why))) = (progress, &failure) {
            progress.end(why.clone());
        }
        self.note(failure);
    }

    /// Shows a session that was built elsewhere, under its generation, in one step.
    pub(crate) fn commit(&mut self, generation: Generation, options: Options, session: Session) {
        self.generation = generation;
        self.shown = generation;
        self.subject.options = options;
        self.aside = None;
        self.announce();
        self.handle.replace_session(&self.subject.key, session);
    }

    /// Takes in a message.
    pub(crate) async fn hear(&mut self, heard: Heard) {
        let news = heard.news();
        let aside = self.aside.as_mut().filter(|_| heard.is_update());
        if let Some(progress) = aside.and_then(|aside| aside.progress.as_mut()) {
            progress.count_update();
        }
        self.feed(move |session| heard.apply(session)).await;
        for it in news {
            self.note(it);
        }
    }

    /// Takes in an event that no message carries.
    pub(crate) async fn apply(&mut self, event: Event<'static>) {
        if let Event::PromptEnded { .. } = event {
            self.prompted = None;
        }
        self.feed(move |session| {
            session.apply(event);
        })
        .await;
    }

    async fn feed(&mut self, feed: impl FnOnce(&mut Session) + Send + 'static) {
        match &mut self.aside {
            Some(aside) => feed(&mut aside.session),
            None => self.handle.feed(&self.subject.key, feed).await,
        }
    }

    /// Takes in what is not part of the timeline.
    pub(crate) fn note(&mut self, news: News) {
        if let Some(aside) = &mut self.aside {
            aside.news.push(news);
            return;
        }
        self.tell(news, Moment::Now);
        self.show_turn();
    }

    fn tell(&mut self, news: News, moment: Moment) {
        let status = match news {
            News::Opened(_) | News::LoadStarted => return,
            News::LoadEnded => Status {
                state: Some(SessionState::Idle),
                error: Field::Null,
                ..Status::default()
            },
            News::LoadFailed(why) => Status {
                state: Some(SessionState::Idle),
                error: Field::Value(format!(
                    "the agent could not load this session: {}",
                    why.as_deref().unwrap_or("no reason given")
                )),
                ..Status::default()
            },
            News::PromptSent => {
                self.is_prompting = true;
                if moment == Moment::Now {
                    self.prompted.get_or_insert_with(Instant::now);
                }
                Status {
                    state: Some(SessionState::Prompting),
                    stop_reason: Field::Null,
                    error: Field::Null,
                    ..Status::default()
                }
            }
            News::PromptEnded(reason) => {
                self.is_prompting = false;
                if let Some(turn) = self.turn.take() {
                    turn.end(reason.clone().unwrap_or_default());
                }
                let took = self.prompted.take().map(|since| since.elapsed());
                Status {
                    state: Some(SessionState::Idle),
                    stop_reason: reason.map_or(Field::Null, Field::Value),
                    turn_ms: took.and_then(|it| u64::try_from(it.as_millis()).ok()),
                    ..Status::default()
                }
            }
            News::Metadata(metadata) => self.metadata(*metadata),
        };
        self.handle.set_status(&self.subject.key, status);
    }

    /// Says what the session is doing, and what is wrong with it.
    pub(crate) fn set_state(&mut self, state: SessionState, error: Option<String>) {
        self.is_prompting &= state == SessionState::Prompting;
        self.show_turn();
        let status = Status {
            state: Some(state),
            error: error.map_or(Field::Null, Field::Value),
            ..Status::default()
        };
        self.handle.set_status(&self.subject.key, status);
    }

    /// Tells the client of the turn that runs, but not of those of a history.
    fn show_turn(&mut self) {
        if !self.is_prompting {
            self.turn = None;
        } else if self.turn.is_none() && self.aside.is_none() {
            let agent = self.subject.agent.as_deref().unwrap_or("The agent");
            let title = format!("{agent} is working");
            self.turn = Some(Progress::begin(&self.handle, title));
        }
    }

    fn metadata(&mut self, told: Metadata) -> Status {
        let mut modes = told.modes;
        if let Some(current) = told.current_mode_id {
            let mut known = self.modes.take().unwrap_or_else(|| json!({}));
            if let Some(known) = known.as_object_mut() {
                known.insert("currentModeId".to_owned(), current.into());
            }
            modes = Some(known);
        }
        if modes.is_some() {
            self.modes.clone_from(&modes);
        }
        Status {
            title: told.title,
            modes,
            config_options: told.config_options,
            commands: told
                .available_commands
                .map(|commands| json!({"availableCommands": commands})),
            ..Status::default()
        }
    }
}

/// What the client is told while a session of an agent is loaded.
pub(crate) fn loading(agent: Option<&str>) -> String {
    match agent {
        Some(agent) => format!("Loading a session of {agent}"),
        None => "Loading a session".to_owned(),
    }
}
