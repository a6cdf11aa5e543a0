//! The grammar of the sections, written once for all dialects.
//!
//! Lines end at LF with an optional CR before it; a lone CR is an ordinary character. White space
//! is JavaScript's. Each line is looked at a bounded number of times, so the work is linear in the
//! payload whatever it holds.
//!
//! ```text
//! patch   := "*** Begin Patch" section+ "*** End Patch"
//! section := "*** Add File: " path ("+" text)*
//!          | "*** Delete File: " path
//!          | "*** Update File: " path ["*** Move to: " path] chunk+
//! chunk   := ["@@" | "@@ " context] (" " text | "+" text | "-" text | "")+ ["*** End of File"]
//! ```
//!
//! What this leaves open, the [`Rules`] of the dialect decide.

use nom::bytes::complete::tag;
use nom::combinator::{map_opt, opt, peek};
use nom::multi::many0;
use nom::sequence::preceded;
use nom::{Finish as _, IResult, Input as _, Offset as _, Parser};

use super::ast::{AddedLines, Chunk, ChunkLines, Operation, Patch, Section, split_line};
use super::dialect::{Dialect, Padding, Rules, UpdateEnd};
use super::envelope::{self, END};
use super::fault::{Fault, FaultKind};
use super::scan::next_unlike;
use crate::error::ParseError;
use crate::js;
use crate::span::Span;
use crate::work;

const ENVIRONMENT: &str = "*** Environment ID:";
const END_OF_FILE: &str = "*** End of File";

/// Parses a whole payload.
///
/// # Errors
///
/// The first thing that the dialect does not accept, with its place in `source`.
pub fn parse(source: &str, dialect: Dialect) -> Result<Patch<'_>, ParseError> {
    let rules = dialect.rules();
    envelope::open(source, rules)
        .and_then(|body| Grammar { source, rules }.patch(body))
        .map_err(|fault| fault.diagnose(source))
}

pub(super) type Parsed<'a, T> = IResult<&'a str, T, Fault<'a>>;

/// The grammar over one payload.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grammar<'a> {
    /// The whole payload, from which spans are measured.
    pub(super) source: &'a str,
    pub(super) rules: &'static Rules,
}

impl<'a> Grammar<'a> {
    fn patch(self, body: &'a str) -> Result<Patch<'a>, Fault<'a>> {
        let (rest, environment_id) = self.environment(body).finish()?;
        let (rest, sections) = many0(|input| self.section(input)).parse(rest).finish()?;
        let rest = self.skip_end(rest)?;
        if !rest.is_empty() {
            let kind = match sections.last().map(|section| &section.operation) {
                Some(Operation::Delete) => FaultKind::BehindDelete,
                _ => FaultKind::NoMatch,
            };
            return Err(Fault { at: rest, kind });
        }
        if sections.is_empty() && !self.rules.allows_no_section {
            let kind = FaultKind::NoSections;
            return Err(Fault { at: rest, kind });
        }
        Ok(Patch {
            environment_id,
            sections,
        })
    }

    /// The environment's name, where the dialect knows environments.
    pub(super) fn environment(self, input: &'a str) -> Parsed<'a, Option<&'a str>> {
        if !self.rules.environment_id {
            return Ok((input, None));
        }
        let environment =
            || map_opt(line, |line| js::trim(line).strip_prefix(ENVIRONMENT)).map(js::trim);
        let (rest, id) = opt(environment()).parse(input)?;
        match id {
            Some("") => Err(Fault::failure(input, FaultKind::EmptyEnvironmentId)),
            Some(_) if environment().parse(rest).is_ok() => {
                Err(Fault::failure(rest, FaultKind::RepeatedEnvironmentId))
            }
            _ => Ok((rest, id)),
        }
    }

    /// Where the dialect ends a patch at the first end marker, only blank lines and the payload's
    /// own last line may follow it.
    fn skip_end(self, input: &'a str) -> Result<&'a str, Fault<'a>> {
        if !self.rules.ends_at_first_end || !self.is_end(split_line(input).0, Padding::Both) {
            return Ok(input);
        }
        let rest = skip_blank_lines(split_line(input).1);
        if rest.is_empty() {
            Ok(rest)
        } else {
            let kind = FaultKind::MissingEnd;
            Err(Fault { at: rest, kind })
        }
    }

    pub(super) fn section(self, input: &'a str) -> Parsed<'a, Section<'a>> {
        let input = if self.rules.blank_between_sections {
            skip_blank_lines(input)
        } else {
            input
        };
        let (rest, header) = self.header(Padding::Both).parse(input)?;
        let (rest, path, operation) = match header {
            Header::Add(path) => {
                let (rest, lines) = added_lines(rest);
                (rest, path, Operation::Add(AddedLines::new(lines)))
            }
            Header::Delete(path) => (rest, path, Operation::Delete),
            Header::Update(path) => {
                let (after, operation) = self.update(rest)?;
                let operation =
                    operation.ok_or_else(|| Fault::failure(input, FaultKind::EmptyUpdate(path)))?;
                (after, path, operation)
            }
        };
        let section = Section {
            path,
            operation,
            span: self.span(input, rest),
        };
        Ok((rest, section))
    }

