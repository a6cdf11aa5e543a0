//! The lines between the server and an agent, each told in the order of the wire.
//!
//! The official crate decodes into types that drop what they do not know. So each line is taken
//! as it came, before the crate sees it: what the session shows is read from these lines, and the
//! crate only gets what it has to answer or is waiting for.

use std::io;
use std::sync::Arc;

use futures::{Sink, Stream};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// The longest line that is taken, in bytes without its end.
pub(crate) const LINE_CAP: usize = 64 * 1024 * 1024;
/// How many bytes of lines may wait to be read before the agent has to wait.
const WAITING_BYTES: u32 = 16 * 1024 * 1024;
/// How many requests of an agent may wait for an answer before the agent has to wait.
const WAITING_REQUESTS: usize = 256;

/// Who sent a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sender {
    /// The server, as the agent's client.
    Client,
    /// The agent.
    Agent,
}

/// A line of the connection: one JSON object.
#[derive(Debug)]
pub(crate) struct Line {
    /// Who sent it.
    pub(crate) sender: Sender,
    /// The object, without the end of the line.
    pub(crate) text: Box<str>,
    /// Holds room in the queue for as long as the line waits.
    _room: OwnedSemaphorePermit,
}

/// Where lines are told, with room for a bounded number of bytes.
#[derive(Debug)]
pub(crate) struct Teller<T> {
    to: mpsc::UnboundedSender<T>,
    room: Arc<Semaphore>,
    requests: Arc<Semaphore>,
}

impl<T> Clone for Teller<T> {
    fn clone(&self) -> Self {
        Self {
            to: self.to.clone(),
            room: Arc::clone(&self.room),
            requests: Arc::clone(&self.requests),
        }
    }
}

/// A request of the agent that waits for its answer; dropped, it makes room for another.
#[derive(Debug)]
pub(crate) struct RequestSlot(Arc<Semaphore>);

impl Drop for RequestSlot {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

/// The receiver is gone, so nobody wants to know any more.
#[derive(Debug)]
pub(crate) struct NobodyListens;

impl<T: From<Line>> Teller<T> {
    /// A teller and the end where all is heard.
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<T>) {
        let (to, from) = mpsc::unbounded_channel();
        let room = usize::try_from(WAITING_BYTES).unwrap_or(usize::MAX);
        let teller = Self {
            to,
            room: Arc::new(Semaphore::new(room)),
            requests: Arc::new(Semaphore::new(WAITING_REQUESTS)),
        };
        (teller, from)
    }

    /// Tells something that is no line.
    pub(crate) fn tell(&self, event: T) {
        // A receiver that is gone has ended the connection.
        let _ = self.to.send(event);
    }

    /// Tells a line, and waits while too much is waiting already.
    async fn tell_line(&self, sender: Sender, text: &str) -> Result<(), NobodyListens> {
        // A single line may be longer than the whole room: it then waits for all of it.
        let weight = u32::try_from(text.len())
            .unwrap_or(u32::MAX)
            .min(WAITING_BYTES);
        let room = Arc::clone(&self.room).acquire_many_owned(weight).await;
        let line = Line {
            sender,
            text: text.into(),
            _room: room.map_err(|_| NobodyListens)?,
        };
        self.to.send(line.into()).map_err(|_| NobodyListens)
    }

    /// The slot of a request that [`incoming`] has let through.
    pub(crate) fn request_slot(&self) -> RequestSlot {
        RequestSlot(Arc::clone(&self.requests))
    }
}

/// The members by which messages differ.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<std::borrow::Cow<'a, str>>,
}

/// What a line is to the connection.
enum Kind {
    /// Not a JSON object.
    Noise,
    /// `session/update` and every other notification.
    Notification,
    /// A request, which the crate answers through its handler.
    Request,
    /// The answer to a request of ours.
    Answer,
}

fn kind_of(line: &str) -> Kind {
    if !line.trim_start().starts_with('{') {
        return Kind::Noise;
    }
    match serde_json::from_str::<Envelope<'_>>(line) {
        Err(_) => Kind::Noise,
        Ok(Envelope { id: None, .. }) => Kind::Notification,
        Ok(Envelope {
            method: Some(_), ..
        }) => Kind::Request,
        Ok(Envelope { method: None, .. }) => Kind::Answer,
    }
}

/// The agent's standard output as the lines that the crate has to see; every JSON object is told,
/// and everything else goes to the log.
pub(crate) fn incoming<T: From<Line> + Send + 'static>(
    from: impl AsyncRead + Send + Unpin + 'static,
    teller: Teller<T>,
) -> impl Stream<Item = io::Result<String>> + Send + 'static {
    let state = (
        BufReader::with_capacity(64 * 1024, from),
        teller,
        Vec::new(),
    );
    futures::stream::unfold(state, async |(mut from, teller, mut bytes)| {
        loop {
            match read_line(&mut from, &mut bytes).await {
                Ok(true) => {}
                Ok(false) => return None,
                Err(why) => return Some((Err(why), (from, teller, bytes))),
            }
            let Ok(line) = std::str::from_utf8(&bytes) else {
                tracing::warn!(
                    bytes = bytes.len(),
                    "the agent wrote a line that is no UTF-8"
                );
                continue;
            };
            let kind = kind_of(line);
            if let Kind::Noise = kind {
                if !line.trim().is_empty() {
                    tracing::info!(target: "agent", "{}", crate::acp::link::shortened(line));
                }
                continue;
            }
            if teller.tell_line(Sender::Agent, line).await.is_err() {
                return None;
            }
            match kind {
                Kind::Noise | Kind::Notification => {}
                Kind::Answer => return Some((Ok(line.to_owned()), (from, teller, bytes))),
                Kind::Request => {
                    if let Ok(slot) = teller.requests.acquire().await {
                        slot.forget();
                    }
                    return Some((Ok(line.to_owned()), (from, teller, bytes)));
                }
            }
        }
    })
}

/// The agent's standard input as the place where the crate's lines go; each is told too.
pub(crate) fn outgoing<T: From<Line> + Send + 'static>(
    to: impl AsyncWrite + Send + Unpin + 'static,
    teller: Teller<T>,
) -> impl Sink<String, Error = io::Error> + Send + 'static {
    futures::sink::unfold((to, teller), async |(mut to, teller), mut line: String| {
        // Nobody listening is no reason to withhold a message from the agent.
        let _ = teller.tell_line(Sender::Client, &line).await;
        line.push('\n');
        to.write_all(line.as_bytes()).await?;
        to.flush().await?;
        Ok((to, teller))
    })
}

/// Reads one line into `bytes`, without its end; false at the end of the stream. A last line
/// without an end counts.
async fn read_line(
    from: &mut (impl AsyncBufRead + Unpin),
    bytes: &mut Vec<u8>,
) -> io::Result<bool> {
    bytes.clear();
    // A long line must not hold its memory for the rest of the connection.
    bytes.shrink_to(1024 * 1024);
    loop {
        let piece = from.fill_buf().await?;
        if piece.is_empty() {
            return Ok(!bytes.is_empty());
        }
        let end = piece.iter().position(|byte| *byte == b'\n');
        let taken = end.unwrap_or(piece.len());
        if bytes.len() + taken > LINE_CAP {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("the agent wrote a line longer than {} MiB", LINE_CAP >> 20),
            ));
        }
        bytes.extend_from_slice(piece.get(..taken).unwrap_or_default());
        from.consume(taken + usize::from(end.is_some()));
        if end.is_some() {
            return Ok(true);
        }
    }
}
