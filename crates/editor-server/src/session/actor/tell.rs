//! What the client is told after a batch of changes.

use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::{Actor, Event, PUBLISH_AFTER, send};
use crate::features;
use crate::session::outgoing::Outgoing;
use crate::session::publish::Pending;
use crate::session::{follow, timeline};

impl Actor {
    /// There is something to tell.
    pub(super) fn touch(&mut self) {
        self.publish_at
            .get_or_insert_with(|| Instant::now() + PUBLISH_AFTER);
    }

    /// Tells the client what changed since the last time.
    pub(super) fn publish(&mut self) {
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

    pub(super) fn tell(&self, message: Outgoing) {
        let _ = self.outgoing.send(message);
    }
}
