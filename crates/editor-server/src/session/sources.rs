//! What the sessions say about one file, gathered for placing and for what is shown beside it.

use std::collections::HashMap;
use std::sync::Arc;

use activity_core::identity::{HunkKey, hunk_id};
use activity_core::model::{Action, Activity, FileSummary, LineCounts};
use activity_core::placing::{Hunk, PlaceInput};
use activity_core::session::Session;

/// The server's name of a session.
pub(crate) type SessionKey = Arc<str>;

/// All that is known of one file, a snapshot.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// The parts of the sessions that touched it, in the order in which they became known.
    pub(crate) parts: Vec<Part>,
    /// Every activity of the file, of all sessions, oldest first: index of its part, and itself.
    pub(crate) activities: Vec<(usize, Arc<Activity>)>,
}

/// What one session did to the file.
#[derive(Debug)]
pub(crate) struct Part {
    /// The session.
    pub(crate) session: SessionKey,
    /// Its ACP id, which is part of the identity of hunks.
    pub(crate) session_id: Arc<str>,
    /// Name of its agent.
    pub(crate) agent: Option<Arc<str>>,
    /// Its title, for people.
    pub(crate) title: Option<Arc<str>>,
    /// The path as the session names it, beneath its root.
    pub(crate) relative_path: Arc<str>,
    /// One row per turn, in order, with the turn's number from 1.
    pub(crate) rows: Vec<(u32, FileSummary)>,
}

/// Where a fragment comes from.
#[derive(Debug, Clone)]
pub(crate) struct Owner {
    /// Index in [`Sources::parts`].
    pub(crate) part: usize,
    /// The activity.
    pub(crate) activity: Arc<Activity>,
    /// Index of the fragment in the activity.
    pub(crate) fragment: usize,
    /// The turn's number from 1.
    pub(crate) turn_number: u32,
    /// How many fragments of the same call and path with the same texts come before it.
    occurrence: u64,
}

impl Sources {
    /// The fragments of the file as placing wants them.
    pub(crate) fn inputs(&self) -> Vec<PlaceInput<'_>> {
        PlaceInput::of_activities(self.activities.iter().map(|(_, activity)| &**activity))
    }

    /// The owner of each fragment, by the index that placing gives it.
    pub(crate) fn owners(&self) -> Vec<Owner> {
        let mut seen: HashMap<(usize, &str, &str, &str), u64> = HashMap::new();
        let numbers: Vec<HashMap<&str, u32>> = self.parts.iter().map(Part::turn_numbers).collect();
        let mut owners = Vec::new();
        for (part, activity) in &self.activities {
            let turn_number = numbers[*part].get(&*activity.turn_id);
            for (index, fragment) in activity.fragments.iter().enumerate() {
                let texts = (
                    *part,
                    &*activity.tool_call_id,
                    &*fragment.old_text,
                    &*fragment.new_text,
                );
                let count = seen.entry(texts).or_default();
                owners.push(Owner {
                    part: *part,
                    activity: Arc::clone(activity),
                    fragment: index,
                    turn_number: turn_number.copied().unwrap_or(0),
                    occurrence: *count,
                });
                *count += 1;
            }
        }
        owners
    }

    /// The id of a hunk: the same after every replay of its session.
    pub(crate) fn hunk_id(&self, owner: &Owner, hunk: &Hunk) -> Arc<str> {
        let fragment = &owner.activity.fragments[owner.fragment];
        hunk_id(&HunkKey {
            session_id: &self.parts[owner.part].session_id,
            tool_call_id: &owner.activity.tool_call_id,
            relative_path: &owner.activity.relative_path,
            old_text: &fragment.old_text,
            new_text: &fragment.new_text,
            // A fragment can be several hunks, and several fragments can be equal.
            occurrence: (owner.occurrence << 32) | u64::from(hunk.occurrence),
        })
        .into()
    }

    /// How often the file was edited, in how many turns, and what that adds up to.
    pub(crate) fn totals(&self) -> Totals {
        let mut totals = Totals {
            edits: self.activities.len(),
            ..Totals::default()
        };
        let mut counts = Some(LineCounts::default());
        for (_, row) in self.parts.iter().flat_map(|part| &part.rows) {
            totals.turns += 1;
            counts = sum(counts, row.counts);
        }
        totals.counts = counts.filter(|_| totals.turns > 0);
        let actions = self.activities.iter().map(|(_, activity)| activity.action);
        totals.action = actions.reduce(Action::then);
        totals
    }
}

impl Part {
    fn turn_numbers(&self) -> HashMap<&str, u32> {
        self.rows
            .iter()
            .map(|(number, row)| (&*row.turn_id, *number))
            .collect()
    }
}

/// The sums over a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Number of activities.
    pub(crate) edits: usize,
    /// Number of turns that touched it, of all sessions.
    pub(crate) turns: usize,
    /// Lines added and removed; `None` when that is not known of one of the turns.
    pub(crate) counts: Option<LineCounts>,
    /// What happened to it, all taken together.
    pub(crate) action: Option<Action>,
}

/// Adds counts; unknown when one of them is.
pub(crate) fn sum(left: Option<LineCounts>, right: Option<LineCounts>) -> Option<LineCounts> {
    Some(left? + right?)
}

/// The rows of a session by turn and path, read from it turn by turn as they are asked for.
pub(crate) struct Rows<'a> {
    session: &'a Session,
    numbers: HashMap<Arc<str>, u32>,
    turns: HashMap<Arc<str>, HashMap<Arc<str>, FileSummary>>,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(session: &'a Session) -> Self {
        let numbers = (1..)
            .zip(session.turns())
            .map(|(number, turn)| (turn.id, number))
            .collect();
        Self {
            session,
            numbers,
            turns: HashMap::new(),
        }
    }

    /// The turn's number from 1; 0 for a turn that the session does not have.
    pub(crate) fn number(&self, turn_id: &str) -> u32 {
        self.numbers.get(turn_id).copied().unwrap_or(0)
    }

    /// The rows of one path, in the order of the turns given.
    pub(crate) fn of_path(
        &mut self,
        path: &str,
        turns: impl IntoIterator<Item = Arc<str>>,
    ) -> Vec<(u32, FileSummary)> {
        let session = self.session;
        let mut rows = Vec::new();
        for turn in turns {
            let number = self.number(&turn);
            let of_turn = self.turns.entry(turn).or_insert_with_key(|turn| {
                session
                    .turn_summaries(turn)
                    .into_iter()
                    .map(|row| (Arc::clone(&row.relative_path), row))
                    .collect()
            });
            rows.extend(of_turn.get(path).map(|row| (number, row.clone())));
        }
        rows
    }
}
