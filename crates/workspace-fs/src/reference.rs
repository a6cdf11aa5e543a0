//! Workspace file references: a root and a relative path, checked afresh on each request.
//!
//! This is what the editor asks through: previews, the state of a file, and the native actions. It
//! only reads. Its answers are few words that name no path.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use acp_grammar::js;
use cap_std::fs::{File, Metadata};

use crate::media_type::media_type;
use crate::path::{PathRefusal, strict_steps};
use crate::resolve::{self, Entry, Located, WalkError, locate};
use crate::root::Root;
use crate::text;

/// The largest text that is given, in bytes.
pub const MAX_TEXT_BYTES: u64 = 2 * 1024 * 1024;

/// The largest file whose bytes are given, in bytes.
pub const MAX_FILE_BYTES: u64 = 50 * 1024 * 1024;

/// Bytes that are read at once.
const PIECE: usize = 64 * 1024;

/// A file of a workspace, by name. It grants nothing: what it means is found out on each request.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct WorkspaceFileRef {
    /// The workspace directory, absolute or beginning with `~`.
    pub workspace_root: String,
    /// The path below it, with slashes, without `..`.
    pub relative_path: String,
}

/// Why a request about a reference is refused. [`as_str`](Self::as_str) is the word of the protocol.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// The root is no directory, or the path leads outside.
    #[error("the path leads outside the workspace")]
    OutsideSandbox,
    /// Nothing is there, or no file where one is needed.
    #[error("there is no such file in the workspace")]
    NotFound,
    /// A file stands where a directory is needed.
    #[error("a parent of the path is no directory")]
    NotDirectory,
    /// A directory stands where a native action needs a file.
    #[error("the path is no regular file")]
    NotFile,
    /// More bytes than are given.
    #[error("the file is too large: {size} bytes")]
    TooLarge {
        /// Bytes of the file.
        size: u64,
    },
    /// A NUL among the first bytes.
    #[error("the file is no text")]
    Binary {
        /// Bytes of the file.
        size: u64,
    },
    /// The action does not exist on this system.
    #[error("this system has no such action")]
    UnsupportedPlatform,
    /// Anything else.
    #[error("the operation failed")]
    OperationFailed,
}

impl ReferenceError {
    /// The word as it stands in answers, for example `outsideSandbox`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OutsideSandbox => "outsideSandbox",
            Self::NotFound => "notFound",
            Self::NotDirectory => "notDirectory",
            Self::NotFile => "notFile",
            Self::TooLarge { .. } => "tooLarge",
            Self::Binary { .. } => "binary",
            Self::UnsupportedPlatform => "unsupportedPlatform",
            Self::OperationFailed => "operationFailed",
        }
    }

    /// Bytes of the file, where the refusal is about them.
    pub const fn size(self) -> Option<u64> {
        match self {
            Self::TooLarge { size } | Self::Binary { size } => Some(size),
            _ => None,
        }
    }
}

/// The state of a file or a directory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReferenceStat {
    /// Bytes.
    pub size: u64,
    /// Milliseconds since 1970 of the last change of content.
    pub modified_ms: f64,
    /// Whether it is a regular file.
    pub is_file: bool,
    /// Whether it is a directory.
    pub is_dir: bool,
}

/// A text for show.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ReferenceText {
    /// The text; invalid UTF-8 is replaced, a byte order mark stays.
    pub content: String,
    /// By the extension of the file's own name.
    pub media_type: &'static str,
    /// Bytes of the file.
    pub size: u64,
}

/// The bytes of a file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ReferenceBytes {
    /// All bytes.
    pub bytes: Vec<u8>,
    /// By the extension of the file's own name.
    pub media_type: &'static str,
}

/// A root and a working directory inside it, both with links resolved.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct WorkspaceContext {
    /// The root.
    pub workspace_root: PathBuf,
    /// The working directory.
    pub execution_cwd: PathBuf,
}

/// Opens the root of a reference. `home` is what a leading `~` stands for.
///
/// # Errors
/// `OutsideSandbox` for anything that is no directory.
pub fn open_root(workspace_root: &str, home: Option<&Path>) -> Result<Root, ReferenceError> {
    if js::is_blank(workspace_root) {
        return Err(ReferenceError::OutsideSandbox);
    }
    Root::open(&expand_home(workspace_root, home)).map_err(|_| ReferenceError::OutsideSandbox)
}

