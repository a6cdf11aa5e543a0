//! The text as it was at some moment: the live lines, with old text in the place of what later
//! fragments put there.
//!
//! A linked list of lines, so that undoing a fragment costs its own lines only, with the line
//! number of any line from a Fenwick tree over the live lines.

use std::borrow::Cow;

use super::line::{LineStarts, without_ending};
use super::side::{Dictionary, LineId, UNKNOWN};

/// A line in a [`Chain`]. Live lines are numbered as in the live text.
pub(super) type Node = u32;

/// No fragment: the owner of a live line.
pub(super) const NOBODY: u32 = u32::MAX;

#[derive(Debug, Clone)]
struct Line {
    id: LineId,
    next: Node,
    prev: Node,
    /// The live line before or at which this line stands: never falls along the list.
    slot: u32,
    /// The fragment whose old text this line is; [`NOBODY`] for a live line.
    owner: u32,
    present: bool,
}

/// See the [module](self).
#[derive(Debug)]
pub(super) struct Chain<'a> {
    text: &'a str,
    starts: LineStarts,
    lines: Vec<Line>,
    /// Text of the lines that are not live, by node after the two sentinels.
    old_text: Vec<Cow<'a, str>>,
    /// The lines of an id that were ever present, live ones from top to bottom.
    postings: Vec<Vec<Node>>,
    /// How many of the postings of an id are not present any more.
    absent: Vec<usize>,
    /// Present lines by slot.
    counts: Fenwick,
    /// The first present line of each slot.
    slot_heads: Vec<Node>,
    live: u32,
}

impl<'a> Chain<'a> {
    /// The live text.
    pub(super) fn new(text: &'a str, starts: LineStarts, dictionary: &Dictionary<'a>) -> Self {
        let live = starts.written();
        let mut postings = vec![Vec::new(); dictionary.len()];
        let mut lines = Vec::with_capacity(live + 2);
        let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
        let (head, tail) = (number(live), number(live + 1));
        for line in 0..live {
            let id = dictionary.lookup(&text[starts.start(line)..starts.start(line + 1)]);
            let node = number(line);
            if id != UNKNOWN {
                postings[id as usize].push(node);
            }
            lines.push(Line {
                id,
                next: if line + 1 == live { tail } else { node + 1 },
                prev: if line == 0 { head } else { node - 1 },
                slot: node,
                owner: NOBODY,
                present: true,
            });
        }
        let sentinel = |slot: u32| Line {
            id: UNKNOWN,
            next: if live == 0 { tail } else { 0 },
            prev: if live == 0 { head } else { head - 1 },
            slot,
            owner: NOBODY,
            present: true,
        };
        lines.push(sentinel(0));
        lines.push(sentinel(head));
        Self {
            text,
            starts,
            lines,
            old_text: Vec::new(),
            absent: vec![0; postings.len()],
            postings,
            counts: Fenwick::ones(live),
            slot_heads: (0..=head)
                .map(|slot| if slot == head { tail } else { slot })
                .collect(),
            live: head,
        }
    }

    fn at(&self, node: Node) -> &Line {
        &self.lines[node as usize]
    }

    /// The position before the first line.
    pub(super) fn head(&self) -> Node {
        self.live
    }

    /// The position after the last line.
    pub(super) fn tail(&self) -> Node {
        self.live + 1
    }

    pub(super) fn is_edge(&self, node: Node) -> bool {
        node == self.head() || node == self.tail()
    }

    pub(super) fn next(&self, node: Node) -> Node {
        self.at(node).next
    }

    pub(super) fn prev(&self, node: Node) -> Node {
        self.at(node).prev
    }

    pub(super) fn id(&self, node: Node) -> LineId {
        self.at(node).id
    }

    pub(super) fn is_live(&self, node: Node) -> bool {
        node < self.live
    }

    pub(super) fn is_present(&self, node: Node) -> bool {
        self.at(node).present
    }

    /// The fragment whose old text a line is.
    pub(super) fn owner(&self, node: Node) -> Option<usize> {
        let owner = self.at(node).owner;
        if owner == NOBODY {
            None
        } else {
            usize::try_from(owner).ok()
        }
    }

    /// Lines of the live text.
    pub(super) fn live_lines(&self) -> u32 {
        self.live
    }

