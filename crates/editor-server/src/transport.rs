//! Between the standard streams and tower-lsp.
//!
//! tower-lsp 0.20 leaves four things to its user, and this module does them:
//! - a message that cannot be decoded must not end the server: [`frames`] cuts the input into
//!   messages and lets only well-formed ones through;
//! - handlers must start in the order of their messages, and one that panics must not take the
//!   others down: [`ordered`];
//! - `exit` must end the process while standard input stays open: [`pump`] closes the input of
//!   tower-lsp at `exit`, and the caller ends the process;
//! - its queue must not fill: the concurrency level is high.

mod frames;
mod ordered;
mod pump;

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tower_lsp::jsonrpc::{Request, Response};
use tower_lsp::{ClientSocket, ExitedError, Server};

#[cfg(any(test, fuzzing))]
pub use frames::fuzz_frames;
pub(crate) use ordered::{CODE_LENS, Ordered};
pub use pump::End;

/// Handlers in flight; far above what a client has open, so that reading never waits for one.
const CONCURRENCY: usize = 4096;

/// Bytes between the frame reader and tower-lsp.
const PIPE: usize = 64 * 1024;

/// How long answers in flight are waited for once the client is gone.
const GRACE: Duration = Duration::from_millis(100);

/// Serves until `exit` or the end of the input, and says which it was.
///
/// Returns although `input` stays open and handlers still run. The caller then ends the process:
/// a read of standard input cannot be called back.
pub(crate) async fn serve<I, O, S>(input: I, output: O, service: S, socket: ClientSocket) -> End
where
    I: AsyncRead + Unpin + Send + 'static,
    O: AsyncWrite,
    S: tower_service::Service<Request, Response = Option<Response>, Error = ExitedError>
        + Send
        + 'static,
    S::Future: Future<Output = Result<Option<Response>, ExitedError>> + Send + 'static,
{
    let (reader, writer) = tokio::io::duplex(PIPE);
    let pump = tokio::spawn(pump::pump(input, writer));
    let serving = Server::new(reader, output, socket)
        .concurrency_level(CONCURRENCY)
        .serve(Ordered::new(service));
    tokio::pin!(serving);
    tokio::pin!(pump);
    let ended = tokio::select! {
        () = &mut serving => (&mut pump).await,
        ended = &mut pump => {
            // A handler that is busy does not notice that it was cancelled.
            if tokio::time::timeout(GRACE, &mut serving).await.is_err() {
                tracing::debug!("ending with handlers still running");
            }
            ended
        }
    };
    ended.unwrap_or(End::Lost)
}
