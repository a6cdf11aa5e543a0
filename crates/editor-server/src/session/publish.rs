//! What the client is told after a batch of changes: only what is new or different.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use activity_core::model::{Action, FileSummary, PathStanding};
use activity_core::placing;
use activity_core::session::Changes;

use super::document::Placed;
use super::entry::Entry;
use super::location::Location;
use super::sources::{Rows, SessionKey, sum};
use super::state::State;
use crate::lsp::ext::{
    self, ChangedFile, DidChangeActivityParams, HunkCounts, ToolCallRecord, TurnRecord,
    WorkspaceFileRef,
};

/// What changed and has not been told.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// Everything is told anew.
    pub(crate) reset: bool,
    /// Lenses of an open document changed.
    pub(crate) lenses: bool,
    /// Sessions that changed.
    pub(crate) sessions: BTreeSet<SessionKey>,
    /// Sessions whose state changed, which is told at once and apart.
    pub(crate) states: BTreeSet<SessionKey>,
    /// Sessions that are gone.
    pub(crate) closed: BTreeSet<SessionKey>,
    /// Turns that changed.
    pub(crate) turns: BTreeSet<(SessionKey, Arc<str>)>,
    /// Paths that agents changed just now, not in a history that was read.
    pub(crate) edited: BTreeSet<(SessionKey, Arc<str>)>,
    /// Paths that changed, or whose hunks stand elsewhere.
    pub(crate) files: BTreeSet<(SessionKey, Arc<str>)>,
    /// Timeline items that changed, of subscribed sessions.
    pub(crate) items: BTreeMap<SessionKey, BTreeSet<usize>>,
}

impl Pending {
    /// Notes what a session says has changed.
    pub(crate) fn add(&mut self, key: &SessionKey, changes: &Changes, subscribed: bool) {
        self.reset |= changes.reset;
        self.sessions.insert(Arc::clone(key));
        let of_session = |id: &Arc<str>| (Arc::clone(key), Arc::clone(id));
        self.turns.extend(changes.turns.iter().map(of_session));
        if !changes.reset {
            self.edited.extend(changes.files.iter().map(of_session));
        }
        self.files.extend(changes.files.iter().map(of_session));
        if subscribed {
            let items = self.items.entry(Arc::clone(key)).or_default();
            items.extend(&changes.items);
        }
    }

    /// Whether there is anything to tell.
    pub(crate) fn is_empty(&self) -> bool {
        !self.reset
            && !self.lenses
            && self.sessions.is_empty()
            && self.states.is_empty()
            && self.closed.is_empty()
            && self.turns.is_empty()
            && self.files.is_empty()
            && self.items.is_empty()
    }

    /// The notification for all but hunks, timelines and states; `None` when there is nothing in
    /// it.
    pub(crate) fn activity(&self, state: &State) -> Option<DidChangeActivityParams> {
        let nothing = self.sessions.is_empty()
            && self.closed.is_empty()
            && self.turns.is_empty()
            && self.files.is_empty();
        if nothing && !self.reset {
            return None;
        }
        let mut told = DidChangeActivityParams {
            revision: state.revision,
            reset: self.reset,
            sessions: Vec::new(),
            closed: self.closed.iter().map(ToString::to_string).collect(),
            turns: Vec::new(),
            files: Vec::new(),
        };
        for entry in &state.sessions {
            let wanted = |set: &BTreeSet<(SessionKey, Arc<str>)>, id: &Arc<str>| {
                self.reset || set.contains(&(Arc::clone(&entry.key), Arc::clone(id)))
            };
            if self.reset || self.sessions.contains(&entry.key) {
                told.sessions.push(entry.info());
            }
            told.turns
                .extend(entry.turn_infos(|turn| wanted(&self.turns, turn)));
            let mut paths = entry.session.paths();
            paths.retain(|path| wanted(&self.files, path));
            told.files.extend(changed_files(state, entry, &paths));
        }
        Some(told)
    }
}

