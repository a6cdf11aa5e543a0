//! Code lenses: one for the file on its first line, and some at each hunk.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use activity_core::model::Action;

use crate::session::settings::CodeLens;
use crate::session::view::{Seen, View};

/// A lens: a title above a line, and what it does.
#[derive(Debug)]
pub(crate) struct Lens {
    /// Line from 0.
    pub(crate) line: u32,
    pub(crate) title: Cow<'static, str>,
    pub(crate) does: Does,
    /// The hunk that it is about; the file when `None`.
    pub(crate) hunk: Option<LensHunk>,
}

/// The hunk of a lens, and whose it is.
#[derive(Debug, Clone)]
pub(crate) struct LensHunk {
    pub(crate) id: Arc<str>,
    pub(crate) session: Arc<str>,
    pub(crate) turn: Arc<str>,
}

/// What a lens does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    ShowChanges,
    ShowDiff,
    Next,
    Previous,
}

/// The lenses of a view, from top to bottom.
pub(crate) fn of(view: &View) -> Vec<Lens> {
    let mut lenses = Vec::new();
    if view.code_lens == CodeLens::Off || view.sources().activities.is_empty() {
        return lenses;
    }
    lenses.push(Lens {
        line: 0,
        title: file_title(view).into(),
        does: Does::ShowChanges,
        hunk: None,
    });
    if view.code_lens == CodeLens::File {
        return lenses;
    }
    let several_agents = has_several_sessions(view);
    let last_line = u32::try_from(view.text.line_count() - 1).unwrap_or(u32::MAX);
    let shown = view.shown();
    lenses.reserve(shown.len() * 4);
    for (seen, span) in shown {
        // The seam after the last line has no line of its own.
        let line = span.lines.start.min(last_line);
        let hunk = LensHunk {
            id: Arc::clone(seen.id),
            session: Arc::clone(&seen.part.session),
            turn: Arc::clone(&seen.owner.activity.turn_id),
        };
        let mut push = |title: Cow<'static, str>, does| {
            lenses.push(Lens {
                line,
                title,
                does,
                hunk: Some(hunk.clone()),
            });
        };
        push(hunk_title(seen, several_agents).into(), Does::ShowChanges);
        push("Show diff".into(), Does::ShowDiff);
        push("Previous".into(), Does::Previous);
        push("Next".into(), Does::Next);
    }
    lenses
}

/// `Agent: 3 edits in 2 turns, +12 -4`, and what else should be known of the file.
fn file_title(view: &View) -> String {
    let totals = &view.placed.facts.totals;
    let edits = count(totals.edits, "edit");
    let turns = count(totals.turns, "turn");
    let mut title = format!("Agent: {edits} in {turns}");
    if let Some(counts) = totals.counts {
        let _ = write!(title, ", +{} -{}", counts.added, counts.removed);
    }
    match totals.action {
        Some(Action::Created) => title += ", created",
        Some(Action::Deleted) => title += ", deleted",
        Some(Action::Moved) => title += ", moved",
        Some(Action::Modified) | None => {}
    }
    if let Some(limit) = &view.placed.facts.limit {
        let _ = write!(title, " ({limit})");
    }
    title
}

/// `turn 2: +3 -1`, with the agent where several worked on the file, and a word about the state.
pub(crate) fn hunk_title(seen: Seen<'_>, with_agent: bool) -> String {
    let (number, hunk) = (seen.owner.turn_number, seen.hunk);
    let mut title = format!("turn {number}: +{} -{}", hunk.added, hunk.removed);
    if with_agent && let Some(agent) = &seen.part.agent {
        title = format!("{agent}, {title}");
    }
    if let Some(remark) = seen.remark() {
        title += ", ";
        title += remark;
    }
    title
}

/// Whether more than one session worked on the file.
pub(crate) fn has_several_sessions(view: &View) -> bool {
    let mut sessions = view.sources().parts.iter().map(|part| &part.session);
    let first = sessions.next();
    sessions.any(|session| Some(session) != first)
}

/// `1 edit`, `2 edits`.
pub(crate) fn count(count: usize, unit: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural}")
}
