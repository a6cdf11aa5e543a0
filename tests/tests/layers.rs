//! The layers of the house, held by reading the dependency graph and the sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, MetadataCommand};

/// Every edge between two crates of the workspace; a new one is a decision about architecture.
const EDGES: &[(&str, &str)] = &[
    ("activity-core", "acp-grammar"),
    ("workspace-fs", "acp-grammar"),
    ("editor-server", "acp-grammar"),
    ("editor-server", "activity-core"),
    ("editor-server", "workspace-fs"),
];

/// Crates of the registry that only one crate of the workspace may use outside its tests.
const OWNED: &[(&str, &str)] = &[
    ("tokio", "editor-server"),
    ("tower-lsp", "editor-server"),
    ("agent-client-protocol", "editor-server"),
    ("interprocess", "editor-server"),
    ("cap-std", "workspace-fs"),
    ("nom", "acp-grammar"),
];

/// Words that only one folder of `editor-server` may use, because these crates change often.
const AT_THE_EDGE: &[(&str, &str)] = &[
    ("lsp_types", "src/lsp"),
    ("agent_client_protocol", "src/acp"),
    ("rmcp", "src/mcp"),
];

/// Files of `editor-server` that use the file system themselves, and why that is no workspace file.
const OWN_FILES: &[(&str, &str)] = &[
    ("acp/demo_agent/history.rs", "the demo agent's own sessions"),
    ("cli/demo.rs", "the recording that the demo made"),
    ("cli/patch.rs", "the payload that a person named"),
    ("cli/replay.rs", "the traces that a person named"),
    ("demo/editor.rs", "the configuration of the demo's editor"),
    (
        "demo/run.rs",
        "the directory that becomes the demo's workspace",
    ),
    ("features/attachments/vectors.rs", "files of a test"),
    ("features/traces.rs", "the trace that a person named"),
    (
        "features/transcript.rs",
        "the transcript that a person named",
    ),
    ("mirror/rendezvous.rs", "socket files"),
    (
        "session/location.rs",
        "which entry a name leads to; nothing is opened",
    ),
    ("tap/record.rs", "the recording that a person asked for"),
    ("tap/run.rs", "standard streams and spills"),
    ("tap/spill.rs", "a file without a name"),
    ("tap/streams.rs", "standard streams"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ stands in the workspace")
        .to_owned()
}

fn metadata() -> cargo_metadata::Metadata {
    MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo metadata reads the workspace")
}

#[test]
fn crates_depend_downwards_only() {
    let metadata = metadata();
    let members: BTreeSet<&str> = metadata
        .packages
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    let allowed: BTreeSet<(&str, &str)> = EDGES.iter().copied().collect();
    for package in metadata
        .packages
        .iter()
        .filter(|package| package.name.as_str() != "e2e")
    {
        for dependency in &package.dependencies {
            let edge = (package.name.as_str(), dependency.name.as_str());
            if dependency.kind == DependencyKind::Normal && members.contains(edge.1) {
                assert!(
                    allowed.contains(&edge),
                    "{} must not depend on {}",
                    edge.0,
                    edge.1
                );
            }
            if dependency.kind != DependencyKind::Development {
                for (name, owner) in OWNED.iter().filter(|(name, _)| *name == edge.1) {
                    assert_eq!(edge.0, *owner, "only {owner} may use {name}");
                }
            }
        }
    }
}

#[test]
fn every_crate_takes_the_shared_lints() {
    for package in &metadata().packages {
        let manifest = fs::read_to_string(&package.manifest_path).expect("a manifest is readable");
        assert!(
            manifest.contains("[lints]\nworkspace = true"),
            "{} does not take the workspace's lints",
            package.name
        );
    }
}

#[test]
fn pure_crates_switch_on_the_lint_that_bans_io() {
    for name in ["acp-grammar", "activity-core"] {
        let path = root().join("crates").join(name).join("src/lib.rs");
        let text = fs::read_to_string(&path).expect("a crate has a lib.rs");
        assert!(
            text.contains("#![warn(clippy::disallowed_methods)]"),
            "{name} must ban IO, clock and environment by lint"
        );
    }
}

#[test]
fn protocol_crates_stay_at_the_edge() {
    let server = root().join("crates/editor-server");
    for file in rust_files(&server.join("src")) {
        let text = fs::read_to_string(&file).expect("a source file is readable");
        let relative = file
            .strip_prefix(&server)
            .expect("the file stands in the crate");
        for (word, folder) in AT_THE_EDGE {
            let inside =
                relative.starts_with(folder) || relative == Path::new(&format!("{folder}.rs"));
            assert!(
                inside || !names(&text, word),
                "{} names {word}, which belongs to {folder}",
                relative.display()
            );
        }
    }
}

#[test]
fn workspace_files_are_opened_by_one_crate_only() {
    let source = root().join("crates/editor-server/src");
    let mut using = BTreeSet::new();
    for file in rust_files(&source) {
        let text = fs::read_to_string(&file).expect("a source file is readable");
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        let words = ["std::fs", "tokio::fs", "std::{fs", "OpenOptions"];
        if words.iter().any(|word| names(code, word)) {
            let relative = file.strip_prefix(&source).expect("it stands in the folder");
            using.insert(relative.to_string_lossy().replace('\\', "/"));
        }
    }
    let allowed: BTreeSet<String> = OWN_FILES
        .iter()
        .map(|(file, _)| (*file).to_owned())
        .collect();
    let new: Vec<_> = using.difference(&allowed).collect();
    assert!(
        new.is_empty(),
        "a workspace file is opened through workspace-fs; is it none, add it with its reason: {new:?}"
    );
    let gone: Vec<_> = allowed.difference(&using).collect();
    assert!(
        gone.is_empty(),
        "these no longer use the file system: {gone:?}"
    );
}

#[test]
fn files_can_be_read_in_one_sitting() {
    let mut long = Vec::new();
    for folder in ["crates", "tests"] {
        for file in rust_files(&root().join(folder)) {
            let text = fs::read_to_string(&file).expect("a source file is readable");
            let lines = text.lines().count();
            if lines > 800 {
                long.push(format!("{} has {lines} lines", file.display()));
            }
        }
    }
    assert!(
        long.is_empty(),
        "split these files by concept:\n{}",
        long.join("\n")
    );
}

/// True when `word` stands in code, not in a comment.
fn names(text: &str, word: &str) -> bool {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .any(|line| line.contains(word))
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a source folder is readable") {
            let path = entry.expect("a folder entry is readable").path();
            if path.is_dir() {
                if path
                    .file_name()
                    .is_some_and(|name| name != "target" && name != ".cache")
                {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
