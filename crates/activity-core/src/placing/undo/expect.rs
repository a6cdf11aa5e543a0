//! What the evidence says of where fragments stand, corrected by where others were found.

use super::Undo;
use crate::placing::chain::Node;
use crate::placing::decide::Expectation;
use crate::placing::plan::Plan;

impl<'a> Undo<'_, 'a> {
    /// What the evidence says of where a line of the new text stands.
    pub(super) fn expectation(&self, plan: &Plan<'a>, line: usize) -> Expectation {
        let hint = &plan.input.fragment.hint;
        let named = hint
            .new_line
            .or(hint.old_line)
            .and_then(|line| usize::try_from(line).ok());
        let above = match self.last_chunk {
            Some((call, chunk)) if plan.input.is_patch && call == plan.input.call => Some(chunk),
            _ => None,
        };
        Expectation {
            line: named.map(|named| self.drifted(named).saturating_add(line)),
            head: plan.head,
            at_end: hint.end_of_file,
            above,
            equals: self.equals.get(&plan.texts()).copied().unwrap_or(1),
        }
    }

    /// A line that evidence named, moved as far as the nearest text that was found.
    fn drifted(&self, line: usize) -> usize {
        let before = self.drifts.range(..=line).next_back();
        let after = self.drifts.range(line..).next();
        let drift = match (before, after) {
            (Some((&low, &a)), Some((&high, &b))) => {
                if line - low <= high - line {
                    a
                } else {
                    b
                }
            }
            (Some((_, &drift)), None) | (None, Some((_, &drift))) => drift,
            (None, None) => 0,
        };
        line.saturating_add_signed(isize::try_from(drift).unwrap_or(0))
    }

    /// How far from the line that evidence names a fragment stands, when its line `line` stands at
    /// `node`. Some agents name the first line of the text, some its first changed line.
    pub(super) fn displacement(&self, plan: &Plan<'a>, line: usize, node: Node) -> Option<i64> {
        let named = i64::from(plan.input.fragment.hint.new_line?);
        let first_change = plan.pieces.first().map_or(0, |piece| piece.new.start);
        let at = i64::try_from(self.chain.line_number(node)).ok()?;
        let start = at - i64::try_from(line).ok()?;
        if start + i64::try_from(first_change).ok()? == named {
            return Some(0);
        }
        Some(start - named)
    }

    /// Remembers what a found fragment says about those not undone yet.
    pub(super) fn note_line(&mut self, plan: &Plan<'a>, first: Node) {
        if plan.input.is_patch {
            self.last_chunk = Some((plan.input.call, self.chain.line_number(first)));
        }
        if let (Some(drift), Some(named)) = (
            self.displacement(plan, 0, first),
            plan.input.fragment.hint.new_line,
        ) {
            self.drifts
                .insert(usize::try_from(named).unwrap_or(usize::MAX), drift);
        }
    }
}
