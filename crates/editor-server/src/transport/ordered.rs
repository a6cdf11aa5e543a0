//! A service around tower-lsp's that keeps the order of messages and survives panics.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use tower_lsp::ExitedError;
use tower_lsp::jsonrpc::{Error, Request, Response};
use tower_service::Service;

use super::frames::{INVALID_REQUEST, PARSE_ERROR};

/// Under this name `textDocument/codeLens` reaches its handler: tower-lsp fixes the types of the
/// standard methods, and those of this answer are too slow.
pub(crate) const CODE_LENS: &str = "$/acpLens/codeLens";

type Answer = Result<Option<Response>, ExitedError>;
type Answering = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// Starts each handler at once, in the order of the messages, and lets what is still pending run
/// in a task of its own.
///
/// A handler that sends to the actor before its first wait is therefore ordered. A panic becomes an
/// error response. `initialize` stays in place, since tower-lsp holds back all other messages until
/// it is answered.
#[derive(Debug)]
pub(crate) struct Ordered<S> {
    inner: S,
}

impl<S> Ordered<S> {
    pub(crate) fn new(inner: S) -> Self {
        Self { inner }
    }
}

impl<S> Service<Request> for Ordered<S>
where
    S: Service<Request, Response = Option<Response>, Error = ExitedError>,
    S::Future: Future<Output = Answer> + Send + 'static,
{
    type Response = Option<Response>;
    type Error = ExitedError;
    type Future = Answering;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), ExitedError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Answering {
        let id = request.id().cloned();
        let error = match request.method() {
            PARSE_ERROR => Some(Error::parse_error()),
            INVALID_REQUEST => Some(Error::invalid_request()),
            _ => None,
        };
        if let Some(error) = error {
            let response = id.map(|id| Response::from_error(id, error));
            return Box::pin(async move { Ok(response) });
        }
        let stays = request.method() == "initialize";
        let mut handler: Answering = Box::pin(self.inner.call(routed(request)));
        if stays {
            return handler;
        }
        let panicked = move || Ok(id.map(|id| Response::from_error(id, Error::internal_error())));
        let first = catch_unwind(AssertUnwindSafe(|| {
            handler
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()))
        }));
        match first {
            Ok(Poll::Ready(answer)) => Box::pin(async move { answer }),
            Err(_) => Box::pin(async move { panicked() }),
            // The task polls the handler again, with a waker that wakes it.
            Ok(Poll::Pending) => {
                let task = tokio::spawn(handler);
                Box::pin(async move { task.await.unwrap_or_else(|_| panicked()) })
            }
        }
    }
}

/// The request under the name by which its handler is known.
fn routed(request: Request) -> Request {
    if request.method() != "textDocument/codeLens" {
        return request;
    }
    let (_, id, params) = request.into_parts();
    let mut routed = Request::build(CODE_LENS);
    if let Some(id) = id {
        routed = routed.id(id);
    }
    if let Some(params) = params {
        routed = routed.params(params);
    }
    routed.finish()
}
