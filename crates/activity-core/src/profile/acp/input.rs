//! What the input of a call asks for: a write, an edit, a patch, a deletion or a move, under the
//! names that agents give their arguments.

use foldhash::HashMap;

use super::content::stands_for_text;
use super::facts::{Facts, Operation, Pair};
use super::json::{Json, Object};
use super::patch_text::{facts_of_patch, is_envelope};
use super::result::{
    FROM_KEYS, NEW_KEYS, OLD_KEYS, PATH_KEYS, REPLACE_ALL_KEYS, TO_KEYS, facts_of_map,
};
use super::shell;
use super::tool::{Class, Tool};
use crate::model::{Evidence, Hint};

/// Names of old and new texts that mean something else outside an edit.
const EDIT_OLD_KEYS: &[&str] = &["search", "find", "old", "target", "from"];
const EDIT_NEW_KEYS: &[&str] = &["replace", "replacement", "new", "to"];
const CONTENT_KEYS: &[&str] = &[
    "content",
    "contents",
    "file_text",
    "fileText",
    "text",
    "new_content",
    "newContent",
    "file_content",
    "fileContent",
    "data",
];
const PATCH_KEYS: &[&str] = &[
    "patch",
    "patchText",
    "patch_text",
    "input",
    "diff",
    "unified_diff",
    "unifiedDiff",
];
/// Members that say which of several things a tool is to do.
const COMMAND_KEYS: &[&str] = &["command", "action", "mode", "operation"];
const PATH_LIST_KEYS: &[&str] = &["paths", "file_paths", "filePaths", "files"];
const LIST_KEYS: &[&str] = &["edits", "changes", "replacements", "operations", "files"];
const SOURCE_KEYS: &[&str] = &[
    "source",
    "src",
    "from",
    "sourcePath",
    "source_path",
    "oldPath",
    "old_path",
    "fromPath",
];
const DESTINATION_KEYS: &[&str] = &[
    "destination",
    "dest",
    "dst",
    "to",
    "destinationPath",
    "destination_path",
    "targetPath",
    "newPath",
    "new_path",
    "toPath",
    "target",
];

/// What the input asks for, file by file.
pub(super) fn facts_of_input<'a>(input: &'a Json<'a>, tool: &Tool) -> Vec<Facts<'a>> {
    match input {
        Json::String(text) if is_envelope(text) => {
            facts_of_patch(text, Evidence::Input).unwrap_or_default()
        }
        _ => arguments(input).map_or_else(Vec::new, |object| facts_of_object(object, tool)),
    }
}

/// The input asks for nothing that changes a file here: one of several commands that changes none
/// (`{"command": "view", "path": ...}`), a trial run, or a file of a remote repository.
pub(super) fn only_looks(input: &Json<'_>) -> bool {
    let Some(input) = arguments(input) else {
        return false;
    };
    let command = input.text(COMMAND_KEYS);
    let is_trial = input.flag(&["dryRun", "dry_run"]) == Some(true);
    let is_remote = input.get("owner").is_some() && input.get("repo").is_some();
    let looks = matches!(
        command,
        Some("view" | "read" | "read_document" | "list" | "stat" | "mkdir")
    );
    looks || is_trial || is_remote
}

/// The arguments of the tool: the input itself, or the object in it that holds them.
fn arguments<'a>(input: &'a Json<'a>) -> Option<&'a Object<'a>> {
    const WRAPPERS: &[&str] = &[
        "arguments",
        "args",
        "parameters",
        "params",
        "input",
        "tool_input",
    ];
    let object = input.as_object()?;
    if object.word(PATH_KEYS).is_some() {
        return Some(object);
    }
    Some(object.first(WRAPPERS, Json::as_object).unwrap_or(object))
}

/// The file that the input names, if it names one.
pub(super) fn path_of_input<'a>(input: &'a Json<'a>) -> Option<&'a str> {
    arguments(input)?.word(PATH_KEYS)
}

/// The patch in the `apply_patch` language that the input hands over, if it does.
pub(super) fn envelope_of_input<'a>(input: &'a Json<'a>) -> Option<&'a str> {
    let text = match arguments(input) {
        Some(object) => PATCH_KEYS
            .iter()
            .find_map(|name| object.get(name)?.as_str()),
        None => input.as_str(),
    };
    text.filter(|text| is_envelope(text))
}

