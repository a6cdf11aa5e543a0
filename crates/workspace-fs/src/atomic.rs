//! Putting a whole file in place, so that at any instant the old or the new content stands there.
//!
//! The content goes to a temporary file in the same directory, is synchronised, and then takes the
//! name. Temporary files have a few fixed names per directory, and each is locked by the process that
//! writes it. One that is not locked belongs to a writer that died; the next writer in that directory
//! removes it.

use std::ffi::OsStr;
use std::fs::TryLockError;
use std::io::{self, Write as _};
use std::time::Duration;

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, File, Metadata, OpenOptions, Permissions};

use crate::version::Stamp;

/// As many writers work in one directory at the same time.
const SLOTS: usize = 16;

/// Whether this is the name of a temporary file of a writer, for listings that want to hide it.
pub fn is_temporary_name(name: &OsStr) -> bool {
    name.to_str()
        .and_then(|name| name.strip_prefix(PREFIX))
        .is_some_and(|rest| rest.strip_suffix(SUFFIX).is_some())
}

/// How often, and how long apart, a directory that another writer holds is tried: a second in all.
const LOCK_TRIES: u32 = 500;
const LOCK_PAUSE: Duration = Duration::from_millis(2);

const PREFIX: &str = ".acp-lens-";
const SUFFIX: &str = ".tmp";

fn slot_name(slot: usize) -> String {
    format!("{PREFIX}{slot}{SUFFIX}")
}

/// A written and synchronised file that has no place yet. Dropped without one, it is removed.
#[derive(Debug)]
pub(crate) struct Staged<'d> {
    dir: &'d Dir,
    name: String,
    file: std::fs::File,
    placed: bool,
}

impl<'d> Staged<'d> {
    /// Writes `content` to a temporary file in `dir`, after removing what dead writers left there.
    ///
    /// With `permissions` the file gets those; without, what the system gives a new file.
    pub(crate) fn write(
        dir: &'d Dir,
        content: &[u8],
        permissions: Option<Permissions>,
    ) -> io::Result<Self> {
        let mut staged = Self::claim(dir, permissions.is_some())?;
        staged.file.write_all(content)?;
        if let Some(permissions) = permissions {
            let file = File::from_std(staged.file.try_clone()?);
            file.set_permissions(permissions)?;
        }
        staged.file.sync_all()?;
        Ok(staged)
    }

    /// Takes the place of whatever has this name, and says what the new file looks like.
    pub(crate) fn replace(mut self, name: &OsStr) -> io::Result<Metadata> {
        self.dir.rename(&self.name, self.dir, name)?;
        self.placed = true;
        self.finish()
    }

    /// Takes the name only if nothing has it; fails with `AlreadyExists` otherwise.
    pub(crate) fn create(mut self, name: &OsStr) -> io::Result<Metadata> {
        match self.dir.hard_link(&self.name, self.dir, name) {
            Ok(()) => {
                self.dir.remove_file(&self.name)?;
            }
            Err(error) if has_no_hard_links(&error) => {
                // The empty file reserves the name, so that no other writer's content is replaced.
                let mut options = OpenOptions::new();
                options.write(true).create_new(true);
                drop(self.dir.open_with(name, &options)?);
                self.dir.rename(&self.name, self.dir, name)?;
            }
            Err(error) => return Err(error),
        }
        self.placed = true;
        self.finish()
    }

    fn finish(&self) -> io::Result<Metadata> {
        sync_directory(self.dir)?;
        File::from_std(self.file.try_clone()?).metadata()
    }

    /// A new, empty, locked temporary file. All slots are visited, so that no leftover stays.
    fn claim(dir: &'d Dir, private: bool) -> io::Result<Self> {
        let mut claimed = None;
        for slot in 0..SLOTS {
            let name = slot_name(slot);
            remove_if_abandoned(dir, &name);
            if claimed.is_none() {
                claimed = Self::claim_slot(dir, name, private)?;
            }
        }
        claimed.ok_or_else(|| io::Error::other("too many writers in this directory"))
    }

    fn claim_slot(dir: &'d Dir, name: String, private: bool) -> io::Result<Option<Self>> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if private {
            use cap_std::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        #[cfg(not(unix))]
        let _ = private;
        let file = match dir.open_with(&name, &options) {
            Ok(file) => file.into_std(),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            Err(error) => return Err(error),
        };
        // Where files cannot be locked nobody can take this one for abandoned either.
        let _ = file.lock();
        // Between creation and lock another writer may have taken the file for abandoned.
        let is_ours = |staged: &Self| {
            let ours = File::from_std(staged.file.try_clone()?).metadata()?;
            let there = dir.symlink_metadata(&staged.name)?;
            io::Result::Ok(same_file(&ours, &there))
        };
        let mut staged = Self {
            dir,
            name,
            file,
            placed: false,
        };
        if is_ours(&staged).unwrap_or(false) {
            Ok(Some(staged))
        } else {
            staged.placed = true;
            Ok(None)
        }
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        if !self.placed {
            // The lock ends after this, when the file is closed; what cannot be removed now is
            // removed by the next writer.
            let _ = self.dir.remove_file(&self.name);
        }
    }
}

/// Removes the temporary file of this name if no living process holds it.
fn remove_if_abandoned(dir: &Dir, name: &str) {
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    let Ok(file) = dir.open_with(name, &options) else {
        return;
    };
    let Ok(opened) = file.metadata() else { return };
    let file = file.into_std();
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => return,
    }
    // The name may meanwhile belong to the file of a living writer.
    let still_there = dir.symlink_metadata(name);
    if opened.is_file() && still_there.is_ok_and(|there| same_file(&opened, &there)) {
        let _ = dir.remove_file(name);
    }
}

/// Holds a directory against other writers of this project, in this process and others, while a last
/// look and a rename belong together. `None` if somebody keeps it for long, or it cannot be locked;
/// then the last look alone has to do.
pub(crate) fn hold_directory(dir: &Dir) -> Option<std::fs::File> {
    let directory = dir.open(".").ok()?.into_std();
    for _ in 0..LOCK_TRIES {
        match directory.try_lock() {
            Ok(()) => return Some(directory),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(_)) => return None,
        }
    }
    None
}

/// Whether both are the same file on the disk.
pub(crate) fn same_file(a: &Metadata, b: &Metadata) -> bool {
    let (a, b) = (Stamp::of(a), Stamp::of(b));
    (a.device, a.inode) == (b.device, b.inode)
}

/// Makes a rename or a removal in this directory survive a crash of the machine.
pub(crate) fn sync_directory(dir: &Dir) -> io::Result<()> {
    if cfg!(unix) {
        dir.open(".")?.sync_all()?;
    }
    Ok(())
}

fn has_no_hard_links(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::Unsupported
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::TooManyLinks
            | io::ErrorKind::CrossesDevices
    )
}
