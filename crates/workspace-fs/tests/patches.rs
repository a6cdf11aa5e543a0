//! Patches applied to real files: what is written, what is refused, and what is left alone.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::fmt::Write as _;

use acp_grammar::patch::{Dialect, parse};
use expect_test::{Expect, expect};
use support::{Workspace, vectors};
use workspace_fs::patch::{PatchError, PatchOptions, PatchedKind, apply_patch, check_patch};
use workspace_fs::{Cancel, LocalFileSystem};

fn options(dialect: Dialect) -> PatchOptions<'static> {
    PatchOptions { dialect, cwd: None }
}

fn run(workspace: &Workspace, body: &str) -> Result<String, PatchError> {
    let files = LocalFileSystem::open(workspace.path()).unwrap();
    let patch = format!("*** Begin Patch\n{body}\n*** End Patch");
    let patch = parse(&patch, Dialect::Openclaw).unwrap();
    let cancel = Cancel::new();
    let checked = check_patch(&files, &patch, options(Dialect::Openclaw), &cancel);
    let applied = apply_patch(&files, &patch, options(Dialect::Openclaw), &cancel);
    assert_eq!(
        checked.is_ok(),
        applied.is_ok(),
        "a check tells what will happen"
    );
    let outcome = applied?;
    assert_eq!(checked.unwrap().text(), outcome.text());
    let mut shown = outcome.text();
    for file in &outcome.files {
        if let PatchedKind::Moved { from } = &file.kind {
            write!(shown, "\n{} came from {from}", file.path).unwrap();
        }
        for diff in &file.diffs {
            write!(
                shown,
                "\n{}: {:?} -> {:?}",
                diff.path, diff.old_text, diff.new_text
            )
            .unwrap();
        }
        if let Some(form) = file.form {
            write!(shown, "\n{}: {form}", file.path).unwrap();
        }
    }
    Ok(shown)
}

/// Applies the sections to the files, and shows the result with all files after it.
#[expect(
    clippy::needless_pass_by_value,
    reason = "`expect![[…]]` stands at the call"
)]
fn check(files: &[(&str, &str)], body: &str, expect: Expect) {
    let workspace = Workspace::new();
    for (name, content) in files {
        workspace.write(name, content.as_bytes());
    }
    let before = workspace.tree();
    let told = match run(&workspace, body) {
        Ok(told) => told,
        Err(error) => {
            assert_eq!(
                workspace.tree(),
                before,
                "a patch that is refused changes nothing"
            );
            error.model_text()
        }
    };
    let told = told.replace(workspace.path().to_str().unwrap(), "/ws");
    let mut shown = format!("{told}\n--\n");
    for (name, content) in workspace.tree() {
        writeln!(shown, "{name}: {content:?}").unwrap();
    }
    expect.assert_eq(&shown);
}

