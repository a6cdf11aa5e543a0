//! What a call changed, worked out anew whenever something is said about it.

use std::mem;
use std::sync::Arc;

use super::ledger::Listed;
use super::{Content, Session, Target, TimelineText};
use crate::model::Evidence;
use crate::notice::NoticeKind;
use crate::path::Workspace;
use crate::profile::openclaw::{self, Declared, ResultFacts};
use crate::profile::{ActivityDraft, Context, Findings, Profile, acp};
use crate::timeline::tool_call::Status;

/// How many finished calls keep what was said about them.
const KEPT_EVIDENCE: usize = 16;

impl Session {
    /// Brings the activities and notices of a call up to date.
    pub(super) fn settle(&mut self, index: usize) {
        let Some(call) = self.content.calls.get(index) else {
            return;
        };
        if call.is_open() {
            self.content.open_calls.insert(index);
        } else {
            self.content.open_calls.remove(&index);
        }
        match self.profile {
            Profile::Openclaw => self.settle_openclaw(index),
            Profile::Acp => self.settle_acp(index),
        }
    }

    /// After a change of the rules or of the workspace.
    pub(super) fn settle_all(&mut self) {
        for index in 0..self.content.calls.len() {
            self.settle(index);
        }
    }

    fn settle_openclaw(&mut self, index: usize) {
        let Some(call) = self.content.calls.get_mut(index) else {
            return;
        };
        let tool = call.file_tool();
        if call.is_finished()
            && let Some(evidence) = call.evidence.take()
        {
            let input = evidence.raw_input.as_deref();
            if let Some(input) = input {
                let declared = Declared::read(input);
                call.declared = (!declared.is_empty()).then(|| Box::new(declared));
            }
            if let Some(output) = &evidence.raw_output
                && (tool.is_some() || call.ran_in_shell())
            {
                let result = ResultFacts::read(output, input);
                call.result = (result != ResultFacts::default()).then(|| Box::new(result));
            }
            if self.options.text == TimelineText::FirstLines {
                call.forget_title();
            }
        }
        let nothing = (Declared::default(), ResultFacts::default());
        let declared = call.declared.as_deref().unwrap_or(&nothing.0);
        let result = call.result.as_deref().unwrap_or(&nothing.1);
        let findings = match (call.status, tool, &self.workspace) {
            (Status::Completed, Some(tool), Some(workspace)) => {
                openclaw::findings(tool, declared, result, workspace)
            }
            (Status::Failed, Some(tool), Some(workspace)) => Findings {
                notices: openclaw::failure_notices(tool, declared, workspace),
                ..Findings::default()
            },
            _ => Findings::default(),
        };
        let agent_cwd = result
            .cwd
            .as_deref()
            .filter(|_| tool.is_none())
            .map(Arc::from);
        if let Some(agent_cwd) = agent_cwd {
            self.agent_works_in(agent_cwd);
        }
        self.list(index, findings.drafts, findings.notices);
    }

    /// Notes the directory of the agent's commands when it is another than the session's: relative
    /// paths may then mean other files.
    fn agent_works_in(&mut self, directory: Arc<str>) {
        let normal = Workspace::new(&directory, &directory);
        let normal = normal.as_ref().map(Workspace::cwd);
        let here = self.workspace.as_ref().map(Workspace::cwd);
        let elsewhere = (normal != here).then_some(directory);
        if self.content.agent_cwd != elsewhere {
            self.content.agent_cwd = elsewhere;
            self.changes.reset();
        }
    }

