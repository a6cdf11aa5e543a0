//! Every recorded trace against the files that the agent left behind: each hunk lies on lines that
//! a comparison of the files before and after finds changed, and these lines have a hunk.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use activity_core::model::Activity;
use activity_core::placing::{Hunk, HunkKind, Limits, PlaceInput, State, place};
use activity_core::session::Options;
use editor_server::replay::Recording;
use serde_json::Value;

/// Files that a recorded agent also changed through its shell, which no tool call declares.
const CHANGED_BY_COMMANDS: [(&str, &str); 2] = [("", "notes.txt"), ("openclaw", "foo.txt")];

/// In two dialects a moved file is named by its new path alone.
const MOVED: (&str, &str) = ("src/new_name.txt", "src/old_name.txt");

/// What the files say about the hunks of one file of one trace.
#[derive(Debug, Default)]
struct Row {
    states: BTreeMap<String, usize>,
    /// Lines of shown hunks that are as before, or seams where nothing was removed.
    misplaced: Vec<String>,
    /// Changed lines without a hunk.
    uncovered: Vec<String>,
    /// Every activity carries text.
    declares_text: bool,
    /// Hunks in other states than `InPlace`, `Moved`, `Replaced` and `Deleted`.
    not_placed: usize,
}

fn traces() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/traces");
    let mut traces: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "ndjson")
        })
        .collect();
    traces.sort();
    traces
}

/// The files before and after a trace; a replay has those of the session it replays.
fn files_of(trace: &Path) -> Option<(BTreeMap<String, String>, BTreeMap<String, String>)> {
    let stem = trace.file_stem()?.to_str()?;
    let stem = stem.strip_suffix("-load").unwrap_or(stem);
    let json = fs::read_to_string(trace.with_file_name(format!("{stem}.files.json"))).ok()?;
    let files: Value = serde_json::from_str(&json).unwrap();
    let side = |name: &str| serde_json::from_value(files[name].clone()).unwrap();
    Some((side("before"), side("after")))
}

/// The activities of a file in order, with those of the path it had before a move.
fn activities_of(activities: &[Arc<Activity>], path: &str) -> Vec<Arc<Activity>> {
    let mut names: BTreeSet<&str> = BTreeSet::from([path]);
    let mut own: Vec<Arc<Activity>> = Vec::new();
    for activity in activities.iter().rev() {
        if names.contains(&*activity.relative_path) {
            own.push(Arc::clone(activity));
            if let Some(from) = activity.from_path.as_deref() {
                names.insert(from);
            }
        }
    }
    own.reverse();
    own
}

