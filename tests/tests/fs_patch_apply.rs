//! `acp-lens patch apply`, as a person and a script meet it, and on the patches of recorded sessions.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use e2e::binary::{Finished, run};
use expect_test::{Expect, expect};
use serde_json::Value;

/// The files below a directory, by their path.
fn tree(root: &Path) -> Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory)? {
            let path = entry?.path();
            if path.is_dir() {
                directories.push(path);
            } else {
                let name = path.strip_prefix(root)?.display().to_string();
                files.insert(name, fs::read_to_string(&path)?);
            }
        }
    }
    Ok(files)
}

fn write_all<'a>(root: &Path, files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<()> {
    for (name, content) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().context("a file has a directory")?)?;
        fs::write(path, content)?;
    }
    Ok(())
}

fn apply(root: &Path, options: &[&str], payload: &str) -> Result<Finished> {
    let root = root.to_str().context("the path is UTF-8")?;
    let mut line = vec!["patch", "apply", "-", "--root", root];
    line.extend(options);
    run(&line, payload.as_bytes())
}

/// Applies a payload to the files and shows status, output, errors and the files after it.
#[expect(
    clippy::needless_pass_by_value,
    reason = "`expect![[…]]` stands at the call"
)]
fn check(files: &[(&str, &str)], options: &[&str], body: &str, expected: Expect) -> Result<()> {
    let root = tempfile::tempdir()?;
    write_all(root.path(), files.iter().copied())?;
    let payload = format!("*** Begin Patch\n{body}\n*** End Patch\n");
    let Finished {
        code,
        stdout,
        stderr,
    } = apply(root.path(), options, &payload)?;
    let mut shown = format!("exit {code:?}\n{stdout}--\n{stderr}--\n");
    for (name, content) in tree(root.path())? {
        writeln!(shown, "{name}: {content:?}")?;
    }
    let given = root.path().to_str().context("the path is UTF-8")?;
    expected.assert_eq(&shown.replace(given, "/root"));
    Ok(())
}

const FILES: &[(&str, &str)] = &[
    ("a", "one\n  two\nthree\n"),
    ("b", "b\n"),
    ("c", "c\r\nd\r\n"),
];

const BODY: &str = "*** Update File: a\n@@ one\n-two\n+2\n*** Delete File: b\n\
                    *** Update File: c\n*** Move to: sub/c\n@@\n c\n+new\n*** Add File: e\n+e";

