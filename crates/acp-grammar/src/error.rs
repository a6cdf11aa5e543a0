//! Why an `apply_patch` payload was rejected, told so that a person or a model can repair it.

use thiserror::Error;

use crate::span::{LineColumn, Span};

/// The most characters of an offending line that a message quotes.
const QUOTED_CHARS: usize = 160;

/// A rejected payload: what is wrong, where, and what was expected there.
///
/// The message is one line without a place; [`ParseError::position`] gives the place and
/// [`ParseError::help`] the repair.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct ParseError {
    kind: ParseErrorKind,
    span: Span,
}

/// What is wrong with a payload. Lines are quoted without their ending, long ones cut.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// Nothing but white space.
    #[error("input is empty")]
    EmptyInput,
    /// The first line is not `*** Begin Patch`.
    #[error("The first line of the patch must be '*** Begin Patch', got: '{line}'")]
    MissingBegin {
        /// The line that stands there.
        line: String,
    },
    /// The last line is not `*** End Patch`.
    #[error("The last line of the patch must be '*** End Patch', got: '{line}'")]
    MissingEnd {
        /// The line that stands there.
        line: String,
    },
    /// The payload begins with `<<EOF` and does not end with `EOF`.
    #[error("The last line of a patch that begins with '<<EOF' must end in 'EOF', got: '{line}'")]
    UnclosedWrapper {
        /// The line that stands there.
        line: String,
    },
    /// `*** Begin Patch` and `*** End Patch` with nothing between them.
    #[error("The patch has no sections")]
    NoSections,
    /// A line where a section must begin is no header.
    #[error(
        "'{line}' is not a valid hunk header. Valid hunk headers: '*** Add File: {{path}}', \
         '*** Delete File: {{path}}', '*** Update File: {{path}}'"
    )]
    InvalidHeader {
        /// The line that stands there.
        line: String,
        /// True when the section before it deletes a file.
        behind_delete: bool,
    },
    /// An update without chunks.
    #[error("Update file hunk for path '{path}' is empty")]
    EmptyUpdate {
        /// The path of its header.
        path: String,
        /// True when the line behind the header is a `*** Move to:` without a path.
        move_without_path: bool,
    },
    /// A chunk without lines.
    #[error("Update hunk does not contain any lines")]
    EmptyChunk {
        /// The line that stands where the chunk's first line was expected.
        line: String,
    },
    /// A chunk that is not the first one lacks its `@@` line.
    #[error("Expected update hunk to start with a @@ context marker, got: '{line}'")]
    MissingChunkHead {
        /// The line that stands there.
        line: String,
    },
    /// The first line of a chunk has no marker.
    #[error(
        "Unexpected line found in update hunk: '{line}'. Every line should start with ' ' \
         (context line), '+' (added line), or '-' (removed line)"
    )]
    UnexpectedLine {
        /// The line that stands there.
        line: String,
    },
    /// A second `*** Environment ID:`.
    #[error("apply_patch environment_id cannot be specified more than once")]
    RepeatedEnvironmentId,
    /// An `*** Environment ID:` without a name.
    #[error("apply_patch environment_id cannot be empty")]
    EmptyEnvironmentId,
}

impl ParseError {
    pub(crate) fn new(kind: ParseErrorKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// What is wrong.
    pub fn kind(&self) -> &ParseErrorKind {
        &self.kind
    }

    /// The kind as one word, as `patch json` writes it.
    pub fn kind_name(&self) -> &'static str {
        match self.kind {
            ParseErrorKind::EmptyInput => "emptyInput",
            ParseErrorKind::MissingBegin { .. } => "missingBegin",
            ParseErrorKind::MissingEnd { .. } => "missingEnd",
            ParseErrorKind::UnclosedWrapper { .. } => "unclosedWrapper",
            ParseErrorKind::NoSections => "noSections",
            ParseErrorKind::InvalidHeader { .. } => "invalidHeader",
            ParseErrorKind::EmptyUpdate { .. } => "emptyUpdate",
            ParseErrorKind::EmptyChunk { .. } => "emptyChunk",
            ParseErrorKind::MissingChunkHead { .. } => "missingChunkHead",
            ParseErrorKind::UnexpectedLine { .. } => "unexpectedLine",
            ParseErrorKind::RepeatedEnvironmentId => "repeatedEnvironmentId",
            ParseErrorKind::EmptyEnvironmentId => "emptyEnvironmentId",
        }
    }

