//! Takes fragments back one by one, from the last to the first, and notes where each stood.

mod altered;
mod expect;
mod missing;
mod reindented;
mod seam;
mod standing;
mod whole_file;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::chain::{Chain, Node};
use super::decide::{Expectation, decide, nearest};
use super::find::{
    Budget, Pattern, Place, Places, Surroundings, inside_lines, needle_line, nodes_of, whole_lines,
};
use super::hunk::{Hunk, HunkKind, MAX_CANDIDATES, Reason, Span, State};
use super::line::LineStarts;
use super::needles::Needles;
use super::pieces::Piece;
use super::plan::Plan;
use super::side::{Dictionary, Side};
use crate::model::Action;
use altered::Ends;
use reindented::Reindented;
use standing::{blank, hunk_of, number};

/// Places of one text that are compared with each other.
const MAX_PLACES: usize = 64;

/// Places of a text that replaced another one wherever it stood.
const MAX_SITES: usize = 10_000;

/// Letters and digits below which one line is too common to stand for itself: it may as well be a
/// part of a line, or another line that is the same.
const DISTINCT: usize = 12;

/// The work of one placement.
#[derive(Debug)]
pub(super) struct Undo<'p, 'a> {
    plans: &'p [Plan<'a>],
    dictionary: &'p Dictionary<'a>,
    pub(super) chain: Chain<'a>,
    needles: Option<Needles<'a>>,
    budget: Budget,
    /// The hunks of each fragment.
    hunks: Vec<Vec<Hunk>>,
    /// By the line that evidence named: how far from it the text stood. What the user put above
    /// moved the neighbours too.
    drifts: BTreeMap<usize, i64>,
    /// The fragment that wrote or removed the whole file, once it is undone.
    overwritten_by: Option<usize>,
    /// For each call, how many fragments with these texts are not undone yet.
    equals: BTreeMap<(usize, &'a str, &'a str), usize>,
    /// The call of the last patch chunk that was found, and its line.
    last_chunk: Option<(usize, usize)>,
    /// Where each line stands in the new texts of all fragments: fragment and line.
    written: Option<Vec<Vec<(usize, usize)>>>,
    reindented: Option<Reindented<'a>>,
    ends: Option<Ends<'a>>,
}

