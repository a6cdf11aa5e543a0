//! Writing and editing, under the lock of the file.

use std::ffi::{OsStr, OsString};
use std::io;

use cap_fs_ext::DirExt as _;
use cap_std::fs::{Dir, File, Metadata, Permissions};

use crate::atomic::{Staged, hold_directory, same_file};
use crate::cancel::Cancel;
use crate::edit::{self, EditFailure};
use crate::error::{FsError, Verb};
use crate::filesystem::{
    EditOutcome, EditRequest, Target, WriteIntent, WriteOperation, WriteOutcome,
};
use crate::local::read::{not_text, read_bytes};
use crate::local::{
    LocalFileSystem, MAX_WHOLE_TEXT, STREAM_FROM_BYTES, open_located, stop_if_cancelled,
};
use crate::resolve::{Entry, Located};
use crate::text;
use crate::version::{ContentHash, Freshness, Stamp, Version};

/// `permissions` are for a file that is created; one that is replaced keeps its own.
pub(super) fn put_text(
    files: &LocalFileSystem,
    target: &Target,
    content: &str,
    intent: WriteIntent,
    permissions: Option<Permissions>,
    cancel: &Cancel,
) -> Result<WriteOutcome, FsError> {
    let change = Change {
        files,
        target,
        verb: Verb::Write,
        cancel,
    };
    stop_if_cancelled(change.verb, cancel)?;
    let _turn = change.wait_for_turn()?;
    let located = files.locate_same(change.verb, target)?;
    let after = text::diff_basis(content).into_owned();
    match &located.entry {
        Entry::File(_) => {
            let existing = Existing::open(&change, &located)?;
            match &intent {
                WriteIntent::Unconditional => {}
                WriteIntent::CreateIfAbsent => {
                    return Err(FsError::OverwriteUnread {
                        path: change.path(),
                        current: Some(Box::new(existing.version())),
                    });
                }
                WriteIntent::ReplaceIfVersion(seen) => existing.insist_on(&change, seen)?,
            }
            let old = existing.text_before(&change, content.len())?;
            let seen = match &intent {
                WriteIntent::ReplaceIfVersion(seen) => Some(seen),
                WriteIntent::Unconditional | WriteIntent::CreateIfAbsent => None,
            };
            let version = existing.replace(&change, &located, content.as_bytes(), seen)?;
            let form = old
                .as_deref()
                .and_then(|old| text::form_change(old, content));
            Ok(WriteOutcome {
                operation: WriteOperation::Update,
                version,
                before: old.map(|old| text::diff_basis(&old).into_owned()),
                after,
                form,
            })
        }
        Entry::Missing { rest } => {
            if matches!(intent, WriteIntent::ReplaceIfVersion(_)) {
                return Err(FsError::Gone {
                    verb: change.verb,
                    path: change.path(),
                });
            }
            let content = NewContent {
                bytes: content.as_bytes(),
                permissions,
            };
            let version = change.create(&located, rest, content, &intent)?;
            Ok(WriteOutcome {
                operation: WriteOperation::Create,
                version,
                before: None,
                after,
                form: None,
            })
        }
        other => Err(change.no_file(other)),
    }
}

pub(super) fn edit_text(
    files: &LocalFileSystem,
    target: &Target,
    request: &EditRequest<'_>,
    expected: Option<&Version>,
    cancel: &Cancel,
) -> Result<EditOutcome, FsError> {
    let change = Change {
        files,
        target,
        verb: Verb::Edit,
        cancel,
    };
    stop_if_cancelled(change.verb, cancel)?;
    let _turn = change.wait_for_turn()?;
    let located = match files.locate_same(change.verb, target) {
        Err(FsError::NotFound { .. }) => return Err(change.changed(None)),
        located => located?,
    };
    match &located.entry {
        Entry::File(_) => {}
        Entry::Missing { .. } => return Err(change.changed(None)),
        other => return Err(change.no_file(other)),
    }
    let existing = Existing::open(&change, &located)?;
    if let Some(seen) = expected {
        existing.insist_on(&change, seen)?;
    }
    let bytes = existing.read(&change)?;
    let read = existing.version().with_hash(ContentHash::of(&bytes));
    let seen_hash = expected.and_then(Version::content_hash);
    if seen_hash.is_some() && seen_hash != read.content_hash() {
        return Err(change.changed(Some(read)));
    }
    let (mark, old) = text::decode_for_edit(&bytes)
        .map_err(|why| not_text(change.verb, &target.display_path, why))?;
    let edited = edit::apply(old, request).map_err(|failure| change.edit_failure(&failure))?;
    let content = [mark, &edited.text].concat();
    let version = if content.as_bytes() == bytes {
        read
    } else {
        // The new content was computed from these bytes, so a foreign change meanwhile would be
        // lost even when the caller named no version.
        existing.replace(&change, &located, content.as_bytes(), Some(&read))?
    };
    Ok(EditOutcome {
        replacements: edited.replacements,
        version,
        form: text::form_change(old, &edited.text),
        before: edited.before,
        after: edited.after,
    })
}

