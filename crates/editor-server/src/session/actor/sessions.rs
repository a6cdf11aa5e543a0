//! What happens to sessions: they begin, take things in, are asked about, and end.

use std::sync::Arc;

use activity_core::timeline::{ItemKind, Part};
use tokio::time::Instant;

use super::{ABSORB_AFTER, Actor};
use crate::lsp::ext::{PermissionOutcome, PermissionQuestion, PermissionState};
use crate::session::entry::{Entry, Opening};
use crate::session::location::Location;
use crate::session::sources::SessionKey;

impl Actor {
    pub(super) fn session_opened(&mut self, opening: Opening) {
        let key = Arc::clone(&opening.key);
        let entry = Entry::new(opening);
        match self.state.session_mut(&key) {
            Some(known) => {
                *known = entry;
                self.forget_files(&key, Instant::now() + ABSORB_AFTER);
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
    pub(super) fn take_in(&mut self, key: SessionKey) {
        self.changed.insert(key);
        self.absorb_at
            .get_or_insert_with(|| Instant::now() + ABSORB_AFTER);
    }

    pub(super) fn session_closed(&mut self, key: &SessionKey) {
        let before = self.state.sessions.len();
        self.state.sessions.retain(|entry| entry.key != *key);
        if self.state.sessions.len() == before {
            return;
        }
        // What was shown of it must not be shown once more while the others are placed afresh.
        for file in self.state.files.of_session(key) {
            for document in self.state.documents.values_mut() {
                if document.file == Some(file) {
                    document.forget_hunks();
                }
            }
        }
        self.forget_files(key, Instant::now());
        self.changed.remove(key);
        self.state.subscribed.remove(key);
        let of_others = |other: &SessionKey| other != key;
        self.pending.sessions.retain(of_others);
        self.pending.states.retain(of_others);
        self.pending.turns.retain(|(other, _)| of_others(other));
        self.pending.edited.retain(|(other, _)| of_others(other));
        self.pending.files.retain(|(other, _)| of_others(other));
        self.pending.items.remove(key);
        self.pending.closed.insert(Arc::clone(key));
        self.touch();
    }

    /// What a session said about files no longer counts; all hunks are placed afresh at a time at
    /// which it is known what it says instead.
    pub(super) fn forget_files(&mut self, key: &SessionKey, at: Instant) {
        self.state.files.forget(key);
        self.state.forget_all_sources();
        self.state.on_disk.clear();
        self.place_all(at);
    }

    pub(super) fn permission(
        &mut self,
        question: PermissionQuestion,
        outcome: Option<PermissionOutcome>,
    ) {
        let key: SessionKey = question.session.as_str().into();
        let Some(entry) = self.state.session_mut(&key) else {
            return;
        };
        let tool_call: Arc<str> = question.tool_call.as_str().into();
        let item = last_tool(entry, |id, _| **id == *tool_call);
        let known = PermissionState { question, outcome };
        entry.permissions.insert(tool_call, known);
        if let Some(item) = item {
            self.item_changed(key, item);
        }
    }

    pub(super) fn terminal_ended(&mut self, key: SessionKey, terminal: Arc<str>, output: Arc<str>) {
        let Some(entry) = self.state.session_mut(&key) else {
            return;
        };
        let shows = |part: &Part| matches!(part, Part::Terminal { terminal_id } if *terminal_id == terminal);
        let item = last_tool(entry, |_, parts| parts.iter().any(shows));
        entry.terminals.insert(terminal, output);
        if let Some(item) = item {
            self.item_changed(key, item);
        }
    }

    /// An item has to be told again, although the session itself has not changed.
    pub(super) fn item_changed(&mut self, key: SessionKey, item: usize) {
        if self.state.subscribed.contains(&key) {
            self.pending.items.entry(key).or_default().insert(item);
            self.touch();
        }
    }

    /// Looks at what the sessions took in: which files, turns and items changed.
    pub(super) fn absorb(&mut self) {
        self.absorb_at = None;
        for key in std::mem::take(&mut self.changed) {
            self.state.revision += 1;
            let moment = self.state.revision;
            let Some(entry) = self.state.session_mut(&key) else {
                continue;
            };
            let changes = entry.drain(moment);
            if changes.reset {
                self.forget_files(&key, Instant::now());
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
}

/// The position of the newest tool call that is wanted, by its id and what it shows.
fn last_tool(entry: &Entry, is_wanted: impl Fn(&Arc<str>, &[Part]) -> bool) -> Option<usize> {
    (0..entry.session.item_count()).rev().find(|&position| {
        let item = entry.session.item(position);
        item.is_some_and(|item| match item.kind {
            ItemKind::Tool {
                tool_call_id,
                parts,
                ..
            } => is_wanted(&tool_call_id, &parts),
            _ => false,
        })
    })
}
