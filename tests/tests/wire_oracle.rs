//! The project's decoder beside the official crate of the protocol: on every recorded message they
//! agree, and where the official types cannot hold what an agent sent, ours still can.

use std::fmt::Write as _;
use std::path::Path;

use acp_grammar::wire::message::{Answer, Message};
use acp_grammar::wire::method::{self, Initialized, PermissionQuestion, Prompt};
use acp_grammar::wire::trace::Line;
use acp_grammar::wire::{ContentBlock, Field, ToolCallPatch, ToolContent, Update, UpdateParams};
use agent_client_protocol::v1::schema as official;
use serde_json::{Value, json};

/// The lines of all recorded traces, with the name of their file.
fn recorded_lines() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/traces");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the traces are part of the project")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "ndjson")
        })
        .collect();
    files.sort();
    let mut lines = Vec::new();
    for file in files {
        let name = file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let bytes = std::fs::read(&file).expect("a readable trace");
        for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
            if !line.is_empty() {
                lines.push((format!("{name}:{}", index + 1), line.to_vec()));
            }
        }
    }
    assert!(lines.len() > 1_000, "the traces are there");
    lines
}

#[test]
fn both_decoders_read_the_same_out_of_every_recorded_message() {
    let mut compared = 0;
    for (place, line) in recorded_lines() {
        let Ok(Line::Message { message, .. }) = Line::decode(&line) else {
            panic!("{place}: a message");
        };
        match &message {
            Message::Request { method, params, .. } | Message::Notification { method, params } => {
                let json = params.map_or("null", |params| params.get());
                compared += usize::from(compare_call(&place, method, json));
            }
            Message::Response {
                answer: Answer::Result(json),
                ..
            } => {
                compared += usize::from(compare_result(&place, json));
            }
            Message::Response { .. } => {}
        }
    }
    assert!(compared > 2_500, "only {compared} messages were compared");
}

/// Compares the parameters of a method that both decoders know.
fn compare_call(place: &str, method: &str, json: &str) -> bool {
    match method {
        "session/update" => {
            let ours = UpdateParams::decode(json).expect("an update");
            // The official types have no room for an update that they do not know.
            let Ok(theirs) = serde_json::from_str::<official::SessionNotification>(json) else {
                assert!(
                    matches!(ours.update, Update::Unknown { .. }),
                    "{place}: {ours:?}"
                );
                return false;
            };
            assert_eq!(
                ours.session_id.as_deref(),
                Some(&*theirs.session_id.0),
                "{place}"
            );
            assert_eq!(
                our_update(&ours.update),
                their_update(&theirs.update),
                "{place}"
            );
        }
        "session/request_permission" => {
            let ours = PermissionQuestion::decode(json);
            let theirs: official::RequestPermissionRequest =
                serde_json::from_str(json).expect("a question");
            assert_eq!(
                ours.session_id.as_deref(),
                Some(&*theirs.session_id.0),
                "{place}"
            );
            let call = ours.tool_call.as_ref().expect("a tool call");
            assert_eq!(
                our_call(call),
                their_call_update(&theirs.tool_call),
                "{place}"
            );
            let our_options = ours.options.iter().map(|option| {
                json!({"optionId": option.option_id, "name": option.name, "kind": option.kind})
            });
            let their_options: Vec<Value> = theirs.options.iter().map(without_meta).collect();
            assert_eq!(our_options.collect::<Vec<_>>(), their_options, "{place}");
        }
        "session/prompt" => {
            let ours = Prompt::decode(json);
            let theirs: official::PromptRequest = serde_json::from_str(json).expect("a prompt");
            assert_eq!(
                ours.session_id.as_deref(),
                Some(&*theirs.session_id.0),
                "{place}"
            );
            let our_blocks: Vec<Value> = ours.blocks.iter().map(our_block).collect();
            let their_blocks: Vec<Value> = theirs.prompt.iter().map(their_block).collect();
            assert_eq!(our_blocks, their_blocks, "{place}");
        }
        _ => return false,
    }
    true
}

/// Compares a result that says of itself what it answers.
fn compare_result(place: &str, json: &str) -> bool {
    if let Ok(theirs) = serde_json::from_str::<official::InitializeResponse>(json) {
        let ours = Initialized::decode(json);
        let info = theirs.agent_info.as_ref();
        assert_eq!(
            ours.agent_name.as_deref(),
            info.map(|info| &*info.name),
            "{place}"
        );
        assert_eq!(
            ours.agent_version.as_deref(),
            info.map(|info| &*info.version),
            "{place}"
        );
    } else if let Ok(theirs) = serde_json::from_str::<official::PromptResponse>(json) {
        let theirs = json!(theirs.stop_reason);
        assert_eq!(
            method::stop_reason(json).as_deref(),
            theirs.as_str(),
            "{place}"
        );
    } else if let Ok(theirs) = serde_json::from_str::<official::RequestPermissionResponse>(json) {
        let theirs = match &theirs.outcome {
            official::RequestPermissionOutcome::Selected(selected) => Some(&*selected.option_id.0),
            _ => None,
        };
        assert_eq!(method::selected_option(json).as_deref(), theirs, "{place}");
    } else {
        return false;
    }
    true
}

