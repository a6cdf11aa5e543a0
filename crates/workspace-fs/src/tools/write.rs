//! The write tool.

use serde_json::Value;

use crate::error::FsError;
use crate::filesystem::{FormChange, WriteOperation};
use crate::hunks::{HunkDiff, diffs_to_meta, hunk_diffs};
use crate::tools::{ToolSession, WriteArguments, envelope};
use crate::version::Version;

/// What a write did.
#[derive(Clone, Debug)]
pub struct WriteResult {
    /// The absolute path for texts.
    pub display_path: String,
    /// Created or updated.
    pub operation: WriteOperation,
    /// The changed regions; none for a new file, for a file that was no text, for one that is too
    /// large to compare, and if nothing changed.
    pub diffs: Vec<HunkDiff>,
    /// What the regions do not show.
    pub form: Option<FormChange>,
    /// The version that stands now.
    pub version: Version,
}

impl WriteResult {
    /// The text for the model.
    pub fn text(&self) -> String {
        let done = match self.operation {
            WriteOperation::Create => "Created file",
            WriteOperation::Update => "Updated file",
        };
        match self.form {
            Some(form) => envelope(&self.display_path, &format!("{done} ({form})")),
            None => envelope(&self.display_path, done),
        }
    }

    /// The private data for a replay.
    pub fn meta(&self) -> Option<Value> {
        diffs_to_meta(&self.diffs)
    }
}

/// Writes a whole file as far as the policy allows, and lets it know what stands there now.
///
/// # Errors
/// The policy refuses, the file is not the one that was seen, no file can stand there, cancelled.
pub fn write(
    session: &ToolSession<'_>,
    arguments: &WriteArguments,
) -> Result<WriteResult, FsError> {
    let target = session.resolve(&arguments.file_path)?;
    let intent = session.policy.write_intent(session.owner, &target)?;
    let content = &arguments.content;
    let outcome = session
        .files
        .write_text(&target, content, intent, session.cancel)?;
    session.observed(&target, &outcome.version);
    let diffs = outcome.before.map_or_else(Vec::new, |before| {
        hunk_diffs(&arguments.file_path, &before, &outcome.after)
    });
    Ok(WriteResult {
        display_path: target.display_path().to_owned(),
        operation: outcome.operation,
        diffs,
        form: outcome.form,
        version: outcome.version,
    })
}
