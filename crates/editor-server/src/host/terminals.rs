//! `terminal/*`: commands that an agent runs through the server.
//!
//! They are offered only when a person has allowed it in the settings. Each terminal has a task of
//! its own, which owns the process and what it has written, so no request about one waits for
//! another, and none holds up the agent's own task. A terminal goes with its session and its agent.

mod command;
mod output;
mod task;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use activity_core::host::Place;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::refusal::Refusal;
use crate::acp::link::Question;
use crate::session::handle::Handle;
use crate::session::sources::SessionKey;
use command::Wanted;
use task::{Ask, Report};

/// How many terminals of an agent may be open at once.
const OPEN: usize = 64;

/// How long commands may take to end when the server ends. It does not wait much longer itself.
const END_WAIT: Duration = Duration::from_secs(1);

/// The open terminals of an agent.
#[derive(Debug)]
pub(super) struct Terminals {
    handle: Handle,
    open: HashMap<Arc<str>, Terminal>,
    tasks: JoinSet<()>,
    made: u64,
}

/// An open terminal. Dropping it ends its command.
#[derive(Debug)]
struct Terminal {
    session_id: Arc<str>,
    asks: mpsc::UnboundedSender<Ask>,
}

/// The session that a request names, as the server knows it.
#[derive(Debug)]
pub(super) struct Owner {
    /// The ACP id.
    pub(super) session_id: Arc<str>,
    /// The server's name of it.
    pub(super) key: SessionKey,
    /// Where it works.
    pub(super) place: Place,
}

impl Terminals {
    /// No terminal yet.
    pub(super) fn new(handle: Handle) -> Self {
        Self {
            handle,
            open: HashMap::new(),
            tasks: JoinSet::new(),
            made: 0,
        }
    }

    /// Answers a `terminal/*` request, now or when the time has come.
    pub(super) fn take(&mut self, owner: Owner, question: Box<Question>) {
        let ask = match question.method.as_str() {
            "terminal/create" => return self.create(owner, question),
            "terminal/release" => return self.release(&owner, question),
            "terminal/output" => Ask::Output(question),
            "terminal/wait_for_exit" => Ask::WaitForExit(question),
            "terminal/kill" => Ask::Kill(question),
            _ => return question.refuse_method(),
        };
        match self.find(&owner.session_id, ask.question()) {
            // A task that is gone drops the question, which answers it with an error.
            Some((_, terminal)) => drop(terminal.asks.send(ask)),
            None => Refusal::no_terminal().answer(ask.into_question()),
        }
    }

    fn create(&mut self, owner: Owner, question: Box<Question>) {
        while self.tasks.try_join_next().is_some() {}
        // A task that could not start its command has answered so, and is gone.
        self.open.retain(|_, terminal| !terminal.asks.is_closed());
        if self.open.len() >= OPEN {
            let why = format!("{OPEN} terminals are open; release some of them first");
            return Refusal::params(why).answer(question);
        }
        let wanted = match Wanted::read(&question.params) {
            Ok(wanted) => wanted,
            Err(refusal) => return refusal.answer(question),
        };
        self.made += 1;
        let id: Arc<str> = format!("terminal-{}", self.made).into();
        let (asks, asked) = mpsc::unbounded_channel();
        let report = Report {
            handle: self.handle.clone(),
            session: owner.key,
            terminal: Arc::clone(&id),
        };
        self.tasks
            .spawn(task::run(wanted, owner.place, question, asked, report));
        let session_id = owner.session_id;
        self.open.insert(id, Terminal { session_id, asks });
    }

    fn release(&mut self, owner: &Owner, question: Box<Question>) {
        let found = self.find(&owner.session_id, &question);
        let found = found.map(|(id, _)| Arc::clone(id));
        match found.and_then(|id| self.open.remove(&id)) {
            Some(_) => question.answer(serde_json::json!({})),
            None => Refusal::no_terminal().answer(question),
        }
    }

    /// The terminal that the request names, if it belongs to the session.
    fn find(&self, session_id: &str, question: &Question) -> Option<(&Arc<str>, &Terminal)> {
        let id = question.params["terminalId"].as_str()?;
        let (id, terminal) = self.open.get_key_value(id)?;
        (*terminal.session_id == *session_id).then_some((id, terminal))
    }

    /// Ends the terminals of a session.
    pub(super) fn close_session(&mut self, session_id: &str) {
        self.open
            .retain(|_, terminal| *terminal.session_id != *session_id);
    }

    /// Ends all terminals: the agent is gone, and nobody can ask for them.
    pub(super) fn close_all(&mut self) {
        self.open.clear();
    }

    /// Ends all terminals, and waits until their commands have ended; those that take too long
    /// are killed.
    pub(super) async fn end(mut self) {
        self.open.clear();
        let all = async { while self.tasks.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(END_WAIT, all).await;
        // A command goes with its task.
        self.tasks.shutdown().await;
    }
}