/// Resolves a root and a working directory.
///
/// # Errors
/// No such root, a working directory that is missing, outside, or a file.
pub fn resolve_context(
    workspace_root: &str,
    execution_cwd: &str,
    home: Option<&Path>,
) -> Result<WorkspaceContext, ReferenceError> {
    let root = open_root(workspace_root, home)?;
    let cwd = expand_home(execution_cwd, home);
    let inside = |cwd: &Path| {
        let spellings = root.spellings();
        let below = spellings
            .iter()
            .find_map(|root| cwd.strip_prefix(root).ok());
        below.map(Path::to_owned)
    };
    // The user named both directories, so links on the way to the working directory are followed as
    // far as they go; the walk below then finds out where that is.
    let canonical = cwd.canonicalize().unwrap_or_else(|_| cwd.clone());
    let below = inside(&canonical).ok_or(ReferenceError::OutsideSandbox)?;
    let below = match below.to_str() {
        Some("") => ".".to_owned(),
        Some(below) => below.to_owned(),
        None => return Err(ReferenceError::OperationFailed),
    };
    let located = walk(&root, &below)?;
    match located.entry {
        Entry::Directory(_) => Ok(WorkspaceContext {
            workspace_root: root.canonical_path().to_owned(),
            execution_cwd: canonical_path(&root, &located),
        }),
        Entry::Missing { .. } | Entry::Dangling => Err(ReferenceError::NotFound),
        Entry::File(_) | Entry::Other => Err(ReferenceError::NotDirectory),
    }
}

/// The state of what is there, links inside the root followed.
///
/// # Errors
/// Nothing is there, or the path leads outside.
pub fn stat(root: &Root, relative: &str) -> Result<ReferenceStat, ReferenceError> {
    let located = walk(root, relative)?;
    let metadata = match &located.entry {
        Entry::File(metadata) => metadata.clone(),
        Entry::Directory(dir) => dir.dir_metadata().map_err(failed)?,
        Entry::Other => located
            .parent
            .symlink_metadata(&located.name)
            .map_err(failed)?,
        Entry::Missing { .. } | Entry::Dangling => return Err(ReferenceError::NotFound),
    };
    Ok(ReferenceStat {
        size: metadata.len(),
        modified_ms: modified_ms(&metadata),
        is_file: metadata.is_file(),
        is_dir: metadata.is_dir(),
    })
}

/// The text of a file, at most [`MAX_TEXT_BYTES`].
///
/// # Errors
/// No file, too large, a NUL among the first 8192 bytes.
pub fn read_text(root: &Root, relative: &str) -> Result<ReferenceText, ReferenceError> {
    let (bytes, media_type) = read(root, relative, MAX_TEXT_BYTES)?;
    let size = len(&bytes);
    if text::looks_binary(&bytes) {
        return Err(ReferenceError::Binary { size });
    }
    Ok(ReferenceText {
        content: String::from_utf8_lossy(&bytes).into_owned(),
        media_type,
        size,
    })
}

/// The bytes of a file. `max_bytes` is clamped to 1 to [`MAX_FILE_BYTES`]; missing or not finite, it
/// is the latter.
///
/// # Errors
/// No file, too large.
pub fn read_bytes(
    root: &Root,
    relative: &str,
    max_bytes: Option<f64>,
) -> Result<ReferenceBytes, ReferenceError> {
    let (bytes, media_type) = read(root, relative, clamp(max_bytes))?;
    Ok(ReferenceBytes { bytes, media_type })
}

/// The path of a regular file for a native action, links resolved. It is resolved again just before
/// the action, so that what was checked is what is opened.
///
/// # Errors
/// Nothing is there, it is no file, or the path leads outside.
pub fn native_path(root: &Root, relative: &str) -> Result<PathBuf, ReferenceError> {
    let located = walk(root, relative)?;
    match located.entry {
        Entry::File(_) => Ok(canonical_path(root, &located)),
        Entry::Directory(_) | Entry::Other => Err(ReferenceError::NotFile),
        Entry::Missing { .. } | Entry::Dangling => Err(ReferenceError::NotFound),
    }
}

