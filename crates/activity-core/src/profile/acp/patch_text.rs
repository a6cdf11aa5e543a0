//! Patches that come as text: the `apply_patch` envelope, unified diffs, and blocks of
//! search-and-replace.

use acp_grammar::patch::{self, Section};
use acp_grammar::unified::{self, FileDiff, Hunk};

use super::facts::{Facts, Operation, Pair};
use crate::model::{Evidence, Hint};

/// What a patch does, file by file. `None` when the text is no patch of any form.
///
/// Without headers of its own a patch concerns the one file of its call.
pub(super) fn facts_of_patch(text: &str, evidence: Evidence) -> Option<Vec<Facts<'_>>> {
    if is_envelope(text) {
        return Some(envelope(text, evidence)).filter(|facts| !facts.is_empty());
    }
    if let Some(files) = unified::read(text)
        .ok()
        .or_else(|| unified::read_leniently(text))
    {
        return Some(
            files
                .iter()
                .map(|file| facts_of_diff(file, evidence))
                .collect(),
        );
    }
    let pairs = search_replace(text);
    (!pairs.is_empty()).then(|| {
        vec![Facts {
            pairs,
            ..Facts::new(None, evidence)
        }]
    })
}

/// The text has a header of the `apply_patch` language.
pub(super) fn is_envelope(text: &str) -> bool {
    const HEADERS: &[&str] = &[
        "*** Begin Patch",
        "*** Add File:",
        "*** Update File:",
        "*** Delete File:",
    ];
    text.contains("***")
        && text
            .lines()
            .any(|line| HEADERS.iter().any(|header| line.trim().starts_with(header)))
}

fn envelope(text: &str, evidence: Evidence) -> Vec<Facts<'_>> {
    let sections = patch::parse_lenient(text).patch.sections;
    sections
        .iter()
        .map(|section| facts_of_section(section, evidence))
        .collect()
}

fn facts_of_section<'a>(section: &Section<'a>, evidence: Evidence) -> Facts<'a> {
    let mut facts = Facts::new(Some(section.path.into()), evidence);
    match &section.operation {
        patch::Operation::Add(lines) => {
            let contents = lines.contents();
            facts.operation = Some(Operation::Add);
            facts.whole_new_file = true;
            facts.pairs = vec![Pair::new("", contents.clone())];
            facts.whole_new = Some(contents.into());
        }
        patch::Operation::Delete => facts.operation = Some(Operation::Delete),
        patch::Operation::Update { move_to, chunks } => {
            facts.operation = Some(Operation::Update);
            if let Some(move_to) = move_to {
                facts.operation = Some(Operation::Move);
                facts.from = facts.path.replace((*move_to).into());
            }
            facts.pairs = chunks
                .iter()
                .map(|chunk| Pair {
                    hint: Hint {
                        context: chunk.context.map(Into::into),
                        end_of_file: chunk.end_of_file,
                        ..Hint::default()
                    },
                    ..Pair::new(chunk.lines.old_text(), chunk.lines.new_text())
                })
                .collect();
        }
    }
    facts
}

fn facts_of_diff<'a>(file: &FileDiff<'a>, evidence: Evidence) -> Facts<'a> {
    let path = file.new_path.or(file.old_path);
    let mut facts = Facts::new(path.map(Into::into), evidence);
    if file.deleted {
        facts.operation = Some(Operation::Delete);
    } else if file.created {
        facts.operation = Some(Operation::Add);
        facts.whole_new_file = file.hunks.len() <= 1;
        facts.whole_new = file.hunks.first().map(|hunk| hunk.new_text().into());
    } else if file.renamed {
        facts.operation = Some(Operation::Move);
        facts.from = file.old_path.map(Into::into);
    }
    facts.pairs = pairs_of_hunks(&file.hunks);
    facts.whole_new_file |= is_of_nothing(&facts.pairs);
    facts
}

