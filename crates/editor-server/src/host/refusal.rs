//! What an agent is told when its request is not done.

use workspace_fs::{FsError, FsErrorCode};

use crate::acp::link::Question;

/// JSON-RPC: the parameters cannot be used.
const INVALID_PARAMS: i32 = -32602;
/// JSON-RPC: something failed here.
const INTERNAL_ERROR: i32 = -32603;
/// ACP: there is no such file.
const NOT_FOUND: i32 = -32002;

/// Why a request is not done.
#[derive(Debug)]
pub(super) struct Refusal {
    code: i32,
    why: String,
}

impl Refusal {
    /// The request itself is wrong.
    pub(super) fn params(why: impl Into<String>) -> Self {
        Self {
            code: INVALID_PARAMS,
            why: why.into(),
        }
    }

    /// Something failed here.
    pub(super) fn internal(why: impl Into<String>) -> Self {
        Self {
            code: INTERNAL_ERROR,
            why: why.into(),
        }
    }

    /// The terminal was released, or never was.
    pub(super) fn no_terminal() -> Self {
        Self {
            code: NOT_FOUND,
            why: "the session has no such terminal".to_owned(),
        }
    }

    /// There is no such file.
    pub(super) fn is_not_found(&self) -> bool {
        self.code == NOT_FOUND
    }

    /// Tells the agent.
    pub(super) fn answer(self, question: Box<Question>) {
        question.refuse(self.code, self.why);
    }
}

impl From<FsError> for Refusal {
    fn from(error: FsError) -> Self {
        let code = match error.code() {
            FsErrorCode::NotFound => NOT_FOUND,
            _ => INVALID_PARAMS,
        };
        Self {
            code,
            why: error.model_text(),
        }
    }
}
