//! What is known of the files while a session goes on, and the changes that follow from it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use activity_core::model::{Action, Activity, Evidence, Fragment};
use memchr::memmem;

use super::unified::{self, End, Frame, Hunk};

/// A change that can be written as a diff.
#[derive(Debug)]
pub(super) enum Change<'a> {
    /// A file comes, with this text.
    Create(Arc<str>),
    /// A file goes, with this text.
    Delete(Arc<str>),
    /// A file's whole text changes from the first into the second.
    Edit(Arc<str>, Arc<str>),
    /// Pieces of a file change; with none, only its name does.
    Pieces(Vec<Hunk<'a>>),
}

impl Change<'_> {
    /// The hunks of the diff.
    pub(super) fn hunks(&self) -> Cow<'_, [Hunk<'_>]> {
        let whole = |old, new| unified::hunks(old, new, Frame::WHOLE).unwrap_or_default();
        match self {
            Change::Create(text) => Cow::Owned(whole("", text)),
            Change::Delete(text) => Cow::Owned(whole(text, "")),
            Change::Edit(old, new) => Cow::Owned(whole(old, new)),
            Change::Pieces(hunks) => Cow::Borrowed(hunks),
        }
    }
}

/// Why a change cannot be written as a diff.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum LeftOut {
    #[error("{0}")]
    Doubtful(Arc<str>),
    #[error("only the name of the file is known")]
    PathUnknown,
    #[error("the agent gave no text")]
    NoText,
    #[error("the agent gave the text after the change, but none before it")]
    NoOldText,
    #[error("the agent gave no line numbers")]
    NoLines,
    #[error("the agent gave too few lines around the change")]
    NoContext,
    #[error("the agent masked a secret in the text")]
    Masked,
}

/// The files whose whole text is known from what the session did to them.
#[derive(Debug, Default)]
pub(super) struct KnownTexts {
    by_path: HashMap<Arc<str>, Arc<str>>,
}

impl KnownTexts {
    /// The diffs that an activity is, and brings the known texts forward. No diff at all means
    /// that the activity changed nothing.
    pub(super) fn changes<'a>(
        &mut self,
        activity: &'a Activity,
    ) -> Result<Vec<Change<'a>>, LeftOut> {
        let source = activity
            .from_path
            .as_ref()
            .unwrap_or(&activity.relative_path);
        // Whatever fails below, the text is not known any more.
        let before = self.by_path.remove(source);
        if activity
            .fragments
            .iter()
            .any(|fragment| fragment.hint.masked)
        {
            return Err(LeftOut::Masked);
        }
        if activity.action == Action::Deleted {
            let text = before
                .or_else(|| whole_old_text(activity))
                .ok_or(LeftOut::NoText)?;
            return Ok(vec![Change::Delete(text)]);
        }
        if let Some((old, new)) = whole_texts(activity, before.as_ref()) {
            self.by_path
                .insert(Arc::clone(&activity.relative_path), Arc::clone(&new));
            return Ok(match old {
                None => vec![Change::Create(new)],
                Some(old) if old == new && activity.from_path.is_none() => Vec::new(),
                Some(old) => vec![Change::Edit(old, new)],
            });
        }
        match activity.fragments.as_slice() {
            [] if activity.action == Action::Moved => Ok(vec![Change::Pieces(Vec::new())]),
            [] => Err(LeftOut::NoText),
            [only] if only.old_text.is_empty() && only.hint.old_line.is_none() => {
                Err(LeftOut::NoOldText)
            }
            fragments => pieces(fragments),
        }
    }
}

/// The whole text before a deletion, where the evidence has it.
fn whole_old_text(activity: &Activity) -> Option<Arc<str>> {
    match activity.fragments.as_slice() {
        [only] if only.new_text.is_empty() && !only.old_text.is_empty() => {
            Some(Arc::clone(&only.old_text))
        }
        _ => None,
    }
}

/// The whole text before and after a change, as far as it follows from the evidence. Nothing
/// before means that the file is new.
fn whole_texts(
    activity: &Activity,
    before: Option<&Arc<str>>,
) -> Option<(Option<Arc<str>>, Arc<str>)> {
    if let [only] = activity.fragments.as_slice()
        && activity.action == Action::Created
        && only.old_text.is_empty()
    {
        return Some((before.cloned(), Arc::clone(&only.new_text)));
    }
    let before = before?;
    let mut text = Cow::Borrowed(&**before);
    for fragment in &activity.fragments {
        text = Cow::Owned(replaced(&text, fragment)?);
    }
    Some((Some(Arc::clone(before)), text.into()))
}

/// The text after a fragment; `None` when its old text stands at no place or at several.
fn replaced(text: &str, fragment: &Fragment) -> Option<String> {
    let (old, new) = (&*fragment.old_text, &*fragment.new_text);
    if old.is_empty() {
        return text.is_empty().then(|| new.to_owned());
    }
    if fragment.hint.replace_all {
        return text.contains(old).then(|| text.replace(old, new));
    }
    let at = memmem::find(text.as_bytes(), old.as_bytes())?;
    // Occurrences may overlap, so the search goes on one byte later.
    if memmem::find(&text.as_bytes()[at + 1..], old.as_bytes()).is_some() {
        return None;
    }
    Some([&text[..at], new, &text[at + old.len()..]].concat())
}

/// What stands in the file after a fragment.
fn end_of(fragment: &Fragment) -> End {
    if !fragment.hint.end_of_file && fragment.evidence != Evidence::Result {
        return End::More;
    }
    let (old, new) = (&fragment.old_text, &fragment.new_text);
    let last_line_feed_changes = old.ends_with('\n') != new.ends_with('\n');
    if last_line_feed_changes && !old.is_empty() && !new.is_empty() {
        End::Exact
    } else {
        End::OfHunk
    }
}

/// The diffs of a file of which only pieces are known.
fn pieces(fragments: &[Fragment]) -> Result<Vec<Change<'_>>, LeftOut> {
    let mut changes: Vec<Vec<Hunk<'_>>> = vec![Vec::new()];
    let mut old_end = 0;
    for fragment in fragments {
        let old_line = fragment.hint.old_line.ok_or(LeftOut::NoLines)?;
        let new_line = fragment.hint.new_line.unwrap_or(old_line);
        let frame = Frame {
            old_line: usize::try_from(old_line).map_err(|_| LeftOut::NoLines)?,
            new_line: usize::try_from(new_line).map_err(|_| LeftOut::NoLines)?,
            end: end_of(fragment),
        };
        let hunks = unified::hunks(&fragment.old_text, &fragment.new_text, frame)
            .ok_or(LeftOut::NoContext)?;
        // Hunks of one diff go down the file. What does not was counted in the text that the
        // fragments before it had made, and becomes a diff of its own.
        for hunk in hunks {
            match changes.last_mut() {
                Some(diff) if diff.is_empty() || hunk.old_start() >= old_end => {
                    old_end = hunk.old_end();
                    diff.push(hunk);
                }
                _ => {
                    old_end = hunk.old_end();
                    changes.push(vec![hunk]);
                }
            }
        }
    }
    changes.retain(|diff| !diff.is_empty());
    Ok(changes.into_iter().map(Change::Pieces).collect())
}
