//! The way to the actor, for handlers and for whoever feeds sessions.

use std::sync::Arc;

use activity_core::session::Session;
use tokio::sync::{Semaphore, mpsc, oneshot, watch};

use super::actor::Event;
use super::entry::{Opening, Status};
use super::outgoing::Outgoing;
use super::settings::Settings;
use super::sources::SessionKey;
use super::state::{Folder, State};
use super::view::View;
use crate::lsp::ext::{PermissionOutcome, PermissionQuestion};

/// How many pieces of sessions may wait for the actor before a feeder has to wait.
const FEED: usize = 1024;

/// Sends events to the actor. What one handle sends arrives in that order.
#[derive(Debug, Clone)]
pub(crate) struct Handle {
    events: mpsc::UnboundedSender<Event>,
    outgoing: mpsc::UnboundedSender<Outgoing>,
    feed: Arc<Semaphore>,
    workspace: watch::Receiver<Workspace>,
}

/// What a feeder of sessions needs to know of the workspace.
#[derive(Debug, Clone, Default)]
pub(crate) struct Workspace {
    /// The client's folders.
    pub(crate) folders: Arc<Vec<Folder>>,
    /// The settings in force.
    pub(crate) settings: Arc<Settings>,
}

impl Handle {
    pub(crate) fn new(
        events: mpsc::UnboundedSender<Event>,
        outgoing: mpsc::UnboundedSender<Outgoing>,
        workspace: watch::Receiver<Workspace>,
    ) -> Self {
        Self {
            events,
            outgoing,
            feed: Arc::new(Semaphore::new(FEED)),
            workspace,
        }
    }

    /// Sends an event. After the end of the actor there is nobody to hear it, which is no error.
    pub(crate) fn send(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// Says something to the client, in order with what the actor says.
    pub(crate) fn tell(&self, message: Outgoing) {
        let _ = self.outgoing.send(message);
    }

    /// Asks a short question; it sees everything that was sent before. The future may be dropped.
    /// `None` when the server is ending.
    pub(crate) fn ask<T, F>(&self, question: F) -> impl Future<Output = Option<T>> + use<T, F>
    where
        T: Send + 'static,
        F: FnOnce(&mut State) -> T + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        self.send(Event::Ask(Box::new(move |state| {
            let _ = answer.send(question(state));
        })));
        async move { answered.await.ok() }
    }

    /// A snapshot of an open document with its hunks; waits for the first placing. `None` when no
    /// such document is open.
    pub(crate) fn view(&self, uri: String) -> impl Future<Output = Option<View>> + use<> {
        let (answer, answered) = oneshot::channel();
        self.send(Event::View { uri, answer });
        async move { answered.await.ok() }
    }

    /// Begins a session, or begins a known one anew.
    pub(crate) fn open_session(&self, opening: Opening) {
        self.send(Event::SessionOpened(Box::new(opening)));
    }

    /// Lets a session take in what happened to it, in order. Waits while too much is waiting, so
    /// that a flood of updates stays where it comes from.
    pub(crate) async fn feed(
        &self,
        key: &SessionKey,
        feed: impl FnOnce(&mut Session) + Send + 'static,
    ) {
        let Ok(permit) = Arc::clone(&self.feed).acquire_owned().await else {
            return;
        };
        self.send(Event::SessionFed {
            key: Arc::clone(key),
            feed: Box::new(move |session| {
                feed(session);
                drop(permit);
            }),
        });
    }

    /// Puts a session that was built elsewhere in place, in one step.
    pub(crate) fn replace_session(&self, key: &SessionKey, session: Session) {
        self.send(Event::SessionReplaced {
            key: Arc::clone(key),
            session: Box::new(session),
        });
    }

    /// Says what else became known of a session.
    pub(crate) fn set_status(&self, key: &SessionKey, status: Status) {
        self.send(Event::SessionStatus {
            key: Arc::clone(key),
            status: Box::new(status),
        });
    }

    /// Shows what a command has written at the tool calls that show its terminal.
    pub(crate) fn set_terminal_output(&self, key: &SessionKey, terminal: &Arc<str>, output: &str) {
        self.send(Event::TerminalEnded {
            key: Arc::clone(key),
            terminal: Arc::clone(terminal),
            output: output.into(),
        });
    }

    /// Forgets a session.
    pub(crate) fn close_session(&self, key: &SessionKey) {
        self.send(Event::SessionClosed(Arc::clone(key)));
    }

    /// Shows a permission question, or its answer, at its tool call in the timeline.
    pub(crate) fn set_permission(
        &self,
        question: PermissionQuestion,
        outcome: Option<PermissionOutcome>,
    ) {
        self.send(Event::Permission {
            question: Box::new(question),
            outcome,
        });
    }

    /// Asks the person. The receiver fails when the client cannot ask, or does not answer.
    pub(crate) fn ask_permission(
        &self,
        question: PermissionQuestion,
    ) -> oneshot::Receiver<PermissionOutcome> {
        let (answer, answered) = oneshot::channel();
        self.tell(Outgoing::Permission {
            question: Box::new(question),
            answer,
        });
        answered
    }

    /// The folders and settings, and a way to wait for their change.
    pub(crate) fn workspace(&self) -> watch::Receiver<Workspace> {
        self.workspace.clone()
    }
}
