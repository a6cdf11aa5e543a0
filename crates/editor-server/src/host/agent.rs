//! One agent: the task that owns its process, its connection and its state machine.

mod commands;
mod effects;
mod list;
mod loads;
mod wire;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use activity_core::host::store::{Token, View};
use activity_core::host::{Ask, Event, Generation, Machine, PermissionId, Request};
use activity_core::session::{Options, Session};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::Instant;

use super::terminals::Terminals;
use super::{Answer, Configuration, Sessions};
use crate::acp::link::{FromAgent, Link, Question};
use crate::acp::process::{AgentCommand, AgentProcess};
use crate::features::failure::Failure;
use crate::live::feed::SessionFeed;
use crate::lsp::ext::{
    ErrorKind, PermissionQuestion, SessionListResult, SessionPromptResult, SessionStarted,
};
use crate::replay::live::{Heard, LiveConnection};
use crate::session::handle::Handle;
use crate::session::progress::Progress;

pub(super) use commands::Command;

/// How long the last words of an agent that has ended may take to come.
const LAST_WORDS_WAIT: Duration = Duration::from_secs(2);

/// What waits for the answer to a request of ours.
enum Pending {
    Initialize,
    Load(Request),
    Prompt {
        session_id: Arc<str>,
        run: Arc<str>,
    },
    /// Who wants the sessions, and of which directory; `by_agent` says who picks these out.
    List {
        cwd: Option<String>,
        by_agent: bool,
        answer: Answer<SessionListResult>,
    },
    Choice(Answer<()>),
    /// Nobody.
    Nothing,
}

/// The load that the agent answers, as the client shows it.
struct ShownLoad {
    request: Request,
    session: Arc<str>,
    progress: Progress,
}

/// A load that an editor waits for.
struct LoadWaiter {
    answer: Answer<SessionStarted>,
    /// The session in whose view it will be shown, once that is known, and its place there.
    view: Option<(Arc<str>, Token)>,
    /// What the agent answered, for modes and options.
    result: Value,
}

/// A prompt before it is sent.
struct PromptWaiter {
    answer: Answer<SessionPromptResult>,
    content: Vec<Value>,
    prefix_directory: bool,
}

/// A session that was built from a load.
struct Built {
    request: Request,
    session_id: Arc<str>,
    generation: Generation,
    options: Options,
    /// `None` when that failed.
    session: Option<Box<Session>>,
}

/// A session that is shown.
struct Shown {
    feed: SessionFeed,
    view: View<Heard>,
}

/// A running process and its connection.
struct Running {
    process: AgentProcess,
    /// `None` once the connection has ended.
    link: Option<Link>,
    heard: mpsc::UnboundedReceiver<FromAgent>,
}

/// What can wake the task.
enum Wake {
    Command(Option<Command>),
    Built(Built),
    Heard(Option<FromAgent>),
    Ended(String),
    Time,
}

/// One agent.
pub(super) struct Agent {
    name: String,
    command: AgentCommand,
    handle: Handle,
    sessions: Sessions,
    started: Instant,
    machine: Machine<Heard>,
    running: Option<Running>,
    connection: LiveConnection,
    /// The answer to `initialize`.
    capabilities: Value,
    pending: BTreeMap<String, Pending>,
    loads: HashMap<Request, LoadWaiter>,
    /// The machine loads one session at a time.
    shown_load: Option<ShownLoad>,
    prompts: HashMap<Request, PromptWaiter>,
    lists: Vec<(Option<String>, Answer<SessionListResult>)>,
    responses: HashMap<PermissionId, Answer<()>>,
    asks: HashMap<Ask, Box<Question>>,
    questions: HashMap<PermissionId, PermissionQuestion>,
    /// Who waits for the client's answers.
    asking: HashMap<PermissionId, AbortHandle>,
    shown: BTreeMap<Arc<str>, Shown>,
    terminals: Terminals,
    /// The running agent was told that it may have terminals.
    offers_terminals: bool,
    wake_at: Option<u64>,
    last_id: u64,
    commands: mpsc::WeakUnboundedSender<Command>,
    built: mpsc::UnboundedSender<Built>,
}

