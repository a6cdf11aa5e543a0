//! A tolerant reading, for showing what an agent meant to change.
//!
//! Models write markers with stars or blanks around them, blank lines between sections, several
//! `@@` lines in a row, a move without a chunk, a shell command or a Markdown fence around the
//! patch. Some tools accept some of it. Whether a patch was applied says the tool's result, never
//! this reading, and nothing read here may be executed.

use nom::Finish as _;

use super::ast::{Patch, split_line};
use super::dialect::{LENIENT, Padding};
use super::envelope::{self, BEGIN};
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
    // The last line of a well-framed payload is its end, also where the line is indented.
    let framed = envelope::open(source, grammar.rules).ok();
    let body = framed
        .or_else(|| behind_begin(grammar, source))
        .or_else(|| first_header(grammar, source));
    let Some(body) = body else {
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
        let (line, after) = split_line(rest);
        if rest.is_empty() {
            return read;
        }
        if grammar.is_end(line, Padding::Both) {
            // Some payloads are several patches, one behind the other.
            match behind_begin(grammar, after) {
                Some(next) => rest = next,
                None => return read,
            }
            continue;
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

/// The lines behind the first begin marker in `text`.
fn behind_begin<'a>(grammar: Grammar<'a>, text: &'a str) -> Option<&'a str> {
    lines_from(text)
        .find(|(line, _, _)| line.contains('*') && grammar.undecorated(js::trim(line)) == BEGIN)
        .map(|(_, _, after)| after)
}

/// `text` from its first header on.
fn first_header<'a>(grammar: Grammar<'a>, text: &'a str) -> Option<&'a str> {
    lines_from(text)
        .find(|(line, _, _)| line.starts_with("***") && grammar.is_header_or_end(line))
        .map(|(_, from, _)| from)
}

/// Each line of `text` with what begins there and what follows it.
fn lines_from(text: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let from = rest;
        let (line, after) = split_line(from);
        rest = after;
        (!from.is_empty()).then_some((line, from, after))
    })
}

/// Notes the fault in the section that begins at `from` and gives the place of the next header.
fn skip<'a>(
    grammar: Grammar<'a>,
    from: &'a str,
    fault: Fault<'a>,
    skipped: &mut Vec<ParseError>,
) -> &'a str {
    skipped.push(fault.diagnose(grammar.source));
    let behind = split_line(from).1;
    first_header(grammar, behind).unwrap_or(&behind[behind.len()..])
}
