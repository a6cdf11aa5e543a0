//! Lines of a text as LSP and the live documents see them: ended by LF, CRLF or a lone CR.

use memchr::memchr2_iter;

/// Where the lines of a text start. A text that ends with a line break has an empty last line.
#[derive(Debug, Clone)]
pub(crate) struct LineStarts {
    starts: Vec<usize>,
    len: usize,
}

impl LineStarts {
    pub(crate) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        // Most source lines are longer than this; one growth of the table is cheap anyway.
        let mut starts = Vec::with_capacity(bytes.len() / 32 + 1);
        starts.push(0);
        for at in memchr2_iter(b'\n', b'\r', bytes) {
            if bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n') {
                continue;
            }
            starts.push(at + 1);
        }
        Self {
            starts,
            len: bytes.len(),
        }
    }

    /// Number of lines, at least one: also the empty one after a final line break.
    pub(crate) fn count(&self) -> usize {
        self.starts.len()
    }

    /// Number of lines that have text or an ending.
    pub(crate) fn written(&self) -> usize {
        match self.starts.last() {
            Some(&last) if last < self.len => self.starts.len(),
            _ => self.starts.len() - 1,
        }
    }

    /// Start of a line in bytes; the length of the text for any line after the last one.
    pub(crate) fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.len)
    }

    /// The line that a byte offset lies on.
    pub(crate) fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start <= byte) - 1
    }
}

/// Number of line breaks in a text.
pub(crate) fn count_breaks(text: &str) -> usize {
    let bytes = text.as_bytes();
    memchr2_iter(b'\n', b'\r', bytes)
        .filter(|&at| bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n'))
        .count()
}

/// A line without its ending.
pub(crate) fn without_ending(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// A line without its ending and trailing blanks: what is compared.
pub(super) fn key(line: &str) -> &str {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let end = line
        .bytes()
        .rposition(|byte| !is_blank(&byte))
        .map_or(0, |last| last + 1);
    &line[..end]
}
