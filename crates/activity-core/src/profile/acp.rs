//! Profile `acp`: what a tool call of any agent changed, from all that ACP carries about it.

use super::{Context, Findings};
use crate::timeline::tool_call::ToolCall;

/// Works out what a call changed, or, for a call that has not completed, what it asked to change.
///
/// The caller decides by the call's status what the answer means; this function only reads the
/// evidence. It is called again when more becomes known about the call.
pub fn evidence(call: &ToolCall, context: &Context<'_>) -> Findings {
    let _ = (call, context);
    Findings::default()
}
