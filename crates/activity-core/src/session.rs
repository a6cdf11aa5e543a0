//! A session: events in, file activity out.
//!
//! Taking in an event costs the same however long the session is; reading costs as much as what
//! is read.

mod call;
mod changes;
#[cfg(any(test, fuzzing))]
mod fuzz;
mod ledger;
mod notices;
mod read;
mod settle;
mod tool;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::mem;
use std::sync::Arc;

use acp_grammar::wire::{Field, MessageChunk, PlanEntry, Update, WholeMessage};
use foldhash::HashMap;

use crate::event::{Event, PermissionAnswer};
use crate::path::Workspace;
use crate::profile::{ActivityDraft, KnownPaths, Profile, ProfileChoice};
use crate::timeline::Role;
use crate::timeline::store::{NamelessThoughts, Timeline};
use crate::timeline::tool_call::Status;
use call::{Call, Outlook};
use changes::{ChangeLog, Target};
#[cfg(any(test, fuzzing))]
pub use fuzz::fuzz_session;
use ledger::Ledger;

/// How a session is read.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How the profile is chosen.
    pub profile: ProfileChoice,
    /// The workspace root, as an authority that wins over the session's own directory.
    pub workspace_root: Option<Arc<str>>,
    /// The working directory, as an authority that wins over the session's own directory.
    pub cwd: Option<Arc<str>>,
    /// What is kept of messages, thoughts and tool output.
    pub text: TimelineText,
}

/// What a session keeps of messages, thoughts and tool output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimelineText {
    /// All of it, for a timeline that a person reads.
    #[default]
    Keep,
    /// The first line of what the user said; for a reader that is after file changes only.
    FirstLines,
}

/// The state of a session, as a number that grows with every event that changed something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Revision(pub u64);

/// What changed since a revision.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// The revision that this brings the reader to.
    pub revision: Revision,
    /// Everything may have changed (another profile, another workspace): read all anew.
    pub reset: bool,
    /// Paths of files whose activities changed, each once.
    pub files: Vec<Arc<str>>,
    /// Ids of turns whose summaries, notices or state changed, each once.
    pub turns: Vec<Arc<str>>,
    /// Positions of timeline items that are new or changed, each once, ascending.
    pub items: Vec<usize>,
    /// Something about the session itself changed: agent, workspace, notices.
    pub session: bool,
}

/// The agent of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Its name.
    pub name: Arc<str>,
    /// Its version, if it said one.
    pub version: Option<Arc<str>>,
}

/// A run of assistant items between two user messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// `assistant-turn:` and the id of its first item.
    pub id: Arc<str>,
    /// The last user message before it.
    pub user_message_id: Option<Arc<str>>,
    /// The first line of what the user said before it; empty when nothing is known.
    pub user_line: Arc<str>,
    /// Why its prompt ended (`end_turn`, `cancelled`, ...), if it did.
    pub stop_reason: Option<Arc<str>>,
}

/// What the user said at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserMessage {
    /// The id of its item.
    pub id: Arc<str>,
    /// The position of its item.
    pub position: usize,
    /// The words, as a transcript has them: those of the text, and links, a line each. Empty
    /// unless the session keeps texts.
    pub words: Arc<str>,
    /// The turn that it began; `None` when there is none yet, or when another message of the user
    /// follows.
    pub turn_id: Option<Arc<str>>,
}

/// What a call asked to do to a file and did not do, or has not done yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requested {
    /// The turn.
    pub turn_id: Arc<str>,
    /// The tool call.
    pub tool_call_id: Arc<str>,
    /// True while the call may still complete.
    pub open: bool,
    /// The change.
    pub draft: ActivityDraft,
}

/// One session. See the crate's documentation for its invariants.
#[derive(Debug, Clone)]
pub struct Session {
    id: Arc<str>,
    options: Options,
    agent: Option<Agent>,
    /// `cwd` as the wire named it.
    cwd: Option<Arc<str>>,
    workspace: Option<Workspace>,
    profile: Profile,
    /// The profile stays as it is from here on.
    profile_decided: bool,
    known_paths: KnownPaths,
    changes: ChangeLog,
    content: Content,
    /// What was there before a load, in case it fails.
    before_load: Option<Box<(Content, KnownPaths)>>,
}

