//! What goes wrong with a workspace file: a stable code, a sentence, and what to do next.

use std::fmt;
use std::io;

use crate::version::Version;

/// The stable name of a failure, as tools carry it beside their text.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum FsErrorCode {
    /// Nothing is there, or nothing can be there.
    NotFound,
    /// The bytes are not UTF-8 text.
    NotText,
    /// A directory, a pipe, a device, or a link to nothing stands where a file is needed.
    NotRegularFile,
    /// The file is not the one that the change was computed from.
    StaleVersion,
    /// The policy wants the file to be read first.
    NotObserved,
    /// The old text occurs more than once.
    AmbiguousEdit,
    /// The old text does not occur.
    EditNotFound,
    /// The caller cancelled.
    Aborted,
    /// A file stands where a directory is needed.
    NotDirectory,
    /// More bytes than the operation takes.
    TooLarge,
    /// The user account may not do this.
    PermissionDenied,
    /// The path leads outside the workspace, or the workspace itself was moved.
    OutsideWorkspace,
    /// Any other failure of the file system.
    IoError,
}

impl FsErrorCode {
    /// The name as it stands in tool results, for example `FS_NOT_FOUND`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "FS_NOT_FOUND",
            Self::NotText => "FS_NOT_TEXT",
            Self::NotRegularFile => "FS_NOT_REGULAR_FILE",
            Self::StaleVersion => "FS_STALE_VERSION",
            Self::NotObserved => "FS_NOT_OBSERVED",
            Self::AmbiguousEdit => "FS_AMBIGUOUS_EDIT",
            Self::EditNotFound => "FS_EDIT_NOT_FOUND",
            Self::Aborted => "FS_ABORTED",
            Self::NotDirectory => "FS_NOT_DIRECTORY",
            Self::TooLarge => "FS_TOO_LARGE",
            Self::PermissionDenied => "FS_PERMISSION_DENIED",
            Self::OutsideWorkspace => "FS_OUTSIDE_WORKSPACE",
            Self::IoError => "FS_IO_ERROR",
        }
    }
}

impl fmt::Display for FsErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What was being done; the verb of an error text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verb {
    /// Turning a path into a target.
    Resolve,
    /// Asking for size and type.
    Stat,
    /// Reading text or bytes.
    Read,
    /// Writing a whole file.
    Write,
    /// Replacing a piece of text.
    Edit,
    /// Listing a directory.
    List,
    /// Removing a file.
    Delete,
    /// Making a directory.
    CreateDirectory,
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Resolve => "resolve",
            Self::Stat => "stat",
            Self::Read => "read",
            Self::Write => "write",
            Self::Edit => "edit",
            Self::List => "list",
            Self::Delete => "delete",
            Self::CreateDirectory => "create directory",
        })
    }
}

