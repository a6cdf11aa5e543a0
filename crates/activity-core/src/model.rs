//! The facts that a session yields: fragments, activities, summaries, changes.

use std::ops::{Add, AddAssign};
use std::sync::Arc;

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// The file is new.
    Created,
    /// The file existed and its text changed, or nothing proves that it is new.
    Modified,
    /// The file is gone.
    Deleted,
    /// The file has another path. Only in profile `acp`; profile `openclaw` has a deletion and a
    /// creation instead.
    Moved,
}

impl Action {
    /// What two actions in a row amount to: a file that is new or has moved stays so when its text
    /// changes.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        match (self, next) {
            (Self::Created | Self::Moved, Self::Modified) => self,
            _ => next,
        }
    }
}

/// Where the text of a fragment comes from, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Evidence {
    /// The result of the call: what was really written.
    Result,
    /// Diff content of the call.
    Content,
    /// Diff content of the permission question.
    Permission,
    /// The input of the call: what was asked for.
    Input,
}

/// What the wire says about where a fragment stands, beyond its text.
///
/// Hints never change what is listed or counted; they only help to place a hunk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Hint {
    /// First line of the new text at the time of the edit, from 0.
    pub new_line: Option<u32>,
    /// First line of the old text at the time of the edit, from 0.
    pub old_line: Option<u32>,
    /// The head text of a patch chunk: a line that stands above the fragment.
    pub context: Option<Arc<str>>,
    /// The fragment ends at the end of the file.
    pub end_of_file: bool,
    /// The old text occurs at several places and each of them was replaced.
    pub replace_all: bool,
    /// The agent masked secrets in this text (`***`), so it differs from the file.
    pub masked: bool,
}

/// One old-text/new-text pair of an activity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// The text before. Empty for an insertion and for a new file.
    pub old_text: Arc<str>,
    /// The text after. Empty for a deletion.
    pub new_text: Arc<str>,
    /// Position among all fragments of the session, from 0.
    pub sequence: u64,
    /// Where the texts come from.
    pub evidence: Evidence,
    /// Where the fragment stood, as far as the wire says.
    pub hint: Hint,
}

/// How sure it is that an activity's path is the file that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum PathStanding {
    /// The path is what the agent named, inside the workspace.
    #[default]
    Known,
    /// Listed as declared, though something says that the disk may not show it (the reason is in
    /// the text). Never opened without a person's action.
    Doubtful(Arc<str>),
    /// The wire gives only a file name; the path in the workspace is not known. Never opened.
    Unknown,
}

/// One file change that one completed tool call declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activity {
    /// The turn: `assistant-turn:` and the id of the turn's first item.
    pub turn_id: Arc<str>,
    /// The tool call.
    pub tool_call_id: Arc<str>,
    /// The tool's name, lower case where the wire names it only in a title.
    pub tool_name: Arc<str>,
    /// Path relative to the workspace root, forward slashes.
    pub relative_path: Arc<str>,
    /// For [`Action::Moved`]: the path before, relative to the workspace root.
    pub from_path: Option<Arc<str>>,
    /// What happened.
    pub action: Action,
    /// The texts, in order. Empty when the wire names the file but carries no text.
    pub fragments: Vec<Fragment>,
    /// Position among all activities of the session, from 0.
    pub sequence: u64,
    /// Whether the path can be trusted.
    pub standing: PathStanding,
}

/// The one row for a path in a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSummary {
    /// The turn.
    pub turn_id: Arc<str>,
    /// The path.
    pub relative_path: Arc<str>,
    /// The actions of its activities, folded from left to right.
    pub action: Action,
    /// Its activities, in order.
    pub activities: Vec<Arc<Activity>>,
    /// The sum of the lines added by its fragments; `None` when there is no fragment to count.
    pub counts: Option<LineCounts>,
}

/// Lines added and removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct LineCounts {
    /// Lines of the new text that the old text has not.
    pub added: u64,
    /// Lines of the old text that the new text has not.
    pub removed: u64,
}

impl Add for LineCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            added: self.added + other.added,
            removed: self.removed + other.removed,
        }
    }
}

impl AddAssign for LineCounts {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// All that a session did to one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileGroup {
    /// The path.
    pub relative_path: Arc<str>,
    /// Its activities, in order.
    pub activities: Vec<Arc<Activity>>,
    /// Its changes, one per turn, in order of the first activity.
    pub changes: Vec<TurnChange>,
    /// Old and new text of the whole session, where the fragments compose.
    pub net: Option<Net>,
}

/// The one display diff for a path in a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnChange {
    /// The turn.
    pub turn_id: Arc<str>,
    /// The sequence of its first activity.
    pub sequence: u64,
    /// Its activities, in order.
    pub activities: Vec<Arc<Activity>>,
    /// Both sides for display; `None` when there is no fragment.
    pub diff: Option<TextPair>,
}

/// Two sides of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPair {
    /// The text before.
    pub old_text: Arc<str>,
    /// The text after.
    pub new_text: Arc<str>,
}

/// What is left of several fragments when each is applied to the result of the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Net {
    /// The text before and after. Equal sides mean that nothing is left of the changes.
    pub texts: TextPair,
    /// The counts of that pair; `None` when it is too large to be counted.
    pub counts: Option<LineCounts>,
}

#[cfg(test)]
mod tests {
    use super::Action;

    #[test]
    fn actions_follow_each_other() {
        use Action::{Created, Deleted, Modified, Moved};
        let cases = [
            (Created, Modified, Created),
            (Modified, Modified, Modified),
            (Deleted, Modified, Modified),
            (Deleted, Created, Created),
            (Created, Deleted, Deleted),
            (Modified, Created, Created),
            (Moved, Modified, Moved),
            (Modified, Moved, Moved),
        ];
        for (current, next, expect) in cases {
            assert_eq!(current.then(next), expect, "{current:?} then {next:?}");
        }
    }
}
