//! From steps to handles: the walk that cannot leave the root.
//!
//! Each step opens one name in a directory that is already held, without following a link. A link is
//! read and its target walked in turn, so the walk knows where it is at any time, and nothing that
//! happens to names meanwhile can take it outside. `..` goes back to the handle that the walk came
//! from.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, File, Metadata, OpenOptions};

use crate::path::Step;
use crate::root::Root;

/// As many links as Linux follows.
const MAX_LINKS: usize = 40;

/// How often a walk starts again when names change under it.
const MAX_RETRIES: usize = 32;

/// What stands at the end of a walk.
#[derive(Debug)]
pub(crate) enum Entry {
    File(Metadata),
    Directory(Dir),
    /// A pipe, a socket, a device.
    Other,
    /// Nothing. `rest` are the names below `name` that do not exist either.
    Missing {
        rest: Vec<OsString>,
    },
    /// A link, itself inside, to nothing.
    Dangling,
}

/// A place beneath the root, with the handle of the directory that holds it.
#[derive(Debug)]
pub(crate) struct Located {
    /// The directory that holds `name`; the root itself when the walk ends there.
    pub(crate) parent: Dir,
    /// The last name, links resolved; empty for the root.
    pub(crate) name: OsString,
    /// Names from the root to here, links resolved.
    pub(crate) key: PathBuf,
    pub(crate) entry: Entry,
}

/// Why a walk ends nowhere.
#[derive(Debug)]
pub(crate) enum WalkError {
    /// The path leads outside. `target` is where to, if a link said so.
    Outside {
        target: Option<PathBuf>,
    },
    /// A link leads back to itself, or there are too many of them.
    Loop,
    /// A file stands where a directory is needed.
    ParentNotDirectory,
    /// A `..` after a name that does not exist.
    Missing,
    Io(io::Error),
}

impl From<io::Error> for WalkError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            _ if is_link_refusal(&error) => Self::Loop,
            io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
                Self::Outside { target: None }
            }
            _ => Self::Io(error),
        }
    }
}

/// Walks the steps from the root, and again if a name changes its kind under the walk.
pub(crate) fn locate(root: &Root, steps: &[Step]) -> Result<Located, WalkError> {
    for _ in 0..MAX_RETRIES {
        if let Some(outcome) = Walk::new(root, steps).run() {
            return outcome;
        }
    }
    Err(WalkError::Io(io::Error::from(io::ErrorKind::ResourceBusy)))
}

/// Opens a file for reading by its name in a held directory: no link is followed, and a pipe that
/// took the place of a file does not block.
pub(crate) fn open_file(parent: &Dir, name: &OsStr) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = parent.open_with(name, &options)?;
    let metadata = file.metadata()?;
    if metadata.is_file() {
        Ok((file, metadata))
    } else {
        Err(io::Error::from(io::ErrorKind::IsADirectory))
    }
}

/// One name still to walk, and whether a link asked for it.
struct Pending {
    step: Step,
    from_link: bool,
}

struct Walk<'r> {
    root: &'r Root,
    /// Held directories below the root, each with its name in the one above.
    above: Vec<(OsString, Dir)>,
    pending: VecDeque<Pending>,
    links_left: usize,
}

impl<'r> Walk<'r> {
    fn new(root: &'r Root, steps: &[Step]) -> Self {
        let pending = steps.iter().map(|step| Pending {
            step: step.clone(),
            from_link: false,
        });
        Self {
            root,
            above: Vec::new(),
            pending: pending.collect(),
            links_left: MAX_LINKS,
        }
    }

