//! A git patch of several files, taken apart by file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// How many leading directories of an absolute path are tried away to find it in a patch.
const DEEPEST_ROOT: usize = 64;

/// Gives each path the part of `patch` that is about it, `None` where no part can be told.
///
/// Paths of the wire are absolute and those in a patch relative to a root that nobody names, so a
/// part belongs to the path that ends like it. Where that fails and there are as many parts as
/// paths, they are taken in order.
pub(super) fn parts_for<'a>(patch: &Cow<'a, str>, paths: &[&str]) -> Vec<Option<Cow<'a, str>>> {
    if paths.len() == 1 {
        return vec![Some(patch.clone())];
    }
    let parts = parts(patch);
    let by_path: HashMap<&str, usize> = parts
        .iter()
        .enumerate()
        .filter_map(|(index, range)| Some((path_of(&patch[range.clone()])?, index)))
        .collect();
    paths
        .iter()
        .enumerate()
        .map(|(index, path)| {
            let found = suffixes(path).find_map(|suffix| by_path.get(suffix).copied());
            let index = found.or((parts.len() == paths.len()).then_some(index))?;
            Some(slice(patch, parts[index].clone()))
        })
        .collect()
}

/// Byte ranges of the parts, each from its `diff --git` line to the next.
fn parts(patch: &str) -> Vec<Range<usize>> {
    let mut starts: Vec<usize> = memchr::memmem::find_iter(patch.as_bytes(), "diff --git ")
        .filter(|&start| start == 0 || patch.as_bytes()[start - 1] == b'\n')
        .collect();
    if starts.is_empty() {
        starts.push(0);
    }
    let ends = starts.iter().skip(1).copied().chain([patch.len()]);
    let ranges = starts.iter().zip(ends).map(|(&start, end)| start..end);
    ranges.collect()
}

/// The path that a part is about, relative to the root of the patch: the new one, or the old one
/// where the file is gone.
fn path_of(part: &str) -> Option<&str> {
    let mut old = None;
    for line in part.lines().take_while(|line| !line.starts_with("@@")) {
        if let Some(path) = line.strip_prefix("rename to ") {
            return Some(path);
        }
        if let Some(path) = line.strip_prefix("+++ b/") {
            return Some(path.trim_end_matches('\t'));
        }
        if let Some(path) = line.strip_prefix("--- a/") {
            old = Some(path.trim_end_matches('\t'));
        }
    }
    old
}

/// `path` itself, then without its first component, and so on.
fn suffixes(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |rest| {
        rest.split_once(['/', '\\']).map(|(_, rest)| rest)
    })
    .take(DEEPEST_ROOT)
}

fn slice<'a>(text: &Cow<'a, str>, range: Range<usize>) -> Cow<'a, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[range]),
        Cow::Owned(text) => Cow::Owned(text[range].to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-x\n+y\n\
                       diff --git a/b.rs b/b.rs\ndeleted file mode 100644\n--- a/b.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-z\n";

    fn check(patch: &str, paths: &[&str], expect: &[Option<&str>]) {
        let parts = parts_for(&Cow::Borrowed(patch), paths);
        let first_lines: Vec<Option<&str>> = parts
            .iter()
            .map(|part| part.as_deref().and_then(|part| part.lines().next()))
            .collect();
        assert_eq!(first_lines, expect);
    }

    #[test]
    fn parts_go_to_the_paths_that_end_like_them() {
        let first = Some("diff --git a/src/a.rs b/src/a.rs");
        let second = Some("diff --git a/b.rs b/b.rs");
        check(TWO, &["/ws/b.rs", "/ws/src/a.rs"], &[second, first]);
        check(
            TWO,
            &["/ws/b.rs", "/ws/c.rs", "/ws/d.rs"],
            &[second, None, None],
        );
    }

    #[test]
    fn unknown_names_are_taken_in_order() {
        let quoted =
            "diff --git \"a/\\303\" \"b/\\303\"\n@@ -1 +1 @@\ndiff --git \"a/q\" \"b/q\"\n";
        check(
            quoted,
            &["/ws/é", "/ws/q"],
            &[
                Some("diff --git \"a/\\303\" \"b/\\303\""),
                Some("diff --git \"a/q\" \"b/q\""),
            ],
        );
    }

    #[test]
    fn one_path_gets_the_whole_patch() {
        check("@@ -1 +1 @@\n-a\n+b\n", &["/ws/a"], &[Some("@@ -1 +1 @@")]);
    }
}
