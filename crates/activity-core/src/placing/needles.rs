//! Where short texts stand inside lines: one pass over the live text for all of them together.

use std::collections::HashMap;

use aho_corasick::AhoCorasick;

use super::chain::{Chain, Node};

/// Lines remembered for one needle. A text that stands in more lines decides nothing.
const MAX_LINES: usize = 256;

/// Hits that one pass may yield for a byte of text. Needles inside needles (`a`, `aa`, `aaa`) would
/// else make the pass as long as their product.
const MAX_HITS_PER_BYTE: usize = 2;

/// The lines in which a needle stands.
#[derive(Debug, Default)]
pub(super) struct Hits {
    /// In the order of search; also lines that are not present any more.
    pub(super) nodes: Vec<Node>,
    /// There are more.
    pub(super) more: bool,
}

/// The needles of a placement and the lines in which they stand.
#[derive(Debug)]
pub(super) struct Needles<'a> {
    /// Of at least [`WINDOW`] bytes; most of the text is passed over by [`Windows`].
    long: Group<'a>,
    short: Group<'a>,
}

impl<'a> Needles<'a> {
    /// Searches the live text for needles, none of which holds a line ending.
    pub(super) fn new(needles: impl Iterator<Item = &'a str>, chain: &Chain<'_>) -> Self {
        let (long, short): (Vec<&str>, Vec<&str>) = needles
            .filter(|needle| !needle.is_empty())
            .partition(|needle| needle.len() >= WINDOW);
        let (mut long, mut short) = (Group::new(long), Group::new(short));
        let (text, starts) = (chain.live_text(), chain.live_starts());
        if !long.is_empty() {
            let windows = Windows::of(long.index.keys().copied(), text);
            let mut from = 0;
            while let Some(at) = windows.next(text, from) {
                let line = starts.line_of(at);
                from = starts.start(line + 1);
                let content = &text[starts.start(line)..from];
                long.search(content, |_| Node::try_from(line).ok());
            }
        }
        short.search(text, |at| Node::try_from(starts.line_of(at)).ok());
        Self { long, short }
    }

    /// Searches a line that was put into the chain.
    pub(super) fn add_line(&mut self, node: Node, content: &str) {
        self.long.search(content, |_| Some(node));
        self.short.search(content, |_| Some(node));
    }

    /// The lines in which a needle stands; `None` for a text that is no needle.
    pub(super) fn lines_with(&self, needle: &str) -> Option<&Hits> {
        let group = if needle.len() < WINDOW {
            &self.short
        } else {
            &self.long
        };
        group.index.get(needle).map(|&index| &group.hits[index])
    }
}

/// Needles that are searched together.
#[derive(Debug)]
struct Group<'a> {
    index: HashMap<&'a str, usize>,
    hits: Vec<Hits>,
    automaton: Option<AhoCorasick>,
}

impl<'a> Group<'a> {
    fn new(needles: Vec<&'a str>) -> Self {
        let mut index = HashMap::new();
        let mut list = Vec::new();
        for needle in needles {
            index.entry(needle).or_insert_with(|| {
                list.push(needle);
                list.len() - 1
            });
        }
        let automaton = if list.is_empty() {
            None
        } else {
            AhoCorasick::new(&list).ok()
        };
        let hits = list.iter().map(|_| Hits::default()).collect();
        Self {
            index,
            hits,
            automaton,
        }
    }

    fn is_empty(&self) -> bool {
        self.hits.is_empty()
    }

    fn search(&mut self, text: &str, node_at: impl Fn(usize) -> Option<Node>) {
        let Some(automaton) = &self.automaton else {
            return;
        };
        let mut left = text
            .len()
            .saturating_mul(MAX_HITS_PER_BYTE)
            .saturating_add(64);
        for hit in automaton.find_overlapping_iter(text) {
            left -= 1;
            if left == 0 {
                for hits in &mut self.hits {
                    hits.more = true;
                }
                return;
            }
            let hits = &mut self.hits[hit.pattern().as_usize()];
            if hits.more {
                continue;
            }
            let Some(node) = node_at(hit.start()) else {
                continue;
            };
            if hits.nodes.last() == Some(&node) {
                continue;
            }
            if hits.nodes.len() == MAX_LINES {
                hits.more = true;
                continue;
            }
            hits.nodes.push(node);
        }
    }
}

/// Length in bytes of the pieces of text that [`Windows`] looks at: a machine word.
const WINDOW: usize = 8;

/// Binary logarithm of the number of different windows that are told apart: a table of 8 KiB.
const WINDOW_BITS: u32 = 16;

/// Every so many bytes of the text a window is counted, to know which ones are common.
const SAMPLING: usize = 13;

/// Tells where no needle can be: each has a window of eight bytes in the table, and that window is
/// looked for with a multiplication a byte, several times faster than an automaton runs.
#[derive(Debug)]
struct Windows {
    table: Vec<u64>,
}

impl Windows {
    /// For each needle the window of it that is the least common in the text.
    fn of<'n>(needles: impl Iterator<Item = &'n str>, text: &str) -> Self {
        let mut counts = vec![0_u32; 1 << WINDOW_BITS];
        for window in text.as_bytes().windows(WINDOW).step_by(SAMPLING) {
            counts[Self::hash(window)] += 1;
        }
        let mut table = vec![0; 1 << (WINDOW_BITS - 6)];
        for needle in needles {
            let hashes = needle.as_bytes().windows(WINDOW).map(Self::hash);
            if let Some(rarest) = hashes.min_by_key(|&hash| counts[hash]) {
                table[rarest / 64] |= 1 << (rarest % 64);
            }
        }
        Self { table }
    }

    fn hash(window: &[u8]) -> usize {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let word = window.try_into().map_or(0, u64::from_le_bytes);
        usize::try_from(word.wrapping_mul(FACTOR) >> (64 - WINDOW_BITS)).unwrap_or(0)
    }

    /// The next place from a byte on where a window of the table stands.
    fn next(&self, text: &str, from: usize) -> Option<usize> {
        let mut windows = text.as_bytes().get(from..)?.windows(WINDOW);
        let found = windows.position(|window| {
            let hash = Self::hash(window);
            self.table[hash / 64] & (1 << (hash % 64)) != 0
        });
        found.map(|at| from + at)
    }
}
