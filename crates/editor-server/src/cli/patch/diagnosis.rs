//! A rejected payload, shown to a person: the place, the line and a caret.

use std::fmt::Write as _;

use acp_grammar::error::ParseError;
use acp_grammar::span::Span;

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
    // `visible` gives one column for each character.
    let caret = " ".repeat(place.column - 1);
    let expected = error.expected().join("\n         or  ");
    let mut text = String::new();
    let _ = write!(
        text,
        "{name}:{}:{}: {}\n{gutter} |\n{number} | {}\n{gutter} | {caret}^\n  expected  {expected}\n",
        place.line,
        place.column,
        visible(&error.to_string()),
        visible(&line),
    );
    text
}

/// Text as one line that is safe on a terminal: each control character becomes one sign.
pub(super) fn visible(text: &str) -> String {
    text.chars()
        .map(|char| match char {
            '\t' => '→',
            // The Unicode block of pictures for control characters follows their order.
            '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(char)).unwrap_or('�'),
            '\u{7f}' => '␡',
            // Line separators and signs that turn the direction of text.
            '\u{80}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => '�',
            other => other,
        })
        .collect()
}
