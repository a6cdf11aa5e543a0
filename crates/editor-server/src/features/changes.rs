//! `acpLens/sessions` and `acpLens/changes`: what sessions changed, as a tree.

use super::failure::Failure;
use crate::lsp::ext::{
    ChangesParams, ChangesResult, RequestedChange, SessionChanges, SessionsResult,
};
use crate::session::entry::Entry;
use crate::session::publish::{action, changed_files};
use crate::session::state::State;

/// Every known session.
pub(crate) fn sessions(state: &State) -> SessionsResult {
    SessionsResult {
        revision: state.revision,
        sessions: state.sessions.iter().map(Entry::info).collect(),
    }
}

/// The changes of one session or of all, of one turn or of all.
pub(crate) fn changes(state: &State, params: &ChangesParams) -> Result<ChangesResult, Failure> {
    let wanted = params.session.as_deref();
    let sessions: Vec<&Entry> = state
        .sessions
        .iter()
        .filter(|entry| wanted.is_none_or(|key| *entry.key == *key))
        .collect();
    if wanted.is_some() && sessions.is_empty() {
        return Err(Failure::gone("the session"));
    }
    let turn = params.turn.as_deref();
    if let (Some(turn), [entry]) = (turn, sessions.as_slice())
        && !entry.session.turns().iter().any(|known| &*known.id == turn)
    {
        return Err(Failure::gone("the turn"));
    }
    Ok(ChangesResult {
        revision: state.revision,
        sessions: sessions
            .into_iter()
            .map(|entry| of_session(state, entry, turn))
            .collect(),
    })
}

fn of_session(state: &State, entry: &Entry, turn: Option<&str>) -> SessionChanges {
    let is_wanted = |id: &str| turn.is_none_or(|turn| turn == id);
    let mut files = changed_files(state, entry, &entry.session.paths());
    for file in &mut files {
        file.turns.retain(|record| is_wanted(&record.turn));
    }
    files.retain(|file| !file.turns.is_empty());
    if turn.is_some() {
        // A turn has an order of its own.
        files.sort_by_key(|file| file.turns.first().map(|record| record.sequence));
    }
    let requested = entry.session.requested().into_iter();
    SessionChanges {
        session: entry.info(),
        turns: entry.turn_infos(|id| is_wanted(id)),
        files,
        requested: requested
            .filter(|it| is_wanted(&it.turn_id))
            .map(|it| RequestedChange {
                turn: it.turn_id.to_string(),
                tool_call: it.tool_call_id.to_string(),
                tool_name: it.draft.tool_name.to_string(),
                relative_path: it.draft.relative_path.to_string(),
                action: action(it.draft.action),
                open: it.open,
            })
            .collect(),
    }
}
