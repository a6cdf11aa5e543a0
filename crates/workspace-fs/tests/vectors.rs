//! The published vectors of the file tools, checked against the crate.
//!
//! Where acp-lens differs from the system that gave a vector, the difference and its reason stand in
//! [`DIFFERENCES`], beside what acp-lens gives instead.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::fs;

use serde_json::{Map, Value, json};
use support::{Workspace, vectors};
use workspace_fs::card::{Card, edit_call_card, edit_result_card, read_call_card};
use workspace_fs::tools::{self, EditArguments, ReadArguments, ToolSession, WriteArguments};
use workspace_fs::{
    Cancel, FsError, HunkDiff, LocalFileSystem, NoPolicy, Owner, Policy, ReadBeforeEdit, hunk_diffs,
};

/// Vectors whose result differs on purpose: the id, why, and the value that replaces a part of the
/// expected one (a JSON pointer, and the new value).
const DIFFERENCES: &[(&str, &str, &str, &str)] = &[
    (
        "DSH-005",
        "a new file has the mode that the system gives new files, not 0600",
        "/after/mode",
        "\"as a new file\"",
    ),
    (
        "DSH-013",
        "an edit leaves the endings of lines that it does not touch, so mixed endings stay mixed",
        "/after/f",
        "\"a\\r\\nB\\nc\\r\\n\"",
    ),
    (
        "DSH-014",
        "an edit leaves the endings of lines that it does not touch, so mixed endings stay mixed",
        "/after/f",
        "\"a\\r\\nB\\n\"",
    ),
    (
        "DSH-015",
        "an edit keeps the byte order mark",
        "/after/bytes",
        "[239, 187, 191, 121, 111, 10]",
    ),
    (
        "DSH-016",
        "the new side of a diff has LF endings like the old side, so only changed lines differ",
        "/results/0/diffs/0/newText",
        "\"a\\nB\"",
    ),
];

fn expected(vector: &support::Vector) -> Value {
    let mut expected = vector.expected.clone();
    for (id, _, pointer, value) in DIFFERENCES {
        if *id == vector.id {
            let place = expected
                .pointer_mut(pointer)
                .expect("the difference names a part");
            let value: Value = serde_json::from_str(value).expect("the difference is JSON");
            assert_ne!(*place, value, "{id} does not differ any more");
            *place = value;
        }
    }
    expected
}

#[test]
fn tool_sequences() {
    for vector in vectors("dsh") {
        let got = run_sequence(&vector.id, &vector.input, &vector.expected);
        assert_eq!(
            got,
            expected(&vector),
            "{}: {}",
            vector.id,
            vector.description
        );
    }
}

/// Runs the steps of a vector in a fresh workspace, and shows the results in its form.
fn run_sequence(id: &str, input: &Value, expected: &Value) -> Value {
    let workspace = Workspace::new();
    for (name, content) in input["files"].as_object().unwrap() {
        match content {
            Value::String(text) => workspace.write(name, text.as_bytes()),
            bytes => workspace.write(name, &bytes_of(&bytes["bytes"])),
        }
    }
    // What the description of a vector says beyond its files.
    match id {
        "DSH-022" => workspace.link("t", "ln"),
        "DSH-024" => workspace.set_mode("m", 0o751),
        _ => {}
    }
    let files = LocalFileSystem::open(workspace.path()).unwrap();
    let guard = ReadBeforeEdit::new();
    let policy: &dyn Policy = if input["policy"] == json!(true) {
        &guard
    } else {
        &NoPolicy
    };
    let (owner, other) = (Owner::new(), Owner::new());
    let mut results = Vec::new();
    for step in input["steps"].as_array().unwrap() {
        if let Some(external) = step.get("external") {
            let path = workspace.path().join(step["path"].as_str().unwrap());
            match external.as_str() {
                Some(text) => fs::write(path, text).unwrap(),
                None => fs::remove_file(path).unwrap(),
            }
            results.push(json!("external"));
            continue;
        }
        let owner = match step.get("session") {
            None => Some(&owner),
            Some(Value::Null) => None,
            Some(_) => Some(&other),
        };
        let session = ToolSession {
            files: &files,
            policy,
            owner,
            cwd: None,
            cancel: &Cancel::new(),
        };
        let result = run_tool(
            &session,
            step["tool"].as_str().unwrap(),
            step["args"].as_object().unwrap(),
        );
        results.push(workspace.hide_path(&result));
    }
    let mut shown = json!({"results": results});
    if let Some(after) = expected.get("after") {
        shown["after"] = after_state(&workspace, input, after);
    }
    shown
}

fn run_tool(session: &ToolSession<'_>, tool: &str, arguments: &Map<String, Value>) -> Value {
    let (text, diffs) = match tool {
        "read" => match ReadArguments::from_json(arguments) {
            Err(error) => return json!({"error": error.to_string()}),
            Ok(arguments) => match tools::read(session, &arguments) {
                Err(error) => return failure(&error),
                Ok(result) => (result.text(), Vec::new()),
            },
        },
        "write" => match WriteArguments::from_json(arguments) {
            Err(error) => return json!({"error": error.to_string()}),
            Ok(arguments) => match tools::write(session, &arguments) {
                Err(error) => return failure(&error),
                Ok(result) => (result.text(), result.diffs),
            },
        },
        "edit" => match EditArguments::from_json(arguments) {
            Err(error) => return json!({"error": error.to_string()}),
            Ok(arguments) => match tools::edit(session, &arguments) {
                Err(error) => return failure(&error),
                Ok(result) => (result.text(), result.diffs),
            },
        },
        other => panic!("no tool {other}"),
    };
    if diffs.is_empty() {
        json!({"text": text})
    } else {
        json!({"text": text, "diffs": shown_diffs(&diffs)})
    }
}

