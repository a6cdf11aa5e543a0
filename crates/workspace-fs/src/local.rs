//! The provider of files on the local disk, beneath one root.

mod entries;
mod plan;
mod read;
mod write;

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use cap_std::fs::{Dir, File, Metadata};

use crate::cancel::Cancel;
use crate::error::{FsError, Verb};
use crate::filesystem::{
    EditOutcome, EditRequest, FileInfo, FileKind, FileSystem, Target, TargetKey, TextRead,
    TextSink, WriteIntent, WriteOutcome,
};
use crate::locks::Locks;
use crate::path::{PathRefusal, Step, display_names, tool_steps};
use crate::resolve::{self, Entry, Located, WalkError, locate};
use crate::root::Root;
use crate::version::Version;

pub use entries::{BytesRead, DirectoryEntry, EntryKind};
pub(crate) use plan::{Found, Removed};

/// A file of at least this many bytes is read in pieces and never held as a whole, unless it is
/// edited.
pub const STREAM_FROM_BYTES: u64 = 10 * 1024 * 1024;

/// The largest file that is read whole as text, or edited, in bytes.
pub const MAX_WHOLE_TEXT: u64 = 32 * 1024 * 1024;

/// Files beneath a [`Root`].
#[derive(Debug)]
pub struct LocalFileSystem {
    root: Root,
    locks: Locks,
}

impl LocalFileSystem {
    /// The files beneath this root.
    pub fn new(root: Root) -> Self {
        Self {
            root,
            locks: Locks::default(),
        }
    }

    /// Opens the directory at `path` as the root.
    ///
    /// # Errors
    /// The failure of the system, if there is no directory that can be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        Root::open(path).map(Self::new)
    }

    /// The root.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// Walks to the target as it is now.
    fn locate(&self, verb: Verb, target: &Target) -> Result<Located, FsError> {
        let path = &target.display_path;
        if !self.root.is_in_place() {
            return Err(FsError::WorkspaceMoved {
                verb,
                path: path.clone(),
            });
        }
        locate(&self.root, &target.steps).map_err(|error| walk_error(verb, path, error))
    }

    /// Walks to the target and insists that it is still the same place.
    fn locate_same(&self, verb: Verb, target: &Target) -> Result<Located, FsError> {
        let located = self.locate(verb, target)?;
        if key_of(&located) == target.key {
            Ok(located)
        } else {
            Err(FsError::Changed {
                verb,
                path: target.display_path.clone(),
                current: None,
            })
        }
    }

    fn working_directory(&self, cwd: Option<&str>) -> Result<Vec<Step>, FsError> {
        match cwd {
            None => Ok(Vec::new()),
            Some(cwd) => tool_steps(cwd, &[], &self.root.spellings())
                .map_err(|refusal| refused(Verb::Resolve, cwd, refusal)),
        }
    }

    fn display(&self, steps: &[Step], located: &Located) -> String {
        // `..` after a link goes to the parent of its target, so only the key can be shown.
        let goes_up = steps.iter().any(|step| matches!(step, Step::Up));
        let names = if goes_up {
            key_of(located).0
        } else {
            display_names(steps)
        };
        // Joining an empty path would add a slash.
        let mut path = self.root.path().to_owned();
        path.extend(names.iter());
        path.display().to_string()
    }

    /// The absolute path for texts of what need not exist.
    fn display_of(&self, steps: &[Step]) -> String {
        let mut path = self.root.path().to_owned();
        path.extend(display_names(steps).iter());
        path.display().to_string()
    }
}

impl FileSystem for LocalFileSystem {
    fn resolve(&self, path: &str, cwd: Option<&str>) -> Result<Target, FsError> {
        let cwd = self.working_directory(cwd)?;
        let steps = tool_steps(path, &cwd, &self.root.spellings())
            .map_err(|refusal| refused(Verb::Resolve, path, refusal))?;
        let located = locate(&self.root, &steps)
            .map_err(|error| walk_error(Verb::Resolve, &self.display_of(&steps), error))?;
        Ok(Target {
            input_path: path.to_owned(),
            key: key_of(&located),
            display_path: self.display(&steps, &located),
            steps,
        })
    }

