//! The sessions of one trace.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fmt::Write as _;
use std::io::{self, BufRead};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use acp_grammar::wire::method::Initialized;
use activity_core::event::Event;
use activity_core::notice::{Notice, NoticeKind};
use activity_core::session::{Options, Session};

use super::batch::{DecodedBatch, DecodedLine, LineContent, SkipReason};
use super::connection::{self, Connection, Told};
use super::lines::{LineBatch, Lines};
use crate::visible::visible;

/// Batches that may wait for the sessions to be brought forward.
const BATCHES_AHEAD: usize = 2;
/// Names in a notice about several.
const MOST_NAMES: usize = 20;
/// Sessions that may go on side by side. Of others, less is kept until they go on.
const ACTIVE_SESSIONS: usize = 8;

/// What a trace holds.
#[derive(Debug)]
pub struct Recording {
    options: Options,
    connection: Connection,
    sessions: Vec<RecordedSession>,
    by_id: HashMap<Arc<str>, usize>,
    /// The session of the last event, for events that name none.
    latest: usize,
    /// The sessions that were spoken of lately, the first of them longest ago.
    active: VecDeque<usize>,
    agent: Option<Agent>,
    /// How many connections have begun.
    connections: u64,
    read_lines: u64,
    skipped_lines: u64,
    skipped: Vec<SkippedLine>,
}

/// A session of a trace.
#[derive(Debug)]
pub struct RecordedSession {
    /// Its id; empty when the trace has but one session and never names it.
    pub id: Arc<str>,
    /// The session.
    pub session: Session,
    /// Why the agent could not load it, if that happened last.
    pub load_failure: Option<String>,
    /// How many agents had named themselves when this session was last told who its agent is.
    agents_known: usize,
    /// The connection that last spoke of it.
    connection: u64,
}

/// A notice as it is shown: those of the session, and what the trace itself says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownNotice {
    /// What kind of notice it is, for programs.
    pub code: &'static str,
    /// What it says, in one sentence.
    pub text: String,
    /// The turn; `None` when it concerns the whole session.
    pub turn_id: Option<Arc<str>>,
    /// The tool call, if it is about one.
    pub tool_call_id: Option<Arc<str>>,
}

impl RecordedSession {
    /// The id for a person to read.
    pub fn name(&self) -> Cow<'_, str> {
        if self.id.is_empty() {
            Cow::Borrowed("without a name")
        } else {
            visible(&self.id)
        }
    }

    /// What a person should know about the session, what concerns all of it first.
    pub fn notices(&self) -> Vec<ShownNotice> {
        self.shown(self.session.notices())
    }

    /// The same for a person to read: what differs only in a name is said once for all names.
    pub fn merged_notices(&self) -> Vec<ShownNotice> {
        self.shown(merged(self.session.notices()))
    }

    fn shown(&self, notices: Vec<Notice>) -> Vec<ShownNotice> {
        let failure = self.load_failure.iter().map(|message| ShownNotice {
            code: "loadFailed",
            text: format!("the agent could not load this session: {message}"),
            turn_id: None,
            tool_call_id: None,
        });
        let notices = notices.into_iter().map(|notice| ShownNotice {
            code: notice.kind.code(),
            text: notice.kind.to_string(),
            turn_id: notice.turn_id,
            tool_call_id: notice.tool_call_id,
        });
        failure.chain(notices).collect()
    }
}

/// A batch on its way from the stream to the sessions.
enum Batch {
    /// Its lines are still to be decoded.
    Read(LineBatch),
    Decoded(DecodedBatch),
}

/// The names of several notices.
#[derive(Debug, Default)]
struct Names {
    /// Where the first of them stands.
    place: usize,
    in_order: Vec<Arc<str>>,
    known: HashSet<Arc<str>>,
}

/// Notices for people: those of one turn that differ in nothing but a name become one with all
/// names, at the place of the first.
fn merged(notices: Vec<Notice>) -> Vec<Notice> {
    let mut merged: Vec<Notice> = Vec::with_capacity(notices.len());
    let mut places: BTreeMap<(Option<Arc<str>>, &str), Names> = BTreeMap::new();
    for notice in notices {
        let (NoticeKind::PathUnknown { name } | NoticeKind::OutsideWorkspace { path: name }) =
            &notice.kind
        else {
            merged.push(notice);
            continue;
        };
        let key = (notice.turn_id.clone(), notice.kind.code());
        let name = Arc::clone(name);
        let names = places.entry(key).or_insert_with(|| {
            merged.push(notice);
            Names {
                place: merged.len() - 1,
                ..Names::default()
            }
        });
        if names.known.insert(Arc::clone(&name)) {
            names.in_order.push(name);
        }
    }
    for (
        (_, code),
        Names {
            place, in_order, ..
        },
    ) in places
    {
        if in_order.len() > 1 {
            let names = named(&in_order);
            let text = if code == "pathUnknown" {
                format!("the agent names only {names}; where they lie is not known")
            } else {
                format!("{names} lie outside the workspace")
            };
            merged[place].tool_call_id = None;
            merged[place].kind = NoticeKind::Other(text.into());
        }
    }
    merged
}

