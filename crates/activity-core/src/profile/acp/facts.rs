//! What one source of a call says about one file.

use std::borrow::Cow;

use crate::model::{Evidence, Hint};

/// What happened to the file, in the word of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Add,
    Update,
    Delete,
    Move,
}

impl Operation {
    /// Reads the words that agents use for it.
    pub(super) fn from_word(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "add" | "added" | "create" | "created" | "new" => Some(Self::Add),
            "update" | "updated" | "modify" | "modified" | "edit" | "change" | "changed" => {
                Some(Self::Update)
            }
            "delete" | "deleted" | "remove" | "removed" => Some(Self::Delete),
            "move" | "moved" | "rename" | "renamed" => Some(Self::Move),
            _ => None,
        }
    }
}

/// An old text and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pair<'a> {
    pub(super) old: Cow<'a, str>,
    pub(super) new: Cow<'a, str>,
    pub(super) hint: Hint,
}

impl<'a> Pair<'a> {
    pub(super) fn new(old: impl Into<Cow<'a, str>>, new: impl Into<Cow<'a, str>>) -> Self {
        Self {
            old: old.into(),
            new: new.into(),
            hint: Hint::default(),
        }
    }
}

/// What one source says about one file.
#[derive(Debug, Clone)]
pub(super) struct Facts<'a> {
    /// The path as sent; `None` when the source means the one file of the call.
    pub(super) path: Option<Cow<'a, str>>,
    /// The path before a move, as sent.
    pub(super) from: Option<Cow<'a, str>>,
    /// What happened, where the source has a word for it.
    pub(super) operation: Option<Operation>,
    /// The source says whether the file is new.
    pub(super) created: Option<bool>,
    /// The source says that the file is as it was.
    pub(super) unchanged: bool,
    /// There is no old text and the new text is all of the file.
    pub(super) whole_new_file: bool,
    /// The first text replaces nothing. Tools that put a text in the place of another take that for
    /// a new file, and refuse it where the file has a text.
    pub(super) replaces_nothing: bool,
    /// The changed texts, in order.
    pub(super) pairs: Vec<Pair<'a>>,
    /// The whole file before.
    pub(super) whole_old: Option<Cow<'a, str>>,
    /// The whole file after.
    pub(super) whole_new: Option<Cow<'a, str>>,
    /// Where the texts come from.
    pub(super) evidence: Evidence,
}

impl<'a> Facts<'a> {
    pub(super) fn new(path: Option<Cow<'a, str>>, evidence: Evidence) -> Self {
        Self {
            path,
            from: None,
            operation: None,
            created: None,
            unchanged: false,
            whole_new_file: false,
            replaces_nothing: false,
            pairs: Vec::new(),
            whole_old: None,
            whole_new: None,
            evidence,
        }
    }

    /// The source names a change without its text.
    pub(super) fn lacks_text(&self) -> bool {
        self.says_something()
            && self.pairs.is_empty()
            && !self.unchanged
            && self.operation != Some(Operation::Delete)
    }

    /// The source says more than a path.
    pub(super) fn says_something(&self) -> bool {
        self.operation.is_some()
            || self.created.is_some()
            || self.unchanged
            || self.from.is_some()
            || !self.pairs.is_empty()
            || self.whole_new.is_some()
    }
}
