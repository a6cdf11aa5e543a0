//! What a change did to a text: hunks of changed lines with their context.
//!
//! The hunks are computed from the texts before and after, when a tool has done its work, so they show
//! what was applied and not what was asked for.

mod anchors;
mod myers;

use serde_json::{Value, json};

pub(crate) use myers::{Op, diff};

/// Unchanged lines around a change.
const CONTEXT: usize = 3;

/// One changed region of a file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct HunkDiff {
    /// The path as the tool was given it.
    pub path: String,
    /// Context and removed lines joined with LF, without a final newline; `None` if there are no
    /// lines at all.
    pub old_text: Option<String>,
    /// Context and added lines joined with LF, without a final newline.
    pub new_text: String,
}

/// The hunks between two texts with LF endings.
///
/// Each has up to three lines of context; changes that are at most six unchanged lines apart share a
/// hunk. Deletions come before insertions, and among equal lines the last ones count as changed. Two
/// texts that differ only in the final newline give a hunk with equal sides.
pub fn hunk_diffs(path: &str, before: &str, after: &str) -> Vec<HunkDiff> {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let ops = diff(&old, &new);
    group(&ops)
        .into_iter()
        .map(|hunk| HunkDiff {
            path: path.to_owned(),
            old_text: (!hunk.old.is_empty()).then(|| join(old.get(hunk.old).unwrap_or_default())),
            new_text: join(new.get(hunk.new).unwrap_or_default()),
        })
        .collect()
}

/// The private data that a tool result carries, so that a replay shows the same hunks.
///
/// `None` if there are no hunks: a create, a file that is no text, or no change.
pub fn diffs_to_meta(diffs: &[HunkDiff]) -> Option<Value> {
    let entry = |diff: &HunkDiff| json!({"path": diff.path, "oldText": diff.old_text, "newText": diff.new_text});
    (!diffs.is_empty()).then(|| json!({"diffs": diffs.iter().map(entry).collect::<Vec<_>>()}))
}

/// Reads what [`diffs_to_meta`] wrote; `None` unless it is a non-empty list of well-formed entries.
pub fn diffs_from_meta(meta: &Value) -> Option<Vec<HunkDiff>> {
    let entries = meta.get("diffs")?.as_array()?;
    let diffs: Option<Vec<HunkDiff>> = entries
        .iter()
        .map(|entry| {
            Some(HunkDiff {
                path: entry.get("path")?.as_str()?.to_owned(),
                old_text: match entry.get("oldText")? {
                    Value::Null => None,
                    text => Some(text.as_str()?.to_owned()),
                },
                new_text: entry.get("newText")?.as_str()?.to_owned(),
            })
        })
        .collect();
    diffs.filter(|diffs| !diffs.is_empty())
}

/// The lines of one hunk on both sides, as indexes from 0.
struct Hunk {
    old: std::ops::Range<usize>,
    new: std::ops::Range<usize>,
}

fn group(ops: &[Op]) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    for op in ops {
        let (old, new) = match *op {
            Op::Equal { .. } => continue,
            Op::Delete { old, new, len } => (old..old + len, new..new),
            Op::Insert { old, new, len } => (old..old, new..new + len),
        };
        match hunks.last_mut() {
            Some(last) if old.start - last.old.end <= 2 * CONTEXT => {
                last.old.end = old.end;
                last.new.end = new.end;
            }
            _ => hunks.push(Hunk { old, new }),
        }
    }
    let (n_old, n_new) = ops.last().map_or((0, 0), |op| op.ends());
    for hunk in &mut hunks {
        let before = CONTEXT.min(hunk.old.start).min(hunk.new.start);
        let after = CONTEXT.min(n_old - hunk.old.end).min(n_new - hunk.new.end);
        hunk.old = hunk.old.start - before..hunk.old.end + after;
        hunk.new = hunk.new.start - before..hunk.new.end + after;
    }
    hunks
}

/// The lines without their terminators, joined with LF.
fn join(lines: &[&str]) -> String {
    let lines: Vec<&str> = lines
        .iter()
        .map(|line| line.strip_suffix('\n').unwrap_or(line))
        .collect();
    lines.join("\n")
}
