//! What a session tells.

use std::sync::Arc;

use super::call::{Call, Outlook};
use super::ledger::{Counts, Entry, Listed};
use super::tool::item_id;
use super::{Agent, Changes, Requested, Revision, Session, Target, Turn, UserMessage};
use crate::attachment::Attachment;
use crate::compose::{Piece, display_diff, net_change};
use crate::count::line_counts;
use crate::model::{Activity, FileGroup, FileSummary, Net, PathStanding, TurnChange};
use crate::path::Workspace;
use crate::profile::openclaw::{self, ResultFacts};
use crate::profile::{ActivityDraft, Context, Profile, acp};
use crate::timeline::store::Stored;
use crate::timeline::tool_call::Status;
use crate::timeline::turn::TurnState;
use crate::timeline::{Item, ItemKind, Role};

impl Session {
    /// The session's id.
    pub fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// The state that the session is in.
    pub fn revision(&self) -> Revision {
        self.changes.revision()
    }

    /// The agent, if it named itself.
    pub fn agent(&self) -> Option<&Agent> {
        self.agent.as_ref()
    }

    /// The profile that is in force.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The workspace; `None` without an authority for it (a notice says why).
    pub fn workspace(&self) -> Option<&Workspace> {
        self.workspace.as_ref()
    }

    /// What changed after `revision`.
    ///
    /// Sequences are counted over the whole session, so a call that completes late moves those of
    /// later files; that alone is no change of these files.
    pub fn changes_since(&self, revision: Revision) -> Changes {
        let mut changes = Changes {
            revision: self.revision(),
            ..Changes::default()
        };
        if revision < self.changes.reset_at() {
            changes.reset = true;
            return changes;
        }
        for target in self.changes.since(revision) {
            match target {
                Target::Session => changes.session = true,
                Target::File(file) => changes
                    .files
                    .extend(self.content.ledger.path_of(file).cloned()),
                Target::Turn(turn) => changes
                    .turns
                    .extend(self.turn_state(turn).map(|turn| Arc::clone(&turn.id))),
                Target::Item(position) => changes.items.push(position),
            }
        }
        changes.items.sort_unstable();
        changes
    }

    /// All activities, in order. Costs as much as there are.
    pub fn activities(&self) -> Vec<Arc<Activity>> {
        self.activities_of(self.content.ledger.entries_in(0..self.content.calls.len()))
    }

    /// How many bytes of text all activities have together.
    pub fn text_bytes(&self) -> usize {
        let ledger = &self.content.ledger;
        let entries = ledger.entries_in(0..self.content.calls.len());
        let fragments = entries
            .filter_map(|entry| ledger.listed(entry))
            .flat_map(|listed| &listed.draft.fragments);
        fragments
            .map(|fragment| fragment.old_text.len() + fragment.new_text.len())
            .sum()
    }

    /// The turns, in order, also those without file activity.
    pub fn turns(&self) -> Vec<Turn> {
        let timeline = &self.content.timeline;
        let turns = timeline.turns().iter().map(|turn| Turn {
            id: Arc::clone(&turn.id),
            user_message_id: timeline.user_message_id(turn).cloned(),
            user_line: timeline.user_line(turn).into(),
            stop_reason: turn.stop_reason.clone(),
        });
        turns.collect()
    }

    /// The turn that the next item of the agent belongs to, if it has begun.
    pub fn current_turn(&self) -> Option<&Arc<str>> {
        let turn = self.content.timeline.current_turn()?;
        self.turn_state(turn).map(|turn| &turn.id)
    }

    /// What the user said, message by message.
    pub fn user_messages(&self) -> Vec<UserMessage> {
        let timeline = &self.content.timeline;
        let mut turns = timeline.turns().iter().peekable();
        let mut messages = Vec::new();
        for (position, item) in timeline.items().iter().enumerate() {
            let Stored::Message(Some(message)) = item else {
                continue;
            };
            if message.role != Role::User {
                continue;
            }
            while turns
                .next_if(|turn| turn.first_position <= position)
                .is_some()
            {}
            let began = turns
                .peek()
                .filter(|turn| turn.user_group.end == position + 1);
            messages.extend(self.item_id(position).map(|id| UserMessage {
                id,
                position,
                words: message.words.as_str().into(),
                turn_id: began.map(|turn| Arc::clone(&turn.id)),
            }));
        }
        messages
    }

