//! A recording as a unified diff that `git apply` and `patch` take.
//!
//! Each activity becomes the diff of its file, in the order in which it happened; the tools apply
//! several diffs of one file one after the other. A diff needs a file's whole text, or a piece of
//! it with its line number and lines around the change. Where the evidence has neither, a comment
//! line says what was left out; both tools pass over lines that belong to no diff.

mod texts;
mod unified;

use std::fmt::Write as _;
use std::io::{self, Write};

use activity_core::model::{Action, Activity, PathStanding};

use super::recording::RecordedSession;
use super::{Recording, is_unseen, visible};
use texts::{Change, KnownTexts, LeftOut};

/// Writes the diffs of all sessions, each under a comment line with its name.
pub(crate) fn write(recordings: &[Recording], output: &mut impl Write) -> io::Result<()> {
    for recorded in recordings.iter().flat_map(Recording::sessions) {
        write_session(recorded, output)?;
    }
    Ok(())
}

fn write_session(recorded: &RecordedSession, output: &mut impl Write) -> io::Result<()> {
    let session = &recorded.session;
    writeln!(output, "# session {}", recorded.name())?;
    for notice in recorded.notices() {
        writeln!(output, "# note: {}", visible(&notice.text))?;
    }
    let mut texts = KnownTexts::default();
    for activity in session.activities() {
        let changes = match &activity.standing {
            PathStanding::Known => texts.changes(&activity),
            PathStanding::Doubtful(reason) => Err(LeftOut::Doubtful(reason.clone())),
            PathStanding::Unknown => Err(LeftOut::PathUnknown),
        };
        match changes {
            Ok(changes) => changes
                .iter()
                .try_for_each(|change| write_change(&activity, change, output))?,
            Err(why) => writeln!(
                output,
                "# left out: {} {}: {why}",
                verb(activity.action),
                visible(&activity.relative_path),
            )?,
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
