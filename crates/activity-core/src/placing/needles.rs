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

/// The needles of a placement and the lines in which they stand, in groups by length: most of the
/// text is passed over by [`Windows`] of [`LONG`] and [`MIDDLE`] bytes, all of it is searched for
/// what is shorter.
#[derive(Debug)]
pub(super) struct Needles<'a> {
    long: Group<'a>,
    middle: Group<'a>,
    short: Group<'a>,
}

/// Bytes of a long needle at least: a machine word.
const LONG: usize = 8;

/// Bytes of a middle needle at least.
const MIDDLE: usize = 4;

impl<'a> Needles<'a> {
    /// Searches the live text for needles, none of which holds a line ending.
    pub(super) fn new(needles: impl Iterator<Item = &'a str>, chain: &Chain<'_>) -> Self {
        let (mut long, mut middle, mut short) = (Vec::new(), Vec::new(), Vec::new());
        for needle in needles.filter(|needle| !needle.is_empty()) {
            match needle.len() {
                LONG.. => long.push(needle),
                MIDDLE.. => middle.push(needle),
                _ => short.push(needle),
            }
        }
        let (mut long, mut middle, mut short) =
            (Group::new(long), Group::new(middle), Group::new(short));
        long.search_windows::<LONG>(chain);
        middle.search_windows::<MIDDLE>(chain);
        short.search_all(chain);
        Self {
            long,
            middle,
            short,
        }
    }

    /// Searches a line that was put into the chain.
    pub(super) fn add_line(&mut self, node: Node, content: &str) {
        for group in [&mut self.long, &mut self.middle, &mut self.short] {
            group.search(content, |_| Some(node));
        }
    }

    /// The lines in which a needle stands; `None` for a text that is no needle.
    pub(super) fn lines_with(&self, needle: &str) -> Option<&Hits> {
        let group = match needle.len() {
            LONG.. => &self.long,
            MIDDLE.. => &self.middle,
            _ => &self.short,
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

    /// Searches the lines of the live text that have a window of a needle.
    fn search_windows<const N: usize>(&mut self, chain: &Chain<'_>) {
        if self.hits.is_empty() {
            return;
        }
        let (text, starts) = (chain.live_text(), chain.live_starts());
        let Some(windows) = Windows::<N>::of(self.index.keys().copied(), text) else {
            return self.search_all(chain);
        };
        let mut from = 0;
        while let Some(at) = windows.next(text, from) {
            let line = starts.line_of(at);
            from = starts.start(line + 1);
            let content = &text[starts.start(line)..from];
            self.search(content, |_| Node::try_from(line).ok());
        }
    }

    /// Searches the live text.
    fn search_all(&mut self, chain: &Chain<'_>) {
        let starts = chain.live_starts();
        self.search(chain.live_text(), |at| {
            Node::try_from(starts.line_of(at)).ok()
        });
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

/// Binary logarithm of the number of different windows that are told apart: a table of 8 KiB.
const WINDOW_BITS: u32 = 16;

/// Every so many bytes of the text a window is counted, to know which ones are common.
const SAMPLING: usize = 13;

/// Of so many windows that were counted one may be in the table; above that the text is better
/// searched as a whole.
const RARITY: usize = 64;

/// Tells where no needle can be: each has a window of `N` bytes in the table, and that window is
/// looked for with a multiplication a byte, several times faster than an automaton runs.
#[derive(Debug)]
struct Windows<const N: usize> {
    table: Vec<u64>,
}

impl<const N: usize> Windows<N> {
    /// For each needle, none shorter than a window, the window of it that is the least common in
    /// the text; `None` when together they are so common that nothing would be passed over.
    fn of<'n>(needles: impl Iterator<Item = &'n str>, text: &str) -> Option<Self> {
        let mut counts = vec![0_u32; 1 << WINDOW_BITS];
        let mut counted = 0_usize;
        for window in text.as_bytes().windows(N).step_by(SAMPLING) {
            counts[Self::hash(window)] += 1;
            counted += 1;
        }
        let mut table = vec![0; 1 << (WINDOW_BITS - 6)];
        let mut common = 0_usize;
        for needle in needles {
            let hashes = needle.as_bytes().windows(N).map(Self::hash);
            if let Some(rarest) = hashes.min_by_key(|&hash| counts[hash]) {
                let (word, bit) = (rarest / 64, 1 << (rarest % 64));
                if table[word] & bit == 0 {
                    table[word] |= bit;
                    common += usize::try_from(counts[rarest]).unwrap_or(usize::MAX);
                }
            }
        }
        (common * RARITY <= counted).then_some(Self { table })
    }

    fn hash(window: &[u8]) -> usize {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut word = [0; 8];
        word[..N].copy_from_slice(window);
        let hash = u64::from_le_bytes(word).wrapping_mul(FACTOR);
        usize::try_from(hash >> (64 - WINDOW_BITS)).unwrap_or(0)
    }

    /// The next place from a byte on where a window of the table stands.
    fn next(&self, text: &str, from: usize) -> Option<usize> {
        let mut windows = text.as_bytes().get(from..)?.windows(N);
        let found = windows.position(|window| {
            let hash = Self::hash(window);
            self.table[hash / 64] & (1 << (hash % 64)) != 0
        });
        found.map(|at| from + at)
    }
}
