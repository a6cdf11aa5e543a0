//! `acpLens/diff`: the old and new text of a file in a tool call, a turn or a session.

use std::sync::Arc;
use std::time::Duration;

use activity_core::model::{Activity, FileGroup, Net};
use similar::{DiffOp, DiffTag, TextDiff};

use super::content::{Side, uri};
use super::failure::Failure;
use crate::lsp::ext::{DiffHunk, DiffParams, DiffResult, DiffScope, ErrorKind};
use crate::session::entry::Entry;
use crate::session::state::State;

/// How long two texts are compared before the answer may be coarse.
const PATIENCE: Duration = Duration::from_millis(300);

/// Both sides of a diff, read from a session; comparing them is done elsewhere.
#[derive(Debug, Clone)]
pub(crate) struct Sides {
    params: DiffParams,
    revision: u64,
    label: String,
    texts: Option<(Arc<str>, Arc<str>)>,
    net: bool,
}

/// Finds both sides.
pub(crate) fn sides(state: &State, params: DiffParams) -> Result<Sides, Failure> {
    let entry = state
        .session(&params.session)
        .ok_or_else(|| Failure::gone("the session"))?;
    let path = params.relative_path.as_str();
    let group = entry.session.file(path).ok_or_else(|| {
        let message = format!("the session changed no file {path}");
        Failure::new(ErrorKind::NotFound, message)
    })?;
    let number = |turn: &str| {
        let turns = entry.session.turns();
        turns.iter().position(|known| &*known.id == turn)
    };
    let (net, declared, scope) = match &params.scope {
        DiffScope::Session => {
            let declared = group.changes.iter().filter_map(|change| {
                let diff = change.diff.as_ref()?;
                Some((Arc::clone(&diff.old_text), Arc::clone(&diff.new_text)))
            });
            (group.net.clone(), join(declared), "session".to_owned())
        }
        DiffScope::Turn { turn } => {
            let change = group.changes.iter().find(|it| *it.turn_id == **turn);
            let change = change.ok_or_else(|| Failure::gone("the turn's change"))?;
            let net = of_path(entry.session.turn_net(turn), path);
            let declared = change
                .diff
                .as_ref()
                .map(|diff| (Arc::clone(&diff.old_text), Arc::clone(&diff.new_text)));
            let number = number(turn).map_or(0, |index| index + 1);
            (net, declared, format!("turn {number}"))
        }
        DiffScope::ToolCall { tool_call } => {
            let activities = of_call(&group, tool_call);
            let first = activities
                .first()
                .ok_or_else(|| Failure::gone("the tool call's change"))?;
            let net = of_path(entry.session.call_net(&first.turn_id, tool_call), path);
            let fragments = activities.iter().flat_map(|activity| &activity.fragments);
            let declared =
                join(fragments.map(|it| (Arc::clone(&it.old_text), Arc::clone(&it.new_text))));
            let number = number(&first.turn_id).map_or(0, |index| index + 1);
            (net, declared, format!("turn {number}, {}", first.tool_name))
        }
    };
    Ok(Sides {
        label: label(entry, state, path, &scope),
        revision: state.revision,
        net: net.is_some(),
        texts: net
            .map(|net| (net.texts.old_text, net.texts.new_text))
            .or(declared),
        params,
    })
}

/// `a.txt (turn 2)`; with the agent where there is more than one session.
fn label(entry: &Entry, state: &State, path: &str, scope: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    match entry.agent_name().filter(|_| state.sessions.len() > 1) {
        Some(agent) => format!("{name} ({agent}, {scope})"),
        None => format!("{name} ({scope})"),
    }
}

fn of_path(nets: Vec<(Arc<str>, Option<Net>)>, path: &str) -> Option<Net> {
    nets.into_iter().find(|(known, _)| &**known == path)?.1
}

