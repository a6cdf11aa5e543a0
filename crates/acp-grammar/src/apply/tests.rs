//! Applying held against a model that is slow and plain, and what holds for every file.

use proptest::prelude::*;

use super::*;
use crate::patch::{ChunkLine, Patch, parse};
use crate::work;

fn patch_of(body: &str) -> String {
    format!("*** Begin Patch\n*** Update File: f\n{body}*** End Patch")
}

fn chunks_of<'a>(patch: &Patch<'a>) -> Vec<Chunk<'a>> {
    patch.chunks().cloned().collect()
}

/// A few words, so that files and chunks often agree, exactly or loosely.
fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a",
        "b",
        "  a",
        "a ",
        "\ta",
        "",
        " ",
        "say \"x\"",
        "say \u{201C}x\u{201D}",
        "a-b",
        "a\u{2014}b",
    ])
    .prop_map(str::to_owned)
}

fn file() -> impl Strategy<Value = String> {
    let line = (word(), prop::sample::select(vec!["\n", "\r\n"]));
    (
        prop::collection::vec(line, 0..12),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(lines, bom, open)| {
            let mut text = lines
                .into_iter()
                .fold(String::new(), |text, (line, ending)| text + &line + ending);
            if open {
                text.truncate(text.trim_end_matches(['\r', '\n']).len());
            }
            if bom { format!("\u{feff}{text}") } else { text }
        })
}

/// The body of an update: chunks with and without context, some with the End-of-File flag.
fn body() -> impl Strategy<Value = String> {
    let line = (prop::sample::select(vec![" ", "-", "+"]), word());
    let context = prop::option::weighted(0.2, word());
    let chunk = (
        context,
        prop::collection::vec(line, 1..5),
        prop::bool::weighted(0.2),
    );
    prop::collection::vec(chunk, 1..4).prop_map(|chunks| {
        let mut body = String::new();
        for (context, lines, end_of_file) in chunks {
            body += &context.map_or("@@\n".to_owned(), |context| format!("@@ {context}\n"));
            for (marker, text) in lines {
                body = body + marker + &text + "\n";
            }
            if end_of_file {
                body += "*** End of File\n";
            }
        }
        body
    })
}

/// The lines of a file without endings and mark, as the model sees them.
fn model_lines(text: &str) -> Vec<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines: Vec<&str> = text
        .split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    lines
}

fn model_seek(lines: &[&str], old: &[&str], from: usize) -> Option<usize> {
    Tier::ALL.into_iter().find_map(|tier| {
        let equal = |one: &[&str]| {
            let mut pairs = one.iter().zip(old);
            pairs.all(|(a, b)| tier.normal(a) == tier.normal(b))
        };
        (from..=lines.len().checked_sub(old.len())?).find(|at| equal(&lines[*at..*at + old.len()]))
    })
}

