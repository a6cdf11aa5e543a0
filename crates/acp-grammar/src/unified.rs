//! Unified diffs, as `diff -u`, git and the usual libraries write them.
//!
//! [`read`] is strict: the numbers of each hunk header must agree with its lines, so that the
//! positions can be trusted. [`read_leniently`] is for diffs that a model wrote: it keeps the texts
//! and drops the positions. Neither fails on what stands around a diff (`Index:`, `diff --git`,
//! mode lines, prose before the first header).

use memchr::memchr;

/// The changes of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileDiff<'a> {
    /// The path before; `None` when the diff has no header or names `/dev/null`.
    pub old_path: Option<&'a str>,
    /// The path after; `None` when the diff has no header or names `/dev/null`.
    pub new_path: Option<&'a str>,
    /// The diff says that the file is new (`new file mode`, or `--- /dev/null`).
    pub created: bool,
    /// The diff says that the file is gone (`deleted file mode`, or `+++ /dev/null`).
    pub deleted: bool,
    /// The diff says that the file has another path (`rename from` and `rename to`).
    pub renamed: bool,
    /// The hunks, in order. Empty for a pure rename, a mode change or a binary file.
    pub hunks: Vec<Hunk<'a>>,
}

/// One changed region with the context lines around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk<'a> {
    /// Where the region stands; `None` when the header has no trustworthy numbers.
    pub position: Option<Position>,
    /// The text behind the second `@@` of the header, without the blanks around it.
    pub section: &'a str,
    /// The lines, in order.
    pub lines: Vec<Line<'a>>,
}

/// Where a hunk stands in the two files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// First line of the region in the old file, from 0.
    pub old_line: u32,
    /// First line of the region in the new file, from 0.
    pub new_line: u32,
}

/// One line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// On which side the line stands.
    pub side: Side,
    /// The line without its mark and without its line feed; a carriage return stays.
    pub text: &'a str,
    /// The line ends with a line feed; false before `\ No newline at end of file`.
    pub ended: bool,
}

/// On which side of a diff a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// In both files.
    Both,
    /// In the old file only.
    Old,
    /// In the new file only.
    New,
}

/// Why a text is no unified diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnifiedError {
    /// There is no hunk and no git header anywhere.
    #[error("no hunk header `@@ -a,b +c,d @@` found")]
    NoHunk,
    /// A line that starts with `@@` is no hunk header.
    #[error("line {line}: expected `@@ -a,b +c,d @@`")]
    BadHeader {
        /// The line, from 1.
        line: u32,
    },
    /// The hunk has fewer lines than its header says, or a line without a mark.
    #[error("line {line}: expected a line that starts with a blank, `+` or `-`")]
    BadLine {
        /// The line, from 1.
        line: u32,
    },
}

impl Hunk<'_> {
    /// The region in the old file.
    pub fn old_text(&self) -> String {
        side_text(&self.lines, Side::New)
    }

    /// The region in the new file.
    pub fn new_text(&self) -> String {
        side_text(&self.lines, Side::Old)
    }
}

fn side_text(lines: &[Line<'_>], left_out: Side) -> String {
    let kept = || lines.iter().filter(|line| line.side != left_out);
    let mut text = String::with_capacity(kept().map(|line| line.text.len() + 1).sum());
    for line in kept() {
        text.push_str(line.text);
        if line.ended {
            text.push('\n');
        }
    }
    text
}

/// Reads a unified diff of one or several files, or bare hunks without a file header.
pub fn read(text: &str) -> Result<Vec<FileDiff<'_>>, UnifiedError> {
    Reader::new(text).read(Counts::Trusted)
}

/// Reads what looks like a unified diff, whatever the numbers of its hunk headers say. The hunks
/// have no positions. `None` when there is no hunk at all.
pub fn read_leniently(text: &str) -> Option<Vec<FileDiff<'_>>> {
    Reader::new(text).read(Counts::Ignored).ok()
}