    /// The bytes of the payload that are wrong: a line without its ending, or empty at the end of
    /// the payload.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Where [`expected`](Self::expected) should have begun, in `source`, which must be the payload
    /// that was parsed. All that the grammar expects are whole lines, so the column is that of the
    /// line's first character, behind blanks where the dialect passes over them.
    pub fn position(&self, source: &str) -> LineColumn {
        LineColumn::of(source, self.span.start)
    }

    /// What could have stood there.
    pub fn expected(&self) -> &'static [&'static str] {
        match self.kind {
            ParseErrorKind::EmptyInput | ParseErrorKind::MissingBegin { .. } => {
                &["*** Begin Patch"]
            }
            ParseErrorKind::MissingEnd { .. } => &["*** End Patch"],
            ParseErrorKind::UnclosedWrapper { .. } => &["EOF"],
            ParseErrorKind::NoSections | ParseErrorKind::RepeatedEnvironmentId => &[
                "*** Add File: {path}",
                "*** Delete File: {path}",
                "*** Update File: {path}",
            ],
            ParseErrorKind::InvalidHeader { .. } => &[
                "*** Add File: {path}",
                "*** Delete File: {path}",
                "*** Update File: {path}",
                "*** End Patch",
            ],
            ParseErrorKind::EmptyUpdate { .. } => &["@@", "@@ {context}"],
            ParseErrorKind::EmptyChunk { .. } | ParseErrorKind::UnexpectedLine { .. } => {
                &[" {context line}", "+{added line}", "-{removed line}"]
            }
            ParseErrorKind::MissingChunkHead { .. } => &[
                "@@",
                "@@ {context}",
                " {context line}",
                "+{added line}",
                "-{removed line}",
                "*** End of File",
                "*** End Patch",
            ],
            ParseErrorKind::EmptyEnvironmentId => &["*** Environment ID: {id}"],
        }
    }

    /// How to repair the payload, as one sentence without a full stop.
    pub fn help(&self) -> &'static str {
        match &self.kind {
            ParseErrorKind::EmptyInput => {
                "send the whole patch, from '*** Begin Patch' to '*** End Patch'"
            }
            ParseErrorKind::MissingBegin { line } => help_before_begin(line),
            ParseErrorKind::MissingEnd { line } => help_after_end(line),
            ParseErrorKind::UnclosedWrapper { .. } => {
                "leave the '<<EOF' wrapper out, or close it with a line 'EOF'"
            }
            ParseErrorKind::NoSections => {
                "add a section for each file between '*** Begin Patch' and '*** End Patch'"
            }
            ParseErrorKind::InvalidHeader {
                line,
                behind_delete,
            } => help_at_header(line, *behind_delete),
            ParseErrorKind::EmptyUpdate {
                move_without_path: true,
                ..
            } => MOVE_WITHOUT_PATH,
            ParseErrorKind::EmptyUpdate { .. } => {
                "put at least one chunk behind the header: a '@@' line and lines that start with \
                 ' ', '+' or '-'; '*** Move to: {path}' must be the line right behind the header"
            }
            ParseErrorKind::EmptyChunk { .. } => {
                "put lines that start with ' ', '+' or '-' behind the '@@' line, or remove it"
            }
            ParseErrorKind::MissingChunkHead { line } | ParseErrorKind::UnexpectedLine { line } => {
                help_in_chunk(line)
            }
            ParseErrorKind::RepeatedEnvironmentId => "keep one '*** Environment ID:' line",
            ParseErrorKind::EmptyEnvironmentId => {
                "name the environment behind '*** Environment ID:', or leave the line out"
            }
        }
    }
}

