//! Marks follow edits with arithmetic alone and never stand on a line that is not theirs.
#![allow(
    clippy::unwrap_used,
    clippy::format_collect,
    reason = "a test fails by panicking"
)]

mod support;

use activity_core::marks::{Edit, Lines, Marks};
use activity_core::placing::{Hunk, HunkKind, Span, State};
use proptest::prelude::*;
use support::Case;

fn span_of(text: &str, lines: std::ops::Range<usize>) -> Span {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
        .collect();
    let start = |line: usize| starts.get(line).copied().unwrap_or(text.len());
    Span {
        bytes: start(lines.start)..start(lines.end),
        lines: u32::try_from(lines.start).unwrap()..u32::try_from(lines.end).unwrap(),
    }
}

fn hunk(spans: Vec<Span>, state: State) -> Hunk {
    Hunk {
        fragment: 0,
        occurrence: 0,
        kind: if state == State::Deleted {
            HunkKind::Deleted
        } else {
            HunkKind::Modified
        },
        state,
        spans,
        old: 0..0,
        new: 0..0,
        added: 1,
        removed: 1,
        displacement: None,
        replaced_by: None,
        candidates: Vec::new(),
    }
}

fn replace(text: &str, bytes: std::ops::Range<usize>, inserted: &str) -> String {
    [&text[..bytes.start], inserted, &text[bytes.end..]].concat()
}

/// Marks the lines `b` and `c` of a text, makes one edit where `[` and `]` stand, and shows which
/// lines are marked afterwards.
fn check(marked_text: &str, inserted: &str, expect: &str) {
    let start = marked_text.find('[').unwrap();
    let end = marked_text.find(']').unwrap() - 1;
    let text = marked_text.replace(['[', ']'], "");
    let first = text.lines().position(|line| line == "b").unwrap();
    let mut marks = Marks::new(vec![hunk(
        vec![span_of(&text, first..first + 2)],
        State::InPlace,
    )]);
    marks.apply(&Edit::measure(&Lines::new(&text), start..end, inserted));
    let text = replace(&text, start..end, inserted);
    let lines: Vec<&str> = text.lines().collect();
    let shown = marks.hunks()[0].spans.iter().map(|span| {
        let by_lines = lines[span.lines.start as usize..span.lines.end as usize].join(",");
        assert_eq!(
            text[span.bytes.clone()]
                .lines()
                .collect::<Vec<_>>()
                .join(","),
            by_lines
        );
        by_lines
    });
    let shown = shown.collect::<Vec<_>>().join(" ");
    assert_eq!(
        format!("{:?} {shown}", marks.hunks()[0].state),
        expect,
        "{marked_text:?}"
    );
}

#[test]
fn edits_around_a_hunk_move_it() {
    check("[]a\nb\nc\nd\n", "x\n", "InPlace b,c");
    check("a\n[]b\nc\nd\n", "x\ny\n", "InPlace b,c");
    check("a[]\nb\nc\nd\n", "\nx", "InPlace b,c");
    check("[a\n]b\nc\nd\n", "", "InPlace b,c");
    check("[a]\nb\nc\nd\n", "z", "InPlace b,c");
    check("a\nb\nc\n[]d\n", "x", "InPlace b,c");
    check("a\nb\nc\n[d\n]", "", "InPlace b,c");
    check("a\nb\nc[]\nd\n", "\nx", "InPlace b,c");
    check("a\nb\nc[\nd]\n", "", "InPlace b,c");
}

#[test]
fn edits_inside_a_hunk_cost_it_the_lines_they_touch() {
    check("a\nb\nc[]\nd\n", "!", "Edited b");
    check("a\n[]b\nc\nd\n", "!", "Edited c");
    check("a\nb\n[]c\nd\n", "x\n", "Edited b c");
    check("a\nb[]\nc\nd\n", "\nx", "Edited b c");
    check("a[\n]b\nc\nd\n", "", "Edited c");
    check("a\nb[\n]c\nd\n", "", "Edited ");
    check("[a\nb\nc\nd\n]", "", "Edited ");
    check("[a\nb\nc\nd\n]", "x\nb\nc\nd\n", "InPlace b,c");
    check("a\nb\nc[]", "!", "Edited b");
    check("a\r\nb\nc[]\r\nd\n", "\r\nx", "InPlace b,c");
}

#[test]
fn a_seam_moves_with_the_lines_above_it() {
    let text = "a\nb\nc\nd\n";
    let moved = |bytes: std::ops::Range<usize>, inserted: &str| {
        let mut marks = Marks::new(vec![hunk(vec![span_of(text, 2..2)], State::Deleted)]);
        marks.apply(&Edit::measure(&Lines::new(text), bytes, inserted));
        let at: Vec<u32> = marks.hunks()[0]
            .spans
            .iter()
            .map(|span| span.lines.start)
            .collect();
        (at, marks.needs_placing())
    };
    assert_eq!(moved(0..0, "x\n"), (vec![3], false));
    assert_eq!(moved(6..8, ""), (vec![2], false));
    assert_eq!(moved(2..3, "z"), (vec![2], true));
    assert_eq!(moved(4..4, "x\n"), (vec![2], true));
    assert_eq!(moved(2..6, ""), (vec![], true));
}

