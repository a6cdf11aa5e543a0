//! One tool call of a session: what the wire said about it, merged.

use std::borrow::Cow;
use std::sync::Arc;

use acp_grammar::tool::FileTool;
use acp_grammar::wire::{ContentBlock, Diff, Field, Location, ToolCallPatch, ToolContent};
use serde_json::value::RawValue;

use crate::notice::NoticeKind;
use crate::profile::Profile;
use crate::profile::openclaw::{Declared, ResultFacts};
use crate::timeline::Part;
use crate::timeline::tool_call::{CallLocation, DiffBlock, Status, ToolCall};

/// Different `_meta` objects of one call that are kept; some agents stream output in them.
const MOST_METAS: usize = 64;
/// Titles and names of shells, for agents that send no `kind`.
const SHELLS: [&str; 6] = [
    "bash",
    "exec",
    "exec_command",
    "run_shell_command",
    "shell",
    "terminal",
];

/// What may still become of a call that has no final status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outlook {
    /// It may complete.
    Open,
    /// A permission question about it waits for an answer.
    Asking,
    /// Its permission was refused.
    Refused,
    /// Its prompt ended; nothing more is expected.
    Abandoned,
}

/// A call, as a session keeps it.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) id: Arc<str>,
    /// Which of the calls with this id it is, from 0.
    pub(super) occurrence: u32,
    /// The position of its timeline item.
    pub(super) position: usize,
    /// The index of its turn.
    pub(super) turn: usize,
    pub(super) title: Arc<str>,
    pub(super) kind: Option<Arc<str>>,
    pub(super) name: Option<Arc<str>>,
    pub(super) status: Status,
    pub(super) historical: bool,
    pub(super) outlook: Outlook,
    /// All that was said, while it can still tell something new.
    pub(super) evidence: Option<Box<ToolCall>>,
    /// The evidence lacks what was said first.
    pub(super) told_in_part: bool,
    /// Profile `openclaw`: what its input declares.
    pub(super) declared: Option<Box<Declared>>,
    /// Profile `openclaw`: what its result says.
    pub(super) result: Option<Box<ResultFacts>>,
    pub(super) notices: Vec<NoticeKind>,
    /// Its output, for a reader of the timeline.
    pub(super) parts: Vec<Part>,
}

impl Call {
    pub(super) fn new(id: Arc<str>, occurrence: u32, position: usize, turn: usize) -> Self {
        Self {
            title: Arc::clone(&id),
            id,
            occurrence,
            position,
            turn,
            kind: None,
            name: None,
            status: Status::Pending,
            historical: false,
            outlook: Outlook::Open,
            evidence: None,
            told_in_part: false,
            declared: None,
            result: None,
            notices: Vec::new(),
            parts: Vec::new(),
        }
    }

    pub(super) fn is_finished(&self) -> bool {
        matches!(self.status, Status::Completed | Status::Failed)
    }

    /// True while the call may still complete.
    pub(super) fn is_open(&self) -> bool {
        !self.is_finished() && matches!(self.outlook, Outlook::Open | Outlook::Asking)
    }

    /// True for a shell command that has run, at least in part.
    pub(super) fn ran_in_shell(&self) -> bool {
        let is_shell = if let Some(kind) = self.kind.as_deref() {
            kind == "execute"
        } else {
            let title = self.title.split(':').next().unwrap_or_default().trim();
            let mut names = self.name.as_deref().into_iter().chain([title]);
            names.any(|name| SHELLS.iter().any(|shell| name.eq_ignore_ascii_case(shell)))
        };
        is_shell && self.outlook != Outlook::Refused && self.status != Status::Pending
    }

    /// The file tool that the title names.
    pub(super) fn file_tool(&self) -> Option<FileTool> {
        FileTool::from_title(&self.title)
    }

    /// Keeps of the title what names the tool, for a session that nobody reads as a timeline.
    pub(super) fn forget_title(&mut self) {
        if let Some(colon) = self.title.find(':')
            && colon + 1 < self.title.len()
        {
            self.title = self.title[..=colon].into();
        }
    }

    /// Takes in what an update says. A missing member keeps what was known.
    pub(super) fn merge(
        &mut self,
        patch: &ToolCallPatch<'_>,
        rules: Profile,
        agent: Option<&Arc<str>>,
    ) {
        if let Field::Value(title) = &patch.title {
            self.title = title.as_ref().into();
        }
        match (&patch.kind, rules) {
            (Field::Value(kind), _) => self.kind = Some(kind.as_ref().into()),
            (Field::Null, Profile::Openclaw) => self.kind = None,
            (Field::Missing | Field::Null, _) => {}
        }
        if let Field::Value(name) = &patch.name {
            self.name = Some(name.as_ref().into());
        }
        self.status = self.merged_status(&patch.status, rules);
        match rules {
            Profile::Openclaw => self.merge_input_and_output(patch),
            Profile::Acp => {
                let completes = patch
                    .status
                    .as_value()
                    .is_some_and(|word| word == "completed");
                self.evidence_mut(agent).merge(patch, completes);
            }
        }
    }

    /// The evidence, to be added to; empty when all that came before has been used up.
    pub(super) fn evidence_mut(&mut self, agent: Option<&Arc<str>>) -> &mut ToolCall {
        let evidence = self
            .evidence
            .get_or_insert_with(|| Box::new(ToolCall::new(Arc::clone(&self.id))));
        evidence.title = Arc::clone(&self.title);
        evidence.name.clone_from(&self.name);
        evidence.kind.clone_from(&self.kind);
        evidence.status = self.status;
        evidence.historical = self.historical;
        evidence.agent_name = agent.map(Arc::clone);
        evidence
    }

