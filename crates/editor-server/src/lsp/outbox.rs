//! Sends what the server says on its own.
//!
//! One task writes notifications in order. Each request runs in a task of its own that is never
//! dropped: tower-lsp panics when the answer to a dropped request arrives.

use std::collections::HashMap;

use tokio::sync::{mpsc, oneshot};
use tower_lsp::Client;
use tower_lsp::jsonrpc::{Id, Request};
use tower_lsp::lsp_types::notification::{Cancel, Progress, PublishDiagnostics, ShowMessage};
use tower_lsp::lsp_types::request::{Request as _, WorkDoneProgressCreate};
use tower_lsp::lsp_types::{
    CancelParams, MessageType, NumberOrString, ProgressParams, ProgressParamsValue,
    PublishDiagnosticsParams, ShowDocumentParams, ShowMessageParams, Url, WorkDoneProgress,
    WorkDoneProgressBegin, WorkDoneProgressCreateParams, WorkDoneProgressEnd,
    WorkDoneProgressReport,
};
use tower_service::Service as _;

use super::convert;
use super::ext::{
    DidChangeActivity, DidChangeHunks, DidChangeSession, DidUpdateTimeline, PermissionOutcome,
    PermissionQuestion, RequestPermission,
};
use crate::session::outgoing::Outgoing;
use crate::session::state::Client as Capabilities;

/// Sends messages until there is nobody left who could say anything.
pub(super) async fn run(client: Client, mut messages: mpsc::UnboundedReceiver<Outgoing>) {
    let mut outbox = Outbox {
        client,
        capabilities: Capabilities::default(),
        progress: HashMap::new(),
    };
    while let Some(message) = messages.recv().await {
        outbox.send(message).await;
    }
}

struct Outbox {
    client: Client,
    capabilities: Capabilities,
    /// Work in progress, each with a task that tells the client about it.
    progress: HashMap<String, mpsc::UnboundedSender<WorkDoneProgress>>,
}

impl Outbox {
    async fn send(&mut self, message: Outgoing) {
        let client = &self.client;
        match message {
            Outgoing::Configured(capabilities) => self.capabilities = *capabilities,
            Outgoing::Activity(it) => client.send_notification::<DidChangeActivity>(*it).await,
            Outgoing::Hunks(it) => client.send_notification::<DidChangeHunks>(it).await,
            Outgoing::Session(it) => client.send_notification::<DidChangeSession>(*it).await,
            Outgoing::Timeline(it) => client.send_notification::<DidUpdateTimeline>(it).await,
            Outgoing::RefreshLenses => {
                let client = client.clone();
                tokio::spawn(async move { client.code_lens_refresh().await });
            }
            Outgoing::Hints {
                uri,
                version,
                hints,
            } => {
                if let Ok(uri) = Url::parse(&uri) {
                    let hints = hints.into_iter().map(convert::hint).collect();
                    let params = PublishDiagnosticsParams::new(uri, hints, version);
                    client.send_notification::<PublishDiagnostics>(params).await;
                }
            }
            Outgoing::Show {
                uri,
                selection,
                otherwise,
            } => {
                let Ok(uri) = Url::parse(&uri) else { return };
                let params = ShowDocumentParams {
                    uri,
                    external: Some(false),
                    take_focus: Some(false),
                    selection,
                };
                let can = self.capabilities.shows_documents;
                tokio::spawn(show(client.clone(), can, params, otherwise));
            }
            Outgoing::Message { text, is_error } => tell(client, text, is_error).await,
            Outgoing::Log(text) => client.log_message(MessageType::WARNING, text).await,
            Outgoing::ProgressBegin {
                token,
                title,
                percent,
            } => self.begin(&token, title, percent),
            Outgoing::ProgressReport {
                token,
                message,
                percent,
            } => {
                let report = WorkDoneProgress::Report(WorkDoneProgressReport {
                    cancellable: Some(false),
                    message: (!message.is_empty()).then_some(message),
                    percentage: percent,
                });
                self.progress(&token, report);
            }
            Outgoing::ProgressEnd { token, message } => {
                let end = WorkDoneProgress::End(WorkDoneProgressEnd {
                    message: (!message.is_empty()).then_some(message),
                });
                self.progress(&token, end);
                self.progress.remove(&token);
            }
            Outgoing::Permission { question, answer } => {
                if self.capabilities.answers_permissions {
                    tokio::spawn(ask(client.clone(), *question, answer));
                }
            }
            Outgoing::Flushed(written) => {
                let _ = written.send(());
            }
        }
    }

