//! Folds chains: where several fragments changed the same lines, what they did together counts.

use std::collections::BTreeSet;
use std::ops::Range;

use super::chain::{Chain, Node};
use super::hunk::{Hunk, Span, State};
use super::line::key;
use super::pieces::changed_runs;

/// Takes out of the text what fragments changed and other fragments changed back: the lines of a
/// hunk that are the same as before all fragments are no change, whoever wrote them last. A hunk of
/// which nothing else is left has no place of its own and counts as replaced, as the ones before it
/// in its chain do. `chain` is the text before all fragments.
pub(super) fn fold(hunks: &mut [Hunk], chain: &Chain<'_>) {
    let is_chain = |hunk: &Hunk| hunk.state == State::Replaced || hunk.replaced_by.is_some();
    if !hunks.iter().any(is_chain) {
        return;
    }
    let unchanged = unchanged(chain);
    for hunk in hunks
        .iter_mut()
        .filter(|hunk| hunk.state.is_shown() && !hunk.spans.is_empty())
    {
        let starts = chain.live_starts();
        let span = |lines: Range<u32>| Span {
            bytes: starts.start(lines.start as usize)..starts.start(lines.end as usize),
            lines,
        };
        let spans: Vec<Span> = if hunk.state == State::Deleted {
            let is_change = |seam: &&Span| !neighbours_met_before(chain, seam.lines.start);
            hunk.spans.iter().filter(is_change).cloned().collect()
        } else {
            let lines = hunk.spans.iter().flat_map(|span| span.lines.clone());
            let changed: Vec<u32> = lines.filter(|line| !unchanged.contains(line)).collect();
            changed
                .chunk_by(|left, right| left + 1 == *right)
                .filter_map(|run| Some(span(*run.first()?..run.last()? + 1)))
                .collect()
        };
        if spans.is_empty() {
            hunk.state = State::Replaced;
        }
        hunk.spans = spans;
    }
}

/// Whether the live lines above and below a seam stood next to each other before all fragments.
fn neighbours_met_before(chain: &Chain<'_>, line: u32) -> bool {
    let above = line.checked_sub(1).unwrap_or(chain.head());
    let below = if line == chain.live_lines() {
        chain.tail()
    } else {
        line
    };
    chain.is_present(above) && chain.next(above) == below
}

/// The live lines that are as they were although fragments wrote them: between each two lines that
/// no fragment wrote, the lines before are compared with the live ones.
fn unchanged(chain: &Chain<'_>) -> BTreeSet<u32> {
    let mut unchanged = BTreeSet::new();
    let mut before: Vec<Node> = Vec::new();
    let mut line = 0;
    let mut node = chain.next(chain.head());
    loop {
        if node != chain.tail() && !chain.is_live(node) {
            before.push(node);
            node = chain.next(node);
            continue;
        }
        let end = if node == chain.tail() {
            chain.live_lines()
        } else {
            node
        };
        compare(chain, &before, line..end, &mut unchanged);
        if node == chain.tail() {
            return unchanged;
        }
        before.clear();
        line = end + 1;
        node = chain.next(node);
    }
}

fn compare(chain: &Chain<'_>, before: &[Node], live: Range<u32>, unchanged: &mut BTreeSet<u32>) {
    if before.is_empty() {
        return;
    }
    let text = |nodes: &mut dyn Iterator<Item = Node>| -> Vec<&str> {
        nodes.map(|node| key(chain.content(node))).collect()
    };
    let old = text(&mut before.iter().copied());
    let new = text(&mut live.clone());
    let mut next = 0;
    let mut same = |lines: Range<usize>| {
        let lines = lines.filter_map(|line| u32::try_from(line).ok());
        unchanged.extend(lines.map(|line| live.start + line));
    };
    for run in changed_runs(&old, &new) {
        same(next..run.new.start);
        next = run.new.end;
    }
    same(next..new.len());
}
