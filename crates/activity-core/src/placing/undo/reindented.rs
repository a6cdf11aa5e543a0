//! The live lines by their text without indentation, for what a formatter moved sideways.

use std::collections::HashMap;

use super::Plan;
use crate::placing::chain::{Chain, Node};

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

    pub(super) fn nodes(&self, line: &str) -> &[Node] {
        self.lines.get(line.trim()).map_or(&[], Vec::as_slice)
    }
}
