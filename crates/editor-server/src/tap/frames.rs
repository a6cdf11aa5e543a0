//! From the bytes in the spill to the lines that a client and an agent exchanged.

use super::Direction;
use super::spill::Record;

/// The longest line that is taken, in bytes without its end.
const LINE_CAP: usize = 64 * 1024 * 1024;
/// A partial line keeps at most this much memory when it is done.
const KEPT_CAPACITY: usize = 1024 * 1024;

/// Something that passed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame<'a> {
    /// A line, without its end.
    Line {
        direction: Direction,
        at_ms: u64,
        line: &'a [u8],
    },
    /// Messages are missing here. `None` means both directions.
    Gap { direction: Option<Direction> },
}

/// Puts lines together from pieces, each direction for itself.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    to_agent: Partial,
    to_client: Partial,
}

/// The beginning of a line whose end is still to come.
#[derive(Debug, Default)]
struct Partial {
    bytes: Vec<u8>,
    /// The rest of this line is of no use.
    skipping: bool,
}

impl Assembler {
    /// Takes a record and gives what it completes to `each`.
    pub(super) fn feed(&mut self, record: Record<'_>, mut each: impl FnMut(Frame<'_>)) {
        match record {
            Record::Bytes {
                direction,
                at_ms,
                bytes,
            } => self.partial(direction).feed(direction, at_ms, bytes, each),
            Record::Lost { direction } => {
                self.partial(direction).cut();
                each(Frame::Gap {
                    direction: Some(direction),
                });
            }
            Record::Overtaken { .. } => {
                self.to_agent.cut();
                self.to_client.cut();
                each(Frame::Gap { direction: None });
            }
        }
    }

    /// Gives the last lines, which had no end.
    pub(super) fn finish(&mut self, at_ms: u64, mut each: impl FnMut(Frame<'_>)) {
        for direction in [Direction::ToAgent, Direction::ToClient] {
            let partial = std::mem::take(self.partial(direction));
            if !partial.skipping && !partial.bytes.is_empty() {
                each(Frame::Line {
                    direction,
                    at_ms,
                    line: &partial.bytes,
                });
            }
        }
    }

    /// Whether a line has begun and its end is still to come.
    pub(super) fn is_within_line(&self, direction: Direction) -> bool {
        let partial = match direction {
            Direction::ToAgent => &self.to_agent,
            Direction::ToClient => &self.to_client,
        };
        partial.skipping || !partial.bytes.is_empty()
    }

    fn partial(&mut self, direction: Direction) -> &mut Partial {
        match direction {
            Direction::ToAgent => &mut self.to_agent,
            Direction::ToClient => &mut self.to_client,
        }
    }
}

impl Partial {
    fn feed(
        &mut self,
        direction: Direction,
        at_ms: u64,
        mut bytes: &[u8],
        mut each: impl FnMut(Frame<'_>),
    ) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (piece, rest) = bytes.split_at_checked(end).unwrap_or_default();
            bytes = rest.get(1..).unwrap_or_default();
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            if self.bytes.is_empty() {
                each(Frame::Line {
                    direction,
                    at_ms,
                    line: piece,
                });
                continue;
            }
            self.bytes.extend_from_slice(piece);
            if self.bytes.len() > LINE_CAP {
                each(Frame::Gap {
                    direction: Some(direction),
                });
            } else {
                each(Frame::Line {
                    direction,
                    at_ms,
                    line: &self.bytes,
                });
            }
            self.bytes.clear();
            self.bytes.shrink_to(KEPT_CAPACITY);
        }
        if self.skipping {
            return;
        }
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > LINE_CAP {
            self.cut();
            each(Frame::Gap {
                direction: Some(direction),
            });
        }
    }

    /// Gives up the line at hand: its rest would be read as a line of its own.
    fn cut(&mut self) {
        self.bytes = Vec::new();
        self.skipping = true;
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::tap::spill::Position;

    fn check(pieces: &[(Direction, &str)], expect: &str) {
        let mut assembler = Assembler::default();
        let mut text = String::new();
        let mut tell = |frame: Frame<'_>| match frame {
            Frame::Line {
                direction, line, ..
            } => {
                let line = String::from_utf8_lossy(line);
                write!(text, "{}:{line}|", direction.word()).unwrap();
            }
            Frame::Gap { direction } => {
                write!(text, "gap:{}|", direction.map_or("both", Direction::word)).unwrap();
            }
        };
        for (direction, piece) in pieces {
            let record = match *piece {
                "<lost>" => Record::Lost {
                    direction: *direction,
                },
                "<overtaken>" => {
                    let start = Position {
                        segment: 0,
                        offset: 0,
                    };
                    Record::Overtaken {
                        read: start,
                        resumed: start,
                    }
                }
                bytes => Record::Bytes {
                    direction: *direction,
                    at_ms: 0,
                    bytes: bytes.as_bytes(),
                },
            };
            assembler.feed(record, &mut tell);
        }
        assembler.finish(0, &mut tell);
        assert_eq!(text, expect);
    }

    #[test]
    fn lines_come_together_in_each_direction() {
        use Direction::{ToAgent, ToClient};
        check(&[(ToAgent, "a\nb\n")], "c2a:a|c2a:b|");
        check(
            &[(ToAgent, "a"), (ToClient, "x\n"), (ToAgent, "b\nc")],
            "a2c:x|c2a:ab|c2a:c|",
        );
        check(&[(ToClient, "\n\n")], "a2c:|a2c:|");
        check(&[(ToClient, "a\r\n")], "a2c:a\r|");
    }

    #[test]
    fn a_gap_costs_the_line_at_hand_and_no_more() {
        use Direction::{ToAgent, ToClient};
        check(
            &[
                (ToAgent, "one"),
                (ToClient, "x"),
                (ToClient, "<lost>"),
                (ToClient, "rest\ny\n"),
                (ToAgent, "!\n"),
            ],
            "gap:a2c|a2c:y|c2a:one!|",
        );
        check(
            &[
                (ToAgent, "one"),
                (ToAgent, "<overtaken>"),
                (ToAgent, "rest\ntwo\n"),
            ],
            "gap:both|c2a:two|",
        );
    }
}
