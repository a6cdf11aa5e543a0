//! Literal replacement in a text, byte for byte where nothing was asked for.
//!
//! The texts are matched with CR LF taken as LF, and the replacement is spliced into the text as it
//! is. A line of the replacement keeps the ending of the line whose place it takes; a line without
//! such a predecessor takes the ending of its neighbour.

use crate::filesystem::EditRequest;
use crate::hunks::{self, Op};
use crate::text::with_lf;

/// A result larger than this is refused, in bytes.
pub(crate) const MAX_RESULT: usize = 256 * 1024 * 1024;

/// A replacement that took place.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Edited {
    pub(crate) text: String,
    /// The old text with LF endings.
    pub(crate) before: String,
    /// The new text with LF endings.
    pub(crate) after: String,
    pub(crate) replacements: usize,
}

/// Why there is no replacement.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum EditFailure {
    EmptyOldString,
    NotFound { nearest_line: Option<usize> },
    Ambiguous { matches: usize },
    ResultTooLarge { size: usize },
}

/// Applies the request to a text without a byte order mark.
pub(crate) fn apply(text: &str, request: &EditRequest<'_>) -> Result<Edited, EditFailure> {
    let lf = with_lf(text);
    let old = with_lf(request.old_string);
    let new = with_lf(request.new_string);
    if old.is_empty() {
        return Err(EditFailure::EmptyOldString);
    }
    let sites: Vec<usize> = memchr::memmem::find_iter(lf.as_bytes(), old.as_bytes()).collect();
    match sites.len() {
        0 => {
            return Err(EditFailure::NotFound {
                nearest_line: nearest_line(&lf, &old),
            });
        }
        1 => {}
        matches if !request.replace_all => return Err(EditFailure::Ambiguous { matches }),
        _ => {}
    }
    let size = (text.len() + sites.len().saturating_mul(2 * new.len()))
        .saturating_sub(sites.len().saturating_mul(old.len()));
    if size > MAX_RESULT {
        return Err(EditFailure::ResultTooLarge { size });
    }
    let after = splice_plain(&lf, &sites, old.len(), &new);
    let text = if lf.len() == text.len() {
        after.clone()
    } else {
        Splicer::new(text, &old, &new).splice(&sites)
    };
    Ok(Edited {
        text,
        before: lf.into_owned(),
        after,
        replacements: sites.len(),
    })
}

fn splice_plain(text: &str, sites: &[usize], old_len: usize, new: &str) -> String {
    let mut spliced = String::with_capacity(text.len());
    let mut copied = 0;
    for &site in sites {
        spliced.push_str(text.get(copied..site).unwrap_or_default());
        spliced.push_str(new);
        copied = site + old_len;
    }
    spliced.push_str(text.get(copied..).unwrap_or_default());
    spliced
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Ending {
    Lf,
    CrLf,
}

impl Ending {
    fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }
}

/// Writes the replacement into a text whose lines end in more than one way.
struct Splicer<'t> {
    text: &'t str,
    old_len: usize,
    /// The lines of the replacement.
    new_lines: Vec<&'t str>,
    /// For each newline of the replacement, the newline of the old text whose place it takes.
    takes_place_of: Vec<Option<usize>>,
    newlines: Newlines,
}

/// The newlines of a text in order: where they stand with CR LF counted as one, and how they end.
struct Newlines(Vec<(usize, Ending)>);

impl Newlines {
    fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut returns = 0;
        let newlines = memchr::memchr_iter(b'\n', bytes).map(|at| {
            let ending = match at.checked_sub(1).and_then(|before| bytes.get(before)) {
                Some(b'\r') => Ending::CrLf,
                _ => Ending::Lf,
            };
            returns += usize::from(ending == Ending::CrLf);
            (at - returns, ending)
        });
        Self(newlines.collect())
    }
}

impl<'t> Splicer<'t> {
    fn new(text: &'t str, old: &str, new: &'t str) -> Self {
        let old_lines: Vec<&str> = old.split('\n').collect();
        let new_lines: Vec<&str> = new.split('\n').collect();
        let takes_place_of = places(&old_lines, &new_lines);
        Self {
            text,
            old_len: old.len(),
            new_lines,
            takes_place_of,
            newlines: Newlines::of(text),
        }
    }

