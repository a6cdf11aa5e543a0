//! What the result of a call says, in whatever shape the agent gives it.
//!
//! Results are read by shape, not by vendor: an object that has a path and the texts before and
//! after, hunks, a patch, or a word for what happened, says something about a file. Known shapes:
//! whole texts (`originalFile`, `originalContent` and `newContent`, `previousContent`), hunks
//! (`structuredPatch`), patches (`patch`, `fileDiff`, `unified_diff`), occurrences with lines,
//! lists and maps of files (`files`, `changes`), and lists of names (`added`, `modified`,
//! `deleted`).

use acp_grammar::unified::{self, Hunk, Position};

use super::content::stands_for_text;
use super::facts::{Facts, Operation, Pair};
use super::json::{Json, Object};
use super::patch_text::{facts_of_patch, is_of_nothing, pairs_of_hunks};
use super::splice;
use crate::model::{Evidence, Hint};

/// Members that name a file, the most exact first.
pub(super) const PATH_KEYS: &[&str] = &[
    "path",
    "filePath",
    "file_path",
    "filepath",
    "file",
    "absolutePath",
    "absolute_path",
    "abs_path",
    "relativePath",
    "relative_path",
    "target_file",
    "targetFile",
    "fileName",
    "filename",
    "notebook_path",
];
pub(super) const FROM_KEYS: &[&str] = &[
    "oldPath",
    "old_path",
    "fromPath",
    "from_path",
    "previousPath",
    "previous_path",
    "renamedFrom",
];
pub(super) const TO_KEYS: &[&str] = &[
    "movePath",
    "move_path",
    "moveTo",
    "move_to",
    "newPath",
    "new_path",
    "toPath",
    "to_path",
    "renamedTo",
];
pub(super) const OLD_KEYS: &[&str] = &[
    "oldText",
    "old_text",
    "oldString",
    "old_string",
    "old_str",
    "oldStr",
    "old_content",
    "oldContent",
    "original_text",
    "originalText",
];
pub(super) const NEW_KEYS: &[&str] = &[
    "newText",
    "new_text",
    "newString",
    "new_string",
    "new_str",
    "newStr",
    "new_content",
    "newContent",
];
pub(super) const REPLACE_ALL_KEYS: &[&str] = &[
    "replaceAll",
    "replace_all",
    "allow_multiple",
    "allowMultiple",
];
const WHOLE_OLD_KEYS: &[&str] = &[
    "originalFile",
    "originalContent",
    "original_content",
    "previousContent",
    "previous_content",
    "before",
];
const WHOLE_NEW_KEYS: &[&str] = &[
    "newContent",
    "new_content",
    "updatedContent",
    "modifiedContent",
    "after",
];
const PATCH_KEYS: &[&str] = &[
    "patch",
    "unified_diff",
    "unifiedDiff",
    "fileDiff",
    "file_diff",
    "gitDiff",
    "git_diff",
    "diff",
];
const WORD_KEYS: &[&str] = &[
    "type",
    "operation",
    "action",
    "changeType",
    "change_type",
    "kind",
    "op",
    "status",
];
const CREATED_KEYS: &[&str] = &["created", "isNewFile", "is_new_file", "isNew", "is_new"];
const EXISTED_KEYS: &[&str] = &["fileExisted", "file_existed", "existed", "exists"];
const NAME_LISTS: &[(&str, Operation)] = &[
    ("added", Operation::Add),
    ("created", Operation::Add),
    ("modified", Operation::Update),
    ("updated", Operation::Update),
    ("deleted", Operation::Delete),
    ("removed", Operation::Delete),
];

/// Deeper than any agent nests what it says about files.
const MAX_DEPTH: usize = 8;

/// All that a result says about files.
pub(super) fn facts_of_result<'a>(result: &'a Json<'a>, evidence: Evidence) -> Vec<Facts<'a>> {
    let mut walk = Walk {
        evidence,
        facts: Vec::new(),
    };
    walk.value(result, None, 0);
    walk.facts
}

