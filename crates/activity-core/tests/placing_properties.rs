//! Placing against itself: reconstruction, edits, and undo, on random texts.
#![allow(
    clippy::unwrap_used,
    clippy::format_collect,
    reason = "a test fails by panicking"
)]

mod support;

use std::ops::Range;

use activity_core::marks::{Edit, Lines, Marks};
use activity_core::placing::{Hunk, State, text_before};
use proptest::prelude::*;
use support::{Case, line_hint, lines};

/// A small generator with a seed, for long runs that proptest need not shrink.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }
}

fn unique_line(number: usize) -> String {
    format!("statement number {number} of the file\n")
}

/// An agent's edit of a text: the case grows by the fragment, the text changes.
fn agent_edit(text: &mut String, case: Case, at: usize, removed: usize, added: &[String]) -> Case {
    let lines: Vec<String> = lines(text).iter().map(|line| (*line).to_owned()).collect();
    let count = lines.len() - usize::from(lines.last().is_some_and(String::is_empty));
    let at = at.min(count);
    let end = (at + removed).min(count);
    let context = at.saturating_sub(2)..(end + 2).min(count);
    let old = lines[context.clone()].concat();
    let new = [&lines[context.start..at], added, &lines[end..context.end]]
        .concat()
        .concat();
    *text = [&lines[..at], added, &lines[end..]].concat().concat();
    case.edit(&old, &new)
}

/// The lines of the new text of a hunk.
fn own_lines(case: &Case, hunk: &Hunk) -> Vec<String> {
    let text = &case.fragments[hunk.fragment].0.new_text[hunk.new.clone()];
    text.lines().map(|line| line.trim().to_owned()).collect()
}

/// No hunk that is shown lies on lines whose text is not its own.
fn assert_honest(case: &Case, hunks: &[Hunk], text: &str) {
    let all = lines(text);
    for hunk in hunks {
        let own = own_lines(case, hunk);
        for span in hunk.spans.iter().filter(|_| hunk.state.is_shown()) {
            let range = span.lines.start as usize..span.lines.end as usize;
            assert!(
                range.end <= all.len() && span.bytes.end <= text.len(),
                "{hunk:?}"
            );
            assert_eq!(
                text[span.bytes.clone()],
                all[range.clone()].concat(),
                "{hunk:?}"
            );
            for line in &all[range] {
                assert!(
                    own.iter().any(|own| own == line.trim()),
                    "{hunk:?} on {line:?}"
                );
            }
        }
    }
}

proptest! {
    /// Fragments of unique lines, applied one after the other: undoing them gives the text before,
    /// and every hunk is found.
    #[test]
    fn undoing_all_fragments_gives_the_text_before(
        edits in prop::collection::vec((0..40_usize, 0..4_usize, 0..5_usize), 1..12),
        is_terminated in any::<bool>(),
    ) {
        let mut before: String = (0..30).map(unique_line).collect();
        if !is_terminated {
            before.pop();
        }
        let mut text = before.clone();
        let mut case = Case::new();
        let mut number = 1_000;
        for (at, removed, added) in edits {
            if removed + added == 0 {
                continue;
            }
            let added: Vec<String> = (0..added).map(|n| unique_line(number + n)).collect();
            number += added.len();
            case = agent_edit(&mut text, case, at, removed, &added);
        }
        let hunks = case.hunks(&text);
        for hunk in &hunks {
            let found = matches!(
                hunk.state,
                State::InPlace | State::Moved | State::Replaced | State::Deleted
            );
            prop_assert!(found, "{:?} in {:?}", hunk, text);
        }
        assert_honest(&case, &hunks, &text);
        let ends = |text: &str| text.trim_end_matches('\n').to_owned();
        prop_assert_eq!(ends(&text_before(&text, &case.inputs())), ends(&before));
    }

    /// Any fragments in any text: total, honest, and the same twice.
    #[test]
    fn placing_is_total(
        text in "[ab}\n\r é]{0,60}",
        fragments in prop::collection::vec(("[ab}\n\r é*]{0,12}", "[ab}\n\r é*]{0,12}", any::<u8>()), 0..6),
    ) {
        let mut case = Case::new();
        for (old, new, bits) in &fragments {
            let mut hint = line_hint(u32::from(bits >> 4));
            if bits & 1 == 0 {
                hint.new_line = None;
            }
            hint.replace_all = bits & 2 != 0;
            hint.end_of_file = bits & 4 != 0;
            hint.masked = bits & 8 != 0;
            case = case.hinted(old, new, hint);
        }
        let hunks = case.hunks(&text);
        prop_assert_eq!(&hunks, &case.hunks(&text));
        let all = lines(&text);
        for hunk in &hunks {
            for span in hunk.spans.iter().chain(&hunk.candidates) {
                let range = span.lines.start as usize..span.lines.end as usize;
                prop_assert!(range.end <= all.len());
                prop_assert_eq!(&text[span.bytes.clone()], all[range].concat());
            }
        }
        text_before(&text, &case.inputs());
    }
}

/// A live document as a user works on it.
struct Document {
    text: String,
    undo: Vec<String>,
    marks: Marks,
}

impl Document {
    fn edit(&mut self, bytes: Range<usize>, inserted: &str) {
        let bytes =
            self.text.floor_char_boundary(bytes.start)..self.text.floor_char_boundary(bytes.end);
        self.marks.apply(&Edit::measure(
            &Lines::new(&self.text),
            bytes.clone(),
            inserted,
        ));
        let text = [&self.text[..bytes.start], inserted, &self.text[bytes.end..]].concat();
        self.undo.push(std::mem::replace(&mut self.text, text));
    }

