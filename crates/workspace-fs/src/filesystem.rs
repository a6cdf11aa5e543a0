//! The seam: what a provider of workspace files does, whoever it is.

use std::fmt;
use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::cancel::Cancel;
use crate::error::FsError;
use crate::path::Step;
use crate::version::Version;

/// Which file a path means, links resolved. Two paths with equal keys are the same file.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct TargetKey(pub(crate) PathBuf);

impl fmt::Display for TargetKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.display().fmt(f)
    }
}

/// A path that was resolved. It is a name, not a permission: each operation resolves it afresh.
#[derive(Clone, Debug)]
pub struct Target {
    pub(crate) input_path: String,
    pub(crate) key: TargetKey,
    pub(crate) display_path: String,
    pub(crate) steps: Vec<Step>,
}

impl Target {
    /// The path as it was given.
    pub fn input_path(&self) -> &str {
        &self.input_path
    }

    /// The identity of the file.
    pub fn key(&self) -> &TargetKey {
        &self.key
    }

    /// The absolute path for texts, links unresolved.
    pub fn display_path(&self) -> &str {
        &self.display_path
    }
}

/// What stands at a target.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// Anything else.
    Other,
}

/// What is known of a target without reading it.
#[derive(Clone, Copy, Debug)]
pub struct FileInfo {
    /// The state it is in.
    pub version: Version,
    /// What it is.
    pub kind: FileKind,
    /// Bytes, where the provider knows them.
    pub size: Option<u64>,
}

/// A whole text and the version it was read at.
#[derive(Clone, Debug)]
pub struct TextRead {
    /// The text without a byte order mark, line endings as they are.
    pub text: String,
    /// The version that was read; it carries the hash of the content.
    pub version: Version,
}

/// On what condition a write may take place.
#[derive(Clone, Copy, Debug, Default)]
pub enum WriteIntent {
    /// Whatever stands there.
    #[default]
    Unconditional,
    /// Only if nothing stands there.
    CreateIfAbsent,
    /// Only if the file still has this version.
    ReplaceIfVersion(Version),
}

/// What a write did.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum WriteOperation {
    /// There was no file.
    Create,
    /// A file was replaced.
    Update,
}

/// The result of a write.
#[derive(Clone, Debug)]
pub struct WriteOutcome {
    /// Created or updated.
    pub operation: WriteOperation,
    /// The version that stands now.
    pub version: Version,
    /// The text that stood there, as differences are computed on it: LF endings, no byte order mark.
    /// `None` if there was no file, or it was no text, or either side is too large to compare.
    pub before: Option<String>,
    /// The new text, in the same form.
    pub after: String,
    /// What `before` and `after` do not show.
    pub form: Option<FormChange>,
}

/// A change that compared texts do not show, because it is one of form only.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum FormChange {
    /// Only line endings differ.
    LineEndings,
    /// Only the newline at the end differs.
    FinalNewline,
    /// Only the byte order mark differs.
    ByteOrderMark,
}

impl fmt::Display for FormChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LineEndings => "only line endings changed",
            Self::FinalNewline => "only the final newline changed",
            Self::ByteOrderMark => "only the byte order mark changed",
        })
    }
}

/// A literal replacement.
#[derive(Clone, Copy, Debug)]
pub struct EditRequest<'a> {
    /// The text to find. CR LF in it equals LF.
    pub old_string: &'a str,
    /// What to put there, literally. Line endings are those of the file.
    pub new_string: &'a str,
    /// Every place, or the only one.
    pub replace_all: bool,
}

/// The result of an edit.
#[derive(Clone, Debug)]
pub struct EditOutcome {
    /// How many places were replaced.
    pub replacements: usize,
    /// The version that stands now.
    pub version: Version,
    /// The text that stood there: LF endings, no byte order mark.
    pub before: String,
    /// The new text, in the same form.
    pub after: String,
    /// What `before` and `after` do not show.
    pub form: Option<FormChange>,
}

/// Takes the pieces of a text in order and says whether it wants more.
///
/// A piece may end anywhere between two characters. An error ends the reading and is its result.
pub type TextSink<'s> = dyn FnMut(&str) -> Result<ControlFlow<()>, FsError> + 's;

/// A provider of workspace files.
///
/// Nothing here asks who may do what: a [`Policy`](crate::policy::Policy) decides that outside, and
/// gives its decision as an intent. Without an intent an operation is unconditional.
pub trait FileSystem: Send + Sync {
    /// What a path means. Relative paths start at `cwd`, itself relative to the root or absolute;
    /// without one they start at the root.
    ///
    /// # Errors
    /// A blank path, a path that leaves the workspace, a file where a directory is needed.
    fn resolve(&self, path: &str, cwd: Option<&str>) -> Result<Target, FsError>;

    /// What stands at the target, links followed; `None` if nothing does.
    ///
    /// # Errors
    /// Cancelled, or the file system fails.
    fn stat(&self, target: &Target, cancel: &Cancel) -> Result<Option<FileInfo>, FsError>;

    /// The whole text of a file.
    ///
    /// # Errors
    /// No file, not text, too large, cancelled.
    fn read_text(&self, target: &Target, cancel: &Cancel) -> Result<TextRead, FsError>;

    /// The text of a file piece by piece, in constant memory, and the version it was read at.
    ///
    /// # Errors
    /// As [`read_text`](Self::read_text); bytes that are not UTF-8 show when they are reached. An
    /// error of `sink` is passed on.
    fn stream_text(
        &self,
        target: &Target,
        sink: &mut TextSink<'_>,
        cancel: &Cancel,
    ) -> Result<Version, FsError>;

    /// Puts `content` in place as a whole.
    ///
    /// # Errors
    /// The intent does not hold, something else than a file stands there, cancelled. The file is as
    /// it was.
    fn write_text(
        &self,
        target: &Target,
        content: &str,
        intent: WriteIntent,
        cancel: &Cancel,
    ) -> Result<WriteOutcome, FsError>;

    /// Replaces text in a file and leaves every other byte as it is.
    ///
    /// # Errors
    /// The file is missing or has not the `expected` version; it is no text; the old text does not
    /// occur, or too often. The file is as it was.
    fn edit_text(
        &self,
        target: &Target,
        edit: &EditRequest<'_>,
        expected: Option<&Version>,
        cancel: &Cancel,
    ) -> Result<EditOutcome, FsError>;
}