    /// The rows of a turn, in order of the first activity. Costs as much as the turn has.
    pub fn turn_summaries(&self, turn_id: &str) -> Vec<FileSummary> {
        let mut summaries: Vec<(FileSummary, Counts)> = Vec::new();
        let mut rows = foldhash::HashMap::default();
        for entry in self.entries_of_turn(turn_id) {
            let (Some(listed), Some(activity)) =
                (self.content.ledger.listed(entry), self.activity(entry))
            else {
                continue;
            };
            let row = *rows
                .entry(Arc::clone(&activity.relative_path))
                .or_insert(summaries.len());
            match summaries.get_mut(row) {
                None => summaries.push((
                    FileSummary {
                        turn_id: Arc::clone(&activity.turn_id),
                        relative_path: Arc::clone(&activity.relative_path),
                        action: activity.action,
                        activities: vec![activity],
                        counts: None,
                    },
                    listed.counts,
                )),
                Some((summary, counts)) => {
                    summary.action = summary.action.then(activity.action);
                    summary.activities.push(activity);
                    *counts = counts.plus(listed.counts);
                }
            }
        }
        let counted = summaries.into_iter().map(|(summary, counts)| FileSummary {
            counts: counts.exact(),
            ..summary
        });
        counted.collect()
    }

    /// The paths of all changed files, in order of the first activity.
    pub fn paths(&self) -> Vec<Arc<str>> {
        let ledger = &self.content.ledger;
        ledger
            .files_in_order()
            .into_iter()
            .filter_map(|file| ledger.path_of(file).cloned())
            .collect()
    }

    /// All that was done to a path. Costs as much as the path has.
    pub fn file(&self, relative_path: &str) -> Option<FileGroup> {
        let file = self.content.ledger.file_of(relative_path)?;
        self.file_group(file)
    }

    /// The changes of all files, in order of the first activity.
    pub fn files(&self) -> Vec<FileGroup> {
        let files = self.content.ledger.files_in_order();
        files
            .into_iter()
            .filter_map(|file| self.file_group(file))
            .collect()
    }

    /// What is left of a call's changes, path by path, in order; `None` where the fragments do not
    /// compose.
    pub fn call_net(&self, turn_id: &str, tool_call_id: &str) -> Vec<(Arc<str>, Option<Net>)> {
        let entries = self.entries_of_turn(turn_id);
        let of_call = |entry: &Entry| {
            self.content
                .calls
                .get(entry.call)
                .is_some_and(|call| *call.id == *tool_call_id)
        };
        self.nets(entries.into_iter().filter(of_call))
    }

    /// What is left of a turn's changes, path by path, in order.
    pub fn turn_net(&self, turn_id: &str) -> Vec<(Arc<str>, Option<Net>)> {
        self.nets(self.entries_of_turn(turn_id).into_iter())
    }

    /// What failed, rejected, cancelled and unfinished calls asked for.
    pub fn requested(&self) -> Vec<Requested> {
        let mut requested = Vec::new();
        for call in &self.content.calls {
            let (Some(turn), Some(workspace)) = (self.turn_state(call.turn), &self.workspace)
            else {
                continue;
            };
            requested.extend(
                self.drafts_asked_for(call, workspace)
                    .into_iter()
                    .map(|draft| Requested {
                        turn_id: Arc::clone(&turn.id),
                        tool_call_id: Arc::clone(&call.id),
                        open: call.is_open(),
                        draft,
                    }),
            );
        }
        requested
    }

