//! The activities of all calls, found by call, by file, and by their place in the session.
//!
//! A call that changes late changes its own entries only. The sequences of what follows are never
//! stored: they are counted from sums over the calls before, which one change updates in
//! logarithmic time.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use foldhash::HashMap;

use crate::count::line_counts;
use crate::model::{Activity, Fragment, LineCounts, PathStanding, TextPair};
use crate::profile::ActivityDraft;

/// An activity as the ledger keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    /// Its whole texts are kept at the ends of a turn only; see [`Ledger::link`].
    pub(super) draft: ActivityDraft,
    pub(super) counts: Counts,
    /// The file before it is surely the file after the activity before it.
    pub(super) follows: bool,
    /// How many fragments the activities before it in its call have.
    fragments_before: u64,
}

/// The lines that the fragments of an activity add and remove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counts {
    /// There is no fragment.
    Nothing,
    /// The sums over the fragments.
    Exact(LineCounts),
    /// A fragment is too large to be counted exactly.
    TooLarge,
}

impl Listed {
    pub(super) fn new(draft: ActivityDraft) -> Self {
        let counts = draft
            .fragments
            .iter()
            .fold(Counts::Nothing, |counts, fragment| {
                let fragment = line_counts(&fragment.old_text, &fragment.new_text);
                counts.plus(fragment.map_or(Counts::TooLarge, Counts::Exact))
            });
        Self {
            draft,
            counts,
            follows: false,
            fragments_before: 0,
        }
    }
}

impl Listed {
    /// Equal but for what the ledger itself makes of the whole texts.
    fn says_the_same(&self, other: &Self) -> bool {
        self.draft.action == other.draft.action
            && self.draft.tool_name == other.draft.tool_name
            && self.draft.relative_path == other.draft.relative_path
            && self.draft.from_path == other.draft.from_path
            && self.draft.standing == other.draft.standing
            && self.draft.fragments == other.draft.fragments
    }
}

impl Counts {
    pub(super) fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::TooLarge, _) | (_, Self::TooLarge) => Self::TooLarge,
            (Self::Nothing, counts) | (counts, Self::Nothing) => counts,
            (Self::Exact(left), Self::Exact(right)) => Self::Exact(left + right),
        }
    }

    pub(super) fn exact(self) -> Option<LineCounts> {
        match self {
            Self::Exact(counts) => Some(counts),
            Self::Nothing | Self::TooLarge => None,
        }
    }
}

/// Where an activity is: its call, and its place among the activities of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub(super) call: usize,
    pub(super) index: usize,
}

/// All activities of a session.
#[derive(Debug, Clone, Default)]
pub(super) struct Ledger {
    calls: Vec<Box<[Listed]>>,
    turns: Vec<usize>,
    before: Sums,
    files: Vec<File>,
    by_path: HashMap<Arc<str>, usize>,
}

#[derive(Debug, Clone)]
struct File {
    path: Arc<str>,
    /// In order.
    entries: Vec<Entry>,
}

impl File {
    /// Replaces the entries of a call.
    fn replace_call(&mut self, call: usize, entries: Vec<Entry>) {
        let start = self.entries.partition_point(|entry| entry.call < call);
        let end = self.entries.partition_point(|entry| entry.call <= call);
        self.entries.splice(start..end, entries);
    }
}

impl Ledger {
    /// The next call, without activities.
    pub(super) fn add_call(&mut self, turn: usize) {
        self.calls.push(Box::default());
        self.turns.push(turn);
        self.before.push();
    }

    /// The activities of a call.
    pub(super) fn of_call(&self, call: usize) -> &[Listed] {
        self.calls.get(call).map(AsRef::as_ref).unwrap_or_default()
    }

