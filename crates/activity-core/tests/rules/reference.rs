//! The rules of profile `openclaw`, as plainly as they can be written: the whole timeline is kept
//! as JSON and projected from scratch. It is what the incremental session is held against.

use std::collections::HashSet;

use acp_grammar::js;
use acp_grammar::patch::{Dialect, Operation, parse};
use activity_core::compose::{Piece, display_diff};
use activity_core::count::line_counts;
use activity_core::model::Action;
use activity_core::path::Workspace;
use serde_json::{Map, Value, json};

/// An item of the timeline: an id and what is known under it.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) id: String,
    pub(crate) fields: Map<String, Value>,
}

/// The timeline that a list of updates makes.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    pub(crate) items: Vec<Item>,
    open: Map<String, Value>,
    counts: Map<String, Value>,
}

impl Timeline {
    pub(crate) fn of(updates: &[Value]) -> Self {
        let mut timeline = Self::default();
        for update in updates {
            timeline.apply(update);
        }
        timeline
    }

    fn apply(&mut self, update: &Value) {
        match update["sessionUpdate"].as_str().unwrap_or_default() {
            "user_message_chunk" => self.message_chunk("user", update),
            "agent_message_chunk" => self.message_chunk("assistant", update),
            "user_message" => self.whole_message("user", update),
            "agent_message" => self.whole_message("assistant", update),
            "agent_thought_chunk" => self.thought(update),
            "tool_call" | "tool_call_update" => self.tool(update),
            "tool_call_content_chunk" => self.tool_content(update),
            "plan" => {
                self.open.clear();
                self.put("plan:current", json!({"kind": "plan"}));
            }
            _ => {}
        }
    }

    fn position(&self, id: &str) -> Option<usize> {
        self.items.iter().position(|item| item.id == id)
    }

    fn put(&mut self, id: &str, fields: Value) {
        let Value::Object(fields) = fields else {
            panic!("fields of an item")
        };
        match self.position(id) {
            Some(position) => self.items[position].fields = fields,
            None => self.items.push(Item {
                id: id.to_owned(),
                fields,
            }),
        }
    }

    fn message_id(&self, role: &str, update: &Value) -> String {
        if let Some(id) = update["messageId"].as_str() {
            return id.to_owned();
        }
        if let Some(last) = self.items.last() {
            let id = last
                .fields
                .get("messageId")
                .and_then(Value::as_str)
                .unwrap_or_default();
            if last.fields["kind"] == "message-segment"
                && last.fields["role"] == role
                && self.open.get(id).is_some_and(|open| *open == last.id)
            {
                return id.to_owned();
            }
        }
        format!("{role}:message:{}", self.items.len())
    }

    fn segment(&mut self, role: &str, message_id: &str) -> usize {
        if let Some(open) = self.open.get(message_id).and_then(Value::as_str)
            && let Some(position) = self.position(open)
            && self.items[position].fields["role"] == role
        {
            return position;
        }
        let count = self
            .counts
            .get(message_id)
            .and_then(Value::as_u64)
            .unwrap_or(0);
        let id = format!("{message_id}:{count}");
        self.counts.insert(message_id.to_owned(), json!(count + 1));
        self.open.insert(message_id.to_owned(), json!(id));
        self.put(
            &id,
            json!({"kind": "message-segment", "role": role, "messageId": message_id, "parts": []}),
        );
        self.items.len() - 1
    }

    fn message_chunk(&mut self, role: &str, update: &Value) {
        if is_nothing(&update["content"]) {
            return;
        }
        let message_id = self.message_id(role, update);
        let position = self.segment(role, &message_id);
        let parts = self.items[position].fields["parts"]
            .as_array_mut()
            .expect("parts");
        let next = part(&update["content"]);
        let texts = |part: &Value| part["kind"] == "markdown";
        if texts(&next) {
            let first = parts.iter().position(texts);
            let joined = match (role, first) {
                ("user", Some(first)) if first + 1 != parts.len() => Some(first),
                _ => parts
                    .len()
                    .checked_sub(1)
                    .filter(|last| texts(&parts[*last])),
            };
            if let Some(joined) = joined {
                let text = format!(
                    "{}{}",
                    parts[joined]["text"].as_str().expect("a text"),
                    next["text"].as_str().expect("a text")
                );
                parts[joined]["text"] = json!(text);
                return;
            }
        }
        parts.push(next);
    }

