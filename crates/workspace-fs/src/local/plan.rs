//! What a change of several files needs beyond the seam: looking without reading, removing in a way
//! that can be taken back, and writing with the permissions of another file.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use cap_std::fs::Permissions;

use crate::atomic::{Staged, sync_directory};
use crate::cancel::Cancel;
use crate::error::{FsError, Verb};
use crate::filesystem::{Target, TargetKey, WriteIntent, WriteOutcome};
use crate::local::entries::{EntryKind, FoundEntry};
use crate::local::read::{not_text, read_bytes};
use crate::local::{LocalFileSystem, MAX_WHOLE_TEXT, open_located, refused, stop_if_cancelled};
use crate::path::tool_steps;
use crate::resolve::Entry;
use crate::text;
use crate::version::{ContentHash, Freshness, Stamp, Version};

/// What stands at a target.
pub(crate) enum Found {
    Nothing,
    File {
        version: Version,
    },
    /// A link, looked at as a link.
    Link {
        version: Version,
    },
    /// A link to nothing.
    Dangling,
    /// A directory or a special file.
    Other,
}

/// What was removed, as far as it can be put back.
pub(crate) enum Removed {
    File {
        bytes: Vec<u8>,
        permissions: Permissions,
    },
    Link {
        target: PathBuf,
    },
    /// Too large to be held.
    TooLarge,
}

impl LocalFileSystem {
    /// What a tool path means as an entry: a final link is the link itself.
    pub(crate) fn resolve_entry(&self, path: &str, cwd: Option<&str>) -> Result<Target, FsError> {
        let cwd = self.working_directory(cwd)?;
        let steps = tool_steps(path, &cwd, &self.root.spellings())
            .map_err(|refusal| refused(Verb::Resolve, path, refusal))?;
        self.target_of_entry(path, steps)
    }

    pub(crate) fn look_at(&self, target: &Target, cancel: &Cancel) -> Result<Found, FsError> {
        stop_if_cancelled(Verb::Stat, cancel)?;
        Ok(match self.locate_same(Verb::Stat, target)?.entry {
            Entry::File(metadata) => Found::File {
                version: Version::of_metadata(&metadata),
            },
            Entry::Missing { .. } => Found::Nothing,
            Entry::Dangling => Found::Dangling,
            Entry::Directory(_) | Entry::Other => Found::Other,
        })
    }

    pub(crate) fn look_at_entry(&self, target: &Target, cancel: &Cancel) -> Result<Found, FsError> {
        stop_if_cancelled(Verb::Delete, cancel)?;
        let entry = match self.locate_entry(Verb::Delete, &target.display_path, &target.steps) {
            Ok(entry) => entry,
            Err(FsError::NotFound { .. }) => return Ok(Found::Nothing),
            Err(error) => return Err(error),
        };
        let version = Version::of_metadata(&entry.metadata);
        Ok(match entry.kind {
            EntryKind::File => Found::File { version },
            EntryKind::Symlink => Found::Link { version },
            EntryKind::Directory | EntryKind::Other => Found::Other,
        })
    }

    /// The whole text of a file with its byte order mark, and what it takes to replace it.
    pub(crate) fn read_for_change(
        &self,
        target: &Target,
        cancel: &Cancel,
    ) -> Result<(String, Version, Permissions), FsError> {
        let verb = Verb::Read;
        let path = &target.display_path;
        let (file, metadata) = super::read::open(self, target, cancel)?;
        let bytes = read_bytes(file, &metadata, MAX_WHOLE_TEXT, verb, path, cancel)?;
        let version = Version::of_metadata(&metadata).with_hash(ContentHash::of(&bytes));
        let (mark, text) =
            text::decode_for_edit(&bytes).map_err(|why| not_text(verb, path, why))?;
        Ok(([mark, text].concat(), version, metadata.permissions()))
    }

    /// [`FileSystem::write_text`](crate::FileSystem::write_text) that gives a new file these
    /// permissions.
    pub(crate) fn write_with(
        &self,
        target: &Target,
        content: &str,
        intent: WriteIntent,
        permissions: Option<Permissions>,
        cancel: &Cancel,
    ) -> Result<WriteOutcome, FsError> {
        super::write::put_text(self, target, content, intent, permissions, cancel)
    }

    /// The keys of the directories that a write of this target would make, outermost first.
    pub(crate) fn missing_directories(&self, target: &Target) -> Result<Vec<PathBuf>, FsError> {
        let located = self.locate_same(Verb::Write, target)?;
        let Entry::Missing { rest } = &located.entry else {
            return Ok(Vec::new());
        };
        let mut key = located.key.clone();
        let mut directories = Vec::new();
        for name in rest {
            directories.push(key.clone());
            key.push(name);
        }
        Ok(directories)
    }

