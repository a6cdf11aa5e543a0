//! The error inside the grammar: what is wrong, and the input that was left there.

use nom::Offset as _;
use nom::error::{ErrorKind, ParseError as NomError};

use crate::error::{ParseError, ParseErrorKind, quoted};
use crate::span::Span;

/// A fault at the start of `at`, which is a part of the payload.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fault<'a> {
    pub(super) at: &'a str,
    pub(super) kind: FaultKind<'a>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum FaultKind<'a> {
    /// A parser did not match; another one may. Left over at the end, no header stood there.
    NoMatch,
    /// No header stood there, and the section before it is a deletion.
    BehindDelete,
    EmptyInput,
    MissingBegin,
    MissingEnd,
    UnclosedWrapper,
    NoSections,
    EmptyUpdate(&'a str),
    EmptyChunk,
    MissingChunkHead,
    UnexpectedLine,
    RepeatedEnvironmentId,
    EmptyEnvironmentId,
}

impl<'a> Fault<'a> {
    /// A fault that ends the parse: the branch was the right one.
    pub(super) fn failure(at: &'a str, kind: FaultKind<'a>) -> nom::Err<Self> {
        nom::Err::Failure(Self { at, kind })
    }

    /// The diagnosis for `source`, the whole payload.
    pub(super) fn diagnose(self, source: &str) -> ParseError {
        let span = Span::of_line(source, source.offset(self.at));
        let line = || quoted(span.slice(source));
        let kind = match self.kind {
            FaultKind::NoMatch => ParseErrorKind::InvalidHeader {
                line: line(),
                behind_delete: false,
            },
            FaultKind::BehindDelete => ParseErrorKind::InvalidHeader {
                line: line(),
                behind_delete: true,
            },
            FaultKind::EmptyInput => ParseErrorKind::EmptyInput,
            FaultKind::MissingBegin => ParseErrorKind::MissingBegin { line: line() },
            FaultKind::MissingEnd => ParseErrorKind::MissingEnd { line: line() },
            FaultKind::UnclosedWrapper => ParseErrorKind::UnclosedWrapper { line: line() },
            FaultKind::NoSections => ParseErrorKind::NoSections,
            FaultKind::EmptyUpdate(path) => {
                // The first of these lines is the ending of the header's.
                let behind = source[span.end..].lines().nth(1).unwrap_or_default();
                ParseErrorKind::EmptyUpdate {
                    path: quoted(path),
                    move_without_path: behind.trim() == "*** Move to:",
                }
            }
            FaultKind::EmptyChunk => ParseErrorKind::EmptyChunk { line: line() },
            FaultKind::MissingChunkHead => ParseErrorKind::MissingChunkHead { line: line() },
            FaultKind::UnexpectedLine => ParseErrorKind::UnexpectedLine { line: line() },
            FaultKind::RepeatedEnvironmentId => ParseErrorKind::RepeatedEnvironmentId,
            FaultKind::EmptyEnvironmentId => ParseErrorKind::EmptyEnvironmentId,
        };
        ParseError::new(kind, span)
    }
}

impl<'a> NomError<&'a str> for Fault<'a> {
    fn from_error_kind(input: &'a str, _kind: ErrorKind) -> Self {
        Self {
            at: input,
            kind: FaultKind::NoMatch,
        }
    }

    fn append(_input: &'a str, _kind: ErrorKind, inner: Self) -> Self {
        inner
    }

    /// Of two alternatives the one that got further explains more.
    fn or(self, other: Self) -> Self {
        if other.at.len() < self.at.len() {
            other
        } else {
            self
        }
    }
}
