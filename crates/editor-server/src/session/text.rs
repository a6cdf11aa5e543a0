//! The text of a document: a rope measured in bytes, with the lines of LSP.

use std::borrow::Cow;
use std::ops::Range;

use activity_core::marks::LineText;
use ropey::Rope;

/// A text with the lines of LSP: ended by LF, CRLF or a lone CR, and by nothing else.
///
/// Cloning is cheap; a clone is a snapshot. All offsets are in bytes, all lines from 0. Offsets
/// beyond the end count as the end, offsets inside a character as its start.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text(Rope);

impl Text {
    pub(crate) fn new(text: &str) -> Self {
        Self(Rope::from_str(text))
    }

    /// Number of lines; a text that ends with a line break has an empty last line.
    pub(crate) fn line_count(&self) -> usize {
        self.0.len_lines()
    }

    /// Number of lines as a person counts them: what follows the last line break counts only when
    /// something stands there.
    pub(crate) fn written_lines(&self) -> usize {
        let lines = self.line_count();
        lines - usize::from(self.line_start(lines - 1) == self.len_bytes())
    }

    /// Byte range of a line without its line break; empty at the end for a line after the last one.
    pub(crate) fn line_content(&self, line: usize) -> Range<usize> {
        let start = self.line_start(line);
        let mut end = self.line_start(line + 1);
        if line + 1 < self.line_count() {
            let with_break = self.text(start..end);
            let content = with_break.strip_suffix('\n').unwrap_or(&with_break);
            end = start + content.strip_suffix('\r').unwrap_or(content).len();
        }
        start..end
    }

    /// Puts `inserted` in place of a byte range.
    pub(crate) fn replace(&mut self, bytes: Range<usize>, inserted: &str) {
        let start = self.char_at(bytes.start);
        let end = self.char_at(bytes.end).max(start);
        self.0.remove(start..end);
        self.0.insert(start, inserted);
    }

    /// Length of a byte range in UTF-16 code units.
    pub(crate) fn utf16_len(&self, bytes: Range<usize>) -> usize {
        let start = self.0.char_to_utf16_cu(self.char_at(bytes.start));
        let end = self.0.char_to_utf16_cu(self.char_at(bytes.end));
        end.saturating_sub(start)
    }

    /// The byte offset that lies `units` UTF-16 code units after another one.
    pub(crate) fn advance_utf16(&self, byte: usize, units: usize) -> usize {
        let from = self.0.char_to_utf16_cu(self.char_at(byte));
        let to = from.saturating_add(units).min(self.0.len_utf16_cu());
        self.0.char_to_byte(self.0.utf16_cu_to_char(to))
    }

    /// The start of the character that a byte offset lies in.
    pub(crate) fn floor(&self, byte: usize) -> usize {
        self.0.char_to_byte(self.char_at(byte))
    }

    fn char_at(&self, byte: usize) -> usize {
        self.0.byte_to_char(byte.min(self.0.len_bytes()))
    }
}

impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.chunks().try_for_each(|chunk| f.write_str(chunk))
    }
}

impl LineText for Text {
    fn len_bytes(&self) -> usize {
        self.0.len_bytes()
    }

    fn line_of(&self, byte: usize) -> usize {
        self.0.byte_to_line(byte.min(self.0.len_bytes()))
    }

    fn line_start(&self, line: usize) -> usize {
        if line >= self.line_count() {
            return self.0.len_bytes();
        }
        self.0.line_to_byte(line)
    }

    fn text(&self, bytes: Range<usize>) -> Cow<'_, str> {
        let start = self.char_at(bytes.start);
        let end = self.char_at(bytes.end).max(start);
        Cow::from(self.0.slice(start..end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_lf_crlf_and_cr_and_at_nothing_else() {
        let text = Text::new("a\u{2028}b\u{0B}c\u{85}d\re\r\nf\ng");
        assert_eq!(text.line_count(), 4);
        let contents: Vec<String> = (0..5)
            .map(|line| text.text(text.line_content(line)).into_owned())
            .collect();
        assert_eq!(contents, ["a\u{2028}b\u{0B}c\u{85}d", "e", "f", "g", ""]);
    }

    #[test]
    fn a_final_line_break_makes_an_empty_last_line() {
        let text = Text::new("a\n");
        assert_eq!(text.line_count(), 2);
        assert_eq!((text.line_start(1), text.line_start(9)), (2, 2));
        assert_eq!(text.line_content(1), 2..2);
    }

    #[test]
    fn a_person_does_not_count_the_empty_last_line() {
        let count = |text| Text::new(text).written_lines();
        assert_eq!(
            ["", "a", "a\n", "a\n\n", "a\nb"].map(count),
            [0, 1, 1, 2, 2]
        );
    }

    #[test]
    fn offsets_are_forgiving() {
        let mut text = Text::new("a\u{20AC}b");
        assert_eq!(text.floor(2), 1);
        assert_eq!(text.text(1..99), "\u{20AC}b");
        text.replace(2..99, "x");
        assert_eq!(text.to_string(), "ax");
    }
}
