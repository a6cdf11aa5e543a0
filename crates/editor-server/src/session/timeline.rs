//! The timeline of a session for the client.

use std::collections::HashMap;
use std::sync::Arc;

use activity_core::path::Workspace;
use activity_core::timeline::tool_call::Status;
use activity_core::timeline::{Item, ItemKind, Part, Role};

use super::entry::{Entry, number};
use super::location::Location;
use super::publish::action;
use crate::lsp::ext::{PlanEntry, TimelineContent, TimelineFile, TimelineItem, TimelineUpdate};

/// The items at these positions, in order; positions beyond the end are passed over.
pub(crate) fn update(
    entry: &Entry,
    revision: u64,
    positions: impl IntoIterator<Item = usize>,
) -> TimelineUpdate {
    let mut files = Files {
        entry,
        turns: HashMap::new(),
    };
    let durations = durations(entry);
    let items = positions
        .into_iter()
        .filter_map(|position| entry.session.item(position))
        .map(|it| item(entry, &durations, &mut files, it))
        .collect();
    TimelineUpdate {
        session: entry.key.to_string(),
        generation: entry.generation,
        revision,
        length: number(entry.session.item_count()),
        items,
    }
}

/// How long turns took, by the position of the user's words that began them.
fn durations(entry: &Entry) -> HashMap<usize, u64> {
    if entry.durations.is_empty() {
        return HashMap::new();
    }
    let messages = entry.session.user_messages().into_iter();
    messages
        .filter_map(|it| Some((it.position, *entry.durations.get(&it.turn_id?)?)))
        .collect()
}

fn item(
    entry: &Entry,
    durations: &HashMap<usize, u64>,
    files: &mut Files<'_>,
    item: Item,
) -> TimelineItem {
    let content = match item.kind {
        ItemKind::Message { role, parts, .. } => TimelineContent::Message {
            role: match role {
                Role::User => "user".to_owned(),
                Role::Assistant => "agent".to_owned(),
            },
            text: text(&parts),
            parts: parts.iter().filter_map(label).collect(),
            duration_ms: durations.get(&item.position).copied(),
        },
        ItemKind::Thought { parts, .. } => TimelineContent::Thought { text: text(&parts) },
        ItemKind::Tool {
            tool_call_id,
            title,
            kind,
            status,
            parts,
            ..
        } => TimelineContent::ToolCall {
            title: title.to_string(),
            kind: kind.as_deref().map(str::to_owned),
            status: match status {
                Status::Pending => "pending".to_owned(),
                Status::Running => "running".to_owned(),
                Status::Completed => "completed".to_owned(),
                Status::Failed => "failed".to_owned(),
            },
            files: files.of_call(item.turn_id.as_ref(), &tool_call_id, &parts),
            text: output(entry, &parts),
            permission: entry.permissions.get(&tool_call_id).cloned().map(Box::new),
            tool_call: tool_call_id.to_string(),
        },
        ItemKind::Plan { entries } => TimelineContent::Plan {
            entries: entries
                .iter()
                .map(|it| PlanEntry {
                    content: it.content.to_string(),
                    status: it.status.to_string(),
                    priority: it.priority.to_string(),
                })
                .collect(),
        },
    };
    TimelineItem {
        index: number(item.position),
        id: item.id.to_string(),
        turn: item.turn_id.as_deref().map(str::to_owned),
        content,
    }
}

fn text(parts: &[Part]) -> String {
    let texts: Vec<&str> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    texts.join("\n")
}

/// What a tool has written: its text, and what its terminals showed at their end.
fn output(entry: &Entry, parts: &[Part]) -> String {
    let texts: Vec<&str> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Terminal { terminal_id } => entry.terminals.get(terminal_id).map(|it| &**it),
            _ => None,
        })
        .collect();
    texts.join("\n")
}

fn label(part: &Part) -> Option<String> {
    match part {
        Part::Text(_) => None,
        Part::Image { uri, mime_type } => {
            let name = uri.as_deref().or(mime_type.as_deref());
            Some(name.unwrap_or("image").to_owned())
        }
        Part::Attachment { display_name, .. } => Some(display_name.to_string()),
        Part::Diff { path } => Some(path.to_string()),
        Part::Terminal { .. } => Some("terminal".to_owned()),
        Part::Unsupported => Some("unsupported content".to_owned()),
    }
}

/// The files that tool calls changed, turn by turn as they are asked for.
struct Files<'a> {
    entry: &'a Entry,
    turns: HashMap<Arc<str>, HashMap<Arc<str>, Vec<TimelineFile>>>,
}

impl Files<'_> {
    /// The files that a call changed; else those whose diffs it shows.
    fn of_call(
        &mut self,
        turn: Option<&Arc<str>>,
        tool_call: &str,
        parts: &[Part],
    ) -> Vec<TimelineFile> {
        let entry = self.entry;
        let changed = turn.and_then(|turn| {
            let of_turn = self
                .turns
                .entry(Arc::clone(turn))
                .or_insert_with(|| changed_in(entry, turn));
            of_turn.get(tool_call).cloned()
        });
        changed.unwrap_or_else(|| {
            let paths = parts.iter().filter_map(|part| match part {
                Part::Diff { path } => Some(path),
                _ => None,
            });
            let workspace = entry.session.workspace();
            paths.map(|path| named(workspace, path)).collect()
        })
    }
}

/// The files that the calls of a turn changed, by call.
fn changed_in(entry: &Entry, turn: &str) -> HashMap<Arc<str>, Vec<TimelineFile>> {
    let mut by_call: HashMap<Arc<str>, Vec<TimelineFile>> = HashMap::new();
    for row in entry.session.turn_summaries(turn) {
        for activity in &row.activities {
            let location = entry
                .root()
                .and_then(|root| Location::beneath(root, &row.relative_path));
            // The counts of a row are those of its calls when there is only one.
            let counts = row.counts.filter(|_| row.activities.len() == 1);
            by_call
                .entry(Arc::clone(&activity.tool_call_id))
                .or_default()
                .push(TimelineFile {
                    uri: location.map(|location| location.to_uri()),
                    path: row.relative_path.to_string(),
                    action: Some(action(activity.action)),
                    added: counts.map(|it| it.added),
                    removed: counts.map(|it| it.removed),
                    line: activity.fragments.first().and_then(|it| it.hint.new_line),
                });
        }
    }
    by_call
}

/// A path that a call names and did not change, or has not changed yet: relative to the root, with
/// its uri, or as it is where it lies outside.
pub(crate) fn named(workspace: Option<&Workspace>, path: &str) -> TimelineFile {
    let relative = workspace.and_then(|workspace| workspace.resolve(path));
    let location = workspace
        .zip(relative.as_ref())
        .and_then(|(workspace, relative)| Location::beneath(workspace.root(), relative));
    TimelineFile {
        uri: location.map(|location| location.to_uri()),
        path: relative.map_or_else(|| path.to_owned(), |relative| relative.to_string()),
        action: None,
        added: None,
        removed: None,
        line: None,
    }
}
