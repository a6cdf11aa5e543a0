//! Finds where the fragments of a file stand in its live text.
//!
//! Fragments carry text, seldom lines, and the file has moved on since. `place(text, inputs, limits) -> Placement` works backward
//! from the live text: the last fragment's new text is found and its old text put there, then the
//! one before is searched in what results, and so on. So each fragment is searched in the text as
//! it was right after that fragment, where the lines that its evidence names are true, and what a
//! later fragment took away is known to be replaced and not missing.
//!
//! Lines are compared without their endings and trailing blanks. A place is an answer only when
//! something decides for it; of two equally good ones neither is taken.

mod hunk;
mod input;
mod line;

pub use hunk::{Hunk, HunkKind, MAX_CANDIDATES, Placement, Reason, Span, State};
pub use input::{Limits, PlaceInput};
pub(crate) use line::{LineStarts, count_breaks};
