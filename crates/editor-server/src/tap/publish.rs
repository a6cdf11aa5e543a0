//! Serves editors: each gets what concerns its workspace, from the beginning, at its own pace.

use std::io::{self, BufRead as _, BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use interprocess::local_socket::Stream;
use interprocess::local_socket::traits::Stream as _;

use super::Direction;
use super::frames::{Assembler, Frame};
use super::mask::masked;
use super::opening::Openings;
use super::route::Router;
use super::spill::{Next, Record, Spill};
use super::streams;
use crate::mirror::message::{ServerHello, TapHello, VERSION};
use crate::mirror::rendezvous::{Found, Listening, Rendezvous, Role, SocketFile};

/// How long a peer may take to say who it is.
const HELLO_WAIT: Duration = Duration::from_secs(5);
/// How long the end of the tap waits for editors that are still reading.
const FAREWELL_WAIT: Duration = Duration::from_secs(1);

/// The tap as the editors see it.
#[derive(Debug)]
pub(super) struct Publisher {
    spill: Arc<Spill>,
    openings: Arc<Openings>,
    hello: String,
    /// How the agent ended, once it has.
    end: Mutex<Option<String>>,
    ended: Condvar,
    serving: Mutex<usize>,
    served: Condvar,
}

impl Publisher {
    /// A publisher of a spill, and of what was kept of that.
    pub(super) fn new(spill: Arc<Spill>, openings: Arc<Openings>, hello: &TapHello) -> Arc<Self> {
        Arc::new(Self {
            spill,
            openings,
            // A struct of strings and numbers always has a JSON form.
            hello: serde_json::to_string(hello).unwrap_or_default(),
            end: Mutex::new(None),
            ended: Condvar::new(),
            serving: Mutex::new(0),
            served: Condvar::new(),
        })
    }

    /// Listens for servers that start later, and tells those that are there already.
    ///
    /// Nothing of this is needed for the agent to run, so nothing of it is an error of the tap.
    /// The socket's file is gone when the answer is dropped.
    pub(super) fn open(self: &Arc<Self>) -> io::Result<SocketFile> {
        let rendezvous = Rendezvous::open()?;
        let listening = rendezvous.listen(Role::Tap)?;
        let file = listening.file();
        let publisher = Arc::clone(self);
        spawn("listen", move || publisher.accept_all(&listening));
        for path in rendezvous.sockets(Role::Server) {
            let publisher = Arc::clone(self);
            // A server that hangs must not keep the others waiting.
            spawn("announce", move || match Rendezvous::connect(&path) {
                Ok(Found::Alive(stream)) => publisher.serve(&stream),
                Ok(Found::Stale) => {}
                Err(why) => tracing::warn!(%why, "a server could not be told of this tap"),
            });
        }
        Ok(file)
    }

    fn accept_all(self: &Arc<Self>, listening: &Listening) {
        loop {
            match listening.accept() {
                Ok(stream) => {
                    let publisher = Arc::clone(self);
                    spawn("serve", move || publisher.serve(&stream));
                }
                Err(why) => {
                    tracing::warn!(%why, "a server could not connect");
                    // Out of file descriptors, most likely: trying at once would only burn time.
                    thread::sleep(Duration::from_millis(200));
                }
            }
        }
    }

    /// Serves one server, until it goes or the tap ends.
    fn serve(&self, stream: &Stream) {
        *self.lock_serving() += 1;
        if let Err(why) = self.try_serve(stream) {
            tracing::info!(%why, "a server went away");
        }
        *self.lock_serving() -= 1;
        self.served.notify_all();
    }

    fn lock_serving(&self) -> std::sync::MutexGuard<'_, usize> {
        self.serving.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_serve(&self, stream: &Stream) -> io::Result<()> {
        streams::give_way();
        stream.set_recv_timeout(Some(HELLO_WAIT))?;
        let mut to = BufWriter::with_capacity(64 * 1024, stream);
        writeln!(to, "{}", self.hello)?;
        to.flush()?;
        let mut line = String::new();
        io::Read::take(BufReader::new(stream), 1024 * 1024).read_line(&mut line)?;
        let server: ServerHello = serde_json::from_str(&line)?;
        if server.version != VERSION {
            return Ok(());
        }
        let router = Router::new(server.roots.into_iter().map(PathBuf::from));
        self.tell_all(router, &mut to)
    }

    fn tell_all(&self, mut router: Router, to: &mut impl Write) -> io::Result<()> {
        let mut reader = self.spill.reader();
        let mut assembler = Assembler::default();
        let mut written = Ok(());
        let mut told_caught_up = false;
        loop {
            match reader.next()? {
                Next::Record(record) => {
                    let mut each = |frame: Frame<'_>| {
                        if written.is_ok() {
                            written = tell(to, &mut router, &frame);
                        }
                    };
                    if let Record::Overtaken { read, resumed } = record {
                        self.openings.missed(read, resumed, &mut each);
                    }
                    assembler.feed(record, each);
                }
                Next::CaughtUp => {
                    if !told_caught_up {
                        writeln!(to, "{{\"caughtUp\":true}}")?;
                        told_caught_up = true;
                    }
                    to.flush()?;
                    reader.wait();
                }
                Next::End => break,
            }
            std::mem::replace(&mut written, Ok(()))?;
        }
        assembler.finish(0, |frame| {
            if written.is_ok() {
                written = tell(to, &mut router, &frame);
            }
        });
        written?;
        let end = self.wait_for_end();
        let end = serde_json::to_string(&end)?;
        writeln!(to, "{{\"end\":{end}}}")?;
        to.flush()
    }

    /// How the agent ended. The spill ends shortly before that is known.
    fn wait_for_end(&self) -> String {
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        let deadline = Instant::now() + FAREWELL_WAIT;
        loop {
            if let Some(end) = end.as_ref() {
                return end.clone();
            }
            let Some(left) = deadline.checked_duration_since(Instant::now()) else {
                return "the tap ended".to_owned();
            };
            end = self
                .ended
                .wait_timeout(end, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// Tells all servers how the agent ended, and gives them a moment to read the rest.
    pub(super) fn close(&self, end: String) {
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
        self.ended.notify_all();
        let deadline = Instant::now() + FAREWELL_WAIT;
        let mut serving = self.lock_serving();
        while *serving > 0 {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else {
                return;
            };
            serving = self
                .served
                .wait_timeout(serving, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

fn tell(to: &mut impl Write, router: &mut Router, frame: &Frame<'_>) -> io::Result<()> {
    match *frame {
        Frame::Gap { direction } => {
            let gap = direction.map_or("both", Direction::word);
            writeln!(to, "{{\"gap\":\"{gap}\"}}")
        }
        Frame::Line {
            direction,
            at_ms,
            line,
        } => match router.want(direction, line) {
            None => Ok(()),
            Some(wanted) => {
                let dir = direction.word();
                let message = masked(wanted.method.as_deref(), wanted.message);
                writeln!(to, "{{\"t\":{at_ms},\"dir\":\"{dir}\",\"msg\":{message}}}")
            }
        },
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) {
    let started = thread::Builder::new().name(name.to_owned()).spawn(work);
    if let Err(why) = started {
        tracing::warn!(%why, "editors are not served");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tap::opening::tests::spill;

    #[test]
    fn a_server_that_comes_too_late_knows_the_sessions_before_the_gap() {
        let opening = [
            r#">{"id":0,"method":"initialize","params":{}}"#,
            r#"<{"id":0,"result":{}}"#,
            r#">{"id":1,"method":"session/new","params":{"cwd":"/w"}}"#,
            r#"<{"id":1,"result":{"sessionId":"a"}}"#,
        ];
        let updates = (0..100).map(|n| {
            let session = if n % 2 == 0 { "a" } else { "another" };
            let params = format!(r#"{{"sessionId":"{session}","update":{{"n":{n}}}}}"#);
            format!(r#"<{{"method":"session/update","params":{params}}}"#)
        });
        let lines: Vec<String> = opening
            .map(str::to_owned)
            .into_iter()
            .chain(updates)
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let (spill, openings) = spill(&lines);
        let hello = TapHello {
            version: VERSION,
            tap: 1,
            id: String::new(),
            agent: String::new(),
        };
        let publisher = Publisher::new(spill, Arc::new(openings), &hello);
        publisher.close("the agent ended".to_owned());
        let mut told = Vec::new();
        let router = Router::new([PathBuf::from("/w")]);
        publisher.tell_all(router, &mut told).unwrap();

        let told = String::from_utf8(told).unwrap();
        let lines: Vec<&str> = told.lines().collect();
        for (line, message) in lines.iter().zip(opening) {
            assert!(
                line.contains(message.trim_start_matches(['<', '>'])),
                "{line}"
            );
        }
        assert_eq!(lines.get(4), Some(&r#"{"gap":"both"}"#));
        // The session is known, so its updates are told, and no other's.
        assert!(told.contains(r#""update":{"n":98}"#));
        assert!(!told.contains("another"));
        assert_eq!(lines.last(), Some(&r#"{"end":"the agent ended"}"#));
    }
}