impl Agent {
    /// Starts the task; the agent's process starts when a session is wanted.
    pub(super) fn start(
        name: String,
        configuration: Configuration,
        handle: Handle,
        sessions: Sessions,
    ) -> (mpsc::UnboundedSender<Command>, JoinHandle<()>) {
        let (commands, wanted) = mpsc::unbounded_channel();
        let (built, finished) = mpsc::unbounded_channel();
        let Configuration { command, deadlines } = configuration;
        let agent = Self {
            name,
            command,
            terminals: Terminals::new(handle.clone()),
            offers_terminals: false,
            handle,
            sessions,
            started: Instant::now(),
            machine: Machine::new(deadlines),
            running: None,
            connection: LiveConnection::default(),
            capabilities: Value::Null,
            pending: BTreeMap::new(),
            loads: HashMap::new(),
            shown_load: None,
            prompts: HashMap::new(),
            lists: Vec::new(),
            responses: HashMap::new(),
            asks: HashMap::new(),
            questions: HashMap::new(),
            asking: HashMap::new(),
            shown: BTreeMap::new(),
            wake_at: None,
            last_id: 0,
            commands: commands.downgrade(),
            built,
        };
        let task = tokio::spawn(agent.run(wanted, finished));
        (commands, task)
    }

    async fn run(
        mut self,
        mut wanted: mpsc::UnboundedReceiver<Command>,
        mut finished: mpsc::UnboundedReceiver<Built>,
    ) {
        loop {
            match self.next(&mut wanted, &mut finished).await {
                Wake::Command(None) => break,
                Wake::Command(Some(command)) => self.command(command).await,
                Wake::Built(built) => self.show(built).await,
                Wake::Heard(Some(FromAgent::Line(line))) => {
                    self.line(line.sender, &line.text).await;
                }
                Wake::Heard(Some(FromAgent::Question(question))) => self.question(question).await,
                Wake::Heard(Some(FromAgent::Closed(why))) => self.closed(why).await,
                Wake::Heard(None) => self.closed(None).await,
                Wake::Ended(how) => self.ended(how).await,
                Wake::Time => {
                    self.wake_at = None;
                    self.happen(Event::Tick).await;
                }
            }
        }
        let end_process = async {
            if let Some(mut running) = self.running.take() {
                running.link = None;
                // A process that cannot be ended is killed when it is dropped.
                let _ = running.process.end().await;
            }
        };
        tokio::join!(end_process, self.terminals.end());
    }

