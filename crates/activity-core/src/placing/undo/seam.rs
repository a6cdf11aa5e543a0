//! Deletions: there is no text to search for, only what the removed lines stood between.

use super::standing::{hunk_of, number};
use super::{DISTINCT, MAX_PLACES, Undo};
use crate::placing::chain::Node;
use crate::placing::find::{Pattern, Surroundings, stands_at};
use crate::placing::hunk::{Hunk, Reason, State};
use crate::placing::plan::Plan;
use crate::placing::side::LineId;

/// A seam: the lines above and below it.
type Seam = (Node, Node);

impl<'p, 'a> Undo<'p, 'a> {
    /// Undoes a run of removed lines of a fragment that has other lines too.
    pub(super) fn undo_deleted_run(
        &mut self,
        fragment: usize,
        plan: &'p Plan<'a>,
        index: usize,
        surroundings: &Surroundings<'_, 'a>,
    ) {
        let piece = &plan.pieces[index];
        let expected = self.expectation(plan, piece.new.start).line;
        if let Some(seam) = self.find_seam(surroundings, expected) {
            self.accept_seam(fragment, plan, index, seam);
        } else {
            let stands = self
                .old_agreement(plan, piece)
                .is_some_and(|lines| lines > 0);
            self.push_lost_seam(fragment, plan, index, stands);
        }
    }

    /// Undoes a fragment that only removed text, and shows nothing of what was around it.
    pub(super) fn undo_bare_deletion(&mut self, fragment: usize, plan: &'p Plan<'a>) {
        let expected = self.expectation(plan, 0).line;
        let neighbours = self.neighbours(fragment, plan);
        let seam = neighbours.and_then(|around| self.find_seam(&around, expected));
        if let Some(seam) = seam {
            self.accept_seam(fragment, plan, 0, seam);
            return;
        }
        let named = expected.filter(|&line| line <= self.chain.len());
        let node = named.map(|line| self.chain.node_at(line));
        let old = Pattern::all(&plan.old);
        match node {
            Some(node) if stands_at(&self.chain, &old, node, &mut self.budget) => {
                self.push_lost_seam(fragment, plan, 0, true);
            }
            Some(node) => self.accept_seam(fragment, plan, 0, (self.chain.prev(node), node)),
            None => {
                let distinct = plan.old.weight(0..plan.old.len()) >= DISTINCT;
                let stands = distinct && !self.search(plan, &plan.old, 1).list.is_empty();
                self.push_lost_seam(fragment, plan, 0, stands);
            }
        }
    }

    fn accept_seam(&mut self, fragment: usize, plan: &'p Plan<'a>, index: usize, seam: Seam) {
        let piece = &plan.pieces[index];
        let (before, after) = seam;
        let displacement = self.displacement(plan, piece.new.start, after);
        let hunk = self
            .seam(before, after)
            .into_hunk(plan, piece, displacement);
        self.push(
            fragment,
            Hunk {
                occurrence: number(index),
                ..hunk
            },
        );
        let texts = piece
            .old
            .clone()
            .map(|line| plan.old.line(line).into())
            .collect();
        self.put_back(fragment, before, &[], texts);
    }

    fn push_lost_seam(&mut self, fragment: usize, plan: &Plan<'a>, index: usize, stands: bool) {
        let state = if stands {
            State::Reverted
        } else {
            State::NotFound(Reason::SeamUnknown)
        };
        let hunk = hunk_of(plan, &plan.pieces[index]);
        self.push(
            fragment,
            Hunk {
                state,
                occurrence: number(index),
                ..hunk
            },
        );
    }

    /// The one place where the lines above and below stand next to each other, best with more of
    /// the surroundings around them.
    pub(super) fn find_seam(
        &mut self,
        surroundings: &Surroundings<'_, 'a>,
        expected: Option<usize>,
    ) -> Option<Seam> {
        let side = surroundings.side;
        let above = surroundings.above.clone().next_back();
        let below = surroundings.below.clone().next();
        let rarer = match (above, below) {
            (None, None) => return None,
            (Some(above), None) => (above, true),
            (None, Some(below)) => (below, false),
            (Some(above), Some(below)) => {
                let count = |line: usize| self.chain.postings(side.id(line)).len();
                if count(above) <= count(below) {
                    (above, true)
                } else {
                    (below, false)
                }
            }
        };
        let seams = self.seams_at(side.id(rarer.0), rarer.1)?;
        let chain = &self.chain;
        let fits = |line: Option<usize>, node: Node| {
            line.is_none_or(|line| !chain.is_edge(node) && side.fits(line, chain, node))
        };
        let mut scored: Vec<(usize, Seam)> = seams
            .into_iter()
            .filter(|&(before, after)| fits(above, before) && fits(below, after))
            .map(|seam| (surroundings.agreement(chain, seam.0, seam.1), seam))
            .collect();
        let best = scored.iter().map(|(score, _)| *score).max()?;
        scored.retain(|(score, _)| *score == best);
        if scored.len() > 1
            && let Some(expected) = expected
        {
            let distance = |seam: &Seam| chain.line_number(seam.1).abs_diff(expected);
            let nearest = scored.iter().map(|(_, seam)| distance(seam)).min()?;
            scored.retain(|(_, seam)| distance(seam) == nearest);
        }
        match scored.as_slice() {
            [(_, seam)] => Some(*seam),
            _ => None,
        }
    }

    /// The seams below or above the lines with an id; `None` when they are too many to compare.
    fn seams_at(&mut self, id: LineId, is_above: bool) -> Option<Vec<Seam>> {
        self.chain.prune(id);
        let chain = &self.chain;
        let nodes = chain.postings(id);
        if !self.budget.take(nodes.len()) {
            return None;
        }
        let seam = |&node: &Node| {
            if is_above {
                (node, chain.next(node))
            } else {
                (chain.prev(node), node)
            }
        };
        Some(
            nodes
                .iter()
                .filter(|&&node| chain.is_present(node))
                .map(seam)
                .collect(),
        )
    }

    /// What stood around the removed lines in the last earlier fragment that wrote them.
    fn neighbours(&mut self, fragment: usize, plan: &Plan<'a>) -> Option<Surroundings<'p, 'a>> {
        let plans = self.plans;
        let dictionary = self.dictionary;
        let written = self.written.get_or_insert_with(|| {
            let mut written = vec![Vec::new(); dictionary.len()];
            for (fragment, plan) in plans.iter().enumerate() {
                for line in 0..plan.new.len() {
                    written[plan.new.id(line) as usize].push((fragment, line));
                }
            }
            written
        });
        let places = |line: usize| &written[plan.old.id(line) as usize];
        let rarest = (0..plan.old.len()).min_by_key(|&line| places(line).len())?;
        let earlier = places(rarest)
            .iter()
            .rev()
            .filter(|(other, _)| *other < fragment);
        for &(other, line) in earlier.take(MAX_PLACES) {
            let side = &plans[other].new;
            let Some(first) = line.checked_sub(rarest) else {
                continue;
            };
            let end = first + plan.old.len();
            let stands = end <= side.len()
                && self.budget.take(plan.old.len())
                && (first..end)
                    .zip(0..)
                    .all(|(there, here)| side.id(there) == plan.old.id(here));
            let around = Surroundings::of(side, &(first..end.min(side.len())));
            if stands && !around.is_empty() {
                return Some(around);
            }
        }
        None
    }
}
