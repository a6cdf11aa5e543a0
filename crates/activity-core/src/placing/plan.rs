//! Fragments as they are searched for: cut into lines and changed runs.

use super::input::PlaceInput;
use super::pieces::{Piece, pieces};
use super::side::{Dictionary, LineId, Side};

/// A fragment, cut into lines and changed runs.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub(super) input: PlaceInput<'a>,
    pub(super) old: Side<'a>,
    pub(super) new: Side<'a>,
    pub(super) pieces: Vec<Piece>,
    /// The line that stands above the fragment, as its evidence says.
    pub(super) head: Option<LineId>,
}

/// Cuts all fragments and numbers their lines.
pub(super) fn plan<'a>(
    inputs: &[PlaceInput<'a>],
    dictionary: &mut Dictionary<'a>,
) -> Vec<Plan<'a>> {
    let mut plan = |input: &PlaceInput<'a>| {
        let fragment = input.fragment;
        let masked = fragment.hint.masked;
        let old = Side::new(&fragment.old_text, masked, dictionary);
        let new = Side::new(&fragment.new_text, masked, dictionary);
        let pieces = pieces(&old, &new);
        let head = fragment
            .hint
            .context
            .as_deref()
            .map(|head| dictionary.intern(head));
        Plan {
            input: *input,
            old,
            new,
            pieces,
            head,
        }
    };
    inputs.iter().map(&mut plan).collect()
}

impl<'a> Plan<'a> {
    /// The call and both texts: equal for fragments that can stand for each other.
    pub(super) fn texts(&self) -> (usize, &'a str, &'a str) {
        let fragment = self.input.fragment;
        (self.input.call, &fragment.old_text, &fragment.new_text)
    }
}
