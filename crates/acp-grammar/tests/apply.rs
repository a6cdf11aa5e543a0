//! Applying chunks where the reference tools lose something or give no guidance.

use acp_grammar::apply::{Applied, ApplyError, LineRange, Tier, apply};
use acp_grammar::patch::{Dialect, parse};
use expect_test::{Expect, expect};

fn apply_with(file: &str, body: &str, dialect: Dialect) -> Result<Applied, ApplyError> {
    let payload = format!("*** Begin Patch\n*** Update File: f\n{body}\n*** End Patch");
    let patch = parse(&payload, dialect).expect("the body parses");
    let chunks: Vec<_> = patch.chunks().cloned().collect();
    apply(file, &chunks, dialect)
}

/// The new text in both dialects of execution.
fn check(file: &str, body: &str, expected: &str) {
    for dialect in [Dialect::Openclaw, Dialect::Codex] {
        let applied = apply_with(file, body, dialect).expect("the chunk fits");
        assert_eq!(applied.new_text, expected, "{dialect}");
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "`expect![[…]]` stands at the call"
)]
fn check_error(file: &str, body: &str, expected: Expect) {
    let error = apply_with(file, body, Dialect::Openclaw).expect_err("the chunk does not fit");
    expected.assert_eq(&format!("{}\n{}\n", error.describe("f"), error.help()));
}

#[test]
fn a_missing_final_newline_survives() {
    check("a\nb", "@@\n-a\n+A", "A\nb");
    check("a\nb", "@@\n-b\n+B", "a\nB");
    check("a\nb", "@@\n b\n+c", "a\nb\nc");
    check("a\nb", "@@\n+c", "a\nb\nc");
    check("a\r\nb", "@@\n+c\n+d", "a\r\nb\r\nc\r\nd");
    check("a\nb", "@@\n-b", "a\n");
    check("a", "@@\n-a", "");
}

#[test]
fn an_empty_file_gets_whole_lines() {
    check("", "@@\n+a\n+b", "a\nb\n");
    check("\u{feff}", "@@\n+a", "\u{feff}a\n");
}

#[test]
fn a_blank_last_line_survives() {
    check("a\n\n", "@@\n-a\n+A", "A\n\n");
    check("a\n\n", "@@\n+b", "a\nb\n\n");
    check("a\n\n\n", "@@\n-a\n+A\n*** End of File", "A\n\n\n");
}

#[test]
fn a_byte_order_mark_survives() {
    check("\u{feff}a\nb\n", "@@\n-a\n+A", "\u{feff}A\nb\n");
    check(
        "\u{feff}a\nb\n",
        "@@\n-\u{feff}a\n+\u{feff}A",
        "\u{feff}A\nb\n",
    );
    check("\u{feff}a\nb\n", "@@\n-b\n+B", "\u{feff}a\nB\n");
}

#[test]
fn endings_of_the_file_are_kept_and_taken() {
    check("a\r\nb\r\n", "@@\n-b\n+B\n+C", "a\r\nB\r\nC\r\n");
    check("a\rb\r\nc\r\n", "@@\n-c\n+C", "a\rb\r\nC\r\n");
    let mixed = |dialect| {
        apply_with("a\r\nb\nc\n", "@@\n-c\n+C", dialect)
            .expect("the chunk fits")
            .new_text
    };
    // One tool follows the line that is replaced, the other the file's first line.
    assert_eq!(mixed(Dialect::Openclaw), "a\r\nb\nC\n");
    assert_eq!(mixed(Dialect::Codex), "a\r\nb\nC\r\n");
}

#[test]
fn loosely_matched_context_keeps_its_bytes() {
    check(
        "\tif x {\r\n\t\tsay(\u{201C}hi\u{201D});  \r\n\t\told();\r\n",
        "@@\n if x {\n   say(\"hi\");\n-  old();\n+\t\tnew();",
        "\tif x {\r\n\t\tsay(\u{201C}hi\u{201D});  \r\n\t\tnew();\r\n",
    );
}

#[test]
fn end_of_file_falls_back_to_a_search() {
    check("a\nb\nz\n", "@@\n-a\n+A\n*** End of File", "A\nb\nz\n");
    check("a\nb\na\n", "@@\n-a\n+A\n*** End of File", "a\nb\nA\n");
}

#[test]
fn a_blank_line_before_the_first_chunk_costs_nothing() {
    let applied = apply_with("a\nb\n", "\n@@\n-b\n+B", Dialect::Codex).expect("the chunks fit");
    assert_eq!(applied.new_text, "a\nB\n");
    assert_eq!(applied.hunks.len(), 2);
}

#[test]
fn hunks_name_the_lines_on_both_sides() {
    let body = "@@\n a\n+x\n+y\n@@\n c\n-d\n e\n@@\n+end";
    let applied = apply_with("a\nb\nc \nd\ne\n", body, Dialect::Openclaw).expect("the chunks fit");
    assert_eq!(applied.new_text, "a\nx\ny\nb\nc \ne\nend\n");
    let range = |start, end| LineRange { start, end };
    let hunks: Vec<_> = applied
        .hunks
        .iter()
        .map(|hunk| (hunk.old, hunk.new, hunk.tier))
        .collect();
    assert_eq!(
        hunks,
        [
            (range(0, 1), range(0, 3), Some(Tier::Exact)),
            (range(2, 5), range(4, 6), Some(Tier::TrimmedEnd)),
            (range(5, 5), range(6, 7), None),
        ]
    );
}

#[test]
fn an_insertion_among_removed_lines_stays_in_bounds() {
    // The first chunk inserts before the blank last line, the second one removes all lines.
    let applied =
        apply_with("a\nb\n\n", "@@\n+x\n@@\n-a\n-b\n-", Dialect::Codex).expect("the chunks fit");
    assert_eq!(applied.new_text, "x\n");
    assert_eq!(applied.hunks[0].new, LineRange { start: 0, end: 1 });
}

#[test]
fn a_miss_names_the_nearest_candidate() {
    check_error(
        "fn a() {\n    one();\n    two();\n}\n\nfn b() {\n    one();\n}\n",
        "@@\n fn a() {\n     one();\n-    three();\n }",
        expect![[r"
            Failed to find expected lines in f:
            fn a() {
                one();
                three();
            }
            nearest candidate at line 1, where 3 of 4 lines match; line 3 is '    two();', the patch has '    three();'
        "]],
    );
    check_error(
        "let total = 1;\nlet other = 2;\n",
        "@@\n-let totals = 1;\n+x",
        expect![[r"
            Failed to find expected lines in f:
            let totals = 1;
            nearest candidate at line 1; line 1 is 'let total = 1;', the patch has 'let totals = 1;'
        "]],
    );
    check_error(
        "a\nb\n",
        "@@\n-b\n+B\n@@\n-a\n+A",
        expect![[r"
            Failed to find expected lines in f:
            a
            they stand at line 1, before an earlier chunk or context of this patch; write the chunks in the order of the file
        "]],
    );
    check_error(
        "a\nb\n",
        "@@ something else\n+x",
        expect![[r"
            Failed to find context 'something else' in f
            read the file again; nothing in it resembles these lines
        "]],
    );
    check_error(
        "a\nb\n",
        "@@\n b\n-c",
        expect![[r"
            Failed to find expected lines in f:
            b
            c
            nearest candidate at line 2, where 1 of 2 lines match; the file ends before line 3, the patch has 'c'
        "]],
    );
}
