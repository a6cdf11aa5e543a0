//! Places in a text: byte spans, and the line and column that a person reads.

use memchr::{memchr, memchr_iter, memrchr};

/// A half-open range of bytes of the text that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset behind the last byte; never less than `start`.
    pub end: usize,
}

impl Span {
    /// The span from `start` to `end`; an `end` before `start` gives an empty span at `start`.
    pub fn new(start: usize, end: usize) -> Self {
        Self {
            start,
            end: end.max(start),
        }
    }

    /// The span of the line of `text` that begins at `start`, without its line ending.
    ///
    /// A line ends at LF with an optional CR before it. Behind the end of the text the span is
    /// empty.
    pub(crate) fn of_line(text: &str, start: usize) -> Self {
        let rest = text.as_bytes().get(start..).unwrap_or_default();
        let line = match memchr(b'\n', rest) {
            Some(end) => rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]),
            None => rest,
        };
        Self::new(start, start + line.len())
    }

    /// The text of this span, or an empty string where `text` has no such span.
    pub fn slice(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// A line and a column, both from 1. The column counts characters (Unicode scalar values).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineColumn {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
}

impl LineColumn {
    /// Where the byte `offset` of `text` stands. An offset behind the end counts as the end, one
    /// inside a character as that character.
    pub fn of(text: &str, offset: usize) -> Self {
        let bytes = text.as_bytes();
        let offset = offset.min(bytes.len());
        let before = &bytes[..offset];
        let line_start = memrchr(b'\n', before).map_or(0, |lf| lf + 1);
        let column = text
            .get(line_start..)
            .into_iter()
            .flat_map(str::char_indices)
            .take_while(|(at, char)| line_start + at + char.len_utf8() <= offset)
            .count();
        Self {
            line: memchr_iter(b'\n', before).count() + 1,
            column: column + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_in_characters() {
        let text = "ab\né€x\r\n";
        let at = |offset| {
            let LineColumn { line, column } = LineColumn::of(text, offset);
            (line, column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(2), (1, 3));
        assert_eq!(at(3), (2, 1));
        assert_eq!(at(4), (2, 1), "inside a character counts as that character");
        assert_eq!(at(5), (2, 2));
        assert_eq!(at(8), (2, 3));
        assert_eq!(at(99), (3, 1));
    }

    #[test]
    fn the_span_of_a_line_leaves_its_ending_out() {
        let text = "a\r\nbc\n\rd";
        assert_eq!(Span::of_line(text, 0).slice(text), "a");
        assert_eq!(Span::of_line(text, 3).slice(text), "bc");
        assert_eq!(Span::of_line(text, 6).slice(text), "\rd");
        assert_eq!(Span::of_line(text, 40), Span::new(40, 40));
    }
}
