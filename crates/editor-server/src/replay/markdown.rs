//! A recording as Markdown, to be pasted into a pull request.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use activity_core::model::{Action, FileGroup, FileSummary, LineCounts};
use activity_core::profile::Profile;
use activity_core::session::Session;

use super::Recording;
use super::recording::RecordedSession;
use crate::visible::visible;

/// How much of the user's words is shown, in characters.
const LONGEST_USER_LINE: usize = 200;

/// Writes a section for each session.
pub(crate) fn write(recordings: &[Recording], output: &mut impl Write) -> io::Result<()> {
    for (index, recorded) in recordings.iter().flat_map(Recording::sessions).enumerate() {
        if index > 0 {
            writeln!(output)?;
        }
        write_session(recorded, output)?;
    }
    Ok(())
}

fn write_session(recorded: &RecordedSession, output: &mut impl Write) -> io::Result<()> {
    let session = &recorded.session;
    match session.agent() {
        Some(agent) => writeln!(output, "## Changes by {}\n", code(&agent.name))?,
        None => writeln!(output, "## Changes by the agent\n")?,
    }
    let paths = session.paths();
    if paths.is_empty() {
        writeln!(output, "No file changed.")?;
    } else {
        // Only profile `acp` tells what is left in the end; the other one sums what was declared.
        let lines = match session.profile() {
            Profile::Acp => "Lines in the end",
            Profile::Openclaw => "Lines as declared",
        };
        writeln!(output, "| File | Change | {lines} |\n| --- | --- | ---: |")?;
        // What is left in the end is what a reviewer sees; where that is not known, what was done.
        let done = lines_done(session);
        for path in &paths {
            if let Some(group) = session.file(path) {
                let net = match session.profile() {
                    Profile::Acp => group.net.as_ref().and_then(|net| net.counts),
                    Profile::Openclaw => None,
                };
                let counts = net.or_else(|| done.get(path).copied());
                write_file(&group, counts, output)?;
            }
        }
        write_turns(session, output)?;
    }
    let notices = recorded.merged_notices();
    if !notices.is_empty() {
        writeln!(output, "\n> [!NOTE]")?;
    }
    for notice in notices {
        writeln!(output, "> - {}", escaped(&notice.text))?;
    }
    Ok(())
}

fn write_file(
    group: &FileGroup,
    counts: Option<LineCounts>,
    output: &mut impl Write,
) -> io::Result<()> {
    let activities = group.activities.as_slice();
    let (Some(first), Some(last)) = (activities.first(), activities.last()) else {
        return Ok(());
    };
    let origin = activities
        .iter()
        .find_map(|activity| activity.from_path.as_deref());
    let change = match (first.action, last.action, origin) {
        (Action::Created, Action::Deleted, _) => Cow::Borrowed("added and deleted again"),
        (_, Action::Deleted, _) => Cow::Borrowed("deleted"),
        (Action::Created, ..) => Cow::Borrowed("added"),
        (.., Some(origin)) => Cow::Owned(format!("moved from {}", cell(&code(origin)))),
        _ => Cow::Borrowed("modified"),
    };
    let path = cell(&code(&group.relative_path)).into_owned();
    writeln!(output, "| {path} | {change} | {} |", lines(counts))
}

/// The lines that all turns together added and removed, for each path where some are known.
fn lines_done(session: &Session) -> HashMap<Arc<str>, LineCounts> {
    let mut done: HashMap<Arc<str>, LineCounts> = HashMap::new();
    for turn in session.turns() {
        for row in session.turn_summaries(&turn.id) {
            if let Some(counts) = row.counts {
                *done.entry(row.relative_path).or_default() += counts;
            }
        }
    }
    done
}

/// The turns that changed something, with what each did.
fn write_turns(session: &Session, output: &mut impl Write) -> io::Result<()> {
    writeln!(output, "\n<details><summary>Turn by turn</summary>\n")?;
    for (index, turn) in session.turns().iter().enumerate() {
        let rows = session.turn_summaries(&turn.id);
        if rows.is_empty() {
            continue;
        }
        write!(output, "- Turn {}", index + 1)?;
        if !turn.user_line.is_empty() {
            let words = turn.user_line.chars().take(LONGEST_USER_LINE);
            write!(output, ": {}", code(&words.collect::<String>()))?;
        }
        writeln!(output)?;
        for FileSummary {
            relative_path,
            counts,
            ..
        } in &rows
        {
            writeln!(output, "  - {} {}", code(relative_path), lines(*counts))?;
        }
    }
    writeln!(output, "\n</details>")
}

fn lines(counts: Option<LineCounts>) -> Cow<'static, str> {
    match counts {
        Some(LineCounts { added, removed }) => Cow::Owned(format!("+{added} −{removed}")),
        None => Cow::Borrowed("unknown"),
    }
}

/// A code span. Nothing inside it is markup, and nobody who is named in it is notified.
fn code(text: &str) -> String {
    let text = visible(text);
    let longest_run = text.split(|char| char != '`').map(str::len).max();
    let fence = "`".repeat(longest_run.unwrap_or(0) + 1);
    // A blank next to the fence keeps a backtick of the text apart from it, and is not shown.
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A code span that may stand in a table, where a bar would end the cell even inside of it.
fn cell(code: &str) -> Cow<'_, str> {
    if code.contains('|') {
        Cow::Owned(code.replace('|', "\\|"))
    } else {
        Cow::Borrowed(code)
    }
}

/// Running text without markup.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in visible(text).chars() {
        if matches!(
            char,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '@' | '&'
        ) {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}
