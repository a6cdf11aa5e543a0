//! The workspace directory, held as a capability.

use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::version::Stamp;

/// A workspace directory that was opened once.
///
/// Everything beneath it is reached through the handle. The path is used for three things only: to
/// show names, to recognise absolute paths that mean this directory, and to notice that the
/// directory is no longer where it was.
#[derive(Debug)]
pub struct Root {
    dir: Dir,
    given: PathBuf,
    canonical: PathBuf,
    device: u64,
    inode: u64,
}

impl Root {
    /// Opens the directory at `path`. Links on the way to the root itself are followed.
    ///
    /// # Errors
    /// The failure of the system, if there is no directory that can be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let given = std::path::absolute(path)?;
        let dir = Dir::open_ambient_dir(&given, ambient_authority())?;
        let stamp = Stamp::of(&dir.dir_metadata()?);
        let root = Self {
            canonical: given.canonicalize()?,
            given,
            device: stamp.device,
            inode: stamp.inode,
            dir,
        };
        if root.is_in_place() {
            Ok(root)
        } else {
            Err(io::Error::other(
                "the directory was replaced while it was opened",
            ))
        }
    }

    /// The absolute path that the caller gave, links unresolved.
    pub fn path(&self) -> &Path {
        &self.given
    }

    /// The path with links resolved, as it was when the directory was opened.
    pub fn canonical_path(&self) -> &Path {
        &self.canonical
    }

    /// The spellings under which an absolute path may name this directory.
    pub(crate) fn spellings(&self) -> [&Path; 2] {
        [&self.given, &self.canonical]
    }

    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Whether the path still names the directory that is held.
    ///
    /// The handle follows a directory that is renamed. Work in a directory that is no longer where
    /// the user sees it would surprise, so each operation asks this first, and a write once more
    /// just before it takes effect.
    pub(crate) fn is_in_place(&self) -> bool {
        let at = |path: &Path| {
            let dir = Dir::open_ambient_dir(path, ambient_authority())?;
            dir.dir_metadata().map(|metadata| Stamp::of(&metadata))
        };
        let is_here =
            |path| at(path).is_ok_and(|now| (now.device, now.inode) == (self.device, self.inode));
        is_here(&self.canonical) && (self.given == self.canonical || is_here(&self.given))
    }
}
