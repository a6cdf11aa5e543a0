//! Traces that tell less, or tell it otherwise.

use anyhow::Result;
use e2e::random::Random;
use serde_json::{Map, Value};

use super::listing::ByCall;

/// Optional members of a tool call, and of the tool call of a permission question.
const MEMBERS: &[&str] = &[
    "title",
    "kind",
    "name",
    "content",
    "locations",
    "rawInput",
    "rawOutput",
    "_meta",
];

/// Members of vendors' objects that another agent would not have.
const VENDOR_MEMBERS: &[&str] = &[
    "claudeCode",
    "toolResponse",
    "toolName",
    "structuredPatch",
    "originalFile",
    "oldString",
    "newString",
    "details",
    "patch",
    "diff",
    "created",
    "changed",
    "summary",
    "originalContent",
    "newContent",
    "fileDiff",
    "metadata",
    "filediff",
    "filepath",
    "exists",
    "changes",
    "unified_diff",
    "move_path",
    "stdout",
    "files",
    "file_path",
    "filePath",
    "old_string",
    "new_string",
    "oldText",
    "kind",
    "type",
    "input",
    "edits",
];

/// All mutations of a trace, each with what was done.
///
/// Messages of calls that list nothing stay as they are: what they tell is why nothing is listed.
pub(crate) fn all(trace: &str, whole: &ByCall) -> Result<Vec<(String, String)>> {
    let lines: Vec<Value> = trace
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let lists = |call: &Map<String, Value>| {
        let id = call
            .get("toolCallId")
            .and_then(Value::as_str)
            .unwrap_or_default();
        whole.keys().any(|(listed, _)| listed == id)
    };
    let mut all = Vec::new();
    for member in MEMBERS {
        let without = mutated(&lines, |call| {
            if lists(call) {
                call.remove(*member);
            }
        });
        all.push((format!("no {member}"), without));
    }
    for member in VENDOR_MEMBERS {
        let renamed = mutated(&lines, |call| {
            if lists(call) {
                for part in ["rawInput", "rawOutput", "_meta"] {
                    if let Some(value) = call.get_mut(part) {
                        rename(value, member);
                    }
                }
            }
        });
        all.push((format!("{member} under another name"), renamed));
    }
    all.push((
        "no permission questions".to_owned(),
        without_questions(&lines),
    ));
    all.push((
        "each member in a message of its own".to_owned(),
        split(&lines),
    ));
    all.push((
        "updates of different calls swapped".to_owned(),
        swapped(&lines),
    ));
    all.retain(|(_, text)| *text != joined(&lines));
    Ok(all)
}

/// A trace in which about every sixth member of the calls that list something is gone, at any depth.
pub(crate) fn thinned(trace: &str, whole: &ByCall, seed: u64) -> Result<String> {
    let mut lines: Vec<Value> = trace
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let mut random = Random::new(seed);
    for call in lines.iter_mut().filter_map(tool_call) {
        let id = call
            .get("toolCallId")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if whole.keys().any(|(listed, _)| listed == id) {
            thin_members(&mut random, call);
        }
    }
    Ok(joined(&lines))
}

fn thin_members(random: &mut Random, members: &mut Map<String, Value>) {
    let is_fixed = |name: &str| matches!(name, "sessionUpdate" | "toolCallId" | "status");
    members.retain(|name, _| is_fixed(name) || random.below(6) > 0);
    for (name, value) in members {
        match (name.as_str(), value) {
            ("content" | "locations", Value::Array(items)) => {
                for item in items {
                    thin_item(random, item);
                }
            }
            (_, value) => thin(random, value),
        }
    }
}

/// A diff block or a location: its path is required, and that a diff has no old text says something,
/// namely that the file is new.
fn thin_item(random: &mut Random, item: &mut Value) {
    let kept: Vec<(&str, Value)> = ["path", "oldText"]
        .into_iter()
        .filter_map(|name| Some((name, item.get(name)?.clone())))
        .collect();
    thin(random, item);
    for (name, value) in kept {
        item[name] = value;
    }
}

fn thin(random: &mut Random, value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| thin(random, item)),
        Value::Object(members) => thin_members(random, members),
        _ => {}
    }
}

/// The tool call of a message, if it has one.
fn tool_call(line: &mut Value) -> Option<&mut Map<String, Value>> {
    let params = line.get_mut("msg")?.get_mut("params")?.as_object_mut()?;
    let name = if params.contains_key("toolCall") {
        "toolCall"
    } else {
        "update"
    };
    let call = params.get_mut(name)?.as_object_mut()?;
    call.contains_key("toolCallId").then_some(call)
}

fn mutated(lines: &[Value], mutate: impl Fn(&mut Map<String, Value>)) -> String {
    let mut lines = lines.to_vec();
    lines.iter_mut().filter_map(tool_call).for_each(mutate);
    joined(&lines)
}

fn joined(lines: &[Value]) -> String {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    lines.join("\n") + "\n"
}

fn rename(value: &mut Value, member: &str) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, member)),
        Value::Object(members) => {
            if let Some(value) = members.remove(member) {
                members.insert(format!("x_{member}"), value);
            }
            members.values_mut().for_each(|value| rename(value, member));
        }
        _ => {}
    }
}

fn without_questions(lines: &[Value]) -> String {
    let asks = |line: &&Value| line["msg"]["method"] == "session/request_permission";
    let kept: Vec<Value> = lines.iter().filter(|line| !asks(line)).cloned().collect();
    joined(&kept)
}

/// Each update as several, its status last.
fn split(lines: &[Value]) -> String {
    let mut split = Vec::new();
    for line in lines {
        let update = &line["msg"]["params"]["update"];
        let Some(members) = update
            .as_object()
            .filter(|_| update["sessionUpdate"] == "tool_call_update")
        else {
            split.push(line.clone());
            continue;
        };
        let is_fixed = |name: &str| matches!(name, "sessionUpdate" | "toolCallId");
        let mut names: Vec<&String> = members.keys().filter(|name| !is_fixed(name)).collect();
        names.sort_by_key(|name| *name == "status");
        for name in names {
            let part = members
                .iter()
                .filter(|(member, _)| is_fixed(member) || *member == name);
            let part: Map<String, Value> = part
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            let mut message = line.clone();
            message["msg"]["params"]["update"] = part.into();
            split.push(message);
        }
    }
    joined(&split)
}

/// Neighbouring updates of two calls the other way round.
fn swapped(lines: &[Value]) -> String {
    let mut lines = lines.to_vec();
    let call = |line: &Value| {
        let update = &line["msg"]["params"]["update"];
        let is_update = update["sessionUpdate"] == "tool_call_update";
        is_update
            .then(|| update["toolCallId"].as_str().map(str::to_owned))
            .flatten()
    };
    let mut at = 1;
    while at < lines.len() {
        let calls = call(&lines[at - 1]).zip(call(&lines[at]));
        if calls.is_some_and(|(first, second)| first != second) {
            lines.swap(at - 1, at);
            at += 1;
        }
        at += 1;
    }
    joined(&lines)
}
