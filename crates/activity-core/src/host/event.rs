//! What can happen to a host, and what it can want done.

use std::fmt;
use std::sync::Arc;

/// The number of a load or creation of a session. A later one is greater; whatever carries an
/// older one is stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Generation(pub u64);

/// A request of an editor, so that its answer finds the way back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Request(pub u64);

/// A permission request of the agent, so that its answer finds the way back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ask(pub u64);

/// A permission question as the editors know it.
pub type PermissionId = Arc<str>;

/// Where a session works. Both paths are absolute and have their links resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The workspace root.
    pub root: Arc<str>,
    /// The working directory, in the root.
    pub cwd: Arc<str>,
}

/// Why a prompt ended, in the agent's word: `end_turn`, `cancelled`, `refusal`, ...
pub type StopReason = Arc<str>;

/// How a prompt ended: with the agent's stop reason, or with an error for people.
pub type Outcome = Result<StopReason, Arc<str>>;

/// One thing that happened. `U` is an update of a session, which the machine does not look into.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event<U> {
    /// An editor wants a session: a known one, or a new one.
    LoadWanted {
        /// The editor's request.
        request: Request,
        /// The session; `None` for a new one.
        session: Option<Arc<str>>,
        /// Where it works.
        place: Place,
    },
    /// An editor wants to talk to the agent about no session in particular.
    StartWanted,
    /// An editor ends a session.
    CloseWanted {
        /// The session.
        session: Arc<str>,
    },
    /// An editor sends a prompt.
    PromptWanted {
        /// The editor's request.
        request: Request,
        /// The session.
        session: Arc<str>,
        /// What its working directory leads to now, with all links resolved.
        cwd: Arc<str>,
        /// The name of this run, which no other run has.
        run: Arc<str>,
    },
    /// An editor wants the running prompt of a session to end.
    CancelWanted {
        /// The session.
        session: Arc<str>,
    },
    /// A person answered a permission question.
    PermissionAnswered {
        /// The session, as the answer names it.
        session: Arc<str>,
        /// The question.
        permission: PermissionId,
        /// The option, or `None` for none of them.
        option: Option<Arc<str>>,
    },
    /// The agent answered `initialize`.
    Ready,
    /// The agent answered the load or creation.
    LoadAnswered {
        /// The request of the load.
        request: Request,
        /// The session's id, or the agent's error.
        result: Result<Arc<str>, Arc<str>>,
    },
    /// What a load brought is shown now, or cannot be. The next load begins only then, so that a
    /// load that fails leaves nothing half-done behind.
    LoadShown {
        /// The request of the load.
        request: Request,
    },
    /// The agent sent an update.
    Updated {
        /// The session that the agent names.
        session: Arc<str>,
        /// The update.
        update: U,
    },
    /// The agent asks for permission.
    PermissionAsked {
        /// The session that the agent names.
        session: Arc<str>,
        /// The agent's request.
        ask: Ask,
    },
    /// The agent answered a prompt.
    PromptAnswered {
        /// The session.
        session: Arc<str>,
        /// The run.
        run: Arc<str>,
        /// How it ended.
        outcome: Outcome,
    },
    /// The agent names a run: one of ours, or one that takes up one of ours.
    RunSeen {
        /// The run.
        run: Arc<str>,
        /// The run that it takes up, if it says one.
        resumed_from: Option<Arc<str>>,
    },
    /// After a reconnection it became known that a run has ended, well or not.
    RunEnded {
        /// The run.
        run: Arc<str>,
    },
    /// The connection broke while the agent may go on.
    Disconnected {
        /// Why, for people.
        why: Arc<str>,
    },
    /// The connection is there again.
    Reconnected,
    /// The agent's process ended, or could not be started.
    Exited {
        /// How, for people.
        why: Arc<str>,
    },
    /// Nothing happened, but time has passed.
    Tick,
}

