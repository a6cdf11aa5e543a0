//! How calls of the file tools and their results are shown: titles, locations and diffs.
//!
//! The functions take what stands in the call, unchecked, and never fail: a call is shown while its
//! arguments may still be wrong.

use serde_json::Value;

use crate::hunks::{HunkDiff, diffs_from_meta};

/// A place that a call is about.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CardLocation {
    /// The path as given.
    pub path: String,
    /// The line, from 1, where the call names one.
    pub line: Option<i64>,
}

/// A call or a result, ready to be shown.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Card {
    /// A title with an icon.
    Generic {
        /// The title.
        title: String,
        /// The kind of tool, which chooses the icon.
        kind: &'static str,
        /// The places.
        locations: Vec<CardLocation>,
    },
    /// Changes of text.
    Diff {
        /// The title.
        title: String,
        /// The changes.
        diffs: Vec<HunkDiff>,
        /// The places.
        locations: Vec<CardLocation>,
    },
}

/// A call of the read tool. The window stands in the title as it was asked for.
pub fn read_call_card(file_path: &str, offset: Option<i64>, limit: Option<i64>) -> Card {
    let first = offset.unwrap_or(1);
    let window = match (offset, limit) {
        (_, Some(limit)) if limit > 0 => {
            let last = first.saturating_add(limit).saturating_sub(1);
            format!(" ({first} - {last})")
        }
        (Some(offset), _) => format!(" (from line {offset})"),
        (None, _) => String::new(),
    };
    Card::Generic {
        title: format!("Read {file_path}{window}"),
        kind: "read",
        locations: vec![CardLocation {
            path: file_path.to_owned(),
            line: Some(first),
        }],
    }
}

/// A call of the write tool: the whole content, with no old side.
pub fn write_call_card(file_path: &str, content: &str) -> Card {
    call_diff("Write", file_path, None, content)
}

/// A call of the edit tool: the replacement as it was asked for.
pub fn edit_call_card(file_path: &str, old_string: &str, new_string: &str) -> Card {
    let old_text = (!old_string.is_empty()).then(|| old_string.to_owned());
    call_diff("Edit", file_path, old_text, new_string)
}

/// The result of a write: what was applied. `None` for a result that has no diffs to show.
pub fn write_result_card(file_path: &str, is_error: bool, meta: Option<&Value>) -> Option<Card> {
    result_diff("Write", file_path, is_error, meta)
}

/// The result of an edit: what was applied. `None` for a result that has no diffs to show.
pub fn edit_result_card(file_path: &str, is_error: bool, meta: Option<&Value>) -> Option<Card> {
    result_diff("Edit", file_path, is_error, meta)
}

fn call_diff(verb: &str, file_path: &str, old_text: Option<String>, new_text: &str) -> Card {
    Card::Diff {
        title: format!("{verb} {file_path}"),
        diffs: vec![HunkDiff {
            path: file_path.to_owned(),
            old_text,
            new_text: new_text.to_owned(),
        }],
        locations: vec![CardLocation {
            path: file_path.to_owned(),
            line: None,
        }],
    }
}

fn result_diff(verb: &str, file_path: &str, is_error: bool, meta: Option<&Value>) -> Option<Card> {
    if is_error {
        return None;
    }
    Some(Card::Diff {
        title: format!("{verb} {file_path}"),
        diffs: diffs_from_meta(meta?)?,
        locations: Vec::new(),
    })
}
