//! The agents that the server runs itself, and the requests of editors about them.
//!
//! Each agent has a task of its own, which owns its process, its connection and its state machine.
//! What editors want goes there as commands.

mod agent;
pub(crate) mod discover;
mod files;
mod permission;
mod prompt;
mod refusal;
mod terminals;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};
use workspace_fs::reference::{ReferenceError, open_root, resolve_context};

use activity_core::host::{Deadlines, Place};

use crate::acp::process::AgentCommand;
use crate::features::failure::Failure;
use crate::lsp::ext::{
    AgentEntry, AgentsResult, ErrorKind, PermissionOutcome, RespondPermissionParams,
    SessionListParams, SessionListResult, SessionLoadParams, SessionNewParams, SessionPromptParams,
    SessionPromptResult, SessionSetConfigOptionParams, SessionSetModeParams, SessionStarted,
};
use crate::session::handle::{Handle, Workspace};
use crate::session::sources::SessionKey;
use agent::{Agent, Command};
use discover::Found;

/// How long agents may take to end when the server ends.
const END_WAIT: Duration = Duration::from_secs(2);

/// The answer to an editor.
pub(crate) type Answer<T> = oneshot::Sender<Result<T, Failure>>;

/// All agents of the server. Clones are the same host.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    handle: Handle,
    agents: Arc<Mutex<BTreeMap<String, Running>>>,
    sessions: Sessions,
}

/// The task of an agent.
#[derive(Debug)]
struct Running {
    commands: mpsc::UnboundedSender<Command>,
    task: JoinHandle<()>,
    /// What the task was told last.
    configuration: Configuration,
}

/// What the settings say of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Configuration {
    command: AgentCommand,
    deadlines: Deadlines,
}

/// Which agent a session belongs to, by the server's name of the session.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sessions(Arc<Mutex<BTreeMap<SessionKey, Owner>>>);

/// The agent of a session, and what the agent calls the session.
#[derive(Debug, Clone)]
pub(crate) struct Owner {
    pub(crate) agent: String,
    pub(crate) session_id: Arc<str>,
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<SessionKey, Owner>> {
        // Each entry is put in as a whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The server's name of an agent's session.
    pub(crate) fn key(&self, agent: &str, session_id: &Arc<str>) -> SessionKey {
        let key: SessionKey = format!("host-{agent}-{session_id}").into();
        self.lock().insert(
            Arc::clone(&key),
            Owner {
                agent: agent.to_owned(),
                session_id: Arc::clone(session_id),
            },
        );
        key
    }

    fn owner(&self, key: &str) -> Result<Owner, Failure> {
        let owner = self.lock().get(key).cloned();
        owner.ok_or_else(|| Failure::gone("the session"))
    }
}

impl Host {
    /// A host of which no agent runs yet.
    pub(crate) fn new(handle: Handle) -> Self {
        Self {
            handle,
            agents: Arc::default(),
            sessions: Sessions::default(),
        }
    }

