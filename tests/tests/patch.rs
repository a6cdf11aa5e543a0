//! `acp-lens patch check` and `json`, as a person and a script meet them.

use anyhow::Result;
use e2e::binary::{Finished, run};
use expect_test::{Expect, expect};
use serde_json::{Value, json};

/// Runs `acp-lens patch` on standard input and shows status, output and errors.
#[expect(
    clippy::needless_pass_by_value,
    reason = "`expect![[…]]` stands at the call"
)]
fn check(args: &[&str], payload: &str, expected: Expect) -> Result<()> {
    let mut line = vec!["patch"];
    line.extend(args);
    let Finished {
        code,
        stdout,
        stderr,
    } = run(&line, payload.as_bytes())?;
    expected.assert_eq(&format!("exit {code:?}\n{stdout}--\n{stderr}"));
    Ok(())
}

const GOOD: &str = "*** Begin Patch
*** Add File: a.txt
+x
*** Delete File: b.txt
*** Update File: c.txt
*** Move to: d.txt
@@ fn main() {
-a
+b
*** End of File
*** End Patch
";

#[test]
fn an_accepted_payload_is_listed() -> Result<()> {
    check(
        &["check", "-"],
        GOOD,
        expect![[r"
            exit Some(0)
            accepted in dialect clawx, 3 sections
            add     a.txt  +1
            delete  b.txt
            update  c.txt -> d.txt  1 chunk, +1 -1
            --
        "]],
    )
}

#[test]
fn json_of_an_accepted_payload() -> Result<()> {
    let finished = run(&["patch", "json", "-"], GOOD.as_bytes())?;
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
    let document: Value = serde_json::from_str(&finished.stdout)?;
    let expected = json!({"sections": [
        {"kind": "add", "path": "a.txt", "contents": "x\n"},
        {"kind": "delete", "path": "b.txt"},
        {"kind": "update", "path": "c.txt", "moveTo": "d.txt", "chunks": [
            {"context": "fn main() {", "oldText": "a", "newText": "b", "endOfFile": true}
        ]},
    ]});
    assert_eq!(document, expected);
    Ok(())
}

#[test]
fn a_rejected_payload_is_shown_with_line_and_caret() -> Result<()> {
    check(
        &["check", "-"],
        "<<'EOF'\n*** Begin Patch\n*** Update File: b\n@@\n\t\u{1b}[31mfoo\n-a\n*** End Patch\nEOF\n",
        expect![[r"
            exit Some(1)
            <stdin>:5:1: Unexpected line found in update hunk: '→␛[31mfoo'. Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)
              |
            5 | →␛[31mfoo
              | ^
              expected   {context line}
                     or  +{added line}
                     or  -{removed line}
            --
            error: <stdin> was rejected at line 5, column 1, in dialect clawx
              help: put one blank before the line's own indentation: it is a context line
        "]],
    )
}

#[test]
fn the_caret_stands_under_the_column() -> Result<()> {
    check(
        &["check", "-", "--dialect", "openclaw"],
        "\n  *** begin patch\n*** End Patch",
        expect![[r"
            exit Some(1)
            <stdin>:2:3: The first line of the patch must be '*** Begin Patch', got: '*** begin patch'
              |
            2 |   *** begin patch
              |   ^
              expected  *** Begin Patch
            --
            error: <stdin> was rejected at line 2, column 3, in dialect openclaw
              help: write the line exactly as '*** Begin Patch'
        "]],
    )
}

#[test]
fn a_payload_without_sections_is_refused_by_check_and_by_apply() -> Result<()> {
    let empty = "*** Begin Patch\n*** End Patch\n";
    for dialect in ["openclaw", "codex"] {
        for command in ["check", "apply"] {
            let finished = run(
                &["patch", command, "-", "--dialect", dialect],
                empty.as_bytes(),
            )?;
            let told = format!(
                "error: <stdin> has no sections, which the tool of dialect {dialect} refuses\n  help: \
                 add a section for each file between '*** Begin Patch' and '*** End Patch'\n"
            );
            let expected = Finished {
                code: Some(1),
                stdout: String::new(),
                stderr: told,
            };
            assert_eq!(finished, expected, "{command}");
        }
    }
    Ok(())
}

#[test]
fn json_of_a_rejected_payload() -> Result<()> {
    let payload = "*** Begin Patch\n*** Add File: a\n+x\n\n*** Delete File: b\n*** End Patch";
    let finished = run(&["patch", "json", "-"], payload.as_bytes())?;
    assert_eq!(finished.code, Some(1));
    assert_eq!(finished.stderr.lines().count(), 2, "{}", finished.stderr);
    let document: Value = serde_json::from_str(&finished.stdout)?;
    let error = &document["error"];
    assert_eq!(
        (&error["kind"], &error["line"], &error["column"]),
        (&json!("invalidHeader"), &json!(4), &json!(1))
    );
    assert_eq!(error["expected"][3], "*** End Patch");
    let message = error["message"].as_str().unwrap_or_default();
    assert!(message.contains("remove the blank line"), "{message}");
    Ok(())
}

#[test]
fn the_dialect_decides() -> Result<()> {
    let payload = "*** Begin Patch\n*** Environment ID: box\n*** Delete File: b\n*** End Patch";
    for (dialect, code) in [("clawx", 1), ("openclaw", 1), ("codex", 0)] {
        let finished = run(
            &["patch", "json", "--dialect", dialect, "-"],
            payload.as_bytes(),
        )?;
        assert_eq!(finished.code, Some(code), "{dialect}");
    }
    Ok(())
}

#[test]
fn wrong_usage_and_unreadable_input_are_told_apart() -> Result<()> {
    for args in [
        &["patch"][..],
        &["patch", "check"],
        &["patch", "check", "-", "--dialect", "Codex"],
    ] {
        let finished = run(args, b"")?;
        assert_eq!(
            (finished.code, finished.stdout.as_str()),
            (Some(2), ""),
            "{args:?}"
        );
        assert!(!finished.stderr.is_empty());
    }
    let missing = run(&["patch", "check", "no/such/file"], b"")?;
    assert_eq!((missing.code, missing.stdout.as_str()), (Some(1), ""));
    assert!(
        missing
            .stderr
            .starts_with("error: no/such/file could not be read: ")
    );
    let binary = run(&["patch", "json", "-"], b"*** Begin\xff")?;
    assert_eq!((binary.code, binary.stdout.as_str()), (Some(1), ""));
    assert_eq!(
        binary.stderr,
        "error: <stdin> is not UTF-8 at byte 9\n  help: save the payload as UTF-8\n"
    );
    Ok(())
}

#[test]
fn bodies_and_targets_that_do_not_belong_are_named() -> Result<()> {
    let deletion = "*** Begin Patch\n*** Delete File: a\n-a\n*** End Patch\n";
    let nowhere = "*** Begin Patch\r\n*** Update File: a\r\n*** Move to: \r\n@@\r\n-a\r\n+b\r\n*** End Patch\r\n";
    for (payload, help) in [
        (deletion, "a deletion has no lines of its own"),
        (nowhere, "put the new path behind '*** Move to:'"),
    ] {
        for dialect in ["clawx", "openclaw", "codex"] {
            let told = run(
                &["patch", "check", "-", "--dialect", dialect],
                payload.as_bytes(),
            )?;
            assert_eq!(told.code, Some(1), "{dialect}: {payload}");
            assert!(told.stderr.contains(help), "{dialect}: {}", told.stderr);
        }
    }
    Ok(())
}

#[test]
fn a_payload_that_does_not_fit_names_its_line_and_the_nearest_one() -> Result<()> {
    let root = tempfile::tempdir()?;
    std::fs::write(root.path().join("a.txt"), "one\ntwo\n")?;
    let payload = root.path().join("change.patch");
    std::fs::write(
        &payload,
        "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n@@\n-tow\n+2\n*** End Patch\n",
    )?;
    let (payload, root) = (payload.to_string_lossy(), root.path().to_string_lossy());
    let told = run(&["patch", "apply", &payload, "--root", &root], b"")?;
    assert_eq!(told.code, Some(1));
    assert_eq!(
        told.stderr,
        format!(
            "error: {payload}:6: Failed to find expected lines in a.txt (section 1 of 1, chunk 2); \
             no file was changed\n  help: nearest candidate at line 2; line 2 is 'two', the patch \
             has 'tow'\n"
        )
    );
    Ok(())
}
