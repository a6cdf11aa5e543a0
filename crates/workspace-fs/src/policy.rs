//! Who may change what: decisions that are added to a provider and can be left out.
//!
//! A policy sees what an agent reads and writes and answers, before a change, on what condition it
//! may take place. Providers know nothing of it. Without a policy every change is unconditional.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::error::FsError;
use crate::filesystem::{Target, TargetKey, WriteIntent};
use crate::version::Version;

/// An agent session, as far as policies are concerned: an identity. Clones are the same session.
#[derive(Clone, Debug)]
pub struct Owner(Arc<u64>);

impl Owner {
    /// A session that has seen nothing.
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(Arc::new(NEXT.fetch_add(1, Ordering::Relaxed)))
    }
}

impl Default for Owner {
    fn default() -> Self {
        Self::new()
    }
}

/// Decides on what condition a change may take place.
///
/// All methods are called on the thread that runs the tool and must not block. The defaults allow
/// everything.
pub trait Policy: Send + Sync {
    /// On what condition this write may take place.
    ///
    /// # Errors
    /// It may not take place at all.
    fn write_intent(&self, owner: Option<&Owner>, target: &Target) -> Result<WriteIntent, FsError> {
        let _ = (owner, target);
        Ok(WriteIntent::Unconditional)
    }

    /// The version that this edit must find; `None` for whatever stands there.
    ///
    /// # Errors
    /// It may not take place at all.
    fn edit_intent(
        &self,
        owner: Option<&Owner>,
        target: &Target,
    ) -> Result<Option<Version>, FsError> {
        let _ = (owner, target);
        Ok(None)
    }

    /// After a read, a write or an edit: the session has seen this version.
    fn observed(&self, owner: Option<&Owner>, target: &Target, version: &Version) {
        let _ = (owner, target, version);
    }
}

/// Allows everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoPolicy;

impl Policy for NoPolicy {}

/// An agent changes only what it has seen in its present state.
///
/// A write of a file that the session has not seen must create it. An edit needs a read, a write or an
/// edit before, of any part of the file. What a session has seen is forgotten with the session.
/// Without a session reading and creating are free, and nothing else is allowed.
#[derive(Debug, Default)]
pub struct ReadBeforeEdit {
    seen: Mutex<HashMap<u64, Seen>>,
}

#[derive(Debug)]
struct Seen {
    session: Weak<u64>,
    versions: HashMap<TargetKey, Version>,
}

impl ReadBeforeEdit {
    /// A policy that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    fn version_seen(&self, owner: Option<&Owner>, target: &Target) -> Option<Version> {
        let seen = self.seen();
        let session = seen.get(&*owner?.0)?;
        session.versions.get(target.key()).copied()
    }

    /// Each entry is replaced as a whole, so a panic of another thread leaves nothing half done.
    fn seen(&self) -> MutexGuard<'_, HashMap<u64, Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Policy for ReadBeforeEdit {
    fn write_intent(&self, owner: Option<&Owner>, target: &Target) -> Result<WriteIntent, FsError> {
        Ok(match self.version_seen(owner, target) {
            Some(version) => WriteIntent::ReplaceIfVersion(version),
            None => WriteIntent::CreateIfAbsent,
        })
    }

    fn edit_intent(
        &self,
        owner: Option<&Owner>,
        target: &Target,
    ) -> Result<Option<Version>, FsError> {
        match self.version_seen(owner, target) {
            Some(version) => Ok(Some(version)),
            None => Err(FsError::EditUnread {
                path: target.display_path().to_owned(),
            }),
        }
    }

    fn observed(&self, owner: Option<&Owner>, target: &Target, version: &Version) {
        let Some(Owner(session)) = owner else { return };
        let mut seen = self.seen();
        seen.retain(|_, seen| seen.session.strong_count() > 0);
        let seen = seen.entry(**session).or_insert_with(|| Seen {
            session: Arc::downgrade(session),
            versions: HashMap::new(),
        });
        seen.versions.insert(target.key().clone(), *version);
    }
}