    /// Ends all agents and what they run, and waits until they have ended; those that take too
    /// long are killed.
    pub(crate) async fn end(&self) {
        let agents = std::mem::take(&mut *self.lock());
        let tasks: Vec<JoinHandle<()>> = agents.into_values().map(|agent| agent.task).collect();
        let until = Instant::now() + END_WAIT;
        for mut task in tasks {
            if timeout_at(until, &mut task).await.is_err() {
                // The process goes with the task.
                task.abort();
                let _ = task.await;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Running>> {
        // Each entry is put in as a whole.
        self.agents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `acpLens/agents`.
    pub(crate) async fn agents(&self) -> AgentsResult {
        let agents = self.found().await.into_iter();
        AgentsResult {
            agents: agents
                .map(|(name, found)| AgentEntry {
                    name,
                    command: std::iter::once(found.command.command)
                        .chain(found.command.args)
                        .collect(),
                    origin: found.origin.to_owned(),
                })
                .collect(),
        }
    }

    /// `acpLens/session/new`.
    pub(crate) async fn new_session(
        &self,
        params: SessionNewParams,
    ) -> Result<SessionStarted, Failure> {
        let place = self.place(params.workspace_root, params.execution_cwd);
        let place = place.await?;
        self.command(params.agent, |answer| Command::Load {
            session_id: None,
            place,
            answer,
        })
        .await
    }

    /// `acpLens/session/load`.
    pub(crate) async fn load_session(
        &self,
        params: SessionLoadParams,
    ) -> Result<SessionStarted, Failure> {
        let place = self.place(params.workspace_root, params.execution_cwd);
        let place = place.await?;
        self.command(params.agent, |answer| Command::Load {
            session_id: Some(params.session_id.into()),
            place,
            answer,
        })
        .await
    }

    /// `acpLens/session/list`.
    pub(crate) async fn list_sessions(
        &self,
        params: SessionListParams,
    ) -> Result<SessionListResult, Failure> {
        self.command(params.agent, |answer| Command::List {
            cwd: params.execution_cwd,
            answer,
        })
        .await
    }

    /// `acpLens/session/prompt`.
    pub(crate) async fn prompt(
        &self,
        params: SessionPromptParams,
    ) -> Result<SessionPromptResult, Failure> {
        let cwd = self.directory_now(params.session.clone()).await;
        let read = tokio::task::spawn_blocking(move || prompt::read_files(params.files)).await;
        let files = read.map_err(|_| Failure::ending())??;
        let text = params.text;
        self.about(&params.session, |session_id, answer| Command::Prompt {
            session_id,
            cwd,
            text,
            files,
            answer,
        })
        .await
    }

    /// `acpLens/session/cancel`.
    pub(crate) async fn cancel(&self, session: &str) -> Result<(), Failure> {
        self.about(session, |session_id, answer| Command::Cancel {
            session_id,
            answer,
        })
        .await
    }

    /// `acpLens/session/close`.
    pub(crate) async fn close(&self, session: &str) -> Result<(), Failure> {
        self.about(session, |session_id, answer| Command::Close {
            session_id,
            answer,
        })
        .await
    }

    /// `acpLens/session/respondPermission`.
    pub(crate) async fn respond(&self, params: RespondPermissionParams) -> Result<(), Failure> {
        let option = match params.outcome {
            PermissionOutcome::Selected { option_id } => Some(option_id.into()),
            PermissionOutcome::Cancelled => None,
        };
        let permission = params.permission.into();
        self.about(&params.session, |session_id, answer| Command::Respond {
            session_id,
            permission,
            option,
            answer: Some(answer),
        })
        .await
    }

    /// `acpLens/session/setMode`.
    pub(crate) async fn set_mode(&self, params: SessionSetModeParams) -> Result<(), Failure> {
        let choice = ("modeId", Value::from(params.mode_id));
        self.about(&params.session, |session_id, answer| Command::Choose {
            session_id,
            method: "session/set_mode",
            members: vec![choice],
            answer,
        })
        .await
    }

    /// `acpLens/session/setConfigOption`.
    pub(crate) async fn set_config_option(
        &self,
        params: SessionSetConfigOptionParams,
    ) -> Result<(), Failure> {
        let members = vec![
            ("configId", Value::from(params.config_id)),
            ("value", params.value),
        ];
        self.about(&params.session, |session_id, answer| Command::Choose {
            session_id,
            method: "session/set_config_option",
            members,
            answer,
        })
        .await
    }

    /// What the directory of a session leads to now; empty when it is gone or leads outside.
    async fn directory_now(&self, session: String) -> Arc<str> {
        let place = self.handle.ask(move |state| {
            let workspace = state.session(&session)?.session.workspace()?;
            Some((workspace.root().to_string(), workspace.cwd().to_string()))
        });
        let Some((root, cwd)) = place.await.flatten() else {
            return "".into();
        };
        let resolved = tokio::task::spawn_blocking(move || resolve_context(&root, &cwd, None));
        match resolved.await {
            Ok(Ok(context)) => context.execution_cwd.to_string_lossy().into(),
            _ => "".into(),
        }
    }

    /// Where a session works: what the editor says, else its first folder; links resolved.
    async fn place(&self, root: Option<String>, cwd: Option<String>) -> Result<Place, Failure> {
        let workspace = self.workspace().await;
        let folder = workspace.folders.first();
        let folder = folder.map(|folder| folder.location.to_path_buf());
        let root = root.or_else(|| folder.map(|path| path.to_string_lossy().into_owned()));
        let root = root.ok_or_else(|| {
            Failure::new(
                ErrorKind::InvalidReference,
                "no folder is open; name a workspace root",
            )
        })?;
        let cwd = cwd.unwrap_or_else(|| root.clone());
        let home = std::env::home_dir();
        let resolved = tokio::task::spawn_blocking(move || {
            open_root(&root, home.as_deref()).map_err(|_| NoPlace::Root)?;
            resolve_context(&root, &cwd, home.as_deref()).map_err(NoPlace::Directory)
        });
        let context = resolved.await.map_err(|_| Failure::ending())?;
        let context = context.map_err(no_place)?;
        let text = |path: PathBuf| -> Arc<str> { path.to_string_lossy().into() };
        Ok(Place {
            root: text(context.workspace_root),
            cwd: text(context.execution_cwd),
        })
    }

    /// The folders and settings, with all that the client has said so far.
    async fn workspace(&self) -> Workspace {
        let _ = self.handle.ask(|_| ()).await;
        self.handle.workspace().borrow().clone()
    }

    /// The agents of the settings, of the PATH, and the built-in one.
    async fn found(&self) -> BTreeMap<String, Found> {
        let settings = self.workspace().await.settings;
        let found = tokio::task::spawn_blocking(move || discover::agents(&settings.agents));
        found.await.unwrap_or_default()
    }

    /// Sends a command about a session to its agent, and waits for the answer.
    async fn about<T>(
        &self,
        session: &str,
        command: impl FnOnce(Arc<str>, Answer<T>) -> Command,
    ) -> Result<T, Failure> {
        let Owner { agent, session_id } = self.sessions.owner(session)?;
        self.command(Some(agent), |answer| command(session_id, answer))
            .await
    }

    /// Sends a command to an agent, which is made when nobody asked for it before, and waits for
    /// the answer.
    async fn command<T>(
        &self,
        agent: Option<String>,
        command: impl FnOnce(Answer<T>) -> Command,
    ) -> Result<T, Failure> {
        let (answer, answered) = oneshot::channel();
        let agent = self.agent(agent).await?;
        // A task that is gone drops the answer, which is told below.
        let _ = agent.send(command(answer));
        answered.await.map_err(|_| Failure::ending())?
    }

    async fn agent(&self, name: Option<String>) -> Result<mpsc::UnboundedSender<Command>, Failure> {
        let found = self.found().await;
        let name = match name {
            Some(name) => name,
            // The settings come first, then what is on the PATH.
            None => discover::preferred(&found).ok_or_else(|| {
                Failure::new(
                    ErrorKind::InvalidReference,
                    "no agent was found; put one on the PATH, or name its command in the setting \
                     `agents`",
                )
            })?,
        };
        let deadlines = self.handle.workspace().borrow().settings.deadlines;
        let configuration = found.get(&name).map(|found| Configuration {
            command: found.command.clone(),
            deadlines,
        });
        let mut agents = self.lock();
        // A task that panicked is gone, and another one takes its place.
        let running = agents.get_mut(&name);
        if let Some(agent) = running.filter(|agent| !agent.commands.is_closed()) {
            if let Some(now) = configuration.filter(|now| *now != agent.configuration) {
                agent.configuration = now.clone();
                let _ = agent.commands.send(Command::Configure(now));
            }
            return Ok(agent.commands.clone());
        }
        let Some(configuration) = configuration else {
            return Err(Failure::new(
                ErrorKind::InvalidReference,
                format!("there is no agent {name}; name it in the setting `agents`"),
            ));
        };
        let (commands, task) = Agent::start(
            name.clone(),
            configuration.clone(),
            self.handle.clone(),
            self.sessions.clone(),
        );
        let running = Running {
            commands: commands.clone(),
            task,
            configuration,
        };
        agents.insert(name, running);
        Ok(commands)
    }
}

/// Why a session cannot work where the editor says.
#[derive(Clone, Copy)]
enum NoPlace {
    /// The workspace root cannot be opened.
    Root,
    /// The working directory cannot be used.
    Directory(ReferenceError),
}

fn no_place(why: NoPlace) -> Failure {
    let (kind, message) = match why {
        NoPlace::Root => (
            ErrorKind::NotDirectory,
            "the workspace root is no directory that can be opened; name one that exists"
                .to_owned(),
        ),
        NoPlace::Directory(ReferenceError::NotFound) => (
            ErrorKind::NotFound,
            "the working directory does not exist; make it, or name another one".to_owned(),
        ),
        NoPlace::Directory(ReferenceError::NotDirectory) => (
            ErrorKind::NotDirectory,
            "the working directory is no directory; name a directory of the workspace".to_owned(),
        ),
        NoPlace::Directory(why) => (
            ErrorKind::OutsideSandbox,
            format!("the session cannot work there: {why}; name a directory of the workspace"),
        ),
    };
    Failure::new(kind, message)
}
