//! A parsed patch. Everything borrows from the payload: a section costs no copy of its lines.

use memchr::memchr;

use crate::span::Span;
use crate::work;

/// A whole patch.
#[derive(Debug, Clone)]
pub struct Patch<'a> {
    /// The `*** Environment ID:` of dialect `codex`, trimmed.
    pub environment_id: Option<&'a str>,
    /// The sections, in order. One path can have several.
    pub sections: Vec<Section<'a>>,
}

/// What a patch does to one file.
#[derive(Debug, Clone)]
pub struct Section<'a> {
    /// The path as written after the header's marker. The end is trimmed, blanks before it are
    /// not.
    pub path: &'a str,
    /// What happens to the file.
    pub operation: Operation<'a>,
    /// The bytes of the section in the payload, header included.
    pub span: Span,
}

/// The operation of a section.
#[derive(Debug, Clone)]
pub enum Operation<'a> {
    /// `*** Add File:`, with the lines of the new file.
    Add(AddedLines<'a>),
    /// `*** Delete File:`.
    Delete,
    /// `*** Update File:`.
    Update {
        /// The path of `*** Move to:`, if there is one.
        move_to: Option<&'a str>,
        /// The chunks, in order. Empty only for a pure move, which the strict dialects refuse.
        chunks: Vec<Chunk<'a>>,
    },
}

/// One chunk of an update.
#[derive(Debug, Clone)]
pub struct Chunk<'a> {
    /// The text behind `@@ `; `None` for a bare `@@` or a chunk without a head.
    pub context: Option<&'a str>,
    /// The body.
    pub lines: ChunkLines<'a>,
    /// True when `*** End of File` follows the body.
    pub end_of_file: bool,
    /// The bytes of the chunk in the payload, head and End-of-File marker included.
    pub span: Span,
}

/// One line of a chunk's body, without its marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkLine<'a> {
    /// Stands in the old and in the new text.
    Context(&'a str),
    /// Stands in the old text only.
    Removed(&'a str),
    /// Stands in the new text only.
    Added(&'a str),
}

/// The body of a chunk, as the bytes of the payload.
#[derive(Debug, Clone, Copy)]
pub struct ChunkLines<'a>(&'a str);

/// The lines of a new file, as the bytes of the payload.
#[derive(Debug, Clone, Copy)]
pub struct AddedLines<'a>(&'a str);

impl<'a> Patch<'a> {
    /// The chunks of all updates, in order.
    pub fn chunks(&self) -> impl Iterator<Item = &Chunk<'a>> {
        self.sections
            .iter()
            .flat_map(|section| match &section.operation {
                Operation::Update { chunks, .. } => chunks.as_slice(),
                Operation::Add(_) | Operation::Delete => &[],
            })
    }
}

impl<'a> AddedLines<'a> {
    /// Wraps raw lines, each of which begins with `+`.
    pub(super) fn new(raw: &'a str) -> Self {
        Self(raw)
    }

    /// The lines, without `+` and without line ending.
    pub fn iter(self) -> impl Iterator<Item = &'a str> {
        raw_lines(self.0).map(|line| line.get(1..).unwrap_or_default())
    }

    /// The contents of the new file: each line with one LF.
    pub fn contents(self) -> String {
        let mut contents = String::with_capacity(self.0.len());
        for line in self.iter() {
            contents.push_str(line);
            contents.push('\n');
        }
        contents
    }
}

impl<'a> ChunkLines<'a> {
    /// Wraps raw lines, each of which is empty or begins with a blank, `+` or `-`.
    pub(super) fn new(raw: &'a str) -> Self {
        Self(raw)
    }

    /// The lines in order.
    pub fn iter(self) -> impl Iterator<Item = ChunkLine<'a>> {
        raw_lines(self.0).map(|line| match line.split_at_checked(1) {
            Some(("+", text)) => ChunkLine::Added(text),
            Some(("-", text)) => ChunkLine::Removed(text),
            Some((_, text)) => ChunkLine::Context(text),
            None => ChunkLine::Context(""),
        })
    }

    /// The lines of the old side.
    pub fn old(self) -> impl Iterator<Item = &'a str> {
        self.iter().filter_map(ChunkLine::old)
    }

    /// The lines of the new side.
    pub fn new_side(self) -> impl Iterator<Item = &'a str> {
        self.iter().filter_map(ChunkLine::new_side)
    }

    /// The old side joined with LF, without a final one.
    pub fn old_text(self) -> String {
        join(self.old(), self.0.len())
    }

    /// The new side joined with LF, without a final one.
    pub fn new_text(self) -> String {
        join(self.new_side(), self.0.len())
    }
}

impl<'a> ChunkLine<'a> {
    /// The text, if the line stands in the old text.
    pub fn old(self) -> Option<&'a str> {
        match self {
            Self::Context(text) | Self::Removed(text) => Some(text),
            Self::Added(_) => None,
        }
    }

    /// The text, if the line stands in the new text.
    pub fn new_side(self) -> Option<&'a str> {
        match self {
            Self::Context(text) | Self::Added(text) => Some(text),
            Self::Removed(_) => None,
        }
    }
}

fn join<'a>(lines: impl Iterator<Item = &'a str>, capacity: usize) -> String {
    let mut text = String::with_capacity(capacity);
    for (n, line) in lines.enumerate() {
        if n > 0 {
            text.push('\n');
        }
        text.push_str(line);
    }
    text
}

/// Splits at LF with an optional CR before it. A final line ending begins no further line.
fn raw_lines(raw: &str) -> impl Iterator<Item = &str> {
    let mut rest = raw;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (line, after) = split_line(rest);
        rest = after;
        Some(line)
    })
}

/// The first line of `text` without its ending, and what follows it.
pub(crate) fn split_line(text: &str) -> (&str, &str) {
    let (line, rest) = match memchr(b'\n', text.as_bytes()) {
        Some(lf) => (&text[..lf], &text[lf + 1..]),
        // The empty rest lies in `text` too: places are measured by it.
        None => text.split_at(text.len()),
    };
    work::note(line.len() + 1);
    match line.strip_suffix('\r') {
        // Without LF a CR at the end belongs to the line.
        Some(shorter) if line.len() < text.len() => (shorter, rest),
        _ => (line, rest),
    }
}
