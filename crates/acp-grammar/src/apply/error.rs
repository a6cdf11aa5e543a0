//! Why an update could not be applied, with what comes nearest in the file.

use std::fmt;

use thiserror::Error;

use crate::error::quoted;
use crate::span::Span;

/// A chunk that does not fit the file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct ApplyError {
    kind: ApplyErrorKind,
    chunk: usize,
    span: Span,
    nearest: Option<Box<Nearest>>,
}

/// What was not found.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ApplyErrorKind {
    /// The line that the chunk's `@@` names does not stand at or behind the search position.
    #[error("failed to find context '{context}'")]
    ContextNotFound {
        /// The text behind `@@ `.
        context: String,
    },
    /// The chunk's old lines do not stand at or behind the search position.
    #[error("failed to find expected lines:\n{old_text}")]
    LinesNotFound {
        /// The old lines, joined with LF.
        old_text: String,
    },
}

/// The place of the file that comes nearest to what was searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nearest {
    /// The line of the file at which the searched lines would begin, from 1.
    pub line: usize,
    /// How many of the searched lines stand there.
    pub matched: usize,
    /// How many lines were searched.
    pub of: usize,
    /// True when all of them stand there, but before the place that an earlier chunk of the same
    /// patch reached.
    pub before_earlier_chunk: bool,
    /// The first line that differs.
    pub differs: Option<Difference>,
}

/// A line of the file beside the line that the patch expects there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The line of the file, from 1.
    pub line: usize,
    /// What the file has there; `None` behind its end. A long line is cut.
    pub file: Option<String>,
    /// What the patch has. A long line is cut.
    pub patch: String,
}

impl ApplyError {
    pub(super) fn new(
        kind: ApplyErrorKind,
        chunk: usize,
        span: Span,
        nearest: Option<Nearest>,
    ) -> Self {
        Self {
            kind,
            chunk,
            span,
            nearest: nearest.map(Box::new),
        }
    }

    /// What was not found.
    pub fn kind(&self) -> &ApplyErrorKind {
        &self.kind
    }

    /// The index of the chunk among those that were given.
    pub fn chunk(&self) -> usize {
        self.chunk
    }

    /// The bytes of the chunk in the patch.
    pub fn span(&self) -> Span {
        self.span
    }

    /// What comes nearest, if anything does.
    pub fn nearest(&self) -> Option<&Nearest> {
        self.nearest.as_deref()
    }

    /// The sentence that the reference tools give for the file `path`.
    pub fn describe(&self, path: &str) -> String {
        match &self.kind {
            ApplyErrorKind::ContextNotFound { context } => {
                format!("Failed to find context '{context}' in {path}")
            }
            ApplyErrorKind::LinesNotFound { old_text } => {
                format!("Failed to find expected lines in {path}:\n{old_text}")
            }
        }
    }

    /// How to repair the patch: one line without a full stop. It names the nearest candidate.
    pub fn help(&self) -> String {
        match &self.nearest {
            None => "read the file again; nothing in it resembles these lines".to_owned(),
            Some(nearest) if nearest.before_earlier_chunk => format!(
                "they stand at line {}, before an earlier chunk or context of this patch; write \
                 the chunks in the order of the file",
                nearest.line
            ),
            Some(nearest) => match &nearest.differs {
                Some(difference) => format!("{nearest}; {difference}"),
                None => nearest.to_string(),
            },
        }
    }
}

impl fmt::Display for Nearest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            line, matched, of, ..
        } = self;
        write!(f, "nearest candidate at line {line}")?;
        if *matched > 0 {
            write!(f, ", where {matched} of {of} lines match")?;
        }
        Ok(())
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, file, patch } = self;
        match file {
            Some(file) => write!(f, "line {line} is '{file}', the patch has '{patch}'"),
            None => write!(
                f,
                "the file ends before line {line}, the patch has '{patch}'"
            ),
        }
    }
}

impl Difference {
    pub(super) fn new(line: usize, file: Option<&str>, patch: &str) -> Self {
        Self {
            line,
            file: file.map(quoted),
            patch: quoted(patch),
        }
    }
}