/// Reads the lines of one hunk, each with its mark and without a line feed, as libraries give them
/// (`structuredPatch`). `None` when a line has no mark.
pub fn lines_of<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Vec<Line<'a>>> {
    let mut read: Vec<Line<'a>> = Vec::new();
    for line in lines {
        if line.starts_with('\\') {
            read.last_mut()?.ended = false;
        } else {
            read.push(marked_line(line)?);
        }
    }
    Some(read)
}

/// A position from the numbers of a hunk header: starts from 1, and a side without lines names the
/// line before the region.
pub fn position(old_start: u32, old_len: u32, new_start: u32, new_len: u32) -> Position {
    let from_zero = |start: u32, len: u32| {
        if len == 0 {
            start
        } else {
            start.saturating_sub(1)
        }
    };
    Position {
        old_line: from_zero(old_start, old_len),
        new_line: from_zero(new_start, new_len),
    }
}

/// Applies hunks to the text that they were made from. `None` when a hunk has no position or its
/// old side does not stand exactly there.
pub fn apply(old: &str, hunks: &[Hunk<'_>]) -> Option<String> {
    let lines: Vec<&str> = old.split_inclusive('\n').collect();
    let mut next = 0;
    let mut text = String::with_capacity(old.len());
    for hunk in hunks {
        let start = usize::try_from(hunk.position?.old_line).ok()?;
        text.extend(lines.get(next..start)?.iter().copied());
        next = start;
        for line in &hunk.lines {
            // A line without text and without an end is nothing that a text could hold.
            if line.text.is_empty() && !line.ended {
                continue;
            }
            if line.side != Side::New {
                let (there, ended) = match lines.get(next)?.strip_suffix('\n') {
                    Some(there) => (there, true),
                    None => (*lines.get(next)?, false),
                };
                if there != line.text || ended != line.ended {
                    return None;
                }
                next += 1;
            }
            if line.side != Side::Old {
                text.push_str(line.text);
                if line.ended {
                    text.push('\n');
                }
            }
        }
    }
    text.extend(lines.get(next..)?.iter().copied());
    Some(text)
}

/// Whether the numbers of the hunk headers decide where a hunk ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counts {
    Trusted,
    Ignored,
}

