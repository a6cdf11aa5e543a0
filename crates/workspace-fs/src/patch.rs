//! Applying an `apply_patch` payload to the files of a workspace: all of it, or nothing.
//!
//! All sections are first checked against the workspace and against each other, in order, without
//! writing. Only then is the result written, on the versions that the check has seen. A failure in the
//! second phase takes back what was written before it.

mod commit;
mod error;
mod plan;

use std::collections::HashSet;

use acp_grammar::apply::AppliedHunk;
use acp_grammar::patch::{Dialect, Patch};
use serde_json::Value;

use crate::cancel::Cancel;
use crate::filesystem::{FormChange, Target};
use crate::hunks::{HunkDiff, diffs_to_meta};
use crate::local::LocalFileSystem;
use crate::version::Version;

pub use error::{PatchError, Rollback, SectionFault};

/// How a patch is applied.
#[derive(Clone, Copy, Debug)]
pub struct PatchOptions<'o> {
    /// Whose reading of chunks decides.
    pub dialect: Dialect,
    /// Where relative paths start; the root without one.
    pub cwd: Option<&'o str>,
}

/// What happened to a file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum PatchedKind {
    /// It was created.
    Added,
    /// Its text was changed.
    Modified,
    /// It came from this path, as written in the patch, and its text may have changed.
    Moved {
        /// The path it had.
        from: String,
    },
    /// It was removed.
    Deleted,
    /// The section changes nothing.
    Unchanged,
}

/// What a section did.
#[derive(Clone, Debug)]
pub struct PatchedFile {
    /// What happened.
    pub kind: PatchedKind,
    /// The path as written in the patch; for a move, the new one.
    pub path: String,
    /// The resolved path.
    pub target: Target,
    /// The changed regions; none for an added, a deleted or an unchanged file.
    pub diffs: Vec<HunkDiff>,
    /// Where each chunk was applied.
    pub hunks: Vec<AppliedHunk>,
    /// What the regions do not show.
    pub form: Option<FormChange>,
    /// The version that stands there after the whole patch; `None` if no file does, and before the
    /// patch was written.
    pub version: Option<Version>,
}

/// What a patch did, or would do: one entry for each section, in order.
#[derive(Clone, Debug)]
pub struct PatchOutcome {
    /// The files.
    pub files: Vec<PatchedFile>,
}

impl PatchOutcome {
    /// The text for the model: the files, added ones first, then changed, then removed ones.
    pub fn text(&self) -> String {
        let of = |letter: char, matches: fn(&PatchedKind) -> bool| {
            let files = self.files.iter().filter(move |file| matches(&file.kind));
            files.map(move |file| format!("{letter} {}", file.path))
        };
        let added = of('A', |kind| matches!(kind, PatchedKind::Added));
        let modified = of('M', |kind| {
            matches!(kind, PatchedKind::Modified | PatchedKind::Moved { .. })
        });
        let deleted = of('D', |kind| matches!(kind, PatchedKind::Deleted));
        let mut seen = HashSet::new();
        let all = added.chain(modified).chain(deleted);
        let mut lines: Vec<String> = all.filter(|line| seen.insert(line.clone())).collect();
        if lines.is_empty() {
            let paths: Vec<&str> = self.files.iter().map(|file| file.path.as_str()).collect();
            return format!("No changes made to {}.", paths.join(", "));
        }
        lines.insert(0, "Success. Updated the following files:".to_owned());
        lines.join("\n")
    }

    /// The private data for a replay: the changed regions of all files.
    pub fn meta(&self) -> Option<Value> {
        let diffs = self
            .files
            .iter()
            .flat_map(|file| file.diffs.iter().cloned());
        diffs_to_meta(&diffs.collect::<Vec<_>>())
    }
}

/// Applies a patch.
///
/// # Errors
/// A section that does not fit, with nothing written; or a failure while writing, with what became
/// of the files written before it.
pub fn apply_patch(
    files: &LocalFileSystem,
    patch: &Patch<'_>,
    options: PatchOptions<'_>,
    cancel: &Cancel,
) -> Result<PatchOutcome, PatchError> {
    let plan = plan::plan(files, patch, options, cancel)?;
    commit::commit(files, plan, cancel)
}

/// What [`apply_patch`] would do. Nothing is written.
///
/// # Errors
/// A section that does not fit.
pub fn check_patch(
    files: &LocalFileSystem,
    patch: &Patch<'_>,
    options: PatchOptions<'_>,
    cancel: &Cancel,
) -> Result<PatchOutcome, PatchError> {
    plan::plan(files, patch, options, cancel).map(|plan| PatchOutcome {
        files: plan.sections,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use acp_grammar::patch::parse;

    use super::*;

    /// Plans the patch, lets something happen to the files, and writes.
    fn commit_after(
        root: &Path,
        body: &str,
        meanwhile: impl FnOnce(),
    ) -> Result<PatchOutcome, PatchError> {
        let files = LocalFileSystem::open(root).unwrap();
        let source = format!("*** Begin Patch\n{body}\n*** End Patch");
        let patch = parse(&source, Dialect::Openclaw).unwrap();
        let options = PatchOptions {
            dialect: Dialect::Openclaw,
            cwd: None,
        };
        let plan = plan::plan(&files, &patch, options, &Cancel::new())?;
        meanwhile();
        commit::commit(&files, plan, &Cancel::new())
    }

    fn read(root: &Path, name: &str) -> Option<String> {
        fs::read_to_string(root.join(name)).ok()
    }

    #[test]
    fn a_failure_while_writing_takes_back_what_was_written() {
        let workspace = tempfile::tempdir().unwrap();
        let root = workspace.path();
        for name in ["a", "gone", "late"] {
            fs::write(root.join(name), "1\n").unwrap();
        }
        let body = "*** Update File: a\n@@\n-1\n+2\n*** Add File: new/dir/b\n+b\n\
                    *** Delete File: gone\n*** Delete File: late";
        let result = commit_after(root, body, || {
            fs::write(root.join("late"), "other\n").unwrap();
        });
        let error = result.unwrap_err();
        let PatchError::Write { path, rollback, .. } = &error else {
            panic!("the check came too late to see it: {error}");
        };
        assert_eq!(
            (path.as_str(), rollback.left_changed.as_slice()),
            ("late", &[][..])
        );
        assert_eq!(rollback.restored, ["gone", "new/dir/b", "a"]);
        assert_eq!(read(root, "a").as_deref(), Some("1\n"));
        assert_eq!(read(root, "gone").as_deref(), Some("1\n"));
        assert_eq!(read(root, "late").as_deref(), Some("other\n"));
        assert!(!root.join("new").exists());
        let told = "no file is changed: what was written before was taken back";
        assert!(error.to_string().contains(told), "{error}");
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_not_overwritten() {
        let workspace = tempfile::tempdir().unwrap();
        let root = workspace.path();
        let result = commit_after(root, "*** Add File: b\n+b", || {
            fs::write(root.join("b"), "other\n").unwrap();
        });
        assert!(
            result
                .unwrap_err()
                .to_string()
                .ends_with("no file was changed")
        );
        assert_eq!(read(root, "b").as_deref(), Some("other\n"));
    }
}
