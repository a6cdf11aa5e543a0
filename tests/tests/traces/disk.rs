//! What happened on disk, and how a listing compares with it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::listing::{self, ByCall, Change, Deed, Listing};

/// What the recorded shell commands did to files. No agent declares that, so a file that only they
/// changed is not listed, and a file that they changed as well need not hold the listed texts.
const SHELL_EFFECTS: &[(&str, &[&str])] = &[
    ("rm -f obsolete.txt", &["obsolete.txt"]),
    (">> notes.txt", &["notes.txt"]),
    ("sed -i 's/foo/baz/g' foo.txt", &["foo.txt"]),
    ("rm -f existing.txt", &["existing.txt"]),
    ("open('gen.txt','w')", &["gen.txt"]),
    ("touch approved.txt", &["approved.txt"]),
    ("cp notes.txt copy.txt", &["copy.txt"]),
];

/// Changes of which the wire says less or something else than the disk shows.
const UNTOLD: &[(&str, &str, Untold)] = &[
    // A patch tool that is not atomic failed after this section; a notice names the file.
    ("openclaw", "src/partial.txt", Untold::Missing),
    // The diff of the move comes under the new path, and the old one is named nowhere.
    (
        "codex-acp-2.6.0-auto",
        "src/new_name.txt",
        Untold::Action("modified"),
    ),
    ("codex-acp-2.6.0-auto", "src/old_name.txt", Untold::Missing),
    (
        "codex-acp-2.6.0-nocaps",
        "src/new_name.txt",
        Untold::Action("modified"),
    ),
    (
        "codex-acp-2.6.0-nocaps",
        "src/old_name.txt",
        Untold::Missing,
    ),
    // `*** Add File:` over a file is told as an addition. Where the session saw the file before, that
    // is known better.
    ("codex-acp-2.6.0", "foo.txt", Untold::Action("created")),
    ("zed-codex-acp-0.16.0", "foo.txt", Untold::Action("created")),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Untold {
    /// Not listed.
    Missing,
    /// Listed with this action.
    Action(&'static str),
}

fn untold_of(trace: &str, path: &str) -> Option<Untold> {
    let mut known = UNTOLD.iter();
    let (.., untold) =
        known.find(|(prefix, name, _)| trace.starts_with(prefix) && *name == path)?;
    Some(*untold)
}

/// The workspace before and after a recorded session.
#[derive(Debug)]
pub(crate) struct Disk {
    before: BTreeMap<String, String>,
    after: BTreeMap<String, String>,
    by_shell: BTreeSet<String>,
}

impl Disk {
    pub(crate) fn read(trace: &str) -> Result<Self> {
        let files = listing::files(trace)?;
        let side = |name: &str| -> Result<BTreeMap<String, String>> {
            let side = files[name]
                .as_object()
                .with_context(|| format!("{trace}: {name}"))?;
            let text = |text: &Value| text.as_str().unwrap_or_default().to_owned();
            Ok(side
                .iter()
                .map(|(path, value)| (path.clone(), text(value)))
                .collect())
        };
        let commands = commands(&listing::text(trace)?)?;
        let effects = SHELL_EFFECTS
            .iter()
            .filter(|(effect, _)| commands.contains(effect));
        Ok(Self {
            before: side("before")?,
            after: side("after")?,
            by_shell: effects
                .flat_map(|(_, paths)| paths.iter().map(|path| (*path).to_owned()))
                .collect(),
        })
    }

    /// The action that the disk shows for a path; `None` when the file is as it was.
    fn action(&self, path: &str) -> Option<&'static str> {
        match (self.before.get(path), self.after.get(path)) {
            (None, Some(_)) => Some("created"),
            (Some(_), None) => Some("deleted"),
            (Some(before), Some(after)) if before != after => Some("modified"),
            _ => None,
        }
    }

    fn changed(&self) -> BTreeSet<&str> {
        let paths = self
            .before
            .keys()
            .chain(self.after.keys())
            .map(String::as_str);
        paths.filter(|path| self.action(path).is_some()).collect()
    }

    /// Listed paths that the disk does not show as changed.
    pub(crate) fn not_shown(&self, listing: &Listing) -> BTreeSet<String> {
        let listed = listing.changes.iter().map(|change| &change.path);
        listed
            .filter(|path| self.action(path).is_none())
            .cloned()
            .collect()
    }
}

/// The shell commands of a trace, as text.
fn commands(trace: &str) -> Result<String> {
    let mut commands = String::new();
    for line in trace.lines() {
        let message: Value = serde_json::from_str(line)?;
        let params = &message["msg"]["params"];
        for call in [&params["update"], &params["toolCall"]] {
            let input = &call["rawInput"];
            let runs =
                call["kind"] == "execute" || !input["command"].is_null() || !input["cmd"].is_null();
            if !runs {
                continue;
            }
            let texts = [&call["title"], &input["command"], &input["cmd"]].into_iter();
            let listed = input["command"].as_array().into_iter().flatten();
            for text in texts.chain(listed).filter_map(Value::as_str) {
                commands.push_str(text);
                commands.push('\n');
            }
        }
    }
    Ok(commands)
}

/// How a listing compares with the disk.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    found: usize,
    missed: Vec<String>,
    extra: Vec<String>,
    by_shell: Vec<String>,
    untold: Vec<String>,
    pub(crate) faults: Vec<String>,
}