fn our_update(update: &Update<'_>) -> Value {
    match update {
        Update::UserMessageChunk(chunk) => {
            json!(["user", chunk.message_id, our_block(&chunk.content)])
        }
        Update::AgentMessageChunk(chunk) => {
            json!(["agent", chunk.message_id, our_block(&chunk.content)])
        }
        Update::AgentThoughtChunk(chunk) => {
            json!(["thought", chunk.message_id, our_block(&chunk.content)])
        }
        Update::ToolCall(call) => json!(["call", our_call(call)]),
        Update::ToolCallUpdate(call) => json!(["update", our_call(call)]),
        Update::Plan { entries } | Update::PlanUpdate { entries } => {
            let entries = entries.iter().map(|entry| {
                json!({"content": entry.content, "status": entry.status, "priority": entry.priority})
            });
            json!(["plan", entries.collect::<Vec<_>>()])
        }
        Update::Metadata { name, .. } => json!(["metadata", name]),
        other => json!(["other", format!("{other:?}")]),
    }
}

fn their_update(update: &official::SessionUpdate) -> Value {
    use official::SessionUpdate as Theirs;
    let chunk = |role: &str, chunk: &official::ContentChunk| {
        json!([role, chunk.message_id, their_block(&chunk.content)])
    };
    match update {
        Theirs::UserMessageChunk(it) => chunk("user", it),
        Theirs::AgentMessageChunk(it) => chunk("agent", it),
        Theirs::AgentThoughtChunk(it) => chunk("thought", it),
        Theirs::ToolCall(call) => {
            let mut members = json!({
                "toolCallId": call.tool_call_id, "title": call.title, "kind": call.kind,
                "status": call.status, "content": their_content(&call.content),
                "locations": call.locations.iter().map(without_meta).collect::<Vec<_>>(),
                "rawInput": call.raw_input, "rawOutput": call.raw_output, "name": call.name,
            });
            drop_empty(&mut members);
            json!(["call", members])
        }
        Theirs::ToolCallUpdate(call) => json!(["update", their_call_update(call)]),
        Theirs::Plan(plan) => {
            json!([
                "plan",
                plan.entries.iter().map(without_meta).collect::<Vec<_>>()
            ])
        }
        other => {
            let name = serde_json::to_value(other).expect("JSON")["sessionUpdate"].clone();
            json!(["metadata", name])
        }
    }
}

/// The members that are there and say something; the official types fill in what is missing.
fn our_call(call: &ToolCallPatch<'_>) -> Value {
    let text = |field: &Field<std::borrow::Cow<'_, str>>| field.as_value().map(ToString::to_string);
    let raw = |field: &Field<&serde_json::value::RawValue>| -> Value {
        field.as_value().map_or(Value::Null, |raw| {
            serde_json::from_str(raw.get()).expect("JSON")
        })
    };
    let locations = call.locations.as_value().map(|locations| {
        let locations = locations.iter().map(|location| {
            let mut location = json!({"path": location.path, "line": location.line});
            drop_empty(&mut location);
            location
        });
        locations.collect::<Vec<_>>()
    });
    let content = call
        .content
        .as_value()
        .map(|pieces| pieces.iter().map(our_content).collect());
    let mut members = json!({
        "toolCallId": call.tool_call_id, "title": text(&call.title), "kind": text(&call.kind),
        "status": text(&call.status), "content": content.map(Value::Array), "locations": locations,
        "rawInput": raw(&call.raw_input), "rawOutput": raw(&call.raw_output),
        "name": text(&call.name),
    });
    drop_empty(&mut members);
    members
}

fn their_call_update(call: &official::ToolCallUpdate) -> Value {
    let fields = &call.fields;
    let locations = fields.locations.as_ref();
    let mut members = json!({
        "toolCallId": call.tool_call_id, "title": fields.title, "kind": fields.kind,
        "status": fields.status,
        "content": fields.content.as_ref().map(|content| their_content(content)),
        "locations": locations.map(|all| all.iter().map(without_meta).collect::<Vec<_>>()),
        "rawInput": fields.raw_input, "rawOutput": fields.raw_output, "name": fields.name,
    });
    drop_empty(&mut members);
    members
}

fn our_content(piece: &ToolContent<'_>) -> Value {
    match piece {
        ToolContent::Block(block) => json!({"block": our_block(block)}),
        ToolContent::Diff(diff) => json!({
            "path": diff.path, "old": diff.old_text.as_value(), "new": diff.new_text.as_value(),
        }),
        ToolContent::Terminal { terminal_id } => json!({"terminal": terminal_id}),
        other => json!({"other": format!("{other:?}")}),
    }
}

fn their_content(pieces: &[official::ToolCallContent]) -> Vec<Value> {
    let pieces = pieces.iter().map(|piece| match piece {
        official::ToolCallContent::Content(content) => {
            json!({"block": their_block(&content.content)})
        }
        official::ToolCallContent::Diff(diff) => {
            json!({"path": diff.path, "old": diff.old_text, "new": diff.new_text})
        }
        official::ToolCallContent::Terminal(terminal) => json!({"terminal": terminal.terminal_id}),
        other => json!({"other": other}),
    });
    pieces.collect()
}

