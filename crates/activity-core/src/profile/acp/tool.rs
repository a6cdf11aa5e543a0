//! Which tool a call is, and what its kind of tool may do to files.
//!
//! ACP's `kind` decides where it says something. Many agents send `other` or nothing, so the words
//! of the tool's name decide then; a title is prose and is trusted last.

use std::sync::Arc;

use super::json::{Json, Object};
use crate::timeline::tool_call::ToolCall;

/// What a tool may do to files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Writes or edits files.
    Edit,
    /// Deletes files.
    Delete,
    /// Moves files.
    Move,
    /// Runs commands, whose effects nobody declares.
    Run,
    /// Reads, searches, fetches, plans or thinks: changes no file.
    Look,
    /// Nothing says what it does.
    Unknown,
}

/// A tool, as far as the wire names it.
#[derive(Debug, Clone)]
pub(super) struct Tool {
    /// Its name: as sent where the wire has a member for it, lower case where it is taken from a
    /// title, else ACP's kind.
    pub(super) name: Arc<str>,
    /// What it may do to files.
    pub(super) class: Class,
    /// The class comes from ACP's kind.
    pub(super) class_is_declared: bool,
    /// It writes whole files, so that a text without an old side is all of the new file.
    pub(super) writes_whole_files: bool,
    /// It edits parts of files, so that a text without an old side may be an insertion.
    pub(super) edits_parts: bool,
}

impl Tool {
    pub(super) fn of(call: &ToolCall, metas: &[Json<'_>]) -> Self {
        let declared = declared_name(call, metas);
        let has_kind = call.kind.is_some();
        let titled = title_name(&call.title, has_kind)
            .or_else(|| title_name(call.first_title.as_deref()?, has_kind));
        let named = declared.as_deref().or(titled.as_deref());
        let kind = call.kind.as_deref();
        let by_kind = kind.map_or(Class::Unknown, class_of_kind);
        let by_name = named.map_or(Class::Unknown, class_of_name);
        let words = named.map(words_of).unwrap_or_default();
        // Some agents send `edit` for whatever changes the disk.
        let names_all_of_it = has_any(&words, DIRECTORY_WORDS)
            || (has_any(&words, FILE_WORDS) && matches!(by_name, Class::Delete | Class::Move));
        let class = match by_kind {
            Class::Unknown => by_name,
            Class::Edit if names_all_of_it => by_name,
            _ => by_kind,
        };
        Self {
            name: match (&declared, &titled, kind) {
                (Some(name), ..) => name.as_str().into(),
                (None, Some(name), _) => name.to_lowercase().into(),
                (None, None, Some(kind)) => kind.into(),
                (None, None, None) => "tool".into(),
            },
            class,
            class_is_declared: by_kind != Class::Unknown,
            writes_whole_files: has_any(&words, WHOLE_FILE_WORDS) && !has_any(&words, PART_WORDS),
            edits_parts: has_any(&words, PART_WORDS),
        }
    }

    /// Its name speaks of files.
    pub(super) fn is_of_files(&self) -> bool {
        let words = words_of(&self.name);
        has_any(&words, FILE_WORDS) || has_any(&words, &["fs", "filesystem", "editor"])
    }

    /// It adds to files, as its name says.
    pub(super) fn inserts(&self) -> bool {
        has_any(&words_of(&self.name), INSERT_WORDS)
    }
}

/// What ACP's `kind` says.
pub(super) fn class_of_kind(kind: &str) -> Class {
    match kind {
        "edit" => Class::Edit,
        "delete" => Class::Delete,
        "move" => Class::Move,
        "execute" => Class::Run,
        "read" | "search" | "think" | "fetch" | "switch_mode" => Class::Look,
        _ => Class::Unknown,
    }
}

const FILE_WORDS: &[&str] = &["file", "files", "path", "paths"];
/// Parts of files: a tool that deletes or moves them edits the file.
const PART_OF_FILE_WORDS: &[&str] = &[
    "line", "lines", "text", "range", "block", "section", "symbol", "function", "method", "class",
    "import", "imports", "comment", "comments", "node", "key", "cell", "cells",
];
/// Directories are not listed, only files are.
const DIRECTORY_WORDS: &[&str] = &["directory", "dir", "folder", "mkdir"];
/// Things that tools create, update or write and that are no files.
const NO_FILE_WORDS: &[&str] = &[
    "todo", "todos", "plan", "task", "tasks", "memory", "memories", "issue", "branch", "agent",
];
const DELETE_WORDS: &[&str] = &["delete", "remove", "rm", "unlink", "trash"];
const MOVE_WORDS: &[&str] = &["move", "rename", "mv"];
const EDIT_WORDS: &[&str] = &[
    "write",
    "writing",
    "edit",
    "editing",
    "editor",
    "multiedit",
    "patch",
    "apply",
    "applypatch",
    "replace",
    "create",
    "update",
    "insert",
    "append",
    "modify",
    "overwrite",
    "save",
];
const RUN_WORDS: &[&str] = &[
    "bash",
    "shell",
    "exec",
    "execute",
    "run",
    "command",
    "terminal",
    "cmd",
    "powershell",
    "pwsh",
    "console",
];
const LOOK_WORDS: &[&str] = &[
    "read", "view", "list", "ls", "search", "find", "grep", "rg", "glob", "fetch", "get", "show",
    "status", "log", "think", "web", "browse", "diff", "blame", "check", "inspect", "cat",
];
const WHOLE_FILE_WORDS: &[&str] = &["write", "writing", "create", "overwrite", "save"];
const PART_WORDS: &[&str] = &[
    "edit",
    "editing",
    "multiedit",
    "replace",
    "patch",
    "applypatch",
    "insert",
    "append",
];

const INSERT_WORDS: &[&str] = &["insert", "append", "prepend", "add"];

fn class_of_name(name: &str) -> Class {
    let words = words_of(name);
    let has = |list| has_any(&words, list);
    if has(NO_FILE_WORDS) || has(DIRECTORY_WORDS) {
        Class::Look
    } else if has(PART_OF_FILE_WORDS) && (has(DELETE_WORDS) || has(MOVE_WORDS)) {
        Class::Edit
    } else if has(DELETE_WORDS) {
        Class::Delete
    } else if has(MOVE_WORDS) {
        Class::Move
    } else if has(EDIT_WORDS) {
        Class::Edit
    } else if has(RUN_WORDS) {
        Class::Run
    } else if has(LOOK_WORDS) {
        Class::Look
    } else {
        Class::Unknown
    }
}

fn has_any(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|word| list.contains(&word.as_str()))
}