    /// What messages, prompts and tool output carry as resources, each once per turn.
    pub fn attachments(&self) -> Vec<Attachment> {
        let timeline = &self.content.timeline;
        let mut attachments = Vec::new();
        let mut seen = foldhash::HashSet::default();
        let inline: foldhash::HashSet<(Option<usize>, &Arc<str>)> = timeline
            .references()
            .iter()
            .flat_map(|(position, references)| {
                let turn = timeline.turn_of(*position);
                let images = references.iter().filter(|reference| reference.inline_image);
                images.map(move |image| (turn, &image.identity))
            })
            .collect();
        for (position, references) in timeline.references() {
            let turn = timeline.turn_of(*position);
            for reference in references {
                let key = (turn, &reference.identity);
                if inline.contains(&key) || !seen.insert(key) {
                    continue;
                }
                let Some(item_id) = self.item_id(*position) else {
                    continue;
                };
                attachments.push(Attachment {
                    identity: Arc::clone(&reference.identity),
                    turn_id: turn
                        .and_then(|turn| self.turn_state(turn))
                        .map(|turn| Arc::clone(&turn.id)),
                    item_id,
                    uri: Arc::clone(&reference.uri),
                    display_name: Arc::clone(&reference.display_name),
                    mime_type: reference.mime_type.clone(),
                    size: reference.size,
                });
            }
        }
        attachments
    }

    /// How many items the timeline has.
    pub fn item_count(&self) -> usize {
        self.content.timeline.items().len()
    }

    /// The timeline item at a position. `None` also for an item of which nothing is kept, as is
    /// with [`TimelineText::FirstLines`](super::TimelineText::FirstLines).
    pub fn item(&self, position: usize) -> Option<Item> {
        let timeline = &self.content.timeline;
        let kind = match timeline.items().get(position)? {
            Stored::Message(message) => {
                let message = message.as_deref()?;
                ItemKind::Message {
                    role: message.role,
                    message_id: Arc::clone(&message.id),
                    parts: message.parts.clone(),
                }
            }
            Stored::Thought(thought) => {
                let thought = thought.as_deref()?;
                ItemKind::Thought {
                    message_id: Arc::clone(&thought.message_id),
                    parts: thought.parts.clone(),
                }
            }
            Stored::Tool(call) => {
                let call = self.content.calls.get(*call)?;
                ItemKind::Tool {
                    tool_call_id: Arc::clone(&call.id),
                    title: Arc::clone(&call.title),
                    kind: call.kind.clone(),
                    status: call.status,
                    parts: call.parts.clone(),
                    historical: call.historical,
                    asking: call.outlook == Outlook::Asking,
                }
            }
            Stored::Plan(entries) => ItemKind::Plan {
                entries: entries.clone(),
            },
        };
        let turn = timeline
            .turn_of(position)
            .and_then(|turn| self.turn_state(turn));
        Some(Item {
            position,
            id: self.item_id(position)?,
            turn_id: turn.map(|turn| Arc::clone(&turn.id)),
            kind,
        })
    }

    /// The id of an item. Without its content, the item that names a turn is still known.
    fn item_id(&self, position: usize) -> Option<Arc<str>> {
        let timeline = &self.content.timeline;
        let id = match timeline.items().get(position)? {
            Stored::Message(Some(message)) => format!("{}:{}", message.id, message.segment),
            Stored::Thought(Some(thought)) => format!("thought:{}", thought.message_id),
            Stored::Tool(call) => {
                let call = self.content.calls.get(*call)?;
                item_id(&call.id, call.occurrence)
            }
            Stored::Plan(_) => "plan:current".to_owned(),
            Stored::Message(None) | Stored::Thought(None) => {
                let turn = self.turn_state(timeline.turn_of(position)?)?;
                turn.id.strip_prefix("assistant-turn:")?.to_owned()
            }
        };
        Some(id.into())
    }

    pub(super) fn turn_state(&self, turn: usize) -> Option<&TurnState> {
        self.content.timeline.turns().get(turn)
    }

    fn entries_of_turn(&self, turn_id: &str) -> Vec<Entry> {
        let Some(&turn) = self.content.turn_ids.get(turn_id) else {
            return Vec::new();
        };
        let calls = self.content.timeline.calls_of(turn);
        self.content.ledger.entries_in(calls).collect()
    }

    fn activity(&self, entry: Entry) -> Option<Arc<Activity>> {
        let call = self.content.calls.get(entry.call)?;
        let turn = self.turn_state(call.turn)?;
        let standing = self.standing(entry, call)?;
        self.content
            .ledger
            .activity(entry, &turn.id, &call.id, standing)
            .map(Arc::new)
    }

    fn activities_of(&self, entries: impl Iterator<Item = Entry>) -> Vec<Arc<Activity>> {
        entries.filter_map(|entry| self.activity(entry)).collect()
    }

