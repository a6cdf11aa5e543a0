//! The line difference: a greedy forward search for the shortest edit, with fixed ties.
//!
//! The search keeps the furthest reach on each diagonal for each number of edits, as Myers describes
//! it. Where a removal and an insertion reach equally far, the insertion is taken last, so removals
//! come first in the result, and a run of equal lines is consumed from its beginning.

use std::collections::HashMap;

use super::anchors;

/// More edits than this are not searched for. The work and the memory of the search grow with the
/// square of this number, whatever the texts are.
const MAX_EDITS: usize = 4_000;

/// A run of lines. `old` and `new` are the positions on both sides where it begins, from 0.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Op {
    /// The same lines on both sides.
    Equal { old: usize, new: usize, len: usize },
    /// Lines of the old side only.
    Delete { old: usize, new: usize, len: usize },
    /// Lines of the new side only.
    Insert { old: usize, new: usize, len: usize },
}

impl Op {
    /// The positions on both sides where the run ends.
    pub(crate) fn ends(self) -> (usize, usize) {
        match self {
            Self::Equal { old, new, len } => (old + len, new + len),
            Self::Delete { old, new, len } => (old + len, new),
            Self::Insert { old, new, len } => (old, new + len),
        }
    }
}

/// The runs that turn `old` into `new`, in order.
///
/// The result is a shortest one as long as it needs at most [`MAX_EDITS`] edits. Beyond that lines
/// that occur once on each side hold it together.
pub(crate) fn diff(old: &[&str], new: &[&str]) -> Vec<Op> {
    let (old, new) = intern(old, new);
    let search = Search {
        old: &old,
        new: &new,
    };
    match search.run(MAX_EDITS) {
        Some(edits) => search.ops(&edits),
        None => anchors::diff(&old, &new),
    }
}

/// Lines as numbers, equal for equal lines.
fn intern(old: &[&str], new: &[&str]) -> (Vec<usize>, Vec<usize>) {
    let mut numbers = HashMap::with_capacity(old.len());
    let mut number = |line| {
        let next = numbers.len();
        *numbers.entry(line).or_insert(next)
    };
    let old = old.iter().map(|line| number(*line)).collect();
    let new = new.iter().map(|line| number(*line)).collect();
    (old, new)
}

/// One line more on one side.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Edit {
    Delete,
    Insert,
}

/// How far the search got with `edits` edits: for the diagonals from `-edits` to `edits` in steps of
/// two, the number of old lines consumed, if the diagonal was reached.
type Row = Vec<Option<usize>>;

/// A search on two sides whose lines are numbers.
pub(super) struct Search<'a> {
    pub(super) old: &'a [usize],
    pub(super) new: &'a [usize],
}

impl Search<'_> {
    /// The edits in order; `None` if there are more than `max_edits`.
    pub(super) fn run(&self, max_edits: usize) -> Option<Vec<Edit>> {
        let mut row: Row = vec![Some(self.follow(0, 0))];
        // The edit that led to each place of each row: all that the way back needs.
        let mut taken: Vec<Vec<Option<Edit>>> = Vec::new();
        if row == [Some(self.old.len())] && self.old.len() == self.new.len() {
            return Some(Vec::new());
        }
        for edits in 1..=max_edits.min(self.old.len() + self.new.len()) {
            let steps = (0..=edits).map(|index| self.step(&row, edits, index));
            let steps: Vec<Option<(Edit, usize)>> = steps.collect();
            taken.push(
                steps
                    .iter()
                    .map(|step| step.map(|(edit, _)| edit))
                    .collect(),
            );
            row.clear();
            for (index, step) in steps.iter().enumerate() {
                let reached = step.map(|(_, old)| self.follow(old, new_of(edits, index, old)));
                let is_end =
                    |old| old == self.old.len() && new_of(edits, index, old) == self.new.len();
                if reached.is_some_and(is_end) {
                    return trace(&taken, index);
                }
                row.push(reached);
            }
        }
        None
    }

    /// The edit that leads furthest onto the diagonal with this index, and the old lines consumed
    /// after it.
    fn step(&self, above: &Row, edits: usize, index: usize) -> Option<(Edit, usize)> {
        // Diagonal `index` of this row lies between `index - 1` and `index` of the row above.
        let delete = index
            .checked_sub(1)
            .and_then(|index| *above.get(index)?)
            .filter(|old| *old < self.old.len());
        let insert = above
            .get(index)
            .and_then(|old| *old)
            .filter(|old| new_of(edits, index, *old) <= self.new.len());
        match (delete, insert) {
            (Some(delete), Some(insert)) if delete < insert => Some((Edit::Insert, insert)),
            (Some(delete), _) => Some((Edit::Delete, delete + 1)),
            (None, Some(insert)) => Some((Edit::Insert, insert)),
            (None, None) => None,
        }
    }

    /// Old lines consumed after all equal lines from here.
    fn follow(&self, old: usize, new: usize) -> usize {
        let old_rest = self.old.get(old..).unwrap_or_default();
        let new_rest = self.new.get(new..).unwrap_or_default();
        old + old_rest
            .iter()
            .zip(new_rest)
            .take_while(|(old, new)| old == new)
            .count()
    }

    /// Joins single edits to runs and puts the equal lines between them.
    pub(super) fn ops(&self, edits: &[Edit]) -> Vec<Op> {
        let mut runs = Runs::default();
        for edit in edits {
            runs.equal_up_to(self.follow(runs.old, runs.new));
            match edit {
                Edit::Delete => runs.delete(1),
                Edit::Insert => runs.insert(1),
            }
        }
        runs.equal_up_to(self.old.len());
        runs.ops
    }
}

