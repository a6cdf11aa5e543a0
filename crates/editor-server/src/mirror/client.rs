//! The server's end of the mirror: it finds taps, is found by them, and hears what they tell.
//!
//! Sockets are read by threads, one for each tap; a thread that cannot hand on what it read stops
//! reading, and the tap keeps the rest for it.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use interprocess::local_socket::Stream;
use interprocess::local_socket::traits::Stream as _;
use tokio::sync::mpsc;

use super::message::{ServerHello, TapHello, TapLine, VERSION};
use super::rendezvous::{Found, Listening, Rendezvous, Role, SocketFile};

/// How long a tap may take to say who it is.
const HELLO_WAIT: Duration = Duration::from_secs(5);
/// The longest line of a tap: a message at the cap of its length, and what stands around it.
const LINE_CAP: u64 = 65 * 1024 * 1024;
/// How many messages of all taps may wait for the server.
const WAITING: usize = 1024;

/// What happens at taps. `tap` is the tap's own id.
#[derive(Debug)]
pub(crate) struct TapEvent {
    /// The tap.
    pub(crate) tap: Arc<str>,
    /// What happened.
    pub(crate) what: What,
}

/// What happened at a tap.
#[derive(Debug)]
pub(crate) enum What {
    /// It was found.
    Found {
        /// The agent's program.
        agent: String,
    },
    /// A message passed.
    Message {
        /// From the client to the agent.
        to_agent: bool,
        /// The message.
        message: Box<str>,
    },
    /// Messages are missing here.
    Gap,
    /// What was told so far had happened before.
    CaughtUp,
    /// The agent ended; how, in words.
    Ended(String),
    /// The tap is gone without a word.
    Lost,
}

/// The taps that are listened to already, so that none is heard twice.
type Known = Arc<Mutex<Vec<Arc<str>>>>;

/// Listens for taps of the workspace with these folders, and looks for those that are there.
///
/// Nobody listens any more when both parts of the answer are dropped, the second one first.
pub(crate) fn open(roots: Vec<String>) -> io::Result<(Socket, mpsc::Receiver<TapEvent>)> {
    let rendezvous = Rendezvous::open()?;
    let listening = rendezvous.listen(Role::Server)?;
    let file = listening.file();
    let (events, heard) = mpsc::channel(WAITING);
    let ear = Ear {
        hello: ServerHello {
            version: VERSION,
            server: std::process::id(),
            roots,
        },
        known: Known::default(),
        events,
    };
    let accepting = ear.clone();
    spawn("taps", move || accepting.accept_all(&listening));
    for path in rendezvous.sockets(Role::Tap) {
        let ear = ear.clone();
        // A tap that hangs must not keep the others waiting.
        spawn("tap", move || match Rendezvous::connect(&path) {
            Ok(Found::Alive(stream)) => ear.listen(&stream),
            Ok(Found::Stale) => {}
            Err(why) => tracing::warn!(%why, "a tap cannot be reached"),
        });
    }
    Ok((Socket(file), heard))
}

/// The server's socket. Its file goes, and the thread at it ends, when this is dropped.
#[derive(Debug)]
pub(crate) struct Socket(SocketFile);

impl Drop for Socket {
    fn drop(&mut self) {
        self.0.wake();
    }
}

#[derive(Clone)]
struct Ear {
    hello: ServerHello,
    known: Known,
    events: mpsc::Sender<TapEvent>,
}

impl Ear {
    fn accept_all(&self, listening: &Listening) {
        while !self.events.is_closed() {
            match listening.accept() {
                Ok(_) if self.events.is_closed() => return,
                Ok(stream) => {
                    let ear = self.clone();
                    spawn("tap", move || ear.listen(&stream));
                }
                Err(why) => {
                    tracing::warn!(%why, "a tap could not connect");
                    // Out of file descriptors, most likely: trying at once would only burn time.
                    thread::sleep(Duration::from_millis(200));
                }
            }
        }
    }

    /// Hears one tap to its end.
    fn listen(&self, stream: &Stream) {
        let (tap, mut from) = match self.meet(stream) {
            Ok(Some(met)) => met,
            Ok(None) => return,
            Err(why) => {
                tracing::info!(%why, "a tap went away before it said who it is");
                return;
            }
        };
        let tell = |what| {
            let tap = Arc::clone(&tap);
            self.events.blocking_send(TapEvent { tap, what }).is_ok()
        };
        let mut line = String::new();
        let end = loop {
            line.clear();
            match (&mut from).take(LINE_CAP).read_line(&mut line) {
                Ok(0) | Err(_) => break What::Lost,
                Ok(_) => {}
            }
            let what = match serde_json::from_str::<TapLine<'_>>(&line) {
                Ok(TapLine {
                    dir: Some(dir),
                    msg: Some(msg),
                    ..
                }) => What::Message {
                    to_agent: dir == "c2a",
                    message: msg.get().into(),
                },
                Ok(TapLine { end: Some(end), .. }) => break What::Ended(end.into_owned()),
                Ok(TapLine {
                    caught_up: true, ..
                }) => What::CaughtUp,
                Ok(_) => What::Gap,
                Err(why) => {
                    tracing::warn!(%why, "a line of a tap cannot be read");
                    What::Gap
                }
            };
            if !tell(what) {
                return;
            }
        };
        tell(end);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|it| *it != tap);
    }

    /// Learns who the tap is. `None` when it is heard already, or speaks otherwise.
    fn meet<'a>(
        &self,
        stream: &'a Stream,
    ) -> io::Result<Option<(Arc<str>, BufReader<&'a Stream>)>> {
        stream.set_recv_timeout(Some(HELLO_WAIT))?;
        let mut to = stream;
        // A list of strings and numbers always has a JSON form.
        let mut hello = serde_json::to_string(&self.hello)?;
        hello.push('\n');
        to.write_all(hello.as_bytes())?;
        let mut from = BufReader::with_capacity(64 * 1024, stream);
        let mut line = String::new();
        (&mut from).take(64 * 1024).read_line(&mut line)?;
        stream.set_recv_timeout(None)?;
        let tap: TapHello = serde_json::from_str(&line)?;
        let id: Arc<str> = tap.id.into();
        {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if tap.version != VERSION || known.contains(&id) {
                return Ok(None);
            }
            known.push(Arc::clone(&id));
        }
        let event = TapEvent {
            tap: Arc::clone(&id),
            what: What::Found { agent: tap.agent },
        };
        Ok(self
            .events
            .blocking_send(event)
            .is_ok()
            .then_some((id, from)))
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) {
    let started = thread::Builder::new().name(name.to_owned()).spawn(work);
    if let Err(why) = started {
        tracing::warn!(%why, "a tap is not heard");
    }
}
