//! Fragments written as cases, and placements shown as text.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::format_push_string,
    reason = "each test binary uses a part; tests fail by panicking"
)]

use activity_core::model::{Action, Evidence, Fragment, Hint};
use activity_core::placing::{Hunk, HunkKind, Limits, PlaceInput, Placement, State, place};

/// The fragments of one file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Case {
    pub(crate) fragments: Vec<(Fragment, Action, usize, bool)>,
    calls: usize,
}

pub(crate) fn line_hint(line: u32) -> Hint {
    Hint {
        new_line: Some(line),
        ..Hint::default()
    }
}

impl Case {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    fn push(mut self, action: Action, texts: (&str, &str), hint: Hint, is_patch: bool) -> Self {
        let fragment = Fragment {
            old_text: texts.0.into(),
            new_text: texts.1.into(),
            sequence: u64::try_from(self.fragments.len()).unwrap(),
            evidence: Evidence::Input,
            hint,
        };
        self.fragments
            .push((fragment, action, self.calls, is_patch));
        self
    }

    /// A fragment of a call of its own.
    pub(crate) fn edit(self, old: &str, new: &str) -> Self {
        self.hinted(old, new, Hint::default())
    }

    pub(crate) fn hinted(mut self, old: &str, new: &str, hint: Hint) -> Self {
        self.calls += 1;
        self.push(Action::Modified, (old, new), hint, false)
    }

    pub(crate) fn act(mut self, action: Action, old: &str, new: &str) -> Self {
        self.calls += 1;
        self.push(action, (old, new), Hint::default(), false)
    }

    /// One more fragment of the last call.
    pub(crate) fn same_call(self, old: &str, new: &str) -> Self {
        self.push(Action::Modified, (old, new), Hint::default(), false)
    }

    /// A call whose fragments are chunks of a patch.
    pub(crate) fn patch(mut self, chunks: &[(&str, &str)]) -> Self {
        self.calls += 1;
        for texts in chunks {
            self = self.push(Action::Modified, *texts, Hint::default(), true);
        }
        self
    }

    pub(crate) fn inputs(&self) -> Vec<PlaceInput<'_>> {
        self.fragments
            .iter()
            .map(|(fragment, action, call, is_patch)| PlaceInput {
                fragment,
                action: *action,
                call: *call,
                is_patch: *is_patch,
            })
            .collect()
    }

    pub(crate) fn hunks(&self, text: &str) -> Vec<Hunk> {
        let limits = Limits {
            max_lines: usize::MAX,
            max_bytes: usize::MAX,
        };
        match place(text, &self.inputs(), limits) {
            Placement::Placed(hunks) => hunks,
            too_large @ Placement::TooLarge { .. } => panic!("{too_large:?}"),
        }
    }

    pub(crate) fn place(&self, text: &str) -> String {
        let lines = lines(text);
        self.hunks(text)
            .iter()
            .map(|hunk| show(hunk, text, &lines))
            .collect()
    }
}

/// The lines of a text as LSP counts them.
pub(crate) fn lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut start = 0;
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let ends = *byte == b'\n' || *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n');
        if ends {
            lines.push(&text[start..=at]);
            start = at + 1;
        }
    }
    lines.push(&text[start..]);
    lines
}

fn show(hunk: &Hunk, text: &str, lines: &[&str]) -> String {
    let mut shown = format!("{}.{} {:?}", hunk.fragment, hunk.occurrence, hunk.state);
    shown += &format!(" +{} -{}", hunk.added, hunk.removed);
    if hunk.kind == HunkKind::WholeFile
        && hunk.state != State::NotFound(activity_core::placing::Reason::NoText)
    {
        shown += " file";
    }
    if let Some(by) = hunk.replaced_by {
        shown += &format!(" by {by}");
    }
    for span in &hunk.spans {
        let range = span.lines.start as usize..span.lines.end as usize;
        let by_lines: String = lines.get(range.clone()).unwrap_or_default().concat();
        assert_eq!(text[span.bytes.clone()], by_lines, "bytes and lines agree");
        if span.is_seam() {
            shown += &format!(" at {}", span.lines.start);
        }
        for line in range {
            shown += &format!(" | {line}: {}", lines[line].trim_end());
        }
    }
    if !hunk.candidates.is_empty() {
        let starts: Vec<String> = hunk
            .candidates
            .iter()
            .map(|span| span.lines.start.to_string())
            .collect();
        shown += &format!(" ({})", starts.join(", "));
    }
    shown + "\n"
}
