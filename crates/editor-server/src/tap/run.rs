//! The course of a tap: start the agent, relay, end as the agent ends.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitCode, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::end::End;
use super::opening::Openings;
use super::publish::Publisher;
use super::record::{self, Secrets};
use super::relay::{Queue, QueueEnd, RelayEnd, relay};
use super::spill::Spill;
use super::{Direction, signals, streams};
use crate::mirror::message::{TapHello, VERSION};
use crate::mirror::rendezvous::{SocketFile, unique_id};

/// How long the last words of an agent that has ended may take to come. Something that the agent
/// started can hold its standard output open for ever.
const LAST_WORDS_WAIT: Duration = Duration::from_secs(2);
/// How long an agent may go on after its client is gone.
const ORPHAN_GRACE: Duration = Duration::from_secs(5);
/// How long an agent may take to end after it was asked to.
const TERMINATE_GRACE: Duration = Duration::from_secs(2);
/// How long the end of the agent's words is held back from the client. Most agents end with it, and
/// many clients kill what they started as soon as they see it: before that the editors have to
/// learn how the agent ended, and the recording has to be written.
const OUTPUT_GRACE: Duration = Duration::from_millis(100);
/// How often it is looked whether the client is still there, once it has nothing more to say.
const CLIENT_LOOK: Duration = Duration::from_millis(200);

/// What a tap is to do.
#[derive(Debug)]
pub(crate) struct Options {
    /// The agent's program and arguments.
    pub(crate) agent: Vec<OsString>,
    /// The file for a recording.
    pub(crate) record: Option<PathBuf>,
    /// Whether secrets stay in it.
    pub(crate) secrets: Secrets,
}