/// What a map from paths to changes says. `None` when the value is no such map. Where all names look
/// like paths, an entry that says nothing costs no other.
pub(super) fn facts_of_map<'a>(map: &'a Json<'a>, evidence: Evidence) -> Option<Vec<Facts<'a>>> {
    let map = map.as_object()?;
    let of_paths = map.members().all(|(name, _)| looks_like_path(name));
    let mut all = Vec::new();
    for (path, change) in map.members() {
        let facts = change
            .as_object()
            .and_then(|change| facts_of_file(change, evidence));
        match facts.filter(Facts::says_something) {
            Some(mut facts) => {
                if facts.path.is_none() {
                    facts.path = Some(path.into());
                }
                if facts.operation == Some(Operation::Move) && facts.from.is_none() {
                    facts.from = Some(path.into());
                }
                all.push(facts);
            }
            None if of_paths => {}
            None => return None,
        }
    }
    (of_paths || !all.is_empty()).then_some(all)
}

fn looks_like_path(name: &str) -> bool {
    name.contains(['/', '\\', '.'])
}

struct Walk<'a> {
    evidence: Evidence,
    facts: Vec<Facts<'a>>,
}

impl<'a> Walk<'a> {
    fn value(&mut self, value: &'a Json<'a>, path: Option<&'a str>, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        match value {
            Json::List(items) => items
                .iter()
                .for_each(|item| self.value(item, path, depth + 1)),
            Json::Object(object) => self.object(object, path, depth),
            _ => {}
        }
    }

    fn object(&mut self, object: &'a Object<'a>, path: Option<&'a str>, depth: usize) {
        self.names(object);
        let before = self.facts.len();
        if let Some(facts) = facts_of_file(object, self.evidence) {
            self.facts.push(facts);
        }
        self.facts
            .extend(other_files_of_patch(object, self.evidence));
        let mut found = self.facts.split_off(before);
        for facts in &mut found {
            if facts.path.is_none() {
                facts.path = path.map(Into::into);
            }
        }
        // A word for what happened, without a word for where, may be about any file.
        found.retain(|facts| facts.path.is_some() || facts.operation.is_none());
        self.facts.append(&mut found);
        let path = object.word(PATH_KEYS).or(path);
        for (name, child) in object.members() {
            if matches!(name, "structuredPatch" | "occurrences") {
                continue;
            }
            let map = is_file_map(name, child).then(|| facts_of_map(child, self.evidence));
            match map.flatten() {
                Some(facts) => self.facts.extend(facts),
                None => self.value(child, path, depth + 1),
            }
        }
    }

    /// Lists of names: `{"added": [], "modified": ["a.txt"], "deleted": []}`.
    fn names(&mut self, object: &'a Object<'a>) {
        for (key, operation) in NAME_LISTS {
            let names = object.get(key).and_then(Json::as_list).unwrap_or_default();
            for name in names.iter().filter_map(Json::as_str) {
                let facts = Facts::new(Some(name.into()), self.evidence);
                self.facts.push(Facts {
                    operation: Some(*operation),
                    ..facts
                });
            }
        }
    }
}

/// The member may be a map whose names are paths: by its own name, or by theirs.
fn is_file_map(name: &str, child: &Json<'_>) -> bool {
    matches!(name, "changes" | "files" | "fileChanges" | "file_changes")
        || child
            .as_object()
            .is_some_and(|map| map.members().all(|(name, _)| looks_like_path(name)))
}

/// A patch of several files in one member.
fn other_files_of_patch<'a>(object: &'a Object<'a>, evidence: Evidence) -> Vec<Facts<'a>> {
    let files = object
        .text(PATCH_KEYS)
        .and_then(|patch| facts_of_patch(patch, evidence));
    files.filter(|files| files.len() > 1).unwrap_or_default()
}

