//! Pieces of what passes, in memory that is used again and again: a flood costs no allocation.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// How much is read at once: twice what a pipe holds by default.
pub(super) const PIECE_BYTES: usize = 128 * 1024;
/// How many buffers are kept for use; more are needed only while the spill lags.
const SPARE: usize = 32;

/// Buffers that wait to be used.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<Vec<Vec<u8>>>);

/// Bytes that were read in one go. The last owner gives the buffer back.
#[derive(Debug)]
pub(super) struct Piece {
    buffer: Vec<u8>,
    len: usize,
    pool: Arc<Pool>,
}

impl Piece {
    /// Reads what there is, at most [`PIECE_BYTES`]; nothing at the end of the input.
    pub(super) fn read(from: &mut impl Read, pool: &Arc<Pool>) -> io::Result<Self> {
        let spare = pool.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut piece = Self {
            buffer: spare.unwrap_or_else(|| vec![0; PIECE_BYTES]),
            len: 0,
            pool: Arc::clone(pool),
        };
        piece.len = from.read(&mut piece.buffer)?;
        Ok(piece)
    }

    /// A piece with no bytes in it.
    pub(super) fn empty() -> Self {
        Self {
            buffer: Vec::new(),
            len: 0,
            pool: Arc::default(),
        }
    }

    /// The bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        self.buffer.get(..self.len).unwrap_or_default()
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        let mut spare = self.pool.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.buffer.is_empty() && spare.len() < SPARE {
            spare.push(std::mem::take(&mut self.buffer));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_used_again() {
        let pool = Arc::<Pool>::default();
        let piece = Piece::read(&mut &b"one"[..], &pool).unwrap();
        assert_eq!(piece.bytes(), b"one");
        let place = piece.buffer.as_ptr();
        drop(piece);
        let piece = Piece::read(&mut &b"xy"[..], &pool).unwrap();
        assert_eq!((piece.bytes(), piece.buffer.as_ptr()), (&b"xy"[..], place));
        assert_eq!(Piece::read(&mut &b""[..], &pool).unwrap().bytes(), b"");
    }
}
