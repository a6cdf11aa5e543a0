//! The items of a session and the turns they form, taken in one update at a time.
//!
//! Items are only ever added at the end and keep their place; an update changes one item or adds
//! one. So each update costs the same, however long the session is.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::Arc;

use acp_grammar::wire::{ContentBlock, PlanEntry as WirePlanEntry};
use foldhash::HashMap;

use super::turn::{FirstLine, TurnState};
use super::{Part, PlanEntry, Role, parts};
use crate::attachment::Reference;
use crate::host::prompt::spoken;
use crate::session::TimelineText;

/// The items and turns of a session. The tool calls themselves live elsewhere; an item holds the
/// index of its call.
#[derive(Debug, Clone)]
pub(crate) struct Timeline {
    text: TimelineText,
    items: Vec<Stored>,
    turns: Vec<TurnState>,
    calls: usize,
    /// Where the user messages at the end of the timeline begin, while no turn follows them.
    user_group: Option<usize>,
    messages: HashMap<Arc<str>, MessageIds>,
    /// The segment that was opened last; what has no message id continues it while it is the last
    /// item.
    newest: Option<(OpenSegment, Arc<str>)>,
    /// The prompt that was sent last; some agents send it back.
    prompt: Option<usize>,
    /// Message segments that were opened in an earlier epoch are closed.
    epoch: u64,
    thoughts: HashMap<Arc<str>, usize>,
    plan: Option<usize>,
    references: BTreeMap<usize, Vec<Reference>>,
}

/// An item, as the timeline keeps it.
#[derive(Debug, Clone)]
pub(crate) enum Stored {
    /// A message segment; without its content when only file changes are wanted.
    Message(Option<Box<Message>>),
    /// A thought; without its content when only file changes are wanted.
    Thought(Option<Box<Thought>>),
    /// A tool call, by its index.
    Tool(usize),
    /// The plan.
    Plan(Vec<PlanEntry>),
}

#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) role: Role,
    /// `messageId`, or the one that it has in place of it.
    pub(crate) id: Arc<str>,
    pub(crate) segment: u64,
    pub(crate) parts: Vec<Part>,
    /// The first line, for what the user says.
    pub(crate) line: FirstLine,
    /// What the user says, as a transcript has it: block by block, a line end between them.
    pub(crate) words: String,
}

#[derive(Debug, Clone)]
pub(crate) struct Thought {
    pub(crate) message_id: Arc<str>,
    pub(crate) parts: Vec<Part>,
}

impl Message {
    fn speak(&mut self, block: &ContentBlock<'_>) {
        if let Some(words) = spoken(block) {
            if !self.words.is_empty() {
                self.words.push('\n');
            }
            self.words.push_str(&words);
        }
    }
}

/// What is known of a message id.
#[derive(Debug, Clone)]
struct MessageIds {
    /// How many segments it has.
    segments: u64,
    /// Its last segment, which takes in what follows while its epoch lasts.
    last: OpenSegment,
    /// Its first segment of the user.
    first_of_user: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
struct OpenSegment {
    position: usize,
    role: Role,
    epoch: u64,
}

/// How thoughts without a message id are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamelessThoughts {
    /// Each piece is a thought of its own.
    Separate,
    /// Pieces that follow each other are one thought.
    Joined,
}

impl Timeline {
    pub(crate) fn new(text: TimelineText) -> Self {
        Self {
            text,
            items: Vec::new(),
            turns: Vec::new(),
            calls: 0,
            user_group: None,
            messages: HashMap::default(),
            newest: None,
            prompt: None,
            epoch: 0,
            thoughts: HashMap::default(),
            plan: None,
            references: BTreeMap::new(),
        }
    }

    pub(crate) fn items(&self) -> &[Stored] {
        &self.items
    }

    pub(crate) fn turns(&self) -> &[TurnState] {
        &self.turns
    }

    pub(crate) fn last_turn_mut(&mut self) -> Option<&mut TurnState> {
        self.turns.last_mut()
    }

    /// The turn that the next item of the agent belongs to, if it has begun.
    pub(crate) fn current_turn(&self) -> Option<usize> {
        if self.user_group.is_some() {
            None
        } else {
            self.turns.len().checked_sub(1)
        }
    }