    pub(super) fn standing(&self, entry: Entry, call: &Call) -> Option<PathStanding> {
        let listed = self.content.ledger.listed(entry)?;
        let relative = call
            .declared
            .as_ref()
            .is_some_and(|declared| declared.has_relative_path());
        Some(match (&listed.draft.standing, &self.content.agent_cwd) {
            (PathStanding::Known, Some(directory)) if relative => PathStanding::Doubtful(
                format!("the agent works in {directory}, so this may be another file").into(),
            ),
            (standing, _) => standing.clone(),
        })
    }

    /// The directory in which the agent works, where a result tells that it is not the session's:
    /// relative paths of its tools may be files of that one.
    pub fn agent_cwd(&self) -> Option<&Arc<str>> {
        self.content.agent_cwd.as_ref()
    }

    fn file_group(&self, file: usize) -> Option<FileGroup> {
        let entries = self.content.ledger.entries_of(file);
        let activities = self.activities_of(entries.iter().copied());
        let changes = activities
            .chunk_by(|left, right| left.turn_id == right.turn_id)
            .map(|turn| {
                let first = turn.first().expect("a chunk has at least one element");
                TurnChange {
                    turn_id: Arc::clone(&first.turn_id),
                    sequence: first.sequence,
                    activities: turn.to_vec(),
                    diff: display_diff(turn.iter().flat_map(|activity| pieces(activity))),
                }
            });
        Some(FileGroup {
            relative_path: Arc::clone(&activities.first()?.relative_path),
            changes: changes.collect(),
            net: self.net(entries),
            activities,
        })
    }

    fn nets(&self, entries: impl Iterator<Item = Entry>) -> Vec<(Arc<str>, Option<Net>)> {
        let mut by_path: Vec<(Arc<str>, Vec<Entry>)> = Vec::new();
        let mut rows = foldhash::HashMap::default();
        for entry in entries {
            let Some(listed) = self.content.ledger.listed(entry) else {
                continue;
            };
            let path = &listed.draft.relative_path;
            let row = *rows.entry(Arc::clone(path)).or_insert(by_path.len());
            match by_path.get_mut(row) {
                Some((_, entries)) => entries.push(entry),
                None => by_path.push((Arc::clone(path), vec![entry])),
            }
        }
        by_path
            .into_iter()
            .map(|(path, entries)| {
                let net = self.net(&entries);
                (path, net)
            })
            .collect()
    }

    fn net(&self, entries: &[Entry]) -> Option<Net> {
        let ledger = &self.content.ledger;
        let texts = ledger.whole_net(entries).or_else(|| {
            let listed = entries.iter().filter_map(|entry| ledger.listed(*entry));
            net_change(listed.map(|Listed { draft, .. }| {
                let pieces = draft.fragments.iter().map(|fragment| Piece {
                    action: draft.action,
                    old_text: &fragment.old_text,
                    new_text: &fragment.new_text,
                });
                (draft.action, pieces.collect())
            }))
        })?;
        let counts = line_counts(&texts.old_text, &texts.new_text);
        Some(Net { texts, counts })
    }

    fn drafts_asked_for(&self, call: &Call, workspace: &Workspace) -> Vec<ActivityDraft> {
        if call.status == Status::Completed {
            return Vec::new();
        }
        match self.profile {
            Profile::Openclaw => {
                let read = || {
                    let input = call.evidence.as_ref()?.raw_input.as_deref()?;
                    Some(Box::new(openclaw::Declared::read(input)))
                };
                let declared = call.declared.clone().or_else(read);
                let (Some(tool), Some(declared)) = (call.file_tool(), declared) else {
                    return Vec::new();
                };
                openclaw::findings(tool, &declared, &ResultFacts::default(), workspace).drafts
            }
            Profile::Acp => {
                let context = Context {
                    workspace,
                    known_paths: &self.known_paths,
                    call: usize::MAX,
                };
                call.evidence
                    .as_ref()
                    .map(|call| acp::evidence(call, &context).drafts)
                    .unwrap_or_default()
            }
        }
    }
}

fn pieces(activity: &Activity) -> impl Iterator<Item = Piece<'_>> {
    activity.fragments.iter().map(|fragment| Piece {
        action: activity.action,
        old_text: &fragment.old_text,
        new_text: &fragment.new_text,
    })
}