#[test]
fn each_kind_of_section() {
    check(
        &[("m", "a\nb\n"), ("old", "x\ny\n"), ("gone", "z\n")],
        "*** Add File: dir/new\n+1\n+2\n*** Update File: m\n@@\n-a\n+A\n*** Delete File: gone\n\
         *** Update File: old\n*** Move to: sub/new\n@@\n x\n-y\n+Y",
        expect![[r#"
            Success. Updated the following files:
            A dir/new
            M m
            M sub/new
            D gone
            m: Some("a\nb") -> "A\nb"
            sub/new came from old
            sub/new: Some("x\ny") -> "x\nY"
            --
            dir/new: "1\n2\n"
            m: "A\nb\n"
            sub/new: "x\nY\n"
        "#]],
    );
}

#[test]
fn sections_of_one_file_build_on_each_other() {
    check(
        &[("f", "a\nb\nc\n")],
        "*** Update File: f\n@@\n-a\n+1\n*** Update File: f\n@@\n-1\n-b\n+2\n*** Update File: f\n\
         *** Move to: g\n@@\n-2\n+3\n*** Update File: g\n@@\n-c\n+C",
        expect![[r#"
            Success. Updated the following files:
            M f
            M g
            f: Some("a\nb\nc") -> "1\nb\nc"
            f: Some("1\nb\nc") -> "2\nc"
            g came from f
            g: Some("2\nc") -> "3\nc"
            g: Some("3\nc") -> "3\nC"
            --
            g: "3\nC\n"
        "#]],
    );
}

#[test]
fn existing_targets_are_refused_unless_the_patch_deletes_them_first() {
    check(
        &[("f", "a\n")],
        "*** Add File: f\n+b",
        expect![[r#"
        cannot add "/ws/f": it already exists
        Section 1 of 1 (f) does not fit, so no file was changed: write an Update section, or delete the file in an earlier section.
        --
        f: "a\n"
    "#]],
    );
    check(
        &[("f", "a\n"), ("g", "b\n")],
        "*** Update File: f\n*** Move to: g\n@@\n-a\n+A",
        expect![[r#"
            cannot move to "/ws/g": it already exists
            Section 1 of 1 (f) does not fit, so no file was changed: choose another path, or delete the file in an earlier section.
            --
            f: "a\n"
            g: "b\n"
        "#]],
    );
    check(
        &[("f", "a\n")],
        "*** Delete File: f\n*** Add File: f\n+b",
        expect![[r#"
            Success. Updated the following files:
            A f
            D f
            --
            f: "b\n"
        "#]],
    );
    check(
        &[("f", "a\n"), ("g", "b\n")],
        "*** Delete File: g\n*** Update File: f\n*** Move to: g\n@@\n-a\n+A",
        expect![[r#"
            Success. Updated the following files:
            M g
            D g
            g came from f
            g: Some("a") -> "A"
            --
            g: "A\n"
        "#]],
    );
    check(
        &[],
        "*** Add File: f\n+a\n*** Add File: f/g\n+b",
        expect![[r#"
            cannot add "/ws/f/g": another section makes a file of one of its parents
            Section 2 of 2 (f/g) does not fit, so no file was changed: choose another path.
            --
        "#]],
    );
}

#[test]
fn a_third_section_that_does_not_fit_changes_nothing_and_names_the_nearest_place() {
    check(
        &[("a", "1\n"), ("c", "one\ntwo\n  three\nfour\n")],
        "*** Update File: a\n@@\n-1\n+2\n*** Add File: b\n+new\n*** Update File: c\n@@\n two\n-tree\n+3",
        expect![[r#"
            Failed to find expected lines in c:
            two
            tree
            Section 3 of 3 (c) does not fit, so no file was changed: nearest candidate at line 2, where 1 of 2 lines match; line 3 is '  three', the patch has 'tree'.
            --
            a: "1\n"
            c: "one\ntwo\n  three\nfour\n"
        "#]],
    );
}

#[test]
fn refused_paths_and_files() {
    check(
        &[],
        "*** Add File: ../f\n+a",
        expect![[r#"
        cannot resolve "../f": the path leads outside the workspace
        Section 1 of 1 (../f) does not fit, so no file was changed: use a path inside the workspace.
        --
    "#]],
    );
    check(
        &[],
        "*** Add File: /etc/f\n+a",
        expect![[r#"
        cannot resolve "/etc/f": the path leads outside the workspace
        Section 1 of 1 (/etc/f) does not fit, so no file was changed: use a path inside the workspace.
        --
    "#]],
    );
    check(
        &[],
        "*** Update File: f\n@@\n-a\n+b",
        expect![[r#"
        cannot read "/ws/f": not found
        Section 1 of 1 (f) does not fit, so no file was changed: check the path with a listing of its directory.
        --
    "#]],
    );
    check(
        &[],
        "*** Delete File: f",
        expect![[r#"
        cannot delete "/ws/f": not found
        Section 1 of 1 (f) does not fit, so no file was changed: check the path with a listing of its directory.
        --
    "#]],
    );
    check(
        &[("d/f", "")],
        "*** Delete File: d",
        expect![[r#"
        cannot delete "/ws/d": not a regular file
        Section 1 of 1 (d) does not fit, so no file was changed: use the path of a file.
        --
        d/f: ""
    "#]],
    );
    check(
        &[("f", "a\0\n")],
        "*** Update File: f\n@@\n-a\n+b",
        expect![[r#"
            cannot read "/ws/f": binary file
            Section 1 of 1 (f) does not fit, so no file was changed: use a tool that handles other files than UTF-8 text.
            --
            f: "a\0\n"
        "#]],
    );
}

#[test]
fn endings_blank_last_lines_and_missing_final_newlines_survive() {
    check(
        &[
            ("f", "a\r\nb\r\nc\r\n\r\n"),
            ("g", "\u{FEFF}a\nb"),
            ("h", "a\r\nb\nc\rd\n"),
        ],
        "*** Update File: f\n@@\n a\n-b\n+B\n+B2\n*** Update File: g\n@@\n-a\n+A\n\
         *** Update File: h\n@@\n-b\n+B",
        expect![[r#"
            Success. Updated the following files:
            M f
            M g
            M h
            f: Some("a\nb\nc\n") -> "a\nB\nB2\nc\n"
            g: Some("a\nb") -> "A\nb"
            h: Some("a\nb\nc\rd") -> "a\nB\nc\rd"
            --
            f: "a\r\nB\r\nB2\r\nc\r\n\r\n"
            g: "\u{feff}A\nb"
            h: "a\r\nB\nc\rd\n"
        "#]],
    );
    check(
        &[("f", "a\n")],
        "*** Update File: f\n@@\n-a\n+a",
        expect![[r#"
            No changes made to f.
            --
            f: "a\n"
        "#]],
    );
}

#[test]
fn published_vectors() {
    // Where the result differs from the system that gave the vector, why, and what stands instead.
    let differences = [
        (
            "APPLY-008",
            "context lines that match loosely keep the file's own spelling",
            "  a\nB\n",
        ),
        ("APPLY-019", "a blank last line survives", "y\n\n"),
        (
            "APPLY-027",
            "touched lines keep the file's endings",
            "a\r\nB\r\nc\r\n",
        ),
    ];
    for vector in vectors("apply") {
        let workspace = Workspace::new();
        workspace.write("f", vector.input["file"].as_str().unwrap().as_bytes());
        let body = vector.input["updateBody"].as_str().unwrap();
        let result = run(&workspace, &format!("*** Update File: f\n{body}"));
        let expected = &vector.expected["openclaw"];
        let difference = differences.iter().find(|(id, ..)| *id == vector.id);
        match (expected["content"].as_str(), difference) {
            (Some(content), None) => {
                assert!(result.is_ok(), "{}: {result:?}", vector.id);
                assert_eq!(workspace.read("f"), content, "{}", vector.id);
            }
            (Some(content), Some((_, _, ours))) => {
                assert_ne!(content, *ours, "{} does not differ any more", vector.id);
                assert_eq!(workspace.read("f"), *ours, "{}", vector.id);
            }
            (None, _) => {
                let error = result.unwrap_err().to_string();
                assert_eq!(error, expected["error"].as_str().unwrap(), "{}", vector.id);
                assert_eq!(workspace.read("f"), vector.input["file"].as_str().unwrap());
            }
        }
    }
}

#[test]
fn codex_puts_insertions_at_the_end_and_takes_the_first_ending() {
    let check = |file: &str, body: &str, expect: &str| {
        let workspace = Workspace::new();
        workspace.write("f", file.as_bytes());
        let files = LocalFileSystem::open(workspace.path()).unwrap();
        let patch = format!("*** Begin Patch\n*** Update File: f\n{body}\n*** End Patch");
        let patch = parse(&patch, Dialect::Codex).unwrap();
        apply_patch(&files, &patch, options(Dialect::Codex), &Cancel::new()).unwrap();
        assert_eq!(workspace.read("f"), expect);
    };
    check("a\nb\nc\n", "@@ b\n+new", "a\nb\nc\nnew\n");
    check("a\r\nb\r\nc\r\n", "@@\n a\n-b\n+B", "a\r\nB\r\nc\r\n");
    check("a\r\nb\nc\n", "@@\n-c\n+C\n+D", "a\r\nb\nC\r\nD\r\n");
    check("x\n\n", "@@\n-x\n+y", "y\n\n");
}

#[test]
fn a_link_is_changed_at_its_target_moved_as_text_and_deleted_as_a_link() {
    let workspace = Workspace::new();
    workspace.write("t", b"a\n");
    workspace.link("t", "l");
    run(&workspace, "*** Update File: l\n@@\n-a\n+b").unwrap();
    assert!(workspace.path().join("l").is_symlink());
    assert_eq!(workspace.read("t"), "b\n");
    let moved = "*** Update File: l\n*** Move to: m\n@@\n-b\n+c\n*** Add File: l\n+new";
    run(&workspace, moved).unwrap();
    assert!(!workspace.path().join("l").is_symlink());
    assert_eq!(
        (
            workspace.read("m"),
            workspace.read("l"),
            workspace.read("t")
        ),
        ("c\n".into(), "new\n".into(), "b\n".into())
    );
    workspace.link("t", "k");
    run(&workspace, "*** Delete File: k\n*** Add File: k\n+own").unwrap();
    assert!(!workspace.path().join("k").is_symlink());
    assert_eq!(
        (workspace.read("k"), workspace.read("t")),
        ("own\n".into(), "b\n".into())
    );
}

#[test]
fn a_moved_script_stays_executable() {
    let workspace = Workspace::new();
    workspace.write("run", b"a\n");
    workspace.set_mode("run", 0o750);
    run(
        &workspace,
        "*** Update File: run\n*** Move to: bin/run\n@@\n-a\n+b",
    )
    .unwrap();
    assert_eq!(workspace.mode("bin/run"), 0o750);
}
