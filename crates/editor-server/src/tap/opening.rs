//! The messages that open a connection and its sessions, kept when the spill gives them up.
//!
//! Without them a late reader would know neither the agent nor any session, and could make nothing
//! of what follows. They are few and short, so they stay in memory, within a bound.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::Direction;
use super::frames::{Assembler, Frame};
use super::spill::{Next, Position, Reader, Record, Spill};

/// Requests that are kept with their answers.
const METHODS: [&str; 4] = [
    "initialize",
    "session/new",
    "session/load",
    "session/resume",
];
/// The method that is never given up for another.
const FIRST: &str = "initialize";
/// A longer line is not kept, in bytes: no opening is nearly so long.
const LINE_CAP: usize = 1024 * 1024;
/// How much is kept, in bytes; then the oldest sessions go first.
const TOTAL_CAP: usize = 8 * 1024 * 1024;
/// How many requests may wait for their answers; then the oldest is forgotten.
const PENDING_CAP: usize = 256;

/// The openings that were seen so far. See the module's documentation.
#[derive(Debug, Default)]
pub(super) struct Openings(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    lines: VecDeque<Opening>,
    bytes: usize,
}

/// A line and where it stood in the spill.
#[derive(Debug, Clone)]
struct Opening {
    /// The record with its first byte.
    begin: Position,
    /// The record with its end.
    end: Position,
    is_first: bool,
    direction: Direction,
    at_ms: u64,
    line: Arc<[u8]>,
}

impl Openings {
    /// Gives the openings that a reader misses who has read all before `read` and goes on at
    /// `resumed`, in the order of the wire.
    pub(super) fn missed(
        &self,
        read: Position,
        resumed: Position,
        mut each: impl FnMut(Frame<'_>),
    ) {
        let missed: Vec<Opening> = {
            let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let missed = kept.lines.iter();
            missed
                .filter(|it| it.end >= read && it.begin < resumed)
                .cloned()
                .collect()
        };
        for opening in &missed {
            each(Frame::Line {
                direction: opening.direction,
                at_ms: opening.at_ms,
                line: &opening.line,
            });
        }
    }

    fn keep(&self, opening: Opening) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes += opening.line.len();
        kept.lines.push_back(opening);
        while kept.bytes > TOTAL_CAP
            && let Some(oldest) = kept.lines.iter().position(|it| !it.is_first)
        {
            let gone = kept.lines.remove(oldest);
            kept.bytes -= gone.map_or(0, |gone| gone.line.len());
        }
    }

    /// Looks through the spill until that ends.
    ///
    /// Only files that are full are looked through, soon after they are: long before they are given
    /// up, and without a wake-up for each message. What fits into the first file costs nothing.
    pub(super) fn collect(&self, spill: &Arc<Spill>) -> io::Result<()> {
        let mut collector = Collector::new(spill);
        let mut more = true;
        while more && spill.wait_until_full(collector.at()) {
            more = collector.collect_full(self)?;
        }
        Ok(())
    }
}

/// Goes through a spill for [`Openings`].
#[derive(Debug)]
struct Collector {
    reader: Reader,
    finder: Finder,
}

impl Collector {
    fn new(spill: &Arc<Spill>) -> Self {
        Self {
            reader: spill.reader(),
            finder: Finder::default(),
        }
    }

    /// The number of the file at hand.
    fn at(&self) -> u64 {
        self.reader.position().segment
    }

    /// Looks through the file at hand, which is full; false when there is no next one.
    fn collect_full(&mut self, openings: &Openings) -> io::Result<bool> {
        let full = self.at();
        while self.at() == full {
            let at = self.reader.position();
            match self.reader.next()? {
                Next::Record(record) => self.finder.feed(at, record, |it| openings.keep(it)),
                Next::CaughtUp | Next::End => break,
            }
        }
        Ok(self.at() > full)
    }
}

/// Finds openings among all that passes.
#[derive(Debug, Default)]
struct Finder {
    assembler: Assembler,
    /// Where the lines at hand began.
    to_agent: Option<Position>,
    to_client: Option<Position>,
    pending: VecDeque<Pending>,
}