    fn stat(&self, target: &Target, cancel: &Cancel) -> Result<Option<FileInfo>, FsError> {
        stop_if_cancelled(Verb::Stat, cancel)?;
        let located = match self.locate(Verb::Stat, target) {
            Ok(located) => located,
            Err(FsError::ParentNotDirectory { .. } | FsError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let io = |error| FsError::from_io(Verb::Stat, &target.display_path, error);
        let (kind, metadata) = match &located.entry {
            Entry::Missing { .. } | Entry::Dangling => return Ok(None),
            Entry::File(metadata) => (FileKind::File, metadata.clone()),
            Entry::Directory(dir) => (FileKind::Directory, dir.dir_metadata().map_err(io)?),
            Entry::Other => {
                let metadata = located.parent.symlink_metadata(&located.name);
                (FileKind::Other, metadata.map_err(io)?)
            }
        };
        Ok(Some(FileInfo {
            version: Version::of_metadata(&metadata),
            kind,
            size: Some(metadata.len()),
        }))
    }

    fn read_text(&self, target: &Target, cancel: &Cancel) -> Result<TextRead, FsError> {
        read::whole_text(self, target, cancel)
    }

    fn stream_text(
        &self,
        target: &Target,
        sink: &mut TextSink<'_>,
        cancel: &Cancel,
    ) -> Result<Version, FsError> {
        read::stream_text(self, target, sink, cancel)
    }

    fn write_text(
        &self,
        target: &Target,
        content: &str,
        intent: WriteIntent,
        cancel: &Cancel,
    ) -> Result<WriteOutcome, FsError> {
        write::put_text(self, target, content, intent, None, cancel)
    }

    fn edit_text(
        &self,
        target: &Target,
        edit: &EditRequest<'_>,
        expected: Option<&Version>,
        cancel: &Cancel,
    ) -> Result<EditOutcome, FsError> {
        write::edit_text(self, target, edit, expected, cancel)
    }
}

/// The identity of a place: its names, and those below it that do not exist yet.
pub(crate) fn key_of(located: &Located) -> TargetKey {
    let mut key = located.key.clone();
    if let Entry::Missing { rest } = &located.entry {
        key.extend(rest);
    }
    TargetKey(key)
}

pub(crate) fn stop_if_cancelled(verb: Verb, cancel: &Cancel) -> Result<(), FsError> {
    if cancel.is_cancelled() {
        Err(FsError::Aborted { verb })
    } else {
        Ok(())
    }
}

/// Opens the file that a walk found; what replaced it meanwhile is not followed.
pub(crate) fn open_located(
    parent: &Dir,
    name: &OsStr,
    verb: Verb,
    path: &str,
) -> Result<(File, Metadata), FsError> {
    resolve::open_file(parent, name).map_err(|error| {
        if resolve::is_link_refusal(&error) {
            // The name has become a link since the walk.
            FsError::NotRegularFile {
                verb,
                path: path.to_owned(),
            }
        } else {
            FsError::from_io(verb, path, error)
        }
    })
}

fn refused(verb: Verb, path: &str, refusal: PathRefusal) -> FsError {
    let path = path.replace('\0', "\u{FFFD}");
    match refusal {
        PathRefusal::Blank => FsError::BlankPath,
        PathRefusal::Absolute | PathRefusal::Above => FsError::OutsideWorkspace { verb, path },
        PathRefusal::BadName => FsError::BadName { verb, path },
    }
}

fn walk_error(verb: Verb, path: &str, error: WalkError) -> FsError {
    let path = path.to_owned();
    match error {
        WalkError::Outside { .. } | WalkError::Loop => FsError::OutsideWorkspace { verb, path },
        WalkError::ParentNotDirectory => FsError::ParentNotDirectory { path },
        WalkError::Missing => FsError::NotFound { verb, path },
        WalkError::Io(error) => FsError::from_io(verb, &path, error),
    }
}
