//! Edits applied to a whole text, as far as it is certain where they belong.

use memchr::memmem;

use super::facts::Pair;

/// The bytes that are copied at most to find out what a file became.
const MOST_WORK: usize = 64 << 20;

/// Applies pairs one after the other. `None` when a pair has no place, or several and nothing
/// decides.
pub(super) fn apply_pairs(old: &str, pairs: &[Pair<'_>]) -> Option<String> {
    if pairs.iter().all(|pair| pair.hint.old_line.is_some()) {
        return apply_at_lines(old, pairs);
    }
    // Each pair costs a pass over the text.
    if pairs.len().saturating_mul(old.len()) > MOST_WORK {
        return None;
    }
    pairs
        .iter()
        .try_fold(old.to_owned(), |text, pair| apply_pair(&text, pair))
}

/// All lines are those of the old text: the pairs are spliced in from its start to its end.
fn apply_at_lines(old: &str, pairs: &[Pair<'_>]) -> Option<String> {
    let mut line_starts = vec![0];
    line_starts.extend(memchr::memchr_iter(b'\n', old.as_bytes()).map(|at| at + 1));
    let mut text = String::with_capacity(old.len());
    let mut done = 0;
    for pair in pairs {
        let line = usize::try_from(pair.hint.old_line?).ok()?;
        let from = done.max(*line_starts.get(line)?);
        let at = from + old.get(from..)?.find(pair.old.as_ref())?;
        text.push_str(old.get(done..at)?);
        text.push_str(&pair.new);
        done = at + pair.old.len();
    }
    text.push_str(old.get(done..)?);
    Some(text)
}

fn apply_pair(text: &str, pair: &Pair<'_>) -> Option<String> {
    if pair.old.is_empty() {
        return text.is_empty().then(|| pair.new.clone().into_owned());
    }
    let mut found = memmem::find_iter(text.as_bytes(), pair.old.as_bytes());
    found.next()?;
    if pair.hint.replace_all {
        return Some(text.replace(pair.old.as_ref(), &pair.new));
    }
    found
        .next()
        .is_none()
        .then(|| text.replacen(pair.old.as_ref(), &pair.new, 1))
}

/// Each place of a text that was replaced everywhere, with its lines, as a pair of whole lines.
///
/// `None` when the text does not occur.
pub(super) fn expand_replace_all(whole_old: &str, pair: &Pair<'_>) -> Option<Vec<Pair<'static>>> {
    if pair.old.is_empty() {
        return None;
    }
    let bytes = whole_old.as_bytes();
    let mut pairs: Vec<Pair<'static>> = Vec::new();
    // The bytes of the last region of whole lines, and the line that it begins on.
    let mut region: Option<(usize, usize, usize)> = None;
    let (mut line, mut counted) = (0, 0);
    let mut shift = 0_i64;
    let mut flush = |region: Option<(usize, usize, usize)>| -> Option<()> {
        let Some((start, end, line)) = region else {
            return Some(());
        };
        let old = whole_old.get(start..end)?;
        let new = old.replace(pair.old.as_ref(), &pair.new);
        let new_line = i64::try_from(line).ok()?.saturating_add(shift);
        shift += line_feeds(new.as_bytes()) - line_feeds(old.as_bytes());
        let mut expanded = Pair::new(old.to_owned(), new);
        expanded.hint.old_line = u32::try_from(line).ok();
        expanded.hint.new_line = u32::try_from(new_line).ok();
        expanded.hint.replace_all = true;
        pairs.push(expanded);
        Some(())
    };
    for at in memmem::find_iter(bytes, pair.old.as_bytes()) {
        let after = at + pair.old.len();
        let inside = region.is_some_and(|(_, end, _)| at < end);
        let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |lf| lf + 1);
        let last = if pair.old.ends_with('\n') {
            after - 1
        } else {
            after
        };
        let end = memchr::memchr(b'\n', &bytes[last..]).map_or(bytes.len(), |lf| last + lf + 1);
        if inside {
            region = region.map(|(start, old_end, line)| (start, old_end.max(end), line));
            continue;
        }
        flush(region.take())?;
        line += memchr::memchr_iter(b'\n', &bytes[counted..start]).count();
        counted = start;
        region = Some((start, end, line));
    }
    region?;
    flush(region)?;
    Some(pairs)
}

fn line_feeds(bytes: &[u8]) -> i64 {
    i64::try_from(memchr::memchr_iter(b'\n', bytes).count()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{apply_pairs, expand_replace_all};
    use crate::profile::acp::facts::Pair;

    fn pair(old: &str, new: &str, old_line: Option<u32>, replace_all: bool) -> Pair<'static> {
        let mut pair = Pair::new(old.to_owned(), new.to_owned());
        pair.hint.old_line = old_line;
        pair.hint.replace_all = replace_all;
        pair
    }

    #[test]
    fn only_a_certain_place_takes_an_edit() {
        let apply = |pairs: &[Pair<'_>]| apply_pairs("a foo\nb foo\n", pairs);
        assert_eq!(apply(&[pair("foo", "x", None, false)]), None);
        assert_eq!(
            apply(&[pair("a foo", "x", None, false)]).as_deref(),
            Some("x\nb foo\n")
        );
        assert_eq!(
            apply(&[pair("foo", "x", None, true)]).as_deref(),
            Some("a x\nb x\n")
        );
        assert_eq!(
            apply(&[pair("foo", "x", Some(1), false)]).as_deref(),
            Some("a foo\nb x\n")
        );
        assert_eq!(apply(&[pair("none", "x", None, true)]), None);
        assert_eq!(apply(&[pair("", "x", None, false)]), None);
    }

    #[test]
    fn places_of_one_line_are_one_pair() {
        let expanded =
            expand_replace_all("foo foo\nx\nfoo", &pair("foo", "b\nc", None, true)).unwrap();
        let shown: Vec<_> = expanded
            .iter()
            .map(|pair| {
                (
                    pair.old.as_ref(),
                    pair.new.as_ref(),
                    pair.hint.old_line,
                    pair.hint.new_line,
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("foo foo\n", "b\nc b\nc\n", Some(0), Some(0)),
                ("foo", "b\nc", Some(2), Some(4))
            ]
        );
        assert_eq!(expand_replace_all("x", &pair("foo", "", None, true)), None);
    }

    proptest! {
        #[test]
        fn expanded_places_give_the_same_text(text in "[ab\n]{0,30}", old in "[ab\n]{1,2}", new in "[ab\n]{0,2}") {
            if let Some(pairs) = expand_replace_all(&text, &pair(&old, &new, None, true)) {
                let spliced = apply_pairs(&text, &pairs);
                prop_assert_eq!(spliced, Some(text.replace(&old, &new)));
            }
        }
    }
}
