//! One edit of a live document, measured in bytes and whole lines.

use std::borrow::Cow;
use std::ops::Range;

use crate::placing::{LineStarts, count_breaks};

/// What an edit is measured against: a text that knows its lines. Implemented by [`Lines`] and by
/// the owner of a rope. Lines end at LF, CRLF or a lone CR and count from 0.
pub trait LineText {
    /// Length in bytes.
    fn len_bytes(&self) -> usize;
    /// The line that a byte offset (at most the length) lies on.
    fn line_of(&self, byte: usize) -> usize;
    /// The byte offset at which a line starts; the length for a line after the last one.
    fn line_start(&self, line: usize) -> usize;
    /// The text of a byte range within the length. Bounds that split a character may be moved.
    fn text(&self, bytes: Range<usize>) -> Cow<'_, str>;
}

/// A string with its lines, as a [`LineText`].
#[derive(Debug, Clone)]
pub struct Lines<'a> {
    text: &'a str,
    starts: LineStarts,
}

impl<'a> Lines<'a> {
    /// Finds the lines of a text, in one pass.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            starts: LineStarts::of(text),
        }
    }
}

impl LineText for Lines<'_> {
    fn len_bytes(&self) -> usize {
        self.text.len()
    }

    fn line_of(&self, byte: usize) -> usize {
        self.starts.line_of(byte)
    }

    fn line_start(&self, line: usize) -> usize {
        self.starts.start(line)
    }

    fn text(&self, bytes: Range<usize>) -> Cow<'_, str> {
        Cow::Borrowed(self.text.get(bytes).unwrap_or_default())
    }
}

/// An edit as [`Marks`](super::Marks) follow it: which lines it touched and how far it moves what
/// comes after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    touched: Range<u32>,
    touched_bytes: Range<usize>,
    line_delta: i64,
    removed: usize,
    inserted: usize,
}

impl Edit {
    /// Measures the replacement of a byte range of `before` by `inserted`.
    ///
    /// What both have in common at their ends is no part of the edit, and a line break typed at the
    /// end of a line does not touch that line: the edit is the new line after it.
    pub fn measure(before: &impl LineText, bytes: Range<usize>, inserted: &str) -> Self {
        let end = bytes.end.min(before.len_bytes());
        let start = bytes.start.min(end);
        let removed = before.text(start..end);
        let prefix = common_prefix(&removed, inserted);
        let suffix = common_prefix_reversed(&removed[prefix..], &inserted[prefix..]);
        let mut bytes = start + prefix..end - suffix;
        let mut inserted = Cow::Borrowed(&inserted[prefix..inserted.len() - suffix]);
        let mut removed = Cow::Borrowed(&removed[prefix..removed.len() - suffix]);
        for ending in ["\r\n", "\n"] {
            if let Some(rotated) = rotate(before, &bytes, &removed, &inserted, ending) {
                (bytes, removed, inserted) = rotated;
                break;
            }
        }
        let mut first = before.line_of(bytes.start);
        let last = before.line_of(bytes.end);
        let line_after = before.line_start(last + 1).max(bytes.end);
        let near = |from: usize, to: usize| before.text(from..to.min(before.len_bytes()));
        let preceding = near(bytes.start.saturating_sub(1), bytes.start);
        let following = near(bytes.end, bytes.end + 1);
        // A LF behind a lone CR is no line of its own: it makes another ending of the line above.
        let next = if inserted.is_empty() {
            &*following
        } else {
            &*inserted
        };
        if preceding == "\r" && next.starts_with('\n') && bytes.start == before.line_start(first) {
            first = first.saturating_sub(1);
        }
        let starts_line = |text: &str| match text.as_bytes().last() {
            Some(b'\n') => true,
            Some(b'\r') => following != "\n",
            Some(_) => false,
            None => bytes.start == 0,
        };
        let tail_starts_line = starts_line(if inserted.is_empty() {
            &preceding
        } else {
            &inserted
        });
        let tail_untouched = bytes.end == before.line_start(last) && tail_starts_line;
        let touched = first..if tail_untouched { last } else { last + 1 };
        let touched_bytes = before.line_start(first)..if tail_untouched {
            bytes.end
        } else {
            line_after
        };
        let breaks = |middle: &str| {
            let text = [&*preceding, middle, &*following].concat();
            i64::try_from(count_breaks(&text)).unwrap_or(i64::MAX)
        };
        Self {
            touched: line_number(touched.start)..line_number(touched.end),
            touched_bytes,
            line_delta: breaks(&inserted) - breaks(&removed),
            removed: removed.len(),
            inserted: inserted.len(),
        }
    }

    /// The lines of the text before the edit whose text it changed or removed; empty when it
    /// only put whole lines between two others.
    pub fn touched(&self) -> &Range<u32> {
        &self.touched
    }

    /// The same lines in bytes.
    pub(super) fn touched_bytes(&self) -> &Range<usize> {
        &self.touched_bytes
    }

    /// How many lines the text has more than before.
    pub fn line_delta(&self) -> i64 {
        self.line_delta
    }

    /// Where a byte offset after the edit lies now.
    pub(super) fn shift_byte(&self, byte: usize) -> usize {
        (byte + self.inserted).saturating_sub(self.removed)
    }
}

pub(super) fn line_number(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

type Rotated<'a> = (Range<usize>, Cow<'a, str>, Cow<'a, str>);

/// `abc|⏎` with `⏎def` inserted at the bar is `abc⏎|` with `def⏎` inserted: the same text, and in
/// the second form the first line is plainly untouched.
fn rotate<'a>(
    before: &impl LineText,
    bytes: &Range<usize>,
    removed: &str,
    inserted: &str,
    ending: &str,
) -> Option<Rotated<'a>> {
    let shifts = |text: &str| text.is_empty() || text.starts_with(ending);
    let after = bytes.end..bytes.end + ending.len();
    if removed.is_empty() && inserted.is_empty()
        || !shifts(removed)
        || !shifts(inserted)
        || after.end > before.len_bytes()
        || before.text(after) != ending
    {
        return None;
    }
    // A cut between CR and LF is no line end.
    if ending == "\n" && bytes.start > 0 && before.text(bytes.start - 1..bytes.start) == "\r" {
        return None;
    }
    let turn = |text: &str| match text.strip_prefix(ending) {
        Some(rest) => Cow::Owned([rest, ending].concat()),
        None => Cow::Owned(String::new()),
    };
    Some((
        bytes.start + ending.len()..bytes.end + ending.len(),
        turn(removed),
        turn(inserted),
    ))
}

/// Length in bytes of what two texts share at their start, in whole characters.
fn common_prefix(left: &str, right: &str) -> usize {
    let shared = left
        .bytes()
        .zip(right.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    (0..=shared)
        .rev()
        .find(|&at| left.is_char_boundary(at) && right.is_char_boundary(at))
        .unwrap_or(0)
}

/// Length in bytes of what two texts share at their end, in whole characters.
fn common_prefix_reversed(left: &str, right: &str) -> usize {
    let shared = left
        .bytes()
        .rev()
        .zip(right.bytes().rev())
        .take_while(|(a, b)| a == b)
        .count();
    (0..=shared)
        .rev()
        .find(|&at| {
            left.is_char_boundary(left.len() - at) && right.is_char_boundary(right.len() - at)
        })
        .unwrap_or(0)
}
