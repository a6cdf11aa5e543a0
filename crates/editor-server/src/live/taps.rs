//! The sessions of other clients, as taps tell of them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use acp_grammar::wire::message::Direction;
use activity_core::event::Event;
use activity_core::host::Generation;
use activity_core::session::Options;
use tokio::sync::mpsc;

use super::feed::{SessionFeed, Subject};
use crate::lsp::ext::{SessionSource, SessionState};
use crate::mirror::client::{self, TapEvent, What};
use crate::replay::live::{Heard, LiveConnection, News};
use crate::session::handle::{Handle, Workspace};

/// Follows the taps of the workspace for the life of the server.
///
/// Folders and the setting can change; the taps are then looked for anew.
pub(crate) async fn follow(handle: Handle) {
    let mut workspace = handle.workspace();
    loop {
        let now = workspace.borrow_and_update().clone();
        let wanted = roots(&now);
        if !now.settings.tap || wanted.is_empty() {
            if workspace.changed().await.is_err() {
                return;
            }
            continue;
        }
        let opened = tokio::task::spawn_blocking({
            let wanted = wanted.clone();
            move || client::open(wanted)
        });
        let (socket, heard) = match opened.await {
            Ok(Ok(opened)) => opened,
            Ok(Err(why)) => {
                tracing::warn!(%why, "taps are not followed");
                if workspace.changed().await.is_err() {
                    return;
                }
                continue;
            }
            Err(_) => return,
        };
        let mut taps = Taps {
            handle: handle.clone(),
            by_id: BTreeMap::new(),
        };
        let gone = tokio::select! {
            () = taps.hear_all(heard) => false,
            gone = until_other(&mut workspace, &wanted) => gone,
        };
        drop(socket);
        if gone {
            return;
        }
        taps.close_all();
    }
}

/// Waits until the folders or the setting are others; true when the server is ending.
async fn until_other(
    workspace: &mut tokio::sync::watch::Receiver<Workspace>,
    known: &[String],
) -> bool {
    loop {
        if workspace.changed().await.is_err() {
            return true;
        }
        let now = workspace.borrow_and_update().clone();
        if !now.settings.tap || roots(&now) != known {
            return false;
        }
    }
}

/// The folders, with all links resolved.
fn roots(workspace: &Workspace) -> Vec<String> {
    let folders = workspace.folders.iter();
    folders
        .map(|folder| {
            let path = folder.location.to_path_buf();
            let path = path.canonicalize().unwrap_or(path);
            path.to_string_lossy().into_owned()
        })
        .collect()
}

/// All taps that are heard.
struct Taps {
    handle: Handle,
    by_id: BTreeMap<Arc<str>, Tap>,
}

/// One tap: the connection that passes through it, and its sessions.
struct Tap {
    id: Arc<str>,
    agent: Arc<str>,
    connection: LiveConnection,
    sessions: BTreeMap<Arc<str>, SessionFeed>,
    /// What is told happens now.
    caught_up: bool,
}

impl Taps {
    async fn hear_all(&mut self, mut heard: mpsc::Receiver<TapEvent>) {
        while let Some(TapEvent { tap, what }) = heard.recv().await {
            if let What::Found { agent } = what {
                let found = Tap {
                    id: Arc::clone(&tap),
                    agent: agent.into(),
                    connection: LiveConnection::default(),
                    sessions: BTreeMap::new(),
                    caught_up: false,
                };
                self.by_id.insert(tap, found);
                continue;
            }
            let Some(known) = self.by_id.get_mut(&tap) else {
                continue;
            };
            match what {
                What::Found { .. } => {}
                What::Message { to_agent, message } => {
                    let direction = if to_agent {
                        Direction::ClientToAgent
                    } else {
                        Direction::AgentToClient
                    };
                    if let Some(heard) = known.connection.hear(direction, &message) {
                        known.take(heard, &self.handle).await;
                    }
                }
                What::Gap => {
                    for feed in known.sessions.values_mut() {
                        feed.apply(Event::GapNoticed { missed: None }).await;
                    }
                }
                What::CaughtUp => known.catch_up(),
                What::Ended(how) => {
                    known.catch_up();
                    known.end(&how);
                    tracing::info!(%how, "a tap ended");
                    self.by_id.remove(&tap);
                }
                What::Lost => {
                    known.catch_up();
                    known.lost();
                    self.by_id.remove(&tap);
                }
            }
        }
    }