#[test]
fn a_patch_is_applied() -> Result<()> {
    check(
        FILES,
        &[],
        BODY,
        expect![[r#"
        exit Some(0)
        applied 4 sections
        modified   a
          @@ -2,1 +2,1 @@  (indentation differs)
        deleted    b
        moved      c -> sub/c
          @@ -1,1 +1,2 @@
        added      e
        --
        --
        a: "one\n2\nthree\n"
        e: "e\n"
        sub/c: "c\r\nnew\r\nd\r\n"
    "#]],
    )
}

#[test]
fn a_dry_run_writes_nothing() -> Result<()> {
    check(
        FILES,
        &["--dry-run", "--dialect", "codex"],
        BODY,
        expect![[r#"
            exit Some(0)
            would apply 4 sections; nothing was written
            modified   a
              @@ -2,1 +2,1 @@  (indentation differs)
            deleted    b
            moved      c -> sub/c
              @@ -1,1 +1,2 @@
            added      e
            --
            --
            a: "one\n  two\nthree\n"
            b: "b\n"
            c: "c\r\nd\r\n"
        "#]],
    )
}

#[test]
fn a_section_that_does_not_fit_changes_nothing() -> Result<()> {
    let body = format!("{BODY}\n*** Update File: a\n@@\n one\n-tow\n+2");
    check(
        FILES,
        &[],
        &body,
        expect![[r#"
            exit Some(1)
            --
            error: <stdin>:15: Failed to find expected lines in a (section 5 of 5, chunk 1); no file was changed
              help: nearest candidate at line 1, where 1 of 2 lines match; line 2 is '2', the patch has 'tow'
            --
            a: "one\n  two\nthree\n"
            b: "b\n"
            c: "c\r\nd\r\n"
        "#]],
    )
}

#[test]
fn wrong_payloads_roots_and_usage_say_what_to_do() -> Result<()> {
    check(
        &[],
        &[],
        "*** Add File: a\nb",
        expect![[r"
            exit Some(1)
            <stdin>:3:1: 'b' is not a valid hunk header. Valid hunk headers: '*** Add File: {path}', '*** Delete File: {path}', '*** Update File: {path}'
              |
            3 | b
              | ^
              expected  *** Add File: {path}
                     or  *** Delete File: {path}
                     or  *** Update File: {path}
                     or  *** End Patch
            --
            error: <stdin> was rejected at line 3, column 1, in dialect openclaw
              help: start each line of a new file with '+', or begin the next section with its header
            --
        "]],
    )?;
    check(
        &[],
        &["--dialect", "clawx"],
        "",
        expect![[r"
        exit Some(2)
        --
        error: invalid value 'clawx' for '--dialect <DIALECT>'
          [possible values: openclaw, codex]

        For more information, try '--help'.
        --
    "]],
    )?;
    check(
        &[],
        &["--dialect", "codex"],
        "",
        expect![[r"
            exit Some(1)
            <stdin>:2:1: '' is not a valid hunk header. Valid hunk headers: '*** Add File: {path}', '*** Delete File: {path}', '*** Update File: {path}'
              |
            2 | 
              | ^
              expected  *** Add File: {path}
                     or  *** Delete File: {path}
                     or  *** Update File: {path}
                     or  *** End Patch
            --
            error: <stdin> was rejected at line 2, column 1, in dialect codex
              help: remove the blank line: none may stand before or between sections; an empty line of a new file is written '+'
            --
        "]],
    )?;
    let finished = run(
        &["patch", "apply", "-", "--root", "/no/such/dir"],
        b"*** Begin Patch\n*** Delete File: a\n*** End Patch",
    )?;
    expect![[r"
        exit Some(1)
        error: the directory /no/such/dir could not be opened: No such file or directory (os error 2)
          help: name the directory of the files with --root
    "]].assert_eq(&format!("exit {:?}\n{}", finished.code, finished.stderr));
    Ok(())
}

/// A tool call of a recorded session with its last state.
#[derive(Default)]
struct Call {
    title: String,
    status: String,
    input: Value,
}

/// The calls of a recorded session in the order in which they began.
fn calls(trace: &str) -> Result<Vec<Call>> {
    let mut order: Vec<String> = Vec::new();
    let mut calls: BTreeMap<String, Call> = BTreeMap::new();
    for line in trace.lines() {
        let message: Value = serde_json::from_str(line)?;
        let update = &message["msg"]["params"]["update"];
        let Some(id) = update["toolCallId"].as_str() else {
            continue;
        };
        if !calls.contains_key(id) {
            order.push(id.to_owned());
        }
        let call = calls.entry(id.to_owned()).or_default();
        for (key, place) in [("title", &mut call.title), ("status", &mut call.status)] {
            if let Some(value) = update[key].as_str() {
                value.clone_into(place);
            }
        }
        if update["rawInput"].is_object() {
            call.input = update["rawInput"].clone();
        }
    }
    Ok(order.iter().filter_map(|id| calls.remove(id)).collect())
}

/// The paths that a patch names, without its other lines.
fn paths_of(patch: &str) -> impl Iterator<Item = &str> {
    let markers = [
        "*** Add File: ",
        "*** Update File: ",
        "*** Delete File: ",
        "*** Move to: ",
    ];
    patch
        .lines()
        .filter_map(move |line| markers.iter().find_map(|marker| line.strip_prefix(marker)))
}

/// What the other tools of the session did, done by hand.
fn do_by_hand(root: &Path, call: &Call) -> Result<()> {
    let tool = call.title.split(':').next().unwrap_or_default();
    let path = || {
        let path = call.input["path"]
            .as_str()
            .context("the tool names a path")?;
        Ok::<_, anyhow::Error>(root.join(path.trim_start_matches("/tmp/ws/")))
    };
    let text = |value: &Value| value.as_str().map(ToOwned::to_owned).context("a text");
    match tool {
        "write" => {
            fs::create_dir_all(path()?.parent().context("a file has a directory")?)?;
            fs::write(path()?, text(&call.input["content"])?)?;
        }
        "edit" => {
            let mut content = fs::read_to_string(path()?)?;
            let edits = call.input["edits"].as_array();
            let edits = edits.map_or_else(|| vec![&call.input], |edits| edits.iter().collect());
            for edit in edits {
                content = content.replacen(&text(&edit["oldText"])?, &text(&edit["newText"])?, 1);
            }
            fs::write(path()?, content)?;
        }
        // The one shell command that touches a file which a patch names.
        "exec" if text(&call.input["command"])?.starts_with("printf 'delta") => {
            let notes = root.join("notes.txt");
            fs::write(&notes, fs::read_to_string(&notes)? + "delta\n")?;
        }
        _ => {}
    }
    Ok(())
}

/// Repeats a recorded session with `acp-lens patch apply` in the place of its patch tool, and compares
/// the files that its patches name with what the session left.
fn check_session(name: &str) -> Result<()> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/traces");
    let files = fs::read_to_string(fixtures.join(format!("{name}.files.json")))?;
    let files: Value = serde_json::from_str(&files)?;
    let trace = fs::read_to_string(fixtures.join(format!("{name}.ndjson")))?;
    let root = tempfile::tempdir()?;
    let before = files["before"].as_object().context("files before")?;
    let texts = before
        .iter()
        .filter_map(|(name, text)| Some((name.as_str(), text.as_str()?)));
    write_all(root.path(), texts)?;

    let mut named = BTreeSet::new();
    let mut applied = 0;
    for call in calls(&trace)? {
        let patch = call.input["input"]
            .as_str()
            .filter(|_| call.title.starts_with("apply_patch:"));
        match (patch, call.status.as_str()) {
            (Some(patch), status) => {
                let tree_before = tree(root.path())?;
                let finished = apply(root.path(), &[], patch)?;
                let told = format!("{name}: {patch}\n{}", finished.stderr);
                if status == "completed" {
                    ensure!(finished.code == Some(0), "{told}");
                    applied += 1;
                    named.extend(paths_of(patch).map(ToOwned::to_owned));
                } else {
                    // The recorded tool left its first sections behind; this one leaves nothing.
                    ensure!(finished.code == Some(1), "{told}");
                    ensure!(tree(root.path())? == tree_before, "{told}");
                }
            }
            (None, "completed") => do_by_hand(root.path(), &call)?,
            (None, _) => {}
        }
    }
    ensure!(applied >= 3, "only {applied} patches were applied");
    let after = tree(root.path())?;
    for path in named {
        // A shell command that was still running at the end added one line.
        let left = files["after"][&path]
            .as_str()
            .map(|text| text.replace("late\n", ""));
        let ours = after.get(&path);
        ensure!(
            ours == left.as_ref(),
            "{name}: {path}: {ours:?} instead of {left:?}"
        );
    }
    Ok(())
}

#[test]
fn the_patches_of_recorded_sessions_give_the_recorded_files() -> Result<()> {
    check_session("openclaw-2026.9.6-full")?;
    check_session("openclaw-2026.9.6-nocaps")
}

#[test]
fn a_patch_that_an_agent_sent_through_a_shell_gives_the_recorded_file() -> Result<()> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/traces");
    let trace = fs::read_to_string(fixtures.join("zed-codex-acp-0.16.0-auto-load.ndjson"))?;
    let files = fs::read_to_string(fixtures.join("zed-codex-acp-0.16.0-auto.files.json"))?;
    let files: Value = serde_json::from_str(&files)?;
    let calls = calls(&trace)?;
    let scripts = calls.iter().filter_map(|call| call.input["cmd"].as_str());
    let payloads: Vec<&str> = scripts
        .filter_map(|script| script.strip_prefix("apply_patch "))
        .collect();
    ensure!(payloads.len() == 1, "{payloads:?}");
    let root = tempfile::tempdir()?;
    for payload in payloads {
        // The wrapper is left on: it is part of the payload's language.
        let finished = apply(root.path(), &["--dialect", "codex"], payload)?;
        ensure!(finished.code == Some(0), "{}", finished.stderr);
    }
    for (path, content) in tree(root.path())? {
        ensure!(files["after"][&path] == content, "{path}: {content}");
    }
    Ok(())
}
