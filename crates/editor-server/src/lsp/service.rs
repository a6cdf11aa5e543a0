//! The server put together: service, actor, outbox, and the tasks beside them.

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tower_lsp::LspService;
use tower_lsp::lsp_types::request::Request;

use super::backend::Backend;
use super::explained::Explained;
use super::routes::with_routes;
use super::{ext, outbox};
use crate::features::traces;
use crate::host::Host;
use crate::live;
use crate::session::actor;
use crate::transport::{self, CODE_LENS, End};

/// Serves one client until it says `exit` or is gone.
pub async fn serve<I, O>(input: I, output: O) -> End
where
    I: AsyncRead + Unpin + Send + 'static,
    O: AsyncWrite,
{
    let (outgoing, messages) = mpsc::unbounded_channel();
    let handle = actor::start(outgoing);
    let host = Host::new(handle.clone());
    let (backend_handle, backend_host) = (handle.clone(), host.clone());
    let builder = LspService::build(move |client| {
        tokio::spawn(outbox::run(client, messages));
        Backend::new(backend_handle, backend_host)
    })
    .custom_method(CODE_LENS, Backend::code_lenses);
    macro_rules! with_handlers {
        ($($request:ident => $handler:ident,)*) => {
            builder$(.custom_method(ext::$request::METHOD, Backend::$handler))*
        };
    }
    let (service, socket) = with_routes!(with_handlers).finish();
    tokio::spawn(traces::follow_setting(handle.clone()));
    let taps = tokio::spawn(live::taps::follow(handle));
    let end = transport::serve(input, output, Explained::new(service), socket).await;
    // The process may end without dropping anything; the socket's file has to go before.
    taps.abort();
    let _ = taps.await;
    host.end().await;
    end
}
