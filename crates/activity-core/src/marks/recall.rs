//! What marks know better than a fresh placing, which has only the text.

use super::Marks;
use crate::placing::{Hunk, HunkKind, Reason, State};

impl Marks {
    /// Lets the marks of before decide where this placing, of the same text, could not: of several
    /// equal places the one that was marked stays the hunk's, lines that were left of it stay
    /// marked though they are too short or too common to be found by themselves, and so does a seam
    /// into which somebody typed.
    ///
    /// `known` gives the hunk of before by the index of the hunk here, at its place in this text.
    pub fn recall<'k>(&mut self, known: impl Fn(usize) -> Option<&'k Hunk>) {
        for (index, hunk) in self.hunks.iter_mut().enumerate() {
            if hunk.kind == HunkKind::WholeFile || !is_undecided(hunk) {
                continue;
            }
            let Some(known) = known(index).filter(|known| !known.spans.is_empty()) else {
                continue;
            };
            let is_whole = matches!(known.state, State::InPlace | State::Moved);
            let decides = match hunk.state {
                State::Ambiguous => is_whole,
                State::NotFound(Reason::SeamUnknown) => known.state == State::Deleted,
                _ => known.state == State::Edited,
            };
            if decides {
                hunk.state = known.state;
                hunk.spans.clone_from(&known.spans);
                hunk.displacement = known.displacement;
                hunk.candidates.clear();
            }
        }
    }
}

fn is_undecided(hunk: &Hunk) -> bool {
    match hunk.state {
        State::Ambiguous => true,
        State::NotFound(why) => matches!(
            why,
            Reason::TextGone | Reason::TooCommon | Reason::SeamUnknown
        ),
        State::Edited => hunk.spans.is_empty(),
        _ => false,
    }
}
