//! Lines of a stream, in batches, however long they are.

use std::io::{self, BufRead};
use std::ops::Range;

/// The longest line that is read, in bytes without its line break. A longer one is passed over
/// without being held in memory.
pub(super) const MAX_LINE_BYTES: usize = 64 << 20;
/// A batch is complete when it holds so many bytes.
const BATCH_BYTES: usize = 128 << 10;

/// Some lines that follow each other.
#[derive(Debug, Default)]
pub(super) struct LineBatch {
    /// The text of all of them.
    pub(super) bytes: Vec<u8>,
    /// The lines, in order.
    pub(super) lines: Vec<RawLine>,
}

/// One line of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawLine {
    /// Its number in the stream, from 1.
    pub(super) number: u64,
    /// Where it stands in the batch, without its line break; `None` when it was too long.
    pub(super) range: Option<Range<usize>>,
}

/// Cuts a stream into lines.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: R,
    /// Lines read so far.
    number: u64,
    max_line: usize,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            number: 0,
            max_line: MAX_LINE_BYTES,
        }
    }

    /// The next lines; `None` at the end. The last line needs no line break.
    ///
    /// `batch` is emptied first; its memory is used again.
    pub(super) fn read_batch(&mut self, batch: &mut LineBatch) -> io::Result<bool> {
        batch.bytes.clear();
        batch.lines.clear();
        // A batch of one huge line is no reason to keep so much for all that follow.
        batch.bytes.shrink_to(4 * BATCH_BYTES);
        batch.bytes.reserve(2 * BATCH_BYTES);
        while batch.bytes.len() < BATCH_BYTES && self.read_line(batch)? {}
        Ok(!batch.lines.is_empty())
    }

    /// Adds one line to the batch; false at the end of the stream.
    fn read_line(&mut self, batch: &mut LineBatch) -> io::Result<bool> {
        let start = batch.bytes.len();
        let mut too_long = false;
        let mut begun = false;
        loop {
            let available = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                available => available?,
            };
            if available.is_empty() && !begun {
                return Ok(false);
            }
            begun = true;
            let line_end = memchr::memchr(b'\n', available);
            let piece = &available[..line_end.unwrap_or(available.len())];
            if too_long || batch.bytes.len() - start + piece.len() > self.max_line {
                too_long = true;
                batch.bytes.truncate(start);
            } else {
                batch.bytes.extend_from_slice(piece);
            }
            let ended = line_end.is_some() || available.is_empty();
            let consumed = line_end.map_or(available.len(), |at| at + 1);
            self.input.consume(consumed);
            if ended {
                break;
            }
        }
        self.number += 1;
        batch.lines.push(RawLine {
            number: self.number,
            range: (!too_long).then_some(start..batch.bytes.len()),
        });
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;

    /// The lines of `input`, read through a buffer of `buffer` bytes; `None` for one too long.
    fn read(input: &[u8], buffer: usize, max_line: usize) -> Vec<Option<Vec<u8>>> {
        let mut lines = Lines {
            max_line,
            ..Lines::new(BufReader::with_capacity(buffer, input))
        };
        let mut batch = LineBatch::default();
        let mut all = Vec::new();
        while lines.read_batch(&mut batch).expect("memory can be read") {
            for line in &batch.lines {
                all.push(line.range.clone().map(|range| batch.bytes[range].to_vec()));
                assert_eq!(usize::try_from(line.number), Ok(all.len()));
            }
        }
        all
    }

    #[test]
    fn lines_that_are_too_long_are_passed_over() {
        let text = |text: &str| Some(text.as_bytes().to_vec());
        assert_eq!(
            read(b"abc\nabcd\n\nab\nabcdefghij", 2, 3),
            [text("abc"), None, text(""), text("ab"), None]
        );
    }

    proptest! {
        #[test]
        fn lines_are_those_between_the_breaks(
            input in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'a'), any::<u8>()], 0..80),
            buffer in 1_usize..9,
            max_line in 0_usize..12,
        ) {
            let mut expected: Vec<Option<Vec<u8>>> = input
                .split(|&byte| byte == b'\n')
                .map(|line| (line.len() <= max_line).then(|| line.to_vec()))
                .collect();
            if input.is_empty() || input.ends_with(b"\n") {
                expected.pop();
            }
            prop_assert_eq!(read(&input, buffer, max_line), expected);
        }
    }
}