/// What the updates of a session built up.
#[derive(Debug, Clone)]
struct Content {
    timeline: Timeline,
    calls: Vec<Call>,
    turn_ids: HashMap<Arc<str>, usize>,
    /// The last call of each id.
    call_ids: HashMap<Arc<str>, usize>,
    /// Calls from which more is expected.
    open_calls: BTreeSet<usize>,
    /// The last finished calls, whose evidence is still kept.
    kept_evidence: VecDeque<usize>,
    /// Permission questions that wait for an answer.
    questions: HashMap<Arc<str>, usize>,
    ledger: Ledger,
    /// How many messages were lost, by the turn in which they were.
    gaps: BTreeMap<Option<usize>, Vec<Option<u64>>>,
    history: History,
    /// The directory in which the agent works, where a result tells that it is not the session's.
    agent_cwd: Option<Arc<str>>,
}

/// What a load brought back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct History {
    phase: LoadPhase,
    /// The replay had something that the agent said.
    has_messages: bool,
    /// The replay had tool calls.
    has_calls: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum LoadPhase {
    /// Nothing was loaded.
    #[default]
    None,
    /// A load began.
    Loading,
    /// A load was answered. What comes before the next prompt can still belong to it.
    Answered,
    /// A prompt was sent after the load.
    Over,
}

impl History {
    fn is_replaying(self) -> bool {
        matches!(self.phase, LoadPhase::Loading | LoadPhase::Answered)
    }

    fn is_loaded(self) -> bool {
        matches!(self.phase, LoadPhase::Answered | LoadPhase::Over)
    }

    fn end(&mut self) {
        if self.phase != LoadPhase::None {
            self.phase = LoadPhase::Over;
        }
    }
}

impl Session {
    /// A session of which nothing is known yet.
    pub fn new(id: impl Into<Arc<str>>, options: Options) -> Self {
        let (profile, profile_decided) = match options.profile {
            ProfileChoice::Auto => (Profile::Acp, false),
            ProfileChoice::Fixed(profile) => (profile, true),
        };
        let content = Content::new(options.text);
        let mut session = Self {
            id: id.into(),
            options,
            agent: None,
            cwd: None,
            workspace: None,
            profile,
            profile_decided,
            known_paths: KnownPaths::default(),
            changes: ChangeLog::default(),
            content,
            before_load: None,
        };
        session.workspace = session.find_workspace();
        session
    }

    /// Takes in what happened; never fails, since what an agent sends is no error of the reader.
    pub fn apply(&mut self, event: Event<'_>) -> Revision {
        self.changes.begin();
        let turns = self.content.timeline.turns().len();
        match event {
            Event::AgentNamed { name, version } => self.agent_named(&name, version.as_deref()),
            Event::Opened { cwd } => self.opened(&cwd),
            Event::LoadStarted => self.load_started(),
            Event::LoadEnded => self.load_ended(),
            Event::LoadFailed => self.load_failed(),
            Event::Update(update) => self.update(&update),
            Event::PermissionRequested {
                request_id,
                tool_call,
            } => {
                self.permission_requested(&request_id, &tool_call);
            }
            Event::PermissionAnswered { request_id, answer } => {
                self.permission_answered(&request_id, &answer);
            }
            Event::PromptSent { blocks } => {
                self.content.history.end();
                let position = self.content.timeline.prompt(&blocks);
                self.touch_item(position);
            }
            Event::PromptEnded { stop_reason } => self.prompt_ended(stop_reason.as_deref()),
            Event::RunReplaced => self.run_replaced(),
            Event::GapNoticed { missed } => {
                let turn = self.content.timeline.current_turn();
                self.content.gaps.entry(turn).or_default().push(missed);
                self.changes
                    .touch(turn.map_or(Target::Session, Target::Turn));
            }
        }
        self.note_turns_from(turns);
        self.changes.finish();
        self.changes.revision()
    }

