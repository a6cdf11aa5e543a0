//! What happens to documents: their text, and the places of their hunks, found in the background.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::{Actor, Event, PLACE_AFTER, send};
use crate::session::document::{Document, Placed, Running, TextChange, place_file};
use crate::session::files::FileId;
use crate::session::location::{Identity, Location, identify};
use crate::session::view::View;

impl Actor {
    pub(super) fn opened(&mut self, uri: Arc<str>, version: i32, text: &str) {
        let mut document = Document::new(Arc::clone(&uri), version, text);
        if let Some(location) = &document.location {
            let (file, _) = self.state.files.intern(location);
            document.file = Some(file);
            // Links may have changed since the name was seen last.
            self.unidentified.push(location.clone());
            self.state.on_disk.remove(file);
            if self.state.is_touched(file) {
                document.due = Some(Instant::now());
            }
        }
        self.published.remove(&uri);
        self.state.documents.insert(uri, document);
    }

    pub(super) fn changed(&mut self, uri: &str, version: i32, changes: Vec<TextChange>) {
        let encoding = self.state.client.encoding;
        let Some(document) = self.state.documents.get_mut(uri) else {
            tracing::warn!("didChange of a document that is not open");
            return;
        };
        if document.change(version, changes, encoding) {
            document.due = Some(Instant::now() + PLACE_AFTER);
        }
    }

    /// Answers with the hunks of a document, now or after its first placing.
    pub(super) fn view(&mut self, uri: &str, answer: oneshot::Sender<View>) {
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

    pub(super) fn placed(&mut self, uri: &Arc<str>, job: u64, placed: Placed) {
        let Some(document) = self.state.documents.get_mut(uri) else {
            return;
        };
        // The document may have been closed and opened again since.
        let running = document.job.as_ref();
        if running.is_none_or(|running| running.id != job) {
            return;
        }
        // A session began to touch the file while its hunks were placed: nothing is not known yet.
        let is_early = placed.facts.sources.activities.is_empty()
            && document
                .file
                .is_some_and(|file| !self.state.files.mentions(file).is_empty());
        if is_early {
            document.forget_hunks();
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

    /// Wants the hunks of a file placed afresh, if it is open.
    pub(super) fn place(&mut self, file: FileId, at: Instant) {
        for document in self.state.documents.values_mut() {
            if document.file == Some(file) {
                document.due = Some(at);
            }
        }
    }

    /// Wants the hunks of all open documents placed afresh.
    pub(super) fn place_all(&mut self, at: Instant) {
        for document in self.state.documents.values_mut() {
            document.due = Some(at);
        }
    }

    pub(super) fn identified(&mut self, found: Vec<(Location, Identity)>) {
        for (location, identity) in found {
            if let Some((old, known)) = self.state.files.identified(&location, identity) {
                self.state.on_disk.remove(old);
                self.state.on_disk.remove(known);
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

    pub(super) fn start_identifying(&mut self) {
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

    /// Whether hunks are to be placed now.
    pub(super) fn wants_placing(&self, now: Instant) -> bool {
        let mut documents = self.state.documents.values();
        documents.any(|document| document.is_due(now))
    }

    pub(super) fn start_placing(&mut self) {
        let now = Instant::now();
        let documents = self.state.documents.values();
        let due: Vec<Arc<str>> = documents
            .filter(|document| document.is_due(now))
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
}