impl<'p, 'a> Undo<'p, 'a> {
    /// Before anything is undone.
    pub(super) fn new(
        text: &'a str,
        starts: LineStarts,
        plans: &'p [Plan<'a>],
        dictionary: &'p Dictionary<'a>,
    ) -> Self {
        let fragment_lines: usize = plans
            .iter()
            .map(|plan| plan.old.len() + plan.new.len())
            .sum();
        let budget = Budget::for_lines(starts.count() + fragment_lines);
        let mut equals = BTreeMap::new();
        for plan in plans {
            *equals.entry(plan.texts()).or_insert(0) += 1;
        }
        Self {
            plans,
            dictionary,
            chain: Chain::new(text, starts, dictionary),
            needles: None,
            budget,
            hunks: vec![Vec::new(); plans.len()],
            drifts: BTreeMap::new(),
            overwritten_by: None,
            equals,
            last_chunk: None,
            written: None,
            reindented: None,
            ends: None,
        }
    }

    /// Undoes all fragments.
    pub(super) fn run(&mut self) {
        let plans = self.plans;
        for (fragment, plan) in plans.iter().enumerate().rev() {
            self.undo(fragment, plan);
            if let Some(left) = self.equals.get_mut(&plan.texts()) {
                *left -= 1;
            }
        }
    }

    /// The hunks of all fragments, in order.
    pub(super) fn into_hunks(mut self) -> (Vec<Hunk>, Chain<'a>) {
        for hunks in &mut self.hunks {
            hunks.sort_by_key(|hunk| hunk.occurrence);
        }
        (self.hunks.into_iter().flatten().collect(), self.chain)
    }

    fn undo(&mut self, fragment: usize, plan: &'p Plan<'a>) {
        let removes_file = plan.input.action == Action::Deleted && plan.new.is_empty();
        if removes_file {
            self.undo_removed_file(fragment, plan);
        } else if plan.old.is_empty() && plan.new.is_empty() {
            let state = State::NotFound(Reason::NoText);
            self.push(
                fragment,
                Hunk {
                    kind: HunkKind::WholeFile,
                    state,
                    ..blank(plan)
                },
            );
        } else if plan.pieces.is_empty() {
            // Line endings changed, or nothing: no line to show.
        } else if plan.old.is_empty() && self.wrote_whole_file(plan) {
            self.undo_written_file(fragment, plan);
        } else if plan.new.is_empty() {
            self.undo_bare_deletion(fragment, plan);
        } else if plan.input.fragment.hint.replace_all && self.undo_sites(fragment, plan) {
            // Every site has its hunks.
        } else {
            self.undo_block(fragment, plan);
        }
    }

    /// Undoes a fragment whose new text stands as a block, else each of its changed runs apart.
    fn undo_block(&mut self, fragment: usize, plan: &'p Plan<'a>) {
        let places = self.search(plan, &plan.new, MAX_PLACES);
        let expectation = self.expectation(plan, 0);
        let found = self.choose(&Pattern::all(&plan.new), &places, |_, _| 0, &expectation);
        match found {
            Some(place) => {
                self.note_line(plan, place.first);
                let mut occurrence = 0;
                self.accept(
                    fragment,
                    plan,
                    &plan.pieces,
                    0..plan.new.len(),
                    &place,
                    &mut occurrence,
                );
            }
            None if !places.list.is_empty() => {
                for (index, piece) in plan.pieces.iter().enumerate() {
                    let skip = piece.new.start;
                    let lines = piece.new.len();
                    self.push_ambiguous(fragment, plan, index, &places, skip, lines);
                }
            }
            None => self.undo_pieces(fragment, plan, places.more),
        }
    }

    /// Undoes each changed run of a fragment whose new text does not stand as a whole.
    fn undo_pieces(&mut self, fragment: usize, plan: &'p Plan<'a>, too_common: bool) {
        for (index, piece) in plan.pieces.iter().enumerate().rev() {
            let surroundings = Surroundings::of(&plan.new, &piece.new);
            if piece.new.is_empty() {
                self.undo_deleted_run(fragment, plan, index, &surroundings);
                continue;
            }
            let pattern = Pattern {
                side: &plan.new,
                lines: piece.new.clone(),
            };
            let places = if surroundings.is_empty() {
                Places::default()
            } else {
                whole_lines(&mut self.chain, &pattern, MAX_PLACES, &mut self.budget)
            };
            let expectation = self.expectation(plan, piece.new.start);
            let agreement = |chain: &Chain<'_>, place: &Place| {
                let after = after_lines(chain, place.first, pattern.lines.len());
                surroundings.agreement(chain, chain.prev(place.first), after)
            };
            let chosen = self.choose(&pattern, &places, agreement, &expectation);
            let trusted = chosen.filter(|place| {
                agreement(&self.chain, place) > 0
                    || expectation.line == Some(self.chain.line_number(place.first))
                    || stands_for_itself(&pattern)
            });
            match trusted {
                Some(place) => {
                    let mut occurrence = index;
                    let pieces = std::slice::from_ref(piece);
                    self.accept(
                        fragment,
                        plan,
                        pieces,
                        piece.new.clone(),
                        &place,
                        &mut occurrence,
                    );
                }
                None if chosen.is_none() && !places.list.is_empty() => {
                    self.push_ambiguous(fragment, plan, index, &places, 0, piece.new.len());
                }
                None => {
                    let common = too_common || places.more || chosen.is_some();
                    self.undo_missing(fragment, plan, index, common);
                }
            }
        }
    }

    /// Undoes a replacement of every site of a text; false when it stands nowhere.
    fn undo_sites(&mut self, fragment: usize, plan: &'p Plan<'a>) -> bool {
        let mut places = self.search(plan, &plan.new, MAX_SITES);
        places
            .list
            .sort_by_cached_key(|place| self.chain.line_number(place.first));
        let mut occurrence = 0;
        for place in &places.list {
            let nodes = nodes_of(&self.chain, place.first, plan.new.len());
            // A site may share a line with the one before it.
            if nodes.iter().all(|&node| self.chain.is_present(node)) {
                let lines = 0..plan.new.len();
                self.accept(fragment, plan, &plan.pieces, lines, place, &mut occurrence);
            }
        }
        if places.list.len() > 1 {
            // The evidence can name the line of one site only.
            for hunk in &mut self.hunks[fragment] {
                hunk.displacement = None;
                if hunk.state == State::Moved {
                    hunk.state = State::InPlace;
                }
            }
        }
        occurrence > 0
    }

    /// The places of a whole side: as whole lines, else inside lines where a tool that replaces
    /// text may have put it.
    fn search(&mut self, plan: &Plan<'a>, side: &Side<'a>, limit: usize) -> Places {
        let may_be_inside = !plan.input.is_patch && !plan.old.is_empty();
        let is_open_line = side.len() == 1 && !side.is_terminated();
        let any_line =
            may_be_inside && is_open_line && !side.is_masked(0) && side.weight(0..1) < DISTINCT;
        if !any_line {
            let pattern = Pattern::all(side);
            let places = whole_lines(&mut self.chain, &pattern, limit, &mut self.budget);
            if !places.list.is_empty() || places.more || !may_be_inside {
                return places;
            }
        }
        let plans = self.plans;
        let needles = self.needles.get_or_insert_with(|| {
            let sides = plans.iter().filter(|plan| !plan.input.is_patch);
            let sides = sides.flat_map(|plan| [&plan.old, &plan.new]);
            let short = sides.filter(|side| matches!(side.len(), 1 | 2));
            let needles = short.map(|side| side.line(needle_line(side)));
            let mut needles = Needles::new(needles, &self.chain);
            for node in self.chain.old_nodes() {
                needles.add_line(node, self.chain.content(node));
            }
            needles
        });
        inside_lines(&mut self.chain, side, needles, limit, &mut self.budget)
    }

    fn choose(
        &mut self,
        pattern: &Pattern<'_, '_>,
        places: &Places,
        agreement: impl Fn(&Chain<'_>, &Place) -> usize,
        expectation: &Expectation,
    ) -> Option<Place> {
        let lines = pattern.lines.len();
        let decided = decide(&self.chain, places, agreement, lines, expectation);
        if decided.is_some() || !places.more {
            return decided;
        }
        nearest(&self.chain, pattern, expectation.line?, &mut self.budget)
    }

    /// Notes the hunks of changed runs that stand at a place, and puts their old lines there.
    /// `lines` are the lines of the new text that stand at the place.
    fn accept(
        &mut self,
        fragment: usize,
        plan: &'p Plan<'a>,
        pieces: &'p [Piece],
        lines: Range<usize>,
        place: &Place,
        occurrence: &mut usize,
    ) {
        let nodes = nodes_of(&self.chain, place.first, lines.len());
        let (above, below) = edges(&self.chain, place.first, &nodes);
        let displacement = self.displacement(plan, lines.start, place.first);
        let node_before = |line: usize| match (line - lines.start).checked_sub(1) {
            Some(index) => nodes[index],
            None => above,
        };
        for piece in pieces {
            let run = &nodes[piece.new.start - lines.start..piece.new.end - lines.start];
            let next = nodes
                .get(piece.new.start - lines.start)
                .copied()
                .unwrap_or(below);
            let at = if run.is_empty() {
                self.seam(node_before(piece.new.start), next)
            } else {
                self.stand(run)
            };
            let hunk = at.into_hunk(plan, piece, displacement);
            self.push(
                fragment,
                Hunk {
                    occurrence: number(*occurrence),
                    ..hunk
                },
            );
            *occurrence += 1;
        }
        for piece in pieces.iter().rev() {
            let run = &nodes[piece.new.start - lines.start..piece.new.end - lines.start];
            let texts = self.old_lines(plan, piece, run, place);
            self.put_back(fragment, node_before(piece.new.start), run, texts);
        }
    }

    /// The old lines of a changed run, with what stands on its first and last line beside it.
    fn old_lines(
        &self,
        plan: &Plan<'a>,
        piece: &Piece,
        run: &[Node],
        place: &Place,
    ) -> Vec<Cow<'a, str>> {
        let mut texts: Vec<Cow<'a, str>> = piece
            .old
            .clone()
            .map(|line| Cow::Borrowed(plan.old.line(line)))
            .collect();
        let (Some(&first), Some(&last)) = (run.first(), run.last()) else {
            return texts;
        };
        let head = self
            .chain
            .content(first)
            .get(..place.before)
            .unwrap_or_default();
        let content = self.chain.content(last);
        let rest = content.len().saturating_sub(place.after);
        let tail = content.get(rest..).unwrap_or_default();
        let begins = piece.new.start == 0 && !head.is_empty();
        let ends = piece.new.end == plan.new.len() && !tail.trim_end().is_empty();
        if (begins || ends) && texts.is_empty() {
            texts.push(Cow::Borrowed(""));
        }
        if begins && let Some(text) = texts.first_mut() {
            *text = Cow::Owned([head, text].concat());
        }
        if ends && let Some(text) = texts.last_mut() {
            *text = Cow::Owned([text, tail].concat());
        }
        texts
    }

    fn put_back(&mut self, fragment: usize, after: Node, run: &[Node], texts: Vec<Cow<'a, str>>) {
        let nodes = self
            .chain
            .splice(after, run, texts, fragment, self.dictionary);
        if let Some(needles) = &mut self.needles {
            for node in nodes {
                needles.add_line(node, self.chain.content(node));
            }
        }
    }

    fn push(&mut self, fragment: usize, hunk: Hunk) {
        let hunk = match (hunk.state, self.overwritten_by) {
            (State::NotFound(_) | State::Ambiguous, Some(by)) if by != fragment => Hunk {
                state: State::Replaced,
                replaced_by: Some(by),
                candidates: Vec::new(),
                ..hunk
            },
            _ => hunk,
        };
        self.hunks[fragment].push(Hunk { fragment, ..hunk });
    }

    /// A run that stands at several places: `lines` lines, `skip` lines below each place.
    fn push_ambiguous(
        &mut self,
        fragment: usize,
        plan: &Plan<'a>,
        index: usize,
        places: &Places,
        skip: usize,
        lines: usize,
    ) {
        let mut candidates: Vec<Span> = places
            .list
            .iter()
            .filter_map(|place| {
                let first = after_lines(&self.chain, place.first, skip);
                let standing = if lines == 0 {
                    self.seam(self.chain.prev(first), first)
                } else {
                    self.stand(&nodes_of(&self.chain, first, lines))
                };
                standing.spans.into_iter().next()
            })
            .collect();
        candidates.sort_by_key(|span| span.bytes.start);
        candidates.dedup();
        candidates.truncate(MAX_CANDIDATES);
        let hunk = hunk_of(plan, &plan.pieces[index]);
        let occurrence = number(index);
        self.push(
            fragment,
            Hunk {
                state: State::Ambiguous,
                occurrence,
                candidates,
                ..hunk
            },
        );
    }
}

/// The lines next to those of a place.
fn edges(chain: &Chain<'_>, first: Node, nodes: &[Node]) -> (Node, Node) {
    let below = nodes.last().map_or(first, |&last| chain.next(last));
    (chain.prev(first), below)
}

/// The line so many lines further down.
fn after_lines(chain: &Chain<'_>, first: Node, count: usize) -> Node {
    (0..count).fold(first, |node, _| {
        if node == chain.tail() {
            node
        } else {
            chain.next(node)
        }
    })
}

/// Whether lines can be trusted to be those of the fragment wherever they stand.
fn stands_for_itself(pattern: &Pattern<'_, '_>) -> bool {
    pattern.side.weight(pattern.lines.clone()) >= 2 * DISTINCT
}