    fn whole_message(&mut self, role: &str, update: &Value) {
        let Some(message_id) = update["messageId"].as_str().filter(|id| !id.is_empty()) else {
            return;
        };
        let first_of_user = self.items.iter().position(|item| {
            item.fields["kind"] == "message-segment"
                && item.fields["role"] == "user"
                && item.fields["messageId"] == message_id
        });
        let position = match first_of_user {
            Some(position) if role == "user" => position,
            _ => self.segment(role, message_id),
        };
        let blocks = update["content"].as_array().cloned().unwrap_or_default();
        self.items[position].fields["parts"] = blocks.iter().map(part).collect();
    }

    fn thought(&mut self, update: &Value) {
        if is_nothing(&update["content"]) {
            return;
        }
        let message_id = self.message_id("assistant", update);
        self.open.clear();
        let id = format!("thought:{message_id}");
        if self.position(&id).is_none() {
            self.put(&id, json!({"kind": "thought"}));
        }
    }

    fn tool(&mut self, update: &Value) {
        let Some(call_id) = update["toolCallId"].as_str().filter(|id| !id.is_empty()) else {
            return;
        };
        self.open.clear();
        let id = format!("tool:{call_id}");
        let before = self
            .position(&id)
            .map(|position| self.items[position].fields.clone());
        let kept = |member: &str| {
            before
                .as_ref()
                .and_then(|fields| fields.get(member))
                .cloned()
        };
        let sent = |member: &str| update.get(member).cloned();
        let title = sent("title")
            .filter(Value::is_string)
            .or_else(|| kept("title"));
        let status = match update.get("status") {
            Some(status) => json!(status_of(status)),
            None => kept("status").unwrap_or(json!("pending")),
        };
        let parts = match update.get("content") {
            Some(content) => json!(content.as_array().map_or(0, Vec::len)),
            None => kept("parts").unwrap_or(json!(0)),
        };
        self.put(
            &id,
            json!({
                "kind": "tool-call",
                "toolCallId": call_id,
                "title": title.unwrap_or(json!(call_id)),
                "status": status,
                "input": sent("rawInput").or_else(|| kept("input")),
                "parts": parts,
            }),
        );
    }

    fn tool_content(&mut self, update: &Value) {
        let Some(call_id) = update["toolCallId"].as_str().filter(|id| !id.is_empty()) else {
            return;
        };
        self.open.clear();
        let id = format!("tool:{call_id}");
        match self.position(&id) {
            Some(position) => {
                let parts = self.items[position].fields["parts"]
                    .as_u64()
                    .expect("a count");
                self.items[position].fields["parts"] = json!(parts + 1);
            }
            None => self.put(
                &id,
                json!({
                    "kind": "tool-call", "toolCallId": call_id, "title": call_id,
                    "status": "running", "input": null, "parts": 1,
                }),
            ),
        }
    }
}

/// What JavaScript takes for false.
fn is_nothing(value: &Value) -> bool {
    value.is_null() || [json!(""), json!(0), json!(false)].contains(value)
}

fn status_of(status: &Value) -> &str {
    match status.as_str() {
        Some("in_progress") => "running",
        Some("completed") => "completed",
        Some("failed") => "failed",
        _ => "pending",
    }
}

fn part(block: &Value) -> Value {
    match block["type"].as_str() {
        Some("text") => json!({"kind": "markdown", "text": block["text"]}),
        Some("resource_link" | "resource") => json!({"kind": "attachment"}),
        _ => json!({"kind": "other"}),
    }
}