/// What a new file gets.
struct NewContent<'c> {
    bytes: &'c [u8],
    permissions: Option<Permissions>,
}

/// What all steps of one change need to know.
pub(super) struct Change<'c> {
    pub(super) files: &'c LocalFileSystem,
    pub(super) target: &'c Target,
    pub(super) verb: Verb,
    pub(super) cancel: &'c Cancel,
}

impl Change<'_> {
    fn path(&self) -> String {
        self.target.display_path.clone()
    }

    fn wait_for_turn(&self) -> Result<crate::locks::Held<'_>, FsError> {
        let held = self.files.locks.hold(&self.target.key.0, self.cancel);
        held.ok_or(FsError::Aborted { verb: self.verb })
    }

    fn io(&self, error: io::Error) -> FsError {
        FsError::from_io(self.verb, &self.target.display_path, error)
    }

    fn changed(&self, current: Option<Version>) -> FsError {
        FsError::Changed {
            verb: self.verb,
            path: self.path(),
            current: current.map(Box::new),
        }
    }

    fn no_file(&self, entry: &Entry) -> FsError {
        let (verb, path) = (self.verb, self.path());
        match entry {
            Entry::Dangling => FsError::DanglingLink { verb, path },
            Entry::Missing { .. } => FsError::NotFound { verb, path },
            Entry::Directory(_) | Entry::Other | Entry::File(_) => {
                FsError::NotRegularFile { verb, path }
            }
        }
    }

    fn edit_failure(&self, failure: &EditFailure) -> FsError {
        let path = self.path();
        match *failure {
            EditFailure::EmptyOldString => FsError::EmptyOldString,
            EditFailure::NotFound { nearest_line } => FsError::EditNotFound { path, nearest_line },
            EditFailure::Ambiguous { matches } => FsError::AmbiguousEdit { path, matches },
            EditFailure::ResultTooLarge { size } => FsError::TooLarge {
                verb: self.verb,
                path,
                size: u64::try_from(size).unwrap_or(u64::MAX),
                limit: u64::try_from(edit::MAX_RESULT).unwrap_or(u64::MAX),
            },
        }
    }

    /// Creates the file and the directories above it that are missing.
    fn create(
        &self,
        located: &Located,
        rest: &[OsString],
        content: NewContent<'_>,
        intent: &WriteIntent,
    ) -> Result<Version, FsError> {
        let mut names: Vec<&OsStr> = vec![&located.name];
        names.extend(rest.iter().map(OsString::as_os_str));
        let file_name = names.pop().unwrap_or_default();
        let mut dir = located.parent.try_clone().map_err(|error| self.io(error))?;
        for name in names {
            dir = enter_or_create(&dir, name).map_err(|error| self.io(error))?;
        }
        let staged = Staged::write(&dir, content.bytes, content.permissions)
            .map_err(|error| self.io(error))?;
        self.last_check(located)?;
        let placed = match intent {
            WriteIntent::CreateIfAbsent => staged.create(file_name),
            WriteIntent::Unconditional | WriteIntent::ReplaceIfVersion(_) => {
                staged.replace(file_name)
            }
        };
        let metadata = placed.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => FsError::OverwriteUnread {
                path: self.path(),
                current: None,
            },
            _ => self.io(error),
        })?;
        Ok(Version::of_metadata(&metadata).with_hash(ContentHash::of(content.bytes)))
    }

    /// Just before a change takes effect: is it still wanted, is the workspace still in place, and
    /// does the path still lead to the directory that is held?
    fn last_check(&self, located: &Located) -> Result<(), FsError> {
        stop_if_cancelled(self.verb, self.cancel)?;
        let again = self.files.locate(self.verb, self.target)?;
        let held = located
            .parent
            .dir_metadata()
            .map_err(|error| self.io(error))?;
        let now = again
            .parent
            .dir_metadata()
            .map_err(|error| self.io(error))?;
        // A directory that was just created for the file lies below the one that was held.
        if same_file(&held, &now) || again.key.parent() != located.key.parent() {
            Ok(())
        } else {
            Err(self.changed(None))
        }
    }
}