    fn begin(&mut self, token: &str, title: String, percent: Option<u32>) {
        if !self.capabilities.shows_progress {
            return;
        }
        let (reports, queue) = mpsc::unbounded_channel();
        tokio::spawn(tell_progress(self.client.clone(), token.to_owned(), queue));
        self.progress.insert(token.to_owned(), reports);
        let begin = WorkDoneProgress::Begin(WorkDoneProgressBegin {
            title,
            cancellable: Some(false),
            message: None,
            percentage: percent,
        });
        self.progress(token, begin);
    }

    fn progress(&self, token: &str, value: WorkDoneProgress) {
        if let Some(reports) = self.progress.get(token) {
            let _ = reports.send(value);
        }
    }
}

/// Reports under a token, once the client has agreed to it.
async fn tell_progress(
    client: Client,
    token: String,
    mut queue: mpsc::UnboundedReceiver<WorkDoneProgress>,
) {
    let token = NumberOrString::String(token);
    let params = WorkDoneProgressCreateParams {
        token: token.clone(),
    };
    let created = client.send_request::<WorkDoneProgressCreate>(params).await;
    if created.is_err() {
        return;
    }
    while let Some(value) = queue.recv().await {
        let params = ProgressParams {
            token: token.clone(),
            value: ProgressParamsValue::WorkDone(value),
        };
        client.send_notification::<Progress>(params).await;
    }
}

/// Asks the person, and takes the question back when nobody waits for the answer any more.
async fn ask(
    mut client: Client,
    question: PermissionQuestion,
    mut answer: oneshot::Sender<PermissionOutcome>,
) {
    let id = client.next_request_id();
    let request = Request::build(RequestPermission::METHOD)
        .id(id.clone())
        .params(serde_json::to_value(question).unwrap_or_default())
        .finish();
    let mut asked = client.call(request);
    let answered = tokio::select! {
        answered = &mut asked => answered,
        () = answer.closed() => {
            let id = match id {
                Id::String(id) => NumberOrString::String(id),
                // The protocol's numbers have 32 bits, and this one counts requests.
                Id::Number(id) => NumberOrString::Number(i32::try_from(id).unwrap_or(i32::MAX)),
                Id::Null => return,
            };
            client.send_notification::<Cancel>(CancelParams { id }).await;
            // The client answers a request that was cancelled, too.
            asked.await
        }
    };
    let Ok(Some(response)) = answered else { return };
    let Ok(outcome) = response.into_parts().1 else {
        return;
    };
    match serde_json::from_value(outcome) {
        // Whoever asked may have its answer from elsewhere.
        Ok(outcome) => drop(answer.send(outcome)),
        Err(why) => tracing::warn!(%why, "the answer to a permission question cannot be read"),
    }
}

async fn show(client: Client, can: bool, params: ShowDocumentParams, otherwise: Option<String>) {
    let shown = can && client.show_document(params).await.unwrap_or(false);
    if !shown && let Some(text) = otherwise {
        tell(&client, text, false).await;
    }
}

async fn tell(client: &Client, message: String, is_error: bool) {
    let typ = if is_error {
        MessageType::ERROR
    } else {
        MessageType::INFO
    };
    client
        .send_notification::<ShowMessage>(ShowMessageParams { typ, message })
        .await;
}
