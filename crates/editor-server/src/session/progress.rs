//! Long work as the client shows it: it begins, it goes on, and it ends, whatever happens to it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::handle::Handle;
use super::outgoing::Outgoing;

/// A person reads no faster than this.
const TELL_EVERY: Duration = Duration::from_millis(250);

/// Something long. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    handle: Handle,
    token: String,
    told: Instant,
    counted: u64,
    last_words: String,
}

impl Progress {
    /// It begins, and nothing tells how much there is to do.
    pub(crate) fn begin(handle: &Handle, title: String) -> Self {
        Self::start(handle, title, None)
    }

    /// It begins, and will say how much of it is done.
    pub(crate) fn begin_measured(handle: &Handle, title: String) -> Self {
        Self::start(handle, title, Some(0))
    }

    fn start(handle: &Handle, title: String, percent: Option<u32>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let token = format!("acp-lens/{}", NEXT.fetch_add(1, Ordering::Relaxed));
        handle.tell(Outgoing::ProgressBegin {
            token: token.clone(),
            title,
            percent,
        });
        Self {
            handle: handle.clone(),
            token,
            told: Instant::now(),
            counted: 0,
            last_words: String::new(),
        }
    }

    /// So much of it is done, of a hundred.
    pub(crate) fn reach(&self, percent: u32) {
        self.report(String::new(), Some(percent));
    }

    /// One more update was received; how many there will be nobody knows.
    pub(crate) fn count_update(&mut self) {
        self.counted += 1;
        if self.told.elapsed() >= TELL_EVERY {
            self.told = Instant::now();
            self.report(self.counted_updates(), None);
        }
    }

    /// `1 update`, `2 updates`: what was counted.
    pub(crate) fn counted_updates(&self) -> String {
        let plural = if self.counted == 1 { "" } else { "s" };
        format!("{} update{plural}", self.counted)
    }

    /// It ended, and this came of it.
    pub(crate) fn end(mut self, message: impl Into<String>) {
        self.last_words = message.into();
    }

    fn report(&self, message: String, percent: Option<u32>) {
        self.handle.tell(Outgoing::ProgressReport {
            token: self.token.clone(),
            message,
            percent,
        });
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.handle.tell(Outgoing::ProgressEnd {
            token: std::mem::take(&mut self.token),
            message: std::mem::take(&mut self.last_words),
        });
    }
}