    fn settle_acp(&mut self, index: usize) {
        let Some(call) = self.content.calls.get(index) else {
            return;
        };
        if !call.is_finished() {
            return;
        }
        if let Some(evidence) = call.evidence.as_ref().filter(|_| call.ran_in_shell())
            && let Some(output) = &evidence.raw_output
            && let Some(directory) = ResultFacts::read(output, evidence.raw_input.as_deref()).cwd
        {
            self.agent_works_in(directory.into());
        }
        let Some(call) = self.content.calls.get(index) else {
            return;
        };
        let (Some(evidence), Some(workspace)) = (&call.evidence, &self.workspace) else {
            return;
        };
        let context = Context {
            workspace,
            known_paths: &self.known_paths,
            call: index,
        };
        let findings = if call.status == Status::Failed {
            Findings {
                notices: acp::failure_notices(evidence, &context),
                failed: true,
                ..Findings::default()
            }
        } else {
            acp::evidence(evidence, &context)
        };
        let tells_all = !call.told_in_part;
        if findings.failed {
            for listed in self.content.ledger.of_call(index) {
                let path = &listed.draft.relative_path;
                self.known_paths.retract(index, path);
            }
            self.list(index, Vec::new(), findings.notices);
        } else {
            self.known_paths.note(index, &findings);
            if tells_all || self.knows_better(index, &findings.drafts) {
                self.list(index, findings.drafts, findings.notices);
            }
        }
        self.keep_evidence_for_a_while(index);
    }

    /// Some agents go on telling about a call after its end, most of them at once. What was said
    /// is kept for the last calls only, so that a long session does not hold all of it.
    fn keep_evidence_for_a_while(&mut self, index: usize) {
        let kept = &mut self.content.kept_evidence;
        if !kept.contains(&index) {
            kept.push_back(index);
        }
        let over = kept.len() > KEPT_EVIDENCE;
        if let Some(oldest) = over.then(|| kept.pop_front()).flatten() {
            self.drop_evidence(oldest);
        }
    }

    fn drop_evidence(&mut self, index: usize) {
        let Some(call) = self.content.calls.get_mut(index) else {
            return;
        };
        // What a failed call asked for can be shown as long as the texts are there.
        let shown = self.options.text == TimelineText::Keep && call.status == Status::Failed;
        if !shown {
            call.evidence = None;
            call.told_in_part = true;
        }
    }

    /// Gives back the memory that a session needs only while it goes on: what was said about the
    /// last finished calls, and the room to grow.
    ///
    /// For a session of which nothing was heard for a while. It may go on all the same; what is
    /// still said about a finished call then counts when it is as good as what was said before.
    pub fn rest(&mut self) {
        for index in mem::take(&mut self.content.kept_evidence) {
            self.drop_evidence(index);
        }
        let Content {
            timeline,
            calls,
            turn_ids,
            call_ids,
            questions,
            ledger,
            ..
        } = &mut self.content;
        timeline.shrink();
        calls.shrink_to_fit();
        turn_ids.shrink_to_fit();
        call_ids.shrink_to_fit();
        questions.shrink_to_fit();
        ledger.shrink();
        self.changes.shrink();
    }

    /// A message that comes after the end of a call knows only itself, since what came before has
    /// been used up; it counts when its evidence is as good.
    fn knows_better(&self, index: usize, drafts: &[ActivityDraft]) -> bool {
        let listed = self.content.ledger.of_call(index);
        let best_before = best_evidence(listed.iter().map(|activity| &activity.draft));
        let best_now = best_evidence(drafts.iter());
        listed.is_empty()
            || best_now.is_some_and(|now| best_before.is_none_or(|before| now <= before))
    }

    /// Enters the activities of a call into the ledger.
    fn list(&mut self, index: usize, drafts: Vec<ActivityDraft>, notices: Vec<NoticeKind>) {
        let listed: Vec<Listed> = drafts.into_iter().map(Listed::new).collect();
        let touched = self.content.ledger.replace(index, listed);
        let Some(call) = self.content.calls.get_mut(index) else {
            return;
        };
        if !touched.is_empty() || call.notices != notices {
            call.notices = notices;
            self.changes.touch(Target::Turn(call.turn));
        }
        for file in touched {
            self.changes.touch(Target::File(file));
        }
    }
}

fn best_evidence<'a>(drafts: impl Iterator<Item = &'a ActivityDraft>) -> Option<Evidence> {
    drafts
        .flat_map(|draft| &draft.fragments)
        .map(|fragment| fragment.evidence)
        .min()
}
