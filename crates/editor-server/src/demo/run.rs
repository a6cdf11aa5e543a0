//! The course of `acp-lens demo`: the agent works in the real host, behind a tap that records it.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::json;
use tokio::sync::{mpsc, watch};

use super::files;
use super::script::TURNS;
use crate::features::failure::Failure;
use crate::host::Host;
use crate::lsp::ext::{
    PermissionOutcome, PermissionQuestion, SessionInfo, SessionNewParams, SessionPromptParams,
    SessionState,
};
use crate::session::actor::{self, Event};
use crate::session::handle::Handle;
use crate::session::location::Location;
use crate::session::outgoing::Outgoing;
use crate::session::settings::Settings;
use crate::session::state::{Client, Folder};

/// Why the demo ended early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DemoError {
    /// A file of the demo cannot be written.
    #[error("the demo's files cannot be written: {0}")]
    Files(anyhow::Error),
    /// The agent could not be started, or ended early.
    #[error("the demo agent failed: {0}")]
    Agent(String),
}

impl From<Failure> for DemoError {
    fn from(failure: Failure) -> Self {
        Self::Agent(failure.message)
    }
}

/// Where the demo's files are.
#[derive(Debug)]
pub(crate) struct Places {
    /// The project.
    pub(crate) workspace: PathBuf,
    /// The recording of the session.
    pub(crate) trace: PathBuf,
}

/// Lays out the project below `dir`, and lets the agent work in it.
pub(crate) async fn work_in(dir: &Path) -> Result<Places, DemoError> {
    let places = Places {
        workspace: dir.join("till"),
        trace: dir.join("session.ndjson"),
    };
    std::fs::create_dir_all(&places.workspace).map_err(|why| DemoError::Files(why.into()))?;
    files::lay_out(&places.workspace).map_err(DemoError::Files)?;
    let (outgoing, said) = mpsc::unbounded_channel();
    let handle = actor::start(outgoing);
    configure(&handle, &places).map_err(DemoError::Files)?;
    let (sessions, session) = watch::channel(None);
    tokio::spawn(stand_in(said, sessions));
    let host = Host::new(handle);
    let done = whole_session(&host, session).await;
    host.end().await;
    done.map(|()| places)
}

/// Tells the server what an editor would: what it can do, its folder, its settings.
fn configure(handle: &Handle, places: &Places) -> anyhow::Result<()> {
    let program = std::env::current_exe()?;
    let trace = places.trace.to_string_lossy();
    let (settings, _) = Settings::read(&json!({"agents": {"demo": {
        "command": program.to_string_lossy(),
        "args": ["tap", "--record", trace, "--", program.to_string_lossy(), "demo-agent"],
    }}}));
    let workspace = places.workspace.to_string_lossy();
    let location =
        Location::from_path(&workspace).context("the temporary directory has no absolute path")?;
    handle.send(Event::Configured {
        client: Client {
            wants_notifications: true,
            answers_permissions: true,
            ..Client::default()
        },
        folders: vec![Folder {
            uri: location.to_uri(),
            location,
        }],
        settings: Box::new(settings),
    });
    handle.send(Event::Ready);
    Ok(())
}

/// Stands in for an editor: allows what the agent asks for, and passes on how sessions are.
async fn stand_in(
    mut said: mpsc::UnboundedReceiver<Outgoing>,
    sessions: watch::Sender<Option<SessionInfo>>,
) {
    while let Some(message) = said.recv().await {
        match message {
            Outgoing::Session(session) => {
                sessions.send_replace(Some(*session));
            }
            Outgoing::Permission { question, answer } => {
                // The question may be closed already.
                let _ = answer.send(allow(&question));
            }
            Outgoing::Flushed(written) => {
                let _ = written.send(());
            }
            _ => {}
        }
    }
}

fn allow(question: &PermissionQuestion) -> PermissionOutcome {
    let mut options = question.options.iter();
    match options.find(|option| option.kind == "allow_once") {
        Some(option) => PermissionOutcome::Selected {
            option_id: option.option_id.clone(),
        },
        None => PermissionOutcome::Cancelled,
    }
}

/// A session with all prompts of the script.
async fn whole_session(
    host: &Host,
    mut session: watch::Receiver<Option<SessionInfo>>,
) -> Result<(), DemoError> {
    let started = host
        .new_session(SessionNewParams {
            agent: Some("demo".to_owned()),
            workspace_root: None,
            execution_cwd: None,
        })
        .await?;
    let key = started.session.session;
    for (turn, number) in TURNS.iter().zip(1_u32..) {
        host.prompt(SessionPromptParams {
            session: key.clone(),
            text: turn.prompt.to_owned(),
            files: Vec::new(),
        })
        .await?;
        // The end of the turn before is known too; this one has another number.
        let is_over = |session: &Option<SessionInfo>| {
            session.as_ref().is_some_and(|session| {
                session.state == SessionState::Disconnected
                    || (session.turn_count >= number && session.stop_reason.is_some())
            })
        };
        let ended = session.wait_for(is_over).await;
        let ended = ended.map_err(|_| DemoError::Agent("the server ended".to_owned()))?;
        if let Some(why) = ended.as_ref().and_then(|session| session.error.clone()) {
            return Err(DemoError::Agent(why));
        }
    }
    Ok(())
}
