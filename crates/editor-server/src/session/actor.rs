//! The one task that owns the server's state. It takes events in order, places hunks in the
//! background, and tells the client what changed, once per batch.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use activity_core::session::Session;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until};

use super::document::{Document, Placed, Running, TextChange, place_file};
use super::entry::{Entry, Opening, Status};
use super::files::FileId;
use super::handle::{Handle, Workspace};
use super::location::{Identity, Location, identify};
use super::outgoing::Outgoing;
use super::publish::Pending;
use super::settings::Settings;
use super::sources::SessionKey;
use super::state::{Client, Folder, OnDisk, State};
use super::view::View;
use super::{follow, timeline};
use crate::features;
use crate::lsp::ext::{PermissionOutcome, PermissionQuestion, PermissionState};

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
    /// A permission question was asked or answered.
    Permission {
        question: Box<PermissionQuestion>,
        outcome: Option<PermissionOutcome>,
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
                    self.forget_files(&key);
                    self.pending.reset = true;
                    self.take_in(key);
                }
            }
            Event::SessionStatus { key, status } => {
                if let Some(entry) = self.state.session_mut(&key) {
                    entry.update(*status);
                    self.pending.states.insert(Arc::clone(&key));
                    self.pending.sessions.insert(key);
                    self.touch();
                }
            }
            Event::Permission { question, outcome } => self.permission(*question, outcome),
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
            self.place_all();
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

    fn opened(&mut self, uri: Arc<str>, version: i32, text: &str) {
        let mut document = Document::new(Arc::clone(&uri), version, text);
        if let Some(location) = &document.location {
            let (file, _) = self.state.files.intern(location);
            document.file = Some(file);
            // Links may have changed since the name was seen last.
            self.unidentified.push(location.clone());
            self.state.on_disk.remove(&file);
            if self.state.is_touched(file) {
                document.due = Some(Instant::now());
            }
        }
        self.published.remove(&uri);
        self.state.documents.insert(uri, document);
    }

    fn changed(&mut self, uri: &str, version: i32, changes: Vec<TextChange>) {
        let encoding = self.state.client.encoding;
        let Some(document) = self.state.documents.get_mut(uri) else {
            tracing::warn!("didChange of a document that is not open");
            return;
        };
        if document.change(version, changes, encoding) {
            document.due = Some(Instant::now() + PLACE_AFTER);
        }
    }

    fn session_opened(&mut self, opening: Opening) {
        let key = Arc::clone(&opening.key);
        let entry = Entry::new(opening);
        match self.state.session_mut(&key) {
            Some(known) => {
                *known = entry;
                self.forget_files(&key);
                self.pending.reset = true;
            }
            None => self.state.sessions.push(entry),
        }
        self.pending.closed.remove(&key);
        self.pending.states.insert(Arc::clone(&key));
        self.take_in(key);
    }

    /// A session took something in. Looking at it can cost as much as its turn has, so several
    /// such things are looked at together.
    fn take_in(&mut self, key: SessionKey) {
        self.changed.insert(key);
        self.absorb_at
            .get_or_insert_with(|| Instant::now() + ABSORB_AFTER);
    }

    fn session_closed(&mut self, key: &SessionKey) {
        let before = self.state.sessions.len();
        self.state.sessions.retain(|entry| entry.key != *key);
        if self.state.sessions.len() == before {
            return;
        }
        self.forget_files(key);
        self.changed.remove(key);
        self.state.subscribed.remove(key);
        let of_others = |other: &SessionKey| other != key;
        self.pending.sessions.retain(of_others);
        self.pending.states.retain(of_others);
        self.pending.turns.retain(|(other, _)| of_others(other));
        self.pending.files.retain(|(other, _)| of_others(other));
        self.pending.items.remove(key);
        self.pending.closed.insert(Arc::clone(key));
        self.touch();
    }

    /// What a session said about files no longer counts.
    fn forget_files(&mut self, key: &SessionKey) {
        self.state.files.forget(key);
        self.state.forget_all_sources();
        self.state.on_disk.clear();
        self.place_all();
    }

    fn permission(&mut self, question: PermissionQuestion, outcome: Option<PermissionOutcome>) {
        let key: SessionKey = question.session.as_str().into();
        let Some(entry) = self.state.session_mut(&key) else {
            return;
        };
        let tool_call: Arc<str> = question.tool_call.as_str().into();
        let item = (0..entry.session.item_count()).rev().find(|&position| {
            entry
                .session
                .item(position)
                .is_some_and(|item| *item.id == *format!("tool:{tool_call}"))
        });
        let known = PermissionState { question, outcome };
        entry.permissions.insert(tool_call, known);
        if let Some(item) = item
            && self.state.subscribed.contains(&key)
        {
            self.pending.items.entry(key).or_default().insert(item);
            self.touch();
        }
    }

    /// Looks at what the sessions took in: which files, turns and items changed.
    fn absorb(&mut self) {
        self.absorb_at = None;
        for key in std::mem::take(&mut self.changed) {
            self.state.revision += 1;
            let moment = self.state.revision;
            let Some(entry) = self.state.session_mut(&key) else {
                continue;
            };
            let changes = entry.drain(moment);
            if changes.reset {
                self.forget_files(&key);
            }
            let mentions: Vec<(Location, Arc<str>)> = match self.state.session(&key) {
                Some(entry) => {
                    let paths = if changes.reset {
                        entry.session.paths()
                    } else {
                        changes.files.clone()
                    };
                    let located = paths
                        .into_iter()
                        .filter_map(|path| Some((Location::beneath(entry.root()?, &path)?, path)));
                    located.collect()
                }
                None => continue,
            };
            for (location, path) in mentions {
                let (file, is_new) = self.state.files.intern(&location);
                self.state.files.mention(file, &key, &path);
                self.state.forget_sources(file);
                if is_new {
                    self.unidentified.push(location);
                }
                self.place(file, Instant::now());
            }
            let subscribed = self.state.subscribed.contains(&key);
            self.pending.add(&key, &changes, subscribed);
            self.touch();
        }
    }

    /// Wants the hunks of a file placed afresh, if it is open.
    fn place(&mut self, file: FileId, at: Instant) {
        for document in self.state.documents.values_mut() {
            if document.file == Some(file) {
                document.due = Some(at);
            }
        }
    }

    fn place_all(&mut self) {
        let now = Instant::now();
        for document in self.state.documents.values_mut() {
            document.due = Some(now);
        }
    }

    /// Answers with the hunks of a document, now or after its first placing.
    fn view(&mut self, uri: &str, answer: oneshot::Sender<View>) {
        let Some(document) = self.state.document(uri) else {
            return;
        };
        let touched = document
            .file
            .is_some_and(|file| self.state.is_touched(file));
        if !touched && self.state.loading > 0 {
            self.late.push((uri.to_owned(), answer));
            return;
        }
        if let Some(view) = self.state.view(document) {
            let _ = answer.send(view);
            return;
        }
        let uri = Arc::clone(&document.uri);
        if let Some(document) = self.state.documents.get_mut(&uri) {
            document.due.get_or_insert_with(Instant::now);
            document.waiting.push(answer);
        }
    }

    fn placed(&mut self, uri: &Arc<str>, job: u64, placed: Placed) {
        let Some(document) = self.state.documents.get_mut(uri) else {
            return;
        };
        // The document may have been closed and opened again since.
        let running = document.job.as_ref();
        if running.is_none_or(|running| running.id != job) {
            return;
        }
        if !document.take(placed) {
            document.due.get_or_insert_with(Instant::now);
            return;
        }
        if let Some(placed) = &document.placed
            && placed.marks.needs_placing()
        {
            document.due.get_or_insert(Instant::now() + PLACE_AFTER);
        }
        let waiting = std::mem::take(&mut document.waiting);
        if let Some(document) = self.state.documents.get(uri) {
            for answer in waiting {
                if let Some(view) = self.state.view(document) {
                    let _ = answer.send(view);
                }
            }
            if let Some(file) = document.file {
                for (key, path) in self.state.files.mentions(file) {
                    let changed = (Arc::clone(key), Arc::clone(path));
                    self.pending.files.insert(changed);
                }
            }
        }
        self.pending.lenses = true;
        self.touch();
    }

    fn identified(&mut self, found: Vec<(Location, Identity)>) {
        for (location, identity) in found {
            if let Some((old, known)) = self.state.files.identified(&location, identity) {
                self.state.on_disk.remove(&old);
                self.state.on_disk.remove(&known);
                self.state.forget_sources(old);
                self.state.forget_sources(known);
                for document in self.state.documents.values_mut() {
                    if document.file == Some(old) {
                        document.file = Some(known);
                    }
                }
                if self.state.is_touched(known) {
                    self.place(known, Instant::now());
                }
            }
        }
    }

    /// There is something to tell.
    fn touch(&mut self) {
        self.publish_at
            .get_or_insert_with(|| Instant::now() + PUBLISH_AFTER);
    }

    /// After a batch of events, or when the time has come.
    fn settle(&mut self) {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            if self.absorb_at.is_some_and(|at| at <= Instant::now()) {
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

    fn start_identifying(&mut self) {
        if self.unidentified.is_empty() {
            return;
        }
        let locations = std::mem::take(&mut self.unidentified);
        let events = self.events.clone();
        tokio::task::spawn_blocking(move || {
            let found = locations
                .into_iter()
                .filter_map(|location| identify(&location).map(|identity| (location, identity)))
                .collect();
            send(&events, Event::Identified(found));
        });
    }

    fn start_placing(&mut self) {
        let now = Instant::now();
        let due: Vec<Arc<str>> = self
            .state
            .documents
            .values()
            .filter(|it| it.job.is_none() && it.due.is_some_and(|due| due <= now))
            .map(|it| Arc::clone(&it.uri))
            .collect();
        for uri in due {
            let file = self.state.documents.get(&uri);
            let file = file.and_then(|document| document.file);
            let sources = file
                .map(|file| self.state.sources(file))
                .unwrap_or_default();
            let limits = self.state.settings.limits;
            let Some(document) = self.state.documents.get_mut(&uri) else {
                continue;
            };
            document.due = None;
            self.next_job += 1;
            let job = self.next_job;
            document.job = Some(Running::new(job));
            let text = document.text.clone();
            let events = self.events.clone();
            tokio::task::spawn_blocking(move || {
                let fallback = Arc::clone(&sources);
                let placed = catch_unwind(AssertUnwindSafe(|| place_file(&text, sources, limits)));
                let placed = placed.unwrap_or_else(|_| {
                    let why = "the hunks could not be placed; this is a defect of acp-lens";
                    Placed::nothing(fallback, Some(why.to_owned()))
                });
                let placed = Box::new(placed);
                send(&events, Event::Placed { uri, job, placed });
            });
        }
    }

    /// Tells the client what changed since the last time.
    fn publish(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return;
        }
        if self.state.client.wants_notifications {
            self.tell_extension(&pending);
        }
        self.tell_hunks();
        if pending.lenses && self.state.client.refreshes_lenses {
            self.tell(Outgoing::RefreshLenses);
        }
        if let Some(show) = follow::reveal(&self.state, &pending) {
            self.tell(show);
        }
        let (flushed, written) = oneshot::channel();
        self.tell(Outgoing::Flushed(flushed));
        self.publishing = true;
        let events = self.events.clone();
        tokio::spawn(async move {
            // A failure means that the sender is gone, and with it the client.
            let _ = written.await;
            send(&events, Event::Flushed);
        });
    }

    fn tell_extension(&self, pending: &Pending) {
        if let Some(activity) = pending.activity(&self.state) {
            self.tell(Outgoing::Activity(Box::new(activity)));
        }
        for key in &pending.states {
            if let Some(entry) = self.state.session(key) {
                self.tell(Outgoing::Session(Box::new(entry.info())));
            }
        }
        for (key, positions) in &pending.items {
            if let Some(entry) = self.state.session(key) {
                let positions = positions.iter().copied();
                let update = timeline::update(entry, self.state.revision, positions);
                self.tell(Outgoing::Timeline(update));
            }
        }
    }

    /// The documents whose hunks were placed since the client was told last.
    fn tell_hunks(&mut self) {
        for document in self.state.documents.values() {
            let told = self.published.get(&document.uri).copied().unwrap_or(0);
            if told == document.placings {
                continue;
            }
            self.published
                .insert(Arc::clone(&document.uri), document.placings);
            let Some(view) = self.state.view(document) else {
                continue;
            };
            if self.state.client.wants_notifications {
                let hunks = features::hunks::answer(&view, false);
                let _ = self.outgoing.send(Outgoing::Hunks(hunks));
            }
            let wanted = self.state.settings.hint_diagnostics;
            let hinted = if wanted {
                self.hinted.insert(Arc::clone(&view.uri));
                true
            } else {
                self.hinted.remove(&view.uri)
            };
            if hinted {
                let _ = self.outgoing.send(Outgoing::Hints {
                    uri: view.uri.to_string(),
                    version: view.version,
                    hints: if wanted {
                        features::hints::of(&view)
                    } else {
                        Vec::new()
                    },
                });
            }
        }
    }

    fn tell(&self, message: Outgoing) {
        let _ = self.outgoing.send(message);
    }
}

/// Sends an event from a background task; after the end of the actor nobody needs it.
fn send(events: &mpsc::WeakUnboundedSender<Event>, event: Event) {
    if let Some(events) = events.upgrade() {
        let _ = events.send(event);
    }
}
