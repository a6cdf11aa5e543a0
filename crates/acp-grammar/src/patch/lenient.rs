//! A tolerant reading, for showing what an agent meant to change.
//!
//! Models write markers with stars or blanks around them, blank lines between sections, several
//! `@@` lines in a row, a move without a chunk, a shell command or a Markdown fence around the
//! patch. Some tools accept some of it. Whether a patch was applied says the tool's result, never
//! this reading, and nothing read here may be executed.

use memchr::memchr;
use nom::{Finish as _, Offset as _};

use super::ast::{Patch, split_line};
use super::dialect::{LENIENT, Padding};
use super::envelope::BEGIN;
use super::fault::{Fault, FaultKind};
use super::parse::{Grammar, skip_blank_lines};
use crate::error::ParseError;
use crate::js;

/// What could be read of a payload.
#[derive(Debug, Clone)]
pub struct LenientPatch<'a> {
    /// The sections that could be read, in order.
    pub patch: Patch<'a>,
    /// What could not be read, in order. A bad section costs no other section.
    pub skipped: Vec<ParseError>,
}

/// Reads what can be read of a payload. Linear in its length.
pub fn parse_lenient(source: &str) -> LenientPatch<'_> {
    let grammar = Grammar {
        source,
        rules: &LENIENT,
    };
    let mut read = LenientPatch {
        patch: Patch {
            environment_id: None,
            sections: Vec::new(),
        },
        skipped: Vec::new(),
    };
    let Some(body) = find_body(grammar) else {
        let kind = if js::is_blank(source) {
            FaultKind::EmptyInput
        } else {
            FaultKind::MissingBegin
        };
        let fault = Fault { at: source, kind };
        read.skipped.push(fault.diagnose(source));
        return read;
    };
    let mut rest = match grammar.environment(body).finish() {
        Ok((rest, id)) => {
            read.patch.environment_id = id;
            rest
        }
        Err(fault) => skip(grammar, body, fault, &mut read.skipped),
    };
    loop {
        rest = skip_blank_lines(rest);
        if rest.is_empty() || grammar.is_end(split_line(rest).0, Padding::Both) {
            return read;
        }
        rest = match grammar.section(rest).finish() {
            Ok((after, section)) => {
                read.patch.sections.push(section);
                after
            }
            Err(fault) => skip(grammar, rest, fault, &mut read.skipped),
        };
    }
}

/// The lines behind the first begin marker, or from the first header on where there is none.
fn find_body(grammar: Grammar<'_>) -> Option<&str> {
    let mut header = None;
    let mut rest = grammar.source;
    while !rest.is_empty() {
        let (line, after) = split_line(rest);
        // Looking for the stars first keeps long texts without a patch cheap.
        if memchr(b'*', line.as_bytes()).is_some() {
            let line = js::trim(line);
            if grammar.undecorated(line) == BEGIN {
                return Some(after);
            }
            if header.is_none() && line.starts_with("***") && grammar.is_header_or_end(line) {
                header = Some(rest);
            }
        }
        rest = after;
    }
    header
}

/// Notes the fault in the section that begins at `from` and gives the place of the next header.
fn skip<'a>(
    grammar: Grammar<'a>,
    from: &'a str,
    fault: Fault<'a>,
    skipped: &mut Vec<ParseError>,
) -> &'a str {
    skipped.push(fault.diagnose(grammar.source));
    let mut rest = split_line(from).1;
    while !rest.is_empty() {
        let (line, after) = split_line(rest);
        if line.starts_with("***") && grammar.is_header_or_end(line) {
            break;
        }
        rest = after;
    }
    debug_assert!(grammar.source.offset(rest) > grammar.source.offset(from));
    rest
}