/// The input is a shell command that only hands a patch to `apply_patch`.
pub(super) fn is_patch_command(input: &Json<'_>) -> bool {
    arguments(input).is_some_and(|object| shell::patch_of_command(object).is_some())
}

fn facts_of_object<'a>(object: &'a Object<'a>, tool: &Tool) -> Vec<Facts<'a>> {
    if let Some(facts) = object.first(&["changes", "files"], |map| {
        facts_of_map(map, Evidence::Input).filter(|facts| !facts.is_empty())
    }) {
        return facts;
    }
    if let Some(patch) = shell::patch_of_command(object) {
        let mut facts = facts_of_patch(patch.text, Evidence::Input).unwrap_or_default();
        for facts in &mut facts {
            patch.resolve(facts);
        }
        return facts;
    }
    if matches!(tool.class, Class::Run | Class::Look) {
        return Vec::new();
    }
    if let Some(facts) = patch(object) {
        return facts;
    }
    match class(object, tool) {
        Class::Delete => deletions(object),
        Class::Move => relocation(object).into_iter().collect(),
        _ => listed_files(object, tool)
            .unwrap_or_else(|| one_file(object, tool).into_iter().collect()),
    }
}

/// What the tool does to files, which some tools are told in their input. What has a path need not
/// be a file: a tool of unknown purpose deletes and moves files only if its name speaks of them.
fn class(object: &Object<'_>, tool: &Tool) -> Class {
    let may_relocate = tool.class == Class::Edit || tool.is_of_files();
    match (tool.class, object.text(COMMAND_KEYS)) {
        (Class::Edit | Class::Unknown, Some("delete" | "remove")) if may_relocate => Class::Delete,
        (Class::Edit | Class::Unknown, Some("move" | "rename")) if may_relocate => Class::Move,
        (Class::Unknown, Some("write" | "create" | "overwrite" | "append" | "insert")) => {
            Class::Edit
        }
        (class, _) => class,
    }
}

fn patch<'a>(object: &'a Object<'a>) -> Option<Vec<Facts<'a>>> {
    // Some agents put blocks of search-and-replace where others put the whole content.
    let texts = PATCH_KEYS
        .iter()
        .chain(&["content"])
        .filter_map(|name| object.get(name)?.as_str());
    let mut read = texts.filter_map(|text| facts_of_patch(text, Evidence::Input));
    let mut facts = read.next()?;
    if let ([only], Some(path)) = (facts.as_mut_slice(), object.word(PATH_KEYS)) {
        // A path beside the patch is more exact than the header of a diff.
        if only.from.is_none() {
            only.path = Some(path.into());
        }
    }
    Some(facts)
}

fn deletions<'a>(object: &'a Object<'a>) -> Vec<Facts<'a>> {
    let listed = object.first(PATH_LIST_KEYS, Json::as_list);
    let paths = listed.unwrap_or_default().iter().filter_map(Json::as_str);
    let deletions = object
        .word(PATH_KEYS)
        .into_iter()
        .chain(paths)
        .map(|path| Facts {
            operation: Some(Operation::Delete),
            ..Facts::new(Some(path.into()), Evidence::Input)
        });
    deletions.collect()
}

fn relocation<'a>(object: &'a Object<'a>) -> Option<Facts<'a>> {
    let from = object
        .word(SOURCE_KEYS)
        .or_else(|| object.word(PATH_KEYS))?;
    let to = object
        .word(DESTINATION_KEYS)
        .or_else(|| object.word(TO_KEYS))?;
    Some(Facts {
        from: Some(from.into()),
        operation: Some(Operation::Move),
        ..Facts::new(Some(to.into()), Evidence::Input)
    })
}

/// Several files, each with its own path.
fn listed_files<'a>(object: &'a Object<'a>, tool: &Tool) -> Option<Vec<Facts<'a>>> {
    let items = object.first(LIST_KEYS, Json::as_list)?;
    let facts: Vec<Facts<'a>> = items
        .iter()
        .filter_map(Json::as_object)
        .filter(|item| item.word(PATH_KEYS).is_some())
        .filter_map(|item| one_file(item, tool))
        .collect();
    (!facts.is_empty()).then_some(facts)
}