/// What to do about a `*** Move to:` that names nothing.
const MOVE_WITHOUT_PATH: &str =
    "put the new path behind '*** Move to:' and a blank, or leave the line out";

fn help_before_begin(line: &str) -> &'static str {
    let trimmed = line.trim();
    if trimmed.starts_with("```") {
        "send the patch without the Markdown fence around it"
    } else if trimmed.starts_with("apply_patch") || trimmed.starts_with("applypatch") {
        "send the patch alone, without the shell command around it"
    } else if trimmed.starts_with("--- ") || trimmed.starts_with("diff ") {
        "this looks like a unified diff; write '*** Begin Patch', then '*** Update File: {path}' \
         and chunks that start with '@@'"
    } else if trimmed.to_ascii_lowercase().contains("begin patch") {
        "write the line exactly as '*** Begin Patch'"
    } else {
        "begin with a line '*** Begin Patch' and nothing before it"
    }
}

fn help_after_end(line: &str) -> &'static str {
    let trimmed = line.trim();
    if trimmed.to_ascii_lowercase().contains("end patch") {
        "write the line exactly as '*** End Patch'"
    } else if trimmed.starts_with("```") {
        "send the patch without the Markdown fence around it"
    } else {
        "end with a line '*** End Patch' and nothing after it"
    }
}

fn help_at_header(line: &str, behind_delete: bool) -> &'static str {
    let trimmed = line.trim();
    if trimmed.is_empty() {
        "remove the blank line: none may stand before or between sections; an empty line of a \
         new file is written '+'"
    } else if trimmed == "*** Begin Patch" {
        "write one '*** Begin Patch' at the start and all sections behind it"
    } else if trimmed == "*** End Patch" {
        "write one '*** End Patch', as the last line"
    } else if trimmed.starts_with("*** Environment ID:") {
        "put '*** Environment ID:' right behind '*** Begin Patch'; not every tool knows it"
    } else if trimmed.starts_with("*** Move to:") {
        "put '*** Move to: {path}' right behind '*** Update File: {path}'"
    } else if matches!(
        trimmed,
        "*** Add File:" | "*** Delete File:" | "*** Update File:"
    ) {
        "put the path on the header line, behind the colon and a blank"
    } else if trimmed.starts_with("***") {
        "write the header exactly as one of the valid ones, with the path behind it"
    } else if trimmed.starts_with("@@") {
        "put '*** Update File: {path}' before the chunk"
    } else if behind_delete {
        "remove what stands behind '*** Delete File: {path}': a deletion has no lines of its own"
    } else {
        "start each line of a new file with '+', or begin the next section with its header"
    }
}

fn help_in_chunk(line: &str) -> &'static str {
    if line.starts_with("@@") && !line.starts_with("@@ ") && line.trim() != "@@" {
        "put a blank between '@@' and the context"
    } else if line.starts_with("@@") {
        "write one '@@' line per chunk and at least one line behind it"
    } else if line.starts_with('\t') {
        "put one blank before the line's own indentation: it is a context line"
    } else if line.trim() == "*** Move to:" {
        MOVE_WITHOUT_PATH
    } else if line.starts_with("*** End of File") {
        "write '*** End of File' once, behind the last line of a chunk"
    } else if line.starts_with("***") {
        "finish the chunk before the next section; a line of the file that starts with '***' \
         needs a ' ', '+' or '-' before it"
    } else {
        "start the line with ' ', '+' or '-'; a new chunk begins with a line '@@'"
    }
}

/// A line as messages quote it.
pub(crate) fn quoted(line: &str) -> String {
    match line.char_indices().nth(QUOTED_CHARS) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.to_owned(),
    }
}