/// One thing to do, in the order given.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect<U> {
    /// Start the agent and send `initialize`; [`Event::Ready`] or [`Event::Exited`] follows.
    Start,
    /// End the agent's process: it does not answer any more.
    Stop,
    /// Send `session/new`.
    SendNew {
        /// Comes back in [`Event::LoadAnswered`].
        request: Request,
        /// Where the session works.
        place: Place,
    },
    /// Send `session/load`.
    SendLoad {
        /// Comes back in [`Event::LoadAnswered`].
        request: Request,
        /// The session.
        session: Arc<str>,
        /// Where it works.
        place: Place,
        /// What the session will have if it can be loaded.
        generation: Generation,
    },
    /// A load is done: everything that belongs to it, at once. [`Event::LoadShown`] follows, unless
    /// it was resumed.
    Loaded {
        /// The editor's request.
        request: Request,
        /// The session.
        session: Arc<str>,
        /// Its generation from now on.
        generation: Generation,
        /// Where it works.
        place: Place,
        /// The updates that came for it meanwhile.
        batch: Vec<U>,
        /// It is new.
        created: bool,
        /// Its prompt still runs, and so nothing was replayed.
        resumed: bool,
    },
    /// A load failed, and nothing has changed.
    LoadFailed {
        /// The editor's request.
        request: Request,
        /// Why.
        why: LoadRefusal,
    },
    /// Show an update.
    Publish {
        /// The session.
        session: Arc<str>,
        /// Its generation.
        generation: Generation,
        /// It tells of the past, not of what happens now.
        historical: bool,
        /// The update.
        update: U,
    },
    /// An update names a session that is not known, and is not shown.
    Stray {
        /// The session.
        session: Arc<str>,
    },
    /// Send `session/prompt`.
    SendPrompt {
        /// The editor's request.
        request: Request,
        /// The session.
        session: Arc<str>,
        /// The run.
        run: Arc<str>,
    },
    /// The prompt is not sent.
    PromptRefused {
        /// The editor's request.
        request: Request,
        /// Why.
        why: PromptRefusal,
    },
    /// The prompt ended.
    PromptEnded {
        /// The editor's request.
        request: Request,
        /// The session.
        session: Arc<str>,
        /// How.
        outcome: Outcome,
    },
    /// Send `session/cancel`.
    SendCancel {
        /// The session.
        session: Arc<str>,
    },
    /// Send `session/close`.
    SendClose {
        /// The session.
        session: Arc<str>,
    },
    /// Ask a person.
    AskPerson {
        /// The question.
        permission: PermissionId,
        /// The session.
        session: Arc<str>,
        /// Its generation.
        generation: Generation,
        /// The agent's request.
        ask: Ask,
    },
    /// Answer the agent's permission request; `None` is "cancelled".
    AnswerAsk {
        /// The agent's request.
        ask: Ask,
        /// The option.
        option: Option<Arc<str>>,
    },
    /// The question is not open any more, whoever closed it.
    PermissionClosed {
        /// The question.
        permission: PermissionId,
        /// The session.
        session: Arc<str>,
        /// The option that was chosen; `None` is "cancelled".
        option: Option<Arc<str>>,
    },
    /// The answer of a person fits no open question.
    AnswerRefused {
        /// The question that it names.
        permission: PermissionId,
    },
    /// Listen to the session again.
    Subscribe {
        /// The session.
        session: Arc<str>,
    },
    /// Find out whether the run has ended meanwhile; [`Event::RunEnded`] follows if so.
    Reconcile {
        /// The session.
        session: Arc<str>,
        /// The run.
        run: Arc<str>,
    },
    /// Another run has taken up the prompt; open tool calls of the old one have failed.
    Adopted {
        /// The session.
        session: Arc<str>,
        /// The run that ended.
        old: Arc<str>,
        /// The run that goes on.
        new: Arc<str>,
    },
    /// Send [`Event::Tick`] at this time, in milliseconds of the clock that is passed in.
    WakeAt(u64),
}

/// Why a session was not loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadRefusal {
    /// The request names no session, root or working directory.
    Incomplete,
    /// Its prompt runs in another place.
    PromptRunsElsewhere,
    /// The agent refused, or the connection ended.
    Agent(Arc<str>),
    /// The agent did not answer in time.
    NoAnswer,
}

impl fmt::Display for LoadRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Incomplete => f.write_str("the session, its root or its directory is missing"),
            Self::PromptRunsElsewhere => {
                f.write_str("Cannot change workspace while an ACP prompt is active")
            }
            Self::Agent(why) => f.write_str(why),
            Self::NoAnswer => f.write_str("the agent did not answer in time"),
        }
    }
}

/// Why a prompt was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PromptRefusal {
    /// The request names no session.
    Incomplete,
    /// No session is open.
    NoSession,
    /// Another session is open.
    OtherSession,
    /// The session is still being loaded.
    Loading,
    /// A prompt of this session is running.
    Busy,
    /// The session's directory does not lead to where it led when the session was opened.
    OtherDirectory,
}

impl fmt::Display for PromptRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Incomplete => "the prompt names no session",
            Self::NoSession => "no session is open",
            Self::OtherSession => "another session is open; load this one first",
            Self::Loading => "the session is still being loaded",
            Self::Busy => "a prompt of this session is running; wait for it or cancel it",
            Self::OtherDirectory => {
                "the session's directory is gone or leads elsewhere; start a new session"
            }
        })
    }
}