/// A failed operation on a workspace file.
///
/// The text names the path as the caller knows it and never a path outside the workspace.
/// [`remedy`](Self::remedy) is the next step; [`model_text`](Self::model_text) joins both.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FsError {
    /// The path is empty or blank.
    #[error("file_path must be a non-empty string")]
    BlankPath,
    /// The path holds a NUL, or a name that this system cannot have.
    #[error("cannot {verb} \"{path}\": the path holds characters that no file name can have")]
    BadName {
        /// What was being done.
        verb: Verb,
        /// The path with the bad characters replaced.
        path: String,
    },
    /// A file stands where the path needs a directory.
    #[error("cannot resolve \"{path}\": a parent path segment is not a directory")]
    ParentNotDirectory {
        /// The path as displayed.
        path: String,
    },
    /// Nothing is there.
    #[error("cannot {verb} \"{path}\": not found")]
    NotFound {
        /// What was being done.
        verb: Verb,
        /// The path as displayed.
        path: String,
    },
    /// The first line asked for lies behind the end.
    #[error("offset {offset} is out of range for \"{path}\" ({total_lines} lines)")]
    OffsetOutOfRange {
        /// The first line asked for, from 1.
        offset: u64,
        /// The path as displayed.
        path: String,
        /// How many lines the file has.
        total_lines: u64,
    },
    /// Something else than a file is there.
    #[error("cannot {verb} \"{path}\": not a regular file")]
    NotRegularFile {
        /// What was being done.
        verb: Verb,
        /// The path as displayed.
        path: String,
    },
    /// The path is a link to something that does not exist.
    #[error("cannot {verb} \"{path}\": it is a link to a missing file")]
    DanglingLink {
        /// What was being done.
        verb: Verb,
        /// The path as displayed.
        path: String,
    },
    /// Something else than a directory is there.
    #[error("cannot {verb} \"{path}\": not a directory")]
    NotDirectory {
        /// What was being done.
        verb: Verb,
        /// The path as displayed.
        path: String,
    },
    /// The file holds NUL bytes.
    #[error("cannot {verb} \"{path}\": binary file")]
    Binary {
        /// What was being done.
        verb: Verb,
        /// The path as displayed.
        path: String,
    },
    /// The bytes are not UTF-8.
    #[error("cannot {verb} \"{path}\": invalid UTF-8 text")]
    InvalidUtf8 {
        /// What was being done.
        verb: Verb,
        /// The path as displayed.
        path: String,
    },
    /// The file is larger than the operation takes.
    #[error("cannot {verb} \"{path}\": {size} bytes are more than the limit of {limit} bytes")]
    TooLarge {
        /// What was being done.
        verb: Verb,
        /// The path as displayed.
        path: String,
        /// Bytes of the file.
        size: u64,
        /// Most bytes that the operation takes.
        limit: u64,
    },
    /// The content is not the one that the caller has seen.
    #[error("cannot {verb} \"{path}\": file changed since it was read")]
    Changed {
        /// What was being done.
        verb: Verb,
        /// The path as displayed.
        path: String,
        /// The version that stands now, if there is a file.
        current: Option<Box<Version>>,
    },
    /// The file that the caller has seen is gone.
    #[error("cannot {verb} \"{path}\": file no longer exists")]
    Gone {
        /// What was being done.
        verb: Verb,
        /// The path as displayed.
        path: String,
    },
    /// A write would replace content that the agent has not seen.
    #[error("cannot overwrite existing \"{path}\" without reading it first")]
    OverwriteUnread {
        /// The path as displayed.
        path: String,
        /// The version that stands now.
        current: Option<Box<Version>>,
    },
    /// An edit of a file that the agent has not seen.
    #[error("edit requires reading \"{path}\" first")]
    EditUnread {
        /// The path as displayed.
        path: String,
    },
    /// The old text of an edit is empty.
    #[error("old_string must be a non-empty string")]
    EmptyOldString,
    /// The old text does not occur.
    #[error("old_string was not found in \"{path}\"")]
    EditNotFound {
        /// The path as displayed.
        path: String,
        /// A line, from 1, where the text stands with other blanks.
        nearest_line: Option<usize>,
    },
    /// The old text occurs more than once.
    #[error(
        "old_string matched {matches} times in \"{path}\"; provide a more specific old_string or set replace_all to true"
    )]
    AmbiguousEdit {
        /// The path as displayed.
        path: String,
        /// How often the old text occurs, without overlaps.
        matches: usize,
    },
    /// The caller cancelled.
    #[error("{verb} aborted")]
    Aborted {
        /// What was being done.
        verb: Verb,
    },
    /// The user account may not do this.
    #[error("cannot {verb} \"{path}\": permission denied")]
    PermissionDenied {
        /// What was being done.
        verb: Verb,
        /// The path as displayed.
        path: String,
    },
    /// The path leaves the workspace.
    #[error("cannot {verb} \"{path}\": the path leads outside the workspace")]
    OutsideWorkspace {
        /// What was being done.
        verb: Verb,
        /// The path as the caller gave it.
        path: String,
    },
    /// The workspace directory is no longer where it was opened.
    #[error("cannot {verb} \"{path}\": the workspace directory was moved, replaced or removed")]
    WorkspaceMoved {
        /// What was being done.
        verb: Verb,
        /// The path as displayed.
        path: String,
    },
    /// Any other failure of the file system.
    #[error("cannot {verb} \"{path}\": {source}")]
    Io {
        /// What was being done.
        verb: Verb,
        /// The path as displayed.
        path: String,
        /// The failure that the system reported; it names no path.
        source: io::Error,
    },
}