    /// Removes a directory, by its key, if nothing is in it.
    pub(crate) fn remove_empty_directory(&self, key: &Path) {
        // Keys hold no links, and the handle does not follow one that leaves.
        let _ = self.root.dir().remove_dir(key);
    }

    /// Removes the file or the link if it still has this version, and gives what puts it back.
    pub(crate) fn remove(
        &self,
        target: &Target,
        version: &Version,
        cancel: &Cancel,
    ) -> Result<Removed, FsError> {
        let verb = Verb::Delete;
        let path = &target.display_path;
        let io = |error| FsError::from_io(verb, path, error);
        let _turn = self.hold_entry(verb, target, cancel)?;
        let entry = self.locate_entry(verb, path, &target.steps)?;
        let removed = match entry.kind {
            EntryKind::File => hold_content(&entry, version, path)?,
            EntryKind::Symlink if version.stamp == Stamp::of(&entry.metadata) => {
                let target = entry.parent.dir().read_link_contents(&entry.name);
                Removed::Link {
                    target: target.map_err(io)?,
                }
            }
            _ => {
                return Err(FsError::Changed {
                    verb,
                    path: path.clone(),
                    current: None,
                });
            }
        };
        let dir = entry.parent.dir();
        dir.remove_file(&entry.name).map_err(io)?;
        sync_directory(dir).map_err(io)?;
        Ok(removed)
    }

    /// Puts back what was removed, if nothing took its place.
    pub(crate) fn put_back(
        &self,
        target: &Target,
        removed: Removed,
        cancel: &Cancel,
    ) -> Result<(), FsError> {
        let verb = Verb::Write;
        let path = &target.display_path;
        let io = |error| FsError::from_io(verb, path, error);
        let _turn = self.hold_entry(verb, target, cancel)?;
        let (parent, name) = self.parent_of(verb, path, &target.steps)?;
        let dir = parent.dir();
        match removed {
            Removed::File { bytes, permissions } => {
                let staged = Staged::write(dir, &bytes, Some(permissions)).map_err(io)?;
                staged.create(&name).map(drop).map_err(io)
            }
            #[cfg(unix)]
            Removed::Link { target } => dir.symlink_contents(target, &name).map_err(io),
            #[cfg(not(unix))]
            Removed::Link { .. } => Err(io(io::Error::from(io::ErrorKind::Unsupported))),
            Removed::TooLarge => Err(io(io::Error::other("it was too large to be kept"))),
        }
    }

    fn target_of_entry(
        &self,
        path: &str,
        steps: Vec<crate::path::Step>,
    ) -> Result<Target, FsError> {
        let display_path = self.display_of(&steps);
        let (parent, name) = match self.parent_of(Verb::Resolve, &display_path, &steps) {
            Ok(found) => found,
            // Then the entry is missing too, and only its name is known.
            Err(FsError::NotFound { .. }) => {
                return Ok(Target {
                    input_path: path.to_owned(),
                    key: TargetKey(crate::path::display_names(&steps)),
                    display_path,
                    steps,
                });
            }
            Err(error) => return Err(error),
        };
        Ok(Target {
            input_path: path.to_owned(),
            key: TargetKey(parent.key().join(name)),
            display_path,
            steps,
        })
    }
}

/// The content of a file that is about to be removed, if it still has this version.
fn hold_content(entry: &FoundEntry, version: &Version, path: &str) -> Result<Removed, FsError> {
    let verb = Verb::Delete;
    let io = |error| FsError::from_io(verb, path, error);
    let (mut file, metadata) = open_located(entry.parent.dir(), &entry.name, verb, path)?;
    let stamp = Stamp::of(&metadata);
    let mut removed = Removed::TooLarge;
    let mut hash = None;
    if metadata.len() <= MAX_WHOLE_TEXT {
        let mut bytes = Vec::new();
        let limit = MAX_WHOLE_TEXT + 1;
        file.by_ref()
            .take(limit)
            .read_to_end(&mut bytes)
            .map_err(io)?;
        hash = Some(ContentHash::of(&bytes));
        removed = Removed::File {
            bytes,
            permissions: metadata.permissions(),
        };
    }
    let is_same = match version.freshness(&stamp) {
        Freshness::Same => true,
        Freshness::IfContentIs(seen) => hash == Some(seen),
        // A file that was not read is told by its stamp, however young that is.
        Freshness::Different => version.content_hash().is_none() && version.stamp == stamp,
    };
    if is_same {
        Ok(removed)
    } else {
        Err(FsError::Changed {
            verb,
            path: path.to_owned(),
            current: Some(Box::new(Version::of_metadata(&metadata))),
        })
    }
}
