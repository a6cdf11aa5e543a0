use std::fmt::Write as _;

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::{FileDiff, apply, fuzz_unified, lines_of, position, read, read_leniently};

fn check(text: &str, expect: &Expect) {
    let shown = match read(text) {
        Ok(files) => show(&files),
        Err(error) => format!("error: {error}\n"),
    };
    expect.assert_eq(&shown);
}

fn show(files: &[FileDiff<'_>]) -> String {
    let mut shown = String::new();
    for file in files {
        let mark = [
            (file.created, " created"),
            (file.deleted, " deleted"),
            (file.renamed, " renamed"),
        ];
        let marks: String = mark
            .iter()
            .filter(|(is, _)| *is)
            .map(|(_, word)| *word)
            .collect();
        writeln!(shown, "{:?} -> {:?}{marks}", file.old_path, file.new_path).unwrap();
        for hunk in &file.hunks {
            let at = hunk.position.map(|at| (at.old_line, at.new_line));
            writeln!(
                shown,
                "  {at:?} {:?}: {:?} -> {:?}",
                hunk.section,
                hunk.old_text(),
                hunk.new_text()
            )
            .unwrap();
        }
    }
    shown
}

#[test]
fn bare_hunks_need_no_file_header() {
    check(
        "@@ -2,3 +2,3 @@\n keep 2\n-move me\n+moved me\n keep 4\n",
        &expect![[r#"
            None -> None
              Some((1, 1)) "": "keep 2\nmove me\nkeep 4\n" -> "keep 2\nmoved me\nkeep 4\n"
        "#]],
    );
}

#[test]
fn a_side_without_lines_names_the_line_before() {
    check(
        "--- a.txt\n+++ a.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n@@ -3 +5,0 @@ fn x()\n-gone\n",
        &expect![[r#"
            Some("a.txt") -> Some("a.txt")
              Some((0, 0)) "": "" -> "one\ntwo\n"
              Some((2, 5)) "fn x()": "gone\n" -> ""
        "#]],
    );
}

#[test]
fn labels_and_rules_of_other_tools_are_skipped() {
    check(
        "Index: calc.py\n==========\n--- calc.py\tCurrent\n+++ calc.py\tProposed\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n",
        &expect![[r#"
            Some("calc.py") -> Some("calc.py")
              Some((0, 0)) "": "a\n" -> "b"
        "#]],
    );
}

#[test]
fn git_headers_name_creations_deletions_and_renames() {
    check(
        "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n\
         diff --git a/y b/y\ndeleted file mode 100644\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n\
         diff --git a/old name b/new\nsimilarity index 90%\nrename from old name\nrename to new\n\
         --- a/old name\n+++ b/new\n@@ -1 +1 @@\n-x\n+y\n\
         diff --git a/same file b/same file\nold mode 100644\nnew mode 100755\n",
        &expect![[r#"
            None -> Some("x") created
              Some((0, 0)) "": "" -> "x\n"
            Some("y") -> None deleted
              Some((0, 0)) "": "y\n" -> ""
            Some("old name") -> Some("new") renamed
              Some((0, 0)) "": "x\n" -> "y\n"
            Some("same file") -> Some("same file")
        "#]],
    );
}

#[test]
fn dashes_inside_a_hunk_are_content() {
    check(
        "--- a\n+++ a\n@@ -1,3 +1,3 @@\n keep\n--- old rule\n+++ new rule\n end\n",
        &expect![[r#"
            Some("a") -> Some("a")
              Some((0, 0)) "": "keep\n-- old rule\nend\n" -> "keep\n++ new rule\nend\n"
        "#]],
    );
}

#[test]
fn stripped_empty_context_and_carriage_returns_stay() {
    check(
        "@@ -1,3 +1,3 @@\n a\r\n\n-b\r\n+c\r\n",
        &expect![[r#"
            None -> None
              Some((0, 0)) "": "a\r\n\nb\r\n" -> "a\r\n\nc\r\n"
        "#]],
    );
}

#[test]
fn wrong_counts_and_missing_marks_are_named() {
    check(
        "@@ -1,2 +1,2 @@\n-a\n+b\n",
        &expect![[r"
        error: line 4: expected a line that starts with a blank, `+` or `-`
    "]],
    );
    check(
        "@@ -1 +1 @@\n-a\n?b\n",
        &expect![[r"
        error: line 3: expected a line that starts with a blank, `+` or `-`
    "]],
    );
    check(
        "@@ x @@\n-a\n",
        &expect![[r"
        error: line 1: expected `@@ -a,b +c,d @@`
    "]],
    );
    check(
        "just prose\n--- not a header\n",
        &expect![[r"
        error: no hunk header `@@ -a,b +c,d @@` found
    "]],
    );
}

#[test]
fn a_model_may_count_wrongly() {
    let text = "--- a/f\n+++ b/f\n@@ -10,9 +10,9 @@\n a\n-b\n+c\n@@ ... @@\n-d\n+e\n\n";
    expect![[r#"
        Some("f") -> Some("f")
          None "": "a\nb\n" -> "a\nc\n"
          None "": "d\n" -> "e\n"
    "#]]
    .assert_eq(&show(&read_leniently(text).unwrap()));
    assert_eq!(read_leniently("no diff"), None);
}

#[test]
fn hunks_apply_only_where_they_stand() {
    let files = read("@@ -2,2 +2,3 @@\n b\n-c\n+C\n+D\n").unwrap();
    let hunks = &files[0].hunks;
    assert_eq!(
        apply("a\nb\nc\nd\n", hunks).as_deref(),
        Some("a\nb\nC\nD\nd\n")
    );
    assert_eq!(apply("b\nc\n", hunks), None);
    assert_eq!(apply("a\nb\nc", hunks), None);
    assert_eq!(apply("", hunks), None);
}

#[test]
fn lines_of_a_library_have_no_line_feed() {
    let lines = lines_of(["-a", "+b", "\\ No newline at end of file"].into_iter()).unwrap();
    assert_eq!((lines[0].ended, lines[1].ended), (true, false));
    assert_eq!(lines_of(["x"].into_iter()), None);
    assert_eq!(position(0, 0, 1, 2).new_line, 0);
}

#[test]
fn the_seeds_of_the_fuzz_target_hold() {
    for seed in [
        &include_bytes!("../../../../tests/fuzz/seeds/unified/rename")[..],
        include_bytes!("../../../../tests/fuzz/seeds/unified/created"),
        include_bytes!("../../../../tests/fuzz/seeds/unified/uncounted"),
        include_bytes!("../../../../tests/fuzz/seeds/unified/empty_line_without_end"),
    ] {
        fuzz_unified(seed);
    }
}

proptest! {
    #[test]
    fn a_diff_of_two_texts_applies(old in "([ab+-]{0,2}\n){0,12}", new in "([ab+-]{0,2}\n){0,12}") {
        let olds: Vec<&str> = old.split_inclusive('\n').collect();
        let news: Vec<&str> = new.split_inclusive('\n').collect();
        let mut text = format!("@@ -{},{} +{},{} @@\n",
            olds.len().min(1), olds.len(), news.len().min(1), news.len());
        text.extend(olds.iter().map(|line| format!("-{line}")));
        text.extend(news.iter().map(|line| format!("+{line}")));
        let files = read(&text).unwrap();
        prop_assert_eq!(apply(&old, &files[0].hunks), Some(new));
    }

    #[test]
    fn nothing_panics(text in "(@@ -1 \\+1 @@|@@|--- |\\+\\+\\+ |diff --git a/x b/x|[ +\\\\-]|x|\r|\n){0,40}") {
        fuzz_unified(text.as_bytes());
    }
}