    /// Lines of the text as it is in the chain now.
    pub(super) fn len(&self) -> usize {
        self.counts.before(self.live as usize) + self.rank(self.tail())
    }

    pub(super) fn live_starts(&self) -> &LineStarts {
        &self.starts
    }

    /// The live text.
    pub(super) fn live_text(&self) -> &'a str {
        self.text
    }

    /// A line's text without its ending; empty for the two edges.
    pub(super) fn content(&self, node: Node) -> &str {
        if node < self.live {
            let line = node as usize;
            return without_ending(
                &self.text[self.starts.start(line)..self.starts.start(line + 1)],
            );
        }
        let old = (node as usize).checked_sub(self.live as usize + 2);
        old.and_then(|old| self.old_text.get(old))
            .map_or("", |text| text)
    }

    /// The lines that are not live, also those that are not present any more.
    pub(super) fn old_nodes(&self) -> std::ops::Range<Node> {
        self.live + 2..Node::try_from(self.lines.len()).unwrap_or(NOBODY)
    }

    /// The lines with an id; also some that are not present any more.
    pub(super) fn postings(&self, id: LineId) -> &[Node] {
        self.postings.get(id as usize).map_or(&[], Vec::as_slice)
    }

    /// Whether a line with an id is present.
    pub(super) fn has(&self, id: LineId) -> bool {
        let absent = self.absent.get(id as usize).copied().unwrap_or_default();
        self.postings(id).len() > absent
    }

    /// Drops the lines that are not present from the postings of an id once they are most of them.
    pub(super) fn prune(&mut self, id: LineId) {
        let Some(postings) = self.postings.get_mut(id as usize) else {
            return;
        };
        let absent = &mut self.absent[id as usize];
        if *absent * 2 > postings.len() {
            postings.retain(|&node| self.lines[node as usize].present);
            *absent = 0;
        }
    }

    /// The line with an id, if there is one alone.
    pub(super) fn only_line(&mut self, id: LineId) -> Option<Node> {
        self.prune(id);
        let mut present = self
            .postings(id)
            .iter()
            .filter(|&&node| self.is_present(node));
        let first = present.next().copied();
        first.filter(|_| present.next().is_none())
    }

    /// The number of a line in the text as it is now, from 0.
    pub(super) fn line_number(&self, node: Node) -> usize {
        self.counts.before(self.at(node).slot as usize) + self.rank(node)
    }

    /// Lines of the same slot before this one.
    fn rank(&self, node: Node) -> usize {
        let slot = self.at(node).slot;
        let mut rank = 0;
        let mut at = self.prev(node);
        while at != self.head() && self.at(at).slot == slot {
            rank += 1;
            at = self.prev(at);
        }
        rank
    }

    /// The line with a number, or the tail.
    pub(super) fn node_at(&self, number: usize) -> Node {
        let (slot, rest) = self.counts.find(number);
        let Some(&first) = self.slot_heads.get(slot) else {
            return self.tail();
        };
        let mut node = first;
        for _ in 0..rest {
            if node == self.tail() {
                break;
            }
            node = self.next(node);
        }
        node
    }

    /// Puts lines in the place of `removed`, which stand in a row after `after`. Returns the new
    /// lines.
    pub(super) fn splice(
        &mut self,
        after: Node,
        removed: &[Node],
        lines: Vec<Cow<'a, str>>,
        owner: usize,
        dictionary: &Dictionary<'a>,
    ) -> std::ops::Range<Node> {
        let end = removed
            .last()
            .map_or_else(|| self.next(after), |&last| self.next(last));
        // Spread over the slots of the lines whose place they take: a line number is found by
        // walking through its slot.
        let slots: Vec<u32> = removed.iter().map(|&node| self.at(node).slot).collect();
        let end_slot = self.at(end).slot;
        for &node in removed {
            let line = &mut self.lines[node as usize];
            line.present = false;
            if let Some(absent) = self.absent.get_mut(line.id as usize) {
                *absent += 1;
            }
            let slot = line.slot as usize;
            self.counts.add(slot, -1);
            if self.slot_heads[slot] == node {
                self.slot_heads[slot] = self.live + 1;
            }
        }
        let first = Node::try_from(self.lines.len()).unwrap_or(NOBODY);
        let mut last = after;
        for (index, text) in lines.into_iter().enumerate() {
            let slot = slots
                .get(index)
                .or(slots.last())
                .copied()
                .unwrap_or(end_slot);
            let node = Node::try_from(self.lines.len()).unwrap_or(NOBODY);
            let id = dictionary.lookup(&text);
            if id != UNKNOWN {
                self.postings[id as usize].push(node);
            }
            self.old_text.push(text);
            self.lines[last as usize].next = node;
            self.lines.push(Line {
                id,
                next: end,
                prev: last,
                slot,
                owner: u32::try_from(owner).unwrap_or(NOBODY),
                present: true,
            });
            self.counts.add(slot as usize, 1);
            last = node;
        }
        self.lines[last as usize].next = end;
        self.lines[end as usize].prev = last;
        let mut node = self.next(after);
        while node != end {
            self.mend_slot_head(node);
            node = self.next(node);
        }
        self.mend_slot_head(end);
        first..self.old_nodes().end
    }

    /// The text of the chain. Each line keeps its ending; lines of old text get the ending of the
    /// first line that has one.
    pub(super) fn to_text(&self) -> String {
        let ending_of = |node: Node| {
            let line = node as usize;
            let whole = &self.text[self.starts.start(line)..self.starts.start(line + 1)];
            &whole[without_ending(whole).len()..]
        };
        let usual = (0..self.live)
            .map(ending_of)
            .find(|ending| !ending.is_empty())
            .unwrap_or("\n");
        let is_terminated = self.text.is_empty() || self.text.ends_with(['\n', '\r']);
        let mut text = String::with_capacity(self.text.len());
        let mut node = self.next(self.head());
        while node != self.tail() {
            text.push_str(self.content(node));
            let is_last = self.next(node) == self.tail();
            let own = if self.is_live(node) {
                ending_of(node)
            } else {
                ""
            };
            if !own.is_empty() && !is_last {
                text.push_str(own);
            } else if !is_last || is_terminated {
                text.push_str(usual);
            }
            node = self.next(node);
        }
        text
    }

    /// Makes a line the head of its slot if the line before it belongs to another.
    fn mend_slot_head(&mut self, node: Node) {
        let (slot, before) = (self.at(node).slot, self.prev(node));
        if before == self.head() || self.at(before).slot != slot {
            self.slot_heads[slot as usize] = node;
        }
    }
}

