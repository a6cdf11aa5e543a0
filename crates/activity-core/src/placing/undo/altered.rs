//! Lines of a run that somebody typed into: no whole line of it stands, and yet a part does.

use std::collections::HashMap;

use super::missing::MIN_WEIGHT;
use super::{DISTINCT, MAX_PLACES, Undo};
use crate::placing::chain::{Chain, Node};
use crate::placing::pieces::Piece;
use crate::placing::plan::Plan;
use crate::placing::side::Filter;

/// Bytes at an end of a line by which a line that is like it is looked up.
const END: usize = 8;

/// Live lines by their first and last bytes, for those ends that lines of new texts have.
#[derive(Debug)]
pub(super) struct Ends<'a> {
    lines: HashMap<&'a [u8], Vec<Node>>,
}

impl<'a> Ends<'a> {
    pub(super) fn new(plans: &[Plan<'a>], chain: &Chain<'_>) -> Self {
        let mut lines: HashMap<&'a [u8], Vec<Node>> = HashMap::new();
        let mut filter = Filter::default();
        for plan in plans {
            for line in plan.pieces.iter().flat_map(|piece| piece.new.clone()) {
                for end in ends(plan.new.line(line)) {
                    filter.add(end);
                    lines.entry(end).or_default();
                }
            }
        }
        if lines.is_empty() {
            return Self { lines };
        }
        for node in 0..chain.live_lines() {
            let ends = ends(chain.content(node));
            for end in ends.filter(|end| filter.may_hold(end)) {
                if let Some(nodes) = lines.get_mut(end)
                    && nodes.len() <= MAX_PLACES
                {
                    nodes.push(node);
                }
            }
        }
        Self { lines }
    }

    /// The live lines that begin or end like a line; none when they are too many to compare.
    fn like(&self, line: &str) -> Vec<Node> {
        let mut found = Vec::new();
        for nodes in ends(line).filter_map(|end| self.lines.get(end)) {
            if nodes.len() > MAX_PLACES {
                return Vec::new();
            }
            found.extend(nodes);
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The first and the last bytes of a line without the blanks around it, if it has so many.
fn ends(line: &str) -> impl Iterator<Item = &[u8]> {
    let bytes = line.trim_ascii().as_bytes();
    let (first, last) = (bytes.first_chunk::<END>(), bytes.last_chunk::<END>());
    first.into_iter().chain(last).map(|end| &end[..])
}

/// Bytes that two lines share at their ends, blanks around them left out.
fn shared(left: &str, right: &str) -> usize {
    let (left, right) = (left.trim_ascii().as_bytes(), right.trim_ascii().as_bytes());
    let head = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let (left, right) = (left[head..].iter().rev(), right[head..].iter().rev());
    head + left.zip(right).take_while(|(a, b)| a == b).count()
}

impl<'p, 'a> Undo<'p, 'a> {
    /// Whether somebody typed into the lines of a run: those that stand, and those of which two
    /// thirds stand in one live line alone, carry half of its letters.
    pub(super) fn is_altered(
        &mut self,
        plan: &'p Plan<'a>,
        piece: &Piece,
        line: Option<usize>,
    ) -> bool {
        let weight = |line: usize| plan.new.weight(line..line + 1);
        let mut standing = 0;
        let mut nodes = Vec::new();
        for line in piece.new.clone().filter(|&line| weight(line) >= MIN_WEIGHT) {
            let node = self.chain.only_line(plan.new.id(line));
            let node = node.or_else(|| self.altered_line(plan, piece, line));
            if let Some(node) = node {
                nodes.push((line, node));
                standing += weight(line);
            }
        }
        let first = nodes.first().copied();
        let is_sure = standing >= DISTINCT
            || self.is_near_some_surroundings(plan, piece, &nodes)
            || first.is_some_and(|(own, node)| {
                let expected = line.map(|line| line + (own - piece.new.start));
                expected == Some(self.chain.line_number(node))
            });
        first.is_some() && standing * 2 >= plan.new.weight(piece.new.clone()) && is_sure
    }

    /// The one live line that is more like a new line of a run than like any of its old ones.
    fn altered_line(&mut self, plan: &'p Plan<'a>, piece: &Piece, line: usize) -> Option<Node> {
        if plan.new.is_masked(line) {
            return None;
        }
        let plans = self.plans;
        let ends = self
            .ends
            .get_or_insert_with(|| Ends::new(plans, &self.chain));
        let own = plan.new.line(line);
        let chain = &self.chain;
        let mut found = ends.like(own).into_iter().filter(|&node| {
            let content = chain.content(node);
            let shared_with_new = shared(own, content);
            chain.is_present(node)
                && shared_with_new * 3 >= own.trim_ascii().len() * 2
                && piece
                    .old
                    .clone()
                    .all(|old| shared(plan.old.line(old), content) < shared_with_new)
        });
        let first = found.next();
        first.filter(|_| found.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_share_their_ends_once() {
        assert_eq!(shared("return a + b", "  return a + c + b"), 12);
        assert_eq!(shared("aaa", "aa"), 2);
        assert_eq!(shared("abc", "xyz"), 0);
        assert_eq!(shared("", "x"), 0);
    }
}
