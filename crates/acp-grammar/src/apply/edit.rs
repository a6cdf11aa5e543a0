//! Placed chunks as edits of lines, and the edits spliced into the text.

use super::lines::{BOM, FileLines};
use super::{AppliedHunk, LineRange, Tier};
use crate::patch::{ChunkLine, ChunkLines};

/// The body of a chunk, ready to be searched and applied.
#[derive(Debug)]
pub(super) struct Script<'p> {
    lines: Vec<ChunkLine<'p>>,
    old: Vec<&'p str>,
}

/// Where a chunk stands in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    /// The first of its old lines, or the line before which it inserts.
    pub(super) line: usize,
    /// The number of its old lines.
    pub(super) len: usize,
    pub(super) tier: Option<Tier>,
}

/// Lines of the file replaced by new ones. Neighbouring changes of a chunk are one edit; its
/// context lines are in none.
#[derive(Debug)]
pub(super) struct LineEdit<'p> {
    chunk: usize,
    /// The first removed line, or the line before which the new ones go.
    pub(super) at: usize,
    removed: usize,
    added: Vec<&'p str>,
}

/// Which ending a new line takes.
#[derive(Debug, Clone, Copy)]
pub(super) enum NewLineEnding {
    /// The first one of the file.
    FirstOfFile,
    /// That of the line it replaces, else of the line before it, else of the line behind it.
    OfNeighbour,
}

impl Placed {
    pub(super) fn insertion(line: usize) -> Self {
        Self {
            line,
            len: 0,
            tier: None,
        }
    }
}

impl<'p> Script<'p> {
    pub(super) fn of(lines: ChunkLines<'p>) -> Self {
        Self::new(lines.iter().collect())
    }

    fn new(lines: Vec<ChunkLine<'p>>) -> Self {
        let old = lines.iter().filter_map(|line| line.old()).collect();
        Self { lines, old }
    }

    /// The lines that must stand in the file.
    pub(super) fn old(&self) -> &[&'p str] {
        &self.old
    }

    /// The same chunk without an empty last line of its old side, and then also without an empty
    /// last line of its new side. `None` if the old side does not end with an empty line.
    pub(super) fn without_last_blank(&self) -> Option<Self> {
        if self.old.last() != Some(&"") {
            return None;
        }
        let mut lines = self.lines.clone();
        let last_old = lines.iter().rposition(|line| line.old().is_some())?;
        match lines[last_old] {
            ChunkLine::Context(text) => lines[last_old] = ChunkLine::Added(text),
            ChunkLine::Removed(_) | ChunkLine::Added(_) => drop(lines.remove(last_old)),
        }
        let last_new = lines.iter().rposition(|line| line.new_side().is_some());
        if let Some(last_new) = last_new
            && lines[last_new].new_side() == Some("")
        {
            match lines[last_new] {
                ChunkLine::Context(text) => lines[last_new] = ChunkLine::Removed(text),
                ChunkLine::Removed(_) | ChunkLine::Added(_) => drop(lines.remove(last_new)),
            }
        }
        Some(Self::new(lines))
    }

    /// Adds the edits of this chunk, whose old lines begin at `line`.
    pub(super) fn push_edits(self, chunk: usize, line: usize, edits: &mut Vec<LineEdit<'p>>) {
        let mut open: Option<LineEdit<'p>> = None;
        let mut at = line;
        for line in self.lines {
            if let ChunkLine::Context(_) = line {
                edits.extend(open.take());
                at += 1;
                continue;
            }
            let edit = open.get_or_insert_with(|| LineEdit {
                chunk,
                at,
                removed: 0,
                added: Vec::new(),
            });
            match line {
                ChunkLine::Added(text) => edit.added.push(text),
                ChunkLine::Removed(_) | ChunkLine::Context(_) => {
                    edit.removed += 1;
                    at += 1;
                }
            }
        }
        edits.extend(open);
    }
}

