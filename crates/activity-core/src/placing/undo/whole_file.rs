//! Fragments that wrote or removed a whole file.

use super::standing::blank;
use super::{DISTINCT, Undo};
use crate::model::Action;
use crate::placing::chain::Node;
use crate::placing::find::{Pattern, stands_at};
use crate::placing::hunk::{Hunk, HunkKind, Reason, State};
use crate::placing::plan::Plan;

impl<'p, 'a> Undo<'p, 'a> {
    /// Whether a fragment without old text is the text of a whole file and not an insertion: its
    /// action says so, or nothing but this text is in the file, or most of the file is in it.
    pub(super) fn wrote_whole_file(&mut self, plan: &Plan<'a>) -> bool {
        if plan.input.action == Action::Created {
            return true;
        }
        let hint = &plan.input.fragment.hint;
        let is_placed =
            hint.new_line.is_some() || hint.old_line.is_some() || hint.context.is_some();
        if is_placed || hint.end_of_file || plan.input.is_patch {
            return false;
        }
        let lines = self.chain.len();
        let own = (0..plan.new.len())
            .filter(|&line| self.has_line(plan, line))
            .count();
        lines == plan.new.len() && own == lines
            || lines >= MIN_WRITTEN_LINES && own * 2 > lines && plan.new.len() * 2 > lines
    }

    pub(super) fn undo_written_file(&mut self, fragment: usize, plan: &'p Plan<'a>) {
        let first = self.chain.next(self.chain.head());
        let stands = self.chain.len() == plan.new.len()
            && stands_at(
                &self.chain,
                &Pattern::all(&plan.new),
                first,
                &mut self.budget,
            );
        let own = (0..plan.new.len())
            .filter(|&line| plan.new.weight(line..line + 1) > 0 && self.has_line(plan, line));
        let state = if stands {
            State::InPlace
        } else if own
            .map(|line| plan.new.weight(line..line + 1))
            .sum::<usize>()
            >= DISTINCT
        {
            State::Edited
        } else {
            State::NotFound(Reason::TextGone)
        };
        self.push_whole_file(fragment, state, plan);
    }

    pub(super) fn undo_removed_file(&mut self, fragment: usize, plan: &'p Plan<'a>) {
        let first = self.chain.next(self.chain.head());
        let old_stands = self.chain.len() == plan.old.len()
            && stands_at(
                &self.chain,
                &Pattern::all(&plan.old),
                first,
                &mut self.budget,
            );
        let state = if self.chain.len() == 0 && self.overwritten_by.is_none() {
            State::Deleted
        } else if old_stands && self.overwritten_by.is_none() {
            State::Reverted
        } else {
            State::NotFound(Reason::FileExists)
        };
        self.push_whole_file(fragment, state, plan);
    }

    /// Shows a fragment that is the whole file, and goes on with the text before it.
    fn push_whole_file(&mut self, fragment: usize, state: State, plan: &'p Plan<'a>) {
        self.push(
            fragment,
            Hunk {
                kind: HunkKind::WholeFile,
                state,
                ..blank(plan)
            },
        );
        self.put_back_file(fragment, plan);
    }

    /// Makes the old text of a fragment the whole text.
    fn put_back_file(&mut self, fragment: usize, plan: &'p Plan<'a>) {
        let head = self.chain.head();
        let present: Vec<Node> = std::iter::successors(Some(self.chain.next(head)), |&node| {
            Some(self.chain.next(node))
        })
        .take_while(|&node| node != self.chain.tail())
        .collect();
        let texts = (0..plan.old.len())
            .map(|line| plan.old.line(line).into())
            .collect();
        self.put_back(fragment, head, &present, texts);
        self.overwritten_by = Some(fragment);
        self.drifts.clear();
        self.last_chunk = None;
    }

    fn has_line(&self, plan: &Plan<'a>, line: usize) -> bool {
        plan.new.is_masked(line) || self.chain.has(plan.new.id(line))
    }
}

/// A text of fewer lines is taken for written as a whole only if it is the whole.
const MIN_WRITTEN_LINES: usize = 4;