/// The lines after applying, and whether all chunks fit: straight from the rules, with no care for
/// speed or bytes.
fn model(lines: &[&str], chunks: &[Chunk<'_>], dialect: Dialect) -> Option<Vec<String>> {
    let mut cursor = 0;
    // Lines that go before line n, and lines that are gone.
    let mut inserted: Vec<Vec<String>> = vec![Vec::new(); lines.len() + 1];
    let mut gone = vec![false; lines.len()];
    for chunk in chunks {
        let context = chunk.context.filter(|context| !context.is_empty());
        if let Some(context) = context {
            cursor = model_seek(lines, &[context], cursor)? + 1;
        }
        let mut script: Vec<ChunkLine<'_>> = chunk.lines.iter().collect();
        let mut at = None;
        let mut moves = true;
        if script.iter().all(|line| line.old().is_none()) {
            let end = lines.len() - usize::from(lines.last() == Some(&""));
            let behind = dialect != Dialect::Codex && context.is_some() && !chunk.end_of_file;
            at = Some(if behind { cursor } else { end });
            moves = dialect != Dialect::Codex;
        }
        for retry in [false, true] {
            let old: Vec<&str> = script.iter().filter_map(|line| line.old()).collect();
            if at.is_none() && old.is_empty() {
                at = Some(cursor);
                moves = false;
            }
            if at.is_none() && chunk.end_of_file {
                at = lines
                    .len()
                    .checked_sub(old.len())
                    .filter(|last| *last >= cursor)
                    .and_then(|last| model_seek(lines, &old, last));
            }
            at = at.or_else(|| model_seek(lines, &old, cursor));
            if at.is_some() || retry || old.last() != Some(&"") {
                break;
            }
            let last = script.iter().rposition(|line| line.old().is_some())?;
            match script[last] {
                ChunkLine::Context(_) => script[last] = ChunkLine::Added(""),
                _ => drop(script.remove(last)),
            }
            let last = script.iter().rposition(|line| line.new_side().is_some());
            if let Some(last) = last.filter(|last| script[*last].new_side() == Some("")) {
                match script[last] {
                    ChunkLine::Context(_) => script[last] = ChunkLine::Removed(""),
                    _ => drop(script.remove(last)),
                }
            }
        }
        let mut line = at?;
        let start = line;
        // Where lines go that stand beside removed ones: before the first of these.
        let mut change = line;
        for step in script {
            match step {
                ChunkLine::Context(_) => {
                    line += 1;
                    change = line;
                }
                ChunkLine::Removed(_) => {
                    gone[line] = true;
                    line += 1;
                }
                ChunkLine::Added(text) => {
                    let text = if line == 0 {
                        text.trim_start_matches('\u{feff}')
                    } else {
                        text
                    };
                    inserted[change].push(text.to_owned());
                }
            }
        }
        if line > start || moves {
            cursor = line;
        }
    }
    let mut new = Vec::new();
    for (at, added) in inserted.into_iter().enumerate() {
        new.extend(added);
        if let Some(line) = lines.get(at).filter(|_| !gone[at]) {
            new.push((*line).to_owned());
        }
    }
    Some(new)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn the_lines_are_those_of_the_model(file in file(), body in body()) {
        let payload = patch_of(&body);
        let patch = parse(&payload, Dialect::Openclaw).expect("the body parses");
        let chunks = chunks_of(&patch);
        for dialect in [Dialect::Openclaw, Dialect::Codex] {
            let expected = model(&model_lines(&file), &chunks, dialect);
            let applied = apply(&file, &chunks, dialect);
            let actual = applied.as_ref().ok().map(|applied| model_lines(&applied.new_text));
            // A new blank last line of a file without final newline cannot be seen in its bytes.
            let trimmed = |lines: Vec<String>| {
                let mut lines = lines;
                while lines.last().is_some_and(String::is_empty) {
                    lines.pop();
                }
                lines
            };
            let actual = actual.map(|lines| lines.into_iter().map(str::to_owned).collect());
            prop_assert_eq!(actual.map(&trimmed), expected.map(&trimmed), "{}", dialect);
        }
    }

    #[test]
    fn lines_outside_the_hunks_keep_their_bytes(file in file(), body in body()) {
        let payload = patch_of(&body);
        let patch = parse(&payload, Dialect::Openclaw).expect("the body parses");
        let chunks = chunks_of(&patch);
        for dialect in [Dialect::Openclaw, Dialect::Codex] {
            let Ok(applied) = apply(&file, &chunks, dialect) else { continue };
            prop_assert_eq!(
                applied.new_text.starts_with('\u{feff}'),
                file.starts_with('\u{feff}')
            );
            let lines = |text: &'_ str| -> Vec<String> {
                let text = text.strip_prefix('\u{feff}').unwrap_or(text);
                text.split_inclusive('\n').map(str::to_owned).collect()
            };
            let (old, new) = (lines(&file), lines(&applied.new_text));
            let mut hunks = applied.hunks;
            hunks.sort_by_key(|hunk| (hunk.old.start, hunk.old.end));
            let (mut at_old, mut at_new) = (0, 0);
            for hunk in hunks {
                prop_assert!(hunk.old.start <= hunk.old.end && hunk.new.start <= hunk.new.end);
                if hunk.old.start < at_old {
                    // An insertion among the lines of another chunk.
                    continue;
                }
                for (one, other) in (at_old..hunk.old.start).zip(at_new..hunk.new.start) {
                    let (one, other) = (&old[one], &new[other]);
                    // A last line without ending gets one when lines follow it.
                    let same = one == other || !one.ends_with('\n') && other.starts_with(one.as_str());
                    prop_assert!(same, "{:?} {:?}", one, other);
                }
                (at_old, at_new) = (hunk.old.end, hunk.new.end);
            }
        }
    }

    #[test]
    fn one_changed_line_changes_only_its_own_bytes(
        lines in prop::collection::vec(
            ("[a-z\u{e9} \r]{0,6}", prop::sample::select(vec!["\n", "\r\n"])), 1..8),
        bom in any::<bool>(),
        open in any::<bool>(),
        pick in any::<prop::sample::Index>(),
    ) {
        // Each line is its own, and none ends with a CR of its own.
        let mut lines: Vec<(String, &str)> = lines
            .into_iter()
            .enumerate()
            .map(|(n, (text, ending))| (format!("{n}{text}{n}"), ending))
            .collect();
        if open && let Some(last) = lines.last_mut() {
            last.1 = "";
        }
        let join = |lines: &[(String, &str)]| {
            let mark = if bom { "\u{feff}" } else { "" };
            lines.iter().fold(mark.to_owned(), |text, (line, ending)| text + line + ending)
        };
        let file = join(&lines);
        let changed = pick.index(lines.len());
        let payload = patch_of(&format!("@@\n-{}\n+new\n", lines[changed].0));
        let patch = parse(&payload, Dialect::Openclaw).expect("the body parses");
        let applied = apply(&file, &chunks_of(&patch), Dialect::Openclaw).expect("the line fits");
        lines[changed].0 = "new".to_owned();
        prop_assert_eq!(applied.new_text, join(&lines));
    }

    #[test]
    fn any_bytes_are_applied_without_panic(data in prop::collection::vec(any::<u8>(), 0..200)) {
        fuzz_apply(&data);
    }

    #[test]
    fn any_file_and_body_are_applied_without_panic(file in ".{0,40}", body in body()) {
        fuzz_apply(format!("{file}\0{body}").as_bytes());
    }
}

