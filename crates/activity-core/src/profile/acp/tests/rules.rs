//! The rules, on agents that nobody has recorded.

use expect_test::expect;

use super::{Setting, check, check_in};

const REPLAY: Setting = Setting {
    historical: true,
    existing: &[],
};

#[test]
fn a_single_message_may_be_all() {
    check(
        r#"{"title":"Apply changes","kind":"edit","status":"completed","content":[{"type":"diff","path":"/w/a","oldText":null,"newText":"x\n"},{"type":"diff","path":"/w/b","oldText":"o\n","newText":"n\n"}]}"#,
        &expect![[r#"
            edit Created a
              Content: "" -> "x\n"
              whole Some("") -> Some("x\n")
            edit Modified b
              Content: "o\n" -> "n\n"
        "#]],
    );
}

#[test]
fn a_proposal_of_a_new_file_proves_nothing() {
    check(
        r#"{"title":"Write","name":"write","kind":"edit","content":[{"type":"diff","path":"/w/a","oldText":null,"newText":"x\n"}]}
{"status":"completed"}"#,
        &expect![[r#"
            write Modified a
              Content: "" -> "x\n"
        "#]],
    );
    check(
        r#"{"title":"Edit","name":"edit","kind":"edit","status":"completed","content":[{"type":"diff","path":"/w/a","oldText":"","newText":"inserted"}]}"#,
        &expect![[r#"
            edit Modified a
              Content: "" -> "inserted"
        "#]],
    );
    let existing = Setting {
        existing: &["a"],
        historical: false,
    };
    check_in(
        &existing,
        r#"{"title":"Write","name":"write","kind":"edit","status":"completed","content":[{"type":"diff","path":"/w/a","oldText":null,"newText":"x\n"}]}"#,
        &expect![[r#"
            write Modified a
              Content: "" -> "x\n"
        "#]],
    );
}

#[test]
fn a_tool_of_several_files_creates_those_without_an_old_text() {
    check(
        r#"{"title":"Edit","name":"edit","kind":"edit","status":"completed","content":[{"type":"diff","path":"/w/a","oldText":"o","newText":"n"},{"type":"diff","path":"/w/b","oldText":null,"newText":"x\n"}]}"#,
        &expect![[r#"
            edit Modified a
              Content: "o" -> "n"
            edit Created b
              Content: "" -> "x\n"
              whole Some("") -> Some("x\n")
        "#]],
    );
}

#[test]
fn the_result_decides_which_files_changed() {
    check(
        r#"{"kind":"edit","name":"multi_edit","rawInput":{"edits":[{"path":"a","old_string":"1","new_string":"2"},{"path":"b","old_string":"3","new_string":"4"}]}}
{"status":"completed","rawOutput":{"files":[{"path":"a","status":"modified","patch":"@@ -7 +7 @@\n-1\n+2\n"}]}}"#,
        &expect![[r#"
            multi_edit Modified a
              Result: "1\n" -> "2\n" old@6 new@6
        "#]],
    );
}

#[test]
fn inputs_of_many_spellings() {
    for input in [
        r#"{"path":"a","old_string":"o","new_string":"n"}"#,
        r#"{"file_path":"a","oldString":"o","newString":"n"}"#,
        r#"{"filePath":"a","old_str":"o","new_str":"n"}"#,
        r#"{"target_file":"a","search":"o","replace":"n"}"#,
        r#"{"path":"a","edits":[{"oldText":"o","newText":"n"}]}"#,
        r#"{"path":"a","changes":[{"old_string":"o","new_string":"n"}]}"#,
        r#"{"edits":[{"file_path":"a","old_string":"o","new_string":"n"}]}"#,
        r#"{"files":[{"path":"a","edits":[{"old_text":"o","new_text":"n"}]}]}"#,
        r#"{"path":"a","diff":"<<<<<<< SEARCH\no\n=======\nn\n>>>>>>> REPLACE"}"#,
        r#"{"path":"a","content":"<<<<<<< SEARCH\no\n=======\nn\n>>>>>>> REPLACE"}"#,
        r#"{"patch":"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-o\n+n\n"}"#,
        r#"{"input":"*** Begin Patch\n*** Update File: a\n@@\n-o\n+n\n*** End Patch"}"#,
        r#"{"tool":"edit","arguments":{"path":"a","old_string":"o","new_string":"n"}}"#,
        r#""*** Begin Patch\n*** Update File: a\n@@\n-o\n+n\n*** End Patch""#,
        r#""{\"path\":\"a\",\"old_string\":\"o\",\"new_string\":\"n\"}""#,
    ] {
        let call = super::completed(&format!(r#"{{"kind":"edit","rawInput":{input}}}"#));
        let findings = super::findings(&call, &[]);
        let [draft] = findings.drafts.as_slice() else {
            panic!("{input}: {findings:?}")
        };
        let texts: Vec<(&str, &str)> = draft
            .fragments
            .iter()
            .map(|fragment| (fragment.old_text.trim_end(), fragment.new_text.trim_end()))
            .collect();
        assert_eq!(
            (&*draft.relative_path, texts.as_slice()),
            ("a", [("o", "n")].as_slice()),
            "{input}"
        );
    }
}

#[test]
fn results_of_many_shapes() {
    for output in [
        r#"{"path":"a","originalContent":"o\n","newContent":"n\n"}"#,
        r#"{"file":"a","before":"o\n","after":"n\n"}"#,
        r#"{"filePath":"a","structuredPatch":[{"oldStart":1,"oldLines":1,"newStart":1,"newLines":1,"lines":["-o","+n"]}]}"#,
        r#"{"details":{"changed":true,"patch":"--- a\n+++ a\n@@ -1 +1 @@\n-o\n+n\n"}}"#,
        r#"{"metadata":{"files":[{"file":"a","type":"update","diff":"@@ -1 +1 @@\n-o\n+n\n"}]}}"#,
        r#"{"changes":{"a":{"type":"update","unified_diff":"@@ -1 +1 @@\n-o\n+n\n","move_path":null}}}"#,
        r#"{"result":{"path":"a","occurrences":[{"startLine":1,"newStartLine":1,"oldText":"o","newText":"n"}]}}"#,
        r#"[{"type":"text","text":"--- a\n+++ a\n@@ -1 +1 @@\n-o\n+n\n"}]"#,
    ] {
        let call = super::completed(&format!(r#"{{"kind":"edit","rawOutput":{output}}}"#));
        let findings = super::findings(&call, &[]);
        let [draft] = findings.drafts.as_slice() else {
            panic!("{output}: {findings:?}")
        };
        let texts: Vec<(&str, &str)> = draft
            .fragments
            .iter()
            .map(|fragment| (fragment.old_text.trim_end(), fragment.new_text.trim_end()))
            .collect();
        assert_eq!(
            (&*draft.relative_path, texts.as_slice()),
            ("a", [("o", "n")].as_slice()),
            "{output}"
        );
    }
}

#[test]
fn deletions_and_moves_need_no_text() {
    check(
        r#"{"kind":"delete","title":"Delete","status":"completed","locations":[{"path":"/w/a"},{"path":"/w/b"}]}"#,
        &expect![[r#"
            delete Deleted a
              whole None -> Some("")
            delete Deleted b
              whole None -> Some("")
        "#]],
    );
    check(
        r#"{"kind":"move","title":"Move","status":"completed","rawInput":{"source":"/w/a","destination":"/w/b"}}"#,
        &expect![[r"
            move Moved b from a
        "]],
    );
    check(
        r#"{"kind":"move","title":"Move","status":"completed","locations":[{"path":"/w/a"},{"path":"/w/b"}]}"#,
        &expect![[r"
            move Moved b from a
        "]],
    );
    check(
        r#"{"kind":"other","name":"delete_file","title":"t","status":"completed","rawInput":{"path":"a"}}"#,
        &expect![[r#"
            delete_file Deleted a
              whole None -> Some("")
        "#]],
    );
}

#[test]
fn diffs_of_the_second_version() {
    check(
        r#"{"kind":"edit","title":"t","status":"completed","content":[{"type":"diff","path":"/w/n","operation":"add","fileType":"text","patch":"diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n"},{"type":"diff","path":"/w/b","oldPath":"/w/a","operation":"move","patch":"diff --git a/a b/b\nrename from a\nrename to b\n"},{"type":"diff","path":"/w/bin","operation":"modify","fileType":"binary"},{"type":"diff","path":"/w/dir","operation":"add","fileType":"directory"},{"type":"diff","path":"/w/d","operation":"delete"}]}"#,
        &expect![[r#"
            edit Created n
              Content: "" -> "x\n" old@0 new@0
              whole Some("") -> Some("x\n")
            edit Moved b from a
            edit Modified bin
            edit Deleted d
              whole None -> Some("")
        "#]],
    );
}

#[test]
fn nothing_is_listed_that_did_not_happen() {
    for messages in [
        // An edit that changes nothing.
        r#"{"kind":"edit","status":"completed","content":[{"type":"diff","path":"/w/a","oldText":"x","newText":"x"}]}"#,
        r#"{"kind":"edit","status":"completed","rawInput":{"path":"a","old_string":"x","new_string":"x"},"locations":[{"path":"/w/a"}]}"#,
        r#"{"kind":"edit","status":"completed","rawInput":{"path":"a","content":"x"},"rawOutput":{"changed":false}}"#,
        // Tools that look, plan or fetch, make directories, try out, or work elsewhere.
        r#"{"kind":"edit","name":"create_directory","status":"completed","rawInput":{"path":"a"}}"#,
        r#"{"name":"create_directory","title":"t","status":"completed","rawInput":{"path":"a"}}"#,
        r#"{"name":"mcp__fs__edit_file","status":"completed","rawInput":{"path":"a","edits":[{"oldText":"o","newText":"n"}],"dryRun":true}}"#,
        r#"{"name":"mcp__github__create_or_update_file","status":"completed","rawInput":{"owner":"o","repo":"r","path":"a","content":"x"}}"#,
        r#"{"name":"update_config","kind":"other","status":"completed","rawInput":{"path":"a"}}"#,
        r#"{"kind":"search","status":"completed","rawOutput":{"files":[{"path":"a","status":"modified"}]}}"#,
        r#"{"kind":"think","name":"TodoWrite","status":"completed","rawInput":{"path":"a","content":"x"}}"#,
        r#"{"name":"git_diff","status":"completed","rawOutput":{"path":"a","diff":"--- a\n+++ a\n@@ -1 +1 @@\n-o\n+n\n"}}"#,
        r#"{"name":"str_replace_editor","kind":"edit","status":"completed","rawInput":{"command":"view","path":"a"}}"#,
        r#"{"kind":"other","title":"Something","status":"completed","rawInput":{"path":"a","content":"x"}}"#,
    ] {
        check(messages, &expect![""]);
    }
}

#[test]
fn what_a_shell_did_is_not_known() {
    check(
        r#"{"kind":"execute","title":"ls > a","status":"completed","rawInput":{"command":"ls > a"},"rawOutput":{"stdout":"--- a\n+++ a\n@@ -1 +1 @@\n-o\n+n\n"}}"#,
        &expect![""],
    );
    check(
        r#"{"kind":"execute","status":"completed","rawInput":{"command":["bash","-lc","cd sub && apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a\n@@\n-o\n+n\n*** End Patch\nEOF\n"]}}"#,
        &expect![[r#"
            execute Modified sub/a
              Input: "o" -> "n"
        "#]],
    );
    check(
        r#"{"kind":"execute","status":"failed","rawInput":{"command":"rm a"},"rawOutput":"Exec denied (user-denied): rm a"}"#,
        &expect![""],
    );
}

#[test]
fn paths_stay_in_the_workspace() {
    check(
        r#"{"kind":"edit","status":"completed","content":[{"type":"diff","path":"/etc/a","oldText":"o","newText":"n"},{"type":"diff","path":"~/b","oldText":"o","newText":"n"},{"type":"diff","path":"../c","oldText":"o","newText":"n"},{"type":"diff","path":"sub/../d","oldText":"o","newText":"n"},{"type":"diff","path":"file:///w/e%20f","oldText":"o","newText":"n"}]}"#,
        &expect![[r#"
            edit Modified d
              Content: "o" -> "n"
            edit Modified e f
              Content: "o" -> "n"
            note: /etc/a lies outside the workspace
            note: ~/b lies outside the workspace
            note: ../c lies outside the workspace
        "#]],
    );
    check(
        r#"{"kind":"move","status":"completed","rawInput":{"source":"/w/a","destination":"/tmp/a"}}"#,
        &expect![[r#"
            move Deleted a
              whole None -> Some("")
            note: /tmp/a lies outside the workspace
        "#]],
    );
}

#[test]
fn a_name_is_completed_by_the_other_paths_of_its_call() {
    check_in(
        &REPLAY,
        r#"{"kind":"edit","status":"completed","content":[{"type":"diff","path":"a","oldText":"o","newText":"n"}],"locations":[{"path":"/w/sub/a","line":3}]}"#,
        &expect![[r#"
            edit Modified sub/a
              Content: "o" -> "n" new@2
        "#]],
    );
}

#[test]
fn an_insertion_stands_where_its_input_says() {
    check(
        r#"{"name":"str_replace_based_edit_tool","kind":"edit","status":"completed","rawInput":{"command":"insert","path":"a","insert_line":2,"insert_text":"x\n"}}"#,
        &expect![[r#"
            str_replace_based_edit_tool Modified a
              Input: "" -> "x\n" old@2 new@2
        "#]],
    );
    check(
        r#"{"name":"WriteFile","kind":"edit","status":"completed","rawInput":{"path":"a","content":"x\n","mode":"append"}}"#,
        &expect![[r#"
            WriteFile Modified a
              Input: "" -> "x\n" eof
        "#]],
    );
}

#[test]
fn a_patch_that_nobody_can_read_is_named() {
    check(
        r#"{"name":"apply_patch","kind":"other","status":"completed","rawInput":{"input":"*** Begin Patch\n*** Update File: a\nno mark\n*** End Patch"}}"#,
        &expect![[r"
            note: a patch is malformed at line 3: Unexpected line found in update hunk: 'no mark'. Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)
        "]],
    );
}

#[test]
fn a_listing_in_words_may_be_relative_to_another_directory() {
    check(
        r#"{"kind":"edit","status":"completed","content":[{"type":"diff","path":"/w/src/a.rs","oldText":"","newText":"x"},{"type":"diff","path":"/w/src/b.rs","newText":"y"}],"rawOutput":"Success. Updated the following files:\nM w/src/a.rs\nM b.rs\nA other.rs"}"#,
        &expect![[r#"
            edit Modified src/a.rs
              Content: "" -> "x"
            edit Modified src/b.rs
              Content: "" -> "y"
        "#]],
    );
    check(
        r#"{"kind":"edit","status":"completed","rawOutput":"Success. Updated the following files:\nA a.rs\nD b.rs"}"#,
        &expect![[r#"
            edit Created a.rs
              whole Some("") -> None
            edit Deleted b.rs
              whole None -> Some("")
        "#]],
    );
}

#[test]
fn a_patch_that_failed_in_a_shell_changed_nothing() {
    for output in [
        r#""Wall time: 0 seconds\nProcess exited with code 1\nOutput:\nno""#,
        r#"{"output":"x","metadata":{"exit":1}}"#,
        r#"{"exit_code":2}"#,
        r#""Output:\napply_patch verification failed: no such line""#,
    ] {
        let call = format!(
            r#"{{"kind":"execute","status":"completed","rawInput":{{"command":"apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nEOF"}},"rawOutput":{output}}}"#
        );
        assert!(
            super::findings(&super::completed(&call), &[]).failed,
            "{output}"
        );
    }
}

#[test]
fn a_move_is_known_by_its_two_places() {
    check(
        r#"{"kind":"edit","name":"edit_files","status":"completed","rawOutput":{"diff":"diff --git a/o b/sub/n\nsimilarity index 80%\nrename from o\nrename to sub/n\n--- a/o\n+++ b/sub/n\n@@ -1,2 +1,2 @@\n-x\n+y\n z\n"}}"#,
        &expect![[r#"
            edit_files Moved sub/n from o
              Result: "x\nz\n" -> "y\nz\n" old@0 new@0
        "#]],
    );
    check(
        r#"{"kind":"move","title":"t","status":"completed","content":[{"type":"diff","path":"/w/b","oldText":"o","newText":"n"}],"locations":[{"path":"/w/a"},{"path":"/w/b"}]}"#,
        &expect![[r#"
            move Moved b from a
              Content: "o" -> "n"
        "#]],
    );
}

#[test]
fn a_file_that_is_added_and_changed_by_one_patch_is_whole_at_its_end() {
    check(
        r#"{"kind":"edit","status":"completed","rawInput":{"patch":"*** Begin Patch\n*** Add File: a\n+x\n+y\n*** Update File: a\n@@\n-y\n+z\n*** End Patch"}}"#,
        &expect![[r#"
            edit Created a
              Input: "" -> "x\ny\n"
              Input: "y" -> "z"
              whole Some("") -> Some("x\nz\n")
        "#]],
    );
}

#[test]
fn a_bare_name_that_the_agent_asked_for_is_a_path() {
    check(
        r#"{"kind":"move","name":"move_file","rawInput":{"source":"README.md","destination":"docs/README.md"}}
{"status":"completed"}"#,
        &expect![[r"
            move_file Moved docs/README.md from README.md
        "]],
    );
    check(
        r#"{"kind":"edit","name":"apply_patch","rawInput":{"input":"*** Begin Patch\n*** Update File: README.md\n@@\n-a\n+b\n*** Update File: docs/README.md\n*** Move to: guide/README.md\n@@\n-c\n+d\n*** End Patch"}}
{"status":"completed"}"#,
        &expect![[r#"
            apply_patch Modified README.md
              Input: "a" -> "b"
            apply_patch Moved guide/README.md from docs/README.md
              Input: "c" -> "d"
        "#]],
    );
}

#[test]
fn a_tool_of_several_commands_does_what_it_is_told() {
    for (input, expect) in [
        (
            r#"{"action":"write","path":"a","content":"x\n"}"#,
            expect![[r#"
                workspace_file Modified a
                  Input: "" -> "x\n"
                  whole None -> Some("x\n")
            "#]],
        ),
        (
            r#"{"command":"create","path":"a","file_text":"x\n"}"#,
            expect![[r#"
                workspace_file Modified a
                  Input: "" -> "x\n"
                  whole None -> Some("x\n")
            "#]],
        ),
        (
            r#"{"command":"append","path":"a","new_str":"x\n"}"#,
            expect![[r#"
                workspace_file Modified a
                  Input: "" -> "x\n" eof
            "#]],
        ),
        (
            r#"{"action":"delete","path":"a"}"#,
            expect![[r#"
            workspace_file Deleted a
              whole None -> Some("")
        "#]],
        ),
        (
            r#"{"command":"rename","old_path":"a","new_path":"b"}"#,
            expect![[r"
                workspace_file Moved b from a
            "]],
        ),
        (r#"{"action":"mkdir","path":"a"}"#, expect![[r""]]),
        (
            r#"{"action":"read_document","path":"a.pdf"}"#,
            expect![[r""]],
        ),
    ] {
        check(
            &format!(r#"{{"name":"workspace_file","rawInput":{input},"status":"completed"}}"#),
            &expect,
        );
    }
    check(
        r#"{"name":"records","rawInput":{"action":"delete","path":"users/1"},"status":"completed"}"#,
        &expect![[r""]],
    );
}

#[test]
fn a_text_that_replaces_nothing_is_a_new_file() {
    check(
        r#"{"kind":"edit","name":"Edit","rawInput":{"file_path":"/w/a","old_string":"","new_string":"x\n"},"content":[{"type":"diff","path":"/w/a","oldText":null,"newText":"x\n"}]}
{"status":"completed"}"#,
        &expect![[r#"
            Edit Created a
              Content: "" -> "x\n"
              whole Some("") -> Some("x\n")
        "#]],
    );
    let existing = Setting {
        existing: &["a"],
        historical: false,
    };
    check_in(
        &existing,
        r#"{"kind":"edit","name":"Edit","rawInput":{"file_path":"/w/a","old_string":"","new_string":"x\n"}}
{"status":"completed"}"#,
        &expect![[r#"
            Edit Modified a
              Input: "" -> "x\n"
        "#]],
    );
    // A tool that inserts leaves the old text empty for any file.
    check(
        r#"{"kind":"edit","name":"insert_text","rawInput":{"file_path":"/w/a","old_string":"","new_string":"x\n"}}
{"status":"completed"}"#,
        &expect![[r#"
            insert_text Modified a
              Input: "" -> "x\n"
        "#]],
    );
    check(
        r#"{"kind":"edit","name":"edit","rawInput":{"path":"/w/a"}}
{"status":"completed","rawOutput":"```diff\n--- a\n+++ a\n@@ -0,0 +1,2 @@\n+x\n+y\n```"}"#,
        &expect![[r#"
            edit Created a
              Result: "" -> "x\ny\n" old@0 new@0
              whole Some("") -> Some("x\ny\n")
        "#]],
    );
}

#[test]
fn words_for_a_new_file_may_stand_in_tags() {
    for (words, expect) in [
        (
            "Created file",
            expect![[r#"
            edit Created a
              Content: "" -> "x\n"
              whole Some("") -> Some("x\n")
        "#]],
        ),
        (
            "Updated file",
            expect![[r#"
            edit Modified a
              Content: "" -> "x\n"
        "#]],
        ),
    ] {
        check(
            &format!(
                r#"{{"kind":"edit","title":"Write a","content":[{{"type":"diff","path":"/w/a","oldText":null,"newText":"x\n"}}]}}
{{"status":"completed","content":[{{"type":"content","content":{{"type":"text","text":"<path>a</path>\n<type>file</type>\n<content>\n{words}\n</content>"}}}}]}}"#
            ),
            &expect,
        );
    }
}

#[test]
fn a_tool_for_parts_of_files_deletes_none() {
    for (name, expect) in [
        (
            "delete_file",
            expect![[r#"
            delete_file Deleted a
              whole None -> Some("")
        "#]],
        ),
        (
            "remove-files",
            expect![[r#"
            remove-files Deleted a
              whole None -> Some("")
        "#]],
        ),
        (
            "delete_lines",
            expect![[r"
            delete_lines Modified a
        "]],
        ),
        (
            "remove_unused_imports",
            expect![[r"
            remove_unused_imports Modified a
        "]],
        ),
    ] {
        check(
            &format!(
                r#"{{"name":"{name}","kind":"edit","rawInput":{{"file_paths":["a"]}},"locations":[{{"path":"a"}}],"status":"completed"}}"#
            ),
            &expect,
        );
    }
}