    fn reload(&mut self, text: String) {
        self.marks.reload(&self.text, &text);
        self.undo.push(std::mem::replace(&mut self.text, text));
    }

    fn random_change(&mut self, random: &mut Random, number: usize) {
        let len = self.text.len();
        let at = random.below(len + 1);
        let line_start = self.text[..self.text.floor_char_boundary(at)]
            .rfind('\n')
            .map_or(0, |at| at + 1);
        match random.below(12) {
            0..=2 => self.edit(
                at..at,
                ["x", "é", " ", "}\n", "\n", "ab\r\ncd"][random.below(6)],
            ),
            3 => self.edit(line_start..line_start, &format!("typed line {number}\n")),
            4 => self.edit(at..(at + random.below(60)).min(len), ""),
            5 => self.edit(at..(at + random.below(30)).min(len), "replacement\n"),
            6 => {
                let end = self.text[line_start..]
                    .find('\n')
                    .map_or(len, |end| line_start + end + 1);
                self.edit(line_start..end, "");
            }
            7..=9 => {
                if let Some(text) = self.undo.pop() {
                    self.marks.reload(&self.text, &text);
                    self.text = text;
                }
            }
            10 => {
                let reindented = lines(&self.text)
                    .iter()
                    .map(|line| format!("  {line}"))
                    .collect();
                self.reload(if random.below(2) == 0 {
                    reindented
                } else {
                    self.text.replace("  ", " ")
                });
            }
            _ => {
                let text = self.text.clone();
                let cut = text.floor_char_boundary(random.below(len + 1));
                self.reload([&text[..cut], "checked out\n", &text[cut..]].concat());
            }
        }
    }
}

/// States by fragment and occurrence, with the lines that are shown.
fn states(hunks: &[Hunk]) -> Vec<(usize, u32, State, Vec<Range<u32>>)> {
    let spans = |hunk: &Hunk| hunk.spans.iter().map(|span| span.lines.clone()).collect();
    hunks
        .iter()
        .map(|hunk| (hunk.fragment, hunk.occurrence, hunk.state, spans(hunk)))
        .collect()
}

/// A user types, deletes, undoes, formats and reloads in a file with 50 hunks.
fn work(seed: u64, steps: usize) {
    let mut random = Random(seed);
    let mut text: String = (0..400).map(unique_line).collect();
    let mut case = Case::new();
    for hunk in 0..50 {
        let added: Vec<String> = (0..=random.below(4))
            .map(|n| unique_line(10_000 + hunk * 10 + n))
            .collect();
        let removed = random.below(3);
        case = agent_edit(&mut text, case, 4 + hunk * 8, removed, &added);
    }
    let mut document = Document {
        marks: Marks::new(case.hunks(&text)),
        text: text.clone(),
        undo: Vec::new(),
    };
    let all_found = states(document.marks.hunks());
    assert!(
        all_found
            .iter()
            .all(|(_, _, state, _)| *state == State::InPlace || *state == State::Deleted)
    );
    for step in 0..steps {
        document.random_change(&mut random, step);
        assert_honest(&case, document.marks.hunks(), &document.text);
        let fresh = case.hunks(&document.text);
        assert_honest(&case, &fresh, &document.text);
        if !document.marks.needs_placing() {
            assert_eq!(
                states(document.marks.hunks()),
                states(&fresh),
                "step {step}"
            );
        }
        // As after a pause in typing: sometimes, and only when marks ask for it.
        if document.marks.needs_placing() && random.below(3) == 0 {
            document.marks = Marks::new(fresh);
        }
    }
    document.reload(text);
    document.marks = Marks::new(case.hunks(&document.text));
    assert_eq!(
        states(document.marks.hunks()),
        all_found,
        "undoing everything finds every hunk again"
    );
}

#[test]
fn hunks_stay_honest_while_a_user_works() {
    for seed in 1..=4 {
        work(seed * 7_919, 500);
    }
}

/// The same with lines that all stand many times: states may differ from a fresh placing, which
/// has forgotten where a hunk came from, but no hunk is ever on a line that is not its own.
#[test]
fn hunks_stay_honest_among_equal_lines() {
    for seed in 1..=3 {
        let mut random = Random(seed * 104_729);
        let mut text: String = (0..200).map(|number| unique_line(number % 7)).collect();
        let mut case = Case::new();
        for hunk in 0..50 {
            let added: Vec<String> = (0..=random.below(3))
                .map(|n| unique_line((hunk + n) % 9))
                .collect();
            let removed = random.below(2);
            case = agent_edit(&mut text, case, hunk * 4, removed, &added);
        }
        for (index, (fragment, ..)) in case.fragments.iter_mut().enumerate() {
            if index % 2 == 0 {
                fragment.hint = line_hint(u32::try_from(index * 4).unwrap());
            }
        }
        let mut document = Document {
            marks: Marks::new(case.hunks(&text)),
            text,
            undo: Vec::new(),
        };
        for step in 0..200 {
            document.random_change(&mut random, step);
            assert_honest(&case, document.marks.hunks(), &document.text);
            if document.marks.needs_placing() && random.below(3) == 0 {
                let mut marks = Marks::new(case.hunks(&document.text));
                marks.recall(|index| document.marks.hunks().get(index));
                document.marks = marks;
                assert_honest(&case, document.marks.hunks(), &document.text);
            }
        }
    }
}
