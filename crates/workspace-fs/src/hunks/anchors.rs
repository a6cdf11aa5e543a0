//! The line difference of texts that differ in too many lines for a search of the shortest edit.
//!
//! Lines that occur once on each side hold the texts together, as far as they stand in the same order.
//! What lies between two of them is compared on its own: by the search if that is cheap, line by line
//! if both sides have equally many lines, and else as replaced. The work grows with the number of
//! lines, not with its square.

use std::collections::HashMap;
use std::ops::Range;

use super::myers::{Op, Runs, Search};

/// More edits than this are not searched for between two anchors.
const MAX_EDITS: usize = 256;

/// The runs that turn `old` into `new`; lines are numbers.
pub(super) fn diff(old: &[usize], new: &[usize]) -> Vec<Op> {
    let mut runs = Runs::default();
    for (old_line, new_line) in anchors(old, new) {
        fill(old, new, old_line, new_line, &mut runs);
        runs.equal_up_to(old_line + 1);
    }
    fill(old, new, old.len(), new.len(), &mut runs);
    runs.into_ops()
}

/// Compares what lies between the end of the runs and the next anchor.
fn fill(old: &[usize], new: &[usize], old_end: usize, new_end: usize, runs: &mut Runs) {
    let (old_start, new_start) = runs.ends();
    let old_gap = old.get(old_start..old_end).unwrap_or_default();
    let new_gap = new.get(new_start..new_end).unwrap_or_default();
    let head = common(old_gap.iter(), new_gap.iter());
    let (old_rest, new_rest) = (&old_gap[head..], &new_gap[head..]);
    let tail = common(old_rest.iter().rev(), new_rest.iter().rev());
    let old_rest = &old_rest[..old_rest.len() - tail];
    let new_rest = &new_rest[..new_rest.len() - tail];
    runs.equal_up_to(old_start + head);
    let search = Search {
        old: old_rest,
        new: new_rest,
    };
    if let Some(edits) = search.run(MAX_EDITS) {
        runs.append(&search.ops(&edits));
    } else if old_rest.len() == new_rest.len() {
        for range in unequal_ranges(old_rest, new_rest) {
            runs.equal_up_to(old_start + head + range.start);
            runs.delete(range.len());
            runs.insert(range.len());
        }
    } else {
        runs.delete(old_rest.len());
        runs.insert(new_rest.len());
    }
    runs.equal_up_to(old_end);
}

fn common<'l>(old: impl Iterator<Item = &'l usize>, new: impl Iterator<Item = &'l usize>) -> usize {
    old.zip(new).take_while(|(old, new)| old == new).count()
}

/// The runs of positions at which two sides of equal length differ.
fn unequal_ranges(old: &[usize], new: &[usize]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (index, _) in old
        .iter()
        .zip(new)
        .enumerate()
        .filter(|(_, (old, new))| old != new)
    {
        match ranges.last_mut() {
            Some(range) if range.end == index => range.end += 1,
            _ => ranges.push(index..index + 1),
        }
    }
    ranges
}

/// Lines that occur once on each side, as positions on both, in the longest order they share.
fn anchors(old: &[usize], new: &[usize]) -> Vec<(usize, usize)> {
    let new_places = unique_places(new);
    let old_places = unique_places(old);
    let pairs = old.iter().enumerate().filter_map(|(old_line, line)| {
        let is_unique = old_places.get(line)?.is_some();
        is_unique.then_some((old_line, (*new_places.get(line)?)?))
    });
    longest_increasing(&pairs.collect::<Vec<_>>())
}

/// The position of each line, `None` for one that occurs again.
fn unique_places(lines: &[usize]) -> HashMap<usize, Option<usize>> {
    let mut places = HashMap::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        places
            .entry(*line)
            .and_modify(|place| *place = None)
            .or_insert(Some(index));
    }
    places
}

/// The longest part of the pairs in which the second members increase as the first do.
fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length, the pair with the least second member that ends such a part.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    let second = |index: &usize| pairs.get(*index).map_or(0, |(_, new)| *new);
    for (index, (_, new)) in pairs.iter().enumerate() {
        let len = ends.partition_point(|end| second(end) < *new);
        before.push(len.checked_sub(1).and_then(|len| ends.get(len).copied()));
        match ends.get_mut(len) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut longest = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(index) = next {
        longest.extend(pairs.get(index));
        next = before.get(index).copied().flatten();
    }
    longest.reverse();
    longest
}