/// A request without its answer; the id is JSON text.
#[derive(Debug)]
struct Pending {
    id: String,
    is_first: bool,
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    #[serde(borrow)]
    method: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    #[serde(default)]
    method: Option<IgnoredAny>,
}

impl Finder {
    fn feed(&mut self, at: Position, record: Record<'_>, mut found: impl FnMut(Opening)) {
        let Self {
            assembler,
            to_agent,
            to_client,
            pending,
        } = self;
        let direction = match record {
            Record::Bytes { direction, .. } | Record::Lost { direction } => direction,
            Record::Overtaken { .. } => {
                (*to_agent, *to_client) = (None, None);
                return assembler.feed(record, |_| {});
            }
        };
        let at_hand = match direction {
            Direction::ToAgent => to_agent,
            Direction::ToClient => to_client,
        };
        let mut begin = at_hand.unwrap_or(at);
        assembler.feed(record, |frame| {
            if let Frame::Line {
                direction,
                at_ms,
                line,
            } = frame
                && let Some(is_first) = is_opening(pending, direction, line)
            {
                found(Opening {
                    begin,
                    end: at,
                    is_first,
                    direction,
                    at_ms,
                    line: line.into(),
                });
            }
            begin = at;
        });
        *at_hand = assembler.is_within_line(direction).then_some(begin);
    }
}

