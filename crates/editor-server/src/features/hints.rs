//! Hint diagnostics, for editors that draw no lenses.

use super::lenses::{has_several_sessions, hunk_title};
use crate::lsp::position::Range;
use crate::session::view::View;

/// One hint for each shown hunk, from top to bottom.
pub(crate) fn of(view: &View) -> Vec<(Range, String)> {
    let several = has_several_sessions(view);
    view.shown()
        .into_iter()
        .map(|(seen, span)| (view.range(span), hunk_title(seen, several)))
        .collect()
}
