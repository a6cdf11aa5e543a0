//! A token by which a caller stops a running operation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Stops the operations that were given a clone of it.
///
/// An operation looks at the token before it starts, between pieces of a long read, while it waits
/// for its turn on a file, and a last time before it makes a change visible.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A token that nobody has cancelled yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels every operation that holds a clone of this token. It cannot be taken back.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether [`cancel`](Self::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
