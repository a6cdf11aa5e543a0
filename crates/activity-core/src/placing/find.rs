//! Finds lines of a fragment in the text as it is in the chain.

use std::ops::Range;

use super::chain::{Chain, Node};
use super::line::key;
use super::needles::Needles;
use super::side::Side;

/// How much comparing one placement may do, so that repetitive texts cost no more than long ones.
#[derive(Debug)]
pub(super) struct Budget(u64);

impl Budget {
    /// In proportion to the lines of the text and of all fragments.
    pub(super) fn for_lines(lines: usize) -> Self {
        let lines = u64::try_from(lines).unwrap_or(u64::MAX);
        Self(lines.saturating_mul(64).saturating_add(200_000))
    }

    /// Takes some of it; false when there is not enough left.
    pub(super) fn take(&mut self, amount: usize) -> bool {
        let amount = u64::try_from(amount).unwrap_or(u64::MAX);
        let enough = self.0 >= amount;
        self.0 = self.0.saturating_sub(amount);
        enough
    }
}

/// A place where lines of a fragment stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// The line of the text that holds the first of them.
    pub(super) first: Node,
    /// Bytes of that line before them.
    pub(super) before: usize,
    /// Bytes of the last line after them; for a place of whole lines what is there is blank.
    pub(super) after: usize,
}

/// All the places, or so many that more would not help.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) list: Vec<Place>,
    /// There are more, or the search gave up.
    pub(super) more: bool,
}

/// The lines of one side that are searched for.
#[derive(Debug, Clone)]
pub(super) struct Pattern<'s, 'a> {
    pub(super) side: &'s Side<'a>,
    pub(super) lines: Range<usize>,
}

impl<'s, 'a> Pattern<'s, 'a> {
    pub(super) fn all(side: &'s Side<'a>) -> Self {
        Self {
            side,
            lines: 0..side.len(),
        }
    }

    /// Whether the text after the last line may go on: the fragment stops inside a line.
    fn is_open(&self) -> bool {
        self.lines.end == self.side.len() && !self.side.is_terminated()
    }
}

/// Whether the lines stand, as whole lines, from `first` on.
pub(super) fn stands_at(
    chain: &Chain<'_>,
    pattern: &Pattern<'_, '_>,
    first: Node,
    budget: &mut Budget,
) -> bool {
    let mut node = first;
    for line in pattern.lines.clone() {
        let fits = !chain.is_edge(node) && pattern.side.fits(line, chain, node);
        if !budget.take(1) || !fits {
            return false;
        }
        node = chain.next(node);
    }
    true
}

/// The places where the lines stand as whole lines, at most `limit` of them, in no order.
pub(super) fn whole_lines(
    chain: &mut Chain<'_>,
    pattern: &Pattern<'_, '_>,
    limit: usize,
    budget: &mut Budget,
) -> Places {
    let mut places = Places::default();
    let rarest = pattern
        .lines
        .clone()
        .filter(|&line| !pattern.side.is_masked(line))
        .min_by_key(|&line| chain.postings(pattern.side.id(line)).len());
    let Some(anchor) = rarest else {
        return masked_lines(chain, pattern, limit, budget);
    };
    chain.prune(pattern.side.id(anchor));
    for &node in chain.postings(pattern.side.id(anchor)) {
        if !budget.take(1) {
            places.more = true;
            break;
        }
        if !chain.is_present(node) {
            continue;
        }
        let Some(first) = go_back(chain, pattern, anchor, node, budget) else {
            continue;
        };
        if stands_at(chain, pattern, first, budget) {
            if places.list.len() == limit {
                places.more = true;
                break;
            }
            places.list.push(Place {
                first,
                before: 0,
                after: 0,
            });
        }
        if !budget.take(1) {
            places.more = true;
            break;
        }
    }
    places
}

/// The line where the first line of the pattern would be if `anchor` is at `node`; `None` when a
/// line in between does not fit.
fn go_back(
    chain: &Chain<'_>,
    pattern: &Pattern<'_, '_>,
    anchor: usize,
    node: Node,
    budget: &mut Budget,
) -> Option<Node> {
    let mut node = node;
    for line in (pattern.lines.start..anchor).rev() {
        node = chain.prev(node);
        let fits = !chain.is_edge(node) && pattern.side.fits(line, chain, node);
        if !budget.take(1) || !fits {
            return None;
        }
    }
    Some(node)
}

/// Where every line is masked there is no line to look up: goes through the text.
fn masked_lines(
    chain: &Chain<'_>,
    pattern: &Pattern<'_, '_>,
    limit: usize,
    budget: &mut Budget,
) -> Places {
    let mut places = Places::default();
    if pattern.lines.is_empty() {
        return places;
    }
    let mut node = chain.next(chain.head());
    while !chain.is_edge(node) {
        if stands_at(chain, pattern, node, budget) {
            places.list.push(Place {
                first: node,
                before: 0,
                after: 0,
            });
        }
        if places.list.len() > limit || !budget.take(1) {
            places.list.truncate(limit);
            places.more = true;
            break;
        }
        node = chain.next(node);
    }
    places
}

