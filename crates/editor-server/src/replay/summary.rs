//! A recording for a person at a terminal.

use std::io::{self, Write};

use activity_core::model::{Action, FileSummary, LineCounts};
use activity_core::session::Turn;
use anstyle::{AnsiColor, Style};

use super::Recording;
use super::recording::{RecordedSession, ShownNotice};
use crate::visible::visible;

const HEADING: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const NOTICE: Style = AnsiColor::Yellow.on_default();

/// How much of the user's words is shown, in characters.
const LONGEST_USER_LINE: usize = 100;

/// Writes sessions, turns and files, with styles. A writer for something else than a terminal
/// strips them.
pub(crate) fn write(recordings: &[Recording], output: &mut impl Write) -> io::Result<()> {
    let mut sessions = recordings.iter().flat_map(Recording::sessions);
    let Some(first) = sessions.next() else {
        return writeln!(output, "no session");
    };
    write_session(first, output)?;
    for session in sessions {
        writeln!(output)?;
        write_session(session, output)?;
    }
    Ok(())
}

fn write_session(recorded: &RecordedSession, output: &mut impl Write) -> io::Result<()> {
    let session = &recorded.session;
    write!(output, "{HEADING}session {}{HEADING:#}", recorded.name())?;
    if let Some(agent) = session.agent() {
        write!(output, "  {}", visible(&agent.name))?;
        if let Some(version) = &agent.version {
            write!(output, " {}", visible(version))?;
        }
    }
    if let Some(workspace) = session.workspace() {
        write!(output, "  {FAINT}{}{FAINT:#}", visible(workspace.root()))?;
    }
    writeln!(output)?;

    let notices = recorded.merged_notices();
    let mut notices = notices.as_slice();
    write_notices(&mut notices, None, output)?;
    let turns = session.turns();
    for (index, turn) in turns.iter().enumerate() {
        write_turn_heading(index, turn, output)?;
        for row in session.turn_summaries(&turn.id) {
            write_row(&row, output)?;
        }
        write_notices(&mut notices, Some(&turn.id), output)?;
    }
    write_totals(recorded, &turns, output)
}

fn write_turn_heading(index: usize, turn: &Turn, output: &mut impl Write) -> io::Result<()> {
    write!(output, "  turn {}", index + 1)?;
    if !turn.user_line.is_empty() {
        let words = visible(&turn.user_line);
        match words.char_indices().nth(LONGEST_USER_LINE) {
            Some((end, _)) => write!(output, "  {}…", &words[..end])?,
            None => write!(output, "  {words}")?,
        }
    }
    match turn.stop_reason.as_deref() {
        None | Some("end_turn") => {}
        Some(reason) => write!(output, "  {FAINT}({}){FAINT:#}", visible(reason))?,
    }
    writeln!(output)
}

fn write_row(row: &FileSummary, output: &mut impl Write) -> io::Result<()> {
    write!(
        output,
        "    {} {}",
        action_letter(row.action),
        visible(&row.relative_path)
    )?;
    let from = row
        .activities
        .iter()
        .rev()
        .find_map(|activity| activity.from_path.as_ref());
    if let (Action::Moved, Some(from)) = (row.action, from) {
        write!(output, " {FAINT}from {}{FAINT:#}", visible(from))?;
    }
    match row.counts {
        Some(LineCounts { added, removed }) => {
            writeln!(
                output,
                "  {ADDED}+{added}{ADDED:#} {REMOVED}-{removed}{REMOVED:#}"
            )
        }
        None => writeln!(output, "  {FAINT}lines unknown{FAINT:#}"),
    }
}

/// Writes the notices at the front of the list that belong to a turn, or to none.
fn write_notices(
    notices: &mut &[ShownNotice],
    turn_id: Option<&str>,
    output: &mut impl Write,
) -> io::Result<()> {
    while let Some((notice, rest)) = notices.split_first() {
        if notice.turn_id.as_deref() != turn_id {
            break;
        }
        let indent = if turn_id.is_some() { "    " } else { "  " };
        writeln!(
            output,
            "{indent}{NOTICE}!{NOTICE:#} {}",
            visible(&notice.text)
        )?;
        *notices = rest;
    }
    Ok(())
}

fn write_totals(
    recorded: &RecordedSession,
    turns: &[Turn],
    output: &mut impl Write,
) -> io::Result<()> {
    let session = &recorded.session;
    let files = session.paths().len();
    let mut sum = LineCounts::default();
    let mut all_counted = true;
    for turn in turns {
        for row in session.turn_summaries(&turn.id) {
            match row.counts {
                Some(counts) => {
                    sum += counts;
                }
                None => all_counted = false,
            }
        }
    }
    write!(
        output,
        "  {files} {} changed in {} {}",
        if files == 1 { "file" } else { "files" },
        turns.len(),
        if turns.len() == 1 { "turn" } else { "turns" },
    )?;
    if files > 0 {
        let LineCounts { added, removed } = sum;
        write!(
            output,
            ", {ADDED}+{added}{ADDED:#} {REMOVED}-{removed}{REMOVED:#}"
        )?;
        if !all_counted {
            write!(output, " where lines are known")?;
        }
    }
    writeln!(output)
}

fn action_letter(action: Action) -> char {
    match action {
        Action::Created => 'A',
        Action::Modified => 'M',
        Action::Deleted => 'D',
        Action::Moved => 'R',
    }
}
