//! What the result of a call says beside what it declared: where its fragments stand, and doubts.

use std::borrow::Cow;

use acp_grammar::unified::{self, Side};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

/// The facts of a result, kept instead of its JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ResultFacts {
    /// The tool says that it changed nothing.
    pub(crate) unchanged: bool,
    /// The directory in which a command ran that named none: the one in which the agent works.
    pub(crate) cwd: Option<Box<str>>,
    runs: Vec<Run>,
}

/// Neighbouring lines that a change removed and added, each ended by LF.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Run {
    place: Place,
    removed: Box<str>,
    added: Box<str>,
}

/// Where a change stands, in lines from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) old_line: u32,
    pub(super) new_line: u32,
}

impl Place {
    /// The place so many lines later on each side.
    fn after(self, old: usize, new: usize) -> Self {
        let later =
            |line: u32, count: usize| line.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
        Self {
            old_line: later(self.old_line, old),
            new_line: later(self.new_line, new),
        }
    }
}

#[derive(Deserialize)]
struct Output<'a> {
    #[serde(borrow)]
    details: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Details<'a> {
    changed: Option<bool>,
    #[serde(borrow)]
    patch: Option<Cow<'a, str>>,
    #[serde(borrow)]
    cwd: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Input {
    workdir: Option<IgnoredAny>,
}

impl ResultFacts {
    /// Reads the JSON text of `rawOutput`, and whether `rawInput` names a directory. What is not
    /// there, or has another shape, says nothing.
    pub(crate) fn read(output: &str, input: Option<&str>) -> Self {
        let details = serde_json::from_str::<Output<'_>>(output)
            .ok()
            .and_then(|output| output.details);
        let details =
            details.and_then(|details| serde_json::from_str::<Details<'_>>(details.get()).ok());
        let Some(details) = details else {
            return Self::default();
        };
        let input: Option<Input> = input.and_then(|input| serde_json::from_str(input).ok());
        let names_directory = input.is_some_and(|input| input.workdir.is_some());
        let cwd = details.cwd.filter(|_| !names_directory);
        Self {
            unchanged: details.changed == Some(false),
            cwd: cwd.map(|cwd| cwd.into_owned().into()),
            runs: details.patch.as_deref().map(runs).unwrap_or_default(),
        }
    }

    /// The places of the changes, to be taken one by one.
    pub(super) fn places(&self) -> Places<'_> {
        Places {
            runs: &self.runs,
            used: vec![false; self.runs.len()],
            first: 0,
            work: MOST_WORK,
        }
    }
}

/// The bytes of runs that are compared at most to give the fragments of a call their places.
const MOST_WORK: usize = 16 << 20;

/// Places that no fragment has taken yet.
pub(super) struct Places<'a> {
    runs: &'a [Run],
    used: Vec<bool>,
    /// The runs before this one are all used.
    first: usize,
    /// What is left of [`MOST_WORK`].
    work: usize,
}

impl Places<'_> {
    /// The place of a fragment: that of the first run which has its first changed line. A place is
    /// a help and no more, so that no more than [`MOST_WORK`] goes into it.
    pub(super) fn take(&mut self, old_text: &str, new_text: &str) -> Option<Place> {
        let (mut old_lines, mut new_lines) = (old_text.split('\n'), new_text.split('\n'));
        let head = old_lines
            .clone()
            .zip(new_lines.clone())
            .take_while(|(old, new)| old == new)
            .count();
        let old_line = old_lines.nth(head);
        let new_line = new_lines.nth(head);
        let mut index = self.first;
        loop {
            let run = self.runs.get(index)?;
            self.work = self.work.checked_sub(run.removed.len() + run.added.len())?;
            if !self.used[index]
                && has_line(&run.removed, old_line)
                && (old_line.is_some() || has_line(&run.added, new_line))
            {
                break;
            }
            index += 1;
        }
        self.used[index] = true;
        while self.used.get(self.first) == Some(&true) {
            self.first += 1;
        }
        let head = u32::try_from(head).ok()?;
        let Place { old_line, new_line } = self.runs[index].place;
        Some(Place {
            old_line: old_line.checked_sub(head)?,
            new_line: new_line.checked_sub(head)?,
        })
    }
}

/// True when one of the lines holds `wanted`, which may be a part of a line; nothing wanted is
/// always there.
fn has_line(lines: &str, wanted: Option<&str>) -> bool {
    wanted.is_none_or(|wanted| !lines.is_empty() && lines.contains(wanted.trim_end_matches('\r')))
}

/// Lines as one text, each ended by LF.
fn ended(lines: &[&str]) -> Box<str> {
    let lines = lines.iter().flat_map(|line| [line, "\n"]);
    lines.collect::<String>().into()
}

fn runs(patch: &str) -> Vec<Run> {
    let Ok(files) = unified::read(patch) else {
        return Vec::new();
    };
    let mut runs = Vec::new();
    for hunk in files.iter().flat_map(|file| &file.hunks) {
        let Some(position) = hunk.position else {
            continue;
        };
        let mut place = Place {
            old_line: position.old_line,
            new_line: position.new_line,
        };
        let mut lines = hunk.lines.iter().peekable();
        while let Some(first) = lines.peek() {
            if first.side == Side::Both {
                place = place.after(1, 1);
                lines.next();
                continue;
            }
            let (mut removed, mut added) = (Vec::new(), Vec::new());
            while let Some(line) = lines.next_if(|line| line.side != Side::Both) {
                let side = match line.side {
                    Side::Old => &mut removed,
                    Side::New | Side::Both => &mut added,
                };
                side.push(line.text);
            }
            let after = place.after(removed.len(), added.len());
            runs.push(Run {
                place,
                removed: ended(&removed),
                added: ended(&added),
            });
            place = after;
        }
    }
    runs
}