    async fn next(
        &mut self,
        wanted: &mut mpsc::UnboundedReceiver<Command>,
        finished: &mut mpsc::UnboundedReceiver<Built>,
    ) -> Wake {
        let wake_at = self
            .wake_at
            .map(|ms| self.started + Duration::from_millis(ms));
        let sleep = async {
            match wake_at {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        let from_agent = async {
            let Some(running) = &mut self.running else {
                return std::future::pending().await;
            };
            if running.link.is_some() {
                Wake::Heard(running.heard.recv().await)
            } else {
                // All that it said was heard.
                Wake::Ended(how_it_ended(running.process.wait().await))
            }
        };
        tokio::select! {
            // Sessions that are built come before what was heard after them.
            biased;
            Some(built) = finished.recv() => Wake::Built(built),
            command = wanted.recv() => Wake::Command(command),
            woken = from_agent => woken,
            () = sleep => Wake::Time,
        }
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// Lets the machine know, and does what it wants done; that can make more happen at once.
    async fn happen(&mut self, event: Event<Heard>) {
        let mut events = vec![event];
        while let Some(event) = events.pop() {
            let effects = self.machine.handle(event, self.now_ms());
            for effect in effects {
                // What happens at once is rare, and comes after all effects of this event.
                events.extend(self.do_effect(effect).await);
            }
        }
    }

    /// Sends a request to the agent. Without a connection whoever waits is told so.
    fn request(&mut self, method: &str, params: Value, pending: Pending) {
        let link = self.running.as_ref().and_then(|it| it.link.as_ref());
        match link.map(|link| link.request(method, params)) {
            Some(Ok(id)) => {
                self.pending.insert(id, pending);
            }
            _ => fail(pending, &not_running()),
        }
    }

    fn notify(&self, method: &str, params: Value) {
        if let Some(link) = self.running.as_ref().and_then(|it| it.link.as_ref())
            && let Err(why) = link.notify(method, params)
        {
            tracing::info!(%why, method, "a notification was not sent");
        }
    }

    /// Whether the agent has a capability: neither missing, nor `null`, nor false.
    fn can(&self, pointer: &str) -> bool {
        let capability = self.capabilities["agentCapabilities"].pointer(pointer);
        !matches!(capability, None | Some(Value::Null | Value::Bool(false)))
    }

    /// The connection ended; the process may live on.
    async fn closed(&mut self, why: Option<String>) {
        let Some(running) = &mut self.running else {
            return;
        };
        running.link = None;
        self.forget_connection();
        // An agent that ends closes its output a moment before: its exit status says more.
        let ended = match &mut self.running {
            Some(running) => tokio::time::timeout(LAST_WORDS_WAIT, running.process.wait()).await,
            None => return,
        };
        if let Ok(status) = ended {
            let how = how_it_ended(status);
            let how = match why {
                // What broke the connection is why the agent ended.
                Some(why) => format!("{why}; {how}"),
                None => how,
            };
            self.ended(how).await;
        } else {
            let why = why.as_deref();
            let why = why.unwrap_or("the agent closed its standard output");
            self.happen(Event::Disconnected { why: why.into() }).await;
        }
    }

    /// The process ended.
    async fn ended(&mut self, how: String) {
        self.forget_process(&how);
        for shown in self.shown.values_mut() {
            let state = crate::lsp::ext::SessionState::Disconnected;
            shown.feed.set_state(state, Some(how.clone()));
        }
        self.happen(Event::Exited { why: how.into() }).await;
    }

    /// Ends the process, if one runs, and tells whoever waits for it why.
    async fn stop_process(&mut self, why: &str) {
        if let Some(running) = &mut self.running {
            running.link = None;
            // A process that cannot be ended is killed when it is dropped.
            let _ = running.process.end().await;
        }
        self.forget_connection();
        self.forget_process(why);
    }

    /// Nothing more comes over the connection.
    fn forget_connection(&mut self) {
        self.connection = LiveConnection::default();
        self.capabilities = Value::Null;
        for (_, pending) in std::mem::take(&mut self.pending) {
            fail(pending, &not_running());
        }
    }

    /// The process is gone, and with it what it ran and what it was about to be asked.
    fn forget_process(&mut self, why: &str) {
        self.running = None;
        self.terminals.close_all();
        for (_, answer) in std::mem::take(&mut self.lists) {
            tell(answer, Err(Failure::new(ErrorKind::AgentFailed, why)));
        }
    }

    /// Whether there is an agent that can be asked, now or when it has answered `initialize`.
    fn is_connected(&self) -> bool {
        let running = self.running.as_ref();
        running.is_some_and(|running| running.link.is_some())
    }
}

/// Tells whoever waits that nothing will come.
fn fail(pending: Pending, why: &Failure) {
    match pending {
        Pending::List { answer, .. } => tell(answer, Err(why.clone())),
        Pending::Choice(answer) => tell(answer, Err(why.clone())),
        // The machine learns of these by the end of the connection.
        Pending::Initialize | Pending::Load(_) | Pending::Prompt { .. } | Pending::Nothing => {}
    }
}

fn not_running() -> Failure {
    Failure::new(
        ErrorKind::AgentFailed,
        "the agent is not running; start or load a session",
    )
}

fn how_it_ended(status: std::io::Result<std::process::ExitStatus>) -> String {
    match status {
        Ok(status) => format!("the agent ended ({status}); its log says why"),
        Err(why) => format!("the agent ended: {why}"),
    }
}

/// Sends an answer that nobody may be waiting for any more.
fn tell<T>(answer: oneshot::Sender<T>, value: T) {
    let _ = answer.send(value);
}