fn one_file<'a>(object: &'a Object<'a>, tool: &Tool) -> Option<Facts<'a>> {
    let mut facts = Facts::new(object.word(PATH_KEYS).map(Into::into), Evidence::Input);
    if let Some(from) = object.word(FROM_KEYS) {
        facts.from = Some(from.into());
    }
    let listed = object.first(LIST_KEYS, Json::as_list).unwrap_or_default();
    let pairs = listed.iter().filter_map(Json::as_object).filter_map(edit);
    facts.pairs = pairs
        .chain(edit(object))
        .chain(numbered_edits(object))
        .collect();
    facts.replaces_nothing = facts
        .pairs
        .first()
        .is_some_and(|pair| pair.old.is_empty() && !tool.inserts());
    let may_write = class(object, tool) == Class::Edit;
    if facts.pairs.is_empty() && may_write {
        insertion(object, &mut facts);
    }
    if facts.pairs.is_empty() && may_write {
        whole_file(object, tool, &mut facts);
    }
    if facts.pairs.is_empty() && may_write && object.get("notebook_path").is_some() {
        // The input has the text of a cell, which the file holds in another form.
        facts.operation = Some(Operation::Update);
    }
    let asked = facts.pairs.len();
    facts.pairs.retain(|pair| pair.old != pair.new);
    facts.unchanged = asked > 0 && facts.pairs.is_empty();
    facts.says_something().then_some(facts)
}

/// Pairs that are told apart by a number from 1 on: `{"old_str_1": "a", "new_str_1": "b"}`.
fn numbered_edits<'a>(object: &'a Object<'a>) -> impl Iterator<Item = Pair<'a>> {
    let is_numbered = |name: &str| name.starts_with("old_str_") || name.starts_with("new_str_");
    let texts: HashMap<&str, &str> = object
        .members()
        .filter(|(name, _)| is_numbered(name))
        .filter_map(|(name, value)| Some((name, value.as_str()?)))
        .collect();
    (1..=texts.len() / 2).map_while(move |number| {
        let text = |side: &str| texts.get(&*format!("{side}_{number}")).copied();
        Some(Pair::new(text("old_str")?, text("new_str")?))
    })
}

fn edit<'a>(object: &'a Object<'a>) -> Option<Pair<'a>> {
    let exact = object.text(OLD_KEYS).zip(object.text(NEW_KEYS));
    let (old, new) =
        exact.or_else(|| object.text(EDIT_OLD_KEYS).zip(object.text(EDIT_NEW_KEYS)))?;
    if stands_for_text(old) || stands_for_text(new) {
        return None;
    }
    let all = object.flag(REPLACE_ALL_KEYS) == Some(true)
        || object
            .first(&["expected_replacements"], Json::as_line)
            .is_some_and(|count| count > 1);
    Some(Pair {
        hint: Hint {
            replace_all: all,
            ..Hint::default()
        },
        ..Pair::new(old, new)
    })
}

/// New lines behind a line: `{"insert_line": 3, "new_str": "text"}`.
fn insertion<'a>(object: &'a Object<'a>, facts: &mut Facts<'a>) {
    let line = object.first(&["insert_line", "insertLine"], Json::as_line);
    let text = object
        .text(&["insert_text", "insertText"])
        .or_else(|| object.text(NEW_KEYS));
    if let (Some(line), Some(text)) = (line, text) {
        let hint = Hint {
            old_line: Some(line),
            new_line: Some(line),
            ..Hint::default()
        };
        facts.pairs = vec![Pair {
            hint,
            ..Pair::new("", text)
        }];
    }
}

fn whole_file<'a>(object: &'a Object<'a>, tool: &Tool, facts: &mut Facts<'a>) {
    let appends = object.flag(&["append"]) == Some(true)
        || object.text(COMMAND_KEYS) == Some("append")
        || tool.name.to_lowercase().contains("append");
    let added = || object.text(NEW_KEYS).filter(|_| appends);
    let content = object.text(CONTENT_KEYS).or_else(added);
    let Some(content) = content.filter(|text| !stands_for_text(text)) else {
        return;
    };
    let hint = Hint {
        end_of_file: appends,
        ..Hint::default()
    };
    facts.pairs = vec![Pair {
        hint,
        ..Pair::new("", content)
    }];
    if !appends {
        facts.whole_new = Some(content.into());
    }
}
