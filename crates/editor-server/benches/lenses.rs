//! One keystroke in a text of 100,000 lines and 5 MB with 1,000 hunks: the change applied and the
//! whole answer to `textDocument/codeLens` made.
//!
//! The yardstick is writing that answer as JSON, in the same run.

#![expect(clippy::print_stdout, reason = "the table is what a bench is for")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use activity_core::model::{Action, Activity, Evidence, Fragment, Hint, PathStanding};
use editor_server::lsp::Keystroke;

const LINES: usize = 100_000;
const HUNKS: usize = 1_000;
const ROUNDS: u32 = 40;

fn main() {
    let (text, activities) = project();
    let mut keystroke = Keystroke::new(&text, activities);
    let mut best = [Duration::MAX; 3];
    let (mut lenses, mut bytes) = (0, 0);
    for round in 0..ROUNDS {
        // Lines without a hunk, all over the text. What it makes is freed inside the time, too.
        let line = round * 2_411 + 7;
        best[0] = best[0].min(time(|| drop(black_box(keystroke.strike(line)))));
        let answer = keystroke.strike(line + 1);
        best[1] = best[1].min(time(|| {
            bytes = black_box(serde_json::to_vec(&answer).unwrap_or_default()).len();
        }));
        // The library beneath makes values of an answer before it writes them.
        best[2] = best[2].min(time(|| {
            let value = serde_json::to_value(&answer).unwrap_or_default();
            drop(black_box(serde_json::to_vec(&value)));
        }));
        lenses = answer.map_or(0, |answer| answer.len());
    }
    let ratio = |time: Duration| time.as_secs_f64() / best[1].as_secs_f64();
    println!(
        "a keystroke and {lenses} lenses ({bytes} bytes): {:?}, writing them as JSON: {:?}, {:.2} x (at most 1.5 x)",
        best[0],
        best[1],
        ratio(best[0]),
    );
    println!(
        "and sending them as tower-lsp does: {:?} more, {:.2} x",
        best[2],
        ratio(best[0] + best[2]),
    );
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// The text after the agent, and what the agent did.
fn project() -> (String, Vec<Activity>) {
    let mut text = String::new();
    let mut activities = Vec::new();
    for line in 0..LINES {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "    let value_{line} = compute_something({line}, other);"
        );
        if line % (LINES / HUNKS) == 50 {
            let name = line / (LINES / HUNKS);
            activities.push(activity(name, line));
        }
    }
    (text, activities)
}

fn activity(index: usize, line: usize) -> Activity {
    let new_text = format!("    let value_{line} = compute_something({line}, other);\n");
    Activity {
        turn_id: format!("assistant-turn:tool:call-{}", index / 10).into(),
        tool_call_id: format!("call-{index}").into(),
        tool_name: "edit".into(),
        relative_path: "file.rs".into(),
        from_path: None,
        action: Action::Modified,
        fragments: vec![Fragment {
            old_text: Arc::from(new_text.replace("other", "another")),
            new_text: new_text.into(),
            sequence: u64::try_from(index).unwrap_or_default(),
            evidence: Evidence::Content,
            hint: Hint::default(),
        }],
        sequence: u64::try_from(index).unwrap_or_default(),
        standing: PathStanding::Known,
    }
}