/// The words of a name in lower case: split at what is no letter and where lower case meets upper
/// case. The server's part of an MCP tool's name (`mcp__server__tool`) does not count.
fn words_of(name: &str) -> Vec<String> {
    let name = name.rsplit("__").next().unwrap_or(name);
    let mut words = Vec::new();
    let mut word = String::new();
    let mut after_lower = false;
    for char in name.chars() {
        if !char.is_alphabetic() || (char.is_uppercase() && after_lower) {
            words.push(std::mem::take(&mut word));
        }
        if char.is_alphabetic() {
            word.extend(char.to_lowercase());
        }
        after_lower = char.is_lowercase();
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// The name from a member for it: `name`, a tool name in `_meta`, or an id that begins with it.
fn declared_name(call: &ToolCall, metas: &[Json<'_>]) -> Option<String> {
    let from_name = call
        .name
        .as_deref()
        .filter(|name| !name.trim().is_empty())
        .map(str::to_owned);
    from_name
        .or_else(|| metas.iter().rev().find_map(meta_tool_name))
        .or_else(|| id_name(&call.id))
}

const TOOL_NAME_KEYS: &[&str] = &["toolName", "tool_name"];

/// `_meta.toolName`, or the same one level down, under the vendor's key.
fn meta_tool_name(meta: &Json<'_>) -> Option<String> {
    let meta = meta.as_object()?;
    let below = || {
        meta.members()
            .filter_map(|(_, value)| value.as_object())
            .find_map(|vendor: &Object<'_>| vendor.word(TOOL_NAME_KEYS))
    };
    meta.word(TOOL_NAME_KEYS).or_else(below).map(str::to_owned)
}

/// The name that an id repeats: `write_file__write_file_1796071870067_0`.
fn id_name(id: &str) -> Option<String> {
    let (name, rest) = id.split_once("__")?;
    let repeated = rest.strip_prefix(name)?.starts_with('_');
    (repeated && is_identifier(name)).then(|| name.to_owned())
}

/// The name that a title begins with: all of it, or what stands before its colon, where that is one
/// word. Without a kind also its first word. The word must say what the tool does where prose could
/// stand as well.
fn title_name(title: &str, has_kind: bool) -> Option<String> {
    let title = title.trim();
    let known = |word: &&str| is_identifier(word) && class_of_name(word) != Class::Unknown;
    let head = title.split_once(':').map_or(title, |(head, _)| head.trim());
    if !has_kind && is_identifier(head) {
        return Some(head.to_owned());
    }
    let first = if has_kind {
        head
    } else {
        title.split_whitespace().next()?
    };
    Some(first).filter(known).map(str::to_owned)
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|char: char| char.is_ascii_alphabetic())
        && text
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-'))
}

#[cfg(test)]
mod tests {
    use super::Tool;
    use crate::profile::acp::json::Json;
    use crate::profile::acp::tests::call;

    fn check(
        name: Option<&str>,
        meta: &str,
        id: &str,
        title: &str,
        kind: Option<&str>,
        expect: &str,
    ) {
        let mut call = call(id);
        call.name = name.map(Into::into);
        call.title = title.into();
        call.kind = kind.map(Into::into);
        let metas: Vec<Json<'_>> = Json::read(meta).into_iter().collect();
        let tool = Tool::of(&call, &metas);
        assert_eq!(format!("{} {:?}", tool.name, tool.class), expect);
    }

    #[test]
    fn names_of_recorded_agents() {
        let claude = r#"{"claudeCode":{"toolName":"mcp__acp__Edit"}}"#;
        check(
            None,
            claude,
            "1",
            "Edit `/w/a`",
            Some("edit"),
            "mcp__acp__Edit Edit",
        );
        check(
            Some("Write"),
            "null",
            "1",
            "Preparing file…",
            Some("edit"),
            "Write Edit",
        );
        let vibe = r#"{"tool_name":"write","effect_kind":"file_write"}"#;
        check(None, vibe, "effect-1", "Writing a", None, "write Edit");
        check(
            None,
            "null",
            "replace__replace_1_0",
            "a => b",
            None,
            "replace Edit",
        );
        check(
            None,
            "null",
            "1",
            "apply_patch: input: *** Begin",
            Some("other"),
            "apply_patch Edit",
        );
        check(
            None,
            "null",
            "turn/1",
            "WriteFile: a.txt",
            None,
            "writefile Edit",
        );
        check(None, "null", "1", "exec_command", None, "exec_command Run");
        check(
            None,
            "null",
            "1",
            "Editing files",
            Some("edit"),
            "edit Edit",
        );
        check(
            None,
            "null",
            "1",
            "src/calc.py: a => b",
            Some("edit"),
            "edit Edit",
        );
    }

    #[test]
    fn what_is_no_file_is_not_edited() {
        check(
            Some("TodoWrite"),
            "null",
            "1",
            "Update TODOs",
            None,
            "TodoWrite Look",
        );
        check(
            Some("git_diff"),
            "null",
            "1",
            "t",
            Some("other"),
            "git_diff Look",
        );
        check(
            Some("search_replace"),
            "null",
            "1",
            "t",
            None,
            "search_replace Edit",
        );
        check(Some("Write"), "null", "1", "t", Some("think"), "Write Look");
        check(None, "null", "1", "Doing things", None, "tool Unknown");
    }

    #[test]
    fn only_writers_of_whole_files_create_by_text() {
        let whole = |name: &str| {
            let mut call = call("1");
            call.name = Some(name.into());
            Tool::of(&call, &[]).writes_whole_files
        };
        assert!(whole("write_file") && whole("WriteFile") && whole("mcp__acp__Write"));
        assert!(!whole("Edit") && !whole("str_replace_editor") && !whole("create_patch"));
    }
}