    /// The header line of a section.
    fn header(
        self,
        padding: Padding,
    ) -> impl Parser<&'a str, Output = Header<'a>, Error = Fault<'a>> {
        map_opt(line, move |line| self.read_header(line, padding))
    }

    fn read_header(self, line: &'a str, padding: Padding) -> Option<Header<'a>> {
        let line = padding.trim(line);
        // The markers end with a blank, which trimming has removed from a line without a path.
        let (path, header): (_, fn(&'a str) -> Header<'a>) =
            if let Some(path) = line.strip_prefix("*** Add File: ") {
                (path, Header::Add)
            } else if let Some(path) = line.strip_prefix("*** Delete File: ") {
                (path, Header::Delete)
            } else {
                (line.strip_prefix("*** Update File: ")?, Header::Update)
            };
        let path = self.undecorated(path);
        (!path.is_empty()).then(|| header(path))
    }

    /// What follows the header of an update; `None` for an update without content.
    fn update(self, input: &'a str) -> Parsed<'a, Option<Operation<'a>>> {
        let (mut rest, mut move_to) = match input.as_bytes() {
            // Most updates begin with a chunk, which one byte shows.
            [b'@', ..] => (input, None),
            _ => opt(self.move_to()).parse(input)?,
        };
        // Most updates are one chunk, and patches can have very many updates.
        let mut chunks: Vec<Chunk<'a>> = Vec::with_capacity(1);
        loop {
            rest = self.skip_between_chunks(rest, &chunks);
            if rest.is_empty() || self.ends_update(rest) {
                break;
            }
            if chunks.is_empty() {
                if self.rules.early_end_of_file
                    && let Ok((after, ())) = self.end_of_file(rest)
                {
                    rest = after;
                    continue;
                }
                if self.rules.late_move
                    && move_to.is_none()
                    && let Ok((after, target)) = self.move_to().parse(rest)
                {
                    (rest, move_to) = (after, Some(target));
                    continue;
                }
            }
            let (after, chunk) = self.chunk(rest, chunks.is_empty())?;
            chunks.push(chunk);
            rest = after;
        }
        let empty = chunks.is_empty() && !(self.rules.pure_move && move_to.is_some());
        Ok((
            rest,
            (!empty).then_some(Operation::Update { move_to, chunks }),
        ))
    }

    fn move_to(self) -> impl Parser<&'a str, Output = &'a str, Error = Fault<'a>> {
        map_opt(line, move |line| {
            let target = self
                .rules
                .move_marker
                .trim(line)
                .strip_prefix("*** Move to: ")?;
            let target = self.undecorated(target);
            (!target.is_empty()).then_some(target)
        })
    }

    fn skip_between_chunks(self, input: &'a str, chunks: &[Chunk<'a>]) -> &'a str {
        let closed = chunks.last().is_some_and(|chunk| chunk.end_of_file);
        if closed || self.rules.blank_between_chunks {
            skip_blank_lines(input)
        } else {
            input
        }
    }

    /// True when the line at the start of `input` ends an update.
    fn ends_update(self, input: &'a str) -> bool {
        if !input.starts_with("***") {
            return false;
        }
        match self.rules.update_ends {
            UpdateEnd::Stars => true,
            UpdateEnd::Header => self.is_header_or_end(split_line(input).0),
        }
    }

    /// True for a header of a section or the end marker at the start of a line.
    pub(super) fn is_header_or_end(self, line: &'a str) -> bool {
        self.is_end(line, Padding::End) || self.read_header(line, Padding::End).is_some()
    }

    fn chunk(self, input: &'a str, first: bool) -> Parsed<'a, Chunk<'a>> {
        let (mut after_head, mut head) = opt(|input| self.chunk_head(input)).parse(input)?;
        if head.is_none() && !first {
            return Err(Fault::failure(input, FaultKind::MissingChunkHead));
        }
        while self.rules.stacked_heads
            && let Ok((after, next)) = self.chunk_head(after_head)
        {
            (after_head, head) = (after, Some(next));
        }
        let (after_body, lines) = body_lines(after_head);
        if lines.is_empty() {
            let (line, _) = split_line(after_head);
            let kind = if after_head.is_empty()
                || self.end_of_file(after_head).is_ok()
                || (self.rules.ends_at_first_end && self.is_end(line, Padding::End))
            {
                FaultKind::EmptyChunk
            } else {
                FaultKind::UnexpectedLine
            };
            return Err(Fault::failure(after_head, kind));
        }
        let (rest, end_of_file) = opt(|input| self.end_of_file(input)).parse(after_body)?;
        let chunk = Chunk {
            context: head.flatten(),
            lines: ChunkLines::new(lines),
            end_of_file: end_of_file.is_some(),
            span: self.span(input, rest),
        };
        Ok((rest, chunk))
    }

    /// `@@` or `@@ ` with the context behind it.
    fn chunk_head(self, input: &'a str) -> Parsed<'a, Option<&'a str>> {
        let head = map_opt(line, |line| match self.rules.update_markers.trim(line) {
            "@@" => Some(None),
            line => line.strip_prefix("@@ ").map(Some),
        });
        preceded(peek(tag("@@")), head).parse(input)
    }

    fn end_of_file(self, input: &'a str) -> Parsed<'a, ()> {
        let marker = map_opt(line, |line| {
            let line = self.undecorated(self.rules.update_markers.trim(line));
            (line == END_OF_FILE).then_some(())
        });
        preceded(peek(tag("***")), marker).parse(input)
    }

    pub(super) fn is_end(self, line: &str, padding: Padding) -> bool {
        self.undecorated(padding.trim(line)) == END
    }

    /// Without the stars that some models put behind markers and paths.
    pub(super) fn undecorated(self, text: &str) -> &str {
        match text.strip_suffix("***") {
            Some(shorter) if self.rules.starred => js::trim_end(shorter.trim_end_matches('*')),
            _ => text,
        }
    }

    /// The span from the start of `from` to the start of `to`.
    fn span(self, from: &'a str, to: &'a str) -> Span {
        let start = self.source.offset(from);
        Span::new(start, start + from.len() - to.len())
    }
}

