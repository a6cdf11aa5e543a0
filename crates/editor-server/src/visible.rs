//! Text of an agent, or of a file, as a person may see it: nothing in it steers a terminal, ends a
//! line or turns the direction of writing.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text with escapes for what is not to be seen: `\u{1b}` for the escape character.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unseen) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        if is_unseen(char) {
            // Writing to a string cannot fail.
            let _ = write!(shown, "{}", char.escape_default());
        } else {
            shown.push(char);
        }
    }
    Cow::Owned(shown)
}

/// The text with one sign for each character, so that columns stay what they are.
pub(crate) fn visible_in_columns(text: &str) -> String {
    text.chars()
        .map(|char| match char {
            '\t' => '→',
            // The Unicode block of pictures for control characters follows their order.
            '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(char)).unwrap_or('�'),
            '\u{7f}' => '␡',
            char if is_unseen(char) => '�',
            char => char,
        })
        .collect()
}

/// True for control characters, line separators, and signs that turn the direction of writing.
pub(crate) fn is_unseen(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            '\u{61c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'
                | '\u{2029}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_shown_as_an_escape() {
        assert_eq!(visible("plain é"), "plain é");
        let hostile = "a\u{1b}[2J\nb\u{202e}\u{2028}";
        assert_eq!(visible(hostile), "a\\u{1b}[2J\\nb\\u{202e}\\u{2028}");
    }

    #[test]
    fn columns_stay_what_they_are() {
        let hostile = "é\t\0\u{1b}\u{7f}\u{85}\u{200f}\u{2029}b";
        assert_eq!(visible_in_columns(hostile), "é→␀␛␡���b");
    }
}
