//! A session: events in, file activity out.

use std::sync::Arc;

use crate::attachment::Attachment;
use crate::event::Event;
use crate::model::{Activity, FileGroup, FileSummary, Net};
use crate::notice::Notice;
use crate::path::Workspace;
use crate::profile::{ActivityDraft, Profile, ProfileChoice};
use crate::timeline::Item;

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
    revision: Revision,
}

impl Session {
    /// A session of which nothing is known yet.
    pub fn new(id: impl Into<Arc<str>>, options: Options) -> Self {
        Self {
            id: id.into(),
            options,
            revision: Revision::default(),
        }
    }

    /// Takes in what happened; never fails, since what an agent sends is no error of the reader.
    pub fn apply(&mut self, event: Event<'_>) -> Revision {
        let _ = (event, &self.options);
        self.revision
    }

    /// The session's id.
    pub fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// The state that the session is in.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// What changed after `revision`.
    pub fn changes_since(&self, revision: Revision) -> Changes {
        let _ = revision;
        Changes::default()
    }

    /// The agent, if it named itself.
    pub fn agent(&self) -> Option<&Agent> {
        None
    }

    /// The profile that is in force.
    pub fn profile(&self) -> Profile {
        Profile::Acp
    }

    /// The workspace; `None` without an authority for it (a notice says why).
    pub fn workspace(&self) -> Option<&Workspace> {
        None
    }

    /// All activities, in order. Costs as much as there are.
    pub fn activities(&self) -> Vec<Arc<Activity>> {
        Vec::new()
    }

    /// The turns, in order, also those without file activity.
    pub fn turns(&self) -> Vec<Turn> {
        Vec::new()
    }

    /// The rows of a turn, in order of the first activity. Costs as much as the turn has.
    pub fn turn_summaries(&self, turn_id: &str) -> Vec<FileSummary> {
        let _ = turn_id;
        Vec::new()
    }

    /// The paths of all changed files, in order of the first activity.
    pub fn paths(&self) -> Vec<Arc<str>> {
        Vec::new()
    }

    /// All that was done to a path. Costs as much as the path has.
    pub fn file(&self, relative_path: &str) -> Option<FileGroup> {
        let _ = relative_path;
        None
    }

    /// The changes of all files, in order of the first activity.
    pub fn files(&self) -> Vec<FileGroup> {
        self.paths()
            .iter()
            .filter_map(|path| self.file(path))
            .collect()
    }

    /// What is left of a call's changes, path by path, in order; `None` where the fragments do not
    /// compose.
    pub fn call_net(&self, turn_id: &str, tool_call_id: &str) -> Vec<(Arc<str>, Option<Net>)> {
        let _ = (turn_id, tool_call_id);
        Vec::new()
    }

    /// What is left of a turn's changes, path by path, in order.
    pub fn turn_net(&self, turn_id: &str) -> Vec<(Arc<str>, Option<Net>)> {
        let _ = turn_id;
        Vec::new()
    }

    /// What failed, rejected, cancelled and unfinished calls asked for.
    pub fn requested(&self) -> Vec<Requested> {
        Vec::new()
    }

    /// What a person should know, the session's own notices first, then turn by turn.
    pub fn notices(&self) -> Vec<Notice> {
        Vec::new()
    }

    /// What messages, prompts and tool output carry as resources, each once per turn.
    pub fn attachments(&self) -> Vec<Attachment> {
        Vec::new()
    }

    /// How many items the timeline has.
    pub fn item_count(&self) -> usize {
        0
    }

    /// The timeline item at a position. With [`TimelineText::FirstLines`] its parts are empty.
    pub fn item(&self, position: usize) -> Option<Item> {
        let _ = position;
        None
    }
}
