//! Changed runs whose new lines do not stand as they were written: edited, reverted, or gone.

use std::collections::BTreeMap;

use super::reindented::Reindented;
use super::standing::{hunk_of, number};
use super::{DISTINCT, MAX_PLACES, Undo, after_lines};
use crate::placing::chain::Node;
use crate::placing::find::{Pattern, Surroundings, whole_lines};
use crate::placing::hunk::{Hunk, Reason, State};
use crate::placing::pieces::Piece;
use crate::placing::plan::Plan;

/// Letters and digits that make a line worth looking for.
pub(super) const MIN_WEIGHT: usize = 3;

/// Lines that somebody may have put between two lines of a run without parting them.
const MAX_GAP: usize = 100;

/// Lines around a lone surviving line in which its surroundings are looked for.
const VICINITY: usize = 24;

/// How the lines of a run are compared with those of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Indentation {
    Same,
    Any,
}

/// A line of the new text and the line of the chain that stands for it.
pub(super) type Pair = (usize, Node);

impl<'p, 'a> Undo<'p, 'a> {
    /// Notes a run whose new lines do not stand as a block. `common` says that lines like it were
    /// found, though nothing tells that they are this run.
    pub(super) fn undo_missing(
        &mut self,
        fragment: usize,
        plan: &'p Plan<'a>,
        index: usize,
        common: bool,
    ) {
        let piece = &plan.pieces[index];
        let hunk = Hunk {
            occurrence: number(index),
            ..hunk_of(plan, piece)
        };
        let agreement = self.old_agreement(plan, piece);
        let mut survivors = self.survivors(plan, piece, Indentation::Same);
        if survivors.is_empty() && agreement.is_none() {
            survivors = self.survivors(plan, piece, Indentation::Any);
        }
        let few = survivors.len() * 2 < piece.new.len();
        let hunk = if few && agreement.is_some_and(|lines| lines > 1) {
            Hunk {
                state: State::Reverted,
                ..hunk
            }
        } else if !survivors.is_empty() {
            let standing = self.stand(&survivors);
            let state = if standing.spans.is_empty() {
                State::Replaced
            } else {
                State::Edited
            };
            Hunk {
                state,
                spans: standing.spans,
                replaced_by: standing.replaced_by,
                ..hunk
            }
        } else if agreement.is_some() || self.insertion_is_gone(plan, piece) {
            Hunk {
                state: State::Reverted,
                ..hunk
            }
        } else if self.is_altered(plan, piece, self.expectation(plan, piece.new.start).line) {
            // No whole line is left to show it at.
            Hunk {
                state: State::Edited,
                ..hunk
            }
        } else {
            let masked = piece.new.clone().any(|line| plan.new.is_masked(line));
            let reason = match (masked, common) {
                (true, _) => Reason::Masked,
                (_, true) => Reason::TooCommon,
                _ => Reason::TextGone,
            };
            Hunk {
                state: State::NotFound(reason),
                ..hunk
            }
        };
        self.push(fragment, hunk);
    }

    /// Whether the old lines of a run stand: how well the surroundings of the best place agree.
    pub(super) fn old_agreement(&mut self, plan: &'p Plan<'a>, piece: &Piece) -> Option<usize> {
        if plan.old.weight(piece.old.clone()) < MIN_WEIGHT {
            return None;
        }
        if piece.old.len() == plan.old.len() {
            let places = self.search(plan, &plan.old, MAX_PLACES);
            return if places.list.is_empty() {
                None
            } else {
                Some(0)
            };
        }
        let pattern = Pattern {
            side: &plan.old,
            lines: piece.old.clone(),
        };
        let surroundings = Surroundings::of(&plan.old, &piece.old);
        let places = whole_lines(&mut self.chain, &pattern, MAX_PLACES, &mut self.budget);
        let agreement = places.list.iter().map(|place| {
            let after = after_lines(&self.chain, place.first, piece.old.len());
            surroundings.agreement(&self.chain, self.chain.prev(place.first), after)
        });
        agreement.max()
    }