/// Activities, summaries, changes and the number of files, in the form of the JSON contract.
pub(crate) fn project(items: &[Item], workspace: Option<&Workspace>) -> Value {
    let Some(workspace) = workspace else {
        return json!({"activities": [], "turnSummaries": {}, "changes": [], "uniqueFileCount": 0});
    };
    let mut activities: Vec<Value> = Vec::new();
    let mut fragments = 0;
    let mut seen = HashSet::new();
    let mut turn = None;
    for item in items {
        if item.fields["kind"] == "message-segment" && item.fields["role"] == "user" {
            turn = None;
            continue;
        }
        let turn_id = turn.get_or_insert_with(|| format!("assistant-turn:{}", item.id));
        if item.fields["kind"] != "tool-call" || item.fields["status"] != "completed" {
            continue;
        }
        let call_id = item.fields["toolCallId"].as_str().expect("an id");
        if !seen.insert(call_id.to_owned()) {
            continue;
        }
        let Some(tool) = tool_name(item.fields["title"].as_str().expect("a title")) else {
            continue;
        };
        for (path, action, texts) in changes_of(&tool, &item.fields["input"], workspace) {
            let texts: Vec<Value> = texts
                .into_iter()
                .map(|(old, new)| {
                    fragments += 1;
                    json!({"oldText": old, "newText": new, "sequence": fragments - 1})
                })
                .collect();
            activities.push(json!({
                "turnId": turn_id, "toolCallId": call_id, "toolName": tool, "relativePath": path,
                "action": action, "fragments": texts, "sequence": activities.len(),
            }));
        }
    }
    let groups = group(&activities, |activity| activity["relativePath"].clone());
    let changes: Vec<Value> = groups
        .iter()
        .map(|(path, of_path)| changes_of_file(path, of_path))
        .collect();
    let turns = group(&activities, |activity| activity["turnId"].clone());
    let summaries: Map<String, Value> = turns
        .iter()
        .map(|(turn, of_turn)| (turn.as_str().expect("an id").to_owned(), summaries(of_turn)))
        .collect();
    json!({
        "activities": activities, "turnSummaries": summaries,
        "uniqueFileCount": groups.len(), "changes": changes,
    })
}

fn group(activities: &[Value], key: impl Fn(&Value) -> Value) -> Vec<(Value, Vec<Value>)> {
    let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
    for activity in activities {
        let key = key(activity);
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, group)) => group.push(activity.clone()),
            None => groups.push((key, vec![activity.clone()])),
        }
    }
    groups
}

fn summaries(of_turn: &[Value]) -> Value {
    let rows = group(of_turn, |activity| activity["relativePath"].clone());
    let rows = rows.iter().map(|(path, activities)| {
        let mut action = "";
        let mut counts = None;
        for activity in activities {
            action = match activity["action"].as_str().expect("an action") {
                "modified" if action == "created" => "created",
                next => next,
            };
            for fragment in activity["fragments"].as_array().expect("fragments") {
                let text = |side: &str| fragment[side].as_str().expect("a text");
                let lines = line_counts(text("oldText"), text("newText")).expect("small texts");
                let (added, removed) = counts.unwrap_or((0, 0));
                counts = Some((added + lines.added, removed + lines.removed));
            }
        }
        json!({
            "relativePath": path, "action": action,
            "added": counts.map(|counts| counts.0), "removed": counts.map(|counts| counts.1),
            "sequences": activities.iter().map(|activity| &activity["sequence"]).collect::<Vec<_>>(),
        })
    });
    rows.collect()
}

