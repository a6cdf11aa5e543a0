//! Hunks that move with the text, between one placing and the next.
//!
//! [`Marks`] hold placed hunks and follow each edit of the live document with arithmetic alone, so a
//! keystroke costs a few additions a hunk and never a search. Marks are whole lines: a hunk keeps
//! the lines that no edit touched and loses the others at once, so that it is never shown on a
//! line whose text is not its own. What was damaged, or was not settled before, says that it
//! [needs placing](Marks::needs_placing); the owner places the file afresh when the typing pauses,
//! which also finds a hunk again whose text an undo brought back.

mod edit;
mod recall;
mod reload;

pub use edit::{Edit, LineText, Lines};

use std::ops::Range;

use crate::placing::{Hunk, HunkKind, Span, State};

/// The hunks of one document, moved with its edits.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    hunks: Vec<Hunk>,
    needs_placing: bool,
}

impl Marks {
    /// Marks of hunks as [`place`](crate::placing::place) found them in the text that the next
    /// edit applies to.
    pub fn new(hunks: Vec<Hunk>) -> Self {
        Self {
            hunks,
            needs_placing: false,
        }
    }

    /// The hunks as far as arithmetic knows them, in the order of placing. A hunk that lost lines
    /// is [`State::Edited`], without spans when it lost all.
    pub fn hunks(&self) -> &[Hunk] {
        &self.hunks
    }

    /// Whether an edit since the last placing may have changed the state of a hunk. Marks stay
    /// true meanwhile, though a hunk may be missing.
    pub fn needs_placing(&self) -> bool {
        self.needs_placing
    }

    /// Follows one edit.
    pub fn apply(&mut self, edit: &Edit) {
        for hunk in &mut self.hunks {
            if apply_to(hunk, edit) {
                self.needs_placing = true;
            }
        }
    }

    /// Follows a change of the whole text (a reload, a formatter, a checkout) through a line diff,
    /// so that what did not change keeps its marks. Always [needs placing](Self::needs_placing).
    pub fn reload(&mut self, before: &str, after: &str) {
        for edit in reload::edits(before, after) {
            self.apply(&edit);
        }
        self.needs_placing = before != after || self.needs_placing;
    }
}

/// Moves one hunk; true when its state may be another than before.
fn apply_to(hunk: &mut Hunk, edit: &Edit) -> bool {
    hunk.candidates.retain_mut(|span| {
        let untouched =
            edit.touched().end <= span.lines.start || span.lines.end <= edit.touched().start;
        if untouched {
            shift_after(span, edit);
        }
        untouched
    });
    match hunk.state {
        State::InPlace | State::Moved | State::Edited if hunk.kind != HunkKind::WholeFile => {
            move_lines(hunk, edit)
        }
        State::Deleted if hunk.kind != HunkKind::WholeFile => move_seam(hunk, edit),
        // Its later fragment stands for it.
        State::Replaced if hunk.replaced_by.is_some() => false,
        State::Replaced
        | State::InPlace
        | State::Moved
        | State::Edited
        | State::Deleted
        | State::Reverted
        | State::Ambiguous
        | State::NotFound(_) => true,
    }
}

fn move_lines(hunk: &mut Hunk, edit: &Edit) -> bool {
    let touched = edit.touched();
    let mut damaged = false;
    let mut shifted = false;
    let mut moved = Vec::new();
    for span in &mut hunk.spans {
        if span.lines.end <= touched.start {
            continue;
        }
        if span.lines.start >= touched.end {
            shift_after(span, edit);
            shifted = true;
            continue;
        }
        damaged = true;
        let mut tail = Span {
            bytes: edit.touched_bytes().end..span.bytes.end,
            lines: touched.end..span.lines.end,
        };
        span.bytes.end = edit.touched_bytes().start.max(span.bytes.start);
        span.lines.end = touched.start.max(span.lines.start);
        if !tail.lines.is_empty() {
            shift_after(&mut tail, edit);
            moved.push(tail);
        }
    }
    if damaged {
        hunk.spans.retain(|span| !span.lines.is_empty());
        hunk.spans.append(&mut moved);
        hunk.spans.sort_by_key(|span| span.bytes.start);
        hunk.state = State::Edited;
        return true;
    }
    if shifted {
        shift_displacement(hunk, edit);
    }
    hunk.state == State::Edited
}

/// A seam has no text; what it stands between decides where it is, so a change of a neighbour
/// asks for a new search.
fn move_seam(hunk: &mut Hunk, edit: &Edit) -> bool {
    let touched = edit.touched();
    let Some(span) = hunk.spans.first_mut() else {
        return true;
    };
    let seam = span.lines.start;
    if touched.start > seam {
        return false;
    }
    if touched.end > seam && touched.start < seam {
        hunk.spans.clear();
        return true;
    }
    if touched.end <= seam && touched.start < seam {
        shift_after(span, edit);
        shift_displacement(hunk, edit);
        return touched.end == seam;
    }
    true
}

fn shift_displacement(hunk: &mut Hunk, edit: &Edit) {
    let Some(displacement) = &mut hunk.displacement else {
        return;
    };
    *displacement += edit.line_delta();
    if matches!(hunk.state, State::InPlace | State::Moved) {
        hunk.state = if *displacement == 0 {
            State::InPlace
        } else {
            State::Moved
        };
    }
}

/// Moves a span by the edit when it lies after it.
fn shift_after(span: &mut Span, edit: &Edit) {
    if span.lines.start < edit.touched().end {
        return;
    }
    span.lines = shift_lines(&span.lines, edit.line_delta());
    span.bytes = edit.shift_byte(span.bytes.start)..edit.shift_byte(span.bytes.end);
}

fn shift_lines(lines: &Range<u32>, delta: i64) -> Range<u32> {
    let shift = |line: u32| u32::try_from(i64::from(line) + delta).unwrap_or(line);
    shift(lines.start)..shift(lines.end)
}
