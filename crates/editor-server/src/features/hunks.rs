//! `acpLens/hunks`: every hunk of a file.

use activity_core::placing::{HunkKind, Reason, State};

use crate::lsp::ext::{self, HunkState, HunksResult};
use crate::session::view::{Seen, View};

/// The hunks of a view: those in the text from top to bottom, then the others in order.
pub(crate) fn answer(view: &View, with_text: bool) -> HunksResult {
    let mut hunks: Vec<(Option<usize>, ext::Hunk)> = view
        .hunks()
        .map(|seen| {
            let at = seen.hunk.shown_at().map(|span| span.bytes.start);
            (at, hunk(view, seen, with_text))
        })
        .collect();
    hunks.sort_by_key(|(at, _)| (at.is_none(), *at));
    HunksResult {
        uri: view.uri.to_string(),
        version: view.version,
        revision: view.revision,
        hunks: hunks.into_iter().map(|(_, hunk)| hunk).collect(),
        limit: view.placed.facts.limit.clone(),
    }
}

fn hunk(view: &View, seen: Seen<'_>, with_text: bool) -> ext::Hunk {
    let Seen {
        hunk,
        id,
        owner,
        part,
    } = seen;
    ext::Hunk {
        id: id.to_string(),
        range: hunk.shown_at().map(|span| view.range(span)),
        kind: kind(seen),
        whole_file: hunk.kind == HunkKind::WholeFile,
        state: state(hunk.state),
        session: part.session.to_string(),
        agent: part.agent.as_deref().map(str::to_owned),
        turn: owner.activity.turn_id.to_string(),
        turn_number: owner.turn_number,
        tool_call: owner.activity.tool_call_id.to_string(),
        added: u64::from(hunk.added),
        removed: u64::from(hunk.removed),
        candidates: hunk
            .candidates
            .iter()
            .map(|span| view.range(span))
            .collect(),
        replaces: replaced(view, seen)
            .map(|earlier| earlier.id.to_string())
            .collect(),
        reason: reason(seen),
        old_text: with_text.then(|| seen.old_text().to_owned()),
        new_text: with_text.then(|| seen.new_text().to_owned()),
    }
}

/// The earlier hunks that a hunk took the place of.
pub(crate) fn replaced<'a>(view: &'a View, seen: Seen<'a>) -> impl Iterator<Item = Seen<'a>> {
    let earlier = view.placed.facts.replaced_by(seen.hunk.fragment);
    earlier.iter().filter_map(|&index| view.nth(index))
}

fn kind(seen: Seen<'_>) -> ext::HunkKind {
    match seen.hunk.kind {
        HunkKind::Added => ext::HunkKind::Added,
        HunkKind::Deleted => ext::HunkKind::Deleted,
        HunkKind::WholeFile if seen.hunk.removed == 0 => ext::HunkKind::Added,
        HunkKind::WholeFile if seen.hunk.added == 0 => ext::HunkKind::Deleted,
        HunkKind::Modified | HunkKind::WholeFile => ext::HunkKind::Modified,
    }
}

fn state(state: State) -> HunkState {
    match state {
        State::InPlace => HunkState::InPlace,
        State::Moved => HunkState::Moved,
        State::Edited => HunkState::Edited,
        State::Replaced => HunkState::Replaced,
        State::Reverted => HunkState::Reverted,
        State::Ambiguous => HunkState::Ambiguous,
        State::NotFound(_) => HunkState::NotFound,
        State::Deleted => HunkState::Deleted,
    }
}

/// Why a hunk has its state, where that needs words.
pub(crate) fn reason(seen: Seen<'_>) -> Option<String> {
    let words = match seen.hunk.state {
        State::NotFound(Reason::TextGone) => {
            "neither the new nor the old text stands in the file".to_owned()
        }
        State::NotFound(Reason::SeamUnknown) => {
            "text was deleted, and nothing says where it stood".to_owned()
        }
        State::NotFound(Reason::TooCommon) => {
            "what is left of it is too common to say where it stood".to_owned()
        }
        State::NotFound(Reason::Masked) => {
            "the agent masked a secret in it, so it cannot be searched for".to_owned()
        }
        State::NotFound(Reason::FileExists) => {
            "the agent deleted the file, and it exists with another text".to_owned()
        }
        State::NotFound(Reason::NoText) => "the agent sent no text for it".to_owned(),
        State::Ambiguous => {
            let places = seen.hunk.candidates.len();
            format!("the text stands at {places} places and nothing says which one is meant")
        }
        State::Moved => {
            let lines = seen.hunk.displacement.unwrap_or_default();
            let (count, way) = (lines.unsigned_abs(), if lines < 0 { "up" } else { "down" });
            let unit = if count == 1 { "line" } else { "lines" };
            format!("moved {count} {unit} {way}")
        }
        State::Edited if seen.hunk.spans.is_empty() => {
            "it was changed since, and no whole line of it is left".to_owned()
        }
        State::Edited => "part of it was changed since".to_owned(),
        State::Reverted => "the text from before stands again".to_owned(),
        State::Replaced if seen.hunk.replaced_by.is_none() => {
            "it put back what an earlier change had taken away; together they are no change"
                .to_owned()
        }
        State::InPlace | State::Replaced | State::Deleted => return None,
    };
    Some(words)
}
