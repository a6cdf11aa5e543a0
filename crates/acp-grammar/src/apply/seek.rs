//! Finding lines in a file: exactly, then ever more loosely.
//!
//! A tier is searched through to the end of the file before the next one begins, so an exact match
//! further down wins over a loose one further up. Each tier has a table, built when it is first
//! needed, in which equal lines have equal numbers; a search compares numbers.

use std::borrow::Cow;
use std::collections::HashMap;

use super::lines::FileLines;
use crate::js;
use crate::work;

/// How exactly lines matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Character by character, but for the line ending.
    Exact,
    /// But for white space at the end.
    TrimmedEnd,
    /// But for white space at both ends.
    Trimmed,
    /// Trimmed, with typographic dashes, quotes and spaces taken for their ASCII forms.
    Folded,
}

impl Tier {
    /// All tiers in the order in which they are tried.
    pub const ALL: [Self; 4] = [Self::Exact, Self::TrimmedEnd, Self::Trimmed, Self::Folded];

    /// The form in which this tier compares a line.
    pub(super) fn normal(self, line: &str) -> Cow<'_, str> {
        match self {
            Self::Exact => line.into(),
            Self::TrimmedEnd => js::trim_end(line).into(),
            Self::Trimmed => js::trim(line).into(),
            Self::Folded => fold(js::trim(line)),
        }
    }
}

fn fold(line: &str) -> Cow<'_, str> {
    if line.chars().all(|char| folded(char) == char) {
        line.into()
    } else {
        line.chars().map(folded).collect()
    }
}

fn folded(char: char) -> char {
    match char {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}'..='\u{201B}' => '\'',
        '\u{201C}'..='\u{201F}' => '"',
        '\u{A0}' | '\u{2002}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => ' ',
        other => other,
    }
}

/// The tables of one file.
pub(super) struct Index<'f, 't> {
    file: &'f FileLines<'t>,
    tables: [Option<Table<'t>>; 4],
}

impl<'f, 't> Index<'f, 't> {
    pub(super) fn new(file: &'f FileLines<'t>) -> Self {
        Self {
            file,
            tables: [const { None }; 4],
        }
    }

    /// The first line at or behind `from` at which `pattern` stands, in the first tier that finds
    /// one. An empty pattern stands nowhere.
    pub(super) fn find(&mut self, pattern: &[&str], from: usize) -> Option<(usize, Tier)> {
        Tier::ALL.into_iter().find_map(|tier| {
            let line = self.table(tier).find(tier, pattern, from)?;
            Some((line, tier))
        })
    }

    pub(super) fn table(&mut self, tier: Tier) -> &Table<'t> {
        let slot = match tier {
            Tier::Exact => 0,
            Tier::TrimmedEnd => 1,
            Tier::Trimmed => 2,
            Tier::Folded => 3,
        };
        let file = self.file;
        self.tables[slot].get_or_insert_with(|| Table::build(file, tier))
    }
}

/// The lines of a file as numbers: equal lines of a tier have one number.
pub(super) struct Table<'t> {
    numbers: HashMap<Cow<'t, str>, usize>,
    /// The number of each line.
    lines: Vec<usize>,
    /// The lines of each number, ascending.
    occurrences: Vec<Vec<usize>>,
}

impl<'t> Table<'t> {
    fn build(file: &FileLines<'t>, tier: Tier) -> Self {
        let mut table = Self {
            numbers: HashMap::new(),
            lines: Vec::with_capacity(file.len()),
            occurrences: Vec::new(),
        };
        for (at, line) in file.iter().enumerate() {
            let next = table.occurrences.len();
            let number = *table.numbers.entry(tier.normal(line.text)).or_insert(next);
            if number == next {
                table.occurrences.push(Vec::new());
            }
            table.occurrences[number].push(at);
            table.lines.push(number);
        }
        table
    }

    /// The lines that equal `line`, ascending.
    pub(super) fn occurrences(&self, tier: Tier, line: &str) -> &[usize] {
        self.numbers
            .get(&*tier.normal(line))
            .map_or(&[], |number| &self.occurrences[*number])
    }

    fn find(&self, tier: Tier, pattern: &[&str], from: usize) -> Option<usize> {
        let last = self.lines.len().checked_sub(pattern.len())?;
        if pattern.is_empty() || from > last {
            return None;
        }
        let pattern: Vec<usize> = pattern
            .iter()
            .map(|line| self.numbers.get(&*tier.normal(line)).copied())
            .collect::<Option<_>>()?;
        // Only where the rarest line stands, the whole can stand.
        let (offset, candidates) = pattern
            .iter()
            .enumerate()
            .map(|(offset, number)| {
                let all = &self.occurrences[*number];
                let first = all.partition_point(|line| *line < from + offset);
                let end = all.partition_point(|line| *line <= last + offset);
                (offset, all.get(first..end).unwrap_or_default())
            })
            .min_by_key(|(_, candidates)| candidates.len())?;
        let window = &self.lines[from..];
        if candidates.len().saturating_mul(pattern.len()) <= window.len() {
            work::note(candidates.len() * pattern.len());
            candidates
                .iter()
                .map(|line| line - offset)
                .find(|start| self.lines[*start..].starts_with(&pattern))
        } else {
            work::note(window.len() + pattern.len());
            find_linear(window, &pattern).map(|start| from + start)
        }
    }
}

/// The first place of `pattern` in `lines`, in time linear in both (Knuth, Morris and Pratt).
fn find_linear(lines: &[usize], pattern: &[usize]) -> Option<usize> {
    // borders[n]: the longest proper prefix of the first n + 1 numbers that also ends them.
    let mut borders = vec![0; pattern.len()];
    let mut matched = 0;
    for n in 1..pattern.len() {
        while matched > 0 && pattern[n] != pattern[matched] {
            matched = borders[matched - 1];
        }
        if pattern[n] == pattern[matched] {
            matched += 1;
        }
        borders[n] = matched;
    }
    matched = 0;
    for (at, line) in lines.iter().enumerate() {
        while matched > 0 && *line != pattern[matched] {
            matched = borders[matched - 1];
        }
        if *line == pattern[matched] {
            matched += 1;
        }
        if matched == pattern.len() {
            return Some(at + 1 - matched);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_searches_find_the_first_place(
            lines in prop::collection::vec(0..3_usize, 0..40),
            pattern in prop::collection::vec(0..3_usize, 1..6),
            from in 0..40_usize,
        ) {
            let expected = lines
                .windows(pattern.len())
                .enumerate()
                .position(|(at, window)| at >= from && window == pattern);
            let linear = lines
                .get(from..)
                .and_then(|rest| find_linear(rest, &pattern))
                .map(|start| start + from);
            prop_assert_eq!(linear, expected);

            let text = lines.iter().fold(String::new(), |text, line| text + &line.to_string() + "\n");
            let file = FileLines::split(&text);
            let texts: Vec<String> = pattern.iter().map(ToString::to_string).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let found = Index::new(&file).find(&texts, from);
            prop_assert_eq!(found, expected.map(|line| (line, Tier::Exact)));
        }
    }

    #[test]
    fn punctuation_and_spaces_fold() {
        let typographic = "\u{201C}a\u{201D} \u{2018}b\u{2019}\u{2014}c\u{a0}\u{2212}";
        assert_eq!(fold(typographic), "\"a\" 'b'-c -");
        assert!(matches!(fold("plain"), Cow::Borrowed("plain")));
    }
}
