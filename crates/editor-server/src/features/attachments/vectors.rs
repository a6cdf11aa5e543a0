//! Cases of references as data, on real files. Their home directory `/home/u` is a directory of
//! the test.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use super::resolve::{Target, resolve_at_home};
use super::*;
use crate::lsp::ext::ReadEncoding;

/// Cases that do not concern this server, and why.
const NOT_OURS: &[(&str, &str)] = &[
    ("ATT-026", STAGING),
    ("ATT-028", GATEWAY),
    ("ATT-029", GATEWAY),
    ("ATT-031", GATEWAY),
    ("ATT-033", GATEWAY),
    ("ATT-034", GATEWAY),
    (
        "ATT-038",
        "attachments are read, and opened by the editor; programs are chosen for workspace files alone",
    ),
];
const STAGING: &str = "files go with a prompt as they lie in the workspace; none is staged";
const GATEWAY: &str = "media of a gateway need that gateway";

#[derive(Deserialize)]
struct Case {
    id: String,
    description: String,
    input: Value,
    expected: Value,
}

#[test]
fn references() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    for directory in ["ws/sub", "ws/d"] {
        fs::create_dir_all(home.join(directory)).unwrap();
    }
    for (name, text) in [
        ("ws/hello.txt", "hello"),
        ("ws/sub/a.txt", "aa"),
        ("out.txt", "o"),
    ] {
        fs::write(home.join(name), text).unwrap();
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(home.join("out.txt"), home.join("ws/link")).unwrap();
    let cases = include_str!("../../../tests/fixtures/att.json");
    let here = cases.replace("/home/u", &home.to_string_lossy());
    let cases: Vec<Case> = serde_json::from_str(&here).unwrap();
    for case in &cases {
        let is_ours = !NOT_OURS.iter().any(|(id, _)| *id == case.id);
        if is_ours {
            check(case, &home);
        }
    }
    for (id, reason) in NOT_OURS {
        let is_there = cases.iter().any(|case| case.id == *id);
        assert!(
            is_there,
            "{id} is no case, but stands in the list: {reason}"
        );
    }
}

fn check(case: &Case, home: &Path) {
    let reference = &case.input["ref"];
    let found = if reference.is_object() {
        resolved(reference, &case.input["grant"], home)
    } else if case.input["records"].is_string() || case.input["stagingId"].is_string() {
        let cwd = home.join("ws/sub");
        let grant = json!({"workspaceRoot": home.join("ws"), "executionCwd": cwd});
        resolved(&json!({"uri": case.input["uri"]}), &grant, home)
    } else if let Some(uri) = case.input["uri"].as_str() {
        read(uri, home)
    } else {
        panic!(
            "{} neither resolves nor reads, and nothing says why",
            case.id
        );
    };
    assert_eq!(found, case.expected, "{} {}", case.id, case.description);
}

/// What a reference leads to for a session with this grant, as the cases write it.
fn resolved(reference: &Value, grant: &Value, home: &Path) -> Value {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let uri = text(&reference["uri"]);
    let generation = |value: &Value| value["generation"].as_u64().unwrap_or_default();
    let is_granted = reference["sessionKey"] == grant["sessionKey"];
    let current = check_generation(generation(grant), generation(reference));
    let refused =
        |kind: &str| json!({"ok": false, "displayName": &*display_name(None, &uri), "error": kind});
    if !is_granted || current.is_err() {
        return refused("staleSession");
    }
    let resolved = match resolve_at_home(&uri, &text(&grant["executionCwd"]), Some(home)) {
        Ok(resolved) => resolved,
        Err(why) => return refused(&kind(&why)),
    };
    assert!(
        resolved.identity.len() == 64 && resolved.identity.bytes().all(|it| it.is_ascii_hexdigit()),
        "{uri}: {}",
        resolved.identity
    );
    let root = text(&grant["workspaceRoot"]);
    let scope = match resolved.target.scope(Some(Path::new(&root))) {
        // The cases have the word of another product for what lies elsewhere.
        "file" => "openclaw-media",
        scope => scope,
    };
    let target = match resolved.target {
        Target::File(_) => json!({"kind": "local", "scope": scope, "entryKind": "file"}),
        Target::Directory(_) => json!({"kind": "local", "scope": scope, "entryKind": "directory"}),
        Target::Remote => json!({"kind": "remote", "url": uri}),
    };
    json!({
        "ok": true, "identity": "<sha256>", "displayName": &*resolved.name,
        "mimeType": resolved.mime_type, "size": resolved.size.unwrap_or_default(), "target": target,
    })
}

fn read(uri: &str, home: &Path) -> Value {
    let grant = Grant {
        generation: 1,
        root: Some(home.join("ws")),
        cwd: home.join("ws/sub").to_string_lossy().into_owned(),
        attachments: vec![Attachment::of_transcript(uri, None)],
        transcript: None,
    };
    let params = ReadAttachmentParams {
        session: "s".to_owned(),
        generation: 1,
        uri: uri.to_owned(),
        encoding: ReadEncoding::Text,
        max_bytes: None,
    };
    match read_granted(&grant, &params) {
        Ok(read) => json!({"ok": true, "content": read.content}),
        Err(why) => json!({"ok": false, "error": kind(&why)}),
    }
}

fn kind(failure: &Failure) -> String {
    let kind = serde_json::to_value(failure.kind).unwrap();
    kind.as_str().unwrap_or_default().to_owned()
}
