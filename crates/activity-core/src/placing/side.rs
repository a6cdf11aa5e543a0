//! One text of a fragment as lines with ids, so that comparing lines is comparing numbers.

use std::collections::HashMap;
use std::ops::Range;

use super::chain::{Chain, Node};
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
    filter: Filter,
}

impl<'a> Dictionary<'a> {
    pub(super) fn intern(&mut self, line: &'a str) -> LineId {
        let next = LineId::try_from(self.ids.len()).unwrap_or(UNKNOWN);
        let line = key(line);
        self.filter.add(line.as_bytes());
        *self.ids.entry(line).or_insert(next)
    }

    pub(super) fn lookup(&self, line: &str) -> LineId {
        let line = key(line);
        if !self.filter.may_hold(line.as_bytes()) {
            return UNKNOWN;
        }
        self.ids.get(line).copied().unwrap_or(UNKNOWN)
    }

    /// Number of different lines.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }
}

/// Says of most lines at once that they are not in the dictionary: nearly all lines of a large file
/// are in no fragment, and hashing them safely is what a placement would spend its time on.
#[derive(Debug)]
pub(super) struct Filter {
    bits: Vec<u64>,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            bits: vec![0; 1 << (FILTER_BITS - 6)],
        }
    }
}

/// Binary logarithm of the size of the filter: 32 KiB, which a first level cache holds.
const FILTER_BITS: u32 = 18;

impl Filter {
    pub(super) fn add(&mut self, line: &[u8]) {
        let (word, bit) = Self::position(line);
        self.bits[word] |= bit;
    }

    pub(super) fn may_hold(&self, line: &[u8]) -> bool {
        let (word, bit) = Self::position(line);
        self.bits[word] & bit != 0
    }

    /// A hash that is quick and good enough for text; texts made to collide only make it useless.
    fn position(line: &[u8]) -> (usize, u64) {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let (words, rest) = line.as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let length = u64::try_from(line.len()).unwrap_or(u64::MAX);
        let hash = words.iter().chain([&last]).fold(length, |hash, word| {
            (hash.rotate_left(23) ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR)
        });
        let index = hash >> (64 - FILTER_BITS);
        (usize::try_from(index >> 6).unwrap_or(0), 1 << (index & 63))
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
    pub(super) fn fits(&self, line: usize, chain: &Chain<'_>, node: Node) -> bool {
        if !self.is_masked(line) {
            return self.ids[line] == chain.id(node);
        }
        let own = key(self.line(line));
        let content = key(chain.content(node));
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
