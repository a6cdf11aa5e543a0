//! Why a patch was not applied, and how the files stand then.

use std::fmt;

use acp_grammar::apply::ApplyError;

use crate::error::{FsError, FsErrorCode};

/// A patch that was not applied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PatchError {
    /// The patch has no sections.
    #[error("No files were modified.")]
    NoSections,
    /// A section does not fit the workspace. Nothing was written.
    #[error("{fault}")]
    Section {
        /// The section, from 1.
        section: usize,
        /// How many sections the patch has.
        of: usize,
        /// The path as written in its header.
        path: String,
        /// What is wrong.
        fault: Box<SectionFault>,
    },
    /// All sections fit, and writing failed.
    #[error("{error}; {rollback}")]
    Write {
        /// The path that could not be written, as written in the patch.
        path: String,
        /// Why.
        error: FsError,
        /// What became of the files that were written before.
        rollback: Rollback,
    },
}

/// What is wrong with a section.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SectionFault {
    /// The file cannot be read, or its path is refused.
    #[error("{0}")]
    File(#[from] FsError),
    /// The section creates a file that exists.
    #[error("cannot add \"{path}\": it already exists")]
    AddExists {
        /// The path as displayed.
        path: String,
    },
    /// The section moves a file to one that exists.
    #[error("cannot move to \"{path}\": it already exists")]
    MoveExists {
        /// The path as displayed.
        path: String,
    },
    /// The path is a file and a directory of the same patch.
    #[error("cannot add \"{path}\": another section makes a file of one of its parents")]
    ParentIsFile {
        /// The path as displayed.
        path: String,
    },
    /// A chunk does not fit the file.
    #[error("{}", error.describe(path))]
    Chunk {
        /// The path as written in the patch.
        path: String,
        /// Which chunk, and what comes nearest.
        error: ApplyError,
    },
}

/// What became of the files that were written before the failure.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Rollback {
    /// Files that are as they were.
    pub restored: Vec<String>,
    /// Files that could not be put back, each with the reason.
    pub left_changed: Vec<(String, String)>,
}

impl fmt::Display for Rollback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.restored.as_slice(), self.left_changed.as_slice()) {
            ([], []) => f.write_str("no file was changed"),
            (restored, []) => write!(
                f,
                "no file is changed: what was written before was taken back ({})",
                restored.join(", ")
            ),
            (restored, left) => {
                f.write_str("these files are changed and could not be put back: ")?;
                for (index, (path, why)) in left.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(f, "{separator}{path} ({why})")?;
                }
                if !restored.is_empty() {
                    write!(f, "; taken back: {}", restored.join(", "))?;
                }
                Ok(())
            }
        }
    }
}

impl PatchError {
    /// The stable code, for faults of the file system.
    pub fn code(&self) -> Option<FsErrorCode> {
        match self {
            Self::Section { fault, .. } => match &**fault {
                SectionFault::File(error) => Some(error.code()),
                _ => None,
            },
            Self::Write { error, .. } => Some(error.code()),
            Self::NoSections => None,
        }
    }

    /// What to do next: one line without a full stop.
    pub fn remedy(&self) -> String {
        match self {
            Self::NoSections => "write at least one section".to_owned(),
            Self::Section { fault, .. } => match &**fault {
                SectionFault::File(error) => error
                    .remedy()
                    .unwrap_or_else(|| "correct the path in the patch".to_owned()),
                SectionFault::AddExists { .. } => {
                    "write an Update section, or delete the file in an earlier section".to_owned()
                }
                SectionFault::MoveExists { .. } => {
                    "choose another path, or delete the file in an earlier section".to_owned()
                }
                SectionFault::ParentIsFile { .. } => "choose another path".to_owned(),
                SectionFault::Chunk { error, .. } => error.help(),
            },
            Self::Write {
                error, rollback, ..
            } => {
                if rollback.left_changed.is_empty() {
                    error
                        .remedy()
                        .unwrap_or_else(|| "apply the patch again".to_owned())
                } else {
                    "look at the files that are changed before anything else".to_owned()
                }
            }
        }
    }

    /// What a model is told: which section, what is wrong, and what to do next.
    pub fn model_text(&self) -> String {
        match self {
            Self::Section {
                section, of, path, ..
            } => format!(
                "{self}\nSection {section} of {of} ({path}) does not fit, so no file was changed: {}.",
                self.remedy()
            ),
            Self::NoSections | Self::Write { .. } => format!("{self}\nNext: {}.", self.remedy()),
        }
    }
}