    /// The indices of the calls of a turn.
    pub(crate) fn calls_of(&self, turn: usize) -> Range<usize> {
        let first = |turn: &TurnState| turn.first_call;
        let start = self.turns.get(turn).map_or(self.calls, first);
        let end = self.turns.get(turn + 1).map_or(self.calls, first);
        start..end
    }

    /// The turn of an item; `None` for what the user says.
    pub(crate) fn turn_of(&self, position: usize) -> Option<usize> {
        let after = self
            .turns
            .partition_point(|turn| turn.first_position <= position);
        let of_user = matches!(
            self.items.get(position),
            Some(Stored::Message(Some(message))) if message.role == Role::User
        );
        if of_user { None } else { after.checked_sub(1) }
    }

    /// What messages, prompts and tool output refer to, by item.
    pub(crate) fn references(&self) -> &BTreeMap<usize, Vec<Reference>> {
        &self.references
    }

    /// The first line of what the user said before a turn: the user's own words before what only a
    /// client wrote.
    pub(crate) fn user_line(&self, turn: &TurnState) -> &str {
        let group = self.items.get(turn.user_group.clone()).unwrap_or_default();
        let messages = group.iter().filter_map(Stored::as_message);
        let lines = messages.map(|message| &message.line);
        lines
            .clone()
            .map(FirstLine::words)
            .chain(lines.map(FirstLine::any))
            .find(|line| !line.is_empty())
            .unwrap_or_default()
    }

    /// The last user message before a turn.
    pub(crate) fn user_message_id(&self, turn: &TurnState) -> Option<&Arc<str>> {
        let group = self.items.get(turn.user_group.clone()).unwrap_or_default();
        let last = group.last().and_then(Stored::as_message)?;
        Some(&last.id).filter(|id| !id.is_empty())
    }

    /// A piece of a message. Returns the position of its item.
    pub(crate) fn message_chunk(
        &mut self,
        role: Role,
        message_id: Option<&str>,
        block: &ContentBlock<'_>,
    ) -> usize {
        if role == Role::User && self.prompt.is_some() && self.prompt == self.last_position() {
            return self.echo(message_id);
        }
        let position = self.segment(role, message_id);
        let keep = self.text == TimelineText::Keep;
        if let Some(Stored::Message(Some(message))) = self.items.get_mut(position) {
            if let (Role::User, ContentBlock::Text(text)) = (role, block) {
                message.line.push(text);
            }
            if keep {
                parts::append(&mut message.parts, role, block);
                if role == Role::User {
                    message.speak(block);
                }
            }
        }
        if let Some(reference) = Reference::of_block(block, role == Role::User) {
            self.references.entry(position).or_default().push(reference);
        }
        position
    }

