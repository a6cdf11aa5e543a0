//! Listing, raw bytes, and the changes that concern whole entries.

use std::ffi::{OsStr, OsString};
use std::io;

use cap_fs_ext::DirExt as _;
use cap_std::fs::{Dir, Metadata};

use crate::atomic::sync_directory;
use crate::cancel::Cancel;
use crate::error::{FsError, Verb};
use crate::filesystem::{Target, TargetKey};
use crate::local::read::read_bytes;
use crate::local::write::enter_or_create;
use crate::local::{LocalFileSystem, key_of, refused, stop_if_cancelled, walk_error};
use crate::path::{Step, strict_steps};
use crate::resolve::{Entry, Located, locate};
use crate::version::{ContentHash, Version};

/// What an entry of a directory is, links not followed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, wherever it leads.
    Symlink,
    /// Anything else.
    Other,
}

/// One entry of a directory.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DirectoryEntry {
    /// Its name; bytes that are not UTF-8 are replaced.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
}

/// The bytes of a file and the version they were read at.
#[derive(Clone, Debug)]
pub struct BytesRead {
    /// All bytes.
    pub bytes: Vec<u8>,
    /// The version, with the hash of the bytes.
    pub version: Version,
}

impl LocalFileSystem {
    /// What a strict path means: one relative to the root and without any `..`.
    ///
    /// `.` and paths that end in a slash are fine. The target follows a final link; the operations
    /// that concern the entry itself do not.
    ///
    /// # Errors
    /// A blank or absolute path, a `..`, a path that leaves the workspace by a link.
    pub fn resolve_strict(&self, relative: &str) -> Result<Target, FsError> {
        let steps =
            strict_steps(relative).map_err(|refusal| refused(Verb::Resolve, relative, refusal))?;
        let display_path = self.display_of(&steps);
        // A link that leaves, or leads nowhere, is still an entry that can be listed and removed.
        let key = match locate(&self.root, &steps) {
            Ok(located) => key_of(&located),
            Err(error) => match self.locate_entry(Verb::Resolve, &display_path, &steps) {
                Ok(entry) => TargetKey(entry.key()),
                Err(_) => return Err(walk_error(Verb::Resolve, &display_path, error)),
            },
        };
        Ok(Target {
            input_path: relative.to_owned(),
            key,
            display_path,
            steps,
        })
    }

