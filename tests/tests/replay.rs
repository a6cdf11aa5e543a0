//! `acp-lens replay`, as a person and a script meet it.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use e2e::binary::{Finished, run};
use expect_test::{Expect, expect};
use serde_json::{Value, json};

/// Runs `acp-lens replay` with a trace on standard input and shows status, output and errors.
#[expect(
    clippy::needless_pass_by_value,
    reason = "`expect![[…]]` stands at the call"
)]
fn check(args: &[&str], trace: &[u8], expected: Expect) -> Result<()> {
    let Finished {
        code,
        stdout,
        stderr,
    } = replay(args, trace)?;
    expected.assert_eq(&format!("exit {code:?}\n{stdout}--\n{stderr}"));
    Ok(())
}

fn replay(args: &[&str], trace: &[u8]) -> Result<Finished> {
    let mut line = vec!["replay"];
    line.extend(args);
    line.push("-");
    run(&line, trace)
}

/// The JSON document of a trace, which has to be readable without a word on standard error.
fn document(args: &[&str], trace: &str) -> Result<Value> {
    let mut line = vec!["--format", "json"];
    line.extend(args);
    let finished = replay(&line, trace.as_bytes())?;
    assert_eq!((finished.code, &*finished.stderr), (Some(0), ""));
    Ok(serde_json::from_str(&finished.stdout)?)
}

/// A completed write of OpenClaw, as the parameters of an update.
fn write_call(session: &str, id: &str, path: &str, content: &str) -> String {
    json!({"sessionId": session, "update": {"sessionUpdate": "tool_call", "toolCallId": id,
        "title": format!("write: path: {path}"), "status": "completed",
        "rawInput": {"path": path, "content": content}}})
    .to_string()
}