/// Walks back from the place `index` of the last row.
fn trace(taken: &[Vec<Option<Edit>>], mut index: usize) -> Option<Vec<Edit>> {
    let mut edits = Vec::with_capacity(taken.len());
    for row in taken.iter().rev() {
        let edit = (*row.get(index)?)?;
        edits.push(edit);
        if edit == Edit::Delete {
            index = index.checked_sub(1)?;
        }
    }
    edits.reverse();
    Some(edits)
}

/// New lines consumed on a diagonal, from the old lines consumed: the diagonal of `index` in the row
/// of `edits` is `2 * index - edits`.
fn new_of(edits: usize, index: usize, old: usize) -> usize {
    // A diagonal that was reached has consumed at least as many old lines as it needs deletions;
    // `usize::MAX` marks one that would lie before the beginning.
    (old + edits).checked_sub(2 * index).unwrap_or(usize::MAX)
}

/// Runs that are put together from the beginning on.
#[derive(Default)]
pub(super) struct Runs {
    ops: Vec<Op>,
    old: usize,
    new: usize,
}

impl Runs {
    /// The positions on both sides where the runs end.
    pub(super) fn ends(&self) -> (usize, usize) {
        (self.old, self.new)
    }

    pub(super) fn into_ops(self) -> Vec<Op> {
        self.ops
    }

    /// Adds runs that begin where these end.
    pub(super) fn append(&mut self, ops: &[Op]) {
        for op in ops {
            match *op {
                Op::Equal { len, .. } => self.equal_up_to(self.old + len),
                Op::Delete { len, .. } => self.delete(len),
                Op::Insert { len, .. } => self.insert(len),
            }
        }
    }

    pub(super) fn equal_up_to(&mut self, old_end: usize) {
        let len = old_end - self.old;
        if len > 0 {
            self.ops.push(Op::Equal {
                old: self.old,
                new: self.new,
                len,
            });
            self.old += len;
            self.new += len;
        }
    }

    pub(super) fn delete(&mut self, lines: usize) {
        if let Some(Op::Delete { len, .. }) = self.ops.last_mut() {
            *len += lines;
        } else if lines > 0 {
            self.ops.push(Op::Delete {
                old: self.old,
                new: self.new,
                len: lines,
            });
        }
        self.old += lines;
    }

