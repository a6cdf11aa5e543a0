//! Calls in the dialects of known and unknown agents, and what is made of them.
//!
//! A case is the messages of one call, one JSON object a line: the members of a `tool_call` or
//! `tool_call_update`, or `{"ask": {...}}` for the tool call of a permission question.

mod dialects;
mod properties;
mod rules;

use std::fmt::Write as _;

use expect_test::Expect;
use serde_json::Value;

use super::evidence;
use crate::model::PathStanding;
use crate::path::Workspace;
use crate::profile::{Context, Findings, KnownPaths};
use crate::timeline::tool_call::{CallLocation, DiffBlock, Status, ToolCall};

/// A completed call of which nothing else is known.
pub(super) fn call(id: &str) -> ToolCall {
    let mut call = ToolCall::new(id.into());
    call.status = Status::Completed;
    call
}

/// What the workspace knew before the call, and whether the call is replayed.
#[derive(Default)]
pub(super) struct Setting {
    pub(super) historical: bool,
    pub(super) existing: &'static [&'static str],
}

/// A live call in `/w`, of which the session knows nothing yet.
pub(super) fn check(messages: &str, expect: &Expect) {
    check_in(&Setting::default(), messages, expect);
}

pub(super) fn check_in(setting: &Setting, messages: &str, expect: &Expect) {
    let call = merged(setting, messages);
    expect.assert_eq(&show(&findings(&call, setting.existing)));
}

/// A call that is all told by one message, completed.
pub(super) fn completed(message: &str) -> ToolCall {
    let mut call = merged(&Setting::default(), message);
    call.status = Status::Completed;
    call
}

fn merged(setting: &Setting, messages: &str) -> ToolCall {
    let mut call = call("call");
    call.status = Status::Pending;
    call.historical = setting.historical;
    for line in messages.lines().filter(|line| !line.trim().is_empty()) {
        let message: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        match message.get("ask") {
            Some(asked) => ask(&mut call, asked),
            None => merge(&mut call, &message),
        }
    }
    call
}

fn findings(call: &ToolCall, existing: &[&str]) -> Findings {
    let workspace = Workspace::new("/w", "/w").unwrap();
    let mut known_paths = KnownPaths::default();
    let seen = existing.iter().map(|path| (*path).into()).collect();
    let before = Findings {
        seen,
        ..Findings::default()
    };
    before.seen.iter().for_each(|path| known_paths.insert(path));
    known_paths.note(0, &before);
    evidence(
        call,
        &Context {
            workspace: &workspace,
            known_paths: &known_paths,
            call: 1,
        },
    )
}

fn show(findings: &Findings) -> String {
    let mut shown = String::new();
    for draft in &findings.drafts {
        write!(
            shown,
            "{} {:?} {}",
            draft.tool_name, draft.action, draft.relative_path
        )
        .unwrap();
        if let Some(from) = &draft.from_path {
            write!(shown, " from {from}").unwrap();
        }
        if draft.standing != PathStanding::Known {
            write!(shown, " {:?}", draft.standing).unwrap();
        }
        shown.push('\n');
        for fragment in &draft.fragments {
            let (hint, mut marks) = (&fragment.hint, String::new());
            if let Some(line) = hint.old_line {
                write!(marks, " old@{line}").unwrap();
            }
            if let Some(line) = hint.new_line {
                write!(marks, " new@{line}").unwrap();
            }
            if let Some(context) = &hint.context {
                write!(marks, " under {context:?}").unwrap();
            }
            let flags = [
                (hint.end_of_file, " eof"),
                (hint.replace_all, " all"),
                (hint.masked, " masked"),
            ];
            marks.extend(flags.iter().filter(|(is, _)| *is).map(|(_, word)| *word));
            writeln!(
                shown,
                "  {:?}: {:?} -> {:?}{marks}",
                fragment.evidence, fragment.old_text, fragment.new_text
            )
            .unwrap();
        }
        let whole = (draft.whole.old.as_deref(), draft.whole.new.as_deref());
        if whole != (None, None) {
            writeln!(shown, "  whole {:?} -> {:?}", whole.0, whole.1).unwrap();
        }
    }
    for path in &findings.seen {
        writeln!(shown, "seen {path}").unwrap();
    }
    for notice in &findings.notices {
        writeln!(shown, "note: {notice}").unwrap();
    }
    if findings.failed {
        shown.push_str("failed\n");
    }
    shown
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}

fn raw(value: &Value, name: &str) -> Option<Box<str>> {
    value
        .get(name)
        .filter(|raw| !raw.is_null())
        .map(|raw| raw.to_string().into())
}

fn merge(call: &mut ToolCall, message: &Value) {
    if let Some(title) = text(message, "title") {
        call.title = title.into();
        call.first_title.get_or_insert(call.title.clone());
    }
    call.name = text(message, "name").map(Into::into).or(call.name.take());
    call.kind = text(message, "kind").map(Into::into).or(call.kind.take());
    let status = text(message, "status");
    call.status = match status.as_deref() {
        Some("completed") => Status::Completed,
        Some("failed") => Status::Failed,
        Some("in_progress") => Status::Running,
        _ => call.status,
    };
    call.raw_input = raw(message, "rawInput")
        .filter(|raw| &**raw != "{}")
        .or(call.raw_input.take());
    call.raw_output = raw(message, "rawOutput").or(call.raw_output.take());
    call.metas.extend(raw(message, "_meta"));
    let locations = locations(message);
    if !locations.is_empty() {
        call.locations = locations;
    }
    if message.get("content").is_some() {
        if !call.diffs.is_empty() {
            call.earlier_diffs = std::mem::take(&mut call.diffs);
        }
        call.diffs = diffs(message);
        call.diffs_are_final = status.as_deref() == Some("completed");
        call.text = texts(message);
    }
}

fn ask(call: &mut ToolCall, asked: &Value) {
    call.permission.diffs = diffs(asked);
    call.permission.locations = locations(asked);
    call.permission.raw_input = raw(asked, "rawInput");
    if call.kind.is_none() {
        call.kind = text(asked, "kind").map(Into::into);
    }
}

fn items<'a>(message: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    message
        .get(name)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn locations(message: &Value) -> Vec<CallLocation> {
    let location = |location: &Value| {
        let line = location.get("line").and_then(Value::as_u64);
        let line = line.and_then(|line| u32::try_from(line).ok());
        Some(CallLocation {
            path: text(location, "path")?.into(),
            line,
        })
    };
    items(message, "locations").filter_map(location).collect()
}

fn diffs(message: &Value) -> Vec<DiffBlock> {
    let diff = |block: &Value| {
        (block.get("type")? == "diff").then(|| DiffBlock {
            path: text(block, "path").unwrap_or_default().into(),
            old_path: text(block, "oldPath").map(Into::into),
            old_text: text(block, "oldText").map(Into::into),
            new_text: text(block, "newText").map(Into::into),
            operation: text(block, "operation")
                .or_else(|| text(block.get("_meta")?, "kind"))
                .map(Into::into),
            deleted: block.get("deleted") == Some(&Value::Bool(true)),
            file_type: text(block, "fileType").map(Into::into),
            patch: text(block, "patch").map(Into::into),
        })
    };
    items(message, "content").filter_map(diff).collect()
}

fn texts(message: &Value) -> String {
    let text = |block: &Value| text(block.get("content")?, "text");
    items(message, "content")
        .filter_map(text)
        .collect::<Vec<_>>()
        .join("\n")
}
