//! What a session cannot know or what a person should know about it.

use std::fmt;
use std::sync::Arc;

/// A notice, with the place it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The turn; `None` when it concerns the whole session.
    pub turn_id: Option<Arc<str>>,
    /// The tool call, if it is about one.
    pub tool_call_id: Option<Arc<str>>,
    /// What it says.
    pub kind: NoticeKind,
}

/// What a notice says. [`NoticeKind::code`] names the kind for programs, `Display` says it in one
/// sentence for people.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoticeKind {
    /// Neither the wire nor the caller named a directory, so no path can be placed.
    NoWorkspace,
    /// Root and working directory do not fit together, so no path can be placed.
    WorkspaceMismatch {
        /// The root as given.
        root: Arc<str>,
        /// The working directory as given.
        cwd: Arc<str>,
    },
    /// Shell commands ran; what they did to files is not known.
    ShellCommands {
        /// How many in this turn.
        count: u64,
    },
    /// A loaded session came back without its tool calls.
    NoToolCallsReplayed,
    /// The grammar rejects a patch payload.
    PatchRejected {
        /// Line of the payload, from 1.
        line: u32,
        /// What is wrong.
        message: Arc<str>,
    },
    /// A path lies outside the workspace; it is named here and never opened.
    OutsideWorkspace {
        /// The path as sent.
        path: Arc<str>,
    },
    /// The wire gives only a file name.
    PathUnknown {
        /// The name as sent.
        name: Arc<str>,
    },
    /// Messages of the session were lost.
    Gap {
        /// How many, where that is known.
        missed: Option<u64>,
    },
    /// A patch failed, and the tool is not atomic: these files may have been changed by the
    /// sections before the failing one.
    PartlyApplied {
        /// The paths, relative to the workspace root.
        paths: Vec<Arc<str>>,
    },
    /// The agent masked a secret, so this text differs from the file.
    Masked {
        /// The path, relative to the workspace root.
        path: Arc<str>,
    },
    /// Listed as declared, though something says that the disk may not show it.
    Doubtful {
        /// The path, relative to the workspace root.
        path: Arc<str>,
        /// Why.
        reason: Arc<str>,
    },
    /// The diff of a fragment is too large to be counted exactly.
    TooLargeToCount {
        /// The path, relative to the workspace root.
        path: Arc<str>,
    },
    /// Anything else that the evidence of a call says.
    Other(Arc<str>),
}

impl NoticeKind {
    /// A stable name of the kind.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoWorkspace => "noWorkspace",
            Self::WorkspaceMismatch { .. } => "workspaceMismatch",
            Self::ShellCommands { .. } => "shellCommands",
            Self::NoToolCallsReplayed => "noToolCallsReplayed",
            Self::PatchRejected { .. } => "patchRejected",
            Self::OutsideWorkspace { .. } => "outsideWorkspace",
            Self::PathUnknown { .. } => "pathUnknown",
            Self::Gap { .. } => "gap",
            Self::PartlyApplied { .. } => "partlyApplied",
            Self::Masked { .. } => "masked",
            Self::Doubtful { .. } => "doubtful",
            Self::TooLargeToCount { .. } => "tooLargeToCount",
            Self::Other(_) => "other",
        }
    }
}

impl fmt::Display for NoticeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoWorkspace => f.write_str(
                "no directory is known for this session, so no file can be listed; name one with --root or --cwd",
            ),
            Self::WorkspaceMismatch { root, cwd } => write!(
                f,
                "the working directory {cwd} does not lie in the workspace root {root}, so no file can be listed"
            ),
            Self::ShellCommands { count: 1 } => {
                f.write_str("a shell command ran; what it did to files is not listed")
            }
            Self::ShellCommands { count } => {
                write!(f, "{count} shell commands ran; what they did to files is not listed")
            }
            Self::NoToolCallsReplayed => f.write_str(
                "the agent replayed this session without its tool calls, so its file changes are not known",
            ),
            Self::PatchRejected { line, message } => {
                write!(f, "a patch is malformed at line {line}: {message}")
            }
            Self::OutsideWorkspace { path } => write!(f, "{path} lies outside the workspace"),
            Self::PathUnknown { name } => {
                write!(f, "the agent names only {name}; where it lies is not known")
            }
            Self::Gap { missed: Some(missed) } => {
                write!(f, "{missed} messages of this session were lost")
            }
            Self::Gap { missed: None } => f.write_str("messages of this session were lost"),
            Self::PartlyApplied { paths } => {
                f.write_str("a patch failed, its first sections may have been applied:")?;
                paths.iter().try_for_each(|path| write!(f, " {path}"))
            }
            Self::Masked { path } => {
                write!(f, "the agent masked a secret in {path}, so the text differs from the file")
            }
            Self::Doubtful { path, reason } => write!(f, "{path}: {reason}"),
            Self::TooLargeToCount { path } => {
                write!(f, "a change of {path} is too large to count its lines")
            }
            Self::Other(text) => f.write_str(text),
        }
    }
}