    /// Whether the lines around an insertion stand next to each other again.
    fn insertion_is_gone(&mut self, plan: &'p Plan<'a>, piece: &Piece) -> bool {
        if !piece.old.is_empty() {
            return false;
        }
        let surroundings = Surroundings::of(&plan.old, &piece.old);
        let both = !surroundings.above.is_empty() && !surroundings.below.is_empty();
        both && self.find_seam(&surroundings, None).is_some()
    }

    /// The lines of a run that still stand, found by those of them that stand once (patience
    /// anchors), if they are enough to be sure of the place. From top to bottom.
    fn survivors(
        &mut self,
        plan: &'p Plan<'a>,
        piece: &Piece,
        indentation: Indentation,
    ) -> Vec<Node> {
        let anchors = self.anchors(plan, piece, indentation);
        let anchors = self.in_both_orders(&anchors);
        let cluster = self.heaviest_cluster(plan, &anchors);
        let pairs = self.extend(plan, piece, &cluster, indentation);
        let weight: usize = pairs
            .iter()
            .map(|(line, _)| plan.new.weight(*line..line + 1))
            .sum();
        let sure = weight >= 2 * DISTINCT && pairs.len() > 1
            || weight >= DISTINCT && self.is_near_surroundings(plan, piece, &pairs);
        if sure {
            pairs.into_iter().map(|(_, node)| node).collect()
        } else {
            Vec::new()
        }
    }

