//! One connection with one agent, over the agent's standard input and output.

use std::sync::Arc;

use agent_client_protocol::v1::{ConnectionTo, Dispatch, Responder};
use agent_client_protocol::{Agent, Client, Error, Lines, UntypedMessage};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::sync::{Notify, mpsc, oneshot};

use super::lines::{Line, RequestSlot, Teller, incoming, outgoing};
use super::process::Streams;

/// The longest piece of an agent's log line that is kept, in bytes.
const LOG_LINE_CAP: usize = 2000;

/// What comes from an agent, in the order of the wire: each message is a [`FromAgent::Line`], and
/// a request comes as a [`FromAgent::Question`] after its line.
#[derive(Debug)]
pub(crate) enum FromAgent {
    /// A message of either side.
    Line(Line),
    /// A request that waits for its answer.
    Question(Box<Question>),
    /// The connection ended; nothing follows. The text says why when it was no plain end.
    Closed(Option<String>),
}

impl From<Line> for FromAgent {
    fn from(line: Line) -> Self {
        Self::Line(line)
    }
}

/// A request of the agent. Dropped without an answer, it is answered with an error.
#[derive(Debug)]
pub(crate) struct Question {
    /// The method.
    pub(crate) method: String,
    /// The parameters.
    pub(crate) params: Value,
    responder: Responder,
    _slot: RequestSlot,
}

impl Question {
    /// Answers the request.
    pub(crate) fn answer(self, result: Value) {
        // The connection can have ended; then nobody waits for the answer.
        let _ = self.responder.respond(result);
    }

    /// Answers that the method is not known.
    pub(crate) fn refuse_method(self) {
        let _ = self.responder.respond_with_error(Error::method_not_found());
    }

    /// Answers that the request cannot be done, and why.
    pub(crate) fn refuse(self, code: i32, why: impl Into<String>) {
        let _ = self
            .responder
            .respond_with_error(Error::new(code, why.into()));
    }
}

/// The sending end of a connection. Dropping it closes the agent's standard input.
#[derive(Debug)]
pub(crate) struct Link {
    connection: ConnectionTo<Agent>,
    stop: Arc<Notify>,
}

/// The connection has ended, so nothing can be sent.
#[derive(Debug, thiserror::Error)]
#[error("the connection with the agent has ended")]
pub(crate) struct LinkEnded;

impl Link {
    /// Connects with an agent that was just started, and gives the end where it is heard.
    pub(crate) async fn open(
        streams: Streams,
    ) -> Result<(Self, mpsc::UnboundedReceiver<FromAgent>), LinkEnded> {
        let (teller, heard) = Teller::new();
        tokio::spawn(log_lines(streams.stderr));
        let transport = Lines::new(
            Box::pin(outgoing(streams.stdin, teller.clone())),
            Box::pin(incoming(streams.stdout, teller.clone())),
        );
        let stop = Arc::new(Notify::new());
        let stopped = Arc::clone(&stop);
        let (opened, connection) = oneshot::channel();
        let asked = teller.clone();
        tokio::spawn(async move {
            let end = Client
                .v1()
                .name("acp-lens")
                .on_receive_dispatch(
                    async move |dispatch: Dispatch, _connection: ConnectionTo<Agent>| {
                        take(dispatch, &asked)
                    },
                    agent_client_protocol::on_receive_dispatch!(),
                )
                .connect_with(transport, async |connection: ConnectionTo<Agent>| {
                    let closed = connection.clone();
                    if opened.send(connection).is_ok() {
                        tokio::select! {
                            () = stopped.notified() => {}
                            () = closed.incoming_closed() => {}
                        }
                    }
                    Ok(())
                })
                .await;
            teller.tell(FromAgent::Closed(end.err().map(reason)));
        });
        let connection = connection.await.map_err(|_| LinkEnded)?;
        Ok((Self { connection, stop }, heard))
    }

    /// Sends a request and gives its id as JSON text; the answer comes as a line with that id.
    pub(crate) fn request(&self, method: &str, params: Value) -> Result<String, LinkEnded> {
        let message = UntypedMessage {
            method: method.to_owned(),
            params,
        };
        let sent = self.connection.send_request(message);
        let id = serde_json::to_string(sent.id()).map_err(|_| LinkEnded)?;
        sent.detach();
        Ok(id)
    }

    /// Sends a notification.
    pub(crate) fn notify(&self, method: &str, params: Value) -> Result<(), LinkEnded> {
        let message = UntypedMessage {
            method: method.to_owned(),
            params,
        };
        self.connection
            .send_notification(message)
            .map_err(|_| LinkEnded)
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.stop.notify_one();
    }
}

/// Why a connection ended: the crate wraps what happened here into an error of the protocol.
fn reason(why: Error) -> String {
    match why.data {
        Some(Value::String(reason)) => reason,
        _ => why.message,
    }
}

/// Passes on what the crate has read of a message.
fn take(dispatch: Dispatch, teller: &Teller<FromAgent>) -> Result<(), Error> {
    match dispatch {
        Dispatch::Request(message, responder) => {
            teller.tell(FromAgent::Question(Box::new(Question {
                method: message.method,
                params: message.params,
                responder,
                _slot: teller.request_slot(),
            })));
            Ok(())
        }
        Dispatch::Notification(_) => Ok(()),
        Dispatch::Response(result, router) => router.route_with_result(result),
    }
}

/// Writes what an agent logs into our log.
async fn log_lines(from: impl AsyncRead + Unpin) {
    let mut from = BufReader::new(from);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let mut piece = tokio::io::AsyncReadExt::take(&mut from, 64 * 1024);
        match piece.read_until(b'\n', &mut bytes).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let line = String::from_utf8_lossy(&bytes);
                tracing::info!(target: "agent", "{}", shortened(line.trim_end()));
            }
        }
    }
}

/// The beginning of a line, cut between characters.
pub(crate) fn shortened(line: &str) -> &str {
    line.get(..line.floor_char_boundary(LOG_LINE_CAP))
        .unwrap_or(line)
}