/// What one object says about one file. `None` when it has none of the known shapes.
fn facts_of_file<'a>(object: &'a Object<'a>, evidence: Evidence) -> Option<Facts<'a>> {
    let mut facts = Facts::new(object.word(PATH_KEYS).map(Into::into), evidence);
    facts.operation = object.first(WORD_KEYS, |word| {
        word.as_str().and_then(Operation::from_word)
    });
    facts.created = object
        .flag(CREATED_KEYS)
        .or_else(|| object.flag(EXISTED_KEYS).map(|existed| !existed));
    facts.unchanged = object.flag(&["changed"]) == Some(false);
    facts.from = object.word(FROM_KEYS).map(Into::into);
    if let Some(to) = object.word(TO_KEYS) {
        let from = facts.path.replace(to.into());
        facts.from = facts.from.or(from);
    }
    if facts.from.is_some() || object.word(TO_KEYS).is_some() {
        facts.operation = Some(Operation::Move);
    }
    whole_texts(object, &mut facts);
    facts.pairs = pairs(object, &mut facts);
    if facts.path.is_none() && facts.pairs.is_empty() && facts.whole_new.is_none() {
        // A word alone, without a path, is about anything but a file.
        facts.operation = None;
    }
    if facts.pairs.is_empty()
        && facts.whole_new.is_none()
        && facts.operation == Some(Operation::Update)
    {
        // `type: "edit"` also names events, and changes nothing that would be known otherwise.
        facts.operation = None;
    }
    let says = facts.says_something() || facts.whole_old.is_some();
    says.then_some(facts)
}

fn whole_texts<'a>(object: &'a Object<'a>, facts: &mut Facts<'a>) {
    let text = |names: &[&str]| object.text(names).filter(|text| !stands_for_text(text));
    let has_old = WHOLE_OLD_KEYS.iter().any(|name| object.get(name).is_some());
    facts.whole_old = text(WHOLE_OLD_KEYS).map(Into::into);
    facts.whole_new = if has_old {
        text(WHOLE_NEW_KEYS).map(Into::into)
    } else {
        None
    };
    let content = text(&["content"]);
    match facts.operation {
        // The word of an object that knows the old file, or its absence, is more than a claim.
        Some(operation @ (Operation::Add | Operation::Update)) if has_old => {
            facts.created = facts.created.or(Some(operation == Operation::Add));
            facts.whole_new = facts.whole_new.take().or(content.map(Into::into));
        }
        Some(Operation::Add) => facts.whole_new = content.map(Into::into),
        Some(Operation::Delete) => {
            facts.whole_old = facts.whole_old.take().or(content.map(Into::into));
        }
        _ => {}
    }
    if let (Some(old), Some(new)) = (&facts.whole_old, &facts.whole_new) {
        facts.unchanged |= old == new && facts.from.is_none() && !old.is_empty();
    }
}

/// The changed texts, from the most exact member that has them. Fills in the whole new text where
/// the changes apply to the whole old one.
fn pairs<'a>(object: &'a Object<'a>, facts: &mut Facts<'a>) -> Vec<Pair<'a>> {
    if facts.operation == Some(Operation::Delete) {
        let whole = facts
            .whole_old
            .as_ref()
            .map(|old| vec![Pair::new(old.clone(), "")]);
        return whole.or_else(|| hunks(object, facts)).unwrap_or_default();
    }
    let is_new = facts.operation == Some(Operation::Add) || facts.created == Some(true);
    if let Some(new) = facts.whole_new.as_ref().filter(|_| is_new) {
        facts.whole_new_file = true;
        return vec![Pair::new("", new.clone())];
    }
    let pairs = hunks(object, facts)
        .or_else(|| whole_pair(facts))
        .or_else(|| occurrences(object, facts))
        .or_else(|| snippet(object, facts))
        .unwrap_or_default();
    if is_of_nothing(&pairs) {
        facts.whole_new_file = true;
        let text = pairs.first().map(|pair| pair.new.clone());
        facts.whole_new = facts.whole_new.take().or(text);
    }
    pairs
}

fn hunks<'a>(object: &'a Object<'a>, facts: &mut Facts<'a>) -> Option<Vec<Pair<'a>>> {
    let structured = object.get("structuredPatch").and_then(Json::as_list);
    if let Some(hunks) = structured.and_then(structured_hunks) {
        return checked(&hunks, facts);
    }
    let patch = object.text(PATCH_KEYS)?;
    if let Ok(files) = unified::read(patch) {
        let [file] = files.as_slice() else {
            return None;
        };
        if facts.path.is_none() {
            facts.path = file.new_path.or(file.old_path).map(Into::into);
        }
        if file.deleted {
            facts.operation = facts.operation.or(Some(Operation::Delete));
        } else if file.renamed && facts.from.is_none() {
            facts.operation = Some(Operation::Move);
            facts.from = file.old_path.map(Into::into);
        }
        return checked(&file.hunks, facts);
    }
    let files = facts_of_patch(patch, facts.evidence)?;
    let [file] = <[Facts<'a>; 1]>::try_from(files).ok()?;
    facts.path = facts.path.take().or(file.path);
    facts.operation = facts.operation.or(file.operation);
    Some(file.pairs).filter(|pairs| !pairs.is_empty())
}