    pub(super) fn insert(&mut self, lines: usize) {
        if let Some(Op::Insert { len, .. }) = self.ops.last_mut() {
            *len += lines;
        } else if lines > 0 {
            self.ops.push(Op::Insert {
                old: self.old,
                new: self.new,
                len: lines,
            });
        }
        self.new += lines;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(text: &str) -> Vec<&str> {
        text.split_inclusive(' ').collect()
    }

    /// Runs the edit script and counts its edits.
    fn replay<'t>(ops: &[Op], old: &[&'t str], new: &[&'t str]) -> (Vec<&'t str>, usize) {
        let mut text = Vec::new();
        let mut edits = 0;
        for op in ops {
            match *op {
                Op::Equal { old: at, len, .. } => text.extend(&old[at..at + len]),
                Op::Delete { len, .. } => edits += len,
                Op::Insert { new: at, len, .. } => {
                    text.extend(&new[at..at + len]);
                    edits += len;
                }
            }
        }
        (text, edits)
    }

    /// The textbook table of longest common subsequences.
    fn longest_common(old: &[&str], new: &[&str]) -> usize {
        let mut row = vec![0; new.len() + 1];
        for a in old {
            let mut diagonal = 0;
            for (index, b) in new.iter().enumerate() {
                let above = row[index + 1];
                row[index + 1] = if a == b {
                    diagonal + 1
                } else {
                    above.max(row[index])
                };
                diagonal = above;
            }
        }
        row[new.len()]
    }

    proptest! {
        #[test]
        fn the_script_gives_the_new_text_with_the_fewest_edits(
            old in proptest::collection::vec("[a-d]", 0..24),
            new in proptest::collection::vec("[a-d]", 0..24),
        ) {
            let old: Vec<&str> = old.iter().map(String::as_str).collect();
            let new: Vec<&str> = new.iter().map(String::as_str).collect();
            let (text, edits) = replay(&diff(&old, &new), &old, &new);
            prop_assert_eq!(&text, &new);
            prop_assert_eq!(edits, old.len() + new.len() - 2 * longest_common(&old, &new));
        }
    }

    #[test]
    fn a_replaced_line_is_deleted_before_its_successor_is_inserted() {
        let (old, new) = (lines("a b c "), lines("a x c "));
        let expect = [
            Op::Equal {
                old: 0,
                new: 0,
                len: 1,
            },
            Op::Delete {
                old: 1,
                new: 1,
                len: 1,
            },
            Op::Insert {
                old: 2,
                new: 1,
                len: 1,
            },
            Op::Equal {
                old: 2,
                new: 2,
                len: 1,
            },
        ];
        assert_eq!(diff(&old, &new), expect);
    }

    /// The number of changed regions, after checking that the script gives the new text.
    fn n_changes(old: &[String], new: &[String]) -> usize {
        let old: Vec<&str> = old.iter().map(String::as_str).collect();
        let new: Vec<&str> = new.iter().map(String::as_str).collect();
        let ops = diff(&old, &new);
        assert!(
            replay(&ops, &old, &new).0 == new,
            "the script gives the new text"
        );
        let is_change = |op: &&Op| matches!(op, Op::Delete { .. });
        ops.iter().filter(is_change).count()
    }

    fn numbered(range: std::ops::Range<usize>, name: &str) -> Vec<String> {
        range.map(|n| format!("{name} {n}")).collect()
    }

    #[test]
    fn texts_with_nothing_in_common_are_replaced_as_a_whole() {
        let (old, new) = (numbered(0..3_000, "old"), numbered(0..2_000, "new"));
        assert_eq!(n_changes(&old, &new), 1);
    }

    #[test]
    fn many_changes_far_apart_stay_apart() {
        // Every tenth line of many, with lines between that occur once, or again and again.
        for between in ["line", ""] {
            let line = |n: usize, tenth: &str| match (n % 10, between) {
                (0, _) => tenth.to_owned(),
                (_, "") => "same".to_owned(),
                (_, between) => format!("{between} {n}"),
            };
            let side =
                |tenth: &str| -> Vec<String> { (0..50_000).map(|n| line(n, tenth)).collect() };
            assert_eq!(n_changes(&side("old"), &side("new")), 5_000);
        }
    }

    #[test]
    fn the_work_does_not_grow_with_the_square() {
        // Neither unique lines nor equal lengths help here.
        let old: Vec<String> = (0..200_000).map(|n| format!("{}", n % 7)).collect();
        let new: Vec<String> = (0..190_000)
            .map(|n| format!("{}", (n % 11) * (n % 5)))
            .collect();
        assert!(n_changes(&old, &new) > 0);
    }
}
