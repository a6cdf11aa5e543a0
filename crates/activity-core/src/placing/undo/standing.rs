//! Where lines and seams of the chain are in the live text, and the hunks that say so.

use std::ops::Range;

use super::Undo;
use crate::placing::chain::Node;
use crate::placing::hunk::{Hunk, HunkKind, Reason, Span, State};
use crate::placing::pieces::Piece;
use crate::placing::plan::Plan;

/// Where lines or a seam stand in the live text.
#[derive(Debug)]
pub(super) struct Standing {
    pub(super) spans: Vec<Span>,
    /// The later fragment that took the place of the lines, or of some.
    pub(super) replaced_by: Option<usize>,
    is_seam: bool,
}

impl Standing {
    pub(super) fn into_hunk(
        self,
        plan: &Plan<'_>,
        piece: &Piece,
        displacement: Option<i64>,
    ) -> Hunk {
        let state = match displacement {
            _ if self.spans.is_empty() => State::Replaced,
            _ if self.is_seam => State::Deleted,
            None | Some(0) => State::InPlace,
            Some(_) => State::Moved,
        };
        Hunk {
            state,
            spans: self.spans,
            displacement,
            replaced_by: self.replaced_by,
            ..hunk_of(plan, piece)
        }
    }
}

impl Undo<'_, '_> {
    /// Where lines of the text stand in the live text.
    pub(super) fn stand(&self, nodes: &[Node]) -> Standing {
        let live: Vec<u32> = nodes
            .iter()
            .copied()
            .filter(|&node| self.chain.is_live(node))
            .collect();
        let replaced_by = nodes.iter().find_map(|&node| self.chain.owner(node));
        Standing {
            spans: self.spans_of(&live),
            replaced_by,
            is_seam: false,
        }
    }

    /// Where the seam between two neighbouring lines of the text is in the live text.
    pub(super) fn seam(&self, before: Node, after: Node) -> Standing {
        let chain = &self.chain;
        let line = if chain.is_live(before) {
            Some(before + 1)
        } else if chain.is_live(after) {
            Some(after)
        } else if before == chain.head() && after == chain.tail() {
            Some(0)
        } else {
            None
        };
        let replaced_by = chain.owner(before).or_else(|| chain.owner(after));
        Standing {
            spans: line.map(|line| self.span(line..line)).into_iter().collect(),
            replaced_by: if line.is_none() { replaced_by } else { None },
            is_seam: true,
        }
    }

    fn spans_of(&self, live: &[u32]) -> Vec<Span> {
        live.chunk_by(|left, right| left + 1 == *right)
            .filter_map(|run| Some(self.span(*run.first()?..run.last()? + 1)))
            .collect()
    }

    fn span(&self, lines: Range<u32>) -> Span {
        let starts = self.chain.live_starts();
        Span {
            bytes: starts.start(lines.start as usize)..starts.start(lines.end as usize),
            lines,
        }
    }
}

/// A hunk of all of a fragment, to be filled in.
pub(super) fn blank(plan: &Plan<'_>) -> Hunk {
    hunk_of(
        plan,
        &Piece {
            old: 0..plan.old.len(),
            new: 0..plan.new.len(),
        },
    )
}

/// A hunk of a changed run, to be filled in.
pub(super) fn hunk_of(plan: &Plan<'_>, piece: &Piece) -> Hunk {
    let kind = match (piece.old.is_empty(), piece.new.is_empty()) {
        (true, _) => HunkKind::Added,
        (_, true) => HunkKind::Deleted,
        _ => HunkKind::Modified,
    };
    Hunk {
        fragment: 0,
        occurrence: 0,
        kind,
        state: State::NotFound(Reason::TextGone),
        spans: Vec::new(),
        old: plan.old.bytes(&piece.old),
        new: plan.new.bytes(&piece.new),
        added: number(piece.new.len()),
        removed: number(piece.old.len()),
        displacement: None,
        replaced_by: None,
        candidates: Vec::new(),
    }
}

pub(super) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