/// The changes are added lines at the start, without a line around them: there was no file.
pub(super) fn is_of_nothing(pairs: &[Pair<'_>]) -> bool {
    let at_start = |hint: &Hint| (hint.old_line, hint.new_line) == (Some(0), Some(0));
    matches!(pairs, [pair] if pair.old.is_empty() && at_start(&pair.hint))
}

/// Each hunk as one pair, with the lines where it stands.
pub(super) fn pairs_of_hunks(hunks: &[Hunk<'_>]) -> Vec<Pair<'static>> {
    hunks
        .iter()
        .map(|hunk| Pair {
            hint: Hint {
                old_line: hunk.position.map(|at| at.old_line),
                new_line: hunk.position.map(|at| at.new_line),
                ..Hint::default()
            },
            ..Pair::new(hunk.old_text(), hunk.new_text())
        })
        .collect()
}

/// Blocks of `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE`, also with `-` and `+` as marks.
fn search_replace(text: &str) -> Vec<Pair<'static>> {
    enum Part {
        Outside,
        /// The head of a block, where a start line may stand.
        Head,
        Old,
        New,
    }
    let mut pairs = Vec::new();
    if !text.contains("SEARCH") {
        return pairs;
    }
    let mut part = Part::Outside;
    let mut pair = Pair::new("", "");
    for line in text.split_inclusive('\n') {
        let mark = line.trim_end();
        if is_mark(mark, &['<', '-'], "SEARCH") {
            pair = Pair::new("", "");
            part = Part::Head;
        } else if matches!(part, Part::Head | Part::Old) && is_mark(mark, &['='], "") {
            part = Part::New;
        } else if matches!(part, Part::New) && is_mark(mark, &['>', '+'], "REPLACE") {
            pairs.push(std::mem::replace(&mut pair, Pair::new("", "")));
            part = Part::Outside;
        } else {
            match part {
                Part::Outside => {}
                Part::Head if mark.starts_with(":end_line:") => {}
                Part::Head if mark.starts_with(":start_line:") => {
                    let number = mark
                        .trim_start_matches(":start_line:")
                        .trim()
                        .parse::<u32>()
                        .ok();
                    pair.hint.old_line = number.and_then(|number| number.checked_sub(1));
                }
                Part::Head if is_mark(mark, &['-'], "") => part = Part::Old,
                Part::Head | Part::Old => {
                    part = Part::Old;
                    pair.old.to_mut().push_str(line);
                }
                Part::New => pair.new.to_mut().push_str(line),
            }
        }
    }
    pairs
}

/// Five or more of one mark, then a word.
fn is_mark(line: &str, marks: &[char], word: &str) -> bool {
    marks.iter().any(|mark| {
        let rest = line.trim_start_matches(*mark);
        line.len() - rest.len() >= 5 && rest.trim_matches(['>', ' ']) == word
    })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::facts_of_patch;
    use crate::model::Evidence;

    fn check(text: &str, expect: &Expect) {
        let mut shown = String::new();
        for facts in facts_of_patch(text, Evidence::Input).unwrap_or_default() {
            let path = facts.path.as_deref().unwrap_or("?");
            let from = facts.from.as_deref().unwrap_or("-");
            writeln!(shown, "{path} from {from} {:?}", facts.operation).unwrap();
            for pair in &facts.pairs {
                writeln!(
                    shown,
                    "  {:?} -> {:?} {:?}",
                    pair.old, pair.new, pair.hint.old_line
                )
                .unwrap();
            }
        }
        expect.assert_eq(&shown);
    }

    #[test]
    fn an_envelope_names_its_files() {
        check(
            "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: c\n@@ fn x\n k\n-o\n+n\n*** Delete File: d\n*** End Patch",
            &expect![[r#"
                a from - Some(Add)
                  "" -> "x\n" None
                c from b Some(Move)
                  "k\no" -> "k\nn" None
                d from - Some(Delete)
            "#]],
        );
    }

    #[test]
    fn a_unified_diff_names_them_too() {
        check(
            "--- a/x\n+++ b/x\n@@ -3 +3 @@\n-o\n+n\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+y\n",
            &expect![[r#"
                x from - None
                  "o\n" -> "n\n" Some(2)
                y from - Some(Add)
                  "" -> "y\n" Some(0)
            "#]],
        );
    }

    #[test]
    fn search_and_replace_blocks_of_several_agents() {
        let blocks = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n------- SEARCH\nc\n=======\n+++++++ REPLACE\n\
            <<<<<<< SEARCH\n:start_line:7\n-------\nd\n=======\ne\n>>>>>>> REPLACE\n";
        check(
            blocks,
            &expect![[r#"
                ? from - None
                  "a\n" -> "b\n" None
                  "c\n" -> "" None
                  "d\n" -> "e\n" Some(6)
            "#]],
        );
    }

    #[test]
    fn prose_is_no_patch() {
        check("SEARCH for *** and ======= here\n--- a\n", &expect![""]);
    }
}
