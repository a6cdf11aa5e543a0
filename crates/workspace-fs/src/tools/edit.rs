//! The edit tool.

use serde_json::Value;

use crate::error::FsError;
use crate::filesystem::{EditRequest, FormChange};
use crate::hunks::{HunkDiff, diffs_to_meta, hunk_diffs};
use crate::tools::{EditArguments, ToolSession};
use crate::version::Version;

/// What an edit did.
#[derive(Clone, Debug)]
pub struct EditResult {
    /// The absolute path for texts.
    pub display_path: String,
    /// How many places were replaced.
    pub replacements: usize,
    /// Whether every place was asked for.
    pub replace_all: bool,
    /// The changed regions.
    pub diffs: Vec<HunkDiff>,
    /// What the regions do not show.
    pub form: Option<FormChange>,
    /// The version that stands now.
    pub version: Version,
}

impl EditResult {
    /// The text for the model.
    pub fn text(&self) -> String {
        let path = &self.display_path;
        let done = if self.replace_all {
            format!("The file {path} has been updated. All occurrences were successfully replaced.")
        } else {
            format!("The file {path} has been updated successfully.")
        };
        match self.form {
            Some(form) => format!("{done} ({form})"),
            None => done,
        }
    }

    /// The private data for a replay.
    pub fn meta(&self) -> Option<Value> {
        diffs_to_meta(&self.diffs)
    }
}

/// Replaces text in a file as far as the policy allows, and lets it know what stands there now.
///
/// # Errors
/// The policy refuses, the file is missing or not the one that was seen, the old text does not occur
/// or too often, cancelled.
pub fn edit(session: &ToolSession<'_>, arguments: &EditArguments) -> Result<EditResult, FsError> {
    let target = session.resolve(&arguments.file_path)?;
    let expected = session.policy.edit_intent(session.owner, &target)?;
    let request = EditRequest {
        old_string: &arguments.old_string,
        new_string: &arguments.new_string,
        replace_all: arguments.replace_all,
    };
    let outcome = session
        .files
        .edit_text(&target, &request, expected.as_ref(), session.cancel)?;
    session.observed(&target, &outcome.version);
    Ok(EditResult {
        display_path: target.display_path().to_owned(),
        replacements: outcome.replacements,
        replace_all: arguments.replace_all,
        diffs: hunk_diffs(&arguments.file_path, &outcome.before, &outcome.after),
        form: outcome.form,
        version: outcome.version,
    })
}