    /// Enters the turns that began with this event.
    fn note_turns_from(&mut self, first: usize) {
        let turns = self.content.timeline.turns();
        for (index, turn) in turns.iter().enumerate().skip(first) {
            self.content.turn_ids.insert(Arc::clone(&turn.id), index);
            self.changes.touch(Target::Turn(index));
        }
    }

    fn agent_named(&mut self, name: &str, version: Option<&str>) {
        let agent = Agent {
            name: name.into(),
            version: version.map(Into::into),
        };
        if self.agent.as_ref() == Some(&agent) {
            return;
        }
        self.agent = Some(agent);
        self.changes.touch(Target::Session);
        if !self.profile_decided {
            self.profile_decided = true;
            if is_openclaw(name) {
                self.become_openclaw();
            }
        }
    }

    fn opened(&mut self, cwd: &str) {
        if self.cwd.as_deref() == Some(cwd) {
            return;
        }
        self.cwd = Some(cwd.into());
        self.changes.touch(Target::Session);
        let workspace = self.find_workspace();
        if workspace != self.workspace {
            self.workspace = workspace;
            self.changes.reset();
            self.settle_all();
        }
    }

    /// Root and directory by the caller's authority, else by the session's own directory.
    fn find_workspace(&self) -> Option<Workspace> {
        let (root, cwd) = self.directories()?;
        Workspace::new(root, cwd)
    }

    fn directories(&self) -> Option<(&Arc<str>, &Arc<str>)> {
        let cwd = self.options.cwd.as_ref().or(self.cwd.as_ref());
        let root = self.options.workspace_root.as_ref().or(cwd)?;
        Some((root, cwd.unwrap_or(root)))
    }

    fn load_started(&mut self) {
        let content = mem::replace(&mut self.content, Content::new(self.options.text));
        self.content.history.phase = LoadPhase::Loading;
        if !content.timeline.items().is_empty() {
            self.changes.reset();
        }
        // Where a load has begun that nobody answered, it began with the session as it was.
        if self.before_load.is_none() {
            self.before_load = Some(Box::new((content, self.known_paths.clone())));
        }
        self.known_paths.replay_started();
    }

    fn load_ended(&mut self) {
        self.before_load = None;
        self.content.history.phase = LoadPhase::Answered;
        self.changes.touch(Target::Session);
    }

    fn load_failed(&mut self) {
        if let Some(before) = self.before_load.take() {
            (self.content, self.known_paths) = *before;
            self.changes.reset();
        }
    }

    fn update(&mut self, update: &Update<'_>) {
        match update {
            Update::UserMessageChunk(chunk) => self.message_chunk(Role::User, chunk),
            Update::AgentMessageChunk(chunk) => self.message_chunk(Role::Assistant, chunk),
            Update::UserMessage(message) => self.whole_message(Role::User, message),
            Update::AgentMessage(message) => self.whole_message(Role::Assistant, message),
            Update::AgentThoughtChunk(chunk) => {
                let nameless = match (self.profile, self.profile_decided) {
                    (Profile::Acp, true) => NamelessThoughts::Joined,
                    _ => NamelessThoughts::Separate,
                };
                let id = chunk.message_id.as_deref();
                let position = self
                    .content
                    .timeline
                    .thought_chunk(id, &chunk.content, nameless);
                self.touch_item(position);
            }
            Update::AgentThought(message) => {
                // The reference does not know this update, so its turns do not either.
                if self.profile == Profile::Acp
                    && let Some(id) = &message.message_id
                    && let Some(content) = message.content.as_value()
                {
                    let position = self.content.timeline.whole_thought(id, content);
                    self.touch_item(position);
                }
            }
            Update::ToolCall(patch) => self.tool_call(patch),
            Update::ToolCallUpdate(patch) => self.tool_call_update(patch),
            Update::ToolContentChunk {
                tool_call_id,
                content,
            } => {
                self.tool_content(tool_call_id, content);
            }
            Update::Plan { entries } => self.plan(entries),
            // The reference does not know this one either.
            Update::PlanUpdate { entries } if self.profile == Profile::Acp => self.plan(entries),
            _ => {}
        }
    }

