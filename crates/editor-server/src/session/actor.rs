//! The one task that owns the server's state. It takes events in order, places hunks in the
//! background, and tells the client what changed, once per batch.

mod documents;
mod sessions;
mod tell;
mod turn_times;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use activity_core::session::Session;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until};

use super::document::{Placed, TextChange};
use super::entry::{Opening, Status};
use super::files::FileId;
use super::handle::{Handle, Workspace};
use super::location::{Identity, Location};
use super::on_disk::OnDisk;
use super::outgoing::Outgoing;
use super::publish::Pending;
use super::settings::Settings;
use super::sources::SessionKey;
use super::state::{Client, Folder, State};
use super::view::View;
use crate::lsp::ext::{PermissionOutcome, PermissionQuestion};

/// From the first change of a batch until the client is told.
const PUBLISH_AFTER: Duration = Duration::from_millis(100);

/// From the last damage to a mark until hunks are placed afresh.
const PLACE_AFTER: Duration = Duration::from_millis(120);

/// From the first thing that a session takes in until it is looked at, unless somebody asks before.
const ABSORB_AFTER: Duration = Duration::from_millis(20);

/// How many events are taken in before the actor looks at what they add up to.
const BATCH: usize = 256;

/// All that can wake the server.
pub(crate) enum Event {
    /// `initialize`: what the client can do, its folders, its settings.
    Configured {
        client: Client,
        folders: Vec<Folder>,
        settings: Box<Settings>,
    },
    /// `initialized`: the client can be told things from now on.
    Ready,
    /// The settings changed.
    Settings(Box<Settings>),
    /// The workspace folders changed.
    Folders {
        added: Vec<Folder>,
        removed: Vec<Folder>,
    },
    /// A document was opened.
    Opened {
        uri: String,
        version: i32,
        text: String,
    },
    /// The text of an open document changed.
    Changed {
        uri: String,
        version: i32,
        changes: Vec<TextChange>,
    },
    /// A document was closed.
    Closed { uri: String },
    /// A session begins, or begins anew.
    SessionOpened(Box<Opening>),
    /// Something happened to a session.
    SessionFed {
        key: SessionKey,
        feed: Box<dyn FnOnce(&mut Session) + Send>,
    },
    /// A session was built elsewhere.
    SessionReplaced {
        key: SessionKey,
        session: Box<Session>,
    },
    /// Something else became known of a session.
    SessionStatus {
        key: SessionKey,
        status: Box<Status>,
    },
    /// The transcript of a session says how long turns took, in milliseconds.
    TranscriptRead {
        key: SessionKey,
        generation: u64,
        durations: Vec<(Arc<str>, u64)>,
    },
    /// A permission question was asked or answered.
    Permission {
        question: Box<PermissionQuestion>,
        outcome: Option<PermissionOutcome>,
    },
    /// A command that an agent ran through the server has ended.
    TerminalEnded {
        key: SessionKey,
        terminal: Arc<str>,
        output: Arc<str>,
    },
    /// A session is to be forgotten.
    SessionClosed(SessionKey),
    /// The trace that the settings name is shown now, or cannot be.
    TraceSettled,
    /// Hunks were placed in the text of a document.
    Placed {
        uri: Arc<str>,
        job: u64,
        placed: Box<Placed>,
    },
    /// Hunks were placed in a file that is not open.
    PlacedOnDisk { file: FileId, on_disk: Box<OnDisk> },
    /// The directory entries that names lead to became known.
    Identified(Vec<(Location, Identity)>),
    /// The client has got all that the last publication told it.
    Flushed,
    /// A short question.
    Ask(Box<dyn FnOnce(&mut State) + Send>),
    /// Somebody wants the hunks of an open document.
    View {
        uri: String,
        answer: oneshot::Sender<View>,
    },
}