/// The places where the text of a whole side stands though it does not begin or end at a line: an
/// edit tool replaces text, not lines. Whole lines are among them.
pub(super) fn inside_lines(
    chain: &mut Chain<'_>,
    side: &Side<'_>,
    needles: &Needles<'_>,
    limit: usize,
    budget: &mut Budget,
) -> Places {
    let pattern = Pattern::all(side);
    let mut places = Places::default();
    let Some(last) = side.len().checked_sub(1) else {
        return places;
    };
    if (0..=last).any(|line| side.is_masked(line)) {
        return places;
    }
    let found: Vec<Node> = if last >= 2 {
        let Some(anchor) = (1..last).min_by_key(|&line| chain.postings(side.id(line)).len()) else {
            return places;
        };
        chain.prune(side.id(anchor));
        let back = |node: Node| (0..anchor).fold(node, |node, _| chain.prev(node));
        chain
            .postings(side.id(anchor))
            .iter()
            .take_while(|_| budget.take(anchor + 1))
            .filter(|&&node| chain.is_present(node))
            .map(|&node| back(node))
            .collect()
    } else {
        let line = needle_line(side);
        let Some(hits) = needles.lines_with(side.line(line)) else {
            return places;
        };
        places.more = hits.more;
        let back = |node: Node| if line == 0 { node } else { chain.prev(node) };
        hits.nodes
            .iter()
            .filter(|&&node| chain.is_present(node))
            .map(|&node| back(node))
            .collect()
    };
    for first in found {
        if let Some(place) = place_inside(chain, &pattern, first, budget) {
            if places.list.len() == limit {
                places.more = true;
                break;
            }
            places.list.push(place);
        }
    }
    places
}

/// The line of a side of one or two lines by which its places inside lines are searched.
pub(super) fn needle_line(side: &Side<'_>) -> usize {
    usize::from(side.len() == 2 && side.line(1).len() > side.line(0).len())
}

/// Checks a place whose first line may have more text before, and its last line more after.
fn place_inside(
    chain: &Chain<'_>,
    pattern: &Pattern<'_, '_>,
    first: Node,
    budget: &mut Budget,
) -> Option<Place> {
    let side = pattern.side;
    let last = side.len() - 1;
    if !budget.take(side.len()) || chain.is_edge(first) {
        return None;
    }
    let content = chain.content(first);
    if last == 0 {
        let text = side.line(0);
        let before = if pattern.is_open() {
            content.find(text)?
        } else {
            key(content).strip_suffix(key(text))?.len()
        };
        let after = content.len().saturating_sub(before + text.len());
        return Some(Place {
            first,
            before,
            after,
        });
    }
    let before = key(content).strip_suffix(key(side.line(0)))?.len();
    let mut node = first;
    for line in 1..=last {
        node = chain.next(node);
        let fits = if chain.is_edge(node) {
            false
        } else if line == last && pattern.is_open() {
            chain.content(node).starts_with(side.line(line))
        } else {
            side.id(line) == chain.id(node)
        };
        if !fits {
            return None;
        }
    }
    let after = chain
        .content(node)
        .len()
        .saturating_sub(side.line(last).len());
    Some(Place {
        first,
        before,
        after,
    })
}

/// As many lines as asked for, from one on.
pub(super) fn nodes_of(chain: &Chain<'_>, first: Node, count: usize) -> Vec<Node> {
    std::iter::successors(Some(first), |&node| Some(chain.next(node)))
        .take(count)
        .collect()
}

/// The unchanged lines of a fragment above and below those that are searched for.
#[derive(Debug, Clone)]
pub(super) struct Surroundings<'s, 'a> {
    pub(super) side: &'s Side<'a>,
    pub(super) above: Range<usize>,
    pub(super) below: Range<usize>,
}

/// How many lines on each side of a place are compared with its surroundings.
const CONTEXT: usize = 8;

impl<'s, 'a> Surroundings<'s, 'a> {
    /// All that a side has around some of its lines.
    pub(super) fn of(side: &'s Side<'a>, lines: &Range<usize>) -> Self {
        Self {
            side,
            above: 0..lines.start,
            below: lines.end..side.len(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.above.is_empty() && self.below.is_empty()
    }

    /// How well a place agrees: the lines, up to eight on each side, that are the same at the same
    /// distance. `before` and `after` are the lines next to the place.
    pub(super) fn agreement(&self, chain: &Chain<'_>, before: Node, after: Node) -> usize {
        let same = |lines: &mut dyn Iterator<Item = usize>, from: Node, step: Step| {
            let mut node = from;
            let mut same = 0;
            for line in lines.take(CONTEXT) {
                if chain.is_edge(node) {
                    break;
                }
                same += usize::from(self.side.fits(line, chain, node));
                node = match step {
                    Step::Up => chain.prev(node),
                    Step::Down => chain.next(node),
                };
            }
            same
        };
        same(&mut self.above.clone().rev(), before, Step::Up)
            + same(&mut self.below.clone(), after, Step::Down)
    }
}

#[derive(Clone, Copy)]
enum Step {
    Up,
    Down,
}
