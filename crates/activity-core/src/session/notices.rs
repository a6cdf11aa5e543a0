//! What a person should know about a session.

use std::sync::Arc;

use super::Session;
use super::call::Call;
use super::ledger::{Counts, Listed};
use crate::model::PathStanding;
use crate::notice::{Notice, NoticeKind};

impl Session {
    /// What a person should know, the session's own notices first, then turn by turn.
    pub fn notices(&self) -> Vec<Notice> {
        let mut notices: Vec<Notice> = self
            .workspace_notice()
            .into_iter()
            .chain(self.history_notice())
            .chain(self.gaps(None))
            .map(|kind| Notice {
                turn_id: None,
                tool_call_id: None,
                kind,
            })
            .collect();
        for turn in 0..self.content.timeline.turns().len() {
            self.add_notices_of_turn(turn, &mut notices);
        }
        notices
    }

    fn workspace_notice(&self) -> Option<NoticeKind> {
        if self.workspace.is_some() {
            return None;
        }
        Some(match self.directories() {
            None => NoticeKind::NoWorkspace,
            Some((root, cwd)) => NoticeKind::WorkspaceMismatch {
                root: Arc::clone(root),
                cwd: Arc::clone(cwd),
            },
        })
    }

    fn history_notice(&self) -> Option<NoticeKind> {
        let history = self.content.history;
        let incomplete = history.is_loaded() && history.has_messages && !history.has_calls;
        incomplete.then_some(NoticeKind::NoToolCallsReplayed)
    }

    fn gaps(&self, turn: Option<usize>) -> impl Iterator<Item = NoticeKind> {
        let gaps = self
            .content
            .gaps
            .get(&turn)
            .map(Vec::as_slice)
            .unwrap_or_default();
        gaps.iter()
            .map(|missed| NoticeKind::Gap { missed: *missed })
    }

    fn add_notices_of_turn(&self, turn: usize, notices: &mut Vec<Notice>) {
        let Some(state) = self.turn_state(turn) else {
            return;
        };
        let turn_id = Some(&state.id).cloned();
        let calls = self.content.timeline.calls_of(turn);
        let without_effects = |call: &usize| {
            let listed = self.content.ledger.of_call(*call);
            listed.is_empty()
                && self
                    .content
                    .calls
                    .get(*call)
                    .is_some_and(Call::ran_in_shell)
        };
        let count = calls.clone().filter(without_effects).count();
        let shell = (count > 0).then(|| NoticeKind::ShellCommands {
            count: u64::try_from(count).unwrap_or(u64::MAX),
        });
        notices.extend(self.gaps(Some(turn)).chain(shell).map(|kind| Notice {
            turn_id: turn_id.clone(),
            tool_call_id: None,
            kind,
        }));
        for (index, call) in calls
            .clone()
            .zip(self.content.calls.get(calls).unwrap_or_default())
        {
            let listed = self.content.ledger.of_call(index);
            let of_activities = listed
                .iter()
                .enumerate()
                .flat_map(|(place, activity)| self.notices_of_activity(index, place, activity));
            notices.extend(
                call.notices
                    .iter()
                    .cloned()
                    .chain(of_activities)
                    .map(|kind| Notice {
                        turn_id: turn_id.clone(),
                        tool_call_id: Some(Arc::clone(&call.id)),
                        kind,
                    }),
            );
        }
    }

    fn notices_of_activity(&self, call: usize, index: usize, listed: &Listed) -> Vec<NoticeKind> {
        let path = || Arc::clone(&listed.draft.relative_path);
        let entry = super::ledger::Entry { call, index };
        let standing = self
            .content
            .calls
            .get(call)
            .and_then(|call| self.standing(entry, call));
        let doubt = match standing {
            Some(PathStanding::Doubtful(reason)) => Some(NoticeKind::Doubtful {
                path: path(),
                reason,
            }),
            _ => None,
        };
        let too_large = (listed.counts == Counts::TooLarge)
            .then(|| NoticeKind::TooLargeToCount { path: path() });
        doubt.into_iter().chain(too_large).collect()
    }
}
