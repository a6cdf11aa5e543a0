//! Asks taps and servers who they are, and leaves them alone otherwise.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::time::Duration;

use interprocess::local_socket::traits::Stream as _;
use serde::de::DeserializeOwned;

use super::message::{ServerHello, TapHello};
use super::rendezvous::{Found, Rendezvous};

/// How long a peer may take to answer.
const WAIT: Duration = Duration::from_secs(2);

/// A version that nobody speaks: the peer says who it is, and ends the conversation.
const NO_VERSION: u32 = 0;

/// Who the tap behind a socket is; `None` when nobody is there any more.
pub(crate) fn tap(path: &Path) -> io::Result<Option<TapHello>> {
    hello(path)
}

/// Who the server behind a socket is; `None` when nobody is there any more.
pub(crate) fn server(path: &Path) -> io::Result<Option<ServerHello>> {
    hello(path)
}

fn hello<T: DeserializeOwned>(path: &Path) -> io::Result<Option<T>> {
    let stream = match Rendezvous::connect(path)? {
        Found::Alive(stream) => stream,
        Found::Stale => return Ok(None),
    };
    stream.set_recv_timeout(Some(WAIT))?;
    // Both kinds read a hello of the other kind; this one is of neither.
    let mut to = &stream;
    writeln!(
        to,
        "{{\"version\":{NO_VERSION},\"server\":0,\"roots\":[],\"tap\":0,\"id\":\"\",\"agent\":\"\"}}"
    )?;
    let mut line = String::new();
    BufReader::new(&stream)
        .take(64 * 1024)
        .read_line(&mut line)?;
    Ok(Some(serde_json::from_str(&line)?))
}