/// Starts the actor; it ends when the last handle is gone.
pub(crate) fn start(outgoing: mpsc::UnboundedSender<Outgoing>) -> Handle {
    let (events, queue) = mpsc::unbounded_channel();
    let (workspace, watching) = watch::channel(Workspace::default());
    let actor = Actor {
        state: State::default(),
        ready: false,
        pending: Pending::default(),
        publish_at: None,
        absorb_at: None,
        next_job: 0,
        publishing: false,
        changed: BTreeSet::new(),
        unidentified: Vec::new(),
        late: Vec::new(),
        published: BTreeMap::new(),
        hinted: BTreeSet::new(),
        events: events.downgrade(),
        outgoing: outgoing.clone(),
        workspace,
    };
    tokio::spawn(actor.run(queue));
    Handle::new(events, outgoing, watching)
}

struct Actor {
    state: State,
    /// The client can be told things.
    ready: bool,
    pending: Pending,
    publish_at: Option<Instant>,
    /// When to look at what sessions took in.
    absorb_at: Option<Instant>,
    /// The next placing's number.
    next_job: u64,
    /// The client has not got all of the last publication: what comes meanwhile adds up.
    publishing: bool,
    /// Sessions that took something in and were not looked at since.
    changed: BTreeSet<SessionKey>,
    /// Names whose directory entries are not known.
    unidentified: Vec<Location>,
    /// Views that were asked for while the trace of the settings is read.
    late: Vec<(String, oneshot::Sender<View>)>,
    /// Which placing of a document the client was told last.
    published: BTreeMap<Arc<str>, u64>,
    /// Documents that have hint diagnostics.
    hinted: BTreeSet<Arc<str>>,
    events: mpsc::WeakUnboundedSender<Event>,
    outgoing: mpsc::UnboundedSender<Outgoing>,
    workspace: watch::Sender<Workspace>,
}

impl Actor {
    async fn run(mut self, mut queue: mpsc::UnboundedReceiver<Event>) {
        loop {
            let wake = self.wake();
            let event = tokio::select! {
                event = queue.recv() => match event {
                    Some(event) => Some(event),
                    None => return,
                },
                () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => None,
            };
            if let Some(event) = event {
                self.take(event);
                for _ in 1..BATCH {
                    match queue.try_recv() {
                        Ok(event) => self.take(event),
                        Err(_) => break,
                    }
                }
            }
            self.settle();
        }
    }

    /// When something is to be done although nothing happens.
    fn wake(&self) -> Option<Instant> {
        let places = self.state.documents.values().filter_map(|it| match it.job {
            None => it.due,
            Some(_) => None,
        });
        let publish = self.publish_at.filter(|_| !self.publishing && self.ready);
        places.chain(publish).chain(self.absorb_at).min()
    }

    /// Applies one event. What goes wrong in it must not end the server.
    fn take(&mut self, event: Event) {
        let outcome = catch_unwind(AssertUnwindSafe(|| self.apply(event)));
        if outcome.is_err() {
            tracing::error!("an event could not be applied; this is a defect of acp-lens");
        }
    }