/// Names in one line, of very many the first.
fn named(names: &[Arc<str>]) -> String {
    let shown = names.iter().take(MOST_NAMES).map(|name| &**name);
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if names.len() > MOST_NAMES {
        let more = names.len() - MOST_NAMES;
        // Writing to a string cannot fail.
        let _ = write!(text, " and {more} more");
    }
    text
}

/// The agent at the other end of the connection.
#[derive(Debug)]
struct Agent {
    name: Arc<str>,
    version: Option<Arc<str>>,
    /// How many agents named themselves in this trace, this one included.
    ordinal: usize,
}

/// Lines that follow each other and were passed over for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedLine {
    /// The first of them, from 1.
    pub first: u64,
    /// The last of them.
    pub last: u64,
    /// Why.
    pub reason: SkipReason,
}

impl Recording {
    /// Reads a trace to its end.
    ///
    /// Lines that cannot be read are remembered and passed over. An error of the stream ends the
    /// reading; what came before it is kept, and the error is given beside it.
    pub fn read(input: impl BufRead + Send, options: Options) -> (Self, io::Result<()>) {
        let mut recording = Self::new(options);
        let (sender, receiver) = mpsc::sync_channel(BATCHES_AHEAD);
        let (give_back, empty) = mpsc::channel();
        let waiting = AtomicUsize::new(0);
        let end = thread::scope(|scope| {
            let waiting = &waiting;
            let reader = scope.spawn(move || {
                let mut lines = Lines::new(input);
                loop {
                    let mut batch: LineBatch = empty.try_recv().unwrap_or_default();
                    let outcome = lines.read_batch(&mut batch);
                    let last = !matches!(outcome, Ok(true));
                    // Decoding is the work of whoever would have to wait for the other.
                    let batch = if waiting.load(Ordering::Relaxed) == 0 {
                        Batch::Read(batch)
                    } else {
                        Batch::Decoded(DecodedBatch::decode(batch))
                    };
                    waiting.fetch_add(1, Ordering::Relaxed);
                    // The lines before an error of the stream are whole.
                    if sender.send(batch).is_err() || last {
                        return outcome.map(drop);
                    }
                }
            });
            for batch in receiver {
                waiting.fetch_sub(1, Ordering::Relaxed);
                let mut batch = match batch {
                    Batch::Read(batch) => DecodedBatch::decode(batch),
                    Batch::Decoded(batch) => batch,
                };
                batch.with_dependent_mut(|_, lines| {
                    for line in lines.drain(..) {
                        recording.take_in(line);
                    }
                });
                // The reader may have come to its end.
                let _ = give_back.send(batch.into_owner());
            }
            match reader.join() {
                Ok(end) => end,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        });
        (recording, end)
    }

    fn new(options: Options) -> Self {
        Self {
            options,
            connection: Connection::default(),
            sessions: Vec::new(),
            by_id: HashMap::new(),
            latest: 0,
            active: VecDeque::new(),
            agent: None,
            connections: 0,
            read_lines: 0,
            skipped_lines: 0,
            skipped: Vec::new(),
        }
    }

    /// The sessions, in the order in which the trace first speaks of them.
    pub fn sessions(&self) -> &[RecordedSession] {
        &self.sessions
    }

    /// The sessions themselves.
    pub fn into_sessions(self) -> Vec<RecordedSession> {
        self.sessions
    }

    /// How many lines could be read.
    pub fn read_lines(&self) -> u64 {
        self.read_lines
    }

    /// How many lines were passed over.
    pub fn skipped_lines(&self) -> u64 {
        self.skipped_lines
    }

    /// The lines that were passed over, in order.
    pub fn skipped(&self) -> &[SkippedLine] {
        &self.skipped
    }

    fn take_in(&mut self, line: DecodedLine<'_>) {
        match line.content {
            Err(reason) => self.skip(line.number, reason),
            Ok(content) => {
                self.read_lines += 1;
                self.take_in_content(content);
            }
        }
    }

    fn take_in_content(&mut self, content: LineContent<'_>) {
        let (LineContent::Update { hop, .. } | LineContent::Message { hop, .. }) = &content;
        if !self.connection.follows(*hop) {
            return;
        }
        match content {
            LineContent::Update { params, .. } => self.apply(connection::update(params)),
            LineContent::Message {
                direction, message, ..
            } => {
                // A message tells at most three things, and the connection does not know the sessions.
                let mut told = Vec::with_capacity(3);
                self.connection
                    .observe(direction, message, &mut |fact| told.push(fact));
                for fact in told {
                    if let Told::Agent(_) = fact {
                        self.connections += 1;
                    }
                    self.apply(fact);
                }
            }
        }
    }

    fn skip(&mut self, number: u64, reason: SkipReason) {
        self.skipped_lines += 1;
        match self.skipped.last_mut() {
            Some(run) if run.last + 1 == number && run.reason == reason => run.last = number,
            _ => self.skipped.push(SkippedLine {
                first: number,
                last: number,
                reason,
            }),
        }
    }

    fn apply(&mut self, fact: Told<'_>) {
        match fact {
            Told::Agent(Initialized {
                agent_name: Some(name),
                agent_version,
                ..
            }) => {
                self.agent = Some(Agent {
                    name: name.into(),
                    version: agent_version.map(Into::into),
                    ordinal: self.agent.as_ref().map_or(1, |agent| agent.ordinal + 1),
                });
            }
            Told::Agent(_) => {}
            Told::Created(session_id) => self.forget_earlier(&session_id),
            Told::LoadFailed(session_id, message) => {
                let index = self.index_of(Some(&session_id));
                let message = message.map_or_else(|| "no reason given".to_owned(), Into::into);
                let recorded = &mut self.sessions[index];
                recorded.load_failure = Some(message);
                recorded.session.apply(Event::LoadFailed);
            }
            Told::Session(session_id, event) => {
                let index = self.index_of(session_id.as_ref());
                self.speak_of(index);
                let recorded = &mut self.sessions[index];
                recorded.connection = self.connections;
                match &self.agent {
                    Some(agent) if agent.ordinal > recorded.agents_known => {
                        recorded.agents_known = agent.ordinal;
                        recorded.session.apply(Event::AgentNamed {
                            name: Cow::Borrowed(&agent.name),
                            version: agent.version.as_deref().map(Cow::Borrowed),
                        });
                    }
                    _ => {}
                }
                if matches!(event, Event::LoadStarted) {
                    recorded.load_failure = None;
                }
                recorded.session.apply(event);
            }
        }
    }

    /// Lets an id name a new session where an agent of an earlier connection used it: agents count
    /// their sessions from one, and a recording can go on with another connection.
    fn forget_earlier(&mut self, session_id: &str) {
        let known = self.by_id.get(session_id);
        if known.is_some_and(|&index| self.sessions[index].connection < self.connections) {
            self.by_id.remove(session_id);
        }
    }

    /// Notes of which session the trace speaks; one of which it has not spoken for long may rest.
    fn speak_of(&mut self, index: usize) {
        if self.latest == index && !self.active.is_empty() {
            return;
        }
        self.latest = index;
        self.active.retain(|active| *active != index);
        self.active.push_back(index);
        if self.active.len() > ACTIVE_SESSIONS
            && let Some(session) = self.active.pop_front()
        {
            self.sessions[session].session.rest();
        }
    }

    /// The place of a session, which is made when it is new. An event that names none belongs to
    /// the one session that there is, or to the one that was spoken of last.
    fn index_of(&mut self, session_id: Option<&Cow<'_, str>>) -> usize {
        match session_id {
            None if self.sessions.is_empty() => self.add("".into()),
            None => self.latest,
            Some(id) => match self.by_id.get(id.as_ref()) {
                Some(&index) => index,
                None => self.add_named(id.as_ref().into()),
            },
        }
    }

    /// Makes a session, or gives its name to the one that has none so far.
    fn add_named(&mut self, id: Arc<str>) -> usize {
        match self.sessions.as_mut_slice() {
            [only] if only.id.is_empty() => {
                only.id = Arc::clone(&id);
                self.by_id.insert(id, 0);
                0
            }
            _ => {
                let index = self.add(Arc::clone(&id));
                self.by_id.insert(id, index);
                index
            }
        }
    }

    fn add(&mut self, id: Arc<str>) -> usize {
        self.sessions.push(RecordedSession {
            session: Session::new(Arc::clone(&id), self.options.clone()),
            id,
            load_failure: None,
            agents_known: 0,
            connection: self.connections,
        });
        self.sessions.len() - 1
    }
}