/// Whether a line is an opening, and then whether it is one of the first kind.
fn is_opening(pending: &mut VecDeque<Pending>, direction: Direction, line: &[u8]) -> Option<bool> {
    if line.len() > LINE_CAP {
        return None;
    }
    match direction {
        Direction::ToAgent => {
            let is_candidate = METHODS
                .iter()
                .any(|method| memchr::memmem::find(line, method.as_bytes()).is_some());
            if !is_candidate {
                return None;
            }
            let request: Request<'_> = serde_json::from_slice(line).ok()?;
            if !METHODS.contains(&&*request.method) {
                return None;
            }
            let is_first = request.method == FIRST;
            if pending.len() >= PENDING_CAP {
                pending.pop_front();
            }
            pending.push_back(Pending {
                id: request.id.get().to_owned(),
                is_first,
            });
            Some(is_first)
        }
        Direction::ToClient => {
            if pending.is_empty() {
                return None;
            }
            let answer: Answer<'_> = serde_json::from_slice(line).ok()?;
            if answer.method.is_some() {
                return None;
            }
            let asked = pending.iter().position(|it| it.id == answer.id.get())?;
            pending.remove(asked).map(|it| it.is_first)
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::tap::spill::Chunk;

    const FLOOD: &str =
        r#"<{"method":"session/update","params":{"sessionId":"a","update":{"n":1}}}"#;

    /// A spill with small files through which these lines passed, `>` to the agent; `|` cuts a
    /// line into two records. It has ended. And the openings among them.
    pub(in crate::tap) fn spill(lines: &[&str]) -> (Arc<Spill>, Openings) {
        let spill = Arc::new(Spill::with_segment_bytes(&std::env::temp_dir(), 300).unwrap());
        let openings = Openings::default();
        let mut collector = Collector::new(&spill);
        for line in lines {
            let (direction, text) = match line.split_at(1) {
                (">", text) => (Direction::ToAgent, text),
                (_, text) => (Direction::ToClient, text),
            };
            let text = format!("{text}\n");
            for piece in text.split('|') {
                spill.write(&[Chunk::of(direction, piece)]);
                while spill.is_full(collector.at()) {
                    collector.collect_full(&openings).unwrap();
                }
            }
        }
        spill.end();
        (spill, openings)
    }

    fn shown(openings: &Openings, read: Position, resumed: Position) -> String {
        let mut text = String::new();
        openings.missed(read, resumed, |frame| match frame {
            Frame::Line {
                direction, line, ..
            } => {
                let line = String::from_utf8_lossy(line);
                writeln!(text, "{} {line}", direction.word()).unwrap();
            }
            Frame::Gap { .. } => text += "gap\n",
        });
        text
    }

    const START: Position = Position {
        segment: 0,
        offset: 0,
    };
    const END: Position = Position {
        segment: u64::MAX,
        offset: 0,
    };

    /// What is kept of these lines, when much follows.
    fn check(lines: &[&str], expect: &str) {
        let mut lines = lines.to_vec();
        lines.extend([FLOOD; 60]);
        let (_, openings) = spill(&lines);
        assert_eq!(shown(&openings, START, END), expect);
    }

    #[test]
    fn requests_that_open_are_kept_with_their_answers() {
        check(
            &[
                r#">{"id":0,"method":"initialize","params":{}}"#,
                r#"<{"id":0,"result":{"agentInfo":1}}"#,
                r#">{"id":"n","method":"session/|new","params":{"cwd":"/w"}}"#,
                r#"<{"id":"n","method":"fs/read_text_file","params":{}}"#,
                r#">{"id":"n","result":{"content":"session/new"}}"#,
                FLOOD,
                r#"<{"id":"n","result":{"sess|ionId":"a"}}"#,
                r#">{"id":1,"method":"session/prompt","params":{"text":"session/load"}}"#,
                r#"<{"id":1,"result":{"stopReason":"end_turn"}}"#,
                "<no JSON",
                r#">{"id":2,"method":"session/load","params":{}}"#,
                r#"<{"id":2,"error":{}}"#,
            ],
            r#"c2a {"id":0,"method":"initialize","params":{}}
a2c {"id":0,"result":{"agentInfo":1}}
c2a {"id":"n","method":"session/new","params":{"cwd":"/w"}}
a2c {"id":"n","result":{"sessionId":"a"}}
c2a {"id":2,"method":"session/load","params":{}}
a2c {"id":2,"error":{}}
"#,
        );
    }

    #[test]
    fn what_a_reader_has_read_or_will_read_is_not_told_again() {
        let request = |n| format!(r#">{{"id":{n},"method":"session/new","params":{{}}}}"#);
        let mut lines = Vec::new();
        for n in 0..30 {
            lines.push(request(n));
            lines.push(FLOOD.to_owned());
        }
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let (spill, openings) = spill(&lines);
        let mut late = spill.reader();
        let Next::Record(Record::Overtaken { resumed, .. }) = late.next().unwrap() else {
            panic!("nothing was given up");
        };
        assert!(resumed.segment > 4);
        // Readers that stopped at different places: what each has read, what it misses, and what
        // it reads from the oldest record on are all openings that were kept, each once.
        let n_kept = openings.0.lock().unwrap().lines.len();
        for n in 0..8 {
            let read = Position {
                segment: n / 2,
                offset: n % 2 * 150,
            };
            let text = [(START, read), (read, resumed), (resumed, END)]
                .map(|(from, to)| shown(&openings, from, to))
                .concat();
            for n in 0..n_kept {
                let wanted = format!("{{\"id\":{n},");
                assert_eq!(text.matches(&wanted).count(), 1, "{read:?} {n}");
            }
        }
    }

    #[test]
    fn memory_is_bounded_and_the_agent_stays_known() {
        let openings = Openings::default();
        let line = |n: usize| Opening {
            begin: START,
            end: START,
            is_first: n == 0,
            direction: Direction::ToAgent,
            at_ms: 0,
            line: format!("{n}{}", " ".repeat(LINE_CAP / 2))
                .into_bytes()
                .into(),
        };
        (0..100).for_each(|n| openings.keep(line(n)));
        let kept = openings.0.lock().unwrap();
        assert!(kept.bytes <= TOTAL_CAP);
        let first: Vec<u8> = kept.lines.iter().map(|it| it.line[0]).collect();
        assert_eq!(first.first(), Some(&b'0'));
        assert_eq!(
            kept.lines.back().map(|it| it.line.starts_with(b"99")),
            Some(true)
        );
        assert_eq!(kept.lines.len(), TOTAL_CAP / (LINE_CAP / 2) - 1);
    }
}
