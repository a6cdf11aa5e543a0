//! `docs/protocol.md` and the Rust types say the same.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use editor_server::lsp::ext::{self, NOTIFICATIONS, REQUESTS};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn document() -> String {
    fs::read_to_string(root().join("docs/protocol.md")).expect("the document is committed")
}

/// The examples of the document: the type's name after the fence, and the JSON.
fn examples(document: &str) -> Vec<(&str, &str)> {
    let mut examples = Vec::new();
    let mut rest = document;
    while let Some((_, after)) = rest.split_once("```json ") {
        let (name, body) = after.split_once('\n').expect("a fence ends its line");
        let (json, tail) = body.split_once("\n```").expect("a fence is closed");
        examples.push((name.trim(), json));
        rest = tail;
    }
    examples
}

/// Decodes an example with its type and encodes it again: nothing may be lost or invented.
fn round_trip<T: Serialize + DeserializeOwned>(name: &str, json: &str) {
    let example: Value = serde_json::from_str(json).unwrap_or_else(|why| panic!("{name}: {why}"));
    let typed: T =
        serde_json::from_value(example.clone()).unwrap_or_else(|why| panic!("{name}: {why}"));
    let again = serde_json::to_value(typed).expect("protocol types encode");
    assert_eq!(again, example, "{name}");
}

macro_rules! check {
    ($name:expr, $json:expr; $($ty:ident)*) => {
        match $name {
            $(stringify!($ty) => round_trip::<ext::$ty>($name, $json),)*
            other => panic!("the document names a type that the test does not know: {other}"),
        }
    };
}

#[test]
fn every_example_has_the_shape_of_its_type() {
    let document = document();
    let examples = examples(&document);
    assert!(examples.len() > 40, "found {} examples", examples.len());
    for (name, json) in examples {
        check!(name, json;
            ErrorData ClientExtension ServerExtension DidChangeActivityParams HunksResult SessionInfo
            TimelineUpdate PermissionQuestion PermissionOutcome SessionsParams SessionsResult
            ChangesParams ChangesResult DiffParams DiffScope DiffResult HunksParams GoToParams
            GoToResult TextDocumentContentParams TextDocumentContentResult OpenTraceParams
            OpenTraceResult CloseTraceParams FileParams StatResult PreviewResult OpenHandlersResult
            ReadParams ReadResult OpenWithParams AttachmentsParams AttachmentsResult
            ReadAttachmentParams AgentsParams AgentsResult SessionNewParams SessionLoadParams
            SessionStarted SessionListParams SessionListResult SessionPromptParams
            SessionPromptResult SessionParams RespondPermissionParams SessionSubscribeParams
            SessionSetModeParams SessionSetConfigOptionParams);
    }
}

#[test]
fn every_method_is_described_and_no_other() {
    let document = document();
    let described: BTreeSet<&str> = document
        .lines()
        .filter(|line| line.starts_with("### "))
        .flat_map(|line| line.split('`'))
        .filter(|word| word.starts_with("acpLens/"))
        .collect();
    let typed: BTreeSet<&str> = REQUESTS.iter().chain(NOTIFICATIONS).copied().collect();
    assert_eq!(described, typed);
}

/// The files whose hash stands in the headers: `ext.rs`, then those beside it by name.
fn sources() -> Vec<PathBuf> {
    let lsp = root().join("crates/editor-server/src/lsp");
    let beside = fs::read_dir(lsp.join("ext")).expect("the sources are committed");
    let beside = beside.map(|entry| entry.expect("the directory can be read").path());
    let mut sources: Vec<PathBuf> = beside
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    sources.sort();
    sources.insert(0, lsp.join("ext.rs"));
    sources
}

/// FNV-1a over the sources; it only has to notice a change.
fn hash() -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for path in sources() {
        for byte in fs::read(path).expect("the sources are committed") {
            if byte != b'\r' {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    format!("{hash:016x}")
}

/// The document, and the protocol file of each editor that exists.
#[test]
fn headers_carry_the_hash_of_the_types() {
    let hash = hash();
    for file in [
        "docs/protocol.md",
        "editors/vscode/src/protocol.ts",
        "editors/nvim/lua/acp_lens/protocol.lua",
    ] {
        let Ok(text) = fs::read_to_string(root().join(file)) else {
            assert!(file.starts_with("editors/"), "{file} is missing");
            continue;
        };
        let header: Vec<&str> = text.lines().take(12).collect();
        assert!(
            header.iter().any(|line| line.contains(&hash)),
            "{file}: compare it with crates/editor-server/src/lsp/ext.rs and ext/*.rs, then put the hash {hash} into its header",
        );
    }
}

/// Each interface of the VS Code extension, and where an example of it stands in the document.
const TYPESCRIPT: [(&str, &str, &str); 17] = [
    ("FileRef", "FileParams", "/file"),
    ("Notice", "DidChangeActivityParams", "/turns/0/notices/0"),
    ("SessionInfo", "SessionInfo", ""),
    ("TurnInfo", "DidChangeActivityParams", "/turns/0"),
    ("FileTurn", "DidChangeActivityParams", "/files/0/turns/0"),
    ("FileInfo", "DidChangeActivityParams", "/files/0"),
    ("ActivityChange", "DidChangeActivityParams", ""),
    ("Hunk", "HunksResult", "/hunks/0"),
    ("HunksResult", "HunksResult", ""),
    ("DiffResult", "DiffResult", ""),
    ("GoToResult", "GoToResult", ""),
    ("PermissionOption", "PermissionQuestion", "/options/0"),
    ("TouchedFile", "PermissionQuestion", "/files/0"),
    ("PermissionQuestion", "PermissionQuestion", ""),
    ("TimelineUpdate", "TimelineUpdate", ""),
    ("AgentInfo", "AgentsResult", "/agents/0"),
    ("SessionListResult", "SessionListResult", ""),
];

/// A client may leave out what it does not read; it cannot read what is not there.
#[test]
fn the_extensions_name_members_and_methods_that_exist() {
    let document = document();
    let examples = examples(&document);
    let typescript = fs::read_to_string(root().join("editors/vscode/src/protocol.ts"))
        .expect("the extension is committed");
    for (interface, example, pointer) in TYPESCRIPT {
        let (_, after) = typescript
            .split_once(&format!("export interface {interface} {{\n"))
            .unwrap_or_else(|| panic!("there is no interface {interface}"));
        let (body, _) = after.split_once("\n}").expect("an interface ends");
        let members = body.lines().filter_map(|line| {
            // Members of the interface itself are indented once.
            let (name, _) = line.strip_prefix("  ")?.split_once(':')?;
            name.starts_with(char::is_alphabetic)
                .then(|| name.trim_end_matches('?'))
        });
        let (_, json) = examples
            .iter()
            .find(|(name, _)| *name == example)
            .expect("there is an example");
        let json: Value = serde_json::from_str(json).expect("examples are JSON");
        let object = json.pointer(pointer).expect("the example has this object");
        for member in members {
            assert!(
                object.get(member).is_some(),
                "{interface}.{member} is not in the protocol"
            );
        }
    }
    let lua = fs::read_to_string(root().join("editors/nvim/lua/acp_lens/protocol.lua"))
        .expect("the plugin is committed");
    for word in [typescript, lua]
        .iter()
        .flat_map(|text| text.split(['"', '\'', '`']))
        .filter(|word| word.starts_with("acpLens/") && !word.ends_with('/'))
    {
        assert!(
            REQUESTS.contains(&word) || NOTIFICATIONS.contains(&word),
            "there is no method {word}"
        );
    }
}
