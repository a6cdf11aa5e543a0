//! The place of a file that comes nearest to lines that are not in it.
//!
//! Each searched line votes for the starts at which it would fit; the start with the most votes
//! wins. Where no line fits anywhere, the file's line with the longest common start and end
//! decides. The number of votes is bounded, so this stays linear in the file.

use super::error::{Difference, Nearest};
use super::lines::FileLines;
use super::seek::{Index, Tier};
use crate::js;

/// The most votes that are counted; a line that occurs more often tells little.
const MAX_VOTES: usize = 100_000;

/// The candidate for `searched`, which does not stand at or behind the line `cursor`.
pub(super) fn find(
    file: &FileLines<'_>,
    index: &mut Index<'_, '_>,
    searched: &[&str],
    cursor: usize,
) -> Option<Nearest> {
    if let Some((line, _)) = index.find(searched, 0) {
        return Some(Nearest {
            line: line + 1,
            matched: searched.len(),
            of: searched.len(),
            before_earlier_chunk: true,
            differs: None,
        });
    }
    let (start, matched) = by_votes(index, searched, cursor)
        .or_else(|| by_likeness(file, searched, cursor).map(|start| (start, 0)))?;
    let differs = searched.iter().enumerate().find_map(|(offset, line)| {
        let at = start + offset;
        let there = file.get(at).map(|line| line.text);
        let equal =
            there.is_some_and(|there| Tier::Folded.normal(there) == Tier::Folded.normal(line));
        (!equal).then(|| Difference::new(at + 1, there, line))
    });
    Some(Nearest {
        line: start + 1,
        matched,
        of: searched.len(),
        before_earlier_chunk: false,
        differs,
    })
}

/// The start for which most of the lines fit, and how many do; of equals the one nearest to
/// `cursor`.
fn by_votes(index: &mut Index<'_, '_>, searched: &[&str], cursor: usize) -> Option<(usize, usize)> {
    let table = index.table(Tier::Folded);
    let mut places: Vec<(usize, &[usize])> = searched
        .iter()
        .enumerate()
        .filter(|(_, line)| !js::is_blank(line))
        .map(|(offset, line)| {
            let lines = table.occurrences(Tier::Folded, line);
            let fitting = lines.partition_point(|line| *line < offset);
            (offset, &lines[fitting..])
        })
        .collect();
    // Rare lines first: they say most, and the budget goes to them.
    places.sort_by_key(|(_, lines)| lines.len());
    let mut starts: Vec<usize> = places
        .into_iter()
        .flat_map(|(offset, lines)| {
            lines
                .iter()
                .filter_map(move |line| line.checked_sub(offset))
        })
        .take(MAX_VOTES)
        .collect();
    starts.sort_unstable();
    starts
        .chunk_by(|one, other| one == other)
        .map(|votes| (votes[0], votes.len()))
        .min_by_key(|(start, votes)| (usize::MAX - votes, start.abs_diff(cursor)))
}

/// The start at which the first line that is not blank would stand, for the line of the file that
/// shares at least half of its text.
fn by_likeness(file: &FileLines<'_>, searched: &[&str], cursor: usize) -> Option<usize> {
    let (offset, line) = searched
        .iter()
        .enumerate()
        .find(|(_, line)| !js::is_blank(line))?;
    let line = js::trim(line);
    file.iter()
        .enumerate()
        .filter_map(|(at, there)| {
            let there = js::trim(there.text);
            let common = common_ends(line.as_bytes(), there.as_bytes());
            let longer = line.len().max(there.len());
            (common * 2 >= longer && at >= offset).then(|| (at - offset, longer - common))
        })
        .min_by_key(|(start, apart)| (*apart, start.abs_diff(cursor)))
        .map(|(start, _)| start)
}

/// How many bytes two lines share at their start and their end together; two neighbours that were
/// swapped between them count as shared.
fn common_ends(one: &[u8], other: &[u8]) -> usize {
    let start = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let end = one[start..]
        .iter()
        .rev()
        .zip(other[start..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (left, right) = (
        &one[start..one.len() - end],
        &other[start..other.len() - end],
    );
    let swapped = matches!((left, right), ([a, b], [c, d]) if (a, b) == (d, c));
    start + end + usize::from(swapped)
}