/// Why a tap could not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TapError {
    /// The command line names no agent.
    #[error("no agent was named")]
    NoAgent,
    /// The recording cannot be written.
    #[error("the recording {path} cannot be written", path = path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The agent could not be started.
    #[error("the agent could not be started")]
    Start(#[source] io::Error),
    /// The standard streams of this process cannot be used.
    #[error("standard input and output cannot be used")]
    Streams(#[source] io::Error),
    /// Waiting for the agent failed.
    #[error("the agent's end was not told")]
    Wait(#[source] io::Error),
}

/// What happens while the agent runs.
enum Event {
    AgentEnded(io::Result<ExitStatus>),
    RelayEnded(Direction, RelayEnd),
}

/// Runs the agent until it ends, and gives its exit status.
pub(crate) fn run(options: Options) -> Result<ExitCode, TapError> {
    let (program, arguments) = options.agent.split_first().ok_or(TapError::NoAgent)?;
    let recording = match options.record {
        None => None,
        Some(path) => match record::open(&path) {
            Ok(file) => Some(file),
            Err(source) => return Err(TapError::Record { path, source }),
        },
    };
    let mut agent = crate::agent_exec::command(program, arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(TapError::Start)?;
    let agent_id = agent.id();
    let (events, happened) = channel();
    if let Err(why) = signals::forward_to(agent_id) {
        tracing::warn!(%why, "signals are not passed on to the agent");
    }
    let (queue, queue_end) = Queue::new();
    let observers = Observers::start(program, recording, options.secrets, queue_end);
    start_relays(&mut agent, &queue, &events).map_err(TapError::Streams)?;
    thread::spawn(move || {
        // The other end is gone only when the tap has ended.
        let _ = events.send(Event::AgentEnded(agent.wait()));
    });
    let end = watch(agent_id, &happened).map_err(TapError::Wait)?;
    observers.finish(end, &queue);
    Ok(end.as_the_agent())
}

/// Starts both relays. Each closes its ends when it is done, but for our standard output.
fn start_relays(agent: &mut Child, queue: &Queue, events: &Sender<Event>) -> io::Result<()> {
    let (Some(agent_in), Some(agent_out)) = (agent.stdin.take(), agent.stdout.take()) else {
        return Err(io::Error::other("the agent has no standard streams"));
    };
    let (client_in, client_out) = streams::own()?;
    streams::widen(&agent_in, &agent_out);
    let (to_agent, told) = (queue.clone(), events.clone());
    thread::Builder::new()
        .name("to-agent".to_owned())
        .spawn(move || {
            let end = relay(client_in, agent_in, Direction::ToAgent, &to_agent);
            drop(to_agent);
            streams::close_input();
            let _ = told.send(Event::RelayEnded(Direction::ToAgent, end));
        })?;
    let (to_client, told) = (queue.clone(), events.clone());
    thread::Builder::new()
        .name("to-client".to_owned())
        .spawn(move || {
            let end = relay(agent_out, client_out, Direction::ToClient, &to_client);
            drop(to_client);
            let _ = told.send(Event::RelayEnded(Direction::ToClient, end));
        })?;
    Ok(())
}

/// Waits for the end of the agent and of its last words; ends an agent whose client is gone.
fn watch(agent: u32, happened: &Receiver<Event>) -> io::Result<End> {
    let mut status = None;
    let mut words_ended = false;
    let mut output_closed = false;
    let mut input_ended = false;
    let mut client_gone: Option<Instant> = None;
    let mut asked: Option<Instant> = None;
    let mut ended_at: Option<Instant> = None;
    loop {
        let end = status.map(|status| End {
            status,
            client_left: client_gone.is_some(),
        });
        if let (Some(end), true) = (end, words_ended) {
            return Ok(end);
        }
        let holds_back = words_ended && !output_closed;
        let wait = if holds_back {
            OUTPUT_GRACE
        } else {
            CLIENT_LOOK
        };
        match happened.recv_timeout(wait) {
            Ok(Event::AgentEnded(result)) => {
                status = Some(result?);
                ended_at = Some(Instant::now());
            }
            Ok(Event::RelayEnded(Direction::ToAgent, _)) => input_ended = true,
            Ok(Event::RelayEnded(Direction::ToClient, end)) => {
                words_ended = true;
                if end == RelayEnd::ReceiverClosed {
                    client_gone.get_or_insert_with(Instant::now);
                }
            }
            Err(RecvTimeoutError::Timeout) if holds_back => {
                // The agent lives on.
                streams::close_output();
                output_closed = true;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return end.ok_or_else(|| io::Error::other("nobody waits for the agent"));
            }
        }
        if let (Some(end), Some(ended_at)) = (end, ended_at)
            && ended_at.elapsed() > LAST_WORDS_WAIT
        {
            return Ok(end);
        }
        if input_ended && client_gone.is_none() && streams::is_output_broken() {
            client_gone = Some(Instant::now());
        }
        if let (Some(gone), true) = (client_gone, input_ended)
            && gone.elapsed() > ORPHAN_GRACE
        {
            let asked = asked.get_or_insert_with(|| {
                streams::signal(agent, Signal::TERM);
                Instant::now()
            });
            if asked.elapsed() > TERMINATE_GRACE {
                streams::signal(agent, Signal::KILL);
            }
        }
    }
}

/// All that looks on: the spill, the recording, the editors.
struct Observers {
    spill_writer: Option<JoinHandle<()>>,
    recorder: Option<JoinHandle<()>>,
    publisher: Option<Arc<Publisher>>,
    socket: Option<SocketFile>,
}

impl Observers {
    /// Starts them. An observer that cannot be started is missed by nobody but the person who is
    /// told so in the log; the agent runs all the same.
    fn start(
        program: &OsString,
        recording: Option<File>,
        secrets: Secrets,
        queue_end: QueueEnd,
    ) -> Self {
        let mut observers = Self {
            spill_writer: None,
            recorder: None,
            publisher: None,
            socket: None,
        };
        let spill = match Spill::create(&spill_dir()) {
            Ok(spill) => Arc::new(spill),
            Err(why) => {
                tracing::warn!(%why, "there is no room for a spill file; nobody sees this agent");
                return observers;
            }
        };
        let openings = Arc::<Openings>::default();
        {
            let (spill, openings) = (Arc::clone(&spill), Arc::clone(&openings));
            // It ends with the spill, and nobody waits for it.
            spawn("openings", move || {
                streams::give_way();
                if let Err(why) = openings.collect(&spill) {
                    tracing::warn!(%why, "late editors will not know the sessions");
                }
            });
        }
        if let Some(file) = recording {
            let (spill, openings) = (Arc::clone(&spill), Arc::clone(&openings));
            observers.recorder = spawn("record", move || {
                if let Err(why) = record::record(&spill, &openings, file, secrets) {
                    tracing::warn!(%why, "the recording is incomplete");
                }
            });
        }
        let hello = TapHello {
            version: VERSION,
            tap: std::process::id(),
            id: unique_id(),
            agent: Path::new(program)
                .file_name()
                .unwrap_or(program)
                .to_string_lossy()
                .into_owned(),
        };
        let publisher = Publisher::new(Arc::clone(&spill), openings, &hello);
        match publisher.open() {
            Ok(socket) => observers.socket = Some(socket),
            Err(why) => tracing::warn!(%why, "editors do not see this agent"),
        }
        observers.publisher = Some(publisher);
        observers.spill_writer = spawn("spill", move || queue_end.write_all(&spill));
        observers
    }

    /// Lets them see the end.
    fn finish(self, end: End, queue: &Queue) {
        if let Some(writer) = self.spill_writer {
            queue.end();
            let _ = writer.join();
        }
        if let Some(publisher) = &self.publisher {
            publisher.close(end.in_words());
        }
        if let Some(recorder) = self.recorder {
            let _ = recorder.join();
        }
        drop(self.socket);
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Option<JoinHandle<()>> {
    thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .inspect_err(|why| tracing::warn!(%why, "the tap has no thread for `{name}`"))
        .ok()
}

/// Where spill files go: a place on disk rather than in memory, where the system has one.
fn spill_dir() -> PathBuf {
    let on_disk = Path::new("/var/tmp");
    if std::env::var_os("TMPDIR").is_none() && on_disk.is_dir() {
        return on_disk.to_owned();
    }
    std::env::temp_dir()
}