/// Paths of a session for the client.
pub(crate) fn changed_files(state: &State, entry: &Entry, paths: &[Arc<str>]) -> Vec<ChangedFile> {
    let Some(root) = entry.root() else {
        return Vec::new();
    };
    let mut rows = Rows::new(&entry.session);
    paths
        .iter()
        .filter_map(|path| changed_file(state, entry, root, &mut rows, path))
        .collect()
}

fn changed_file(
    state: &State,
    entry: &Entry,
    root: &str,
    rows: &mut Rows<'_>,
    path: &Arc<str>,
) -> Option<ChangedFile> {
    let group = entry.session.file(path)?;
    let turns = group.changes.iter().map(|it| Arc::clone(&it.turn_id));
    let rows = rows.of_path(path, turns);
    let last = group.activities.last()?;
    let location = Location::beneath(root, path);
    let (doubt, uri) = match &last.standing {
        PathStanding::Known => (None, location.as_ref().map(Location::to_uri)),
        PathStanding::Doubtful(why) => (
            Some(why.to_string()),
            location.as_ref().map(Location::to_uri),
        ),
        PathStanding::Unknown => (
            Some("the agent named only a file name; its folder is not known".to_owned()),
            None,
        ),
    };
    let mut counts = rows.first().and_then(|(_, row)| row.counts);
    for (_, row) in rows.iter().skip(1) {
        counts = sum(counts, row.counts);
    }
    let placed = location
        .and_then(|location| state.files.find(&location))
        .and_then(|file| {
            let open = state.open(file).map(|document| document.placed.as_ref());
            open.unwrap_or_else(|| state.on_disk.get(file).map(|it| &it.placed))
        });
    let actions = rows.iter().map(|(_, row)| row.action);
    Some(ChangedFile {
        session: entry.key.to_string(),
        uri,
        file: WorkspaceFileRef {
            workspace_root: root.to_owned(),
            relative_path: path.to_string(),
        },
        from_path: group
            .activities
            .iter()
            .rev()
            .find_map(|it| it.from_path.as_deref().map(str::to_owned)),
        action: action(actions.reduce(Action::then).unwrap_or(last.action)),
        added: counts.map(|it| it.added),
        removed: counts.map(|it| it.removed),
        doubt,
        turns: rows
            .iter()
            .map(|(number, row)| TurnRecord {
                turn: row.turn_id.to_string(),
                number: *number,
                sequence: sequence(row),
                action: action(row.action),
                added: row.counts.map(|it| it.added),
                removed: row.counts.map(|it| it.removed),
                tool_calls: row
                    .activities
                    .iter()
                    .map(|activity| ToolCallRecord {
                        tool_call: activity.tool_call_id.to_string(),
                        tool_name: activity.tool_name.to_string(),
                        action: action(activity.action),
                    })
                    .collect(),
            })
            .collect(),
        hunks: placed.map(|placed| hunk_counts(placed, &entry.key)),
    })
}

/// When the turn of a row first changed its path.
pub(crate) fn sequence(row: &FileSummary) -> u64 {
    row.activities
        .first()
        .map_or(u64::MAX, |activity| activity.sequence)
}

/// How many hunks of one session are in which state.
fn hunk_counts(placed: &Placed, session: &SessionKey) -> HunkCounts {
    let mut counts = HunkCounts::default();
    for (hunk, _, owner) in placed.hunks() {
        if placed.facts.sources.parts[owner.part].session != *session {
            continue;
        }
        let count = match hunk.state {
            placing::State::InPlace => &mut counts.in_place,
            placing::State::Moved => &mut counts.moved,
            placing::State::Edited => &mut counts.edited,
            placing::State::Replaced => &mut counts.replaced,
            placing::State::Reverted => &mut counts.reverted,
            placing::State::Ambiguous => &mut counts.ambiguous,
            placing::State::NotFound(_) => &mut counts.not_found,
            placing::State::Deleted => &mut counts.deleted,
        };
        *count += 1;
    }
    counts
}

/// An action for the client.
pub(crate) fn action(action: Action) -> ext::Action {
    match action {
        Action::Created => ext::Action::Created,
        Action::Modified => ext::Action::Modified,
        Action::Deleted => ext::Action::Deleted,
        Action::Moved => ext::Action::Moved,
    }
}
