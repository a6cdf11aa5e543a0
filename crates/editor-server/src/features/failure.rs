//! Why a request cannot be answered: a sentence for people, and a kind for programs.

use crate::lsp::ext::ErrorKind;

/// A failed request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) kind: ErrorKind,
    /// One sentence: what happened and what to do. No path outside the workspace.
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// Something that the server gave out earlier is not there any more.
    pub(crate) fn gone(what: &str) -> Self {
        Self::new(
            ErrorKind::Gone,
            format!("{what} is gone; refresh and try again"),
        )
    }

    /// The server is about to end.
    pub(crate) fn ending() -> Self {
        Self::new(ErrorKind::OperationFailed, "the server is ending")
    }
}