fn changes_of_file(path: &Value, of_path: &[Value]) -> Value {
    let turns = group(of_path, |activity| activity["turnId"].clone());
    let turns = turns.iter().map(|(turn, activities)| {
        let texts: Vec<_> = activities
            .iter()
            .flat_map(|activity| {
                let action = match activity["action"].as_str() {
                    Some("created") => Action::Created,
                    Some("deleted") => Action::Deleted,
                    _ => Action::Modified,
                };
                let fragments = activity["fragments"].as_array().expect("fragments");
                fragments.iter().map(move |fragment| {
                    let text = |side: &str| fragment[side].as_str().expect("a text").into();
                    (action, text("oldText"), text("newText"))
                })
            })
            .collect();
        let diff = display_diff(texts.iter().map(|(action, old_text, new_text)| Piece {
            action: *action,
            old_text,
            new_text,
        }));
        json!({
            "turnId": turn, "sequence": activities[0]["sequence"],
            "toolCallIds": call_ids(activities),
            "diff": diff.map(|diff| json!({"oldText": *diff.old_text, "newText": *diff.new_text})),
        })
    });
    json!({"relativePath": path, "turns": turns.collect::<Vec<_>>()})
}

fn call_ids(activities: &[Value]) -> Vec<Value> {
    let mut ids: Vec<Value> = activities
        .iter()
        .map(|activity| activity["toolCallId"].clone())
        .collect();
    ids.dedup();
    ids
}

fn tool_name(title: &str) -> Option<String> {
    let name = js::trim(&title[..title.find(':')?]).to_lowercase();
    ["write", "edit", "apply_patch"]
        .contains(&name.as_str())
        .then_some(name)
}

type Change = (String, &'static str, Vec<(String, String)>);

fn changes_of(tool: &str, input: &Value, workspace: &Workspace) -> Vec<Change> {
    let Some(input) = input.as_object() else {
        return Vec::new();
    };
    if tool == "apply_patch" {
        return input
            .get("input")
            .and_then(Value::as_str)
            .map_or_else(Vec::new, |patch| changes_of_patch(patch, workspace));
    }
    let path = ["path", "file_path", "filePath", "file"]
        .into_iter()
        .filter_map(|key| input.get(key)?.as_str())
        .find(|path| !js::is_blank(path));
    let Some(path) = path.and_then(|path| workspace.resolve(path)) else {
        return Vec::new();
    };
    if tool == "write" {
        let content = input.get("content").and_then(Value::as_str);
        let texts = content.map(|content| (String::new(), content.to_owned()));
        return vec![(path.to_string(), "created", texts.into_iter().collect())];
    }
    let pair = |value: &Value| {
        let text = |side: &str| value.as_object()?.get(side)?.as_str().map(str::to_owned);
        Some((text("oldText")?, text("newText")?))
    };
    let listed = input
        .get("edits")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let texts = listed
        .iter()
        .filter_map(pair)
        .chain(pair(&Value::Object(input.clone())));
    vec![(path.to_string(), "modified", texts.collect())]
}

fn changes_of_patch(payload: &str, workspace: &Workspace) -> Vec<Change> {
    let Ok(parsed) = parse(payload, Dialect::Clawx) else {
        return Vec::new();
    };
    let mut changes = Vec::new();
    for section in &parsed.sections {
        let Some(path) = workspace.resolve(section.path) else {
            continue;
        };
        let path = path.to_string();
        match &section.operation {
            Operation::Add(lines) => {
                changes.push((path, "created", vec![(String::new(), lines.contents())]));
            }
            Operation::Delete => changes.push((path, "deleted", Vec::new())),
            Operation::Update { move_to, chunks } => {
                let texts: Vec<_> = chunks
                    .iter()
                    .map(|chunk| (chunk.lines.old_text(), chunk.lines.new_text()))
                    .collect();
                let destination = match move_to {
                    None => path.clone(),
                    Some(destination) => match workspace.resolve(destination) {
                        Some(destination) => destination.to_string(),
                        None => continue,
                    },
                };
                if destination == path {
                    changes.push((path, "modified", texts));
                } else {
                    changes.push((path, "deleted", Vec::new()));
                    changes.push((destination, "created", texts));
                }
            }
        }
    }
    changes
}
