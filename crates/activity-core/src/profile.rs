//! How the file changes of a tool call are worked out: the two profiles and what they share.

pub mod acp;
mod known;
mod masked;
pub(crate) mod openclaw;

use std::sync::Arc;

pub use known::KnownPaths;

use crate::model::{Action, Evidence, Hint, PathStanding};
use crate::notice::NoticeKind;
use crate::path::Workspace;

/// Which rules a session follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Profile {
    /// The three file tools of `OpenClaw`, from their titles and inputs alone.
    Openclaw,
    /// Any agent, from all that ACP carries.
    Acp,
}

/// How the profile of a session is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ProfileChoice {
    /// `openclaw` when the agent says that name, or when no agent is named and a tool title
    /// carries the identity of one of its file tools; else `acp`.
    #[default]
    Auto,
    /// The given profile, whatever the agent says.
    Fixed(Profile),
}

/// What the rules may know besides the call itself.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The workspace root and the directory against which relative paths resolve.
    pub workspace: &'a Workspace,
    /// The files that the session already knows. The caller notes the findings of each completed
    /// call in them, whatever the profile.
    pub known_paths: &'a KnownPaths,
    /// The number of the call in its session, from 0.
    pub call: usize,
}

/// What the evidence of one call says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// The file changes, in the order in which they are listed.
    pub drafts: Vec<ActivityDraft>,
    /// What a person should know about this call.
    pub notices: Vec<NoticeKind>,
    /// Files that the call showed to exist without changing them (it read them), relative to the
    /// workspace root.
    pub seen: Vec<Arc<str>>,
    /// The wire says `completed`, but the call's own result says that it failed.
    pub failed: bool,
}

/// One file change, before it has its place in the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivityDraft {
    /// The tool's name.
    pub tool_name: Arc<str>,
    /// Path relative to the workspace root, forward slashes (see [`Workspace::resolve`]). With
    /// [`PathStanding::Unknown`] the bare file name.
    pub relative_path: Arc<str>,
    /// For [`Action::Moved`]: the path before.
    pub from_path: Option<Arc<str>>,
    /// What happened.
    pub action: Action,
    /// The texts, in order.
    pub fragments: Vec<FragmentDraft>,
    /// Whether the path can be trusted.
    pub standing: PathStanding,
    /// The whole file before and after the call, as far as the evidence has it.
    pub whole: WholeTexts,
}

/// The whole text of a file before and after a call. A file that is not there has the empty text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WholeTexts {
    /// The text before; `None` when the evidence does not have all of it.
    pub old: Option<Arc<str>>,
    /// The text after; `None` when the evidence does not have all of it.
    pub new: Option<Arc<str>>,
}

/// One old-text/new-text pair, before it has its place in the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FragmentDraft {
    /// The text before.
    pub old_text: Arc<str>,
    /// The text after.
    pub new_text: Arc<str>,
    /// Where the texts come from.
    pub evidence: Evidence,
    /// Where the fragment stood, as far as the wire says.
    pub hint: Hint,
}