fn canonical_path(root: &Root, located: &Located) -> PathBuf {
    let mut path = root.canonical_path().to_owned();
    path.extend(located.key.iter());
    path
}

fn walk(root: &Root, relative: &str) -> Result<Located, ReferenceError> {
    let steps = strict_steps(relative).map_err(|refusal| match refusal {
        PathRefusal::BadName => ReferenceError::OperationFailed,
        PathRefusal::Blank | PathRefusal::Absolute | PathRefusal::Above => {
            ReferenceError::OutsideSandbox
        }
    })?;
    if !root.is_in_place() {
        return Err(ReferenceError::OutsideSandbox);
    }
    locate(root, &steps).map_err(|error| match error {
        // A link to nothing is as good as nothing, wherever it points. Only whether there is
        // something is asked; nothing outside is opened.
        WalkError::Outside {
            target: Some(target),
        } if matches!(target.try_exists(), Ok(false)) => ReferenceError::NotFound,
        WalkError::Outside { .. } | WalkError::Loop => ReferenceError::OutsideSandbox,
        WalkError::ParentNotDirectory => ReferenceError::NotDirectory,
        WalkError::Missing => ReferenceError::NotFound,
        WalkError::Io(error) => failed(error),
    })
}

/// The bytes of a file, and the media type of the name that it has, links resolved.
fn read(
    root: &Root,
    relative: &str,
    limit: u64,
) -> Result<(Vec<u8>, &'static str), ReferenceError> {
    let located = walk(root, relative)?;
    if !matches!(located.entry, Entry::File(_)) {
        return Err(ReferenceError::NotFound);
    }
    let (mut file, metadata) =
        resolve::open_file(&located.parent, &located.name).map_err(failed)?;
    let too_large = |size| Err(ReferenceError::TooLarge { size });
    if metadata.len() > limit {
        return too_large(metadata.len());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    while read_piece(&mut file, &mut bytes).map_err(failed)? {
        if len(&bytes) > limit {
            return too_large(len(&bytes));
        }
    }
    Ok((bytes, media_type(&located.name.to_string_lossy())))
}

/// Reads a piece; false at the end of the file.
fn read_piece(file: &mut File, bytes: &mut Vec<u8>) -> io::Result<bool> {
    let piece = u64::try_from(PIECE).unwrap_or(u64::MAX);
    Ok(file.by_ref().take(piece).read_to_end(bytes)? > 0)
}

fn failed(error: io::Error) -> ReferenceError {
    match WalkError::from(error) {
        WalkError::Outside { .. } | WalkError::Loop => ReferenceError::OutsideSandbox,
        WalkError::ParentNotDirectory => ReferenceError::NotDirectory,
        WalkError::Missing => ReferenceError::NotFound,
        WalkError::Io(error) if error.kind() == io::ErrorKind::NotADirectory => {
            ReferenceError::NotDirectory
        }
        WalkError::Io(_) => ReferenceError::OperationFailed,
    }
}

fn clamp(max_bytes: Option<f64>) -> u64 {
    let Some(max_bytes) = max_bytes.filter(|max| max.is_finite()) else {
        return MAX_FILE_BYTES;
    };
    // A float of this range is a whole number when it is written without decimals.
    let whole = format!("{:.0}", max_bytes.floor().clamp(1.0, 1e12));
    whole.parse().unwrap_or(1).min(MAX_FILE_BYTES)
}

fn modified_ms(metadata: &Metadata) -> f64 {
    let since_epoch = metadata
        .modified()
        .ok()
        .and_then(|time| time.into_std().duration_since(std::time::UNIX_EPOCH).ok());
    since_epoch.map_or(0.0, |since| since.as_secs_f64() * 1000.0)
}

fn len(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

fn expand_home(path: &str, home: Option<&Path>) -> PathBuf {
    let rest = path.strip_prefix('~').and_then(|rest| {
        let is_home = rest.is_empty() || rest.starts_with(['/', '\\']);
        is_home.then(|| rest.trim_start_matches(['/', '\\']))
    });
    match (rest, home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}