fn failure(error: &FsError) -> Value {
    assert_ne!(
        error.model_text(),
        "",
        "every failure has a text for the model"
    );
    json!({"error": error.to_string(), "code": error.code().as_str()})
}

fn shown_diffs(diffs: &[HunkDiff]) -> Value {
    diffs
        .iter()
        .map(|diff| json!({"path": diff.path, "oldText": diff.old_text, "newText": diff.new_text}))
        .collect()
}

/// The state of the workspace in the terms that the vector uses.
fn after_state(workspace: &Workspace, input: &Value, after: &Value) -> Value {
    let last_path = input["steps"]
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .find_map(|step| step["args"]["file_path"].as_str())
        .unwrap();
    let last = workspace.path().join(last_path);
    let state = |key: &str| match key {
        "mode" => match workspace.mode(last_path) {
            mode if mode == workspace.mode_of_new_file() => json!("as a new file"),
            mode => json!(format!("{mode:o}")),
        },
        "list" => json!(support::names_in(last.parent().unwrap())),
        "bytes" => json!(fs::read(&last).unwrap()),
        "link" => json!(last.is_symlink()),
        name => json!(fs::read_to_string(workspace.path().join(name)).unwrap()),
    };
    let after = after.as_object().unwrap();
    after
        .keys()
        .map(|key| (key.clone(), state(key)))
        .collect::<Map<_, _>>()
        .into()
}

fn bytes_of(value: &Value) -> Vec<u8> {
    let byte = |value: &Value| u8::try_from(value.as_u64().unwrap()).unwrap();
    value.as_array().unwrap().iter().map(byte).collect()
}

#[test]
fn windows() {
    for vector in vectors("win") {
        let text = match vector.input["textIs"].as_str().unwrap() {
            r#""x"*2001 + "\n""# => "x".repeat(2001) + "\n",
            r#""x"*2000 + "\r\n""# => "x".repeat(2000) + "\r\n",
            "10 lines" => "l0 l1 l2 l3 l4 l5 l6 l7 l8 l9 ".replace(' ', "\n"),
            r#"3 lines "l0..l2" with final LF"# => "l0\nl1\nl2\n".to_owned(),
            other => panic!("no text for {other}"),
        };
        let workspace = Workspace::new();
        workspace.write("f", text.as_bytes());
        let files = LocalFileSystem::open(workspace.path()).unwrap();
        let session = ToolSession {
            files: &files,
            policy: &NoPolicy,
            owner: None,
            cwd: None,
            cancel: &Cancel::new(),
        };
        let arguments = ReadArguments {
            file_path: "f".to_owned(),
            offset: vector.input["offset"].as_u64().unwrap(),
            limit: vector.input["limit"].as_u64().unwrap(),
        };
        let window = tools::read(&session, &arguments).unwrap().window;
        let first = &window.lines[0];
        let tail: Vec<char> = first.text.chars().rev().take(36).collect();
        let got = json!({
            "lines": window.lines.len(),
            "first": {
                "number": first.number,
                "length": first.text.encode_utf16().count(),
                "tail": tail.into_iter().rev().collect::<String>(),
            },
            "last": window.lines.last().unwrap().number,
            "totalLines": window.total_lines,
            "truncatedByBytes": window.truncated_by_bytes,
            "footer": window.footer(),
        });
        assert_eq!(got, vector.expected, "{}", vector.id);
    }
}

#[test]
fn hunks() {
    for vector in vectors("hunk") {
        let before = vector.input["before"].as_str().unwrap();
        let after = vector.input["after"].as_str().unwrap();
        let got = json!({"diffs": shown_diffs(&hunk_diffs("f", before, after))});
        assert_eq!(
            got, vector.expected,
            "{}: {}",
            vector.id, vector.description
        );
    }
}

#[test]
fn cards() {
    for vector in vectors("card") {
        let input = &vector.input;
        let got = match (input.get("file_path"), input.get("old_string")) {
            (Some(path), Some(old)) => {
                let new = input["new_string"].as_str().unwrap();
                shown_card(&edit_call_card(
                    path.as_str().unwrap(),
                    old.as_str().unwrap(),
                    new,
                ))
            }
            (Some(path), None) => shown_card(&read_call_card(
                path.as_str().unwrap(),
                input.get("offset").and_then(Value::as_i64),
                input.get("limit").and_then(Value::as_i64),
            )),
            (None, _) => {
                let is_error = input["isError"].as_bool().unwrap();
                let card = edit_result_card("f", is_error, Some(&input["meta"]));
                json!({"view": card.as_ref().map(shown_card)})
            }
        };
        assert_eq!(
            got, vector.expected,
            "{}: {}",
            vector.id, vector.description
        );
    }
}

fn shown_card(card: &Card) -> Value {
    let locations = |locations: &[workspace_fs::card::CardLocation]| -> Value {
        let shown = |location: &workspace_fs::card::CardLocation| match location.line {
            Some(line) => json!({"path": location.path, "line": line}),
            None => json!({"path": location.path}),
        };
        locations.iter().map(shown).collect()
    };
    match card {
        Card::Generic {
            title,
            kind,
            locations: places,
        } => json!({
            "card": "generic", "title": title, "kind": kind, "locations": locations(places),
        }),
        Card::Diff {
            title,
            diffs,
            locations: places,
        } => json!({
            "card": "diff", "title": title, "diffs": shown_diffs(diffs), "locations": locations(places),
        }),
    }
}
