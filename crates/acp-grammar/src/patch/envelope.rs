//! What stands around the sections: white space, the heredoc wrapper, the two markers.

use memchr::{memchr, memchr_iter, memrchr};

use super::dialect::Rules;
use super::fault::{Fault, FaultKind};
use crate::js;

pub(super) const BEGIN: &str = "*** Begin Patch";
pub(super) const END: &str = "*** End Patch";

/// The lines between the two markers; each of them, if there is one, ends with LF.
pub(super) fn open<'a>(source: &'a str, rules: &Rules) -> Result<&'a str, Fault<'a>> {
    let text = js::trim(source);
    if text.is_empty() {
        return Err(fault(&source[..0], FaultKind::EmptyInput));
    }
    if is_wrapper(first_line(text)) && has_lines(text, rules.wrapper_min_lines) {
        unwrap_heredoc(text).and_then(between_markers)
    } else {
        between_markers(text)
    }
}

/// True for the three spellings of the wrapper's first line.
fn is_wrapper(line: &str) -> bool {
    matches!(line, "<<EOF" | "<<'EOF'" | "<<\"EOF\"")
}

fn unwrap_heredoc(text: &str) -> Result<&str, Fault<'_>> {
    let last = last_line(text);
    let opened = memchr(b'\n', text.as_bytes());
    match opened {
        Some(lf) if last.ends_with("EOF") => {
            // With two lines there is nothing between them.
            let inner = text
                .get(lf + 1..text.len() - last.len())
                .unwrap_or(&text[..0]);
            let inner = inner.strip_suffix('\n').unwrap_or(inner);
            Ok(inner.strip_suffix('\r').unwrap_or(inner))
        }
        _ => Err(fault(last, FaultKind::UnclosedWrapper)),
    }
}

fn between_markers(text: &str) -> Result<&str, Fault<'_>> {
    if js::trim(first_line(text)) != BEGIN {
        return Err(fault(text, FaultKind::MissingBegin));
    }
    let last = last_line(text);
    match memchr(b'\n', text.as_bytes()) {
        Some(lf) if js::trim(last) == END => Ok(&text[lf + 1..text.len() - last.len()]),
        _ => Err(fault(last, FaultKind::MissingEnd)),
    }
}

fn first_line(text: &str) -> &str {
    super::ast::split_line(text).0
}

fn last_line(text: &str) -> &str {
    memrchr(b'\n', text.as_bytes()).map_or(text, |lf| &text[lf + 1..])
}

/// True when `text` has at least `least` lines.
fn has_lines(text: &str, least: usize) -> bool {
    memchr_iter(b'\n', text.as_bytes()).take(least).count() + 1 >= least
}

fn fault<'a>(at: &'a str, kind: FaultKind<'a>) -> Fault<'a> {
    Fault { at, kind }
}