    /// The entries of a directory by name, hidden ones included, not recursive.
    ///
    /// # Errors
    /// No directory, cancelled, the file system fails.
    pub fn list(&self, target: &Target, cancel: &Cancel) -> Result<Vec<DirectoryEntry>, FsError> {
        let verb = Verb::List;
        stop_if_cancelled(verb, cancel)?;
        let path = &target.display_path;
        let dir = match self.locate(verb, target)?.entry {
            Entry::Directory(dir) => dir,
            Entry::Missing { .. } | Entry::Dangling => {
                let path = path.clone();
                return Err(FsError::NotFound { verb, path });
            }
            Entry::File(_) | Entry::Other => {
                let path = path.clone();
                return Err(FsError::NotDirectory { verb, path });
            }
        };
        let io = |error| FsError::from_io(verb, path, error);
        let mut entries = Vec::new();
        for entry in dir.entries().map_err(io)? {
            stop_if_cancelled(verb, cancel)?;
            let entry = entry.map_err(io)?;
            let kind = match entry.file_type() {
                Ok(kind) if kind.is_symlink() => EntryKind::Symlink,
                Ok(kind) if kind.is_dir() => EntryKind::Directory,
                Ok(kind) if kind.is_file() => EntryKind::File,
                Ok(_) => EntryKind::Other,
                // It is gone again.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(io(error)),
            };
            let name = entry.file_name().to_string_lossy().into_owned();
            entries.push(DirectoryEntry { name, kind });
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    /// All bytes of a file, at most `limit`.
    ///
    /// # Errors
    /// No file, too large, cancelled.
    pub fn read_bytes(
        &self,
        target: &Target,
        limit: u64,
        cancel: &Cancel,
    ) -> Result<BytesRead, FsError> {
        let (file, metadata) = super::read::open(self, target, cancel)?;
        let path = &target.display_path;
        let bytes = read_bytes(file, &metadata, limit, Verb::Read, path, cancel)?;
        let version = Version::of_metadata(&metadata).with_hash(ContentHash::of(&bytes));
        Ok(BytesRead { bytes, version })
    }

    /// Makes a directory and those above it that are missing. One that exists is fine.
    ///
    /// # Errors
    /// Something else than a directory stands there or above.
    pub fn create_directory(&self, target: &Target, cancel: &Cancel) -> Result<(), FsError> {
        let verb = Verb::CreateDirectory;
        stop_if_cancelled(verb, cancel)?;
        let located = self.locate(verb, target)?;
        let path = || target.display_path.clone();
        let io = |error| FsError::from_io(verb, &target.display_path, error);
        let rest = match located.entry {
            Entry::Directory(_) => return Ok(()),
            Entry::Missing { rest } => rest,
            Entry::Dangling => return Err(FsError::DanglingLink { verb, path: path() }),
            Entry::File(_) | Entry::Other => {
                return Err(FsError::NotDirectory { verb, path: path() });
            }
        };
        let mut dir = located.parent.try_clone().map_err(io)?;
        for name in std::iter::once(&located.name).chain(&rest) {
            dir = enter_or_create(&dir, name).map_err(io)?;
        }
        sync_directory(&located.parent).map_err(io)
    }

    /// Removes a file, or a link as a link.
    ///
    /// # Errors
    /// Nothing is there, a directory is there, cancelled.
    pub fn delete_file(&self, target: &Target, cancel: &Cancel) -> Result<(), FsError> {
        let held = self.hold_entry(Verb::Delete, target, cancel)?;
        let entry = self.locate_entry(Verb::Delete, &target.display_path, &target.steps)?;
        let removed = match entry.kind {
            EntryKind::Directory => {
                return Err(FsError::NotRegularFile {
                    verb: Verb::Delete,
                    path: target.display_path.clone(),
                });
            }
            _ => entry.parent.dir().remove_file(&entry.name),
        };
        let synced = removed.and_then(|()| sync_directory(entry.parent.dir()));
        drop(held);
        synced.map_err(|error| FsError::from_io(Verb::Delete, &target.display_path, error))
    }

    /// Removes whatever is there; a directory with all that is in it. Links are removed as links.
    ///
    /// # Errors
    /// Nothing is there, it is the root, cancelled.
    pub fn delete_tree(&self, target: &Target, cancel: &Cancel) -> Result<(), FsError> {
        let held = self.hold_entry(Verb::Delete, target, cancel)?;
        let entry = self.locate_entry(Verb::Delete, &target.display_path, &target.steps)?;
        let dir = entry.parent.dir();
        let removed = match entry.kind {
            EntryKind::Directory => dir
                .open_dir_nofollow(&entry.name)
                .and_then(Dir::remove_open_dir_all),
            _ => dir.remove_file(&entry.name),
        };
        let synced = removed.and_then(|()| sync_directory(dir));
        drop(held);
        synced.map_err(|error| FsError::from_io(Verb::Delete, &target.display_path, error))
    }

    /// Gives a file or a directory another name; a link moves as a link. Nothing is replaced.
    ///
    /// # Errors
    /// Nothing is at `from`, something is at `to`, the directory of `to` is missing, cancelled.
    pub fn rename(&self, from: &Target, to: &Target, cancel: &Cancel) -> Result<(), FsError> {
        let verb = Verb::Write;
        let held = self.hold_entry(verb, from, cancel)?;
        let source = self.locate_entry(verb, &from.display_path, &from.steps)?;
        let exists = || FsError::OverwriteUnread {
            path: to.display_path.clone(),
            current: None,
        };
        let (destination, name) = self.locate_place(verb, to)?;
        let there = destination.dir();
        if there.symlink_metadata(&name).is_ok() {
            return Err(exists());
        }
        let here = source.parent.dir();
        let moved = match source.kind {
            // A link of the file takes the name only if nothing has it meanwhile.
            EntryKind::File => match here.hard_link(&source.name, there, &name) {
                Ok(()) => here.remove_file(&source.name),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(exists()),
                Err(_) => here.rename(&source.name, there, &name),
            },
            _ => here.rename(&source.name, there, &name),
        };
        let synced = moved
            .and_then(|()| sync_directory(there))
            .and_then(|()| sync_directory(here));
        drop(held);
        synced.map_err(|error| FsError::from_io(verb, &from.display_path, error))
    }

    pub(super) fn hold_entry(
        &self,
        verb: Verb,
        target: &Target,
        cancel: &Cancel,
    ) -> Result<crate::locks::Held<'_>, FsError> {
        let held = self.locks.hold(&target.key.0, cancel);
        let held = held.ok_or(FsError::Aborted { verb })?;
        stop_if_cancelled(verb, cancel)?;
        Ok(held)
    }

    /// Walks to the directory that holds the entry, and looks at the entry without following it.
    pub(super) fn locate_entry(
        &self,
        verb: Verb,
        path: &str,
        steps: &[Step],
    ) -> Result<FoundEntry, FsError> {
        let (parent, name) = self.parent_of(verb, path, steps)?;
        let metadata = parent
            .dir()
            .symlink_metadata(&name)
            .map_err(|error| FsError::from_io(verb, path, error))?;
        let kind = if metadata.is_symlink() {
            EntryKind::Symlink
        } else if metadata.is_dir() {
            EntryKind::Directory
        } else if metadata.is_file() {
            EntryKind::File
        } else {
            EntryKind::Other
        };
        Ok(FoundEntry {
            parent,
            name,
            kind,
            metadata,
        })
    }

    fn locate_place(&self, verb: Verb, target: &Target) -> Result<(Parent, OsString), FsError> {
        self.parent_of(verb, &target.display_path, &target.steps)
    }

    pub(super) fn parent_of(
        &self,
        verb: Verb,
        path: &str,
        steps: &[Step],
    ) -> Result<(Parent, OsString), FsError> {
        let path = path.to_owned();
        if !self.root.is_in_place() {
            return Err(FsError::WorkspaceMoved { verb, path });
        }
        let Some((Step::Into(name), above)) = steps.split_last() else {
            // The root itself has no name beneath the root.
            return Err(FsError::OutsideWorkspace { verb, path });
        };
        let located = locate(&self.root, above).map_err(|error| walk_error(verb, &path, error))?;
        match &located.entry {
            Entry::Directory(_) => Ok((Parent(located), name.clone())),
            Entry::Missing { .. } | Entry::Dangling => Err(FsError::NotFound { verb, path }),
            Entry::File(_) | Entry::Other => Err(FsError::ParentNotDirectory { path }),
        }
    }
}

/// A located directory.
pub(super) struct Parent(Located);

impl Parent {
    /// Names from the root to the directory, links resolved.
    pub(super) fn key(&self) -> &std::path::Path {
        &self.0.key
    }

    pub(super) fn dir(&self) -> &Dir {
        match &self.0.entry {
            Entry::Directory(dir) => dir,
            _ => &self.0.parent,
        }
    }
}

/// An entry in its directory, links not followed.
pub(super) struct FoundEntry {
    pub(super) parent: Parent,
    pub(super) name: OsString,
    pub(super) kind: EntryKind,
    /// Of a link itself, not of its target.
    pub(super) metadata: Metadata,
}

impl FoundEntry {
    fn key(&self) -> std::path::PathBuf {
        self.parent.key().join::<&OsStr>(&self.name)
    }
}
