//! A session's answers, in the form of the JSON contract.

use acp_grammar::wire::Update;
use activity_core::event::Event;
use activity_core::model::{Action, LineCounts};
use activity_core::profile::{Profile, ProfileChoice};
use activity_core::session::{Options, Session, TimelineText};
use serde_json::{Map, Value, json};

/// A session of profile `openclaw`.
pub(crate) fn openclaw(root: &str, cwd: &str, text: TimelineText) -> Session {
    let options = Options {
        profile: ProfileChoice::Fixed(Profile::Openclaw),
        workspace_root: Some(root.into()),
        cwd: Some(cwd.into()),
        text,
    };
    Session::new("s", options)
}

/// Applies one update object.
pub(crate) fn apply(session: &mut Session, update: &Value) {
    let json = update.to_string();
    session.apply(Event::Update(Update::decode(&json).expect("an object")));
}

/// The ids of the timeline's items, in order.
pub(crate) fn item_ids(session: &Session) -> Vec<String> {
    let items = (0..session.item_count()).map(|position| session.item(position));
    items
        .map(|item| item.expect("text is kept").id.to_string())
        .collect()
}

/// What the session says about files.
pub(crate) fn projection(session: &Session) -> Value {
    let activities: Vec<Value> = session
        .activities()
        .iter()
        .map(|activity| {
            let fragments = activity.fragments.iter().map(|fragment| {
                json!({
                    "oldText": *fragment.old_text, "newText": *fragment.new_text,
                    "sequence": fragment.sequence,
                })
            });
            json!({
                "turnId": *activity.turn_id, "toolCallId": *activity.tool_call_id,
                "toolName": *activity.tool_name, "relativePath": *activity.relative_path,
                "action": action(activity.action), "fragments": fragments.collect::<Vec<_>>(),
                "sequence": activity.sequence,
            })
        })
        .collect();
    let mut summaries = Map::new();
    for turn in session.turns() {
        let rows: Vec<Value> = session
            .turn_summaries(&turn.id)
            .iter()
            .map(summary)
            .collect();
        if !rows.is_empty() {
            summaries.insert(turn.id.to_string(), rows.into());
        }
    }
    let files = session.files();
    let changes = files.iter().map(|file| {
        let turns = file.changes.iter().map(|change| {
            let mut ids: Vec<&str> =
                change.activities.iter().map(|activity| &*activity.tool_call_id).collect();
            ids.dedup();
            let diff = change.diff.as_ref();
            json!({
                "turnId": *change.turn_id, "sequence": change.sequence, "toolCallIds": ids,
                "diff": diff.map(|diff| json!({"oldText": *diff.old_text, "newText": *diff.new_text})),
            })
        });
        json!({"relativePath": *file.relative_path, "turns": turns.collect::<Vec<_>>()})
    });
    json!({
        "activities": activities, "turnSummaries": summaries,
        "uniqueFileCount": files.len(), "changes": changes.collect::<Vec<_>>(),
    })
}

fn summary(summary: &activity_core::model::FileSummary) -> Value {
    let count = |side: fn(LineCounts) -> u64| summary.counts.map(side);
    json!({
        "relativePath": *summary.relative_path, "action": action(summary.action),
        "added": count(|counts| counts.added), "removed": count(|counts| counts.removed),
        "sequences": summary.activities.iter().map(|activity| activity.sequence).collect::<Vec<_>>(),
    })
}

fn action(action: Action) -> &'static str {
    match action {
        Action::Created => "created",
        Action::Modified => "modified",
        Action::Deleted => "deleted",
        Action::Moved => "moved",
    }
}