/// The file that stands at the target, open.
struct Existing {
    file: File,
    metadata: Metadata,
}

impl Existing {
    fn open(change: &Change<'_>, located: &Located) -> Result<Self, FsError> {
        let path = &change.target.display_path;
        let (file, metadata) = open_located(&located.parent, &located.name, change.verb, path)?;
        Ok(Self { file, metadata })
    }

    fn version(&self) -> Version {
        Version::of_metadata(&self.metadata)
    }

    fn stamp(&self) -> Stamp {
        Stamp::of(&self.metadata)
    }

    /// The same open file, from its beginning.
    fn handle(&self) -> io::Result<File> {
        use std::io::Seek as _;
        let mut file = self.file.try_clone()?;
        file.rewind()?;
        Ok(file)
    }

    fn insist_on(&self, change: &Change<'_>, seen: &Version) -> Result<(), FsError> {
        let is_same = match seen.freshness(&self.stamp()) {
            Freshness::Same => true,
            Freshness::Different => false,
            Freshness::IfContentIs(hash) => {
                let now = self.handle().and_then(ContentHash::of_reader);
                now.map_err(|error| change.io(error))? == hash
            }
        };
        if is_same {
            Ok(())
        } else {
            Err(change.changed(Some(self.version())))
        }
    }

    fn read(&self, change: &Change<'_>) -> Result<Vec<u8>, FsError> {
        let file = self.handle().map_err(|error| change.io(error))?;
        read_bytes(
            file,
            &self.metadata,
            MAX_WHOLE_TEXT,
            change.verb,
            &change.target.display_path,
            change.cancel,
        )
    }

    /// The text that is about to be replaced, if it is text and small enough to be compared.
    fn text_before(&self, change: &Change<'_>, new_len: usize) -> Result<Option<String>, FsError> {
        let new_len = u64::try_from(new_len).unwrap_or(u64::MAX);
        if self.metadata.len() >= STREAM_FROM_BYTES || new_len >= STREAM_FROM_BYTES {
            return Ok(None);
        }
        let bytes = match self.read(change) {
            Err(error @ FsError::Aborted { .. }) => return Err(error),
            // The comparison is for show; a file that cannot be read can still be replaced.
            Err(_) => return Ok(None),
            Ok(bytes) => bytes,
        };
        if memchr::memchr(0, &bytes).is_some() {
            return Ok(None);
        }
        Ok(String::from_utf8(bytes).ok())
    }

    /// Puts `content` in the place of this file, with its permissions.
    ///
    /// With a version the change takes place only if the name stands for that version to the last.
    fn replace(
        self,
        change: &Change<'_>,
        located: &Located,
        content: &[u8],
        seen: Option<&Version>,
    ) -> Result<Version, FsError> {
        let io = |error| change.io(error);
        let permissions: Permissions = self.metadata.permissions();
        let staged = Staged::write(&located.parent, content, Some(permissions)).map_err(io)?;
        let _held = seen.and_then(|_| hold_directory(&located.parent));
        change.last_check(located)?;
        if let Some(seen) = seen {
            match Self::open(change, located) {
                Ok(there) => there.insist_on(change, seen)?,
                Err(FsError::NotFound { .. }) => return Err(change.changed(None)),
                Err(error) => return Err(error),
            }
        }
        let metadata = staged.replace(&located.name).map_err(io)?;
        Ok(Version::of_metadata(&metadata).with_hash(ContentHash::of(content)))
    }
}

/// Opens the directory of this name, or makes it; a link that appears meanwhile is not followed.
pub(super) fn enter_or_create(dir: &Dir, name: &OsStr) -> io::Result<Dir> {
    match dir.create_dir(name) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    dir.open_dir_nofollow(name)
}
