//! The dialects of agents that were recorded or read about.

use expect_test::expect;

use super::{Setting, check, check_in};

const LIVE: Setting = Setting {
    historical: false,
    existing: &[],
};
const REPLAY: Setting = Setting {
    historical: true,
    existing: &[],
};

#[test]
fn claude_edit_with_its_result() {
    check(
        r#"{"_meta":{"claudeCode":{"toolName":"Edit"}},"name":"Edit","rawInput":{},"status":"pending","title":"Edit","kind":"edit","content":[],"locations":[]}
{"rawInput":{"file_path":"/w/a.py"},"locations":[{"path":"/w/a.py"}]}
{"rawInput":{"replace_all":false,"file_path":"/w/a.py","old_string":"b","new_string":"B"},"content":[{"type":"diff","path":"/w/a.py","oldText":"b","newText":"B"}]}
{"_meta":{"claudeCode":{"toolResponse":{"filePath":"/w/a.py","oldString":"b","newString":"B","originalFile":"a\nb\nc\n","structuredPatch":[{"oldStart":1,"oldLines":3,"newStart":1,"newLines":3,"lines":[" a","-b","+B"," c"]}],"replaceAll":false}}},"content":[{"type":"diff","path":"/w/a.py","oldText":"a\nb\nc","newText":"a\nB\nc"}],"locations":[{"path":"/w/a.py","line":1}]}
{"_meta":{"claudeCode":{"toolName":"Edit"}},"status":"completed","rawOutput":"The file /w/a.py has been updated successfully."}"#,
        &expect![[r#"
            Edit Modified a.py
              Result: "a\nb\nc\n" -> "a\nB\nc\n" old@0 new@0
              whole Some("a\nb\nc\n") -> Some("a\nB\nc\n")
        "#]],
    );
}

#[test]
fn claude_write_creates_or_overwrites() {
    check(
        r#"{"name":"Write","kind":"edit","rawInput":{"file_path":"/w/a","content":"x\n"},"content":[{"type":"diff","path":"/w/a","oldText":null,"newText":"x\n"}]}
{"_meta":{"claudeCode":{"toolResponse":{"type":"create","filePath":"/w/a","content":"x\n","structuredPatch":[],"originalFile":null}}}}
{"status":"completed","rawOutput":"File created successfully at: /w/a"}"#,
        &expect![[r#"
            Write Created a
              Result: "" -> "x\n"
              whole Some("") -> Some("x\n")
        "#]],
    );
    check(
        r#"{"name":"Write","kind":"edit","rawInput":{"file_path":"/w/a","content":"x\n"},"content":[{"type":"diff","path":"/w/a","oldText":null,"newText":"x\n"}]}
{"_meta":{"claudeCode":{"toolResponse":{"type":"update","filePath":"/w/a","content":"x\n","structuredPatch":[],"originalFile":"y\n"}}}}
{"status":"completed","rawOutput":"The file /w/a has been updated successfully."}"#,
        &expect![[r#"
            Write Modified a
              Result: "y\n" -> "x\n" old@0 new@0
              whole Some("y\n") -> Some("x\n")
        "#]],
    );
}

#[test]
fn claude_replay_has_only_words_for_a_new_file() {
    for (words, expect) in [
        (
            "File created successfully at: /w/a",
            expect![[r#"
            Write Created a
              Content: "" -> "x\n"
              whole Some("") -> Some("x\n")
        "#]],
        ),
        (
            "The file /w/a has been updated successfully.",
            expect![[r#"
            Write Modified a
              Content: "" -> "x\n"
              whole None -> Some("x\n")
        "#]],
        ),
    ] {
        check_in(
            &REPLAY,
            &format!(
                r#"{{"name":"Write","kind":"edit","title":"Write a","status":"pending","rawInput":{{"file_path":"/w/a","content":"x\n"}},"content":[{{"type":"diff","path":"/w/a","oldText":null,"newText":"x\n"}}]}}
{{"status":"completed","rawOutput":"{words}"}}"#
            ),
            &expect,
        );
    }
}

#[test]
fn claude_replay_of_replace_all_keeps_the_flag() {
    check_in(
        &REPLAY,
        r#"{"name":"Edit","kind":"edit","rawInput":{"file_path":"/w/a","old_string":"foo","new_string":"bar","replace_all":true},"content":[{"type":"diff","path":"/w/a","oldText":"foo","newText":"bar"}]}
{"status":"completed","rawOutput":"The file /w/a has been updated. All occurrences were successfully replaced."}"#,
        &expect![[r#"
            Edit Modified a
              Content: "foo" -> "bar" all
        "#]],
    );
}

#[test]
fn claude_code_acp_announces_twice_and_gives_text_blocks() {
    check(
        r#"{"_meta":{"claudeCode":{"toolName":"mcp__acp__Edit"}},"rawInput":{},"status":"pending","title":"Edit","kind":"edit","content":[]}
{"_meta":{"claudeCode":{"toolName":"mcp__acp__Edit"}},"rawInput":{"file_path":"/w/a","old_string":"b","new_string":"B"},"status":"pending","title":"Edit `/w/a`","kind":"edit","content":[{"type":"diff","path":"/w/a","oldText":"b","newText":"B"}],"locations":[{"path":"/w/a"}]}
{"status":"completed","content":[{"type":"diff","path":"/w/a","oldText":"a\nb\nc","newText":"a\nB\nc"}],"locations":[{"path":"/w/a","line":4}],"rawOutput":[{"type":"text","text":"Index: /w/a\n===\n--- /w/a\n+++ /w/a\n@@ -4,3 +4,3 @@\n a\n-b\n+B\n c\n"}]}"#,
        &expect![[r#"
            mcp__acp__Edit Modified a
              Result: "a\nb\nc\n" -> "a\nB\nc\n" old@3 new@3
        "#]],
    );
    check(
        r#"{"_meta":{"claudeCode":{"toolName":"mcp__acp__Write"}},"rawInput":{"file_path":"/w/n","content":"x"},"status":"pending","title":"Write /w/n","kind":"edit","content":[{"type":"diff","path":"/w/n","oldText":null,"newText":"x"}],"locations":[{"path":"/w/n"}]}
{"status":"completed","rawOutput":[]}"#,
        &expect![[r#"
            mcp__acp__Write Modified n
              Content: "" -> "x"
              whole None -> Some("x")
        "#]],
    );
}

#[test]
fn codex_gives_diffs_at_call_time_only() {
    let call = r#"{"kind":"edit","title":"Editing files","status":"in_progress","content":[{"type":"diff","oldText":"gone\n","newText":"","path":"/w/d","_meta":{"kind":"delete"}},{"type":"diff","oldText":null,"newText":"n\n","path":"/w/n","_meta":{"kind":"add"}},{"type":"diff","oldText":"k\na\n","newText":"k\nb\n","path":"/w/new","_meta":{"kind":"update"}}]}"#;
    let done = r#"{"status":"completed"}"#;
    check(
        &format!("{call}\n{done}"),
        &expect![[r#"
        edit Deleted d
          Content: "gone\n" -> ""
          whole Some("gone\n") -> Some("")
        edit Created n
          Content: "" -> "n\n"
          whole Some("") -> Some("n\n")
        edit Modified new
          Content: "k\na\n" -> "k\nb\n"
    "#]],
    );
    let asked = r#"{"ask":{"title":"Edit files","kind":"edit","locations":[{"path":"/w/d"},{"path":"/w/n"},{"path":"/w/old"}]}}"#;
    check(
        &format!("{call}\n{asked}\n{done}"),
        &expect![[r#"
        edit Deleted d
          Content: "gone\n" -> ""
          whole Some("gone\n") -> Some("")
        edit Created n
          Content: "" -> "n\n"
          whole Some("") -> Some("n\n")
        edit Moved new from old
          Content: "k\na\n" -> "k\nb\n"
    "#]],
    );
    let overwrites = Setting {
        existing: &["n"],
        ..LIVE
    };
    check_in(
        &overwrites,
        &format!("{call}\n{done}"),
        &expect![[r#"
        edit Deleted d
          Content: "gone\n" -> ""
          whole Some("gone\n") -> Some("")
        edit Modified n
          Content: "" -> "n\n"
          whole None -> Some("n\n")
        edit Modified new
          Content: "k\na\n" -> "k\nb\n"
    "#]],
    );
}

#[test]
fn codex_code_mode_looks_like_any_edit() {
    check(
        r#"{"toolCallId":"exec-1f-uuid","kind":"edit","title":"Editing files","status":"in_progress","content":[{"type":"diff","oldText":null,"newText":"n\n","path":"/w/n","_meta":{"kind":"add"}}]}
{"status":"completed"}"#,
        &expect![[r#"
            edit Created n
              Content: "" -> "n\n"
              whole Some("") -> Some("n\n")
        "#]],
    );
}

#[test]
fn zed_codex_names_the_old_path_in_its_changes() {
    check(
        r#"{"title":"Edit /w/new, /w/d","kind":"edit","status":"in_progress","content":[{"type":"diff","path":"/w/new","oldText":"k\na\n","newText":"k\nb\n"},{"type":"diff","path":"/w/d","oldText":"gone\n","newText":""}],"locations":[{"path":"/w/new"},{"path":"/w/d"}],"rawInput":{"call_id":"c","turn_id":"t","auto_approved":true,"changes":{"/w/old":{"type":"update","unified_diff":"@@ -2,2 +2,2 @@\n k\n-a\n+b\n","move_path":"/w/new"},"/w/d":{"type":"delete","content":"gone\n"}}}}
{"status":"completed","title":"Edit /w/new, /w/d","rawOutput":{"call_id":"c","stdout":"Success. Updated the following files:\nM new\nD d\n","stderr":"","success":true,"changes":{"/w/old":{"type":"update","unified_diff":"@@ -2,2 +2,2 @@\n k\n-a\n+b\n","move_path":"/w/new"},"/w/d":{"type":"delete","content":"gone\n"}},"status":"completed"},"content":[{"type":"diff","path":"/w/new","oldText":"k\na\n","newText":"k\nb\n"},{"type":"diff","path":"/w/d","oldText":"gone\n","newText":""}]}"#,
        &expect![[r#"
            edit Moved new from old
              Result: "k\na\n" -> "k\nb\n" old@1 new@1
            edit Deleted d
              Result: "gone\n" -> ""
              whole Some("gone\n") -> Some("")
        "#]],
    );
}

#[test]
fn zed_codex_replays_failures_as_completed() {
    check_in(
        &REPLAY,
        r#"{"title":"Edit src/p, n","kind":"edit","status":"completed","content":[{"type":"diff","path":"/w/src/p","newText":"x\n"},{"type":"diff","path":"/w/n","oldText":"no such line","newText":"never"}],"locations":[{"path":"/w/src/p"},{"path":"/w/n"}]}
{"status":"completed","rawOutput":"apply_patch verification failed: Failed to find expected lines in /w/n:\nno such line"}"#,
        &expect![[r#"
            edit Created src/p
              Content: "" -> "x\n"
              whole Some("") -> Some("x\n")
            edit Modified n
              Content: "no such line" -> "never"
            failed
        "#]],
    );
    check_in(
        &REPLAY,
        r#"{"title":"Edit one.txt","kind":"edit","status":"completed","content":[{"type":"diff","path":"/w/one.txt","newText":"one\n"}],"locations":[{"path":"/w/one.txt"}]}
{"status":"completed","rawOutput":"aborted by user after 0.1s"}"#,
        &expect![[r#"
            edit Created one.txt
              Content: "" -> "one\n"
              whole Some("") -> Some("one\n")
            failed
        "#]],
    );
}

#[test]
fn zed_codex_replays_with_words_and_placeholders() {
    check_in(
        &REPLAY,
        r#"{"title":"Edit src/added.py, src/old.txt, n, gone","kind":"edit","status":"completed","content":[{"type":"diff","path":"/w/src/added.py","newText":"x\n"},{"type":"diff","path":"/w/src/new.txt","oldText":"k\na","newText":"k\nb"},{"type":"diff","path":"/w/n","oldText":"","newText":"appended"},{"type":"diff","path":"/w/gone","oldText":"[file deleted]","newText":""}],"locations":[{"path":"/w/src/added.py"},{"path":"/w/src/new.txt"},{"path":"/w/n"},{"path":"/w/gone"}]}
{"status":"completed","rawOutput":"Exit code: 0\nWall time: 1 seconds\nOutput:\nSuccess. Updated the following files:\nA src/added.py\nM src/new.txt\nM n\nD gone\n"}"#,
        &expect![[r#"
            edit Created src/added.py
              Content: "" -> "x\n"
              whole Some("") -> Some("x\n")
            edit Moved src/new.txt from src/old.txt
              Content: "k\na" -> "k\nb"
            edit Modified n
              Content: "" -> "appended"
            edit Deleted gone
              whole None -> Some("")
        "#]],
    );
    check_in(
        &REPLAY,
        r#"{"title":"exec_command","status":"completed","rawInput":{"cmd":"apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: via_shell.txt\n+x\n*** End Patch\nEOF"}}
{"status":"completed","rawOutput":"Wall time: 0.0000 seconds\nOutput:\nExit code: 0\nOutput:\nSuccess. Updated the following files:\nA via_shell.txt\n"}"#,
        &expect![[r#"
            exec_command Created via_shell.txt
              Input: "" -> "x\n"
              whole Some("") -> Some("x\n")
        "#]],
    );
}

#[test]
fn gemini_announces_by_the_question_alone() {
    check(
        r#"{"ask":{"title":"a: x => y","kind":"edit","content":[{"type":"diff","path":"/w/a","oldText":"x\n","newText":"y\n","_meta":{"kind":"modify"}}],"locations":[{"path":"/w/a"}]}}
{"status":"completed","title":"a: x => y","kind":"edit","content":[{"type":"diff","path":"/w/a","oldText":"x\n","newText":"y\n","_meta":{"kind":"modify"}}],"locations":[{"path":"/w/a"}]}"#,
        &expect![[r#"
            edit Modified a
              Content: "x\n" -> "y\n"
        "#]],
    );
}

#[test]
fn gemini_without_capabilities_names_the_file_only() {
    check(
        r#"{"status":"in_progress","title":"Create m.txt","kind":"edit","content":[],"locations":[{"path":"/w/m.txt"}]}
{"status":"completed","title":"Create m.txt","kind":"edit","content":[{"type":"content","content":{"type":"text","text":"Created m.txt"}}],"locations":[{"path":"/w/m.txt"}]}"#,
        &expect![[r#"
            edit Created m.txt
              whole Some("") -> None
        "#]],
    );
}

#[test]
fn gemini_replays_file_names_without_directories() {
    let replayed = r#"{"status":"completed","title":"Edit","kind":"edit","content":[{"type":"diff","path":"calc.py","oldText":"a\n","newText":"b\n"}]}"#;
    check_in(
        &REPLAY,
        replayed,
        &expect![[r#"
        edit Modified calc.py Unknown
          Content: "a\n" -> "b\n"
        note: the agent names only calc.py; where it lies is not known
    "#]],
    );
    let joined = Setting {
        existing: &["src/calc.py", "a.txt"],
        ..REPLAY
    };
    check_in(
        &joined,
        replayed,
        &expect![[r#"
        edit Modified src/calc.py
          Content: "a\n" -> "b\n"
    "#]],
    );
    let ambiguous = Setting {
        existing: &["src/calc.py", "calc.py"],
        ..REPLAY
    };
    check_in(
        &ambiguous,
        replayed,
        &expect![[r#"
        edit Modified calc.py Unknown
          Content: "a\n" -> "b\n"
        note: the agent names only calc.py; where it lies is not known
    "#]],
    );
    check(
        replayed,
        &expect![[r#"
        edit Modified calc.py
          Content: "a\n" -> "b\n"
    "#]],
    );
}

#[test]
fn qwen_gives_whole_texts_and_a_patch() {
    check(
        r#"{"status":"pending","title":"Edit","kind":"edit","rawInput":{},"_meta":{"toolName":"edit","phase":"preparing"}}
{"ask":{"rawInput":{"file_path":"/w/src/a","old_string":"b","new_string":"B"},"content":[{"type":"diff","path":"/w/src/a","oldText":"a\nb\nc\n","newText":"a\nB\nc\n"}],"locations":[{"path":"/w/src/a"}]}}
{"status":"completed","_meta":{"toolName":"edit"},"content":[{"type":"diff","path":"/w/src/a","oldText":"a\nb\nc\n","newText":"a\nB\nc\n"}],"rawOutput":{"fileDiff":"Index: a\n====\n--- a\tCurrent\n+++ a\tProposed\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n","fileName":"a","filePath":"/w/src/a","originalContent":"a\nb\nc\n","newContent":"a\nB\nc\n","diffStat":{}}}"#,
        &expect![[r#"
            edit Modified src/a
              Result: "a\nb\nc\n" -> "a\nB\nc\n" old@0 new@0
              whole Some("a\nb\nc\n") -> Some("a\nB\nc\n")
        "#]],
    );
    check(
        r#"{"status":"completed","kind":"edit","_meta":{"toolName":"write_file"},"content":[{"type":"diff","path":"/w/n","oldText":"","newText":"x\n"}],"rawOutput":{"fileDiff":"--- n\tOriginal\n+++ n\tWritten\n@@ -0,0 +1 @@\n+x\n","fileName":"n","filePath":"/w/n","originalContent":"","newContent":"x\n"}}"#,
        &expect![[r#"
            write_file Created n
              Result: "" -> "x\n" old@0 new@0
              whole Some("") -> Some("x\n")
        "#]],
    );
}

#[test]
fn opencode_edit_write_and_patch() {
    check(
        r#"{"title":"edit","kind":"edit","status":"pending","locations":[],"rawInput":{}}
{"status":"in_progress","title":"edit","rawInput":{"filePath":"/w/foo","oldString":"foo","newString":"bar","replaceAll":true},"locations":[{"path":"/w/foo"}]}
{"status":"completed","title":"w/foo","content":[{"type":"content","content":{"type":"text","text":"Edit applied successfully."}},{"type":"diff","path":"/w/foo","oldText":"foo","newText":"bar"}],"rawOutput":{"output":"Edit applied successfully.","metadata":{"diagnostics":{},"diff":"Index: /w/foo\n===\n--- /w/foo\n+++ /w/foo\n@@ -1,2 +1,2 @@\n-a foo\n-b foo\n+a bar\n+b bar\n","filediff":{"file":"/w/foo","patch":"Index: /w/foo\n===\n--- /w/foo\n+++ /w/foo\n@@ -1,2 +1,2 @@\n-a foo\n-b foo\n+a bar\n+b bar\n","additions":2,"deletions":2},"truncated":false}}}"#,
        &expect![[r#"
            edit Modified foo
              Result: "a foo\nb foo\n" -> "a bar\nb bar\n" old@0 new@0
        "#]],
    );
    check(
        r#"{"title":"write","kind":"edit","status":"in_progress","rawInput":{"filePath":"/w/a","content":"n\n"},"locations":[{"path":"/w/a"}]}
{"ask":{"title":"/w/a","kind":"edit","rawInput":{"filepath":"/w/a","diff":"--- /w/a\n+++ /w/a\n@@ -1 +1 @@\n-o\n+n\n"},"content":[{"type":"diff","path":"/w/a","oldText":"o\n","newText":"n\n"}],"locations":[{"path":"/w/a"}]}}
{"status":"completed","title":"w/a","content":[{"type":"content","content":{"type":"text","text":"Wrote file successfully."}}],"rawOutput":{"output":"Wrote file successfully.","metadata":{"diagnostics":{},"filepath":"/w/a","exists":true,"truncated":false}}}"#,
        &expect![[r#"
            write Modified a
              Permission: "o\n" -> "n\n"
              whole None -> Some("n\n")
        "#]],
    );
    check(
        r#"{"title":"apply_patch","kind":"edit","status":"in_progress","rawInput":{"patchText":"*** Begin Patch\n*** Update File: old\n*** Move to: new\n@@\n-a\n+b\n*** Delete File: d\n*** End Patch"}}
{"ask":{"title":"2 files","kind":"edit","rawInput":{"files":[{"filePath":"/w/old","type":"move","movePath":"/w/new","patch":"@@ -1 +1 @@\n-a\n+b\n"}]},"content":[{"type":"diff","path":"/w/new","oldText":"a\n","newText":"b\n"},{"type":"diff","path":"/w/d","oldText":"gone\n","newText":""}],"locations":[{"path":"/w/old"},{"path":"/w/new"},{"path":"/w/d"}]}}
{"status":"completed","title":"Success. Updated the following files:\nM new\nD d","rawOutput":{"output":"Success. Updated the following files:\nM new\nD d","metadata":{"diff":"x","files":[{"filePath":"/w/old","relativePath":"new","type":"move","movePath":"/w/new","patch":"Index: /w/old\n===\n--- /w/old\n+++ /w/old\n@@ -1 +1 @@\n-a\n+b\n","additions":1,"deletions":1},{"filePath":"/w/d","relativePath":"d","type":"delete","patch":"--- /w/d\n+++ /w/d\n@@ -1 +0,0 @@\n-gone\n"}]}}}"#,
        &expect![[r#"
            apply_patch Moved new from old
              Result: "a\n" -> "b\n" old@0 new@0
            apply_patch Deleted d
              Result: "gone\n" -> "" old@0 new@0
              whole None -> Some("")
        "#]],
    );
}

#[test]
fn vibe_tells_occurrences_and_the_old_text() {
    check(
        r#"{"title":"Editing a","kind":"edit","status":"in_progress","content":[{"type":"diff","path":"a","oldText":"foo","newText":"bar"}],"locations":[{"path":"/w/sub/a"}],"rawInput":{"filePath":"/w/sub/a","changes":[{"oldString":"foo","newString":"bar","replaceAll":true}]},"_meta":{"tool_name":"edit","effect_kind":"file_edit"}}
{"status":"completed","content":[{"type":"diff","path":"/w/sub/a","oldText":"foo","newText":"bar"},{"type":"diff","path":"/w/sub/a","oldText":"foo","newText":"bar"}],"rawOutput":{"occurrences":[{"startLine":1,"newStartLine":1,"oldText":"foo","newText":"bar"},{"startLine":3,"newStartLine":3,"oldText":"foo","newText":"bar"}],"previousContent":"a foo\nx\nb foo\n"}}"#,
        &expect![[r#"
            edit Modified sub/a
              Result: "foo" -> "bar" old@0 new@0 all
              Result: "foo" -> "bar" old@2 new@2 all
              whole Some("a foo\nx\nb foo\n") -> Some("a bar\nx\nb bar\n")
        "#]],
    );
    check(
        r#"{"title":"Writing a","kind":"edit","status":"in_progress","content":[{"type":"diff","path":"/w/a","newText":"new\n"}],"locations":[{"path":"/w/a"}],"rawInput":{"filePath":"/w/a","content":"new\n"},"_meta":{"tool_name":"write","effect_kind":"file_write"}}
{"status":"completed","content":[{"type":"diff","path":"/w/a","newText":"new\n"}],"rawOutput":{"fileExisted":true,"previousContent":"old\n"}}"#,
        &expect![[r#"
            write Modified a
              Content: "old\n" -> "new\n"
              whole Some("old\n") -> Some("new\n")
        "#]],
    );
    check(
        r#"{"title":"Writing a","kind":"edit","status":"in_progress","content":[{"type":"diff","path":"/w/a","newText":"new\n"}],"rawInput":{"filePath":"/w/a","content":"new\n"},"_meta":{"tool_name":"write"}}
{"status":"failed","content":[{"type":"content","content":{"type":"text","text":"denied"}}],"rawOutput":{"type":"failure","error":{"code":"tool_denied","message":"x"}}}"#,
        &expect![[r#"
            write Modified a
              Content: "" -> "new\n"
              whole None -> Some("new\n")
        "#]],
    );
}

#[test]
fn kimi_has_no_kind_and_counts_instead_of_huge_texts() {
    check(
        r#"{"title":"WriteFile: a.txt","status":"in_progress","content":[{"type":"content","content":{"type":"text","text":"{\"path\": \"/w/a.txt\""}}]}
{"status":"completed","content":[{"type":"diff","path":"/w/a.txt","oldText":"","newText":"x\n"}]}"#,
        &expect![[r#"
            writefile Created a.txt
              Content: "" -> "x\n"
              whole Some("") -> Some("x\n")
        "#]],
    );
    check(
        r#"{"title":"StrReplaceFile: big.txt","status":"in_progress"}
{"status":"completed","content":[{"type":"diff","path":"/w/big.txt","oldText":"(12000 lines)","newText":"(12001 lines)"}]}"#,
        &expect![[r"
            strreplacefile Modified big.txt
        "]],
    );
}

#[test]
fn openclaw_through_the_general_rules() {
    check(
        r#"{"title":"write: path: a.txt, content: x","status":"in_progress","rawInput":{"path":"a.txt","content":"x\n"},"kind":"edit","locations":[{"path":"a.txt"}]}
{"status":"completed","rawOutput":{"content":[{"type":"text","text":"Successfully wrote 2 bytes to a.txt"}],"details":{"changed":true,"created":false,"diff":"-1 y\n+1 x","patch":"--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-y\n+x\n","firstChangedLine":1}}}"#,
        &expect![[r#"
            write Modified a.txt
              Result: "y\n" -> "x\n" old@0 new@0
              whole None -> Some("x\n")
        "#]],
    );
    check(
        r#"{"title":"write: path: a.txt","status":"in_progress","rawInput":{"path":"a.txt","content":"x\n"},"kind":"edit","locations":[{"path":"a.txt"}]}
{"status":"completed","rawOutput":{"content":[{"type":"text","text":"No changes made to a.txt. The file already has identical content."}],"details":{"changed":false}}}"#,
        &expect![""],
    );
    check(
        r#"{"title":"apply_patch: input: *** Begin Patch","status":"in_progress","kind":"other","rawInput":{"input":"*** Begin Patch\n*** Delete File: f\n*** Add File: f\n+new\n*** Update File: g\n@@ fn x\n+end\n*** End of File\n*** Add File: n\n+n\n*** End Patch"}}
{"status":"completed","rawOutput":{"content":[{"type":"text","text":"Success. Updated the following files:\nA f\nA n\nM g\nD f"}],"details":{"summary":{"added":["f","n"],"modified":["g"],"deleted":["f"]}}}}"#,
        &expect![[r#"
            apply_patch Modified f
              Input: "" -> "new\n"
              whole None -> Some("new\n")
            apply_patch Created n
              Input: "" -> "n\n"
              whole Some("") -> Some("n\n")
            apply_patch Modified g
              Input: "" -> "end" under "fn x" eof
        "#]],
    );
    check(
        r#"{"title":"apply_patch: input: *** Begin Patch","status":"in_progress","kind":"other","rawInput":{"input":"*** Begin Patch\n*** Add File: p\n+x\n*** Update File: g\n@@\n-no\n+never\n*** End Patch"}}
{"status":"failed","rawOutput":{"content":[{"type":"text","text":"Failed to find expected lines in g:\nno"}],"details":{"status":"error","error":"Failed to find expected lines in g:\nno"}}}"#,
        &expect![[r#"
            apply_patch Created p
              Input: "" -> "x\n"
              whole Some("") -> Some("x\n")
            apply_patch Modified g
              Input: "no" -> "never"
            note: a patch failed, its first sections may have been applied: p
        "#]],
    );
    check(
        r#"{"title":"write: path: .env","status":"in_progress","rawInput":{"path":".env","content":"API_KEY=***\n"},"kind":"edit"}
{"status":"completed","rawOutput":{"content":[],"details":{"changed":true,"created":true,"patch":"--- .env\n+++ .env\n@@ -0,0 +1 @@\n+API_KEY=***\n"}}}"#,
        &expect![[r#"
            write Created .env
              Result: "" -> "API_KEY=***\n" old@0 new@0 masked
            note: the agent masked a secret in .env, so the text differs from the file
        "#]],
    );
}
