//! Placing and moving 1,000 hunks in a text of 100,000 lines and 5 MB, each against a yardstick
//! measured in the same run. Prints one line for each case; nothing here judges the ratios.
#![allow(clippy::print_stdout, reason = "the output is the result")]

use std::fmt::Write;
use std::hint::black_box;
use std::time::Duration;

use activity_core::marks::{Edit, Lines, Marks};
use activity_core::model::{Action, Evidence, Fragment, Hint};
use activity_core::placing::{Limits, PlaceInput, place};

const LINES: usize = 100_000;
const HUNKS: usize = 1_000;
const ROUNDS: usize = 15;

fn main() {
    let text = source(|line| format!("    let value_{line} = compute_something({line}, other);"));
    let copy = fastest(|| {
        black_box(black_box(&text).clone());
    });
    println!(
        "text: {} lines, {} bytes; copying it: {copy:?}",
        LINES,
        text.len()
    );

    report(
        "place, context and line hints",
        &text,
        copy,
        &edits(&text, 3, true),
    );
    report(
        "place, context, no hints",
        &text,
        copy,
        &edits(&text, 3, false),
    );
    report(
        "place, one line without ending",
        &text,
        copy,
        &edits(&text, 0, false),
    );
    report("place, part of a line", &text, copy, &parts());
    report("place, short texts that are gone", &text, copy, &gone());
    report("place, lines that were typed into", &text, copy, &typed());

    let equal = source(|_| "    the same text in every one of its many lines;;".to_owned());
    report(
        "place, all lines equal",
        &equal,
        copy,
        &edits(&equal, 3, true),
    );
    report(
        "place, all lines equal, no hints",
        &equal,
        copy,
        &edits(&equal, 3, false),
    );
    let blocks =
        source(|line| format!("    statement number {} of the repeated block;", line % 100));
    report(
        "place, 1,000 identical blocks",
        &blocks,
        copy,
        &edits(&blocks, 3, true),
    );
    report(
        "place, 1,000 identical blocks, no hints",
        &blocks,
        copy,
        &edits(&blocks, 3, false),
    );

    let fragments = edits(&text, 3, true);
    let placed = place(&text, &inputs(&fragments), unlimited());
    let lines = Lines::new(&text);
    let mut marks = Marks::new(placed.hunks().to_vec());
    let keystroke = fastest(|| {
        let edit = Edit::measure(&lines, 40..40, "x");
        marks.apply(black_box(&edit));
    });
    let yardstick = fastest(|| {
        black_box(answer(marks.hunks().len()));
    });
    println!(
        "one keystroke applied to {HUNKS} hunks: {keystroke:?}, {:.2} x writing their lenses as JSON ({yardstick:?})",
        ratio(keystroke, yardstick),
    );
}

fn report(name: &str, text: &str, copy: Duration, fragments: &[Fragment]) {
    // `cargo bench --bench placing -- PART` runs the cases whose name has this part.
    if std::env::args()
        .nth(1)
        .is_some_and(|part| !part.starts_with("--") && !name.contains(&part))
    {
        return;
    }
    let inputs = inputs(fragments);
    let shown = place(text, &inputs, unlimited());
    let shown = shown
        .hunks()
        .iter()
        .filter(|hunk| hunk.shown_at().is_some())
        .count();
    let time = fastest(|| {
        black_box(place(black_box(text), &inputs, unlimited()));
    });
    println!(
        "{name}: {time:?}, {:.1} x copying the text ({shown} shown)",
        ratio(time, copy)
    );
}

fn source(line: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for number in 0..LINES {
        text.push_str(&line(number));
        text.push('\n');
    }
    text
}

/// Every hundredth line was changed, with so many lines of context around it.
fn edits(text: &str, context: usize, hinted: bool) -> Vec<Fragment> {
    let lines: Vec<&str> = text.lines().collect();
    let edit = |hunk: usize| {
        let at = hunk * (LINES / HUNKS) + 50;
        let new = &lines[at - context..=at + context];
        let mut old = new.to_vec();
        old[context] = "    the line that stood here before";
        let line = u32::try_from(at - context).ok();
        fragment(&old.join("\n"), &new.join("\n"), line.filter(|_| hinted))
    };
    (0..HUNKS).map(edit).collect()
}

/// Snippets as edit tools send them, which begin and end inside a line.
fn parts() -> Vec<Fragment> {
    let part = |hunk: usize| {
        let at = hunk * (LINES / HUNKS) + 50;
        fragment(
            &format!("old_{at} = some"),
            &format!("value_{at} = compute"),
            None,
        )
    };
    (0..HUNKS).map(part).collect()
}

fn gone() -> Vec<Fragment> {
    let gone = |hunk: usize| fragment(&format!("was {hunk}"), &format!("gone {hunk}\nboth"), None);
    (0..HUNKS).map(gone).collect()
}

/// Lines that stand with a word more in them.
fn typed() -> Vec<Fragment> {
    let typed = |hunk: usize| {
        let at = hunk * (LINES / HUNKS) + 50;
        let new = format!("    let value_{at} = compute_something({at});\n");
        fragment("    the line that stood here before\n", &new, None)
    };
    (0..HUNKS).map(typed).collect()
}

fn fragment(old: &str, new: &str, line: Option<u32>) -> Fragment {
    Fragment {
        old_text: old.into(),
        new_text: new.into(),
        sequence: 0,
        evidence: Evidence::Content,
        hint: Hint {
            new_line: line,
            ..Hint::default()
        },
    }
}

fn inputs(fragments: &[Fragment]) -> Vec<PlaceInput<'_>> {
    let input = |(call, fragment)| PlaceInput {
        fragment,
        action: Action::Modified,
        call,
        is_patch: false,
    };
    fragments.iter().enumerate().map(input).collect()
}

fn unlimited() -> Limits {
    Limits {
        max_lines: usize::MAX,
        max_bytes: usize::MAX,
    }
}

/// What a code lens answer for so many hunks looks like.
fn answer(hunks: usize) -> String {
    let mut json = String::new();
    for hunk in 0..hunks {
        let _ = write!(
            json,
            r#"{{"range":{{"start":{{"line":{hunk},"character":0}},"end":{{"line":{hunk},"character":0}}}},"command":{{"title":"turn 2: +3 -1","command":"acpLens.showDiff","arguments":["{hunk:016x}"]}}}},"#
        );
    }
    json
}

/// The shortest of several runs.
fn fastest(mut work: impl FnMut()) -> Duration {
    let times = (0..ROUNDS).map(|_| {
        let start = now();
        work();
        now().saturating_sub(start)
    });
    times.min().unwrap_or_default()
}

/// Time that this thread had a processor: others on the machine do not count.
#[cfg(unix)]
fn now() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Time since the first call; there is no processor time here.
#[cfg(not(unix))]
fn now() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

fn ratio(time: Duration, yardstick: Duration) -> f64 {
    time.as_secs_f64() / yardstick.as_secs_f64()
}
