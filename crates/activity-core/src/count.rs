//! How many lines a change adds and removes: exact, as a longest common subsequence gives them.
//!
//! A line is a token with its terminator, so a missing final newline makes another line. CRLF
//! counts as LF; a lone CR is an ordinary character.

use foldhash::HashMap;
use foldhash::fast::RandomState;

use crate::model::LineCounts;

/// Steps that are always allowed, whatever the size; they take milliseconds.
const FREE_WORK: usize = 1 << 24;
/// Steps that each line adds to what is allowed, so that the whole stays linear in the input.
const WORK_PER_LINE: usize = 512;

/// The lines that `new` has and `old` has not, and the other way round.
///
/// `None` only for two texts of tens of thousands of lines each that have next to nothing in
/// common in order; the exact answer would take more than linear work.
pub fn line_counts(old: &str, new: &str) -> Option<LineCounts> {
    if old.is_empty() || new.is_empty() {
        return Some(LineCounts {
            added: size(lines(new).count()),
            removed: size(lines(old).count()),
        });
    }
    let (old, new) = cut_common(old, new);
    let (old, new) = trim_common(lines(old).collect(), lines(new).collect());
    let (old_ids, new_ids) = shared_lines(&old, &new);
    let budget = FREE_WORK.max(WORK_PER_LINE.saturating_mul(old.len() + new.len()));
    let common = common_by_edits(&old_ids, &new_ids, budget)
        .or_else(|| common_by_bits(&old_ids, &new_ids, budget))?;
    Some(LineCounts {
        added: size(new.len() - common),
        removed: size(old.len() - common),
    })
}

/// Both texts without the lines at their ends that are the same byte for byte. Most changes of a
/// large file leave little more than the lines that changed.
fn cut_common<'a>(old: &'a str, new: &'a str) -> (&'a str, &'a str) {
    let head = common_prefix(old.as_bytes(), new.as_bytes());
    let head = old.as_bytes()[..head]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let (old, new) = (&old[head..], &new[head..]);
    let tail = common_suffix(old.as_bytes(), new.as_bytes());
    // What comes before the first line break of the tail belongs to lines that may differ.
    let tail =
        memchr::memchr(b'\n', &old.as_bytes()[old.len() - tail..]).map_or(0, |at| tail - at - 1);
    (&old[..old.len() - tail], &new[..new.len() - tail])
}

/// So many bytes are compared at once.
const CHUNK: usize = 64;

fn common_prefix(left: &[u8], right: &[u8]) -> usize {
    let chunks = left.chunks_exact(CHUNK).zip(right.chunks_exact(CHUNK));
    let equal = CHUNK * chunks.take_while(|(left, right)| left == right).count();
    let rest = left[equal..].iter().zip(&right[equal..]);
    equal + rest.take_while(|(left, right)| left == right).count()
}

fn common_suffix(left: &[u8], right: &[u8]) -> usize {
    let chunks = left.rchunks_exact(CHUNK).zip(right.rchunks_exact(CHUNK));
    let equal = CHUNK * chunks.take_while(|(left, right)| left == right).count();
    let left = left[..left.len() - equal].iter().rev();
    let right = right[..right.len() - equal].iter().rev();
    equal
        + left
            .zip(right)
            .take_while(|(left, right)| left == right)
            .count()
}

/// A line without its terminator, and whether it had one.
type Line<'a> = (&'a str, bool);

fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.split_inclusive('\n')
        .map(|line| match line.strip_suffix('\n') {
            Some(line) => (line.strip_suffix('\r').unwrap_or(line), true),
            None => (line, false),
        })
}

fn trim_common<'a>(
    mut old: Vec<Line<'a>>,
    mut new: Vec<Line<'a>>,
) -> (Vec<Line<'a>>, Vec<Line<'a>>) {
    while old.last().is_some() && old.last() == new.last() {
        old.pop();
        new.pop();
    }
    let head = old
        .iter()
        .zip(&new)
        .take_while(|(old, new)| old == new)
        .count();
    old.drain(..head);
    new.drain(..head);
    (old, new)
}

