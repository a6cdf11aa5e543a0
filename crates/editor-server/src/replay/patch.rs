//! A recording as a unified diff that `git apply` and `patch` take.
//!
//! Each activity becomes the diff of its file, in the order in which it happened; the tools apply
//! several diffs of one file one after the other. A diff needs a file's whole text, or a piece of
//! it with its line number and lines around the change. Where the evidence has neither, a comment
//! line says what was left out; both tools pass over lines that belong to no diff.

mod texts;
mod unified;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::iter;
use std::sync::Arc;

use activity_core::model::{Action, Activity, PathStanding};

use super::Recording;
use super::recording::RecordedSession;
use crate::visible::{is_unseen, visible};
use texts::{Change, KnownTexts, LeftOut};

/// Most paths of changes that are left out for one reason are named so often.
const MOST_PATHS: usize = 8;

/// What a patch holds, and what it lacks.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    /// The changes of the recording.
    changes: usize,
    /// Paths of the changes that are left out, by the reason.
    left_out: BTreeMap<String, Vec<Arc<str>>>,
}

impl Coverage {
    /// The lines of a warning about what is left out; none where the patch is complete.
    pub(crate) fn warning(&self) -> Vec<String> {
        let missing: usize = self.left_out.values().map(Vec::len).sum();
        if missing == 0 {
            return Vec::new();
        }
        let total = match self.changes {
            1 => "1 change is".to_owned(),
            changes => format!("{changes} changes are"),
        };
        let head = format!("warning: {missing} of {total} left out of the patch");
        let reasons = self.left_out.iter().map(|(why, paths)| {
            let more = paths.len().saturating_sub(MOST_PATHS);
            let paths: Vec<_> = paths
                .iter()
                .take(MOST_PATHS)
                .map(|it| visible(it))
                .collect();
            let more = match more {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("  {}: {}{more}", visible(why), paths.join(", "))
        });
        let remedy = "  help: apply these by hand; `--format markdown` lists all changes";
        iter::once(head)
            .chain(reasons)
            .chain(iter::once(remedy.to_owned()))
            .collect()
    }
}

/// Writes the diffs of all sessions, each under a comment line with its name, and tells what could
/// not be written.
pub(crate) fn write(recordings: &[Recording], output: &mut impl Write) -> io::Result<Coverage> {
    let mut coverage = Coverage::default();
    for recorded in recordings.iter().flat_map(Recording::sessions) {
        write_session(recorded, &mut coverage, output)?;
    }
    Ok(coverage)
}

fn write_session(
    recorded: &RecordedSession,
    coverage: &mut Coverage,
    output: &mut impl Write,
) -> io::Result<()> {
    let session = &recorded.session;
    writeln!(output, "# session {}", recorded.name())?;
    for notice in recorded.merged_notices() {
        writeln!(output, "# note: {}", visible(&notice.text))?;
    }
    if let Some(directory) = session.agent_cwd() {
        let directory = visible(directory);
        writeln!(
            output,
            "# note: the agent works in {directory}, so relative paths may be other files"
        )?;
    }
    let mut texts = KnownTexts::default();
    for activity in session.activities() {
        let changes = match &activity.standing {
            PathStanding::Known => texts.changes(&activity),
            PathStanding::Doubtful(reason) => Err(LeftOut::Doubtful(reason.clone())),
            PathStanding::Unknown => Err(LeftOut::PathUnknown),
        };
        coverage.changes += 1;
        match changes {
            Ok(changes) => changes
                .iter()
                .try_for_each(|change| write_change(&activity, change, output))?,
            Err(why) => {
                writeln!(
                    output,
                    "# left out: {} {}: {why}",
                    verb(activity.action),
                    visible(&activity.relative_path),
                )?;
                let paths = coverage.left_out.entry(why.to_string()).or_default();
                paths.push(Arc::clone(&activity.relative_path));
            }
        }
    }
    Ok(())
}

fn write_change(
    activity: &Activity,
    change: &Change<'_>,
    output: &mut impl Write,
) -> io::Result<()> {
    let new_path = &*activity.relative_path;
    let old_path = activity.from_path.as_deref().unwrap_or(new_path);
    let (old_name, new_name) = (quoted("a/", old_path), quoted("b/", new_path));
    writeln!(output, "diff --git {old_name} {new_name}")?;
    match change {
        Change::Create(_) => writeln!(output, "new file mode 100644")?,
        Change::Delete(_) => writeln!(output, "deleted file mode 100644")?,
        Change::Edit(..) | Change::Pieces(_) if old_path != new_path => {
            writeln!(output, "rename from {}", quoted("", old_path))?;
            writeln!(output, "rename to {}", quoted("", new_path))?;
        }
        Change::Edit(..) | Change::Pieces(_) => {}
    }
    let hunks = change.hunks();
    if hunks.is_empty() {
        return Ok(());
    }
    let name_end = |name: &str| if name.contains(' ') { "\t" } else { "" };
    match change {
        Change::Create(_) => writeln!(output, "--- /dev/null")?,
        _ => writeln!(output, "--- {old_name}{}", name_end(&old_name))?,
    }
    match change {
        Change::Delete(_) => writeln!(output, "+++ /dev/null")?,
        _ => writeln!(output, "+++ {new_name}{}", name_end(&new_name))?,
    }
    hunks.iter().try_for_each(|hunk| hunk.write(output))
}

fn verb(action: Action) -> &'static str {
    match action {
        Action::Created => "create",
        Action::Modified => "modify",
        Action::Deleted => "delete",
        Action::Moved => "move",
    }
}

/// A path as git writes it: in quotes when it has characters that would break the line.
fn quoted(prefix: &str, path: &str) -> String {
    if !path.contains(|char: char| is_unseen(char) || matches!(char, '"' | '\\')) {
        return format!("{prefix}{path}");
    }
    let mut name = format!("\"{prefix}");
    for char in path.chars() {
        match char {
            '"' | '\\' => name.extend(['\\', char]),
            '\n' => name.push_str("\\n"),
            '\t' => name.push_str("\\t"),
            '\r' => name.push_str("\\r"),
            char if is_unseen(char) => {
                let mut bytes = [0; 4];
                for byte in char.encode_utf8(&mut bytes).bytes() {
                    // Writing to a string cannot fail.
                    let _ = write!(name, "\\{byte:03o}");
                }
            }
            char => name.push(char),
        }
    }
    name.push('"');
    name
}