/// Sums of a list whose entries change, each in logarithmic time.
#[derive(Debug)]
struct Fenwick {
    tree: Vec<i32>,
}

impl Fenwick {
    /// `len` ones, and a zero for what stands after them.
    fn ones(len: usize) -> Self {
        let mut tree = vec![1; len + 2];
        tree[0] = 0;
        tree[len + 1] = 0;
        for index in 1..tree.len() {
            let parent = index + lowest_bit(index);
            if parent < tree.len() {
                tree[parent] += tree[index];
            }
        }
        Self { tree }
    }

    fn add(&mut self, entry: usize, amount: i32) {
        let mut index = entry + 1;
        while index < self.tree.len() {
            self.tree[index] += amount;
            index += lowest_bit(index);
        }
    }

    /// The sum of the entries before one.
    fn before(&self, entry: usize) -> usize {
        let mut index = entry;
        let mut sum = 0_usize;
        while index > 0 {
            sum = sum.saturating_add_signed(isize::try_from(self.tree[index]).unwrap_or(0));
            index -= lowest_bit(index);
        }
        sum
    }

    /// The entry in which the sum passes `number`, and how much of it is inside the entry.
    fn find(&self, number: usize) -> (usize, usize) {
        let mut rest = number;
        let mut index = 0;
        let mut step = self.tree.len().next_power_of_two();
        while step > 0 {
            let next = index + step;
            if let Some(&sum) = self.tree.get(next) {
                let sum = usize::try_from(sum).unwrap_or(0);
                if sum <= rest {
                    index = next;
                    rest -= sum;
                }
            }
            step /= 2;
        }
        (index, rest)
    }
}

fn lowest_bit(index: usize) -> usize {
    index & index.wrapping_neg()
}

#[cfg(test)]
mod tests;
