//! Chooses among the places where a text stands, or says that nothing decides.

use super::chain::{Chain, Node};
use super::find::{Budget, Pattern, Place, Places, stands_at};
use super::side::LineId;

/// What is known of where a text should stand.
#[derive(Debug, Clone, Default)]
pub(super) struct Expectation {
    /// The line number of its first line, in the text as it is in the chain.
    pub(super) line: Option<usize>,
    /// A line that stands above it.
    pub(super) head: Option<LineId>,
    /// It ends where the text ends.
    pub(super) at_end: bool,
    /// It ends above this line.
    pub(super) above: Option<usize>,
    /// As many equal fragments of the same call are still to be placed, this one included.
    pub(super) equals: usize,
}

/// How far from the expected line a text is searched that stands in too many places to list.
const NEAR: usize = 64;

/// How many places of the head line are looked at.
const MAX_HEADS: usize = 64;

/// The place that something decides for: that it is the only one, that its surroundings agree
/// best (the numbers beside the places), that it alone fits what is expected. `lines` is the
/// number of lines of the text.
pub(super) fn decide(
    chain: &Chain<'_>,
    places: &Places,
    agreement: impl Fn(&Chain<'_>, &Place) -> usize,
    lines: usize,
    expectation: &Expectation,
) -> Option<Place> {
    if let ([place], false) = (places.list.as_slice(), places.more) {
        return Some(*place);
    }
    let scored: Vec<(usize, Place)> = places
        .list
        .iter()
        .map(|place| (agreement(chain, place), *place))
        .collect();
    let best = scored.iter().map(|(score, _)| *score).max()?;
    let mut left: Vec<(usize, Place)> = scored
        .into_iter()
        .filter(|(score, _)| *score == best)
        .map(|(_, place)| (chain.line_number(place.first), place))
        .collect();
    if places.more {
        // Only the very line that was named can be trusted when not all places are known.
        left.retain(|(line, _)| expectation.line == Some(*line));
        return only(&left);
    }
    if left.len() > 1 && expectation.at_end {
        let end = chain.len();
        keep_if_any(&mut left, |(line, _)| line + lines >= end);
    }
    if left.len() > 1
        && let Some(limit) = expectation.above
    {
        keep_if_any(&mut left, |(line, _)| line + lines <= limit);
    }
    if left.len() > 1
        && let Some(head) = expectation.head
    {
        let firsts = first_after_heads(chain, head, &left);
        keep_if_any(&mut left, |(line, _)| firsts.contains(line));
    }
    if left.len() > 1
        && let Some(expected) = expectation.line
        && let Some(nearest) = left.iter().map(|(line, _)| line.abs_diff(expected)).min()
    {
        left.retain(|(line, _)| line.abs_diff(expected) == nearest);
    }
    if left.len() > 1 && left.len() == expectation.equals {
        return left
            .into_iter()
            .max_by_key(|(line, _)| *line)
            .map(|(_, place)| place);
    }
    only(&left)
}

/// For a text that stands in too many places to list: the place at the expected line or the
/// nearest one, if there is one nearest.
pub(super) fn nearest(
    chain: &Chain<'_>,
    pattern: &Pattern<'_, '_>,
    expected: usize,
    budget: &mut Budget,
) -> Option<Place> {
    let mut up = chain.node_at(expected);
    let mut down = up;
    for distance in 0..NEAR {
        let mut stands =
            |node: Node| !chain.is_edge(node) && stands_at(chain, pattern, node, budget);
        let (is_up, is_down) = (stands(up), stands(down));
        let place = |first: Node| {
            Some(Place {
                first,
                before: 0,
                after: 0,
            })
        };
        match (is_up, is_down) {
            (true, true) if distance > 0 => return None,
            (true, _) => return place(up),
            (_, true) => return place(down),
            (false, false) => {}
        }
        if up != chain.head() {
            up = chain.prev(up);
        }
        if down != chain.tail() {
            down = chain.next(down);
        }
    }
    None
}

fn only(left: &[(usize, Place)]) -> Option<Place> {
    match left {
        [(_, place)] => Some(*place),
        _ => None,
    }
}

fn keep_if_any<T>(list: &mut Vec<T>, keep: impl Fn(&T) -> bool) {
    if list.iter().any(&keep) {
        list.retain(keep);
    }
}

/// For each line like the head: the number of the first line among the places that is below it.
fn first_after_heads(chain: &Chain<'_>, head: LineId, places: &[(usize, Place)]) -> Vec<usize> {
    let heads = chain
        .postings(head)
        .iter()
        .filter(|&&node| chain.is_present(node))
        .take(MAX_HEADS);
    heads
        .filter_map(|&node| {
            let head = chain.line_number(node);
            places
                .iter()
                .map(|(line, _)| *line)
                .filter(|&line| line > head)
                .min()
        })
        .collect()
}
