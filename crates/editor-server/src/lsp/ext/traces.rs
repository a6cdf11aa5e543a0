//! Messages about recorded traces.

use serde::{Deserialize, Serialize};

use super::SessionInfo;

/// Parameters of [`OpenTrace`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenTraceParams {
    /// Path of the trace: absolute, or relative to the first workspace folder.
    pub path: String,
    /// Workspace root, where the trace names none or another one is meant.
    #[serde(default)]
    pub root: Option<String>,
    /// Execution cwd, where the trace names none or another one is meant.
    #[serde(default)]
    pub cwd: Option<String>,
    /// `auto`, `openclaw` or `acp`; the setting when `null`.
    #[serde(default)]
    pub profile: Option<String>,
}

/// Result of [`OpenTrace`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenTraceResult {
    /// The sessions of the trace.
    pub sessions: Vec<SessionInfo>,
    /// Number of lines that could not be read; the log names them.
    pub skipped_lines: u64,
}

/// Parameters of [`CloseTrace`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CloseTraceParams {
    /// The path that was opened.
    pub path: String,
}