    fn message_chunk(&mut self, role: Role, chunk: &MessageChunk<'_>) {
        let id = chunk.message_id.as_deref();
        let position = self
            .content
            .timeline
            .message_chunk(role, id, &chunk.content);
        self.said(role, position);
    }

    fn whole_message(&mut self, role: Role, message: &WholeMessage<'_>) {
        let Some(id) = message.message_id.as_deref().filter(|id| !id.is_empty()) else {
            return;
        };
        let content = match (&message.content, self.profile) {
            (Field::Value(content), _) => content.as_slice(),
            (Field::Missing | Field::Null, Profile::Openclaw) => &[],
            // Without content it says nothing new of what was said.
            (Field::Missing | Field::Null, Profile::Acp) => return,
        };
        let position = self.content.timeline.whole_message(role, id, content);
        self.said(role, position);
    }

    fn plan(&mut self, entries: &[PlanEntry<'_>]) {
        let position = self.content.timeline.plan(entries);
        self.touch_item(position);
    }

    fn said(&mut self, role: Role, position: usize) {
        if role == Role::Assistant && self.content.history.is_replaying() {
            self.content.history.has_messages = true;
        }
        self.touch_item(position);
    }

    fn run_replaced(&mut self) {
        for index in mem::take(&mut self.content.open_calls) {
            let Some(call) = self.content.calls.get_mut(index) else {
                continue;
            };
            call.status = Status::Failed;
            call.outlook = Outlook::Abandoned;
            let (position, turn) = (call.position, call.turn);
            self.touch_item(position);
            self.changes.touch(Target::Turn(turn));
        }
    }

    fn prompt_ended(&mut self, stop_reason: Option<&str>) {
        for call in mem::take(&mut self.content.open_calls) {
            if let Some(call) = self.content.calls.get_mut(call) {
                call.outlook = Outlook::Abandoned;
                self.changes.touch(Target::Turn(call.turn));
            }
        }
        let turn = self.content.timeline.current_turn();
        if let Some((turn, state)) = turn.zip(self.content.timeline.last_turn_mut()) {
            state.stop_reason = Some(stop_reason.unwrap_or("error").into());
            self.changes.touch(Target::Turn(turn));
        }
    }

    fn permission_answered(&mut self, request_id: &str, answer: &PermissionAnswer<'_>) {
        let Some(index) = self.content.questions.remove(request_id) else {
            return;
        };
        let Some(call) = self.content.calls.get_mut(index) else {
            return;
        };
        call.outlook = match answer {
            PermissionAnswer::Selected {
                rejected: false, ..
            } => Outlook::Open,
            PermissionAnswer::Selected { rejected: true, .. } | PermissionAnswer::Cancelled => {
                self.content.open_calls.remove(&index);
                Outlook::Refused
            }
        };
        let (position, turn) = (call.position, call.turn);
        self.touch_item(position);
        self.changes.touch(Target::Turn(turn));
    }

    /// From here on the rules of profile `openclaw` hold.
    fn become_openclaw(&mut self) {
        self.profile_decided = true;
        if self.profile != Profile::Openclaw {
            self.profile = Profile::Openclaw;
            if !self.content.calls.is_empty() {
                self.changes.reset();
                self.settle_all();
            }
        }
    }

    fn touch_item(&mut self, position: usize) {
        // A reader that is after file changes only asks for no items.
        if self.options.text == TimelineText::Keep {
            self.changes.touch(Target::Item(position));
        }
    }
}

impl Content {
    fn new(text: TimelineText) -> Self {
        Self {
            timeline: Timeline::new(text),
            calls: Vec::new(),
            turn_ids: HashMap::default(),
            call_ids: HashMap::default(),
            open_calls: BTreeSet::new(),
            kept_evidence: VecDeque::new(),
            questions: HashMap::default(),
            ledger: Ledger::default(),
            gaps: BTreeMap::new(),
            history: History::default(),
            agent_cwd: None,
        }
    }
}

/// `openclaw`, `openclaw-acp`, and what else the agent may call itself.
fn is_openclaw(agent: &str) -> bool {
    let agent = agent.to_ascii_lowercase();
    agent
        .strip_prefix("openclaw")
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}