    /// A whole message: it replaces the user's first segment of that id, or the open segment of
    /// the agent's.
    pub(crate) fn whole_message(
        &mut self,
        role: Role,
        message_id: &str,
        blocks: &[ContentBlock<'_>],
    ) -> usize {
        let first_of_user = self
            .messages
            .get(message_id)
            .and_then(|ids| ids.first_of_user);
        let position = match (role, first_of_user) {
            (Role::User, Some(position)) => position,
            _ => self.segment(role, Some(message_id)),
        };
        let keep = self.text == TimelineText::Keep;
        if let Some(Stored::Message(Some(message))) = self.items.get_mut(position) {
            message.line = FirstLine::default();
            message.words.clear();
            message.parts = if keep {
                blocks.iter().map(parts::of_block).collect()
            } else {
                Vec::new()
            };
            for block in blocks {
                if let ContentBlock::Text(text) = block {
                    message.line.push(text);
                }
                if keep && role == Role::User {
                    message.speak(block);
                }
            }
        }
        self.set_references(
            position,
            blocks
                .iter()
                .filter_map(|block| Reference::of_block(block, role == Role::User)),
        );
        position
    }

    /// What the user sent from this side of the wire. It is a message of its own, also right after
    /// another one.
    pub(crate) fn prompt(&mut self, blocks: &[ContentBlock<'_>]) -> usize {
        self.newest = None;
        let position = self.segment(Role::User, None);
        for block in blocks {
            self.message_chunk(Role::User, None, block);
        }
        self.newest = None;
        self.prompt = Some(position);
        position
    }

    /// A prompt that the agent sends back, perhaps with the id that it gave it.
    fn echo(&mut self, message_id: Option<&str>) -> usize {
        let position = self.items.len().saturating_sub(1);
        if let (Some(id), Some(Stored::Message(Some(message)))) =
            (message_id, self.items.last_mut())
        {
            message.id = id.into();
            let last = OpenSegment {
                position,
                role: Role::User,
                epoch: self.epoch,
            };
            let ids = MessageIds {
                segments: 1,
                last,
                first_of_user: Some(position),
            };
            self.messages.entry(Arc::clone(&message.id)).or_insert(ids);
        }
        position
    }

    /// A piece of a thought.
    pub(crate) fn thought_chunk(
        &mut self,
        message_id: Option<&str>,
        block: &ContentBlock<'_>,
        nameless: NamelessThoughts,
    ) -> usize {
        let last = self.last_position();
        let continues = message_id.is_none()
            && nameless == NamelessThoughts::Joined
            && matches!(self.items.last(), Some(Stored::Thought(_)));
        let position = match (last, continues) {
            (Some(last), true) => last,
            _ => self.thought(message_id),
        };
        self.close_segments();
        if let Some(Stored::Thought(Some(thought))) = self.items.get_mut(position) {
            match (thought.parts.last_mut(), block) {
                (Some(Part::Text(before)), ContentBlock::Text(text)) => before.push_str(text),
                _ => thought.parts.push(parts::of_block(block)),
            }
        }
        position
    }

    /// A whole thought: it replaces what its id had.
    pub(crate) fn whole_thought(&mut self, message_id: &str, blocks: &[ContentBlock<'_>]) -> usize {
        let position = self.thought(Some(message_id));
        self.close_segments();
        if let Some(Stored::Thought(Some(thought))) = self.items.get_mut(position) {
            thought.parts = blocks.iter().map(parts::of_block).collect();
        }
        position
    }

    /// The plan, which replaces the one before in its place.
    pub(crate) fn plan(&mut self, entries: &[WirePlanEntry<'_>]) -> usize {
        self.close_segments();
        let entries = match self.text {
            TimelineText::FirstLines => Vec::new(),
            TimelineText::Keep => entries.iter().map(plan_entry).collect(),
        };
        if let Some(position) = self.plan {
            if let Some(item) = self.items.get_mut(position) {
                *item = Stored::Plan(entries);
            }
            return position;
        }
        let position = self.push_of_agent(Stored::Plan(entries), || "plan:current".into());
        self.plan = Some(position);
        position
    }

    /// A tool call that was not there before, by its item id. Returns the position of its item;
    /// the call gets the next index.
    pub(crate) fn tool(&mut self, item_id: &str) -> usize {
        let position = self.push_of_agent(Stored::Tool(self.calls), || item_id.into());
        self.calls += 1;
        position
    }

    /// Ends all open message segments: what follows with the same id is a new segment.
    pub(crate) fn close_segments(&mut self) {
        self.epoch += 1;
    }

    /// Replaces what an item refers to.
    pub(crate) fn set_references(
        &mut self,
        position: usize,
        references: impl Iterator<Item = Reference>,
    ) {
        let references: Vec<Reference> = references.collect();
        if references.is_empty() {
            self.references.remove(&position);
        } else {
            self.references.insert(position, references);
        }
    }

    /// Adds to what an item refers to.
    pub(crate) fn add_reference(&mut self, position: usize, reference: Reference) {
        self.references.entry(position).or_default().push(reference);
    }

    /// Gives back the room to grow.
    pub(crate) fn shrink(&mut self) {
        self.items.shrink_to_fit();
        self.turns.shrink_to_fit();
        self.messages.shrink_to_fit();
        self.thoughts.shrink_to_fit();
    }

    /// The open segment of a message, or a new one.
    fn segment(&mut self, role: Role, message_id: Option<&str>) -> usize {
        let epoch = self.epoch;
        let takes_more = |open: &OpenSegment| open.role == role && open.epoch == epoch;
        let Some(message_id) = message_id else {
            return self.nameless_segment(role);
        };
        let position = self.items.len();
        let open = OpenSegment {
            position,
            role,
            epoch,
        };
        let of_user = (role == Role::User).then_some(position);
        let (message_id, segment) = match self.messages.get_key_value(message_id) {
            Some((_, ids)) if takes_more(&ids.last) => return ids.last.position,
            Some((id, ids)) => (Arc::clone(id), ids.segments),
            None => (message_id.into(), 0),
        };
        let ids = self
            .messages
            .entry(Arc::clone(&message_id))
            .or_insert(MessageIds {
                segments: 0,
                last: open,
                first_of_user: None,
            });
        ids.segments += 1;
        ids.last = open;
        ids.first_of_user = ids.first_of_user.or(of_user);
        self.push_message(role, message_id, segment)
    }

    /// The segment of a message without an id: the item at the end, if it is one of this role and
    /// open, else a new one.
    fn nameless_segment(&mut self, role: Role) -> usize {
        if let Some((open, _)) = self.open_at_the_end(role) {
            return open.position;
        }
        let speaker = match role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        let message_id: Arc<str> = format!("{speaker}:message:{}", self.items.len()).into();
        self.push_message(role, message_id, 0)
    }

    fn push_message(&mut self, role: Role, id: Arc<str>, segment: u64) -> usize {
        let position = self.items.len();
        let open = OpenSegment {
            position,
            role,
            epoch: self.epoch,
        };
        self.newest = Some((open, Arc::clone(&id)));
        let named = Arc::clone(&id);
        let keeps_content = role == Role::User || self.text == TimelineText::Keep;
        let content = keeps_content.then(|| {
            Box::new(Message {
                role,
                id,
                segment,
                parts: Vec::new(),
                line: FirstLine::default(),
                words: String::new(),
            })
        });
        let item = Stored::Message(content);
        match role {
            Role::Assistant => self.push_of_agent(item, || format!("{named}:{segment}").into()),
            Role::User => {
                self.user_group.get_or_insert(position);
                self.items.push(item);
                position
            }
        }
    }

    /// The item of a thought, new or not.
    fn thought(&mut self, message_id: Option<&str>) -> usize {
        let position = self.items.len();
        let continued = match message_id {
            Some(id) => Some(Arc::from(id)),
            None => self
                .open_at_the_end(Role::Assistant)
                .map(|(_, id)| Arc::clone(id)),
        };
        let message_id: Arc<str> = match continued {
            Some(id) => match self.thoughts.entry(Arc::clone(&id)) {
                Entry::Occupied(known) => return *known.get(),
                Entry::Vacant(vacant) => {
                    vacant.insert(position);
                    id
                }
            },
            // The id tells the position, so it does not come again.
            None => format!("assistant:message:{position}").into(),
        };
        let content = (self.text == TimelineText::Keep).then(|| {
            Box::new(Thought {
                message_id: Arc::clone(&message_id),
                parts: Vec::new(),
            })
        });
        self.push_of_agent(Stored::Thought(content), || {
            format!("thought:{message_id}").into()
        })
    }

    /// Adds an item of the agent; the first one after the user begins a turn and names it.
    fn push_of_agent(&mut self, item: Stored, id: impl FnOnce() -> Arc<str>) -> usize {
        let position = self.items.len();
        let user_group = self.user_group.take();
        if user_group.is_some() || self.turns.is_empty() {
            self.turns.push(TurnState {
                id: format!("assistant-turn:{}", id()).into(),
                first_position: position,
                user_group: user_group.unwrap_or(position)..position,
                first_call: self.calls,
                stop_reason: None,
            });
        }
        self.items.push(item);
        position
    }

    /// The last item, if it is an open message segment of this role, with its message.
    fn open_at_the_end(&self, role: Role) -> Option<&(OpenSegment, Arc<str>)> {
        self.newest.as_ref().filter(|(open, _)| {
            Some(open.position) == self.last_position()
                && open.role == role
                && open.epoch == self.epoch
        })
    }

    fn last_position(&self) -> Option<usize> {
        self.items.len().checked_sub(1)
    }
}

impl Stored {
    fn as_message(&self) -> Option<&Message> {
        match self {
            Self::Message(message) => message.as_deref(),
            Self::Thought(_) | Self::Tool(_) | Self::Plan(_) => None,
        }
    }
}

fn plan_entry(entry: &WirePlanEntry<'_>) -> PlanEntry {
    PlanEntry {
        content: entry.content.as_ref().into(),
        status: entry.status.as_ref().into(),
        priority: entry.priority.as_ref().into(),
    }
}