    /// `sites` are the places of the old text, counted with CR LF as one byte, in order.
    fn splice(&self, sites: &[usize]) -> String {
        let mut spliced = String::with_capacity(self.text.len());
        let mut copied = 0;
        let mut passed = Passed::default();
        for &site in sites {
            let start = passed.advance(&self.newlines, site);
            let first = passed.newlines;
            let end = passed.advance(&self.newlines, site + self.old_len);
            let replaced = self
                .newlines
                .0
                .get(first..passed.newlines)
                .unwrap_or_default();
            let around = [
                self.newlines.0.get(passed.newlines),
                first
                    .checked_sub(1)
                    .and_then(|before| self.newlines.0.get(before)),
            ];
            let around = around.into_iter().flatten().next();
            spliced.push_str(self.text.get(copied..start).unwrap_or_default());
            self.push_replacement(&mut spliced, replaced, around.map(|(_, ending)| *ending));
            copied = end;
        }
        spliced.push_str(self.text.get(copied..).unwrap_or_default());
        spliced
    }

    fn push_replacement(
        &self,
        spliced: &mut String,
        replaced: &[(usize, Ending)],
        around: Option<Ending>,
    ) {
        let mut neighbour = replaced.first().map(|(_, ending)| *ending).or(around);
        for (index, line) in self.new_lines.iter().enumerate() {
            spliced.push_str(line);
            let Some(takes_place_of) = self.takes_place_of.get(index) else {
                continue;
            };
            let own = takes_place_of.and_then(|newline| replaced.get(newline));
            let ending = own.map(|(_, ending)| *ending).or(neighbour);
            neighbour = ending;
            spliced.push_str(ending.unwrap_or(Ending::Lf).as_str());
        }
    }
}

/// How much of the newlines lies behind.
#[derive(Default)]
struct Passed {
    newlines: usize,
    returns: usize,
}

impl Passed {
    /// The byte of the text at this place; a place at a CR LF is the one of the CR.
    fn advance(&mut self, newlines: &Newlines, place: usize) -> usize {
        while let Some((at, ending)) = newlines.0.get(self.newlines)
            && *at < place
        {
            self.newlines += 1;
            self.returns += usize::from(*ending == Ending::CrLf);
        }
        place + self.returns
    }
}

/// For each newline of the new lines, the newline of the old ones whose place it takes: that of the
/// same line, or that of the line which was replaced.
fn places(old: &[&str], new: &[&str]) -> Vec<Option<usize>> {
    let mut places = vec![None; new.len().saturating_sub(1)];
    let n_newlines = old.len().saturating_sub(1);
    let mut deleted = 0..0;
    for op in hunks::diff(old, new) {
        let (old_lines, new_start) = match op {
            Op::Equal { old, new, len } => (old..old + len, new),
            Op::Delete { old, len, .. } => {
                deleted = old..old + len;
                continue;
            }
            Op::Insert { new, .. } => (std::mem::take(&mut deleted), new),
        };
        for (newline, place) in old_lines.zip(places.iter_mut().skip(new_start)) {
            if newline < n_newlines {
                *place = Some(newline);
            }
        }
    }
    places
}

