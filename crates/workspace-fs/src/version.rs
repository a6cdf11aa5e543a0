//! Which state of a file somebody has seen.

use std::fmt;
use std::io::{self, Read};
use std::time::{Duration, SystemTime};

use cap_std::fs::Metadata;
use sha2::{Digest, Sha256};

/// Time stamps that are younger than this when they are read say nothing about a later change: file
/// systems keep time in ticks of milliseconds, and old ones of two seconds.
const COARSEST_TICK: Duration = Duration::from_secs(2);

/// The SHA-256 of the raw bytes of a file.
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The hash of everything that `source` still gives, in pieces of constant memory.
    pub(crate) fn of_reader(mut source: impl Read) -> io::Result<Self> {
        let mut hasher = Sha256::new();
        let mut piece = vec![0_u8; 64 * 1024];
        loop {
            match source.read(&mut piece) {
                Ok(0) => return Ok(Self(hasher.finalize().into())),
                Ok(n) => hasher.update(piece.get(..n).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl fmt::Display for ContentHash {
    /// Lower-case hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

/// What the file system says of a file without reading it.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) struct Stamp {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) size: u64,
    /// Nanoseconds since 1970.
    modified: i128,
    /// Nanoseconds since 1970; 0 where the system has no such time.
    changed: i128,
}

impl Stamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        use cap_fs_ext::MetadataExt as _;
        let (modified, changed) = times(metadata);
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.len(),
            modified,
            changed,
        }
    }

    /// Whether a change that comes after `now` is sure to give another stamp.
    fn is_settled(&self, now: SystemTime) -> bool {
        let Ok(now) = now.duration_since(SystemTime::UNIX_EPOCH) else {
            return false;
        };
        let now = i128::try_from(now.as_nanos()).unwrap_or(i128::MAX);
        let tick = i128::try_from(COARSEST_TICK.as_nanos()).unwrap_or(i128::MAX);
        self.modified.max(self.changed) + tick <= now
    }
}

#[cfg(unix)]
fn times(metadata: &Metadata) -> (i128, i128) {
    use cap_std::fs::MetadataExt as _;
    let nanoseconds =
        |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
    (
        nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
        nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
    )
}

#[cfg(not(unix))]
fn times(metadata: &Metadata) -> (i128, i128) {
    let modified = metadata.modified().map(cap_std::time::SystemTime::into_std);
    let modified = modified
        .ok()
        .and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok())
        .and_then(|since| i128::try_from(since.as_nanos()).ok());
    (modified.unwrap_or_default(), 0)
}

/// A state of a file: device, inode, size and times, and the hash of its content when that was read.
///
/// Two versions are compared with [`Version::freshness`], not with `==`: a file that was only
/// touched has another stamp and the same content, and a file that was changed twice within one tick
/// of the clock has the same stamp and other content.
#[derive(Clone, Copy, Debug)]
pub struct Version {
    pub(crate) stamp: Stamp,
    settled: bool,
    hash: Option<ContentHash>,
}

/// What the stamp alone says about a version that somebody has seen.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Freshness {
    Same,
    Different,
    /// Only the content can tell; its hash must equal this one.
    IfContentIs(ContentHash),
}

impl Version {
    /// The version of a file whose metadata were just read and whose content was not.
    pub(crate) fn of_metadata(metadata: &Metadata) -> Self {
        let stamp = Stamp::of(metadata);
        Self {
            stamp,
            settled: stamp.is_settled(SystemTime::now()),
            hash: None,
        }
    }

    /// The same version with the hash of the content that was read under it.
    pub(crate) fn with_hash(self, hash: ContentHash) -> Self {
        Self {
            hash: Some(hash),
            ..self
        }
    }

    /// The hash of the content, where the content was read as a whole.
    pub fn content_hash(&self) -> Option<ContentHash> {
        self.hash
    }

    /// Bytes of the file.
    pub fn size(&self) -> u64 {
        self.stamp.size
    }

    /// Whether a file whose version is now that one is surely as it was when this one was seen.
    /// False also when only its content can tell.
    pub fn is_surely(&self, now: &Self) -> bool {
        self.freshness(&now.stamp) == Freshness::Same
    }

    /// Whether a file with the stamp `now` still has this version.
    pub(crate) fn freshness(&self, now: &Stamp) -> Freshness {
        let same_stamp = self.stamp == *now;
        match self.hash {
            _ if same_stamp && self.settled => Freshness::Same,
            _ if self.stamp.size != now.size => Freshness::Different,
            Some(hash) => Freshness::IfContentIs(hash),
            // The stamp was too young to be trusted, or differs, and the content was never read as
            // a whole: one more read settles it, a lost change would not be noticed.
            None => Freshness::Different,
        }
    }
}

impl fmt::Display for Version {
    /// A short opaque token, for messages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hash {
            Some(hash) => write!(f, "sha256:{hash}"),
            None => write!(
                f,
                "stat:{:x}-{:x}-{}-{}-{}",
                self.stamp.device,
                self.stamp.inode,
                self.stamp.size,
                self.stamp.modified,
                self.stamp.changed
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(size: u64, modified: i128) -> Stamp {
        Stamp {
            device: 1,
            inode: 2,
            size,
            modified,
            changed: modified,
        }
    }

    /// A version that was read at `now`, in nanoseconds since 1970.
    fn version(stamp: Stamp, now: u64, hash: Option<ContentHash>) -> Version {
        let now = SystemTime::UNIX_EPOCH + Duration::from_nanos(now);
        Version {
            stamp,
            settled: stamp.is_settled(now),
            hash,
        }
    }

    #[test]
    fn a_young_stamp_proves_nothing_and_an_old_one_does() {
        let hash = ContentHash::of(b"seen");
        let seen = stamp(4, 10_000_000_000);
        let (young, old) = (10_000_000_001, 12_000_000_000);
        let same_tick = version(seen, young, Some(hash)).freshness(&seen);
        assert_eq!(same_tick, Freshness::IfContentIs(hash));
        assert_eq!(
            version(seen, young, None).freshness(&seen),
            Freshness::Different
        );
        assert_eq!(
            version(seen, old, Some(hash)).freshness(&seen),
            Freshness::Same
        );
        assert_eq!(version(seen, old, None).freshness(&seen), Freshness::Same);
        let now = version(seen, old, None);
        assert!(now.is_surely(&now));
        assert!(!version(seen, young, Some(hash)).is_surely(&now));
    }

    #[test]
    fn a_touch_is_for_the_content_to_judge_and_another_size_is_not() {
        let hash = ContentHash::of(b"seen");
        let seen = stamp(4, 10_000_000_000);
        let touched = stamp(4, 11_000_000_000);
        let version = |hash| version(seen, 20_000_000_000, hash);
        assert_eq!(
            version(Some(hash)).freshness(&touched),
            Freshness::IfContentIs(hash)
        );
        assert_eq!(version(None).freshness(&touched), Freshness::Different);
        let grown = stamp(5, 11_000_000_000);
        assert_eq!(version(Some(hash)).freshness(&grown), Freshness::Different);
    }
}
