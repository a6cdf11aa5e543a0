//! The lines of a file, each with its own ending.

use memchr::memchr;

/// The byte order mark, which belongs to the file and not to its first line.
pub(super) const BOM: char = '\u{FEFF}';

/// A line of the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'t> {
    /// Without ending, the first one also without byte order mark.
    pub(super) text: &'t str,
    /// `"\n"`, `"\r\n"`, or empty for a last line without one.
    pub(super) ending: &'t str,
    /// Offset of the text.
    pub(super) start: usize,
}

/// A file as lines. A final line ending begins no further line; a lone CR ends none.
#[derive(Debug)]
pub(super) struct FileLines<'t> {
    lines: Vec<Line<'t>>,
    /// Length of the file in bytes.
    bytes: usize,
}

impl<'t> FileLines<'t> {
    pub(super) fn split(text: &'t str) -> Self {
        let mut lines = Vec::new();
        let mut start = if text.starts_with(BOM) {
            BOM.len_utf8()
        } else {
            0
        };
        while start < text.len() {
            let rest = &text[start..];
            let (line, ending) = match memchr(b'\n', rest.as_bytes()) {
                Some(lf) if rest[..lf].ends_with('\r') => (&rest[..lf - 1], &rest[lf - 1..=lf]),
                Some(lf) => (&rest[..lf], &rest[lf..=lf]),
                None => (rest, ""),
            };
            lines.push(Line {
                text: line,
                ending,
                start,
            });
            start += line.len() + ending.len();
        }
        Self {
            lines,
            bytes: text.len(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn get(&self, line: usize) -> Option<&Line<'t>> {
        self.lines.get(line)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Line<'t>> {
        self.lines.iter()
    }

    /// Offset of the start of a line, or the length of the file behind the last one.
    pub(super) fn offset(&self, line: usize) -> usize {
        self.get(line).map_or(self.bytes, |line| line.start)
    }

    /// Where lines go that belong to the end of the file: before a blank last line.
    pub(super) fn insertion_at_end(&self) -> usize {
        match self.lines.last() {
            Some(last) if last.text.is_empty() => self.len() - 1,
            _ => self.len(),
        }
    }

    /// True for a file that has lines, the last one without ending.
    pub(super) fn lacks_final_newline(&self) -> bool {
        self.lines.last().is_some_and(|last| last.ending.is_empty())
    }

    /// The ending of a line, if there is such a line and it has one.
    pub(super) fn ending(&self, line: usize) -> Option<&'t str> {
        self.get(line)
            .map(|line| line.ending)
            .filter(|ending| !ending.is_empty())
    }
}