/// The first line of the text, from 1, that equals the first line of `old` but for blanks.
fn nearest_line(text: &str, old: &str) -> Option<usize> {
    let squeezed = |line: &str| line.split_whitespace().collect::<String>();
    let wanted = old.lines().map(squeezed).find(|line| !line.is_empty())?;
    text.lines()
        .position(|line| squeezed(line) == wanted)
        .map(|index| index + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn request<'a>(old_string: &'a str, new_string: &'a str) -> EditRequest<'a> {
        EditRequest {
            old_string,
            new_string,
            replace_all: true,
        }
    }

    fn check(text: &str, old: &str, new: &str, expect: &str) {
        let edited = apply(text, &request(old, new)).unwrap();
        assert_eq!(edited.text, expect, "{text:?}: {old:?} -> {new:?}");
        assert_eq!(with_lf(&edited.text), edited.after);
    }

    #[test]
    fn untouched_endings_stay() {
        check("a\r\nb\nc\r\n", "b", "B", "a\r\nB\nc\r\n");
        check("a\r\nb\n", "b", "B", "a\r\nB\n");
        check("a\r\nb\nc\r\n", "a\nb\nc", "A\nb\nC", "A\r\nb\nC\r\n");
        check("a\rb\r\nc", "a\rb", "x", "x\r\nc");
        check("a\r\n\r\n", "a", "b", "b\r\n\r\n");
        check("x\r\ny", "y", "z", "x\r\nz");
    }

    #[test]
    fn new_lines_take_the_ending_of_their_neighbour() {
        check("a\r\nb\n", "a", "a\n1\n2", "a\r\n1\r\n2\r\nb\n");
        check("a\r\nb\n", "b", "b\nc", "a\r\nb\nc\n");
        check("a\r\nb", "b", "b\nc", "a\r\nb\r\nc");
        check("a\r\nb\r\n", "a\nb\n", "a\nx\nb\n", "a\r\nx\r\nb\r\n");
        check("a", "a", "a\nb", "a\nb");
        check("a\r\nx\na\r\n", "a", "b\nc", "b\r\nc\r\nx\nb\r\nc\r\n");
    }

    #[test]
    fn old_and_new_may_be_written_with_either_ending() {
        check("a\r\nb\r\nc\r\n", "b\nc", "B\nC", "a\r\nB\r\nC\r\n");
        check("a\nb\n", "a\r\nb", "A\r\nB", "A\nB\n");
        check("a\r\nb\r\n", "a\n", "", "b\r\n");
        check("a\r\nb", "\n", "", "ab");
    }

    fn check_failure(text: &str, old: &str, expect: EditFailure) {
        let request = EditRequest {
            replace_all: false,
            ..request(old, "new")
        };
        assert_eq!(apply(text, &request), Err(expect));
    }

    #[test]
    fn failures_say_how_often_and_where() {
        check_failure("a", "", EditFailure::EmptyOldString);
        check_failure("a a a", "a", EditFailure::Ambiguous { matches: 3 });
        check_failure("a", "b", EditFailure::NotFound { nearest_line: None });
        let nearest_line = Some(2);
        check_failure(
            "x\n  a  b\n",
            "\ta b\n",
            EditFailure::NotFound { nearest_line },
        );
    }

    fn text() -> impl Strategy<Value = String> {
        let line = ("[ab]{0,2}", "\n|\r\n|\r").prop_map(|(line, ending)| line + &ending);
        (proptest::collection::vec(line, 0..8), "[ab]{0,2}")
            .prop_map(|(lines, last)| lines.concat() + &last)
    }

    proptest! {
        #[test]
        fn an_edit_is_the_plain_replacement_but_for_endings(
            text in text(), old in "[ab\n]{1,3}", new in "[abc\n]{0,4}",
        ) {
            if let Ok(edited) = apply(&text, &request(&old, &new)) {
                prop_assert_eq!(&edited.after, &with_lf(&text).replace(&old, &new));
                // A lone CR may come to stand before a newline, and then looks like one ending.
                if !text.replace("\r\n", "\n").contains('\r') {
                    prop_assert_eq!(with_lf(&edited.text), edited.after);
                }
            }
        }

        #[test]
        fn changing_one_line_changes_only_its_bytes(
            lines in proptest::collection::vec(("[ab]{0,2}", "\n|\r\n"), 1..8),
            at in any::<prop::sample::Index>(),
        ) {
            let at = at.index(lines.len());
            let with = |line: &str| -> String {
                let shown = |(index, (text, ending)): (usize, &(String, String))| {
                    let text = if index == at { line } else { text };
                    format!("{text}{ending}")
                };
                lines.iter().enumerate().map(shown).collect()
            };
            // The unique line with its neighbours as context.
            let from = at.saturating_sub(1);
            let context = |line: &str| -> String {
                let shown = |index: usize| if index == at { line } else { lines[index].0.as_str() };
                let to = (at + 2).min(lines.len());
                let context: Vec<&str> = (from..to).map(shown).collect();
                context.join("\n") + "\n"
            };
            let (old, new) = (context("unique"), context("other"));
            let edited = apply(&with("unique"), &request(&old, &new)).unwrap();
            prop_assert_eq!(edited.text, with("other"));
        }
    }
}
