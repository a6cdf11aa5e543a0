//! Code actions at a hunk.

use super::lenses::{Does, has_several_sessions, hunk_title};
use crate::lsp::position::{Position, Range};
use crate::session::view::{Seen, View};

/// An action: what it is called and what it does to which hunk.
#[derive(Debug)]
pub(crate) struct Offered<'a> {
    pub(crate) title: String,
    pub(crate) does: Offer,
    pub(crate) hunk: Seen<'a>,
}

/// What an action does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offer {
    Lens(Does),
    CopyOldText,
}

/// A selection over a whole file must not offer hundreds of actions.
const MAX_HUNKS: usize = 4;

/// The actions for a range: those of the first few hunks that it touches.
pub(crate) fn at(view: &View, range: Range) -> Vec<Offered<'_>> {
    let several = has_several_sessions(view);
    let mut offered = Vec::new();
    for seen in touched(view, range).into_iter().take(MAX_HUNKS) {
        let title = hunk_title(seen, several);
        let mut offer = |what: &str, does| {
            offered.push(Offered {
                title: format!("{what} ({title})"),
                does,
                hunk: seen,
            });
        };
        offer("Show the agent's diff", Offer::Lens(Does::ShowDiff));
        offer("Next agent change", Offer::Lens(Does::Next));
        offer("Previous agent change", Offer::Lens(Does::Previous));
        if !seen.old_text().is_empty() {
            offer(
                "Copy the text before the agent's change",
                Offer::CopyOldText,
            );
        }
    }
    offered
}

fn touched(view: &View, range: Range) -> Vec<Seen<'_>> {
    if range.start.line == range.end.line {
        let shown = view.shown_at(range.start);
        return shown.into_iter().map(|(seen, _)| seen).collect();
    }
    let end = match range.end {
        // A selection of whole lines ends at the start of the line below.
        Position { line, character: 0 } => line,
        Position { line, .. } => line + 1,
    };
    let mut shown = view.shown();
    shown.retain(|(seen, _)| {
        seen.hunk.spans.iter().any(|span| {
            let last = span.lines.end.max(span.lines.start + 1);
            span.lines.start < end && range.start.line < last
        })
    });
    shown.into_iter().map(|(seen, _)| seen).collect()
}
