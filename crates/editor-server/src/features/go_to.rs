//! Jumps from change to change, in a file and across files.

use crate::lsp::ext::{Direction, GoToParams, GoToResult, GoToScope};
use crate::lsp::position::{Position, Range};
use crate::session::handle::Handle;
use crate::session::location::Location;
use crate::session::view::View;

use activity_core::placing::{HunkKind, State};

use super::closed::{all_views, view_of_uri};
use super::failure::Failure;

/// A place to jump to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stop {
    /// Index of its file among the files that are considered.
    file: usize,
    range: Range,
    hunk: String,
}

/// The next or previous change; `None` when there is none at all.
pub(crate) async fn go_to(
    handle: &Handle,
    params: GoToParams,
) -> Result<Option<GoToResult>, Failure> {
    let views = match (params.scope, &params.uri) {
        (GoToScope::File, Some(uri)) => vec![view_of_uri(handle, uri.clone()).await?],
        (GoToScope::File, None) => return Ok(None),
        (GoToScope::All, _) => all_views(handle).await?,
    };
    Ok(choose(&views, &params))
}

fn choose(views: &[View], params: &GoToParams) -> Option<GoToResult> {
    let stops: Vec<Stop> = views
        .iter()
        .enumerate()
        .flat_map(|(file, view)| stops(view, file, params))
        .collect();
    let from = params.uri.as_deref().and_then(|uri| {
        let file = views.iter().position(|view| is_same(&view.uri, uri))?;
        Some((file, params.position.unwrap_or_default().line))
    });
    let (index, wrapped) = pick(&stops, params.direction, from)?;
    let stop = &stops[index];
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Some(GoToResult {
        uri: views[stop.file].uri.to_string(),
        version: views[stop.file].version,
        range: stop.range,
        hunk: stop.hunk.clone(),
        index: number(index + 1),
        total: number(stops.len()),
        wrapped,
    })
}

fn is_same(left: &str, right: &str) -> bool {
    let key = |uri| Location::from_uri(uri).map(|location| location.key());
    left == right || key(left).is_some_and(|left| Some(left) == key(right))
}

/// The stops of a file from top to bottom, one for each line: what begins on the same line is
/// reached by the same jump.
fn stops(view: &View, file: usize, params: &GoToParams) -> Vec<Stop> {
    let wanted = |seen: &crate::session::view::Seen<'_>| {
        let session = params.session.as_deref();
        let turn = params.turn.as_deref();
        session.is_none_or(|session| *seen.part.session == *session)
            && turn.is_none_or(|turn| *seen.owner.activity.turn_id == *turn)
    };
    let mut stops = Vec::new();
    // A file that was created as a whole is one change, at its first line.
    let whole = view.hunks().filter(wanted).find(|seen| {
        seen.hunk.kind == HunkKind::WholeFile
            && seen.hunk.added > 0
            && matches!(
                seen.hunk.state,
                State::InPlace | State::Moved | State::Edited
            )
    });
    if let Some(seen) = whole {
        stops.push(Stop {
            file,
            range: Range::default(),
            hunk: seen.id.to_string(),
        });
    }
    let shown = view.shown().into_iter();
    let mut shown: Vec<Stop> = shown
        .filter(|(seen, _)| wanted(seen))
        .map(|(seen, span)| Stop {
            file,
            range: view.range(span),
            hunk: seen.id.to_string(),
        })
        .collect();
    stops.append(&mut shown);
    stops.dedup_by_key(|stop| stop.range.start.line);
    stops
}

/// Which stop to take from a file and line, and whether that goes over the end.
fn pick(stops: &[Stop], direction: Direction, from: Option<(usize, u32)>) -> Option<(usize, bool)> {
    let last = stops.len().checked_sub(1)?;
    let start = |stop: &Stop| (stop.file, stop.range.start.line);
    // The hunk that the cursor is in is neither before nor after it.
    let is_before = |stop: &Stop, (file, line): (usize, u32)| {
        let Position {
            line: end,
            character,
        } = stop.range.end;
        let end = if character > 0 { end + 1 } else { end };
        (stop.file, end.max(stop.range.start.line + 1)) <= (file, line)
    };
    Some(match (direction, from) {
        (Direction::First, _) | (Direction::Next, None) => (0, false),
        (Direction::Last, _) => (last, false),
        (Direction::Previous, None) => (last, true),
        (Direction::Next, Some(from)) => match stops.iter().position(|stop| start(stop) > from) {
            Some(index) => (index, false),
            None => (0, true),
        },
        (Direction::Previous, Some(from)) => {
            match stops.iter().rposition(|stop| is_before(stop, from)) {
                Some(index) => (index, false),
                None => (last, true),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stops() -> Vec<Stop> {
        [(0, 3, 5), (0, 9, 9), (1, 0, 2)]
            .map(|(file, start, end)| Stop {
                file,
                range: Range::new(Position::new(start, 0), Position::new(end, 0)),
                hunk: String::new(),
            })
            .to_vec()
    }

    /// From a file and line: the stop after and the stop before, and whether they wrapped.
    fn check(from: (usize, u32), next: (usize, bool), previous: (usize, bool)) {
        let stops = stops();
        let go = |direction| pick(&stops, direction, Some(from));
        assert_eq!(go(Direction::Next), Some(next), "next of {from:?}");
        assert_eq!(
            go(Direction::Previous),
            Some(previous),
            "previous of {from:?}"
        );
    }

    #[test]
    fn jumps_go_through_all_files_and_around() {
        check((0, 0), (0, false), (2, true));
        check((0, 3), (1, false), (2, true));
        check((0, 4), (1, false), (2, true));
        check((0, 5), (1, false), (0, false));
        check((0, 9), (2, false), (0, false));
        check((0, 10), (2, false), (1, false));
        check((1, 0), (0, true), (1, false));
        check((1, 7), (0, true), (2, false));
    }

    #[test]
    fn without_a_position_it_begins_at_an_end() {
        let stops = stops();
        assert_eq!(pick(&stops, Direction::Next, None), Some((0, false)));
        assert_eq!(pick(&stops, Direction::Previous, None), Some((2, true)));
        assert_eq!(
            pick(&stops, Direction::First, Some((1, 7))),
            Some((0, false))
        );
        assert_eq!(
            pick(&stops, Direction::Last, Some((0, 0))),
            Some((2, false))
        );
        assert_eq!(pick(&[], Direction::Next, None), None);
    }
}