/// Both sides as numbers, without the lines that stand on one side only: those are added or
/// removed in any case.
fn shared_lines(old: &[Line<'_>], new: &[Line<'_>]) -> (Vec<u32>, Vec<u32>) {
    let mut ids: HashMap<Line<'_>, (u32, bool)> =
        HashMap::with_capacity_and_hasher(old.len(), RandomState::default());
    for line in old {
        let next = u32::try_from(ids.len()).unwrap_or(u32::MAX);
        ids.entry(*line).or_insert((next, false));
    }
    let new = new
        .iter()
        .filter_map(|line| {
            let (id, in_new) = ids.get_mut(line)?;
            *in_new = true;
            Some(*id)
        })
        .collect();
    let old = old.iter().filter_map(|line| {
        ids.get(line)
            .filter(|(_, in_new)| *in_new)
            .map(|(id, _)| *id)
    });
    (old.collect(), new)
}

/// Length of the longest common subsequence, by the greedy search for the shortest edit script.
/// Quick when the sides differ little; `None` when it takes more steps than `budget`.
fn common_by_edits(old: &[u32], new: &[u32], budget: usize) -> Option<usize> {
    let total = old.len() + new.len();
    // `reach[k]` is how far into `old` a script can come on the diagonal `new - old = k - total`.
    let offset = total + 1;
    let mut reach = vec![0_usize; 2 * total + 3];
    let mut work = 0_usize;
    for edits in 0..=total {
        let mut diagonal = offset - edits;
        while diagonal <= offset + edits {
            let down = diagonal == offset - edits
                || diagonal != offset + edits && reach[diagonal - 1] < reach[diagonal + 1];
            let mut in_old = if down {
                reach[diagonal + 1]
            } else {
                reach[diagonal - 1] + 1
            };
            // Diagonals run from `offset - new.len()` to `offset + old.len()`; outside them there
            // is nothing to follow.
            let mut in_new = (in_old + offset).saturating_sub(diagonal);
            while in_old < old.len() && in_new < new.len() && old[in_old] == new[in_new] {
                in_old += 1;
                in_new += 1;
                work += 1;
            }
            reach[diagonal] = in_old;
            if in_old >= old.len() && in_new >= new.len() {
                return Some((total - edits) / 2);
            }
            diagonal += 2;
        }
        work += edits + 1;
        if work > budget {
            return None;
        }
    }
    None
}

/// Length of the longest common subsequence, 64 cells of the table at a time. `None` when the
/// table has more than `64 * budget` cells.
fn common_by_bits(old: &[u32], new: &[u32], budget: usize) -> Option<usize> {
    let words = old.len().div_ceil(64);
    if words.saturating_mul(new.len()) > budget {
        return None;
    }
    let mut places: HashMap<u32, Vec<usize>> = HashMap::default();
    for (place, id) in old.iter().enumerate() {
        places.entry(*id).or_default().push(place);
    }
    // A cleared bit says that the subsequence grows at this line of `old`.
    let mut row = vec![u64::MAX; words];
    let mut matches = vec![0_u64; words];
    for id in new {
        let places = places.get(id).map_or(&[][..], Vec::as_slice);
        for place in places {
            matches[place / 64] |= 1 << (place % 64);
        }
        let mut carry = false;
        for (cells, matches) in row.iter_mut().zip(&matches) {
            let both = *cells & matches;
            let (sum, first) = cells.overflowing_add(both);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            carry = first || second;
            *cells = sum | (*cells & !matches);
        }
        for place in places {
            matches[place / 64] = 0;
        }
    }
    let cleared = |(word, cells): (usize, &u64)| {
        let used = (old.len() - word * 64).min(64);
        let mask = if used == 64 {
            u64::MAX
        } else {
            (1 << used) - 1
        };
        (!cells & mask).count_ones() as usize
    };
    Some(row.iter().enumerate().map(cleared).sum())
}