    /// The outcome, or `None` when a name changed between two looks at it.
    fn run(mut self) -> Option<Result<Located, WalkError>> {
        while let Some(Pending { step, from_link }) = self.pending.pop_front() {
            let name = match step {
                Step::Into(name) => name,
                Step::Up if self.above.pop().is_some() => continue,
                Step::Up => return Some(Err(WalkError::Outside { target: None })),
            };
            match self.enter(name, from_link) {
                Ok(Progress::On) => {}
                Ok(Progress::Arrived(located)) => return Some(Ok(*located)),
                Ok(Progress::Changed) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
        Some(self.arrive_at_directory())
    }

    fn here(&self) -> &Dir {
        self.above.last().map_or(self.root.dir(), |(_, dir)| dir)
    }

    fn key(&self, name: &OsStr) -> PathBuf {
        let mut key: PathBuf = self.above.iter().map(|(name, _)| name).collect();
        key.push(name);
        key
    }

    /// The walk ended on a directory that it already holds.
    fn arrive_at_directory(mut self) -> Result<Located, WalkError> {
        let (name, dir) = match self.above.pop() {
            Some((name, dir)) => (name, dir),
            None => (OsString::new(), self.root.dir().try_clone()?),
        };
        Ok(Located {
            parent: self.here().try_clone()?,
            key: self.key(&name),
            name,
            entry: Entry::Directory(dir),
        })
    }

    fn enter(&mut self, name: OsString, from_link: bool) -> Result<Progress, WalkError> {
        let metadata = match self.here().symlink_metadata(&name) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return self.arrive_at_nothing(name, from_link);
            }
            Err(error) => return Err(error.into()),
        };
        if metadata.is_symlink() {
            return self.follow(&name);
        }
        if metadata.is_dir() {
            return match self.here().open_dir_nofollow(&name) {
                Ok(dir) => {
                    self.above.push((name, dir));
                    Ok(Progress::On)
                }
                Err(error) if is_replaced(&error) => Ok(Progress::Changed),
                Err(error) => Err(error.into()),
            };
        }
        if !self.pending.is_empty() {
            return Err(WalkError::ParentNotDirectory);
        }
        let entry = if metadata.is_file() {
            Entry::File(metadata)
        } else {
            Entry::Other
        };
        self.arrive(name, entry)
    }

    fn arrive(&self, name: OsString, entry: Entry) -> Result<Progress, WalkError> {
        Ok(Progress::Arrived(Box::new(Located {
            parent: self.here().try_clone()?,
            key: self.key(&name),
            name,
            entry,
        })))
    }

    fn arrive_at_nothing(
        &mut self,
        name: OsString,
        from_link: bool,
    ) -> Result<Progress, WalkError> {
        if from_link {
            return self.arrive(name, Entry::Dangling);
        }
        let rest = self.pending.drain(..).map(|pending| match pending.step {
            Step::Into(name) => Ok(name),
            Step::Up => Err(WalkError::Missing),
        });
        let rest: Vec<OsString> = rest.collect::<Result<_, _>>()?;
        self.arrive(name, Entry::Missing { rest })
    }

    /// Puts the target of the link in front of what is still to walk.
    fn follow(&mut self, name: &OsStr) -> Result<Progress, WalkError> {
        let Some(links_left) = self.links_left.checked_sub(1) else {
            return Err(WalkError::Loop);
        };
        self.links_left = links_left;
        let target = match self.here().read_link_contents(name) {
            Ok(target) => target,
            Err(error) if is_replaced(&error) => return Ok(Progress::Changed),
            Err(error) => return Err(error.into()),
        };
        let outside = || WalkError::Outside {
            target: Some(self.outside_path(&target)),
        };
        let relative = if target.is_absolute() {
            let spellings = self.root.spellings();
            let beneath = spellings
                .iter()
                .find_map(|root| target.strip_prefix(root).ok());
            let beneath = beneath.ok_or_else(outside)?.to_owned();
            self.above.clear();
            beneath
        } else {
            let climbs = climb(&target);
            if climbs > self.above.len() {
                return Err(outside());
            }
            target
        };
        for component in relative.components().rev() {
            let step = match component {
                Component::Normal(name) => Step::Into(name.to_owned()),
                Component::ParentDir => Step::Up,
                Component::CurDir => continue,
                _ => return Err(WalkError::Outside { target: None }),
            };
            self.pending.push_front(Pending {
                step,
                from_link: true,
            });
        }
        Ok(Progress::On)
    }

    /// Where a link that leaves would lead, by name.
    fn outside_path(&self, target: &Path) -> PathBuf {
        let mut here = self.root.canonical_path().to_owned();
        here.extend(self.above.iter().map(|(name, _)| name));
        here.join(target)
    }
}

enum Progress {
    On,
    Arrived(Box<Located>),
    Changed,
}

/// How many levels the path first goes up, by name.
fn climb(path: &Path) -> usize {
    path.components()
        .take_while(|component| matches!(component, Component::ParentDir | Component::CurDir))
        .filter(|component| matches!(component, Component::ParentDir))
        .count()
}

/// Errors that mean: another kind of thing stands there than a moment ago.
fn is_replaced(error: &io::Error) -> bool {
    is_link_refusal(error)
        || matches!(
            error.kind(),
            io::ErrorKind::NotADirectory | io::ErrorKind::NotFound | io::ErrorKind::InvalidInput
        )
}

/// Whether a link stood where none is followed.
#[cfg(unix)]
pub(crate) fn is_link_refusal(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

/// Whether a link stood where none is followed.
#[cfg(not(unix))]
pub(crate) fn is_link_refusal(_error: &io::Error) -> bool {
    false
}