impl FsError {
    /// The stable code.
    pub const fn code(&self) -> FsErrorCode {
        match self {
            Self::BlankPath
            | Self::ParentNotDirectory { .. }
            | Self::NotFound { .. }
            | Self::OffsetOutOfRange { .. } => FsErrorCode::NotFound,
            Self::NotRegularFile { .. } | Self::DanglingLink { .. } => FsErrorCode::NotRegularFile,
            Self::NotDirectory { .. } => FsErrorCode::NotDirectory,
            Self::Binary { .. } | Self::InvalidUtf8 { .. } => FsErrorCode::NotText,
            Self::TooLarge { .. } => FsErrorCode::TooLarge,
            Self::Changed { .. } | Self::Gone { .. } => FsErrorCode::StaleVersion,
            Self::OverwriteUnread { .. } | Self::EditUnread { .. } => FsErrorCode::NotObserved,
            Self::EmptyOldString | Self::EditNotFound { .. } => FsErrorCode::EditNotFound,
            Self::AmbiguousEdit { .. } => FsErrorCode::AmbiguousEdit,
            Self::Aborted { .. } => FsErrorCode::Aborted,
            Self::PermissionDenied { .. } => FsErrorCode::PermissionDenied,
            Self::OutsideWorkspace { .. } | Self::WorkspaceMoved { .. } => {
                FsErrorCode::OutsideWorkspace
            }
            Self::BadName { .. } | Self::Io { .. } => FsErrorCode::IoError,
        }
    }

    /// What the caller can do next, or `None` where the text already says it.
    pub fn remedy(&self) -> Option<String> {
        let fixed = match self {
            Self::BlankPath | Self::EmptyOldString | Self::AmbiguousEdit { .. } => return None,
            Self::Aborted { .. } => "call again when it is wanted",
            Self::BadName { .. } => "use a path of ordinary file names",
            Self::ParentNotDirectory { .. } => {
                "list the parent directory and use a path whose parents are directories"
            }
            Self::NotFound { .. } => "check the path with a listing of its directory",
            Self::OffsetOutOfRange { total_lines, .. } => {
                return Some(format!("use an offset from 1 to {}", (*total_lines).max(1)));
            }
            Self::NotRegularFile { .. } => "use the path of a file",
            Self::DanglingLink { .. } => "write to the target of the link, or remove the link",
            Self::NotDirectory { .. } => "use the path of a directory",
            Self::Binary { .. } | Self::InvalidUtf8 { .. } => {
                "use a tool that handles other files than UTF-8 text"
            }
            Self::TooLarge { .. } => "read it in windows, or change it with another program",
            Self::Changed { .. } | Self::OverwriteUnread { .. } => {
                return Some(self.with_current("read it again, then retry"));
            }
            Self::Gone { .. } => "read it again to see that it is gone, then create it anew",
            Self::EditUnread { path } => return Some(format!("read \"{path}\", then retry")),
            Self::EditNotFound {
                nearest_line: Some(line),
                ..
            } => {
                return Some(format!(
                    "line {line} differs only in blanks; read it and copy the text exactly"
                ));
            }
            Self::EditNotFound { .. } => "read it again and copy the text exactly",
            Self::PermissionDenied { .. } => "ask the user to change the permissions",
            Self::OutsideWorkspace { .. } => "use a path inside the workspace",
            Self::WorkspaceMoved { .. } => "open the workspace again at its present place",
            Self::Io { .. } => "retry, and tell the user if it fails again",
        };
        Some(fixed.to_owned())
    }

    /// The version that stands now, where the failure is about versions.
    pub fn current_version(&self) -> Option<&Version> {
        match self {
            Self::Changed { current, .. } | Self::OverwriteUnread { current, .. } => {
                current.as_deref()
            }
            _ => None,
        }
    }

    /// What a model is told: the text and, after a semicolon, the remedy.
    pub fn model_text(&self) -> String {
        match self.remedy() {
            Some(remedy) => format!("{self}; {remedy}"),
            None => self.to_string(),
        }
    }

    fn with_current(&self, advice: &str) -> String {
        match self.current_version() {
            Some(version) => format!("{advice} (current version {version})"),
            None => advice.to_owned(),
        }
    }

    /// Sorts a failure of the system into this enumeration.
    ///
    /// The capability layer reports a path that leaves its directory as a permission failure without
    /// a system error number; a real permission failure has one.
    pub(crate) fn from_io(verb: Verb, path: &str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { verb, path },
            io::ErrorKind::NotADirectory => Self::ParentNotDirectory { path },
            io::ErrorKind::IsADirectory => Self::NotRegularFile { verb, path },
            io::ErrorKind::PermissionDenied if source.raw_os_error().is_none() => {
                Self::OutsideWorkspace { verb, path }
            }
            io::ErrorKind::PermissionDenied => Self::PermissionDenied { verb, path },
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidFilename => {
                Self::BadName { verb, path }
            }
            _ => Self::Io { verb, path, source },
        }
    }
}
