//! What updates and permission questions say about tool calls.

use std::sync::Arc;

use acp_grammar::tool::FileTool;
use acp_grammar::wire::{ToolCallPatch, ToolContent};

use super::call::{Call, Outlook};
use super::{Session, Target, TimelineText};
use crate::attachment::Reference;
use crate::profile::{Profile, ProfileChoice};
use crate::timeline::parts;
use crate::timeline::tool_call::Status;

/// What a message about a call may do when its id is taken by a call that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Naming {
    /// It announces a call: one that is over is not meant.
    Announces,
    /// It continues the last call of that id.
    Continues,
}

impl Session {
    pub(super) fn tool_call(&mut self, patch: &ToolCallPatch<'_>) {
        self.patch_call(patch, Naming::Announces);
    }

    pub(super) fn tool_call_update(&mut self, patch: &ToolCallPatch<'_>) {
        self.patch_call(patch, Naming::Continues);
    }

    fn patch_call(&mut self, patch: &ToolCallPatch<'_>, naming: Naming) {
        let id = patch.tool_call_id.as_ref();
        if id.is_empty() {
            return;
        }
        self.decide_by_title(patch);
        let sent_status = patch.status.as_value().map(AsRef::as_ref);
        let index = self.call_for(id, naming, sent_status);
        let keeps_parts = self.options.text == TimelineText::Keep;
        let historical = self.content.history.is_replaying();
        let Some(call) = self.content.calls.get_mut(index) else {
            return;
        };
        call.historical |= historical;
        let position = call.position;
        if call.status == Status::Completed && says_only_completed(patch) {
            self.touch_item(position);
            return;
        }
        call.merge(
            patch,
            self.profile,
            self.agent.as_ref().map(|agent| &agent.name),
        );
        if patch.content.is_present() {
            let content = patch
                .content
                .as_value()
                .map(Vec::as_slice)
                .unwrap_or_default();
            if keeps_parts && (self.profile == Profile::Openclaw || !content.is_empty()) {
                call.parts = content.iter().map(parts::of_tool_content).collect();
            }
            let references = content.iter().filter_map(reference);
            self.content.timeline.set_references(position, references);
        }
        self.touch_item(position);
        self.settle(index);
    }