    fn merged_status(&self, sent: &Field<Cow<'_, str>>, rules: Profile) -> Status {
        match (sent, rules) {
            (Field::Missing, _) | (Field::Null, Profile::Acp) => self.status,
            (Field::Null, Profile::Openclaw) => Status::Pending,
            (Field::Value(word), Profile::Openclaw) => status_of(word),
            (Field::Value(word), Profile::Acp) => match status_of(word) {
                Status::Pending if word == "cancelled" => Status::Failed,
                // What is finished does not begin again; a second call has its own item.
                Status::Pending | Status::Running if self.is_finished() => self.status,
                status => status,
            },
        }
    }

    /// In profile `openclaw` an input that is there at all replaces the one before, also by
    /// nothing.
    fn merge_input_and_output(&mut self, patch: &ToolCallPatch<'_>) {
        if patch.raw_input.is_present() {
            self.declared = None;
            let raw = patch
                .raw_input
                .as_value()
                .filter(|raw| raw.get().starts_with('{'));
            match (raw, &mut self.evidence) {
                (None, None) => {}
                (None, Some(evidence)) => evidence.raw_input = None,
                (Some(raw), _) => self.evidence_mut(None).raw_input = Some(raw.get().into()),
            }
        }
        if let Field::Value(raw) = &patch.raw_output {
            self.result = None;
            self.evidence_mut(None).raw_output = Some(raw.get().into());
        }
    }
}

fn status_of(word: &str) -> Status {
    match word {
        "in_progress" => Status::Running,
        "completed" => Status::Completed,
        "failed" => Status::Failed,
        _ => Status::Pending,
    }
}

impl ToolCall {
    fn merge(&mut self, patch: &ToolCallPatch<'_>, completes: bool) {
        if let (None, Field::Value(title)) = (&self.first_title, &patch.title) {
            self.first_title = Some(title.as_ref().into());
        }
        if let Some(raw) = informative(&patch.raw_input) {
            self.raw_input = Some(raw.get().into());
        }
        if let Field::Value(raw) = &patch.raw_output {
            self.raw_output = Some(raw.get().into());
        }
        if let Field::Value(raw) = &patch.meta {
            self.add_meta(raw);
        }
        if let Field::Value(locations) = &patch.locations
            && !locations.is_empty()
        {
            self.locations = locations.iter().map(call_location).collect();
        }
        if let Field::Value(content) = &patch.content {
            let diffs = std::mem::take(&mut self.diffs);
            if !diffs.is_empty() {
                self.earlier_diffs = diffs;
            }
            self.text.clear();
            self.diffs_are_final = completes;
            for piece in content {
                self.add_content(piece);
            }
        }
    }

    /// Adds what a permission question says.
    pub(super) fn merge_permission(&mut self, patch: &ToolCallPatch<'_>) {
        if let Some(raw) = informative(&patch.raw_input) {
            self.permission.raw_input = Some(raw.get().into());
        }
        if let Field::Value(raw) = &patch.meta {
            self.add_meta(raw);
        }
        if let Field::Value(locations) = &patch.locations
            && !locations.is_empty()
        {
            self.permission.locations = locations.iter().map(call_location).collect();
        }
        if let Field::Value(content) = &patch.content {
            let diffs: Vec<DiffBlock> = content
                .iter()
                .filter_map(|piece| match piece {
                    ToolContent::Diff(diff) => Some(diff_block(diff)),
                    _ => None,
                })
                .collect();
            if !diffs.is_empty() {
                self.permission.diffs = diffs;
            }
        }
    }

    /// Adds one piece to the current content.
    pub(super) fn add_content(&mut self, piece: &ToolContent<'_>) {
        match piece {
            ToolContent::Diff(diff) => self.diffs.push(diff_block(diff)),
            ToolContent::Block(ContentBlock::Text(text)) => {
                if !self.text.is_empty() {
                    self.text.push('\n');
                }
                self.text.push_str(text);
            }
            _ => {}
        }
    }

    fn add_meta(&mut self, raw: &RawValue) {
        if self.metas.last().is_some_and(|last| **last == *raw.get()) {
            return;
        }
        if self.metas.len() == MOST_METAS {
            // The first tells what the call is, the last what came of it.
            self.metas.remove(1);
        }
        self.metas.push(raw.get().into());
    }
}

/// A value that says something: agents send an empty object before they know the input.
fn informative<'a>(field: &Field<&'a RawValue>) -> Option<&'a RawValue> {
    let raw = *field.as_value()?;
    let mut characters = raw.get().chars().filter(|c| !c.is_ascii_whitespace());
    let start = [characters.next(), characters.next()];
    let empty = matches!(
        start,
        [Some('{'), Some('}')] | [Some('['), Some(']')] | [Some('"'), Some('"')]
    );
    (!empty).then_some(raw)
}

fn call_location(location: &Location<'_>) -> CallLocation {
    CallLocation {
        path: location.path.as_ref().into(),
        line: location.line,
    }
}

fn diff_block(diff: &Diff<'_>) -> DiffBlock {
    let text = |text: &Field<Cow<'_, str>>| text.as_value().map(|text| Arc::from(text.as_ref()));
    let shared = |text: &Option<Cow<'_, str>>| text.as_deref().map(Arc::from);
    DiffBlock {
        path: diff.path.as_ref().into(),
        old_path: shared(&diff.old_path),
        old_text: text(&diff.old_text),
        new_text: text(&diff.new_text),
        operation: shared(&diff.operation),
        deleted: diff.deleted,
        file_type: shared(&diff.file_type),
        patch: shared(&diff.patch),
    }
}
