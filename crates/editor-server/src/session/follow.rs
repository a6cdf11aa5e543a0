//! The setting `follow`: reveal what a living agent edits, never taking the focus.

use activity_core::model::Action;

use super::location::Location;
use super::outgoing::Outgoing;
use super::publish::Pending;
use super::state::State;
use crate::lsp::ext::SessionSource;

/// What to show for this batch: the file that was edited last, at its newest hunk if that is known.
///
/// Nothing while a session is replayed or loaded: what happened long ago is not followed.
pub(crate) fn reveal(state: &State, pending: &Pending) -> Option<Outgoing> {
    if !state.settings.follow || !state.client.shows_documents {
        return None;
    }
    let edited = pending.edited.iter().filter_map(|(key, path)| {
        let entry = state.session(key)?;
        let group = match entry.source {
            SessionSource::Trace => None,
            SessionSource::Host | SessionSource::Tap => entry.session.file(path),
        }?;
        let newest = group.activities.last()?.clone();
        Some((entry.arrival(&newest), newest, entry))
    });
    let (_, newest, entry) = edited.max_by_key(|(arrival, it, _)| (*arrival, it.sequence))?;
    if newest.action == Action::Deleted {
        return None;
    }
    let location = Location::beneath(entry.root()?, &newest.relative_path)?;
    let document = state
        .files
        .find(&location)
        .and_then(|file| state.open(file));
    let uri = document.map_or_else(|| location.to_uri(), |it| it.uri.to_string());
    let selection = document.and_then(|it| state.view(it)).and_then(|view| {
        let shown = view.shown();
        let of_call = shown
            .iter()
            .find(|(seen, _)| seen.owner.activity.tool_call_id == newest.tool_call_id)?;
        Some(view.range(of_call.1))
    });
    Some(Outgoing::Show {
        uri,
        selection,
        otherwise: None,
    })
}