/// All five forms of lines, one session.
const MIXED: &str = r#"
{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"openclaw","version":"2026.9"}}}
{"type":"request","ts":0.1,"protocol":"acp","from":"Client","to":"Agent","id":1,"method":"session/new","params":{"cwd":"/w"}}
{"type":"response","ts":0.2,"from":"Agent","to":"Client","id":1,"is_error":false,"payload":{"sessionId":"s"}}
{"t":1,"dir":"c2a","msg":{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"write two files\nand more"}]}}}
{"sessionUpdate":"tool_call","toolCallId":"a","title":"write: path: a.txt","status":"in_progress","rawInput":{"path":"a.txt","content":"one\ntwo\n"}}
{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"a","status":"completed"}}
{"t":2,"dir":"a2c","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"b","title":"edit: path: b.txt","status":"completed","rawInput":{"path":"b.txt","oldText":"x","newText":"y"}}}}}
{"t":3,"dir":"a2c","msg":{"jsonrpc":"2.0","id":2,"result":{"stopReason":"max_tokens"}}}
"#;

#[test]
fn all_forms_of_lines_make_one_session() -> Result<()> {
    check(
        &[],
        MIXED.as_bytes(),
        expect![[r"
            exit Some(0)
            session s  openclaw 2026.9  /w
              turn 1  write two files  (max_tokens)
                A a.txt  +2 -0
                M b.txt  +1 -1
              2 files changed in 1 turn, +3 -1
            --
        "]],
    )
}

#[test]
fn the_document_has_the_names_of_the_contract() -> Result<()> {
    let document = document(&[], MIXED)?;
    assert_eq!(
        document,
        json!({"sessions": [{
            "sessionId": "s", "agent": {"name": "openclaw", "version": "2026.9"},
            "profile": "openclaw", "workspaceRoot": "/w", "executionCwd": "/w",
            "activities": [
                {"turnId": "assistant-turn:tool:a", "toolCallId": "a", "toolName": "write",
                 "relativePath": "a.txt", "action": "created", "sequence": 0,
                 "fragments": [{"oldText": "", "newText": "one\ntwo\n", "sequence": 0}]},
                {"turnId": "assistant-turn:tool:a", "toolCallId": "b", "toolName": "edit",
                 "relativePath": "b.txt", "action": "modified", "sequence": 1,
                 "fragments": [{"oldText": "x", "newText": "y", "sequence": 1}]}],
            "turnSummaries": {"assistant-turn:tool:a": [
                {"relativePath": "a.txt", "action": "created", "added": 2, "removed": 0, "sequences": [0]},
                {"relativePath": "b.txt", "action": "modified", "added": 1, "removed": 1, "sequences": [1]}]},
            "changes": [
                {"relativePath": "a.txt", "turns": [{"turnId": "assistant-turn:tool:a", "sequence": 0,
                 "toolCallIds": ["a"], "diff": {"oldText": "", "newText": "one\ntwo\n"}}]},
                {"relativePath": "b.txt", "turns": [{"turnId": "assistant-turn:tool:a", "sequence": 1,
                 "toolCallIds": ["b"], "diff": {"oldText": "x", "newText": "y"}}]}],
            "uniqueFileCount": 2, "attachments": [], "notices": []}],
            "skippedLines": 0})
    );
    Ok(())
}

#[test]
fn markdown_for_a_pull_request() -> Result<()> {
    check(
        &["--format", "markdown"],
        MIXED.as_bytes(),
        expect![[r"
            exit Some(0)
            ## Changes by `openclaw`

            | File | Change | Lines as declared |
            | --- | --- | ---: |
            | `a.txt` | added | +2 −0 |
            | `b.txt` | modified | +1 −1 |

            <details><summary>Turn by turn</summary>

            - Turn 1: `write two files`
              - `a.txt` +2 −0
              - `b.txt` +1 −1

            </details>
            --
        "]],
    )
}

#[test]
fn a_patch_says_what_it_leaves_out() -> Result<()> {
    check(
        &["--format", "patch"],
        MIXED.as_bytes(),
        expect![[r"
            exit Some(0)
            # session s
            # left out: modify a.txt: the agent gave the text after the change, but none before it
            # left out: modify b.txt: the agent gave no line numbers
            --
            warning: 2 of 2 changes are left out of the patch
              the agent gave no line numbers: b.txt
              the agent gave the text after the change, but none before it: a.txt
              help: apply these by hand; `--format markdown` lists all changes
        "]],
    )
}

#[test]
fn bad_lines_are_named_and_the_rest_is_shown() -> Result<()> {
    let good = write_call("s", "a", "a.txt", "x\n");
    let mut trace = Vec::new();
    trace.extend_from_slice(b"hello\n");
    trace.extend_from_slice(b"\x00\xff\xfe\n\xff\n");
    trace.extend_from_slice(b"{\"some\":\"object\"}\n\n");
    trace.extend_from_slice("[".repeat(100_000).as_bytes());
    trace.extend_from_slice(format!("\n{good}\n").as_bytes());
    trace.extend_from_slice(b"{\"sessionId\":\"s\",\"update\":7}\n");
    trace.extend_from_slice(&good.as_bytes()[..good.len() / 2]);
    check(
        &["--cwd", "/w"],
        &trace,
        expect![[r"
        exit Some(0)
        session s  /w
          turn 1
            A a.txt  +1 -0
          1 file changed in 1 turn, +1 -0
        --
        standard input: line 1: no JSON: expected value at byte 0
        standard input: line 2: not UTF-8 at byte 1
        standard input: line 3: not UTF-8 at byte 0
        standard input: line 4: an object, but no message, update or trace event of ACP
        standard input: line 6: nested deeper than 512 levels
        standard input: line 8: a session/update without a readable update
        standard input: line 9: cut off in the middle of a JSON value
    "]],
    )
}

#[test]
fn nothing_to_read() -> Result<()> {
    check(
        &[],
        b"no trace\n",
        expect![[r"
            exit Some(1)
            no session
            --
            standard input: line 1: no JSON: expected ident at byte 1
            error: no line of the input is a message of ACP
              help: name a trace: newline-delimited JSON of an ACP connection
        "]],
    )?;
    check(
        &["--format", "json"],
        b"",
        expect![[r#"
            exit Some(1)
            {"sessions":[],"skippedLines":0}
            --
            error: the input is empty
              help: an agent that runs behind `acp-lens tap --record FILE` writes one
        "#]],
    )
}

#[test]
fn files_that_cannot_be_opened_are_named() -> Result<()> {
    let Finished { code, stderr, .. } = run(&["replay", "/does/not/exist.ndjson"], b"")?;
    assert_eq!(code, Some(1));
    assert!(
        stderr.starts_with("/does/not/exist.ndjson: cannot be opened: No such file"),
        "{stderr}"
    );
    assert!(
        stderr.contains("error: no input could be read\n"),
        "{stderr}"
    );
    let directory = tempfile::tempdir()?;
    let Finished { code, stderr, .. } = run(&["replay", &directory.path().to_string_lossy()], b"")?;
    assert_eq!(code, Some(1));
    assert!(
        stderr.contains("it is a directory; name the traces in it"),
        "{stderr}"
    );
    Ok(())
}

#[test]
fn wrong_usage() -> Result<()> {
    for args in [
        &["replay"][..],
        &["replay", "-", "--format", "yaml"],
        &["replay", "-", "--profile", "x"],
    ] {
        assert_eq!(run(args, b"")?.code, Some(2), "{args:?}");
    }
    Ok(())
}

#[test]
fn without_a_directory_the_output_says_why_there_is_nothing() -> Result<()> {
    let trace = write_call("s", "a", "a.txt", "x\n");
    let document = document(&[], &trace)?;
    let session = &document["sessions"][0];
    assert_eq!(session["activities"], json!([]));
    assert_eq!(session["workspaceRoot"], Value::Null);
    assert_eq!(session["notices"][0]["code"], "noWorkspace");
    Ok(())
}

#[test]
fn root_and_cwd_are_the_authority() -> Result<()> {
    let trace = write_call("s", "a", "../b.txt", "x\n");
    let document = document(&["--root", "/w", "--cwd", "/w/sub"], &trace)?;
    let session = &document["sessions"][0];
    assert_eq!(session["workspaceRoot"], "/w");
    assert_eq!(session["executionCwd"], "/w/sub");
    assert_eq!(session["activities"][0]["relativePath"], "b.txt");
    Ok(())
}

#[test]
fn control_characters_of_an_agent_never_reach_the_terminal() -> Result<()> {
    let trace = write_call("s\u{1b}[2J", "a", "a\u{1b}]0;x\u{7}\u{202e}.txt", "x\n");
    for format in ["summary", "markdown", "patch"] {
        let finished = replay(&["--cwd", "/w", "--format", format], trace.as_bytes())?;
        let bad = |char: char| char.is_control() && char != '\n' || char == '\u{202e}';
        assert!(
            !finished.stdout.contains(bad),
            "{format}: {}",
            finished.stdout
        );
    }
    Ok(())
}

#[test]
fn ten_thousand_calls_in_one_turn_and_ids_that_repeat() -> Result<()> {
    let mut trace = String::new();
    for index in 0..10_000 {
        let id = format!("call{}", index % 9_000);
        let _ = writeln!(
            trace,
            "{}",
            write_call("s", &id, &format!("f{index}.txt"), "x\n")
        );
    }
    let document = document(&["--cwd", "/w", "--profile", "openclaw"], &trace)?;
    // The first completed call of an id counts.
    assert_eq!(document["sessions"][0]["uniqueFileCount"], 9_000);
    Ok(())
}

#[test]
fn ten_thousand_sessions() -> Result<()> {
    let mut trace = String::new();
    for index in 0..10_000 {
        let id = format!("s{index}");
        let _ = writeln!(trace, "{}", write_call(&id, "a", "a.txt", "x\n"));
        trace.push_str("{\"sessionId\":\"bad\"");
        trace.push('\n');
    }
    let finished = replay(&["--cwd", "/w", "--format", "json"], trace.as_bytes())?;
    assert_eq!(finished.code, Some(0));
    let document: Value = serde_json::from_str(&finished.stdout)?;
    let sessions = document["sessions"].as_array().expect("sessions");
    assert_eq!(sessions.len(), 10_000);
    assert!(
        sessions
            .iter()
            .all(|session| session["uniqueFileCount"] == 1)
    );
    assert_eq!(document["skippedLines"], 10_000);
    // Each line is named up to a bound, and then their number.
    assert_eq!(finished.stderr.lines().count(), 1_001);
    Ok(())
}

#[test]
fn a_line_of_64_mib_works_and_a_longer_one_is_passed_over() -> Result<()> {
    const CAP: usize = 64 << 20;
    let frame = write_call("s", "big", "big.txt", "").len();
    let largest = write_call("s", "big", "big.txt", &"x".repeat(CAP - frame));
    assert_eq!(largest.len(), CAP);
    let trace = [
        largest.as_str(),
        &write_call("s", "huge", "huge.txt", &"x".repeat(CAP)),
        &write_call("s", "small", "small.txt", "x"),
    ]
    .join("\n");
    check(
        &["--cwd", "/w"],
        trace.as_bytes(),
        expect![[r"
        exit Some(0)
        session s  /w
          turn 1
            A big.txt  +1 -0
            A small.txt  +1 -0
          2 files changed in 1 turn, +2 -0
        --
        standard input: line 2: longer than 64 MiB
    "]],
    )
}

#[test]
fn a_reader_that_goes_away_is_no_error() -> Result<()> {
    use std::process::{Command, Stdio};

    let mut trace = String::new();
    for index in 0..5_000 {
        let path = format!("f{index}.txt");
        let _ = writeln!(
            trace,
            "{}",
            write_call("s", &path, &path, &"x\n".repeat(100))
        );
    }
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), trace)?;
    for format in ["json", "summary", "patch", "markdown"] {
        let mut child = Command::new(e2e::binary::acp_lens()?)
            .args(["replay", "--cwd", "/w", "--format", format])
            .arg(file.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        drop(child.stdout.take());
        let output = child.wait_with_output()?;
        assert_eq!(output.status.code(), Some(0), "{format}");
        assert_eq!(String::from_utf8(output.stderr)?, "", "{format}");
    }
    Ok(())
}

#[test]
fn a_root_beside_the_session_says_what_to_do() -> Result<()> {
    let finished = replay(&["--root", "elsewhere"], MIXED.as_bytes())?;
    assert_eq!(finished.code, Some(0));
    let root = std::env::current_dir()?.join("elsewhere");
    let root = root.to_string_lossy();
    let told = format!("the working directory /w does not lie in the workspace root {root}");
    assert!(finished.stdout.contains(&told), "{}", finished.stdout);
    assert!(
        finished.stderr.contains("help: leave --root out"),
        "{}",
        finished.stderr
    );
    Ok(())
}

#[test]
fn files_of_which_only_the_name_is_known_share_one_line() -> Result<()> {
    let edit = |id: &str, name: &str| {
        json!({"sessionId": "s", "update": {"sessionUpdate": "tool_call", "toolCallId": id,
            "title": "edit", "kind": "edit", "status": "completed",
            "content": [{"type": "diff", "path": name, "oldText": "a", "newText": "b"}]}})
    };
    let mut trace = String::new();
    for (id, name) in [("1", "/o/x"), ("2", "/o/y"), ("3", "/o/x")] {
        writeln!(trace, "{}", edit(id, name))?;
    }
    let finished = replay(&["--cwd", "/w"], trace.as_bytes())?;
    let notices: Vec<_> = finished
        .stdout
        .lines()
        .filter(|it| it.contains('!'))
        .collect();
    assert_eq!(notices, ["    ! /o/x, /o/y lie outside the workspace"]);
    let document = document(&["--cwd", "/w"], &trace)?;
    let notices = document["sessions"][0]["notices"].as_array();
    assert!(notices.is_some_and(|it| it.len() > 1), "JSON keeps each");
    Ok(())
}

#[test]
fn titles_of_turns_are_the_words_of_the_user() -> Result<()> {
    let trace = ["<command-name>/model</command-name>\n", "create it, please"]
        .map(|text| {
            json!({"sessionId": "s", "update": {"sessionUpdate": "user_message_chunk",
                "content": {"type": "text", "text": text}}})
            .to_string()
        })
        .join("\n");
    let trace = format!("{trace}\n{}", write_call("s", "a", "a.txt", "x\n"));
    let finished = replay(&["--cwd", "/w"], trace.as_bytes())?;
    assert!(
        finished.stdout.contains("turn 1  create it, please\n"),
        "{}",
        finished.stdout
    );
    Ok(())
}

#[test]
fn a_patch_says_where_the_agent_works() -> Result<()> {
    let ran = |id: &str, input: Value, cwd: &str| {
        json!({"sessionId": "s", "update": {"sessionUpdate": "tool_call", "toolCallId": id,
            "title": "exec: command: true", "kind": "execute", "status": "completed",
            "rawInput": input, "rawOutput": {"details": {"cwd": cwd}}}})
    };
    let trace = [
        ran("1", json!({"command": "true"}), "/elsewhere").to_string(),
        // A command that names its directory tells nothing of the agent's own.
        ran("2", json!({"command": "true", "workdir": "/w"}), "/w").to_string(),
        write_call("s", "a", "a.txt", "x\n"),
    ]
    .join("\n");
    let finished = replay(&["--cwd", "/w", "--format", "patch"], trace.as_bytes())?;
    let told = "# note: the agent works in /elsewhere, so relative paths may be other files\n";
    assert!(finished.stdout.contains(told), "{}", finished.stdout);
    Ok(())
}

#[test]
fn a_profile_that_finds_nothing_says_so() -> Result<()> {
    let update = json!({"sessionId": "s", "update": {"sessionUpdate": "tool_call", "toolCallId": "t",
        "title": "Edit a.txt", "kind": "edit", "status": "completed",
        "content": [{"type": "diff", "path": "/w/a.txt", "oldText": "a", "newText": "b"}]}});
    let trace = update.to_string();
    let args = ["--cwd", "/w", "--profile", "openclaw"];
    let finished = replay(&args, trace.as_bytes())?;
    assert_eq!(finished.code, Some(0));
    assert!(
        finished.stderr.contains("help: leave --profile out"),
        "{}",
        finished.stderr
    );
    assert_eq!(replay(&args[..2], trace.as_bytes())?.stderr, "");
    Ok(())
}

#[test]
fn only_listed_subcommands_are_proposed() -> Result<()> {
    let unknown = run(&["run"], b"")?;
    assert_eq!(unknown.code, Some(2));
    assert!(!unknown.stderr.contains("run-agent"), "{}", unknown.stderr);
    assert!(run(&["reply"], b"")?.stderr.contains("'replay'"));
    Ok(())
}

/// The code block of a language in a document.
fn block<'a>(document: &'a str, language: &str) -> Option<&'a str> {
    let (_, behind) = document.split_once(&format!("```{language}\n"))?;
    Some(behind.split_once("```")?.0)
}

#[test]
fn the_documented_example_is_what_is_written() -> Result<()> {
    let text = include_str!("../../docs/replay-json.md");
    let trace = block(text, "ndjson").context("no recording")?;
    let expected = block(text, "json").context("no document")?;
    let expected: Value = serde_json::from_str(expected)?;
    assert_eq!(document(&[], trace)?, expected);
    Ok(())
}
