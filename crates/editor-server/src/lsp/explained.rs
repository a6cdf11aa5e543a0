//! The errors that tower-lsp answers `acpLens/` requests with by itself, as this server says them.

use std::pin::Pin;
use std::task::{Context, Poll};

use serde_json::Value;
use tower_lsp::ExitedError;
use tower_lsp::jsonrpc::{self, Error, ErrorCode, Response};
use tower_lsp::lsp_types::request::Request;
use tower_service::Service;

use super::routes::with_routes;
use super::{error, ext};
use crate::explain;
use crate::features::failure::Failure;

type Answer = Result<Option<Response>, ExitedError>;

/// A service around tower-lsp's: parameters that do not fit and requests that do not exist are
/// answered with a sentence for people and the kind of the failure.
#[derive(Debug)]
pub(super) struct Explained<S> {
    inner: S,
}

impl<S> Explained<S> {
    pub(super) fn new(inner: S) -> Self {
        Self { inner }
    }
}

impl<S> Service<jsonrpc::Request> for Explained<S>
where
    S: Service<jsonrpc::Request, Response = Option<Response>, Error = ExitedError>,
    S::Future: Future<Output = Answer> + Send + 'static,
{
    type Response = Option<Response>;
    type Error = ExitedError;
    type Future = Pin<Box<dyn Future<Output = Answer> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), ExitedError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: jsonrpc::Request) -> Self::Future {
        let method = request.method();
        if !method.starts_with("acpLens/") {
            return Box::pin(self.inner.call(request));
        }
        let method = method.to_owned();
        let params = request.params().cloned().unwrap_or_default();
        let answering = self.inner.call(request);
        Box::pin(async move {
            let answer = answering.await?;
            Ok(answer.map(|response| explained(response, &method, &params)))
        })
    }
}

fn explained(response: Response, method: &str, params: &Value) -> Response {
    match response.into_parts() {
        (id, Ok(result)) => Response::from_ok(id, result),
        (id, Err(told)) => {
            let why = match told.code {
                ErrorCode::InvalidParams if told.data.is_none() => misfit(method, params),
                ErrorCode::MethodNotFound => Some(format!("there is no request {method}")),
                _ => None,
            };
            let error = why.map_or(told.clone(), |why| Error {
                code: told.code,
                ..error::answer(Failure::new(ext::ErrorKind::InvalidReference, why))
            });
            Response::from_error(id, error)
        }
    }
}

/// Why parameters do not fit a request; `None` when they do, or when nothing is known of it.
fn misfit(method: &str, params: &Value) -> Option<String> {
    /// Reads the parameters as those of the request that has this method.
    macro_rules! read_as {
        ($($request:ident => $handler:ident,)*) => {
            match method {
                $(ext::$request::METHOD => {
                    explain::read::<<ext::$request as Request>::Params>(params, "params").err()
                })*
                _ => None,
            }
        };
    }
    with_routes!(read_as)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_request_of_a_client_is_explained() {
        let of_clients = ext::REQUESTS.iter();
        for method in of_clients.filter(|method| **method != ext::RequestPermission::METHOD) {
            let why = misfit(method, &json!(3));
            let expect = "`params` has to be an object, not `3`";
            assert_eq!(why.as_deref(), Some(expect), "{method}");
        }
    }
}
