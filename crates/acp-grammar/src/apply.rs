//! A parsed update applied to the text of a file: text and chunks in, text and ranges out.
//!
//! Nothing here opens a file. The new text is made by splicing: a byte that no chunk removes stays
//! as it is, also where a context line matched only loosely. Lines are compared without their
//! endings; a new line takes an ending that the file has; a byte order mark, a blank last line and
//! a missing final newline survive.
//!
//! Bound: linear in the file and the patch, but for a chunk whose every line is frequent in the
//! file. Its search may pass over the file once per [`Tier`]; it never costs the product of the
//! lines of the file and of the chunk.

mod edit;
mod error;
mod lines;
mod nearest;
mod seek;
#[cfg(test)]
mod tests;

pub use error::{ApplyError, ApplyErrorKind, Difference, Nearest};
pub use seek::Tier;

use crate::patch::{Chunk, Dialect};
use edit::{LineEdit, NewLineEnding, Placed, Script};
use lines::FileLines;
use seek::Index;

/// A range of lines, counted from 0, the end not included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineRange {
    /// The first line.
    pub start: usize,
    /// Behind the last line; equal to `start` for a place between two lines.
    pub end: usize,
}

/// Where one chunk was applied, its context lines included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AppliedHunk {
    /// The index of the chunk in the update.
    pub chunk: usize,
    /// Its lines in the old text.
    pub old: LineRange,
    /// Its lines in the new text.
    pub new: LineRange,
    /// How exactly the old lines matched; `None` for a chunk that only inserts.
    pub tier: Option<Tier>,
}

/// The result of applying all chunks of an update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The whole new text.
    pub new_text: String,
    /// One entry per chunk, in the order of the patch.
    pub hunks: Vec<AppliedHunk>,
}

/// Applies the chunks of an update to `text`, in order.
///
/// `dialect` decides where a chunk without old lines is inserted, and which line ending new lines
/// take in a file with mixed endings: OpenClaw inserts behind the chunk's context and follows the
/// neighbouring line, Codex inserts at the end of the file and takes the file's first ending.
/// [`Dialect::Clawx`] has no execution of its own and follows OpenClaw.
///
/// # Errors
///
/// The first chunk whose context or old lines are not in the file, with the nearest candidate.
pub fn apply(text: &str, chunks: &[Chunk<'_>], dialect: Dialect) -> Result<Applied, ApplyError> {
    let rules = Rules::of(dialect);
    let file = FileLines::split(text);
    let mut search = Search {
        index: Index::new(&file),
        file: &file,
        rules,
        cursor: 0,
    };
    let mut edits: Vec<LineEdit<'_>> = Vec::new();
    let mut places = Vec::with_capacity(chunks.len());
    for (number, chunk) in chunks.iter().enumerate() {
        let (script, place) = search
            .place(chunk)
            .map_err(|miss| search.explain(miss, number, chunk))?;
        script.push_edits(number, place.line, &mut edits);
        places.push(place);
    }
    // A stable sort: what is inserted at one place stays in the order of the chunks.
    edits.sort_by_key(|edit| edit.at);
    Ok(Applied {
        new_text: edit::splice(text, &file, &edits, rules.new_line_ending),
        hunks: edit::ranges(&places, &edits),
    })
}

/// Where the dialects of execution differ.
#[derive(Debug, Clone, Copy)]
struct Rules {
    /// A chunk without old lines goes behind its context, not to the end of the file.
    inserts_at_context: bool,
    /// The next chunk is searched from such an insertion on, not from the context.
    insertion_moves_cursor: bool,
    new_line_ending: NewLineEnding,
}

impl Rules {
    fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Clawx | Dialect::Openclaw => Self {
                inserts_at_context: true,
                insertion_moves_cursor: true,
                new_line_ending: NewLineEnding::OfNeighbour,
            },
            Dialect::Codex => Self {
                inserts_at_context: false,
                insertion_moves_cursor: false,
                new_line_ending: NewLineEnding::FirstOfFile,
            },
        }
    }
}

/// The search through one file, chunk after chunk.
struct Search<'f, 't> {
    file: &'f FileLines<'t>,
    index: Index<'f, 't>,
    rules: Rules,
    /// The line from which the next chunk is searched.
    cursor: usize,
}

/// What of a chunk was not found.
#[derive(Debug, Clone, Copy)]
enum Miss<'p> {
    Context(&'p str),
    Lines,
}

