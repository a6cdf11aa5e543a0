//! What passed through the tap, in files without a name that are gone when the tap is gone.
//!
//! One thread writes, any number of readers follow, each at its own pace. A reader that stalls
//! costs nothing. The oldest part is given up when there is too much, and a reader that had not
//! got so far is told that something is missing.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, IoSlice, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::Direction;
use super::piece::Piece;

/// The size at which a new file is begun.
const SEGMENT_BYTES: u64 = 128 * 1024 * 1024;
/// How many files are kept.
const SEGMENTS: usize = 8;
/// Bytes of the head of a record: direction, kind, milliseconds, length.
const HEAD: usize = 14;
/// How much a reader reads at once.
const READ_BYTES: usize = 256 * 1024;

/// A piece of what passed, as it is written.
#[derive(Debug)]
pub(super) struct Chunk {
    /// Which way it went.
    pub(super) direction: Direction,
    /// Milliseconds since the tap started.
    pub(super) at_ms: u64,
    /// Bytes of this direction that passed before this chunk and are not in the spill.
    pub(super) lost_before: u64,
    /// The bytes.
    pub(super) piece: Arc<Piece>,
}

#[cfg(test)]
impl Chunk {
    /// A chunk with this text, at the start of the tap.
    pub(super) fn of(direction: Direction, text: &str) -> Self {
        let piece = Piece::read(&mut text.as_bytes(), &Arc::default());
        Self {
            direction,
            at_ms: 0,
            lost_before: 0,
            piece: Arc::new(piece.expect("memory can be read")),
        }
    }
}

/// A record, as it is read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Record<'a> {
    /// A piece of what passed.
    Bytes {
        direction: Direction,
        at_ms: u64,
        bytes: &'a [u8],
    },
    /// Bytes of one direction passed and are not in the spill.
    Lost { direction: Direction },
    /// The reader was overtaken: the spill has given up what came next, in both directions.
    Overtaken {
        /// All before this was read.
        read: Position,
        /// Reading goes on here.
        resumed: Position,
    },
}

/// A place between two records of a spill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position {
    /// The number of the file, from 0.
    pub(super) segment: u64,
    /// Bytes from its beginning.
    pub(super) offset: u64,
}

#[derive(Debug)]
struct State {
    segments: VecDeque<Segment>,
    /// The number of the first segment that is still kept.
    first: u64,
    ended: bool,
    /// Writing failed, so everything from here on is lost.
    broken: bool,
}

impl State {
    /// Whether nothing more goes into the segment with this number.
    fn is_full(&self, number: u64) -> bool {
        self.first + self.segments.len() as u64 > number + 1
    }
}

#[derive(Debug, Clone)]
struct Segment {
    file: Arc<File>,
    len: u64,
}

/// The spill. See the module's documentation.
#[derive(Debug)]
pub(super) struct Spill {
    dir: PathBuf,
    segment_bytes: u64,
    state: Mutex<State>,
    grown: Condvar,
    /// Another segment was begun, or none will be.
    begun: Condvar,
}

impl Spill {
    /// An empty spill with its files in `dir`.
    pub(super) fn create(dir: &Path) -> io::Result<Self> {
        Self::with_segment_bytes(dir, SEGMENT_BYTES)
    }