/// For two texts: which lines of the second are not in a longest common subsequence, and where
/// lines of the first are missing (the line of the second below the gap).
fn changed_lines(before: &str, after: &str) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let old: Vec<&str> = before.lines().collect();
    let new: Vec<&str> = after.lines().collect();
    let mut common = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for (i, a) in old.iter().enumerate().rev() {
        for (j, b) in new.iter().enumerate().rev() {
            common[i][j] = if a == b {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let (mut changed, mut gaps) = (BTreeSet::new(), BTreeSet::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            i += 1;
            j += 1;
        } else if j < new.len() && (i == old.len() || common[i][j + 1] >= common[i + 1][j]) {
            changed.insert(j);
            j += 1;
        } else {
            gaps.insert(j);
            i += 1;
        }
    }
    (changed, gaps)
}

fn examine(before: &str, after: &str, hunks: &[Hunk]) -> Row {
    let (changed, gaps) = changed_lines(before, after);
    let lines: Vec<&str> = after.lines().collect();
    let mut row = Row::default();
    let mut covered: BTreeSet<usize> = BTreeSet::new();
    let mut whole_file = false;
    for hunk in hunks {
        let kind = if hunk.kind == HunkKind::WholeFile {
            " (file)"
        } else {
            ""
        };
        *row.states
            .entry(format!("{:?}{kind}", hunk.state))
            .or_default() += 1;
        whole_file |= hunk.kind == HunkKind::WholeFile
            && matches!(hunk.state, State::InPlace | State::Edited);
        row.not_placed += usize::from(matches!(
            hunk.state,
            State::Edited | State::Reverted | State::Ambiguous | State::NotFound(_)
        ));
        if !hunk.state.is_shown() {
            continue;
        }
        for span in &hunk.spans {
            let range = span.lines.start as usize..span.lines.end as usize;
            // What a deletion took and others put back beside it is no gap any more.
            let near = |line: usize| gaps.contains(&line) || changed.contains(&line);
            if span.is_seam() && !near(range.start) && !near(range.start.saturating_sub(1)) {
                row.misplaced.push(format!("seam at {}", range.start));
            }
            for line in range {
                covered.insert(line);
                if !changed.contains(&line) {
                    row.misplaced.push(format!("{line}: {}", lines[line]));
                }
            }
        }
    }
    if !whole_file {
        row.uncovered = changed
            .difference(&covered)
            .map(|line| lines[*line].to_owned())
            .collect();
    }
    row
}

/// The rows of one trace, by file.
fn rows_of(trace: &Path) -> BTreeMap<String, Row> {
    let Some((before, after)) = files_of(trace) else {
        return BTreeMap::new();
    };
    let (recording, end) = Recording::read(
        BufReader::new(File::open(trace).unwrap()),
        Options::default(),
    );
    end.unwrap();
    let activities: Vec<Arc<Activity>> = recording
        .sessions()
        .iter()
        .flat_map(|session| session.session.activities())
        .collect();
    let mut rows = BTreeMap::new();
    for (path, text) in &after {
        let own = activities_of(&activities, path);
        if own.is_empty() {
            continue;
        }
        let inputs = PlaceInput::of_activities(own.iter().map(|activity| &**activity));
        let placement = place(text, &inputs, Limits::default());
        let old = match (before.get(path), path.as_str() == MOVED.0) {
            (None, true) => before.get(MOVED.1),
            (old, _) => old,
        };
        let mut row = examine(old.map_or("", String::as_str), text, placement.hunks());
        row.declares_text = own.iter().all(|activity| !activity.fragments.is_empty());
        rows.insert(path.clone(), row);
    }
    rows
}

/// Whether only the file tools touched a file, as far as the recorded scenario goes.
fn is_declared(trace: &str, path: &str, row: &Row) -> bool {
    let by_command = CHANGED_BY_COMMANDS
        .iter()
        .any(|(agent, file)| trace.starts_with(agent) && path == *file);
    // In `wsdiff` the agent works in another directory than the one it names.
    !by_command && !trace.contains("wsdiff") && row.declares_text
}

#[test]
fn every_hunk_of_a_recorded_trace_is_on_its_lines() {
    let mut table = String::new();
    let mut faults = 0;
    let mut files = 0;
    for trace in traces() {
        let name = trace.file_stem().unwrap().to_string_lossy().into_owned();
        for (path, row) in rows_of(&trace) {
            files += 1;
            let states: Vec<String> = row
                .states
                .iter()
                .map(|(state, count)| format!("{count} {state}"))
                .collect();
            let _ = write!(table, "{name} | {path} | {}", states.join(", "));
            let mut is_wrong = !row.misplaced.is_empty();
            if is_declared(&name, &path, &row) {
                is_wrong |= row.not_placed > 0 || !row.uncovered.is_empty();
            } else {
                table.push_str(" | also changed otherwise");
            }
            if is_wrong {
                faults += 1;
                let (misplaced, uncovered) = (&row.misplaced, &row.uncovered);
                let _ = write!(table, " | WRONG {misplaced:?} | WITHOUT HUNK {uncovered:?}");
            }
            table.push('\n');
        }
    }
    println!("{table}");
    assert!(files > 100, "the recorded traces are there");
    assert_eq!(faults, 0, "{table}");
}
