//! Any fragments in any text, and any edits after that.

use super::line::LineStarts;
use super::{Hunk, Limits, PlaceInput, Placement, place, text_before};
use crate::marks::{Edit, Lines, Marks};
use crate::model::{Action, Evidence, Fragment, Hint};

/// Parts end at a NUL: the text, the text that an editor makes of it, then for each fragment an old
/// and a new text, whose first byte says what is known of the fragment.
///
/// # Panics
/// When a hunk lies outside the text or on parts of lines, when the same input gives two answers,
/// or when hunks that moved with an edit leave the text.
pub fn fuzz_placing(data: &[u8]) {
    let data = String::from_utf8_lossy(data);
    let mut parts = data.split('\0');
    let text = parts.next().unwrap_or_default();
    let edited = parts.next().unwrap_or_default();
    let mut fragments = Vec::new();
    while let (Some(old), Some(new)) = (parts.next(), parts.next()) {
        fragments.push(fragment(old, new));
    }
    let inputs: Vec<PlaceInput<'_>> = fragments
        .iter()
        .enumerate()
        .map(|(index, (fragment, action, is_patch))| PlaceInput {
            fragment,
            action: *action,
            call: index / 2,
            is_patch: *is_patch,
        })
        .collect();
    let limits = Limits {
        max_lines: 10_000,
        max_bytes: 1 << 20,
    };
    let placement = place(text, &inputs, limits);
    assert_eq!(placement, place(text, &inputs, limits));
    let Placement::Placed(hunks) = placement else {
        return;
    };
    assert_inside(text, &hunks);
    text_before(text, &inputs);

    let mut marks = Marks::new(hunks);
    marks.apply(&Edit::measure(&Lines::new(text), 0..text.len(), edited));
    assert_inside(edited, marks.hunks());
    marks.reload(edited, text);
    assert_inside(text, marks.hunks());
}

fn fragment(old: &str, new: &str) -> (Fragment, Action, bool) {
    let mut chars = new.chars();
    let facts = chars.next().map_or(0, u32::from);
    let has = |bit: u32| facts & (1 << bit) != 0;
    let hint = Hint {
        new_line: has(0).then_some(facts >> 3 & 7),
        old_line: has(1).then_some(facts >> 3 & 7),
        context: has(2).then(|| "}".into()),
        end_of_file: has(3),
        replace_all: has(4),
        masked: has(5),
    };
    let fragment = Fragment {
        old_text: old.into(),
        new_text: chars.as_str().into(),
        sequence: 0,
        evidence: Evidence::Input,
        hint,
    };
    let action = match facts % 7 {
        0 => Action::Created,
        1 => Action::Deleted,
        _ => Action::Modified,
    };
    (fragment, action, has(6))
}

/// Every span and candidate is a run of whole lines of the text.
fn assert_inside(text: &str, hunks: &[Hunk]) {
    let starts = LineStarts::of(text);
    for hunk in hunks {
        for span in hunk.spans.iter().chain(&hunk.candidates) {
            let (first, end) = (span.lines.start as usize, span.lines.end as usize);
            assert!(
                first <= end && end <= starts.count(),
                "{hunk:?} in {text:?}"
            );
            assert_eq!(
                span.bytes.start,
                starts.start(first),
                "{hunk:?} in {text:?}"
            );
            assert_eq!(span.bytes.end, starts.start(end), "{hunk:?} in {text:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::fuzz_placing;

    #[test]
    fn seeds() {
        crate::seeds::run("placing", fuzz_placing);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn random_parts(parts in prop::collection::vec("[ab}\n\r é*\u{1}-\u{7f}]{0,16}", 0..9)) {
            fuzz_placing(parts.join("\0").as_bytes());
        }
    }
}