struct Reader<'a> {
    rest: &'a str,
    line: u32,
    files: Vec<FileDiff<'a>>,
    /// The last file has been named by a git header, so `---` belongs to it.
    in_git_header: bool,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            rest: text,
            line: 0,
            files: Vec::new(),
            in_git_header: false,
        }
    }

    fn read(mut self, counts: Counts) -> Result<Vec<FileDiff<'a>>, UnifiedError> {
        let mut seen = false;
        while let Some(line) = self.next_line() {
            if line.starts_with("@@") {
                let hunk = self.hunk(line, counts)?;
                self.current().hunks.push(hunk);
                self.in_git_header = false;
                seen = true;
            } else if let Some(paths) = line.strip_prefix("diff --git ") {
                self.files.push(git_paths(paths));
                self.in_git_header = true;
                seen = true;
            } else if let Some(path) = header_path(line, "--- ") {
                self.old_header(path);
            } else if let Some(path) = header_path(line, "+++ ") {
                self.new_header(path);
            } else if self.in_git_header {
                self.git_line(line);
            }
        }
        if seen {
            Ok(finish(self.files))
        } else {
            Err(UnifiedError::NoHunk)
        }
    }

    fn peek_line(&self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let end = memchr(b'\n', self.rest.as_bytes()).unwrap_or(self.rest.len());
        self.rest.get(..end)
    }

    fn next_line(&mut self) -> Option<&'a str> {
        let line = self.peek_line()?;
        self.rest = self.rest.get(line.len() + 1..).unwrap_or("");
        self.line = self.line.saturating_add(1);
        Some(line)
    }

    fn current(&mut self) -> &mut FileDiff<'a> {
        if self.files.is_empty() {
            self.files.push(FileDiff::default());
        }
        let last = self.files.len() - 1;
        &mut self.files[last]
    }

    fn old_header(&mut self, path: &'a str) {
        // A line of dashes is a header only before `+++`.
        if !self
            .peek_line()
            .is_some_and(|next| next.starts_with("+++ "))
        {
            return;
        }
        if !self.in_git_header {
            self.files.push(FileDiff::default());
        }
        let file = self.current();
        if file.renamed {
            // It has both paths, without the prefixes that these lines have.
            return;
        }
        file.old_path = Some(path).filter(|path| *path != "/dev/null");
        file.created |= path == "/dev/null";
    }

    fn new_header(&mut self, path: &'a str) {
        let file = self.current();
        if file.renamed {
            return;
        }
        file.new_path = Some(path).filter(|path| *path != "/dev/null");
        file.deleted |= path == "/dev/null";
    }

    fn git_line(&mut self, line: &'a str) {
        let line = line.trim_end();
        let file = self.current();
        if line.starts_with("new file mode") {
            file.created = true;
        } else if line.starts_with("deleted file mode") {
            file.deleted = true;
        } else if let Some(path) = line.strip_prefix("rename from ") {
            file.renamed = true;
            file.old_path = Some(path);
        } else if let Some(path) = line.strip_prefix("rename to ") {
            file.renamed = true;
            file.new_path = Some(path);
        }
    }

    fn hunk(&mut self, header: &'a str, counts: Counts) -> Result<Hunk<'a>, UnifiedError> {
        let numbers = hunk_header(header);
        if counts == Counts::Ignored {
            let section = numbers.map_or("", |(_, section)| section);
            return Ok(Hunk {
                position: None,
                section,
                lines: self.marked_lines(),
            });
        }
        let ([old_start, old_len, new_start, new_len], section) =
            numbers.ok_or(UnifiedError::BadHeader { line: self.line })?;
        let lines = self.counted_lines(old_len, new_len)?;
        let position = Some(position(old_start, old_len, new_start, new_len));
        Ok(Hunk {
            position,
            section,
            lines,
        })
    }

    fn counted_lines(&mut self, old: u32, new: u32) -> Result<Vec<Line<'a>>, UnifiedError> {
        let (mut old, mut new) = (old, new);
        let mut lines: Vec<Line<'a>> = Vec::new();
        loop {
            if self.peek_line().is_some_and(|next| next.starts_with('\\')) {
                self.next_line();
                if let Some(last) = lines.last_mut() {
                    last.ended = false;
                }
                continue;
            }
            if old == 0 && new == 0 {
                return Ok(lines);
            }
            let error = UnifiedError::BadLine {
                line: self.line.saturating_add(1),
            };
            let line = self.next_line().and_then(marked_line).ok_or(error)?;
            let (takes_old, takes_new) = (line.side != Side::New, line.side != Side::Old);
            if (takes_old && old == 0) || (takes_new && new == 0) {
                return Err(error);
            }
            old -= u32::from(takes_old);
            new -= u32::from(takes_new);
            lines.push(line);
        }
    }

    /// The lines up to the next header or to a line without a mark.
    fn marked_lines(&mut self) -> Vec<Line<'a>> {
        let mut lines: Vec<Line<'a>> = Vec::new();
        while let Some(next) = self.peek_line() {
            let file_header = next.starts_with("--- ") && {
                let after = self.rest.get(next.len() + 1..).unwrap_or("");
                after.starts_with("+++ ")
            };
            if file_header {
                break;
            }
            if next.starts_with('\\') {
                if let Some(last) = lines.last_mut() {
                    last.ended = false;
                }
            } else if let Some(line) = marked_line(next) {
                lines.push(line);
            } else {
                break;
            }
            self.next_line();
        }
        // A text often ends with one empty line too many, which is no context.
        if self.rest.is_empty() && lines.last().is_some_and(|line| line.text.is_empty()) {
            let last = lines.len() - 1;
            if lines[last].side == Side::Both {
                lines.truncate(last);
            }
        }
        lines
    }
}

