//! Hover over a hunk: its diff, whose it is, and how sure its place is.

use std::fmt::Write as _;

use activity_core::placing::State;

use super::hunks::{reason, replaced};
use crate::lsp::position::{Position, Range};
use crate::session::view::{Seen, View};
use crate::visible::is_unseen;

/// How many lines of a diff a hover shows.
const MAX_LINES: usize = 120;

/// Markdown for the hunks at a position, and the range that it is about.
pub(crate) fn at(view: &View, position: Position) -> Option<(String, Range)> {
    let shown = view.shown_at(position);
    let (_, span) = shown.first()?;
    let texts: Vec<String> = shown
        .iter()
        .map(|(seen, _)| describe(view, *seen))
        .collect();
    Some((texts.join("\n\n---\n\n"), view.range(span)))
}

fn describe(view: &View, seen: Seen<'_>) -> String {
    let mut text = fenced(&diff_lines(seen.old_text(), seen.new_text()));
    let agent = seen.part.agent.as_deref().unwrap_or("agent");
    let _ = write!(
        text,
        "\n\n**{}** · turn {} · {} · {}",
        plain(agent),
        seen.owner.turn_number,
        plain(&seen.owner.activity.tool_name),
        state_words(seen),
    );
    if let Some(title) = &seen.part.title {
        let _ = write!(text, "  \nSession: {}", plain(title));
    }
    for earlier in replaced(view, seen) {
        let _ = write!(
            text,
            "  \nReplaces turn {}: +{} -{}",
            earlier.owner.turn_number, earlier.hunk.added, earlier.hunk.removed,
        );
    }
    text
}

fn state_words(seen: Seen<'_>) -> String {
    let words = match seen.hunk.state {
        State::InPlace => "in place",
        State::Deleted => "deleted here",
        State::Edited => "edited since",
        State::Moved => return reason(seen).unwrap_or_default(),
        State::Replaced => "replaced",
        State::Reverted => "reverted",
        State::Ambiguous => "ambiguous",
        State::NotFound(_) => "not found",
    };
    words.to_owned()
}

/// The lines of a hunk as a diff has them: the old ones, then the new ones.
pub(crate) fn diff_lines(old: &str, new: &str) -> String {
    let mut lines = String::new();
    let all = old.lines().map(|line| ('-', line));
    let all = all.chain(new.lines().map(|line| ('+', line)));
    let total = old.lines().count() + new.lines().count();
    for (sign, line) in all.take(MAX_LINES) {
        lines.push(sign);
        lines.push_str(line);
        lines.push('\n');
    }
    if total > MAX_LINES {
        let _ = writeln!(lines, "  ... {} more lines", total - MAX_LINES);
    }
    lines
}

/// A fenced block that its content cannot end.
fn fenced(content: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for character in content.chars() {
        run = if character == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}diff\n{content}{fence}")
}

/// Text from an agent inside Markdown: one line, nothing in it means anything.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::new();
    for character in text.chars() {
        match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '!' | '&' => {
                plain.push('\\');
                plain.push(character);
            }
            character if is_unseen(character) => plain.push(' '),
            character => plain.push(character),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_cannot_end_its_fence() {
        assert_eq!(fenced("+a\n"), "```diff\n+a\n```");
        assert_eq!(fenced("+````\n"), "`````diff\n+````\n`````");
    }

    #[test]
    fn a_title_is_no_markdown() {
        assert_eq!(plain("a [b](c) `d`\n<e>"), "a \\[b\\](c) \\`d\\` \\<e\\>");
    }

    #[test]
    fn a_long_diff_is_cut() {
        let text = diff_lines(&"x\n".repeat(200), "y\n");
        assert_eq!(text.lines().count(), MAX_LINES + 1);
        assert!(text.ends_with("  ... 81 more lines\n"), "{text}");
    }
}
