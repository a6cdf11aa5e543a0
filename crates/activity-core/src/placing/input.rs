//! What placing asks for: the fragments of one file, oldest first, and limits.

use crate::model::{Action, Activity, Fragment};

/// One fragment of the file to place, with what its activity adds.
#[derive(Debug, Clone, Copy)]
pub struct PlaceInput<'a> {
    /// The texts and hints.
    pub fragment: &'a Fragment,
    /// What the activity did to the file.
    pub action: Action,
    /// Which call the fragment belongs to: equal numbers mean the same call. Fragments of one call
    /// that are equal share out the places where their text stands.
    pub call: usize,
    /// The fragments of this call are chunks of a patch: whole lines, listed from the top of the
    /// file to its bottom.
    pub is_patch: bool,
}

impl<'a> PlaceInput<'a> {
    /// The fragments of activities of one file, oldest activity first, as input for
    /// [`place`](super::place); fragment indexes of its hunks count along this list.
    pub fn of_activities(activities: impl IntoIterator<Item = &'a Activity>) -> Vec<Self> {
        let mut inputs = Vec::new();
        for (call, activity) in activities.into_iter().enumerate() {
            let is_patch = activity.tool_name.contains("patch");
            inputs.extend(activity.fragments.iter().map(|fragment| Self {
                fragment,
                action: activity.action,
                call,
                is_patch,
            }));
        }
        inputs
    }
}

/// Up to which size a text is searched. The defaults are those of the settings `maxFileLines` and
/// `maxFileBytes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Lines at most.
    pub max_lines: usize,
    /// Bytes at most.
    pub max_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_lines: 40_000,
            max_bytes: 16 * 1024 * 1024,
        }
    }
}