    /// The lines of a run that stand once in the text and once in the run.
    fn anchors(
        &mut self,
        plan: &'p Plan<'a>,
        piece: &Piece,
        indentation: Indentation,
    ) -> Vec<Pair> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for line in piece.new.clone() {
            *counts.entry(plan.new.line(line).trim()).or_insert(0) += 1;
        }
        let lines = piece.new.clone().filter(|&line| {
            !plan.new.is_masked(line)
                && counts.get(plan.new.line(line).trim()) == Some(&1)
                && plan.new.weight(line..line + 1) >= MIN_WEIGHT
        });
        let mut anchors = Vec::new();
        for line in lines {
            let node = match indentation {
                Indentation::Same => self.chain.only_line(plan.new.id(line)),
                Indentation::Any => {
                    let plans = self.plans;
                    let lines = self
                        .reindented
                        .get_or_insert_with(|| Reindented::new(plans, &self.chain));
                    lines.only_line(plan.new.line(line), &self.chain)
                }
            };
            anchors.extend(node.map(|node| (line, node)));
        }
        anchors
    }

    /// The longest list of anchors that stand in the order of the run.
    fn in_both_orders(&self, anchors: &[Pair]) -> Vec<Pair> {
        let numbers: Vec<usize> = anchors
            .iter()
            .map(|(_, node)| self.chain.line_number(*node))
            .collect();
        // Patience sorting: `tops[n]` ends the best list of n + 1 anchors so far.
        let mut tops: Vec<usize> = Vec::new();
        let mut before: Vec<Option<usize>> = vec![None; anchors.len()];
        for (index, number) in numbers.iter().enumerate() {
            let pile = tops.partition_point(|&top| numbers[top] < *number);
            before[index] = pile.checked_sub(1).map(|below| tops[below]);
            if pile == tops.len() {
                tops.push(index);
            } else {
                tops[pile] = index;
            }
        }
        let mut list: Vec<Pair> =
            std::iter::successors(tops.last().copied(), |&index| before[index])
                .map(|index| anchors[index])
                .collect();
        list.reverse();
        list
    }

    /// The anchors that stand together, when they stand in several parts of the text.
    fn heaviest_cluster(&self, plan: &Plan<'a>, anchors: &[Pair]) -> Vec<Pair> {
        let together = |left: &Pair, right: &Pair| {
            let (from, to) = (
                self.chain.line_number(left.1),
                self.chain.line_number(right.1),
            );
            to - from <= right.0 - left.0 + MAX_GAP
        };
        let weight = |cluster: &[Pair]| -> usize {
            cluster
                .iter()
                .map(|(line, _)| plan.new.weight(*line..line + 1))
                .sum()
        };
        let mut clusters: Vec<&[Pair]> = anchors.chunk_by(together).collect();
        // The first of equally heavy ones, whichever the order of the comparison.
        clusters.reverse();
        clusters
            .into_iter()
            .max_by_key(|cluster| weight(cluster))
            .unwrap_or_default()
            .to_vec()
    }

    /// Anchors with the lines next to them that are the same too.
    fn extend(
        &self,
        plan: &Plan<'a>,
        piece: &Piece,
        anchors: &[Pair],
        indentation: Indentation,
    ) -> Vec<Pair> {
        let chain = &self.chain;
        let same = |line: usize, node: Node| {
            !chain.is_edge(node)
                && match indentation {
                    Indentation::Same => plan.new.fits(line, chain, node),
                    Indentation::Any => plan.new.line(line).trim() == chain.content(node).trim(),
                }
        };
        let mut pairs: Vec<Pair> = Vec::new();
        for (index, &(line, node)) in anchors.iter().enumerate() {
            let taken = pairs.last().copied();
            if taken == Some((line, node)) {
                continue;
            }
            let mut above = Vec::new();
            let mut up = (line, node);
            while up.0 > piece.new.start {
                up = (up.0 - 1, chain.prev(up.1));
                let free = taken.is_none_or(|(line, node)| up.0 > line && up.1 != node);
                if !free || !same(up.0, up.1) {
                    break;
                }
                above.push(up);
            }
            pairs.extend(above.into_iter().rev());
            pairs.push((line, node));
            let next = anchors.get(index + 1);
            let mut down = (line + 1, chain.next(node));
            while down.0 < piece.new.end
                && next.is_none_or(|next| down.0 <= next.0 && (down.1 != next.1 || down == *next))
                && same(down.0, down.1)
            {
                pairs.push(down);
                down = (down.0 + 1, chain.next(down.1));
            }
        }
        pairs
    }

    /// Whether a line of the fragment around the run stands near some of its lines, or the
    /// fragment has none to look for.
    fn is_near_surroundings(&self, plan: &Plan<'a>, piece: &Piece, pairs: &[Pair]) -> bool {
        !pairs.is_empty() && surrounding_lines(plan, piece).next().is_none()
            || self.is_near_some_surroundings(plan, piece, pairs)
    }

    /// Whether a line of the fragment around the run stands near some of its lines.
    pub(super) fn is_near_some_surroundings(
        &self,
        plan: &Plan<'a>,
        piece: &Piece,
        pairs: &[Pair],
    ) -> bool {
        let Some(&(_, near)) = pairs.first() else {
            return false;
        };
        let near = self.chain.line_number(near);
        let reach = piece.new.len() + VICINITY;
        surrounding_lines(plan, piece).any(|line| {
            let nodes = self
                .chain
                .postings(plan.new.id(line))
                .iter()
                .take(MAX_PLACES);
            nodes
                .filter(|&&node| self.chain.is_present(node))
                .any(|&node| self.chain.line_number(node).abs_diff(near) <= reach)
        })
    }
}

/// The lines around a run in its fragment that are worth looking for.
fn surrounding_lines(plan: &Plan<'_>, piece: &Piece) -> impl Iterator<Item = usize> {
    let surroundings = Surroundings::of(&plan.new, &piece.new);
    let lines = surroundings.above.rev().take(VICINITY);
    lines
        .chain(surroundings.below.take(VICINITY))
        .filter(|&line| plan.new.weight(line..line + 1) >= MIN_WEIGHT)
}
