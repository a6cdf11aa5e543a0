//! What the server says to the client on its own.

use tokio::sync::oneshot;

use super::state::Client;
use crate::lsp::ext;
use crate::lsp::position::Range;

/// A message to the client. They are sent in order, by one task.
#[derive(Debug)]
pub(crate) enum Outgoing {
    /// What the client can do; comes first and is not sent.
    Configured(Box<Client>),
    /// `acpLens/didChangeActivity`.
    Activity(Box<ext::DidChangeActivityParams>),
    /// `acpLens/didChangeHunks`.
    Hunks(ext::HunksResult),
    /// `acpLens/didChangeSession`.
    Session(Box<ext::SessionInfo>),
    /// `acpLens/didUpdateTimeline`.
    Timeline(ext::TimelineUpdate),
    /// `workspace/codeLens/refresh`.
    RefreshLenses,
    /// `textDocument/publishDiagnostics`: all hints of one document.
    Hints {
        uri: String,
        version: Option<i32>,
        hints: Vec<(Range, String)>,
    },
    /// `window/showDocument`, never taking the focus.
    Show {
        uri: String,
        selection: Option<Range>,
        /// What the person is told when the client cannot show it.
        otherwise: Option<String>,
    },
    /// `window/showMessage`.
    Message { text: String, is_error: bool },
    /// `window/logMessage`: something that the person may act on.
    Log(String),
    /// Something long begins.
    ProgressBegin {
        token: String,
        title: String,
        /// `None` when nobody knows how much there is to do.
        percent: Option<u32>,
    },
    /// It goes on.
    ProgressReport {
        token: String,
        message: String,
        percent: Option<u32>,
    },
    /// It ended.
    ProgressEnd { token: String, message: String },
    /// `acpLens/requestPermission`. No answer arrives when the client cannot answer; the question is
    /// cancelled when its receiver is dropped.
    Permission {
        question: Box<ext::PermissionQuestion>,
        answer: oneshot::Sender<ext::PermissionOutcome>,
    },
    /// Everything before this was written.
    Flushed(oneshot::Sender<()>),
}
