//! The server put together: service, actor, outbox, and the tasks beside them.

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tower_lsp::LspService;
use tower_lsp::lsp_types::request::Request;

use super::backend::Backend;
use super::explained::Explained;
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
    let (service, socket) = LspService::build(move |client| {
        tokio::spawn(outbox::run(client, messages));
        Backend::new(backend_handle, backend_host)
    })
    .custom_method(CODE_LENS, Backend::code_lenses)
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
    .custom_method(ext::Stat::METHOD, Backend::stat)
    .custom_method(ext::Read::METHOD, Backend::read)
    .custom_method(ext::Preview::METHOD, Backend::preview)
    .custom_method(ext::OpenHandlers::METHOD, Backend::open_handlers)
    .custom_method(ext::OpenWith::METHOD, Backend::open_with)
    .custom_method(ext::Reveal::METHOD, Backend::reveal)
    .custom_method(ext::OpenInBrowser::METHOD, Backend::open_in_browser)
    .custom_method(ext::SessionSubscribe::METHOD, Backend::session_subscribe)
    .custom_method(ext::Attachments::METHOD, Backend::attachments)
    .custom_method(ext::ReadAttachment::METHOD, Backend::read_attachment)
    .custom_method(ext::Agents::METHOD, Backend::agents)
    .custom_method(ext::SessionNew::METHOD, Backend::session_new)
    .custom_method(ext::SessionLoad::METHOD, Backend::session_load)
    .custom_method(ext::SessionList::METHOD, Backend::session_list)
    .custom_method(ext::SessionPrompt::METHOD, Backend::session_prompt)
    .custom_method(ext::SessionCancel::METHOD, Backend::session_cancel)
    .custom_method(ext::SessionClose::METHOD, Backend::session_close)
    .custom_method(
        ext::SessionRespondPermission::METHOD,
        Backend::session_respond_permission,
    )
    .custom_method(ext::SessionSetMode::METHOD, Backend::session_set_mode)
    .custom_method(
        ext::SessionSetConfigOption::METHOD,
        Backend::session_set_config_option,
    )
    .finish();
    tokio::spawn(traces::follow_setting(handle.clone()));
    let taps = tokio::spawn(live::taps::follow(handle));
    let end = transport::serve(input, output, Explained::new(service), socket).await;
    // The process may end without dropping anything; the socket's file has to go before.
    taps.abort();
    let _ = taps.await;
    host.end().await;
    end
}