    pub(super) fn with_segment_bytes(dir: &Path, segment_bytes: u64) -> io::Result<Self> {
        let first = Segment {
            file: Arc::new(tempfile::tempfile_in(dir)?),
            len: 0,
        };
        Ok(Self {
            dir: dir.to_owned(),
            segment_bytes,
            state: Mutex::new(State {
                segments: VecDeque::from([first]),
                first: 0,
                ended: false,
                broken: false,
            }),
            grown: Condvar::new(),
            begun: Condvar::new(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is whole between any two statements that change it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes chunks, and wakes the readers. Only one thread may write.
    ///
    /// When the disk is full, what does not fit is lost, and readers are told.
    pub(super) fn write(&self, chunks: &[Chunk]) {
        let heads: Vec<Head<'_>> = chunks.iter().flat_map(heads).collect();
        let mut slices: Vec<IoSlice<'_>> = heads
            .iter()
            .flat_map(|(head, piece)| [IoSlice::new(head), IoSlice::new(piece)])
            .filter(|slice| !slice.is_empty())
            .collect();
        let total: u64 = slices.iter().map(|slice| slice.len() as u64).sum();
        let (file, len) = {
            let state = self.lock();
            if state.broken {
                return;
            }
            match state.segments.back() {
                Some(segment) => (Arc::clone(&segment.file), segment.len),
                None => return,
            }
        };
        let file = if len > 0 && len + total > self.segment_bytes {
            match tempfile::tempfile_in(&self.dir) {
                Ok(file) => self.rotate(file),
                Err(why) => return self.give_up(&why),
            }
        } else {
            file
        };
        if let Err(why) = write_slices(&file, &mut slices) {
            return self.give_up(&why);
        }
        if let Some(segment) = self.lock().segments.back_mut() {
            segment.len += total;
        }
        self.grown.notify_all();
    }

    /// Begins another segment, and gives up the oldest when there are too many.
    fn rotate(&self, file: File) -> Arc<File> {
        let file = Arc::new(file);
        let mut state = self.lock();
        state.segments.push_back(Segment {
            file: Arc::clone(&file),
            len: 0,
        });
        if state.segments.len() > SEGMENTS {
            state.segments.pop_front();
            state.first += 1;
        }
        self.begun.notify_all();
        file
    }

    fn give_up(&self, why: &io::Error) {
        tracing::warn!(%why, "the spill file cannot be written; editors will miss messages");
        self.lock().broken = true;
        self.grown.notify_all();
        self.begun.notify_all();
    }

    /// Says that nothing more will come.
    pub(super) fn end(&self) {
        self.lock().ended = true;
        self.grown.notify_all();
        self.begun.notify_all();
    }

    /// Whether nothing more goes into the segment with this number.
    #[cfg(test)]
    pub(super) fn is_full(&self, number: u64) -> bool {
        self.lock().is_full(number)
    }

    /// Waits until nothing more goes into the segment with this number; false when the spill ends
    /// before.
    pub(super) fn wait_until_full(&self, number: u64) -> bool {
        let mut state = self.lock();
        loop {
            if state.is_full(number) {
                return true;
            }
            if state.ended || state.broken {
                return false;
            }
            state = self
                .begun
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A reader of all that is still kept.
    pub(super) fn reader(self: &Arc<Self>) -> Reader {
        Reader {
            spill: Arc::clone(self),
            segment: None,
            number: 0,
            offset: 0,
            buffer: Vec::new(),
            taken: 0,
        }
    }
}

/// What a record is.
#[derive(Clone, Copy)]
enum Kind {
    Bytes = 0,
    Lost = 1,
}

/// The head of a record, and the bytes that follow it.
type Head<'a> = ([u8; HEAD], &'a [u8]);

/// The records of a chunk: what is missing before it, if anything, and the chunk itself.
fn heads(chunk: &Chunk) -> impl Iterator<Item = Head<'_>> {
    let bytes = chunk.piece.bytes();
    let lost = (chunk.lost_before > 0).then(|| (head(chunk, Kind::Lost, 0), &[][..]));
    let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    lost.into_iter()
        .chain([(head(chunk, Kind::Bytes, len), bytes)])
}

fn head(chunk: &Chunk, kind: Kind, len: u32) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    let parts = [
        &[u8::from(chunk.direction == Direction::ToClient)][..],
        &[kind as u8],
        &chunk.at_ms.to_le_bytes(),
        &len.to_le_bytes(),
    ];
    for (to, from) in head.iter_mut().zip(parts.into_iter().flatten()) {
        *to = *from;
    }
    head
}

/// Writes all of the slices.
fn write_slices(mut file: &File, mut slices: &mut [IoSlice<'_>]) -> io::Result<()> {
    while !slices.is_empty() {
        match file.write_vectored(slices) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => IoSlice::advance_slices(&mut slices, n),
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
    Ok(())
}

/// Follows a spill from its oldest record on.
#[derive(Debug)]
pub(super) struct Reader {
    spill: Arc<Spill>,
    segment: Option<Arc<File>>,
    number: u64,
    /// How much of the segment is in the buffer or was read before.
    offset: u64,
    buffer: Vec<u8>,
    /// How much of the buffer was given out.
    taken: usize,
}

/// What a reader has.
#[derive(Debug)]
pub(super) enum Next<'a> {
    /// A record.
    Record(Record<'a>),
    /// Nothing yet; the reader has all that was written.
    CaughtUp,
    /// Nothing more will come.
    End,
}

/// How a look for more bytes ended.
enum Filled {
    More,
    Overtaken { read: Position },
    CaughtUp,
    End,
}

impl Reader {
    /// The next record, or what there is instead of one.
    pub(super) fn next(&mut self) -> io::Result<Next<'_>> {
        loop {
            if let Some(len) = self.whole_record() {
                return Ok(Next::Record(self.take(len)));
            }
            match self.fill()? {
                Filled::More => {}
                Filled::Overtaken { read } => {
                    let resumed = self.position();
                    return Ok(Next::Record(Record::Overtaken { read, resumed }));
                }
                Filled::CaughtUp => return Ok(Next::CaughtUp),
                Filled::End => return Ok(Next::End),
            }
        }
    }

    /// Where the next record stands.
    pub(super) fn position(&self) -> Position {
        let waiting = self.buffer.len().saturating_sub(self.taken) as u64;
        Position {
            segment: self.number,
            offset: self.offset.saturating_sub(waiting),
        }
    }

    /// Waits until there may be something new.
    pub(super) fn wait(&self) {
        let mut state = self.spill.lock();
        while !self.has_news(&state) {
            state = self
                .spill
                .grown
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn has_news(&self, state: &State) -> bool {
        if state.ended || state.broken || self.segment.is_none() || self.number < state.first {
            return true;
        }
        let index = usize::try_from(self.number - state.first).unwrap_or(usize::MAX);
        match state.segments.get(index) {
            Some(segment) => segment.len > self.offset || index + 1 < state.segments.len(),
            None => false,
        }
    }

    /// The length of the record at the front of the buffer, if all of it is there.
    fn whole_record(&self) -> Option<usize> {
        let rest = self.buffer.get(self.taken..)?;
        let len = rest.get(HEAD - 4..HEAD)?.try_into().ok()?;
        let len = HEAD + usize::try_from(u32::from_le_bytes(len)).ok()?;
        (rest.len() >= len).then_some(len)
    }

    fn take(&mut self, len: usize) -> Record<'_> {
        let begin = self.taken;
        self.taken += len;
        let record = self.buffer.get(begin..self.taken).unwrap_or_default();
        let (head, bytes) = record.split_at_checked(HEAD).unwrap_or_default();
        let direction = match head.first() {
            Some(0) => Direction::ToAgent,
            _ => Direction::ToClient,
        };
        if head.get(1) == Some(&(Kind::Lost as u8)) {
            return Record::Lost { direction };
        }
        let at_ms = head
            .get(2..10)
            .and_then(|bytes| bytes.try_into().ok())
            .map_or(0, u64::from_le_bytes);
        Record::Bytes {
            direction,
            at_ms,
            bytes,
        }
    }

    fn fill(&mut self) -> io::Result<Filled> {
        let (file, len) = {
            let state = self.spill.lock();
            if self.segment.is_none() || self.number < state.first {
                // Between records only: a segment begins with a whole record.
                let overtaken = self.number < state.first;
                let read = self.position();
                let Some(segment) = state.segments.front() else {
                    return Ok(Filled::End);
                };
                self.segment = Some(Arc::clone(&segment.file));
                self.number = state.first;
                self.offset = 0;
                self.buffer.clear();
                self.taken = 0;
                if overtaken {
                    return Ok(Filled::Overtaken { read });
                }
            }
            let index = usize::try_from(self.number - state.first).unwrap_or(usize::MAX);
            let len = state.segments.get(index).map_or(0, |segment| segment.len);
            if self.offset >= len {
                if let Some(next) = state.segments.get(index + 1) {
                    self.segment = Some(Arc::clone(&next.file));
                    self.number += 1;
                    self.offset = 0;
                    return Ok(Filled::More);
                }
                return Ok(if state.ended || state.broken {
                    Filled::End
                } else {
                    Filled::CaughtUp
                });
            }
            (self.segment.clone(), len)
        };
        let Some(file) = file else {
            return Ok(Filled::End);
        };
        self.buffer.drain(..self.taken);
        self.taken = 0;
        let kept = self.buffer.len();
        let wanted = usize::try_from(len - self.offset)
            .unwrap_or(usize::MAX)
            .min(READ_BYTES);
        self.buffer.resize(kept + wanted, 0);
        let into = self.buffer.get_mut(kept..).unwrap_or_default();
        let n = file.read_at(into, self.offset)?;
        self.buffer.truncate(kept + n);
        self.offset += n as u64;
        Ok(if n == 0 { Filled::End } else { Filled::More })
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::tap::piece::PIECE_BYTES;

    fn chunk(direction: Direction, at_ms: u64, bytes: &[u8]) -> Chunk {
        Chunk {
            direction,
            at_ms,
            lost_before: 0,
            piece: Arc::new(Piece::read(&mut &*bytes, &Arc::default()).unwrap()),
        }
    }

    /// All that a reader has until it has caught up, as text.
    fn read_all(reader: &mut Reader) -> String {
        let mut text = String::new();
        loop {
            match reader.next().unwrap() {
                Next::Record(Record::Bytes {
                    direction,
                    at_ms,
                    bytes,
                }) => {
                    let bytes = String::from_utf8_lossy(bytes);
                    writeln!(text, "{} {at_ms} {bytes}", direction.word()).unwrap();
                }
                Next::Record(Record::Lost { direction }) => {
                    writeln!(text, "{} lost", direction.word()).unwrap();
                }
                Next::Record(Record::Overtaken { read, resumed }) => {
                    let (read, resumed) = (read.segment, resumed.segment);
                    writeln!(text, "overtaken {read} {resumed}").unwrap();
                }
                Next::CaughtUp => return text + "caught up",
                Next::End => return text + "end",
            }
        }
    }

    #[test]
    fn readers_follow_from_the_beginning() {
        let spill = Arc::new(Spill::create(&std::env::temp_dir()).unwrap());
        let mut early = spill.reader();
        assert_eq!(read_all(&mut early), "caught up");
        spill.write(&[
            chunk(Direction::ToAgent, 1, b"one"),
            chunk(Direction::ToClient, 2, b""),
        ]);
        assert_eq!(read_all(&mut early), "c2a 1 one\na2c 2 \ncaught up");
        spill.write(&[Chunk {
            lost_before: 9,
            ..chunk(Direction::ToClient, 3, b"two")
        }]);
        spill.end();
        assert_eq!(read_all(&mut early), "a2c lost\na2c 3 two\nend");
        let mut late = spill.reader();
        assert_eq!(
            read_all(&mut late),
            "c2a 1 one\na2c 2 \na2c lost\na2c 3 two\nend"
        );
    }

    #[test]
    fn the_oldest_part_is_given_up_and_readers_are_told() {
        let spill = Arc::new(Spill::with_segment_bytes(&std::env::temp_dir(), 100).unwrap());
        let mut slow = spill.reader();
        assert_eq!(read_all(&mut slow), "caught up");
        for n in 0..20_u64 {
            spill.write(&[chunk(Direction::ToAgent, n, &[b'x'; 90])]);
        }
        let text = read_all(&mut slow);
        assert!(text.starts_with("overtaken 0 12\nc2a 12 "), "{text}");
        assert!(text.ends_with("caught up"));
        assert_eq!(text.lines().count(), 1 + SEGMENTS + 1);
    }

    #[test]
    fn records_that_do_not_fit_into_one_read_come_whole() {
        let spill = Arc::new(Spill::create(&std::env::temp_dir()).unwrap());
        let long = vec![b'y'; PIECE_BYTES];
        let chunks = || chunk(Direction::ToClient, 5, &long);
        spill.write(&[chunks(), chunks(), chunks(), chunks()]);
        let mut reader = spill.reader();
        for _ in 0..4 {
            match reader.next().unwrap() {
                Next::Record(Record::Bytes { bytes, .. }) => assert_eq!(bytes, long),
                other => panic!("{other:?}"),
            }
        }
    }
}