    fn close_all(&mut self) {
        for (_, tap) in std::mem::take(&mut self.by_id) {
            for feed in tap.sessions.into_values() {
                self.handle.close_session(feed.key());
            }
        }
    }
}

impl Tap {
    async fn take(&mut self, heard: Heard, handle: &Handle) {
        let session_id = Arc::clone(heard.session_id());
        let news = heard.news();
        let cwd = news.iter().find_map(|it| match it {
            News::Opened(cwd) => Some(cwd.clone()),
            _ => None,
        });
        let agent = self.connection.agent();
        let feed = self
            .sessions
            .entry(Arc::clone(&session_id))
            .or_insert_with(|| {
                let subject = Subject {
                    key: format!("tap-{}-{session_id}", self.id).into(),
                    session_id,
                    source: SessionSource::Tap,
                    agent: Some(Arc::clone(&self.agent)),
                    options: options(handle, cwd.as_deref()),
                };
                let mut feed = SessionFeed::open(handle, subject, Generation(1));
                // What is told at once is shown at once.
                feed.begin_aside(agent);
                if self.caught_up {
                    feed.commit_aside();
                }
                feed
            });
        // What happened before the server came is shown when all of it is told.
        if !self.caught_up {
            return feed.hear(heard).await;
        }
        if news.contains(&News::LoadStarted) && !feed.is_aside() {
            feed.begin_load(agent);
            if let Some(cwd) = cwd {
                feed.apply(Event::Opened { cwd: cwd.into() }).await;
            }
        }
        let failure = news.iter().find(|it| matches!(it, News::LoadFailed(_)));
        if let Some(failure) = failure.filter(|_| feed.is_aside()) {
            return feed.abandon_aside(failure.clone());
        }
        feed.hear(heard).await;
        if news.contains(&News::LoadEnded) {
            feed.commit_aside();
        }
    }

    /// Everything from here on happens now.
    fn catch_up(&mut self) {
        if !std::mem::replace(&mut self.caught_up, true) {
            for feed in self.sessions.values_mut() {
                feed.commit_aside();
            }
        }
    }

    /// The agent ended; how, in words. Only where it had something left to do is that an error.
    fn end(&mut self, how: &str) {
        for feed in self.sessions.values_mut() {
            feed.commit_aside();
            let error = feed.is_prompting().then(|| how.to_owned());
            feed.set_state(SessionState::Disconnected, error);
        }
    }

    /// The tap is gone without a word, and the agent with it.
    fn lost(&mut self) {
        let error = "the tap was killed; what the agent did last may be missing";
        for feed in self.sessions.values_mut() {
            feed.commit_aside();
            feed.set_state(SessionState::Disconnected, Some(error.to_owned()));
        }
    }
}

/// How a session in this directory is read: its root is the folder that holds it, if both are
/// written alike. What the agent says is compared by name, so a link in between would hide it.
fn options(handle: &Handle, cwd: Option<&str>) -> Options {
    let workspace = handle.workspace();
    let workspace = workspace.borrow();
    let folders = workspace.folders.iter();
    let holding = folders
        .map(|folder| folder.location.to_path_buf())
        .filter(|root| cwd.is_some_and(|cwd| Path::new(cwd).starts_with(root)))
        .max_by_key(|root| root.as_os_str().len());
    Options {
        profile: workspace.settings.profile,
        workspace_root: holding.map(|root| root.to_string_lossy().into()),
        ..Options::default()
    }
}