fn marked_line(line: &str) -> Option<Line<'_>> {
    let side = match line.as_bytes().first() {
        Some(b' ') => Side::Both,
        Some(b'+') => Side::New,
        Some(b'-') => Side::Old,
        // Editors and mail strip the blank of an empty context line.
        None => {
            return Some(Line {
                side: Side::Both,
                text: "",
                ended: true,
            });
        }
        Some(b'\r') if line.len() == 1 => {
            return Some(Line {
                side: Side::Both,
                text: line,
                ended: true,
            });
        }
        Some(_) => return None,
    };
    Some(Line {
        side,
        text: line.get(1..)?,
        ended: true,
    })
}

/// `@@ -a,b +c,d @@ section`: the four numbers and the section.
fn hunk_header(line: &str) -> Option<([u32; 4], &str)> {
    let rest = line.strip_prefix("@@ -")?;
    let (old, rest) = rest.split_once(" +")?;
    let (new, section) = rest.split_once(" @@")?;
    let (old_start, old_len) = range(old)?;
    let (new_start, new_len) = range(new)?;
    Some(([old_start, old_len, new_start, new_len], section.trim()))
}

fn range(text: &str) -> Option<(u32, u32)> {
    match text.split_once(',') {
        Some((start, len)) => Some((start.parse().ok()?, len.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

/// The path of a `---` or `+++` line, without the time stamp or label behind a tab.
fn header_path<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    let path = line.strip_prefix(mark)?;
    let path = path
        .split_once('\t')
        .map_or(path, |(path, _)| path)
        .trim_end();
    Some(path).filter(|path| !path.is_empty())
}

/// The paths of a `diff --git a/x b/x` line, where both are the same. Others follow in later lines.
fn git_paths(paths: &str) -> FileDiff<'_> {
    let paths = paths.trim_end();
    let half = paths.len() / 2;
    let halves = paths
        .get(..half)
        .zip(paths.get(half..).and_then(|rest| rest.strip_prefix(' ')));
    let (old_path, new_path) = halves
        .filter(|(old, new)| {
            old.strip_prefix("a/")
                .is_some_and(|old| new.strip_prefix("b/") == Some(old))
        })
        .unzip();
    FileDiff {
        old_path,
        new_path,
        ..FileDiff::default()
    }
}

/// Takes the prefixes `a/` and `b/` off, where both sides have theirs.
fn finish(mut files: Vec<FileDiff<'_>>) -> Vec<FileDiff<'_>> {
    for file in &mut files {
        let old = file.old_path.map(|path| path.strip_prefix("a/"));
        let new = file.new_path.map(|path| path.strip_prefix("b/"));
        // `rename from` and `rename to` have no prefixes, so a renamed file keeps its paths.
        match (old, new) {
            (Some(Some(old)), Some(Some(new))) if !file.renamed => {
                file.old_path = Some(old);
                file.new_path = Some(new);
            }
            (Some(Some(old)), None) if file.deleted => file.old_path = Some(old),
            (None, Some(Some(new))) if file.created => file.new_path = Some(new),
            _ => {}
        }
        if file.created {
            file.old_path = None;
        }
        if file.deleted {
            file.new_path = None;
        }
    }
    files
}

/// Entry of the fuzz target: reads, and checks that each hunk turns its old side into its new one.
///
/// # Panics
/// When it does not.
#[cfg(any(test, fuzzing))]
pub fn fuzz_unified(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let _ = read_leniently(&text);
    if let Ok(files) = read(&text) {
        for hunk in files.iter().flat_map(|file| &file.hunks) {
            let (old, new) = (hunk.old_text(), hunk.new_text());
            let at_start = Hunk {
                position: Some(Position {
                    old_line: 0,
                    new_line: 0,
                }),
                ..hunk.clone()
            };
            let inner_end = hunk.lines.iter().rev().skip(1).any(|line| !line.ended);
            if !inner_end && !old.contains('\r') {
                assert_eq!(apply(&old, &[at_start]).as_deref(), Some(new.as_str()));
            }
        }
    }
}

#[cfg(test)]
mod tests;
