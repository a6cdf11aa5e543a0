//! One direction of the tap: bytes in, the same bytes out, a copy for the spill.

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Instant;

use super::Direction;
use super::piece::{Piece, Pool};
use super::spill::{Chunk, Spill};

/// How many chunks may wait for the spill: with [`PIECE_BYTES`] each, 16 MiB.
///
/// [`PIECE_BYTES`]: super::piece::PIECE_BYTES
const WAITING_CHUNKS: usize = 128;
/// How many chunks are written to the spill at once.
const BATCH: usize = 32;

/// The queue before the spill. It never makes a relay wait: what finds no room is counted as lost.
#[derive(Debug, Clone)]
pub(super) struct Queue {
    to_spill: SyncSender<Seen>,
    started: Instant,
    lost: Arc<Lost>,
}

/// What goes through the queue.
#[derive(Debug)]
enum Seen {
    Chunk(Chunk),
    /// The agent has ended. A relay may still wait for something that will never come.
    End,
}

/// Bytes that found no room in the queue since the last chunk that did.
#[derive(Debug, Default)]
struct Lost {
    to_agent: AtomicU64,
    to_client: AtomicU64,
}

impl Lost {
    fn of(&self, direction: Direction) -> &AtomicU64 {
        match direction {
            Direction::ToAgent => &self.to_agent,
            Direction::ToClient => &self.to_client,
        }
    }
}

/// The end of the queue from which the spill is written.
#[derive(Debug)]
pub(super) struct QueueEnd {
    from_relays: Receiver<Seen>,
    lost: Arc<Lost>,
}

impl Queue {
    /// A queue and its end.
    pub(super) fn new() -> (Self, QueueEnd) {
        let (to_spill, from_relays) = sync_channel(WAITING_CHUNKS);
        let lost = Arc::<Lost>::default();
        let end = QueueEnd {
            from_relays,
            lost: Arc::clone(&lost),
        };
        let queue = Self {
            to_spill,
            started: Instant::now(),
            lost,
        };
        (queue, end)
    }

    /// Milliseconds since the tap started.
    pub(super) fn now_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Says that nothing more will be seen.
    pub(super) fn end(&self) {
        // The spill's writer is gone only when there is no spill.
        let _ = self.to_spill.send(Seen::End);
    }

    fn offer(&self, direction: Direction, piece: Arc<Piece>) {
        let lost = self.lost.of(direction);
        let chunk = Chunk {
            direction,
            at_ms: self.now_ms(),
            lost_before: lost.swap(0, Ordering::Relaxed),
            piece,
        };
        match self.to_spill.try_send(Seen::Chunk(chunk)) {
            Ok(()) | Err(TrySendError::Disconnected(_) | TrySendError::Full(Seen::End)) => {}
            Err(TrySendError::Full(Seen::Chunk(chunk))) => {
                let len = u64::try_from(chunk.piece.bytes().len()).unwrap_or(u64::MAX);
                lost.fetch_add(chunk.lost_before.saturating_add(len), Ordering::Relaxed);
            }
        }
    }
}

impl QueueEnd {
    /// Writes what the relays saw into the spill, until [`Queue::end`].
    pub(super) fn write_all(self, spill: &Spill) {
        let mut batch = Vec::with_capacity(BATCH);
        let mut ended = false;
        while !ended && let Ok(first) = self.from_relays.recv() {
            for seen in std::iter::once(first).chain(self.from_relays.try_iter().take(BATCH - 1)) {
                match seen {
                    Seen::Chunk(chunk) => batch.push(chunk),
                    Seen::End => ended = true,
                }
            }
            spill.write(&batch);
            batch.clear();
        }
        for direction in [Direction::ToAgent, Direction::ToClient] {
            let lost_before = self.lost.of(direction).load(Ordering::Relaxed);
            if lost_before > 0 {
                spill.write(&[Chunk {
                    direction,
                    at_ms: 0,
                    lost_before,
                    piece: Arc::new(Piece::empty()),
                }]);
            }
        }
        spill.end();
    }
}

/// Why a relay ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RelayEnd {
    /// The sender closed its end.
    SenderClosed,
    /// The receiver closed its end.
    ReceiverClosed,
}

/// Passes all bytes from `from` to `to`. Both are closed when it comes back.
pub(super) fn relay(
    mut from: impl Read,
    mut to: impl Write,
    direction: Direction,
    queue: &Queue,
) -> RelayEnd {
    let pool = Arc::<Pool>::default();
    loop {
        let piece = match Piece::read(&mut from, &pool) {
            Ok(piece) => Arc::new(piece),
            Err(why) if why.kind() == std::io::ErrorKind::Interrupted => continue,
            // A reading end that fails has nothing more to give.
            Err(_) => return RelayEnd::SenderClosed,
        };
        if piece.bytes().is_empty() {
            return RelayEnd::SenderClosed;
        }
        // First the copy: what the receiver says to these bytes comes after them then.
        queue.offer(direction, Arc::clone(&piece));
        if to.write_all(piece.bytes()).is_err() {
            return RelayEnd::ReceiverClosed;
        }
    }
}
