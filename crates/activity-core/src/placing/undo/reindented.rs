//! The live lines by their text without indentation, for what a formatter moved sideways.

use std::collections::HashMap;

use crate::placing::chain::{Chain, Node};
use crate::placing::plan::Plan;

/// Live lines that are those of some new text but for blanks at their ends.
#[derive(Debug)]
pub(super) struct Reindented<'a> {
    lines: HashMap<&'a str, Vec<Node>>,
}

impl<'a> Reindented<'a> {
    pub(super) fn new(plans: &[Plan<'a>], chain: &Chain<'_>) -> Self {
        let mut lines: HashMap<&'a str, Vec<Node>> = HashMap::new();
        for plan in plans {
            for line in 0..plan.new.len() {
                lines.entry(plan.new.line(line).trim()).or_default();
            }
        }
        for node in 0..chain.live_lines() {
            if let Some(nodes) = lines.get_mut(chain.content(node).trim()) {
                nodes.push(node);
            }
        }
        Self { lines }
    }

    /// The line with this text but for blanks at its ends, if it is present and there is one alone.
    pub(super) fn only_line(&self, line: &str, chain: &Chain<'_>) -> Option<Node> {
        let mut present = self
            .lines
            .get(line.trim())?
            .iter()
            .filter(|&&node| chain.is_present(node));
        let first = present.next().copied();
        first.filter(|_| present.next().is_none())
    }
}