/// The new text. `edits` are sorted by line.
pub(super) fn splice(
    text: &str,
    file: &FileLines<'_>,
    edits: &[LineEdit<'_>],
    new_line_ending: NewLineEnding,
) -> String {
    let added: usize = edits
        .iter()
        .flat_map(|edit| &edit.added)
        .map(|line| line.len() + "\r\n".len())
        .sum();
    let mut new_text = String::with_capacity(text.len() + added);
    let mut copied = 0;
    let mut last_ending = None;
    for edit in edits {
        let start = file.offset(edit.at);
        if start > copied {
            new_text.push_str(&text[copied..start]);
            copied = start;
        }
        for (n, line) in edit.added.iter().enumerate() {
            let ending = edit.ending(n, file, new_line_ending);
            if has_open_line(&new_text) {
                new_text.push_str(ending);
            }
            // A patch may quote the mark with the first line; the file keeps its own.
            let first = new_text.chars().eq([BOM]);
            new_text.push_str(line.strip_prefix(BOM).filter(|_| first).unwrap_or(line));
            new_text.push_str(ending);
            last_ending = Some(ending);
        }
        copied = copied.max(file.offset(edit.at + edit.removed));
    }
    if copied < text.len() {
        new_text.push_str(&text[copied..]);
    } else if file.lacks_final_newline()
        && let Some(ending) = last_ending
        && edits.last().is_some_and(|edit| !edit.added.is_empty())
    {
        new_text.truncate(new_text.len() - ending.len());
    }
    new_text
}

/// True when the text ends inside a line.
fn has_open_line(text: &str) -> bool {
    !(text.is_empty() || text.ends_with('\n') || text.chars().eq([BOM]))
}

impl LineEdit<'_> {
    fn ending<'t>(&self, n: usize, file: &FileLines<'t>, rule: NewLineEnding) -> &'t str {
        let neighbour = match rule {
            NewLineEnding::FirstOfFile => None,
            NewLineEnding::OfNeighbour => {
                let replaced = self
                    .removed
                    .checked_sub(1)
                    .map(|last| self.at + n.min(last));
                replaced
                    .and_then(|line| file.ending(line))
                    .or_else(|| file.ending(self.at.checked_sub(1)?))
                    .or_else(|| file.ending(self.at + self.removed))
            }
        };
        neighbour.or_else(|| file.ending(0)).unwrap_or("\n")
    }
}

/// The ranges of the placed chunks in the old and the new text. `edits` are sorted by line, edits
/// of one line by chunk.
pub(super) fn ranges(places: &[Placed], edits: &[LineEdit<'_>]) -> Vec<AppliedHunk> {
    // What the first n edits add and remove, and the line behind the last one they remove.
    let mut sums = vec![(0, 0, 0)];
    for (n, edit) in edits.iter().enumerate() {
        let (added, removed, behind) = sums[n];
        let end = edit.at + edit.removed;
        sums.push((
            added + edit.added.len(),
            removed + edit.removed,
            end.max(behind),
        ));
    }
    let new_line = |line: usize, n_edits: usize| {
        let (added, removed, behind) = sums[n_edits];
        // An insertion can fall among lines that another chunk removes; only those before it
        // count. Removed lines never overlap, so at most one edit reaches past `line`.
        let removed_before = removed - behind.saturating_sub(line).min(removed);
        line + added - removed_before
    };
    places
        .iter()
        .enumerate()
        .map(|(chunk, placed)| {
            let old = LineRange {
                start: placed.line,
                end: placed.line + placed.len,
            };
            let before = edits.partition_point(|edit| (edit.at, edit.chunk) < (old.start, chunk));
            let through = edits.partition_point(|edit| (edit.at, edit.chunk) <= (old.end, chunk));
            AppliedHunk {
                chunk,
                old,
                new: LineRange {
                    start: new_line(old.start, before),
                    end: new_line(old.end, through),
                },
                tier: placed.tier,
            }
        })
        .collect()
}
