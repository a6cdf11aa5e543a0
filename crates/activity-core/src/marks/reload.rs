//! A change of the whole text as a list of edits.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::edit::{Edit, Lines};
use crate::placing::{LineStarts, common_ends};

/// Changed lines, both sides together, up to which a reload is diffed. Above it the changed middle
/// counts as one edit: the marks in it are lost until the file is placed afresh, which a reload
/// asks for anyway.
const MAX_CHANGED_LINES: usize = 20_000;

/// The edits, each measured against the text after the ones before it: from the end of the text
/// to its start, so that offsets of the old text stay true.
pub(super) fn edits(before: &str, after: &str) -> Vec<Edit> {
    let lines = Lines::new(before);
    let starts = LineStarts::of(before);
    let (old, new) = (whole_lines(before), whole_lines(after));
    let (head, tail) = common_ends(&old, &new);
    let (old_middle, new_middle) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let ops = if old_middle.len() + new_middle.len() <= MAX_CHANGED_LINES {
        capture_diff_slices(Algorithm::Histogram, old_middle, new_middle)
    } else {
        vec![DiffOp::Replace {
            old_index: 0,
            old_len: old_middle.len(),
            new_index: 0,
            new_len: new_middle.len(),
        }]
    };
    let mut edits: Vec<Edit> = ops
        .iter()
        .filter(|op| !matches!(op, DiffOp::Equal { .. }))
        .map(|op| {
            let (old_range, new_range) = (op.old_range(), op.new_range());
            let start = starts.start(head + old_range.start);
            let end = starts.start(head + old_range.end);
            Edit::measure(&lines, start..end, &new_middle[new_range].concat())
        })
        .collect();
    edits.reverse();
    edits
}

/// The lines of a text with their endings; no empty line after a final ending.
fn whole_lines(text: &str) -> Vec<&str> {
    let starts = LineStarts::of(text);
    (0..starts.written())
        .map(|line| &text[starts.start(line)..starts.start(line + 1)])
        .collect()
}
