//! A rejected payload, shown to a person: the place, the line and a caret.

use std::fmt::Write as _;

use acp_grammar::error::ParseError;
use acp_grammar::span::Span;

use crate::visible::visible_in_columns;

/// The most characters of the offending line that are shown.
const SHOWN_CHARS: usize = 160;

/// The diagnosis as text, each line ended.
pub(super) fn render(error: &ParseError, source: &str, name: &str) -> String {
    let place = error.position(source);
    let number = place.line.to_string();
    let gutter = " ".repeat(number.len());
    // The whole line, also what stands before the column.
    let Span { start, end } = error.span();
    let line_start = source[..start].rfind('\n').map_or(0, |lf| lf + 1);
    let (before, rest) = (&source[line_start..start], &source[start..end]);
    let line: String = before
        .chars()
        .chain(rest.chars())
        .take(SHOWN_CHARS)
        .collect();
    // `visible_in_columns` gives one column for each character.
    let caret = " ".repeat(place.column - 1);
    let expected = error.expected().join("\n         or  ");
    let mut text = String::new();
    let _ = write!(
        text,
        "{name}:{}:{}: {}\n{gutter} |\n{number} | {}\n{gutter} | {caret}^\n  expected  {expected}\n",
        place.line,
        place.column,
        visible_in_columns(&error.to_string()),
        visible_in_columns(&line),
    );
    text
}