#[test]
fn many_chunks_in_a_long_file_cost_linear_work() {
    let lines = 20_000;
    let file: String = (0..lines).fold(String::new(), |text, n| text + &format!("\tline {n}\n"));
    // Every chunk matches only in the third tier, so two tiers miss before it.
    let body: String = (0..lines).step_by(2).fold(String::new(), |text, n| {
        text + &format!("@@\n-line {n}\n+new {n}\n")
    });
    let payload = patch_of(&body);
    let patch = parse(&payload, Dialect::Codex).expect("the body parses");
    let chunks = chunks_of(&patch);
    let steps = work::count(|| drop(apply(&file, &chunks, Dialect::Codex)));
    // Reading the chunks again costs their bytes; the searches hardly add to it.
    assert!(steps <= payload.len() + lines, "{steps}");
}

#[test]
fn equal_lines_do_not_multiply_the_work() {
    let lines = 20_000;
    let file = "same\n".repeat(lines);
    let body = format!("@@\n{}-other\n", " same\n".repeat(lines / 2));
    let payload = patch_of(&body);
    let patch = parse(&payload, Dialect::Codex).expect("the body parses");
    let chunks = chunks_of(&patch);
    // A few passes over file and chunk in each tier, never their product.
    let steps = work::count(|| {
        apply(&file, &chunks, Dialect::Codex).expect_err("a line is missing");
    });
    assert!(steps <= 16 * lines, "{steps}");
    let body = format!("@@\n{} other\n", " same\n".repeat(lines / 2));
    let file = format!("{file}other\n");
    let payload = patch_of(&body);
    let patch = parse(&payload, Dialect::Codex).expect("the body parses");
    let chunks = chunks_of(&patch);
    let steps = work::count(|| drop(apply(&file, &chunks, Dialect::Codex)));
    assert!(steps <= 16 * lines, "{steps}");
}

#[test]
fn the_seeds_of_the_fuzz_target_hold() {
    fuzz_apply(include_bytes!(
        "../../../../tests/fuzz/seeds/patch_apply/loose"
    ));
    fuzz_apply(include_bytes!(
        "../../../../tests/fuzz/seeds/patch_apply/open_end"
    ));
}
