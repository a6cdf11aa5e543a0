//! Failures of features as errors of JSON-RPC.

use std::borrow::Cow;

use tower_lsp::jsonrpc::{Error, ErrorCode};

use super::ext::{ErrorData, ErrorKind};
use crate::features::failure::Failure;

/// LSP's `RequestFailed`: the request was well-formed, and could not be done.
const REQUEST_FAILED: i64 = -32803;

/// The error that a failed request answers with.
pub(super) fn answer(failure: Failure) -> Error {
    let code = match failure.kind {
        ErrorKind::InvalidReference => ErrorCode::InvalidParams,
        _ => ErrorCode::ServerError(REQUEST_FAILED),
    };
    let data = ErrorData { kind: failure.kind };
    Error {
        code,
        message: Cow::Owned(failure.message),
        data: serde_json::to_value(data).ok(),
    }
}
