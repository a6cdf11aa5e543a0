//! Finds where the fragments of a file stand in its live text.
//!
//! Fragments carry text, seldom lines, and the file has moved on since. [`place`] works backward
//! from the live text: the last fragment's new text is found and its old text put there, then the
//! one before is searched in what results, and so on. So each fragment is searched in the text as
//! it was right after that fragment, where the lines that its evidence names are true, and what a
//! later fragment took away is known to be replaced and not missing.
//!
//! Lines are compared without their endings and trailing blanks. A place is an answer only when
//! something decides for it; of two equally good ones neither is taken.

mod chain;
mod decide;
mod find;
#[cfg(any(test, fuzzing))]
mod fuzz;
mod hunk;
mod input;
mod line;
mod needles;
mod net;
mod pieces;
mod plan;
mod side;
mod undo;

#[cfg(any(test, fuzzing))]
pub use fuzz::fuzz_placing;
pub use hunk::{Hunk, HunkKind, MAX_CANDIDATES, Placement, Reason, Span, State};
pub use input::{Limits, PlaceInput};
pub(crate) use line::{LineStarts, count_breaks};
pub(crate) use pieces::common_ends;

use undo::Undo;

/// Finds the hunks of the fragments of one file, oldest first, in its live text.
pub fn place(text: &str, inputs: &[PlaceInput<'_>], limits: Limits) -> Placement {
    let starts = LineStarts::of(text);
    if text.len() > limits.max_bytes || starts.written() > limits.max_lines {
        return Placement::TooLarge {
            lines: starts.written(),
            bytes: text.len(),
        };
    }
    let mut dictionary = side::Dictionary::default();
    let plans = plan::plan(inputs, &mut dictionary);
    let mut undo = Undo::new(text, starts, &plans, &dictionary);
    undo.run();
    let (mut hunks, chain) = undo.into_hunks();
    net::fold(&mut hunks, &chain);
    Placement::Placed(hunks)
}

/// The text as it was before the fragments, as far as their places are known. Lines that were put
/// back end as the first line of the text does.
pub fn text_before(text: &str, inputs: &[PlaceInput<'_>]) -> String {
    let mut dictionary = side::Dictionary::default();
    let plans = plan::plan(inputs, &mut dictionary);
    let mut undo = Undo::new(text, LineStarts::of(text), &plans, &dictionary);
    undo.run();
    undo.into_hunks().1.to_text()
}
