//! The server put together: service, actor, outbox, and the tasks beside them.

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tower_lsp::LspService;
use tower_lsp::lsp_types::request::Request;

use super::backend::Backend;
use super::{ext, outbox};
use crate::features::traces;
use crate::session::actor;
use crate::transport::{self, End};

/// Serves one client until it says `exit` or is gone.
pub async fn serve<I, O>(input: I, output: O) -> End
where
    I: AsyncRead + Unpin + Send + 'static,
    O: AsyncWrite,
{
    let (outgoing, messages) = mpsc::unbounded_channel();
    let handle = actor::start(outgoing);
    let backend_handle = handle.clone();
    let (service, socket) = LspService::build(move |client| {
        tokio::spawn(outbox::run(client, messages));
        Backend::new(backend_handle)
    })
    .custom_method(ext::Sessions::METHOD, Backend::sessions)
    .custom_method(ext::Changes::METHOD, Backend::changes)
    .custom_method(ext::Diff::METHOD, Backend::diff)
    .custom_method(ext::Hunks::METHOD, Backend::hunks)
    .custom_method(ext::GoTo::METHOD, Backend::go_to)
    .custom_method(
        ext::TextDocumentContent::METHOD,
        Backend::text_document_content,
    )
    .custom_method(ext::OpenTrace::METHOD, Backend::open_trace)
    .custom_method(ext::CloseTrace::METHOD, Backend::close_trace)
    .custom_method(ext::SessionSubscribe::METHOD, Backend::session_subscribe)
    .finish();
    tokio::spawn(traces::follow_setting(handle));
    transport::serve(input, output, service, socket).await
}