fn our_block(block: &ContentBlock<'_>) -> Value {
    match block {
        ContentBlock::Text(text) => json!({"type": "text", "text": text}),
        ContentBlock::Image {
            mime_type,
            data_len,
            ..
        } => {
            json!({"type": "image", "mimeType": mime_type, "length": data_len})
        }
        ContentBlock::ResourceLink(link) => {
            json!({"type": "link", "uri": link.uri, "name": link.name})
        }
        other => json!({"other": format!("{other:?}")}),
    }
}

fn their_block(block: &official::ContentBlock) -> Value {
    match block {
        official::ContentBlock::Text(text) => json!({"type": "text", "text": text.text}),
        official::ContentBlock::Image(image) => {
            json!({"type": "image", "mimeType": image.mime_type, "length": image.data.len()})
        }
        official::ContentBlock::ResourceLink(link) => {
            json!({"type": "link", "uri": link.uri, "name": link.name})
        }
        other => json!({"other": other}),
    }
}

/// As JSON, without the extensions that ours keeps apart.
fn without_meta(value: &impl serde::Serialize) -> Value {
    let mut json = serde_json::to_value(value).expect("JSON");
    if let Value::Object(members) = &mut json {
        members.remove("_meta");
    }
    drop_empty(&mut json);
    json
}

/// Drops members that are `null` or an empty list: the official types do not tell a list that is
/// missing from one that is empty.
fn drop_empty(value: &mut Value) {
    if let Value::Object(members) = value {
        members.retain(|_, member| !member.is_null() && *member != json!([]));
        // What the official types put where nothing or something unknown was sent.
        for (name, default) in [("kind", "other"), ("status", "pending")] {
            if members.get(name).is_some_and(|member| member == default) {
                members.remove(name);
            }
        }
    }
}

#[test]
fn ours_keeps_what_the_official_types_lose() {
    let cases = [
        // An update of a later version.
        r#"{"sessionUpdate":"teleport","to":"moon"}"#,
        // Words of a later version.
        r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"x","kind":"teleport"}"#,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"nope"}"#,
        // One bad member among good ones.
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","locations":[{"path":"a"},7]}"#,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"hologram"},{"type":"diff","path":"a"}]}"#,
        // A call without what every call should have.
        r#"{"sessionUpdate":"tool_call","title":"x"}"#,
        // `null` is not the same as nothing.
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","rawInput":null}"#,
    ];
    let mut report = String::new();
    for json in cases {
        let theirs = match serde_json::from_str::<official::SessionUpdate>(json) {
            Ok(update) => serde_json::to_string(&update).expect("JSON"),
            Err(_) => "an error".to_owned(),
        };
        let ours = match Update::decode(json).expect("an object") {
            Update::Unknown { raw, .. } => format!("all of {raw}"),
            Update::ToolCall(call) | Update::ToolCallUpdate(call) => {
                let all = [
                    format!("{:?}", call.kind),
                    format!("{:?}", call.status),
                    format!("{:?}", call.locations),
                    format!("{:?}", call.content),
                    format!("{:?}", call.raw_input),
                    format!("{:?}", call.title),
                ];
                let said: Vec<_> = all.into_iter().filter(|field| field != "Missing").collect();
                said.join(" ")
            }
            other => format!("{other:?}"),
        };
        let _ = writeln!(report, "{json}\n  theirs: {theirs}\n  ours:   {ours}");
    }
    expect_test::expect![[r#"
        {"sessionUpdate":"teleport","to":"moon"}
          theirs: an error
          ours:   all of {"sessionUpdate":"teleport","to":"moon"}
        {"sessionUpdate":"tool_call","toolCallId":"t","title":"x","kind":"teleport"}
          theirs: {"sessionUpdate":"tool_call","toolCallId":"t","title":"x"}
          ours:   Value("teleport") Value("x")
        {"sessionUpdate":"tool_call_update","toolCallId":"t","status":"nope"}
          theirs: {"sessionUpdate":"tool_call_update","toolCallId":"t"}
          ours:   Value("nope")
        {"sessionUpdate":"tool_call_update","toolCallId":"t","locations":[{"path":"a"},7]}
          theirs: {"sessionUpdate":"tool_call_update","toolCallId":"t","locations":[{"path":"a"}]}
          ours:   Value([Location { path: "a", line: None }])
        {"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"hologram"},{"type":"diff","path":"a"}]}
          theirs: {"sessionUpdate":"tool_call_update","toolCallId":"t","content":[]}
          ours:   Value([Unknown("hologram"), Diff(Diff { path: "a", old_path: None, old_text: Missing, new_text: Missing, operation: None, deleted: false, file_type: None, patch: None, meta: None })])
        {"sessionUpdate":"tool_call","title":"x"}
          theirs: an error
          ours:   Value("x")
        {"sessionUpdate":"tool_call_update","toolCallId":"t","rawInput":null}
          theirs: {"sessionUpdate":"tool_call_update","toolCallId":"t"}
          ours:   Null
    "#]].assert_eq(&report);
}