fn size(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(old: &str, new: &str, added: u64, removed: u64) {
        assert_eq!(
            line_counts(old, new),
            Some(LineCounts { added, removed }),
            "{old:?} {new:?}"
        );
    }

    #[test]
    fn lines_carry_their_terminator() {
        check("", "", 0, 0);
        check("", "a", 1, 0);
        check("", "a\n", 1, 0);
        check("a", "a\n", 1, 1);
        check("a\nb", "b\na", 2, 2);
        check("a\nb\n", "b\na\n", 1, 1);
        check("a\nb\nc", "a\nX\nc", 1, 1);
    }

    #[test]
    fn crlf_is_lf_and_a_lone_cr_is_a_character() {
        check("a\r\nb", "a\nb", 0, 0);
        check("a\rb", "a\nb", 2, 1);
        check("a\r\r\n", "a\r\n", 1, 1);
        check("a\r", "a", 1, 1);
    }

    /// The table that the definition of a longest common subsequence asks for.
    fn by_definition(old: &[u32], new: &[u32]) -> usize {
        let mut row = vec![0; new.len() + 1];
        for old_id in old {
            let mut diagonal = 0;
            for (index, new_id) in new.iter().enumerate() {
                let above = row[index + 1];
                row[index + 1] = if old_id == new_id {
                    diagonal + 1
                } else {
                    above.max(row[index])
                };
                diagonal = above;
            }
        }
        row[new.len()]
    }

    fn text(ids: &[u32]) -> String {
        let lines: Vec<String> = ids.iter().map(|id| format!("line {id}\n")).collect();
        lines.concat()
    }

    proptest! {
        #[test]
        fn counts_are_those_of_a_longest_common_subsequence(
            old in prop::collection::vec(0_u32..12, 0..150),
            new in prop::collection::vec(0_u32..12, 0..150),
        ) {
            let common = by_definition(&old, &new);
            prop_assert_eq!(common_by_edits(&old, &new, usize::MAX), Some(common));
            prop_assert_eq!(common_by_bits(&old, &new, usize::MAX), Some(common));
            let expect = LineCounts { added: size(new.len() - common), removed: size(old.len() - common) };
            prop_assert_eq!(line_counts(&text(&old), &text(&new)), Some(expect));
        }
    }

    proptest! {
        #[test]
        fn common_ends_are_cut_at_whole_lines(
            head in "[ab\\n]{0,150}",
            old in "[ab\r\\n]{0,6}",
            new in "[ab\r\\n]{0,6}",
            tail in "[ab\\n]{0,150}",
        ) {
            let (old, new) = (format!("{head}{old}{tail}"), format!("{head}{new}{tail}"));
            let (old_part, new_part) = cut_common(&old, &new);
            prop_assert_eq!(old.len() - old_part.len(), new.len() - new_part.len());
            let ids = |text| lines(text).map(|line| {
                let shift = |id: u32, char| (id * 7 + u32::from(char)) % 1_000_003;
                line.0.chars().fold(u32::from(line.1), shift)
            }).collect::<Vec<u32>>();
            let (old_ids, new_ids) = (ids(&old), ids(&new));
            let common = by_definition(&old_ids, &new_ids);
            let expect = LineCounts {
                added: size(new_ids.len() - common),
                removed: size(old_ids.len() - common),
            };
            prop_assert_eq!(line_counts(&old, &new), Some(expect));
        }
    }

    #[test]
    fn a_large_rewrite_is_counted_and_a_hopeless_one_is_not() {
        let count = 20_000;
        let forward: Vec<u32> = (0..count).collect();
        let backward: Vec<u32> = (0..count).rev().collect();
        check(
            &text(&forward),
            &text(&backward),
            u64::from(count) - 1,
            u64::from(count) - 1,
        );
        assert_eq!(common_by_edits(&forward, &backward, 1000), None);
        assert_eq!(common_by_bits(&forward, &backward, 1000), None);
    }
}