/// Hunks as pairs, unless the whole texts show that they do not tell all.
fn checked<'a>(hunks: &[Hunk<'_>], facts: &mut Facts<'_>) -> Option<Vec<Pair<'a>>> {
    if hunks.is_empty() {
        return None;
    }
    if let Some(old) = &facts.whole_old {
        let applied = unified::apply(old, hunks);
        match (&applied, &facts.whole_new) {
            (Some(applied), Some(new)) if applied == new => {}
            (_, Some(_)) => return None,
            (Some(_), None) => facts.whole_new = applied.map(Into::into),
            (None, None) => {}
        }
    }
    Some(pairs_of_hunks(hunks))
}

fn structured_hunks<'a>(hunks: &'a [Json<'a>]) -> Option<Vec<Hunk<'a>>> {
    let hunks: Option<Vec<Hunk<'a>>> = hunks.iter().map(structured_hunk).collect();
    hunks.filter(|hunks| !hunks.is_empty())
}

fn structured_hunk<'a>(hunk: &'a Json<'a>) -> Option<Hunk<'a>> {
    let hunk = hunk.as_object()?;
    let lines = hunk.get("lines")?.as_list()?;
    // Unlike in a printed header, a side without lines counts from 1 as well.
    let line = |name: &str| Some(hunk.get(name)?.as_line()?.saturating_sub(1));
    let position = line("oldStart")
        .zip(line("newStart"))
        .map(|(old_line, new_line)| Position { old_line, new_line });
    let lines = unified::lines_of(lines.iter().map(|line| line.as_str().unwrap_or("?")))?;
    Some(Hunk {
        position,
        section: "",
        lines,
    })
}

fn whole_pair<'a>(facts: &Facts<'a>) -> Option<Vec<Pair<'a>>> {
    let new = facts.whole_new.clone()?;
    let old = facts.whole_old.clone()?;
    let at_start = Hint {
        old_line: Some(0),
        new_line: Some(0),
        ..Hint::default()
    };
    (old != new).then(|| {
        vec![Pair {
            hint: at_start,
            ..Pair::new(old, new)
        }]
    })
}

/// `[{"startLine": 3, "newStartLine": 4, "oldText": "a", "newText": "b"}]`, lines from 1.
fn occurrences<'a>(object: &'a Object<'a>, facts: &mut Facts<'a>) -> Option<Vec<Pair<'a>>> {
    let items = object.get("occurrences")?.as_list()?;
    let pairs: Option<Vec<Pair<'a>>> = items
        .iter()
        .map(|item| {
            let item = item.as_object()?;
            let line = |names| {
                item.first(names, Json::as_line)
                    .and_then(|line| line.checked_sub(1))
            };
            let hint = Hint {
                old_line: line(&["startLine", "start_line", "oldStartLine"]),
                new_line: line(&["newStartLine", "new_start_line"]),
                ..Hint::default()
            };
            Some(Pair {
                hint,
                ..Pair::new(item.text(OLD_KEYS)?, item.text(NEW_KEYS)?)
            })
        })
        .collect();
    let pairs = pairs.filter(|pairs| !pairs.is_empty())?;
    if let Some(old) = &facts.whole_old {
        facts.whole_new = splice::apply_pairs(old, &pairs).map(Into::into);
    }
    Some(pairs)
}

fn snippet<'a>(object: &'a Object<'a>, facts: &mut Facts<'a>) -> Option<Vec<Pair<'a>>> {
    let (old, new) = (object.text(OLD_KEYS)?, object.text(NEW_KEYS)?);
    if old == new || stands_for_text(old) || stands_for_text(new) {
        return None;
    }
    let replace_all = object.flag(REPLACE_ALL_KEYS) == Some(true);
    let hint = Hint {
        replace_all,
        ..Hint::default()
    };
    let pairs = vec![Pair {
        hint,
        ..Pair::new(old, new)
    }];
    if let Some(old) = &facts.whole_old {
        facts.whole_new = splice::apply_pairs(old, &pairs).map(Into::into);
    }
    Some(pairs)
}
