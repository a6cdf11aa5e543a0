//! Hunks of a unified diff.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

/// Lines of context around a change.
const CONTEXT: usize = 3;
/// After so long the shortest diff of two texts is no longer looked for; a longer one is right too.
const PATIENCE: Duration = Duration::from_secs(2);

/// A hunk: lines that go, come and stay, with where they stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk<'a> {
    old_start: usize,
    new_start: usize,
    lines: Vec<HunkLine<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct HunkLine<'a> {
    /// `-`, `+` or a blank.
    sign: char,
    /// The line without its line feed.
    text: &'a str,
    /// It is the last line of a file and has no line feed.
    unended: bool,
}

/// Where a pair of texts stands in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    /// First line of the old text, from 0.
    pub(super) old_line: usize,
    /// First line of the new text, from 0.
    pub(super) new_line: usize,
    /// What stands in the file after the texts.
    pub(super) end: End,
}

/// What stands in a file after a pair of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Nothing, and the texts have the last line feed or have it not, as the file has.
    Exact,
    /// Perhaps nothing: the texts are a hunk of a tool's diff, whose context is shorter after the
    /// change than before it only where the file ends. Its last line has a line feed.
    OfHunk,
    /// More of the file.
    More,
}

impl Frame {
    /// The texts are the whole file.
    pub(super) const WHOLE: Self = Self {
        old_line: 0,
        new_line: 0,
        end: End::Exact,
    };
}

/// The hunks between two texts; `None` when one of them would not have enough context for the
/// tools that apply it.
///
/// The tools take a hunk with less context after than before for one at the end of the file, and
/// the other way round for its start. So context is made even, except where it meets the border of
/// the file itself.
pub(super) fn hunks<'a>(old: &'a str, new: &'a str, frame: Frame) -> Option<Vec<Hunk<'a>>> {
    let (old_lines, new_lines) = (lines(old, frame), lines(new, frame));
    let deadline = Some(Instant::now() + PATIENCE);
    let operations =
        capture_diff_slices_deadline(Algorithm::Myers, &old_lines, &new_lines, deadline);
    let groups = similar::group_diff_ops(operations, CONTEXT);
    groups
        .into_iter()
        .map(|group| hunk(&group, &old_lines, &new_lines, frame))
        .collect()
}

/// A text as lines. What stands after the last line feed is a line if it is not empty.
///
/// At the end of a file a line with its line feed is not the same as one without. Elsewhere the
/// last line has one too, whether or not it was written down.
fn lines(text: &str, frame: Frame) -> Vec<&str> {
    let lines = text.split_inclusive('\n');
    if frame.end == End::Exact {
        lines.collect()
    } else {
        lines
            .map(|line| line.strip_suffix('\n').unwrap_or(line))
            .collect()
    }
}

fn hunk<'a>(
    group: &[DiffOp],
    old_lines: &[&'a str],
    new_lines: &[&'a str],
    frame: Frame,
) -> Option<Hunk<'a>> {
    let (first, last) = (group.first()?, group.last()?);
    let mut before = context_len(first);
    let mut after = context_len(last);
    let reaches_end = last.old_range().end == old_lines.len()
        && match frame.end {
            End::Exact => true,
            End::OfHunk => after == 0 || after < before,
            End::More => false,
        };
    if frame.old_line + first.old_range().start > 0 && before < after {
        after = before;
    }
    if !reaches_end && after < before {
        before = after;
    }
    let at_start = frame.old_line + first.old_range().start == 0;
    if (before == 0 && !at_start) || (after == 0 && !reaches_end) {
        return None;
    }

    let mut taken = Vec::new();
    let mut push = |sign: char, all: &[&'a str], range: std::ops::Range<usize>| {
        for index in range {
            let line = all[index];
            let ended = line.strip_suffix('\n');
            taken.push(HunkLine {
                sign,
                text: ended.unwrap_or(line),
                unended: ended.is_none() && frame.end == End::Exact && index + 1 == all.len(),
            });
        }
    };
    for (index, operation) in group.iter().enumerate() {
        let (old, new) = (operation.old_range(), operation.new_range());
        match operation {
            DiffOp::Equal { .. } if index == 0 => push(' ', old_lines, old.end - before..old.end),
            DiffOp::Equal { .. } if index + 1 == group.len() => {
                push(' ', old_lines, old.start..old.start + after);
            }
            DiffOp::Equal { .. } => push(' ', old_lines, old),
            _ => {
                push('-', old_lines, old);
                push('+', new_lines, new);
            }
        }
    }
    let skipped = context_len(first) - before;
    Some(Hunk {
        old_start: frame.old_line + first.old_range().start + skipped,
        new_start: frame.new_line + first.new_range().start + skipped,
        lines: taken,
    })
}

fn context_len(operation: &DiffOp) -> usize {
    match operation {
        DiffOp::Equal { len, .. } => *len,
        _ => 0,
    }
}

impl Hunk<'_> {
    /// Writes the hunk with its head.
    pub(super) fn write(&self, output: &mut impl Write) -> io::Result<()> {
        let count = |sign| self.lines.iter().filter(|line| line.sign != sign).count();
        let (old_count, new_count) = (count('+'), count('-'));
        // A side without lines is counted from the line before it.
        let start = |start: usize, count: usize| if count == 0 { start } else { start + 1 };
        writeln!(
            output,
            "@@ -{},{old_count} +{},{new_count} @@",
            start(self.old_start, old_count),
            start(self.new_start, new_count),
        )?;
        for line in &self.lines {
            writeln!(output, "{}{}", line.sign, line.text)?;
            if line.unended {
                writeln!(output, "\\ No newline at end of file")?;
            }
        }
        Ok(())
    }

    /// The first line of the hunk in the old text, from 0.
    pub(super) fn old_start(&self) -> usize {
        self.old_start
    }

    /// The line after its last one in the old text.
    pub(super) fn old_end(&self) -> usize {
        self.old_start + self.lines.iter().filter(|line| line.sign != '+').count()
    }
}
