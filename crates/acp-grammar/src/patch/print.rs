//! A patch as text. What is printed parses to the same patch, in the dialect it came from.

use std::fmt;

use super::ast::{AddedLines, Chunk, ChunkLine, Operation, Patch, Section};
use super::envelope::{BEGIN, END};

impl fmt::Display for Patch<'_> {
    /// The whole payload, lines ended by LF.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{BEGIN}")?;
        if let Some(id) = self.environment_id {
            writeln!(f, "*** Environment ID: {id}")?;
        }
        for section in &self.sections {
            section.fmt(f)?;
        }
        writeln!(f, "{END}")
    }
}

impl fmt::Display for Section<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path;
        match &self.operation {
            Operation::Add(lines) => {
                writeln!(f, "*** Add File: {path}")?;
                lines.fmt(f)
            }
            Operation::Delete => writeln!(f, "*** Delete File: {path}"),
            Operation::Update { move_to, chunks } => {
                writeln!(f, "*** Update File: {path}")?;
                if let Some(target) = move_to {
                    writeln!(f, "*** Move to: {target}")?;
                }
                chunks.iter().try_for_each(|chunk| chunk.fmt(f))
            }
        }
    }
}

impl fmt::Display for AddedLines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|line| write_line(f, '+', line))
    }
}

impl fmt::Display for Chunk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.context {
            Some(context) => write_ended(f, format_args!("@@ {context}"), context)?,
            None => writeln!(f, "@@")?,
        }
        for line in self.lines.iter() {
            match line {
                ChunkLine::Context(text) => write_line(f, ' ', text)?,
                ChunkLine::Added(text) => write_line(f, '+', text)?,
                ChunkLine::Removed(text) => write_line(f, '-', text)?,
            }
        }
        if self.end_of_file {
            writeln!(f, "*** End of File")?;
        }
        Ok(())
    }
}

fn write_line(f: &mut fmt::Formatter<'_>, marker: char, text: &str) -> fmt::Result {
    write_ended(f, format_args!("{marker}{text}"), text)
}

/// Writes a line and its ending. A text that itself ends with CR gets CRLF, because a parser
/// takes one CR before the LF for a part of the ending.
fn write_ended(f: &mut fmt::Formatter<'_>, line: fmt::Arguments<'_>, text: &str) -> fmt::Result {
    let ending = if text.ends_with('\r') { "\r\n" } else { "\n" };
    write!(f, "{line}{ending}")
}