    /// One more piece of output of a call.
    pub(super) fn tool_content(&mut self, tool_call_id: &str, content: &[ToolContent<'_>]) {
        if tool_call_id.is_empty() {
            return;
        }
        let is_new = !self.content.call_ids.contains_key(tool_call_id);
        let index = self.call_for(tool_call_id, Naming::Continues, None);
        let keeps_parts = self.options.text == TimelineText::Keep;
        let historical = self.content.history.is_replaying();
        let Some(call) = self.content.calls.get_mut(index) else {
            return;
        };
        call.historical |= historical;
        if is_new {
            call.status = Status::Running;
        }
        if keeps_parts {
            call.parts
                .extend(content.iter().map(parts::of_tool_content));
        }
        if self.profile == Profile::Acp && !call.is_finished() {
            let evidence = call.evidence_mut(self.agent.as_ref().map(|agent| &agent.name));
            for piece in content {
                evidence.add_content(piece);
            }
        }
        let position = call.position;
        for reference in content.iter().filter_map(reference) {
            self.content.timeline.add_reference(position, reference);
        }
        self.touch_item(position);
        self.settle(index);
    }

    pub(super) fn permission_requested(&mut self, request_id: &str, patch: &ToolCallPatch<'_>) {
        let id = patch.tool_call_id.as_ref();
        if id.is_empty() {
            return;
        }
        self.decide_by_title(patch);
        let index = match self.profile {
            Profile::Acp => self.call_for(id, Naming::Announces, Some("pending")),
            // There a question is no part of the timeline.
            Profile::Openclaw => match self.content.call_ids.get(id) {
                Some(index) => *index,
                None => return,
            },
        };
        let Some(call) = self.content.calls.get_mut(index) else {
            return;
        };
        call.outlook = Outlook::Asking;
        if self.profile == Profile::Acp {
            if let Some(title) = patch.title.as_value().filter(|_| *call.title == *call.id) {
                call.title = title.as_ref().into();
            }
            if call.kind.is_none() {
                call.kind = patch.kind.as_value().map(|kind| kind.as_ref().into());
            }
            let agent = self.agent.as_ref().map(|agent| &agent.name);
            call.evidence_mut(agent).merge_permission(patch);
        }
        let (position, turn) = (call.position, call.turn);
        self.content.questions.insert(request_id.into(), index);
        self.touch_item(position);
        self.changes.touch(Target::Turn(turn));
    }

    /// Without an agent's name, a title of one of the file tools decides for profile `openclaw`.
    fn decide_by_title(&mut self, patch: &ToolCallPatch<'_>) {
        if self.profile_decided || self.options.profile != ProfileChoice::Auto {
            return;
        }
        if patch
            .title
            .as_value()
            .is_some_and(|title| FileTool::from_title(title).is_some())
        {
            self.become_openclaw();
        }
    }

    /// The call that a message is about, made if need be. A message of the agent does not go on
    /// behind it.
    fn call_for(&mut self, id: &str, naming: Naming, sent_status: Option<&str>) -> usize {
        self.content.timeline.close_segments();
        // Most messages are about the last call.
        let last = self.content.calls.last().filter(|call| *call.id == *id);
        let known = match last {
            Some(_) => self.content.calls.len().checked_sub(1),
            None => self.content.call_ids.get(id).copied(),
        };
        let occurrence = match known.and_then(|index| Some((index, self.content.calls.get(index)?)))
        {
            None => 0,
            Some((_, call)) if self.is_another_call(call, naming, sent_status) => {
                call.occurrence + 1
            }
            Some((index, _)) => return index,
        };
        let index = self.content.calls.len();
        let id: Arc<str> = id.into();
        let item_id = item_id(&id, occurrence);
        let position = self.content.timeline.tool(&item_id);
        let turn = self.content.timeline.turns().len().saturating_sub(1);
        self.content
            .calls
            .push(Call::new(Arc::clone(&id), occurrence, position, turn));
        self.content.ledger.add_call(turn);
        self.content.call_ids.insert(id, index);
        self.content.history.has_calls |= self.content.history.is_replaying();
        index
    }

    /// Some models number their calls anew in every turn, so an id can come again for another
    /// call.
    fn is_another_call(&self, call: &Call, naming: Naming, sent_status: Option<&str>) -> bool {
        let over = call.is_finished() || call.outlook == Outlook::Abandoned;
        let begins = !matches!(sent_status, Some("completed" | "failed"));
        self.profile == Profile::Acp
            && naming == Naming::Announces
            && over
            && (begins || self.content.timeline.current_turn() != Some(call.turn))
    }
}

/// True for a patch that says nothing but that a call is completed.
fn says_only_completed(patch: &ToolCallPatch<'_>) -> bool {
    let says_more = patch.title.is_present()
        || patch.kind.is_present()
        || patch.name.is_present()
        || patch.content.is_present()
        || patch.locations.is_present()
        || patch.raw_input.is_present()
        || patch.raw_output.is_present()
        || patch.meta.is_present();
    patch
        .status
        .as_value()
        .is_some_and(|status| status == "completed")
        && !says_more
}

/// The id of a call's timeline item.
pub(super) fn item_id(tool_call_id: &str, occurrence: u32) -> String {
    match occurrence {
        0 => format!("tool:{tool_call_id}"),
        _ => format!("tool:{tool_call_id}#{}", occurrence + 1),
    }
}

fn reference(piece: &ToolContent<'_>) -> Option<Reference> {
    match piece {
        ToolContent::Block(block) => Reference::of_block(block, false),
        _ => None,
    }
}
