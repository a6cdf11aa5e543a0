//! The published vectors of workspace file references, on a real file system.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use support::{Vector, Workspace, vectors};
use workspace_fs::reference::{self, ReferenceError};

/// The workspace of the vectors: `/home/u/ws`, with a file beside it.
fn fixture() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("hello.txt", b"hello");
    workspace.write("bin", b"a\0b");
    let mut late_nul = vec![b'a'; 9000];
    late_nul[8500] = 0;
    workspace.write("lateNul", &late_nul);
    workspace.write("bad.txt", &[0x68, 0xFF, 0x69]);
    workspace.write("max.txt", &vec![b'a'; 2 * 1024 * 1024]);
    workspace.write("big.txt", &vec![b'a'; 2 * 1024 * 1024 + 1]);
    fs::create_dir(workspace.path().join("d")).unwrap();
    fs::write(workspace.outside().join("out.txt"), "outside").unwrap();
    let big = fs::File::create(workspace.path().join("big.bin")).unwrap();
    big.set_len(50 * 1024 * 1024 + 1).unwrap();
    let outside = workspace.outside().to_str().unwrap();
    workspace.link(&format!("{outside}/out.txt"), "link");
    workspace.link("hello.txt", "inlink");
    workspace.link(outside, "dirlink");
    workspace.link(&format!("{outside}/nowhere"), "dangling");
    workspace.link("d", "dl");
    workspace
}

/// The path of the vector's file system in the temporary one.
fn here(workspace: &Workspace, path: &str) -> String {
    path.replace("/home/u", workspace.outside().to_str().unwrap())
}

fn run(workspace: &Workspace, input: &Value) -> Option<Value> {
    let home = Some(workspace.outside());
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let root = here(workspace, text("workspaceRoot").unwrap_or("/home/u/ws"));
    let relative = text("relativePath");
    let got = match text("call")? {
        "readWorkspaceText" => with_root(&root, home, |root| {
            let read = reference::read_text(root, relative.unwrap())?;
            let content = match read.content.len() {
                9000 => "<9000 chars>".to_owned(),
                _ => read.content,
            };
            Ok(json!({
                "ok": true, "content": content, "mimeType": read.media_type,
                "size": read.size, "readOnly": true,
            }))
        }),
        "statWorkspaceFile" => with_root(&root, home, |root| {
            let stat = reference::stat(root, relative.unwrap())?;
            assert!(stat.modified_ms > 0.0);
            Ok(json!({
                "ok": true, "size": "<any>", "isFile": stat.is_file, "isDir": stat.is_dir,
                "readOnly": true,
            }))
        }),
        "readWorkspaceBinary" => with_root(&root, home, |root| {
            let max_bytes = input.get("maxBytes").and_then(Value::as_f64);
            let read = reference::read_bytes(root, relative.unwrap(), max_bytes)?;
            Ok(json!({
                "ok": true, "data": "<bytes>", "mimeType": read.media_type,
                "size": read.bytes.len(), "readOnly": true,
            }))
        }),
        "resolveWorkspaceContext" => {
            let cwd = here(workspace, text("executionCwd").unwrap());
            shown(
                reference::resolve_context(&root, &cwd, home).map(|context| {
                    let path = |path: &Path| {
                        path.to_str()
                            .unwrap()
                            .replace(workspace.outside().to_str().unwrap(), "/home/u")
                    };
                    json!({
                        "ok": true, "workspaceRoot": path(&context.workspace_root),
                        "executionCwd": path(&context.execution_cwd),
                    })
                }),
            )
        }
        // The native actions are checked where they are.
        "listWorkspaceOpenHandlers" | "openWorkspaceWith" => return None,
        other => panic!("no call {other}"),
    };
    Some(got)
}

fn with_root(
    root: &str,
    home: Option<&Path>,
    call: impl FnOnce(&workspace_fs::Root) -> Result<Value, ReferenceError>,
) -> Value {
    shown(reference::open_root(root, home).and_then(|root| call(&root)))
}

fn shown(result: Result<Value, ReferenceError>) -> Value {
    match result {
        Ok(value) => value,
        Err(error) => match error.size() {
            Some(size) => json!({"ok": false, "error": error.as_str(), "size": size}),
            None => json!({"ok": false, "error": error.as_str()}),
        },
    }
}

#[test]
fn published_vectors() {
    let workspace = fixture();
    let mut checked = 0;
    for Vector {
        id,
        description,
        input,
        expected,
    } in vectors("wsapi")
    {
        if let Some(got) = run(&workspace, &input) {
            assert_eq!(got, expected, "{id}: {description}");
            checked += 1;
        }
    }
    assert!(checked > 30, "only {checked} vectors were checked");
}

fn check_text(workspace: &Workspace, relative: &str, expect: Result<&str, &str>) {
    let root = reference::open_root(workspace.path().to_str().unwrap(), None).unwrap();
    let got = reference::read_text(&root, relative);
    let got = got
        .as_ref()
        .map(|read| read.content.as_str())
        .map_err(|error| error.as_str());
    assert_eq!(got, expect, "{relative:?}");
}

#[test]
fn links_inside_are_followed_however_they_are_written() {
    let workspace = Workspace::new();
    workspace.write("d/a", b"a");
    workspace.write("e/b", b"b");
    let absolute = workspace.path().join("d");
    workspace.link(absolute.to_str().unwrap(), "absolute");
    workspace.link("../d/a", "e/up");
    workspace.link("e/up", "twice");
    workspace.link("../ws/d", "out-and-in");
    workspace.link("loop", "loop");
    workspace.link("absolute/../e", "through");
    check_text(&workspace, "absolute/a", Ok("a"));
    check_text(&workspace, "e/up", Ok("a"));
    check_text(&workspace, "twice", Ok("a"));
    check_text(&workspace, "through/b", Ok("b"));
    // A walk that leaves the root is refused, even if it would come back.
    check_text(&workspace, "out-and-in/a", Err("outsideSandbox"));
    check_text(&workspace, "loop", Err("outsideSandbox"));
    check_text(&workspace, "d/a/b", Err("notDirectory"));
    check_text(&workspace, "d\0", Err("operationFailed"));
}

#[test]
fn a_pipe_is_no_file_and_does_not_block() {
    let workspace = Workspace::new();
    let path = workspace.path().join("pipe");
    let status = std::process::Command::new("mkfifo")
        .arg(&path)
        .status()
        .unwrap();
    assert!(status.success());
    check_text(&workspace, "pipe", Err("notFound"));
    let root = reference::open_root(workspace.path().to_str().unwrap(), None).unwrap();
    assert_eq!(
        reference::native_path(&root, "pipe"),
        Err(ReferenceError::NotFile)
    );
}

#[test]
fn a_root_that_was_moved_or_replaced_is_noticed() {
    let workspace = Workspace::new();
    workspace.write("a", b"a");
    let root = reference::open_root(workspace.path().to_str().unwrap(), None).unwrap();
    let elsewhere = workspace.outside().join("elsewhere");
    fs::rename(workspace.path(), &elsewhere).unwrap();
    assert_eq!(
        reference::stat(&root, "a"),
        Err(ReferenceError::OutsideSandbox)
    );
    fs::create_dir(workspace.path()).unwrap();
    workspace.write("a", b"other");
    assert_eq!(
        reference::stat(&root, "a"),
        Err(ReferenceError::OutsideSandbox)
    );
    fs::remove_dir_all(workspace.path()).unwrap();
    fs::rename(&elsewhere, workspace.path()).unwrap();
    assert!(reference::stat(&root, "a").is_ok());
}