    fn apply(&mut self, event: Event) {
        match event {
            Event::Configured {
                client,
                folders,
                settings,
            } => {
                self.state.client = client;
                self.state.folders = folders;
                self.configure(*settings);
            }
            Event::Ready => {
                self.ready = true;
                self.pending.reset |= self.state.client.wants_notifications;
                self.touch();
            }
            Event::Settings(settings) => self.configure(*settings),
            Event::Folders { added, removed } => {
                let folders = &mut self.state.folders;
                folders.retain(|folder| {
                    let key = folder.location.key();
                    !removed.iter().any(|gone| gone.location.key() == key)
                });
                folders.extend(added);
                self.announce_workspace();
            }
            Event::Opened { uri, version, text } => self.opened(uri.into(), version, &text),
            Event::Changed {
                uri,
                version,
                changes,
            } => self.changed(&uri, version, changes),
            Event::Closed { uri } => {
                self.state.documents.remove(&*uri);
                self.published.remove(&*uri);
                if self.hinted.remove(&*uri) {
                    self.tell(Outgoing::Hints {
                        uri,
                        version: None,
                        hints: Vec::new(),
                    });
                }
            }
            Event::SessionOpened(opening) => self.session_opened(*opening),
            Event::SessionFed { key, feed } => {
                if let Some(entry) = self.state.session_mut(&key) {
                    feed(&mut entry.session);
                    self.take_in(key);
                }
            }
            Event::SessionReplaced { key, session } => {
                if let Some(entry) = self.state.session_mut(&key) {
                    entry.replace(*session);
                    self.forget_files(&key, Instant::now() + ABSORB_AFTER);
                    self.pending.reset = true;
                    self.read_transcript(&key, &[0]);
                    self.take_in(key);
                }
            }
            Event::SessionStatus { key, status } => self.session_status(&key, *status),
            Event::TranscriptRead {
                key,
                generation,
                durations,
            } => self.transcript_read(&key, generation, durations),
            Event::Permission { question, outcome } => self.permission(*question, outcome),
            Event::TerminalEnded {
                key,
                terminal,
                output,
            } => self.terminal_ended(key, terminal, output),
            Event::SessionClosed(key) => self.session_closed(&key),
            Event::TraceSettled => {
                self.absorb();
                self.state.loading = self.state.loading.saturating_sub(1);
                if self.state.loading == 0 {
                    for (uri, answer) in std::mem::take(&mut self.late) {
                        self.view(&uri, answer);
                    }
                }
            }
            Event::Placed { uri, job, placed } => self.placed(&uri, job, *placed),
            Event::PlacedOnDisk { file, on_disk } => {
                self.state.on_disk.insert(file, *on_disk);
                for (key, path) in self.state.files.mentions(file) {
                    let changed = (Arc::clone(key), Arc::clone(path));
                    self.pending.files.insert(changed);
                }
                self.touch();
            }
            Event::Identified(found) => self.identified(found),
            Event::Flushed => self.publishing = false,
            Event::Ask(question) => {
                self.absorb();
                question(&mut self.state);
            }
            Event::View { uri, answer } => {
                self.absorb();
                self.view(&uri, answer);
            }
        }
    }

    fn configure(&mut self, settings: Settings) {
        let before = std::mem::replace(&mut self.state.settings, settings);
        let now = &self.state.settings;
        if now.trace.is_some() && now.trace != before.trace {
            self.state.loading += 1;
        }
        let shows_otherwise =
            now.code_lens != before.code_lens || now.hint_diagnostics != before.hint_diagnostics;
        if now.limits != before.limits {
            self.state.on_disk.clear();
            self.place_all(Instant::now());
        }
        if shows_otherwise {
            self.pending.lenses = true;
            self.published.clear();
            self.touch();
        }
        self.announce_workspace();
    }

    fn announce_workspace(&self) {
        self.workspace.send_replace(Workspace {
            folders: Arc::new(self.state.folders.clone()),
            settings: Arc::new(self.state.settings.clone()),
        });
    }

    /// After a batch of events, or when the time has come.
    fn settle(&mut self) {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let now = Instant::now();
            // Placing reads what the sessions say.
            if self.absorb_at.is_some_and(|at| at <= now) || self.wants_placing(now) {
                self.absorb();
            }
            self.start_identifying();
            self.start_placing();
            let due = self.publish_at.is_some_and(|at| at <= Instant::now());
            if due && self.ready && !self.publishing {
                self.publish_at = None;
                self.publish();
            }
        }));
        if outcome.is_err() {
            tracing::error!("the state could not be settled; this is a defect of acp-lens");
        }
    }
}

/// Sends an event from a background task; after the end of the actor nobody needs it.
fn send(events: &mpsc::WeakUnboundedSender<Event>, event: Event) {
    if let Some(events) = events.upgrade() {
        let _ = events.send(event);
    }
}
