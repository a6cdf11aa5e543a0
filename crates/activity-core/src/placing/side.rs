//! One text of a fragment as lines with ids, so that comparing lines is comparing numbers.

use std::collections::HashMap;
use std::ops::Range;

use super::line::{LineStarts, key, without_ending};

/// The number of a line's [`key`].
pub(super) type LineId = u32;

/// The id of every line that no fragment mentions.
pub(super) const UNKNOWN: LineId = u32::MAX;

/// Numbers the lines that occur in fragments. The live text, which is much larger, is only looked
/// up in it.
#[derive(Debug, Default)]
pub(super) struct Dictionary<'a> {
    ids: HashMap<&'a str, LineId>,
}

impl<'a> Dictionary<'a> {
    pub(super) fn intern(&mut self, line: &'a str) -> LineId {
        let next = LineId::try_from(self.ids.len()).unwrap_or(UNKNOWN);
        *self.ids.entry(key(line)).or_insert(next)
    }

    pub(super) fn lookup(&self, line: &str) -> LineId {
        self.ids.get(key(line)).copied().unwrap_or(UNKNOWN)
    }

    /// Number of different lines.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }
}

/// The old or the new text of a fragment.
#[derive(Debug)]
pub(super) struct Side<'a> {
    text: &'a str,
    starts: LineStarts,
    ids: Vec<LineId>,
    masked: bool,
}

impl<'a> Side<'a> {
    pub(super) fn new(text: &'a str, masked: bool, dictionary: &mut Dictionary<'a>) -> Self {
        let starts = LineStarts::of(text);
        let ids = (0..starts.written())
            .map(|line| dictionary.intern(&text[starts.start(line)..starts.start(line + 1)]))
            .collect();
        Self {
            text,
            starts,
            ids,
            masked: masked && text.contains(MASK),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub(super) fn id(&self, line: usize) -> LineId {
        self.ids[line]
    }

    /// The text of a line without its ending.
    pub(super) fn line(&self, line: usize) -> &'a str {
        without_ending(&self.text[self.starts.start(line)..self.starts.start(line + 1)])
    }

    pub(super) fn to_lines(&self) -> Vec<&'a str> {
        (0..self.len()).map(|line| self.line(line)).collect()
    }

    /// The bytes of whole lines, with their endings.
    pub(super) fn bytes(&self, lines: &Range<usize>) -> Range<usize> {
        self.starts.start(lines.start)..self.starts.start(lines.end)
    }

    /// Whether the last line has an ending. Without one it may be the start of a line only.
    pub(super) fn is_terminated(&self) -> bool {
        self.text.ends_with(['\n', '\r'])
    }

    /// Whether a secret was masked in this line, so that only the rest of it can be compared.
    pub(super) fn is_masked(&self, line: usize) -> bool {
        self.masked && self.line(line).contains(MASK)
    }

    /// Whether a line of the file can be this line: equal without trailing blanks, or equal around
    /// the mask.
    pub(super) fn fits(&self, line: usize, id: LineId, content: &str) -> bool {
        if !self.is_masked(line) {
            return self.ids[line] == id;
        }
        let own = key(self.line(line));
        let content = key(content);
        let (Some((head, _)), Some((_, tail))) = (own.split_once(MASK), own.rsplit_once(MASK))
        else {
            return false;
        };
        content.len() >= head.len() + tail.len()
            && content.starts_with(head)
            && content.ends_with(tail)
    }

    /// How much of these lines tells them from others: their letters and digits.
    pub(super) fn weight(&self, lines: Range<usize>) -> usize {
        let letters = |line: usize| {
            self.line(line)
                .chars()
                .filter(|c| c.is_alphanumeric())
                .count()
        };
        lines.map(letters).sum()
    }
}

/// What agents put in the place of a secret.
const MASK: &str = "***";
