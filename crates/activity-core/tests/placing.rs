//! Where fragments stand in a text: one table of small cases.
#![allow(
    clippy::unwrap_used,
    clippy::format_collect,
    clippy::needless_pass_by_value,
    reason = "a test fails by panicking"
)]

mod support;

use activity_core::model::{Action, Hint};
use expect_test::{Expect, expect};
use support::{Case, line_hint};

/// Places fragments in a text and shows each hunk: fragment.occurrence, state, what was added and
/// removed, and the lines it covers (`at n` is a seam above line n).
fn check(case: &Case, text: &str, expect: Expect) {
    expect.assert_eq(&case.place(text));
}

fn edit(old: &str, new: &str) -> Case {
    Case::new().edit(old, new)
}

#[test]
fn a_text_that_stands_once_is_in_place() {
    check(
        &edit("one\n", "two\n"),
        "zero\ntwo\nthree\n",
        expect![[r"
            0.0 InPlace +1 -1 | 1: two
        "]],
    );
}

#[test]
fn a_text_inside_a_line_shows_its_line() {
    check(
        &edit("a + b", "b + a  # sum"),
        "def add(a, b):\n    return b + a  # sum\n",
        expect![[r"
            0.0 InPlace +1 -1 | 1:     return b + a  # sum
        "]],
    );
    check(
        &edit("foo(1,\n  2)", "bar(1,\n  2)"),
        "x = bar(1,\n  2) + 3\n",
        expect![[r"
            0.0 InPlace +1 -1 | 0: x = bar(1,
        "]],
    );
}

#[test]
fn context_lines_are_not_shown() {
    check(
        &edit("a\nb\nc\nd\ne", "a\nB\nc\nD\nD2\ne"),
        "0\na\nB\nc\nD\nD2\ne\nf\n",
        expect![[r"
            0.0 InPlace +1 -1 | 2: B
            0.1 InPlace +2 -1 | 4: D | 5: D2
        "]],
    );
}

#[test]
fn of_two_equal_places_neither_is_taken() {
    let text = "x\nnew\ny\nnew\nz\n";
    check(
        &edit("old\n", "new\n"),
        text,
        expect![[r"
            0.0 Ambiguous +1 -1 (1, 3)
        "]],
    );
    check(
        &Case::new().hinted("old\n", "new\n", line_hint(3)),
        text,
        expect![[r"
            0.0 InPlace +1 -1 | 3: new
        "]],
    );
    check(
        &Case::new().hinted("old\n", "new\n", line_hint(4)),
        text,
        expect![[r"
            0.0 Moved +1 -1 | 3: new
        "]],
    );
    check(
        &Case::new().hinted("old\n", "new\n", line_hint(2)),
        text,
        expect![[r"
            0.0 Ambiguous +1 -1 (1, 3)
        "]],
    );
    let head = Hint {
        context: Some("y".into()),
        ..Hint::default()
    };
    check(
        &Case::new().hinted("old\n", "new\n", head),
        text,
        expect![[r"
            0.0 InPlace +1 -1 | 3: new
        "]],
    );
    let at_end = Hint {
        end_of_file: true,
        ..Hint::default()
    };
    check(
        &Case::new().hinted("old\n", "new\n", at_end),
        "new\ny\nnew\n",
        expect![[r"
            0.0 InPlace +1 -1 | 2: new
        "]],
    );
}

#[test]
fn short_texts_inside_lines_are_ambiguous_when_they_stand_twice() {
    check(
        &edit("foo", "bar"),
        "bar = 1\nrebar = 2\n",
        expect![[r"
            0.0 Ambiguous +1 -1 (0, 1)
        "]],
    );
    check(
        &edit("foo", "bar"),
        "bar\nrebar = 2\n",
        expect![[r"
            0.0 Ambiguous +1 -1 (0, 1)
        "]],
    );
    check(
        &Case::new().hinted("foo", "bar", line_hint(1)),
        "bar = 1\nrebar = 2\n",
        expect![[r"
            0.0 InPlace +1 -1 | 1: rebar = 2
        "]],
    );
}

#[test]
fn a_replacement_of_every_site_has_a_hunk_for_each() {
    let every = Hint {
        replace_all: true,
        ..Hint::default()
    };
    check(
        &Case::new().hinted("foo", "bar", every),
        "one bar\ntwo bar bar\nthree\nbar\n",
        expect![[r"
            0.0 InPlace +1 -1 | 0: one bar
            0.1 InPlace +1 -1 | 1: two bar bar
            0.2 InPlace +1 -1 | 3: bar
        "]],
    );
}

#[test]
fn equal_fragments_of_one_call_share_the_places() {
    check(
        &Case::new()
            .edit("foo\n", "bar\n")
            .same_call("foo\n", "bar\n"),
        "bar\nx\nbar\n",
        expect![[r"
            0.0 InPlace +1 -1 | 0: bar
            1.0 InPlace +1 -1 | 2: bar
        "]],
    );
}

#[test]
fn line_endings_and_trailing_blanks_do_not_count() {
    check(
        &edit("a\nb\nc\n", "a\nB  \nB2\nc\n"),
        "x\r\na\r\nB\r\nB2\t\r\nc\r\n",
        expect![[r"
            0.0 InPlace +2 -1 | 2: B | 3: B2
        "]],
    );
    check(
        &edit("a\r\nb\r\n", "a\r\nB\r\n"),
        "a\nB",
        expect![[r"
            0.0 InPlace +1 -1 | 1: B
        "]],
    );
    check(
        &edit("old\r", "né😀w\r"),
        "x\rné😀w\ry",
        expect![[r"
            0.0 InPlace +1 -1 | 1: né😀w
        "]],
    );
}

#[test]
fn what_a_later_fragment_replaced_is_replaced() {
    check(
        &Case::new().edit("a\n", "b\n").edit("b\n", "c\n"),
        "x\nc\ny\n",
        expect![[r"
            0.0 Replaced +1 -1 by 1
            1.0 InPlace +1 -1 | 1: c
        "]],
    );
    check(
        &Case::new()
            .edit("p\nq\n", "p\none\ntwo\nthree\nq\n")
            .edit("two\n", "zwei\n"),
        "p\none\nzwei\nthree\nq\n",
        expect![[r"
            0.0 InPlace +3 -0 by 1 | 1: one | 3: three
            1.0 InPlace +1 -1 | 2: zwei
        "]],
    );
}

#[test]
fn a_chain_that_comes_back_has_no_place() {
    check(
        &Case::new()
            .edit("alpha\n", "beta\n")
            .edit("beta\n", "alpha\n"),
        "x\nalpha\ny\n",
        expect![[r"
            0.0 Replaced +1 -1 by 1
            1.0 Replaced +1 -1
        "]],
    );
    check(
        &Case::new()
            .edit("a\nb\n", "a\nlong line\nb\n")
            .edit("a\nlong line\nb\n", "a\nb\n"),
        "a\nb\n",
        expect![[r"
            0.0 Replaced +1 -0 by 1
            1.0 Replaced +0 -1
        "]],
    );
    // A longer chain that does not come back ends where its last fragment stands.
    check(
        &Case::new()
            .edit("alpha\n", "beta\n")
            .edit("beta\n", "alpha\n")
            .edit("alpha\n", "gamma\n"),
        "x\ngamma\ny\n",
        expect![[r"
            0.0 Replaced +1 -1 by 1
            1.0 Replaced +1 -1 by 2
            2.0 InPlace +1 -1 | 1: gamma
        "]],
    );
}

#[test]
fn a_change_that_was_undone_by_hand_is_reverted() {
    check(
        &edit("the old text\n", "the new text\n"),
        "x\nthe old text\ny\n",
        expect![[r"
            0.0 Reverted +1 -1
        "]],
    );
    check(
        &edit("above it\nbelow it\n", "above it\nadded line\nbelow it\n"),
        "x\nabove it\nbelow it\n",
        expect![[r"
            0.0 Reverted +1 -0
        "]],
    );
}

#[test]
fn what_is_left_of_an_edited_hunk_is_shown() {
    check(
        &edit(
            "start\nend\n",
            "start\nfirst added line\nsecond added line\nthird added line\nend\n",
        ),
        "start\nfirst added line\nsecond changed\nthird added line\nend\n",
        expect![[r"
            0.0 Edited +3 -0 | 1: first added line | 3: third added line
        "]],
    );
    check(
        &edit("fn f() {}\n", "fn f() {\n  call_one();\n  call_two();\n}\n"),
        "mod m {\n    fn f() {\n        call_one();\n        call_two();\n    }\n}\n",
        expect![[r"
            0.0 Edited +4 -1 | 1:     fn f() { | 2:         call_one(); | 3:         call_two(); | 4:     }
        "]],
    );
}

#[test]
fn a_lone_line_that_was_typed_into_is_edited_and_has_no_place() {
    let typed = |old: &str, new: &str, text: &str, expect: Expect| {
        check(&edit(old, new), text, expect);
    };
    typed(
        "total = sum(prices)\n",
        "total = sum(prices) + shipping\n",
        "total = sum(prices) + 2 * shipping\n",
        expect![[r"
            0.0 Edited +1 -1
        "]],
    );
    // A short line needs its surroundings.
    typed(
        "def f():\n    return a\n",
        "def f():\n    return b + a\n",
        "def f():\n    return b +x a\n",
        expect![[r"
            0.0 Edited +1 -1
        "]],
    );
    typed(
        "    return a\n",
        "    return b + a\n",
        "def f():\n    return b +x a\n",
        expect![[r"
            0.0 NotFound(TextGone) +1 -1
        "]],
    );
    // As much of it is the old line as the new one.
    typed(
        "connect(first_host)\n",
        "connect(second_host)\n",
        "connect(other_host)\n",
        expect![[r"
            0.0 NotFound(TextGone) +1 -1
        "]],
    );
    // Two lines are as much like it.
    typed(
        "",
        "let counter_of_words = 1;\n",
        "let counter_of_words = 12;\nlet counter_of_words = 13;\nx\ny\n",
        expect![[r"
            0.0 NotFound(TextGone) +1 -0
        "]],
    );
}

#[test]
fn what_is_gone_is_not_found() {
    check(
        &edit("old words here\n", "new words here\n"),
        "something else\n",
        expect![[r"
            0.0 NotFound(TextGone) +1 -1
        "]],
    );
    check(
        &edit("a\nb\nc\n", "a\n}\nc\n"),
        "x\n}\ny\n",
        expect![[r"
            0.0 NotFound(TooCommon) +1 -1
        "]],
    );
    check(
        &edit("", ""),
        "x\n",
        expect![[r"
            0.0 NotFound(NoText) +0 -0
        "]],
    );
}

#[test]
fn a_changed_surrounding_does_not_hide_a_hunk() {
    check(
        &edit("top\nold\nbottom\n", "top\nnew\nbottom\n"),
        "changed\nnew\nbottom\nnew\n",
        expect![[r"
            0.0 InPlace +1 -1 | 1: new
        "]],
    );
}

#[test]
fn deletions_show_their_seam() {
    check(
        &edit("a\nb\nc\n", "a\nc\n"),
        "x\na\nc\ny\n",
        expect![[r"
            0.0 Deleted +0 -1 at 2
        "]],
    );
    check(
        &edit("first\nsecond\n", "second\n"),
        "second\nx\n",
        expect![[r"
            0.0 Deleted +0 -1 at 0
        "]],
    );
    check(
        &edit("x\nlast\n", "x\n"),
        "y\nx\n",
        expect![[r"
            0.0 Deleted +0 -1 at 2
        "]],
    );
    check(
        &edit("gone\n", ""),
        "a\nb\n",
        expect![[r"
            0.0 NotFound(SeamUnknown) +0 -1
        "]],
    );
    check(
        &Case::new().hinted("gone\n", "", line_hint(1)),
        "a\nb\n",
        expect![[r"
            0.0 Deleted +0 -1 at 1
        "]],
    );
    check(
        &Case::new().hinted("gone\n", "", line_hint(1)),
        "a\ngone\nb\n",
        expect![[r"
            0.0 Reverted +0 -1
        "]],
    );
}

#[test]
fn a_bare_deletion_is_found_by_what_an_earlier_fragment_wrote_around_it() {
    check(
        &Case::new()
            .act(Action::Created, "", "alpha\nbeta\ngamma\n")
            .edit("beta\n", ""),
        "alpha\ngamma\n",
        expect![[r"
            0.0 InPlace +3 -0 file
            1.0 Deleted +0 -1 at 1
        "]],
    );
}

#[test]
fn a_created_file_has_no_hunk_over_its_text() {
    let created = Case::new().act(Action::Created, "", "one line\ntwo lines\n");
    check(
        &created,
        "one line\ntwo lines\n",
        expect![[r"
            0.0 InPlace +2 -0 file
        "]],
    );
    check(
        &created,
        "one line\ntwo lines\nthree\n",
        expect![[r"
            0.0 Edited +2 -0 file
        "]],
    );
    check(
        &created,
        "unrelated\n",
        expect![[r"
            0.0 NotFound(TextGone) +2 -0 file
        "]],
    );
    check(
        &Case::new()
            .edit("a\n", "b\n")
            .act(Action::Created, "", "new\n")
            .edit("new\n", "newer\n"),
        "newer\n",
        expect![[r"
            0.0 Replaced +1 -1 by 1
            1.0 InPlace +1 -0 file
            2.0 InPlace +1 -1 | 0: newer
        "]],
    );
}

#[test]
fn a_deleted_file_folds_what_came_before() {
    let deleted = Case::new()
        .edit("a\n", "b\n")
        .act(Action::Deleted, "b\n", "");
    check(
        &deleted,
        "",
        expect![[r"
            0.0 Replaced +1 -1 by 1
            1.0 Deleted +0 -1 file
        "]],
    );
    check(
        &deleted,
        "b\n",
        expect![[r"
            0.0 Replaced +1 -1 by 1
            1.0 Reverted +0 -1 file
        "]],
    );
    check(
        &deleted,
        "other\n",
        expect![[r"
            0.0 Replaced +1 -1 by 1
            1.0 NotFound(FileExists) +0 -1 file
        "]],
    );
}

#[test]
fn masked_secrets_fit_what_they_hide() {
    let masked = Hint {
        masked: true,
        ..Hint::default()
    };
    check(
        &Case::new().hinted("KEY=a\n", "KEY=***\nOTHER=1\n", masked.clone()),
        "X=2\nKEY=sk-123\nOTHER=1\n",
        expect![[r"
            0.0 InPlace +2 -1 | 1: KEY=sk-123 | 2: OTHER=1
        "]],
    );
    check(
        &Case::new().hinted("PASSWORD=***", "PASSWORD=***!", masked),
        "X=2\nPASSWORD=hunter2!\n",
        expect![[r"
            0.0 InPlace +1 -1 | 1: PASSWORD=hunter2!
        "]],
    );
}

#[test]
fn a_snippet_is_found_in_what_a_patch_replaced() {
    check(
        &Case::new()
            .edit("a + b", "b + a")
            .patch(&[("x\nb + a\ny", "x\na + b\ny")]),
        "x\na + b\ny\n",
        expect![[r"
            0.0 Replaced +1 -1 by 1
            1.0 Replaced +1 -1
        "]],
    );
}

#[test]
fn patch_chunks_are_whole_lines_from_top_to_bottom() {
    check(
        &Case::new().patch(&[("old", "new"), ("x", "unique y")]),
        "new\nunique y\nnew\n",
        expect![[r"
            0.0 InPlace +1 -1 | 0: new
            1.0 InPlace +1 -1 | 1: unique y
        "]],
    );
    check(
        &Case::new().patch(&[("", "foo")]),
        "a\nfoobar\n",
        expect![[r"
            0.0 NotFound(TextGone) +1 -0
        "]],
    );
}

#[test]
fn a_text_beyond_the_limits_is_not_searched() {
    use activity_core::placing::{Limits, Placement, place};
    let limits = Limits {
        max_lines: 2,
        max_bytes: 100,
    };
    assert_eq!(
        place("a\nb\nc", &[], limits),
        Placement::TooLarge { lines: 3, bytes: 5 }
    );
    assert_eq!(place("a\nb\n", &[], limits), Placement::Placed(Vec::new()));
}