/// The header line of a section, with its path.
#[derive(Debug, Clone, Copy)]
enum Header<'a> {
    Add(&'a str),
    Delete(&'a str),
    Update(&'a str),
}

impl Padding {
    fn trim(self, line: &str) -> &str {
        match self {
            Self::Exact => line,
            Self::End => js::trim_end(line),
            Self::Both => js::trim(line),
        }
    }
}

/// One line, without its ending.
fn line(input: &str) -> Parsed<'_, &str> {
    if input.is_empty() {
        let kind = FaultKind::NoMatch;
        return Err(nom::Err::Error(Fault { at: input, kind }));
    }
    let (line, rest) = split_line(input);
    Ok((rest, line))
}

/// The longest run of lines that begin with `+`, behind what follows it.
fn added_lines(input: &str) -> (&str, &str) {
    let bytes = input.as_bytes();
    let end = if bytes.first() == Some(&b'+') {
        next_unlike(bytes, 0, |byte| byte == b'+')
    } else {
        0
    };
    work::note(end + 1);
    input.take_split(end)
}

/// The longest run of lines that belong to the body of a chunk, behind what follows it.
fn body_lines(input: &str) -> (&str, &str) {
    let bytes = input.as_bytes();
    let mut end = 0;
    while is_body_line(&bytes[end..]) {
        end = next_unlike(bytes, end, |byte| {
            matches!(byte, b' ' | b'+' | b'-' | b'\n')
        });
    }
    work::note(end + 1);
    input.take_split(end)
}

/// True when a line of a chunk's body begins here: one with a marker, or an empty one.
fn is_body_line(rest: &[u8]) -> bool {
    matches!(rest, [b' ' | b'+' | b'-' | b'\n', ..] | [b'\r', b'\n', ..])
}

pub(super) fn skip_blank_lines(mut input: &str) -> &str {
    // Most lines are not blank, which their first byte shows.
    while !matches!(input.as_bytes(), [] | [b'!'..=b'~', ..]) {
        let (line, rest) = split_line(input);
        if !js::is_blank(line) {
            break;
        }
        input = rest;
    }
    input
}

/// Parses arbitrary bytes in every dialect, prints what was accepted and parses it again.
///
/// # Panics
///
/// When a printed patch does not read back as itself, or an error lies outside the payload.
#[cfg(any(test, fuzzing))]
pub fn fuzz_parse(data: &[u8]) {
    let source = String::from_utf8_lossy(data);
    for dialect in Dialect::ALL {
        match parse(&source, dialect) {
            Ok(patch) => {
                let printed = patch.to_string();
                let again = parse(&printed, dialect).expect("a printed patch parses");
                assert_eq!(again.to_string(), printed, "{dialect}");
            }
            Err(error) => {
                assert!(error.span().end <= source.len());
                assert!(!error.help().is_empty());
            }
        }
    }
    let lenient = super::parse_lenient(&source);
    assert!(
        lenient
            .patch
            .sections
            .iter()
            .all(|section| source.get(section.span.start..section.span.end).is_some())
    );
}