fn of_call(group: &FileGroup, tool_call: &str) -> Vec<Arc<Activity>> {
    let activities = group.activities.iter();
    activities
        .filter(|activity| &*activity.tool_call_id == tool_call)
        .cloned()
        .collect()
}

/// Pieces that do not compose, one after the other, each on lines of its own and with a blank line
/// between two: where they stand in the file is not known, but not next to each other.
fn join(pieces: impl Iterator<Item = (Arc<str>, Arc<str>)>) -> Option<(Arc<str>, Arc<str>)> {
    let pieces: Vec<_> = pieces.collect();
    if let [(old, new)] = pieces.as_slice() {
        return Some((Arc::clone(old), Arc::clone(new)));
    }
    let mut sides = (String::new(), String::new());
    for (index, (old, new)) in pieces.iter().enumerate() {
        for (side, text) in [(&mut sides.0, old), (&mut sides.1, new)] {
            if !side.is_empty() && !side.ends_with('\n') {
                side.push('\n');
            }
            if index > 0 {
                side.push('\n');
            }
            side.push_str(text);
        }
    }
    (!pieces.is_empty()).then(|| (sides.0.into(), sides.1.into()))
}

impl Sides {
    /// One side as text, or both as a unified diff; why there is nothing, where there is nothing.
    pub(crate) fn text(&self, side: Side) -> String {
        let Some((old, new)) = &self.texts else {
            return match side {
                Side::Diff => format!("# {}\n", self.reason(false).unwrap_or_default()),
                Side::Before | Side::After => String::new(),
            };
        };
        match side {
            Side::Before => old.to_string(),
            Side::After => new.to_string(),
            Side::Diff => self.unified(old, new),
        }
    }

    fn unified(&self, old: &str, new: &str) -> String {
        if old == new {
            return format!("# {}\n", self.reason(true).unwrap_or_default());
        }
        let path = &self.params.relative_path;
        let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
        diff.unified_diff()
            .context_radius(3)
            .header(&format!("a/{path}"), &format!("b/{path}"))
            .to_string()
    }

    fn reason(&self, are_equal: bool) -> Option<String> {
        match &self.texts {
            None => Some("the agent sent no text for this change".to_owned()),
            Some(_) if are_equal => {
                Some("no net change: what was changed was changed back".to_owned())
            }
            Some(_) => None,
        }
    }

    /// Compares both sides.
    pub(crate) fn compare(&self) -> DiffResult {
        let texts = self.texts.as_ref();
        let hunks = texts.map(|(old, new)| {
            let diff = TextDiff::configure()
                .timeout(PATIENCE)
                .diff_lines(&**old, &**new);
            diff.ops()
                .iter()
                .filter(|op| op.tag() != DiffTag::Equal)
                .map(hunk)
                .collect::<Vec<_>>()
        });
        let lines = |count: fn(&DiffHunk) -> u32| {
            let counts = hunks.as_ref()?.iter().map(count);
            Some(counts.map(u64::from).sum())
        };
        DiffResult {
            revision: self.revision,
            label: self.label.clone(),
            old_uri: uri(&self.params, Side::Before),
            new_uri: uri(&self.params, Side::After),
            added: lines(|hunk| hunk.new_lines),
            removed: lines(|hunk| hunk.old_lines),
            net: self.net,
            reason: self.reason(texts.is_some_and(|(old, new)| old == new)),
            old_text: texts.map(|(old, _)| old.to_string()),
            new_text: texts.map(|(_, new)| new.to_string()),
            hunks: hunks.unwrap_or_default(),
        }
    }

    /// The title.
    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    /// The uri of the unified diff.
    pub(crate) fn diff_uri(&self) -> String {
        uri(&self.params, Side::Diff)
    }
}

fn hunk(op: &DiffOp) -> DiffHunk {
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    let (old, new) = (op.old_range(), op.new_range());
    DiffHunk {
        old_start: number(old.start),
        old_lines: number(old.len()),
        new_start: number(new.start),
        new_lines: number(new.len()),
    }
}
