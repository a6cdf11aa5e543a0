//! A permission request of an agent as the question that a person reads.

use std::collections::HashSet;

use activity_core::host::{Generation, PermissionId};
use activity_core::path::Workspace;
use serde_json::Value;

use crate::lsp::ext::{PermissionOption, PermissionOutcome, PermissionQuestion, TimelineFile};
use crate::session::sources::SessionKey;
use crate::session::timeline;

/// The question that the parameters of `session/request_permission` ask.
pub(crate) fn question(
    key: &SessionKey,
    generation: Generation,
    permission: &PermissionId,
    workspace: Option<&Workspace>,
    params: &Value,
) -> PermissionQuestion {
    let call = &params["toolCall"];
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let tool_call = text(&call["toolCallId"]).unwrap_or_default();
    let raw_input = &call["rawInput"];
    PermissionQuestion {
        session: key.to_string(),
        generation: generation.0,
        permission: permission.to_string(),
        title: text(&call["title"])
            .filter(|title| !title.trim().is_empty())
            .unwrap_or_else(|| format!("tool call {tool_call}")),
        tool_call,
        kind: text(&call["kind"]),
        files: files(workspace, call),
        detail: ["command", "cmd", "reason", "explanation"]
            .iter()
            .find_map(|name| text(&raw_input[*name])),
        options: list(&params["options"])
            .filter_map(|option| {
                Some(PermissionOption {
                    option_id: text(&option["optionId"])?,
                    name: text(&option["name"]).unwrap_or_default(),
                    kind: text(&option["kind"]).unwrap_or_default(),
                })
            })
            .collect(),
    }
}

/// The outcome as the editor knows it.
pub(crate) fn outcome(option: Option<&str>) -> PermissionOutcome {
    option.map_or(PermissionOutcome::Cancelled, |option| {
        PermissionOutcome::Selected {
            option_id: option.to_owned(),
        }
    })
}

/// The files that the question names, each once.
fn files(workspace: Option<&Workspace>, call: &Value) -> Vec<TimelineFile> {
    let located = list(&call["locations"]).map(|location| (&location["path"], &location["line"]));
    let changed = list(&call["content"])
        .filter(|content| content["type"] == "diff")
        .map(|diff| (&diff["path"], &Value::Null));
    let mut files: Vec<TimelineFile> = Vec::new();
    let mut known = HashSet::new();
    for (path, line) in located.chain(changed) {
        let Some(path) = path.as_str() else { continue };
        let file = timeline::named(workspace, path);
        if !known.insert(file.path.clone()) {
            continue;
        }
        let line = line.as_u64().and_then(|line| line.checked_sub(1));
        files.push(TimelineFile {
            line: line.and_then(|line| u32::try_from(line).ok()),
            ..file
        });
    }
    files
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
