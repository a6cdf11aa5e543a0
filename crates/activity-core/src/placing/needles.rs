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
    index: HashMap<&'a str, usize>,
    hits: Vec<Hits>,
    automaton: Option<AhoCorasick>,
}

impl<'a> Needles<'a> {
    /// Searches the live text for needles, none of which holds a line ending.
    pub(super) fn new(needles: impl Iterator<Item = &'a str>, chain: &Chain<'_>) -> Self {
        let mut index = HashMap::new();
        let mut list = Vec::new();
        for needle in needles.filter(|needle| !needle.is_empty()) {
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
        let mut needles = Self {
            index,
            hits,
            automaton,
        };
        let starts = chain.live_starts();
        needles.search(chain.live_text(), |at| {
            Node::try_from(starts.line_of(at)).ok()
        });
        needles
    }

    /// Searches a line that was put into the chain.
    pub(super) fn add_line(&mut self, node: Node, content: &str) {
        self.search(content, |_| Some(node));
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

    /// The lines in which a needle stands; `None` for a text that is no needle.
    pub(super) fn lines_with(&self, needle: &str) -> Option<&Hits> {
        self.index.get(needle).map(|&index| &self.hits[index])
    }
}