impl Verdict {
    pub(crate) fn of(trace: &str, disk: &Disk, listing: &Listing) -> Self {
        let mut verdict = Self::default();
        let listed = last_by_path(listing);
        let moved_away: BTreeSet<&str> = listing
            .changes
            .iter()
            .filter_map(|change| change.from.as_deref())
            .collect();
        for path in disk.changed() {
            let action = disk.action(path).unwrap_or_default();
            let untold = untold_of(trace, path);
            match listed.get(path) {
                Some(changes) => {
                    let told = folded(changes, disk.before.contains_key(path));
                    let by_shell = disk.by_shell.contains(path);
                    if told == action {
                        verdict.found += 1;
                    } else if untold.is_some_and(|untold| untold == Untold::Action(told)) {
                        verdict.untold.push(format!("{path} {action} as {told}"));
                    } else if by_shell {
                        verdict.found += 1;
                    } else {
                        verdict
                            .faults
                            .push(format!("{path} is {action}, listed as {told}"));
                    }
                    if !by_shell {
                        verdict.faults.extend(missing_texts(path, changes, disk));
                    }
                }
                None if action == "deleted" && moved_away.contains(path) => verdict.found += 1,
                None if untold == Some(Untold::Missing) => verdict.untold.push(path.to_owned()),
                None if disk.by_shell.contains(path) => verdict.by_shell.push(path.to_owned()),
                None => verdict.missed.push(path.to_owned()),
            }
        }
        // In profile `openclaw` the reference decides; another test wants a notice for each.
        verdict.extra = disk.not_shown(listing).into_iter().collect();
        if !trace.starts_with("openclaw") {
            verdict
                .faults
                .extend(verdict.extra.iter().map(|path| format!("{path} is extra")));
        }
        verdict.faults.extend(
            verdict
                .missed
                .iter()
                .map(|path| format!("{path} is missed")),
        );
        verdict
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "found {}, missed {}, extra {}",
            self.found,
            self.missed.len(),
            self.extra.len()
        )?;
        let lists = [
            ("by shell only", &self.by_shell),
            ("untold", &self.untold),
            ("extra", &self.extra),
        ];
        for (name, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
            write!(f, "; {name}: {}", list.join(", "))?;
        }
        Ok(())
    }
}

fn last_by_path(listing: &Listing) -> BTreeMap<&str, Vec<&Change>> {
    let mut listed: BTreeMap<&str, Vec<&Change>> = BTreeMap::new();
    for change in &listing.changes {
        listed.entry(&change.path).or_default().push(change);
    }
    listed
}

/// What all changes of a path come to: a file that appears, disappears or changes. Whether it was
/// there before decides only between two changes that are both told.
fn folded(changes: &[&Change], existed: bool) -> &'static str {
    let first = changes.first().map_or("", |change| change.action.as_str());
    let last = changes.last().map_or("", |change| change.action.as_str());
    match (first, last) {
        (_, "deleted") => "deleted",
        ("created" | "moved", _) => "created",
        ("deleted", "created") if existed => "modified",
        _ => "modified",
    }
}

/// Texts of the last change that do not stand in the file.
fn missing_texts(path: &str, changes: &[&Change], disk: &Disk) -> Vec<String> {
    let (Some(last), Some(text)) = (changes.last(), disk.after.get(path)) else {
        return Vec::new();
    };
    let plain = |text: &str| text.replace("\r\n", "\n");
    let text = plain(text);
    let missing = last
        .texts
        .iter()
        .filter(|(_, new)| !text.contains(&plain(new)));
    missing
        .map(|(_, new)| format!("{path} does not hold {new:?}"))
        .collect()
}

/// Holds a listing of less evidence against the one of all evidence. `context` begins with the name
/// of the trace.
pub(crate) fn assert_no_more_than(listed: &ByCall, whole: &ByCall, context: &str) {
    for (key, deed) in listed {
        let claims_nothing = deed.action == "modified" && deed.from.is_none();
        let Some(known) = whole.get(key) else {
            // A moved file may be known by its old path only.
            let moved_from = |(other, known): (&(String, String), &Deed)| {
                other.0 == key.0 && known.from.as_ref() == Some(&key.1)
            };
            assert!(
                claims_nothing && whole.iter().any(moved_from),
                "{context}: {} of {} is listed as {deed}",
                key.1,
                key.0
            );
            continue;
        };
        let same = deed == known;
        let untold = untold_of(context, &key.1).is_some_and(
            |untold| matches!(untold, Untold::Action(action) if action == deed.action),
        );
        assert!(
            same || claims_nothing || untold,
            "{context}: {} is {known}, listed as {deed}",
            key.1
        );
    }
}
