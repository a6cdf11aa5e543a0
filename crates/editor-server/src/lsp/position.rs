//! Positions in the encoding that was negotiated, and byte offsets.

use std::ops;

use activity_core::marks::LineText as _;
use activity_core::placing::Span;
use tower_lsp::lsp_types::PositionEncodingKind;
pub(crate) use tower_lsp::lsp_types::{Position, Range};

use crate::session::text::Text;

/// How the characters of a position are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Encoding {
    /// In bytes.
    Utf8,
    /// In UTF-16 code units, the default of LSP.
    #[default]
    Utf16,
}

impl Encoding {
    /// UTF-8 when the client offers it: then nothing has to be counted.
    pub(crate) fn negotiate(offered: Option<&[PositionEncodingKind]>) -> Self {
        match offered {
            Some(kinds) if kinds.contains(&PositionEncodingKind::UTF8) => Self::Utf8,
            _ => Self::Utf16,
        }
    }

    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
        }
    }
}

/// The byte offset of a position. As LSP has it, a character beyond the line's end is the line's
/// end; a line beyond the text is the end of the text; the middle of a character is its start.
pub(crate) fn to_byte(text: &Text, position: Position, encoding: Encoding) -> usize {
    let line = usize::try_from(position.line).unwrap_or(usize::MAX);
    let character = usize::try_from(position.character).unwrap_or(usize::MAX);
    if line >= text.line_count() {
        return text.len_bytes();
    }
    let content = text.line_content(line);
    let byte = match encoding {
        Encoding::Utf8 => text.floor(content.start.saturating_add(character).min(content.end)),
        Encoding::Utf16 => text.advance_utf16(content.start, character),
    };
    byte.min(content.end)
}

/// The position of a byte offset.
pub(crate) fn from_byte(text: &Text, byte: usize, encoding: Encoding) -> Position {
    let byte = text.floor(byte);
    let line = text.line_of(byte);
    let start = text.line_start(line);
    let character = match encoding {
        Encoding::Utf8 => byte - start,
        Encoding::Utf16 => text.utf16_len(start..byte),
    };
    Position::new(number(line), number(character))
}

/// The byte range of a range; the end is never before the start.
pub(crate) fn to_bytes(text: &Text, range: Range, encoding: Encoding) -> ops::Range<usize> {
    let start = to_byte(text, range.start, encoding);
    start..to_byte(text, range.end, encoding).max(start)
}

/// The range of whole lines that a span covers: it ends at the start of the line below, or, at the
/// end of a text without a final line break, at the end of its last line.
pub(crate) fn of_span(text: &Text, span: &Span, encoding: Encoding) -> Range {
    let at = |line: u32| {
        let index = usize::try_from(line).unwrap_or(usize::MAX);
        if index < text.line_count() {
            Position::new(line, 0)
        } else {
            from_byte(text, text.len_bytes(), encoding)
        }
    };
    Range::new(at(span.lines.start), at(span.lines.end))
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Line and character.
    type At = (u32, u32);

    /// Each position in UTF-8 and in UTF-16 against the byte offset that it names.
    fn check(text: &str, cases: &[(At, At, usize)]) {
        let text = Text::new(text);
        for &(utf8, utf16, byte) in cases {
            for ((line, character), encoding) in [(utf8, Encoding::Utf8), (utf16, Encoding::Utf16)]
            {
                let position = Position::new(line, character);
                assert_eq!(to_byte(&text, position, encoding), byte, "{encoding:?}");
                assert_eq!(from_byte(&text, byte, encoding), position, "{encoding:?}");
            }
        }
    }

    #[test]
    fn characters_are_counted_in_the_encoding() {
        // One, two, three and four bytes; the last one has two UTF-16 units.
        check(
            "a\u{E9}\u{20AC}\u{1F600}b\nx",
            &[
                ((0, 0), (0, 0), 0),
                ((0, 1), (0, 1), 1),
                ((0, 3), (0, 2), 3),
                ((0, 6), (0, 3), 6),
                ((0, 10), (0, 5), 10),
                ((0, 11), (0, 6), 11),
                ((1, 0), (1, 0), 12),
                ((1, 1), (1, 1), 13),
            ],
        );
    }

    #[test]
    fn each_kind_of_line_break_ends_a_line() {
        check(
            "a\rb\r\nc\nd",
            &[
                ((1, 0), (1, 0), 2),
                ((1, 1), (1, 1), 3),
                ((2, 0), (2, 0), 5),
                ((3, 1), (3, 1), 8),
            ],
        );
    }

    #[test]
    fn what_lies_beyond_is_the_end() {
        let text = Text::new("ab\r\n\u{1F600}c");
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            let byte = |line, character| to_byte(&text, Position::new(line, character), encoding);
            assert_eq!(byte(0, 99), 2);
            assert_eq!(byte(0, u32::MAX), 2);
            assert_eq!(byte(9, 0), 9);
            assert_eq!(byte(1, 1), 4, "the middle of a character is its start");
        }
    }

    proptest! {
        #[test]
        fn bytes_and_positions_are_inverse(
            text in "[a\u{E9}\u{20AC}\u{1F600}\r\n]{0,40}",
            at in 0_usize..120,
        ) {
            let rope = Text::new(&text);
            let byte = rope.floor(at);
            for encoding in [Encoding::Utf8, Encoding::Utf16] {
                let back = to_byte(&rope, from_byte(&rope, byte, encoding), encoding);
                // Between CR and LF there is no position of its own.
                let between = text.as_bytes().get(byte) == Some(&b'\n')
                    && byte > 0
                    && text.as_bytes()[byte - 1] == b'\r';
                prop_assert_eq!(back, if between { byte - 1 } else { byte });
            }
        }

        #[test]
        fn any_position_is_inside(
            text in "[a\u{1F600}\r\n]{0,20}",
            line in 0_u32..30,
            character in 0_u32..30,
        ) {
            let rope = Text::new(&text);
            for encoding in [Encoding::Utf8, Encoding::Utf16] {
                let byte = to_byte(&rope, Position::new(line, character), encoding);
                prop_assert!(text.is_char_boundary(byte));
            }
        }
    }
}