    /// Replaces the activities of a call. Returns the files that this concerns; none when the
    /// activities are what they were.
    pub(super) fn replace(&mut self, call: usize, mut listed: Vec<Listed>) -> Vec<usize> {
        let Some(slot) = self.calls.get_mut(call) else {
            return Vec::new();
        };
        if slot.len() == listed.len()
            && slot
                .iter()
                .zip(&listed)
                .all(|(old, new)| old.says_the_same(new))
        {
            return Vec::new();
        }
        let old = std::mem::take(slot);
        let mut entries: BTreeMap<usize, Vec<Entry>> = BTreeMap::new();
        for activity in &old {
            if let Some(&file) = self.by_path.get(&activity.draft.relative_path) {
                entries.entry(file).or_default();
            }
        }
        let mut sum = Sum::default();
        for (index, activity) in listed.iter_mut().enumerate() {
            activity.fragments_before = sum.fragments;
            sum = sum.plus(Sum::of(activity));
            let file = self.file_index(&activity.draft.relative_path);
            activity.draft.relative_path = Arc::clone(&self.files[file].path);
            let of_file = entries.entry(file).or_default();
            of_file.push(Entry { call, index });
        }
        let touched: Vec<usize> = entries.keys().copied().collect();
        for (file, entries) in entries {
            self.files[file].replace_call(call, entries);
        }
        self.before.change(call, Sum::of_all(&old), sum);
        self.calls[call] = listed.into();
        for index in 0..self.calls[call].len() {
            self.link(Entry { call, index });
        }
        for &file in &touched {
            let entries = &self.files[file].entries;
            let next = entries.partition_point(|entry| entry.call <= call);
            if let Some(&next) = entries.get(next) {
                self.link(next);
            }
        }
        touched
    }

    /// Sees whether an activity follows the one before it in its file. Within a turn, the texts
    /// between the two are dropped then: what a turn left of a file needs the ends alone, and an
    /// agent that sends the whole file with every edit would fill the memory.
    fn link(&mut self, entry: Entry) {
        let Some(file) = self
            .listed(entry)
            .and_then(|listed| self.file_of(&listed.draft.relative_path))
        else {
            return;
        };
        let entries = &self.files[file].entries;
        let place = entries.partition_point(|other| *other < entry);
        let Some(&before) = place.checked_sub(1).and_then(|place| entries.get(place)) else {
            return;
        };
        let whole_before = self
            .listed(before)
            .and_then(|listed| listed.draft.whole.new.clone());
        let same_turn = self.turns.get(before.call) == self.turns.get(entry.call);
        let Some(listed) = self.listed_mut(entry) else {
            return;
        };
        listed.follows = whole_before.is_some() && whole_before == listed.draft.whole.old;
        if same_turn {
            listed.draft.whole.old = None;
            if let Some(listed) = self.listed_mut(before) {
                listed.draft.whole.new = None;
            }
        }
    }

    /// The whole text of a file before and after some of its activities, where each follows the
    /// one before.
    pub(super) fn whole_net(&self, entries: &[Entry]) -> Option<TextPair> {
        let mut later = entries.iter().skip(1).map(|entry| self.listed(*entry));
        let follows = later.all(|listed| listed.is_some_and(|listed| listed.follows));
        let first = self.listed(*entries.first()?)?;
        let last = self.listed(*entries.last()?)?;
        let texts = TextPair {
            old_text: first.draft.whole.old.clone()?,
            new_text: last.draft.whole.new.clone()?,
        };
        follows.then_some(texts)
    }

    fn listed_mut(&mut self, entry: Entry) -> Option<&mut Listed> {
        self.calls.get_mut(entry.call)?.get_mut(entry.index)
    }