impl Search<'_, '_> {
    fn place<'p>(&mut self, chunk: &Chunk<'p>) -> Result<(Script<'p>, Placed), Miss<'p>> {
        // An empty context names no line.
        let context = chunk.context.filter(|context| !context.is_empty());
        if let Some(context) = context {
            let found = self.index.find(&[context], self.cursor);
            let (line, _) = found.ok_or(Miss::Context(context))?;
            self.cursor = line + 1;
        }
        let script = Script::of(chunk.lines);
        if script.old().is_empty() {
            let at_context =
                self.rules.inserts_at_context && context.is_some() && !chunk.end_of_file;
            let line = if at_context {
                self.cursor
            } else {
                self.file.insertion_at_end()
            };
            if self.rules.insertion_moves_cursor {
                self.cursor = line;
            }
            return Ok((script, Placed::insertion(line)));
        }
        let end_of_file = chunk.end_of_file;
        if let Some((line, tier)) = self.find(script.old(), end_of_file) {
            return Ok(self.matched(script, line, tier));
        }
        // A blank line behind the last change is often only space before the next section.
        let shorter = script.without_last_blank().ok_or(Miss::Lines)?;
        if shorter.old().is_empty() {
            // Nothing is left to be searched: what remains goes where the search stands.
            return Ok((shorter, Placed::insertion(self.cursor)));
        }
        let found = self.find(shorter.old(), end_of_file);
        let (line, tier) = found.ok_or(Miss::Lines)?;
        Ok(self.matched(shorter, line, tier))
    }

    /// With the End-of-File flag the last lines come first, then the search from the cursor.
    fn find(&mut self, old: &[&str], end_of_file: bool) -> Option<(usize, Tier)> {
        let last = self.file.len().checked_sub(old.len())?;
        let from = [last, self.cursor];
        let from = if end_of_file && last >= self.cursor {
            &from[..]
        } else {
            &from[1..]
        };
        from.iter().find_map(|from| self.index.find(old, *from))
    }

    fn matched<'p>(&mut self, script: Script<'p>, line: usize, tier: Tier) -> (Script<'p>, Placed) {
        let placed = Placed {
            line,
            len: script.old().len(),
            tier: Some(tier),
        };
        self.cursor = line + placed.len;
        (script, placed)
    }

    fn explain(&mut self, miss: Miss<'_>, number: usize, chunk: &Chunk<'_>) -> ApplyError {
        let (kind, nearest) = match miss {
            Miss::Context(context) => {
                let kind = ApplyErrorKind::ContextNotFound {
                    context: context.to_owned(),
                };
                let nearest = nearest::find(self.file, &mut self.index, &[context], self.cursor);
                (kind, nearest)
            }
            Miss::Lines => {
                let kind = ApplyErrorKind::LinesNotFound {
                    old_text: chunk.lines.old_text(),
                };
                let old: Vec<&str> = chunk.lines.old().collect();
                let nearest = nearest::find(self.file, &mut self.index, &old, self.cursor);
                (kind, nearest)
            }
        };
        ApplyError::new(kind, number, chunk.span, nearest)
    }
}

/// Applies a patch to a file, both from arbitrary bytes: the file, NUL, the body of an update.
///
/// # Panics
///
/// When a range lies outside the old or the new text.
#[cfg(any(test, fuzzing))]
pub fn fuzz_apply(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (file, body) = text.split_once('\0').unwrap_or((&text, ""));
    let payload = format!("*** Begin Patch\n*** Update File: f\n{body}\n*** End Patch");
    for dialect in Dialect::ALL {
        let Ok(patch) = crate::patch::parse(&payload, dialect) else {
            continue;
        };
        let chunks: Vec<Chunk<'_>> = patch.chunks().cloned().collect();
        match apply(file, &chunks, dialect) {
            Ok(applied) => {
                let old = FileLines::split(file).len();
                let new = FileLines::split(&applied.new_text).len();
                for hunk in &applied.hunks {
                    assert!(hunk.old.start <= hunk.old.end && hunk.old.end <= old);
                    assert!(hunk.new.start <= hunk.new.end);
                    // A blank last line can vanish into a missing final newline.
                    assert!(hunk.new.end <= new + 1);
                }
            }
            Err(error) => assert!(error.chunk() < chunks.len() && !error.help().is_empty()),
        }
    }
}
