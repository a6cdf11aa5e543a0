//! One change at a time per file, in the order in which they were asked for.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::cancel::Cancel;

/// How often a waiting operation looks at its cancellation token.
const CANCEL_POLL: Duration = Duration::from_millis(20);

/// The queues of all files that are being changed.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    queues: Mutex<Queues>,
    moved: Condvar,
}

#[derive(Debug, Default)]
struct Queues {
    next_ticket: u64,
    /// Tickets per file; the front one holds the file.
    by_key: HashMap<PathBuf, VecDeque<u64>>,
}

/// Holds a file until it is dropped.
#[derive(Debug)]
pub(crate) struct Held<'l> {
    locks: &'l Locks,
    key: PathBuf,
    ticket: u64,
}

impl Locks {
    /// Waits for the turn on `key`; `None` when it was cancelled meanwhile.
    pub(crate) fn hold<'l>(&'l self, key: &Path, cancel: &Cancel) -> Option<Held<'l>> {
        let mut queues = self.queues();
        let ticket = queues.next_ticket;
        queues.next_ticket += 1;
        queues
            .by_key
            .entry(key.to_owned())
            .or_default()
            .push_back(ticket);
        // From here on the ticket leaves the queue when `held` is dropped, on every way out.
        let held = Held {
            locks: self,
            key: key.to_owned(),
            ticket,
        };
        loop {
            if queues.front(key) == Some(ticket) {
                drop(queues);
                return Some(held);
            }
            if cancel.is_cancelled() {
                drop(queues);
                return None;
            }
            queues = self
                .moved
                .wait_timeout(queues, CANCEL_POLL)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// The queues hold numbers only, so a panic of another thread leaves nothing half done.
    fn queues(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queues {
    fn front(&self, key: &Path) -> Option<u64> {
        self.by_key
            .get(key)
            .and_then(|queue| queue.front().copied())
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut queues = self.locks.queues();
        if let Some(queue) = queues.by_key.get_mut(&self.key) {
            queue.retain(|ticket| *ticket != self.ticket);
            if queue.is_empty() {
                queues.by_key.remove(&self.key);
            }
        }
        drop(queues);
        self.locks.moved.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    /// Waits until `n` tickets stand in the queue of the key.
    fn wait_for_queue(locks: &Locks, n: usize) {
        while locks
            .queues()
            .by_key
            .get(Path::new("a"))
            .map_or(0, VecDeque::len)
            < n
        {
            thread::yield_now();
        }
    }

    #[test]
    fn turns_come_in_the_order_of_asking() {
        let locks = Locks::default();
        let (sender, order) = mpsc::channel();
        let first = locks.hold(Path::new("a"), &Cancel::new()).unwrap();
        thread::scope(|scope| {
            for n in 0..8 {
                let (sender, locks) = (sender.clone(), &locks);
                scope.spawn(move || {
                    let held = locks.hold(Path::new("a"), &Cancel::new()).unwrap();
                    sender.send(n).unwrap();
                    drop(held);
                });
                wait_for_queue(locks, n + 2);
            }
            drop(first);
        });
        drop(sender);
        assert_eq!(order.iter().collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
        assert!(locks.queues().by_key.is_empty());
    }

    #[test]
    fn a_cancelled_turn_is_given_up_and_other_files_do_not_wait() {
        let locks = Locks::default();
        let first = locks.hold(Path::new("a"), &Cancel::new()).unwrap();
        let cancel = Cancel::new();
        cancel.cancel();
        assert!(locks.hold(Path::new("a"), &cancel).is_none());
        assert!(locks.hold(Path::new("b"), &Cancel::new()).is_some());
        drop(first);
        assert!(locks.hold(Path::new("a"), &Cancel::new()).is_some());
    }
}