    /// The index of a path, if anything was ever done to it.
    pub(super) fn file_of(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// The path of a file.
    pub(super) fn path_of(&self, file: usize) -> Option<&Arc<str>> {
        self.files.get(file).map(|file| &file.path)
    }

    /// The activities of a file, in order.
    pub(super) fn entries_of(&self, file: usize) -> &[Entry] {
        self.files
            .get(file)
            .map(|file| file.entries.as_slice())
            .unwrap_or_default()
    }

    /// The files that have activities, in order of the first.
    pub(super) fn files_in_order(&self) -> Vec<usize> {
        let mut firsts: Vec<(Entry, usize)> = self
            .files
            .iter()
            .enumerate()
            .filter_map(|(index, file)| Some((*file.entries.first()?, index)))
            .collect();
        firsts.sort_unstable();
        firsts.into_iter().map(|(_, index)| index).collect()
    }

    /// The entries of some calls, in order.
    pub(super) fn entries_in(&self, calls: Range<usize>) -> impl Iterator<Item = Entry> {
        calls.flat_map(|call| (0..self.of_call(call).len()).map(move |index| Entry { call, index }))
    }

    /// The activity of an entry.
    pub(super) fn listed(&self, entry: Entry) -> Option<&Listed> {
        self.of_call(entry.call).get(entry.index)
    }

    /// The activity of an entry, with its place in the session.
    pub(super) fn activity(
        &self,
        entry: Entry,
        turn_id: &Arc<str>,
        tool_call_id: &Arc<str>,
        standing: PathStanding,
    ) -> Option<Activity> {
        let Listed {
            draft,
            fragments_before,
            ..
        } = self.listed(entry)?;
        let before = self.before.before(entry.call).plus(Sum {
            activities: size(entry.index),
            fragments: *fragments_before,
        });
        let fragments =
            draft
                .fragments
                .iter()
                .zip(before.fragments..)
                .map(|(fragment, sequence)| Fragment {
                    old_text: Arc::clone(&fragment.old_text),
                    new_text: Arc::clone(&fragment.new_text),
                    sequence,
                    evidence: fragment.evidence,
                    hint: fragment.hint.clone(),
                });
        Some(Activity {
            turn_id: Arc::clone(turn_id),
            tool_call_id: Arc::clone(tool_call_id),
            tool_name: Arc::clone(&draft.tool_name),
            relative_path: Arc::clone(&draft.relative_path),
            from_path: draft.from_path.clone(),
            action: draft.action,
            fragments: fragments.collect(),
            sequence: before.activities,
            standing,
        })
    }

    /// Gives back the room to grow.
    pub(super) fn shrink(&mut self) {
        self.calls.shrink_to_fit();
        self.turns.shrink_to_fit();
        self.before.tree.shrink_to_fit();
        self.files.shrink_to_fit();
        for file in &mut self.files {
            file.entries.shrink_to_fit();
        }
        self.by_path.shrink_to_fit();
    }

    fn file_index(&mut self, path: &Arc<str>) -> usize {
        if let Some(&index) = self.by_path.get(path) {
            return index;
        }
        let index = self.files.len();
        self.files.push(File {
            path: Arc::clone(path),
            entries: Vec::new(),
        });
        self.by_path.insert(Arc::clone(path), index);
        index
    }
}

/// How many activities and fragments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sum {
    activities: u64,
    fragments: u64,
}

impl Sum {
    fn of(activity: &Listed) -> Self {
        Self {
            activities: 1,
            fragments: size(activity.draft.fragments.len()),
        }
    }

    fn of_all(listed: &[Listed]) -> Self {
        let sums = listed.iter().map(Self::of);
        sums.fold(Self::default(), Self::plus)
    }

    fn plus(self, other: Self) -> Self {
        Self {
            activities: self.activities.wrapping_add(other.activities),
            fragments: self.fragments.wrapping_add(other.fragments),
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            activities: self.activities.wrapping_sub(other.activities),
            fragments: self.fragments.wrapping_sub(other.fragments),
        }
    }
}

/// Sums over all calls before one, as a binary indexed tree.
#[derive(Debug, Clone, Default)]
struct Sums {
    /// Slot `n` (from 1, at index `n - 1`) holds the sum of as many calls up to `n` as the lowest
    /// bit of `n` says.
    tree: Vec<Sum>,
}

impl Sums {
    fn push(&mut self) {
        let slot = self.tree.len() + 1;
        let mut sum = Sum::default();
        let mut below = slot - 1;
        while below > slot - lowest_bit(slot) {
            sum = sum.plus(self.tree[below - 1]);
            below -= lowest_bit(below);
        }
        self.tree.push(sum);
    }

    fn change(&mut self, call: usize, from: Sum, to: Sum) {
        if from == to {
            return;
        }
        let mut slot = call + 1;
        while let Some(sum) = self.tree.get_mut(slot - 1) {
            *sum = sum.plus(to).minus(from);
            slot += lowest_bit(slot);
        }
    }

    fn before(&self, call: usize) -> Sum {
        let mut sum = Sum::default();
        let mut slot = call;
        while slot > 0 {
            sum = sum.plus(self.tree.get(slot - 1).copied().unwrap_or_default());
            slot -= lowest_bit(slot);
        }
        sum
    }
}

fn lowest_bit(number: usize) -> usize {
    number & number.wrapping_neg()
}

fn size(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sum(activities: u64) -> Sum {
        Sum {
            activities,
            fragments: 3 * activities,
        }
    }

    proptest! {
        #[test]
        fn sums_are_those_of_the_calls_before(
            changes in prop::collection::vec((0_usize..40, 0_u64..5), 0..200),
        ) {
            let mut sums = Sums::default();
            let mut plain: Vec<u64> = Vec::new();
            for (call, activities) in changes {
                if call >= plain.len() {
                    sums.push();
                    plain.push(0);
                } else {
                    sums.change(call, sum(plain[call]), sum(activities));
                    plain[call] = activities;
                }
                for call in 0..plain.len() {
                    prop_assert_eq!(sums.before(call), sum(plain[..call].iter().sum()));
                }
            }
        }
    }
}