/// Two equal blocks and a short line, edited by hand, then placed afresh without and with what the
/// marks know.
#[test]
fn what_a_fresh_placing_cannot_tell_is_recalled() {
    let case = Case::new()
        .edit("old\n", "a new block\n")
        .edit("seven\n", "SEVEN\nEIGHT\n");
    let mut text = "a new block\nx\nSEVEN\nEIGHT\n".to_owned();
    let mut marks = Marks::new(case.hunks(&text));
    for (at, inserted) in [(0, "a new block\n"), (28, "!")] {
        marks.apply(&Edit::measure(&Lines::new(&text), at..at, inserted));
        text.insert_str(at, inserted);
    }
    assert_eq!(text, "a new block\na new block\nx\nSE!VEN\nEIGHT\n");
    let mut fresh = Marks::new(case.hunks(&text));
    let states =
        |marks: &Marks| -> Vec<State> { marks.hunks().iter().map(|hunk| hunk.state).collect() };
    let gone = State::NotFound(activity_core::placing::Reason::TextGone);
    assert_eq!(states(&fresh), [State::Ambiguous, gone]);
    fresh.recall(|index| marks.hunks().get(index));
    assert_eq!(states(&fresh), [State::InPlace, State::Edited]);
    assert_eq!(fresh.hunks()[0].spans, [span_of(&text, 1..2)]);
    assert_eq!(fresh.hunks()[1].spans, [span_of(&text, 4..5)]);

    let case = Case::new().edit("a\nmiddle\nb\n", "a\nb\n");
    let text = "a\nb\n";
    let mut marks = Marks::new(case.hunks(text));
    marks.apply(&Edit::measure(&Lines::new(text), 2..2, "typed\n"));
    let text = "a\ntyped\nb\n";
    let mut fresh = Marks::new(case.hunks(text));
    assert_eq!(fresh.hunks()[0].shown_at(), None);
    fresh.recall(|index| marks.hunks().get(index));
    assert_eq!(fresh.hunks()[0].state, State::Deleted);
    assert_eq!(fresh.hunks()[0].spans, [span_of(text, 1..1)]);
}

#[test]
fn a_reload_keeps_the_marks_of_what_did_not_change() {
    let before: String = (0..40).map(|line| format!("line {line}\n")).collect();
    let mut marks = Marks::new(vec![
        hunk(vec![span_of(&before, 10..12)], State::InPlace),
        hunk(vec![span_of(&before, 30..33)], State::InPlace),
    ]);
    let after = before
        .replace("line 2\n", "")
        .replace("line 20\n", "new\nnew\nnew\n");
    marks.reload(&before, &after);
    assert_eq!(marks.hunks()[0].spans, [span_of(&after, 9..11)]);
    assert_eq!(marks.hunks()[1].spans, [span_of(&after, 31..34)]);
    assert!(marks.needs_placing());
}

fn text_edit() -> impl Strategy<Value = (prop::sample::Index, prop::sample::Index, String)> {
    let inserted = prop::collection::vec(
        prop::sample::select(vec!["x", "\n", "é", "\r\n", "yy\n", "", "\r", "😀"]),
        0..4,
    );
    (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        inserted.prop_map(|parts| parts.concat()),
    )
}

proptest! {
    /// Each line of the text is different, so what a mark covers says whose it is.
    #[test]
    fn a_mark_covers_only_its_own_lines(
        ending in prop::sample::select(vec!["\n", "\r\n"]),
        edits in prop::collection::vec(text_edit(), 1..40),
    ) {
        let mut text: String = (0..30).map(|line| format!("line {line} é{ending}")).collect();
        let own = |first: usize| (first..first + 4).map(move |line| format!("line {line} é"));
        let mut marks = Marks::new(
            (0..5).map(|n| hunk(vec![span_of(&text, n * 6..n * 6 + 4)], State::InPlace)).collect(),
        );
        for (from, to, inserted) in edits {
            let mut at = [from.index(text.len() + 1), to.index(text.len() + 1)];
            at.sort_unstable();
            at[1] = at[1].min(at[0] + 25);
            let bytes = text.floor_char_boundary(at[0])..text.floor_char_boundary(at[1]);
            marks.apply(&Edit::measure(&Lines::new(&text), bytes.clone(), &inserted));
            text = replace(&text, bytes, &inserted);
            let lines = Lines::new(&text);
            for (n, hunk) in marks.hunks().iter().enumerate() {
                let own: Vec<String> = own(n * 6).collect();
                for span in &hunk.spans {
                    let start = activity_core::marks::LineText::line_start(&lines, span.lines.start as usize);
                    prop_assert_eq!(start, span.bytes.start);
                    for line in text[span.bytes.clone()].lines() {
                        prop_assert!(own.iter().any(|own| own == line), "{:?} marks {:?}", hunk, line);
                    }
                }
            }
        }
    }
}
