//! The changed runs of lines of a fragment.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::side::Side;

/// Lines of both sides, without common head and tail, up to which they are compared line by line.
/// Above it the whole middle counts as changed.
const MAX_COMPARED_LINES: usize = 8_000;

/// One changed run: these lines of the old text became those of the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// The changed runs, from top to bottom, none touching another. Line endings count only where
/// nothing else changed: a last line that gained or lost its ending is a change.
pub(super) fn pieces(old: &Side<'_>, new: &Side<'_>) -> Vec<Piece> {
    let mut pieces = changed_runs(&old.to_lines(), &new.to_lines());
    let same_end = old.is_terminated() == new.is_terminated();
    if pieces.is_empty() && !same_end && !new.is_empty() && !old.is_empty() {
        pieces.push(Piece {
            old: old.len() - 1..old.len(),
            new: new.len() - 1..new.len(),
        });
    }
    pieces
}

/// The runs in which two lists of lines differ.
pub(super) fn changed_runs<T: Eq + std::hash::Hash + Ord>(old: &[T], new: &[T]) -> Vec<Piece> {
    let (head, tail) = common_ends(old, new);
    let (old, new) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    let whole = Piece {
        old: head..head + old.len(),
        new: head..head + new.len(),
    };
    if old.is_empty() || new.is_empty() || old.len() + new.len() > MAX_COMPARED_LINES {
        return vec![whole];
    }
    let mut pieces: Vec<Piece> = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (old, new) = (op.old_range(), op.new_range());
        let piece = Piece {
            old: head + old.start..head + old.end,
            new: head + new.start..head + new.end,
        };
        match pieces.last_mut() {
            Some(last) if last.old.end == piece.old.start && last.new.end == piece.new.start => {
                last.old.end = piece.old.end;
                last.new.end = piece.new.end;
            }
            _ => pieces.push(piece),
        }
    }
    pieces
}

/// How many elements two lists have in common at their start, and behind that at their end.
pub(crate) fn common_ends<T: PartialEq>(old: &[T], new: &[T]) -> (usize, usize) {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (old[head..].iter().rev(), new[head..].iter().rev());
    (head, old.zip(new).take_while(|(a, b)| a == b).count())
}
