//! From what is known about a file to the change that is listed.

use std::borrow::Cow;
use std::sync::Arc;

use foldhash::HashMap;

use super::facts::{Operation, Pair};
use super::merge::{File, shown};
use super::place::{Place, Resolver};
use super::tool::Class;
use super::{Reading, splice};
use crate::model::{Action, Evidence, PathStanding};
use crate::notice::NoticeKind;
use crate::profile::masked::is_masked;
use crate::profile::{ActivityDraft, Findings, FragmentDraft, WholeTexts};
use crate::timeline::tool_call::CallLocation;

impl<'a> Reading<'a> {
    /// Adds what is known about one file, as a change or as a notice.
    pub(super) fn draft(&self, file: &File<'a>, lines: &Lines, findings: &mut Findings) {
        for place in [Some(&file.place), file.from.as_ref()]
            .into_iter()
            .flatten()
        {
            let notice = match place {
                Place::Inside(_) => continue,
                Place::Nameless(name) => NoticeKind::PathUnknown {
                    name: Arc::clone(name),
                },
                Place::Outside(path) => NoticeKind::OutsideWorkspace {
                    path: Arc::clone(path),
                },
            };
            if findings.notices.last() != Some(&notice) {
                findings.notices.push(notice);
            }
        }
        if file.is_unchanged() {
            return;
        }
        let action = self.action(file);
        let (place, action, from_path) = match (&file.place, &file.from) {
            // A file that left the workspace is gone from it; one that came in is new in it.
            (Place::Outside(_), Some(from @ Place::Inside(_))) => (from, Action::Deleted, None),
            (Place::Outside(_), _) => return,
            (place, Some(Place::Outside(_))) => (place, Action::Created, None),
            (place, from) => (place, action, from.as_ref().map(shown)),
        };
        let pairs = file.pairs();
        let mut whole = whole_texts(file, &pairs, action);
        let fragments = fragments(file, pairs, action, &whole, lines);
        if let [fragment] = fragments.as_slice() {
            share(&mut whole.old, &fragment.old_text);
            share(&mut whole.new, &fragment.new_text);
        }
        let changed = fragments
            .iter()
            .any(|fragment| fragment.old_text != fragment.new_text);
        if action == Action::Modified && !changed && !fragments.is_empty() {
            return;
        }
        let masked = fragments.iter().any(|fragment| fragment.hint.masked);
        if masked {
            findings
                .notices
                .push(NoticeKind::Masked { path: shown(place) });
        }
        findings.drafts.push(ActivityDraft {
            tool_name: Arc::clone(&self.tool.name),
            relative_path: shown(place),
            from_path,
            action,
            fragments,
            standing: match place {
                Place::Nameless(_) => PathStanding::Unknown,
                Place::Inside(_) | Place::Outside(_) => PathStanding::Known,
            },
            whole: if masked { WholeTexts::default() } else { whole },
        });
    }

    fn action(&self, file: &File<'_>) -> Action {
        let operation = file.operation();
        if operation == Some(Operation::Delete)
            || (operation.is_none() && self.tool.class == Class::Delete)
        {
            return Action::Deleted;
        }
        if file.from.is_some() {
            return Action::Moved;
        }
        if file.is_replaced() {
            return Action::Modified;
        }
        if let Some(created) = file.created() {
            return if created {
                Action::Created
            } else {
                Action::Modified
            };
        }
        let path = file.place.inside();
        let existed = path.and_then(|path| {
            self.context
                .known_paths
                .existed_before(self.context.call, path)
        });
        let claims_new = match operation {
            Some(Operation::Add) => true,
            Some(_) => false,
            None => file.is_whole_new_file() || self.outcome.says_created(file.place.shown()),
        };
        if claims_new && existed != Some(true) {
            Action::Created
        } else {
            Action::Modified
        }
    }
}

fn fragments(
    file: &File<'_>,
    mut pairs: Vec<Pair<'_>>,
    action: Action,
    whole: &WholeTexts,
    lines: &Lines,
) -> Vec<FragmentDraft> {
    if let (Some(old), [pair]) = (file.whole_old(), pairs.as_mut_slice()) {
        let expanded = pair
            .hint
            .replace_all
            .then(|| splice::expand_replace_all(old, pair))
            .flatten();
        if let Some(expanded) = expanded {
            pairs = expanded;
        } else if action == Action::Modified && whole.new.as_deref() == Some(&*pair.new) {
            // All of the new text stands against all of the old one.
            pair.old = Cow::Owned(old.to_owned());
        }
    }
    if action == Action::Deleted {
        pairs.retain(|pair| pair.new.is_empty());
    }
    if let [pair] = pairs.as_mut_slice() {
        pair.hint.new_line = pair.hint.new_line.or_else(|| located_line(file, lines));
    }
    let evidence = file.evidence().unwrap_or(Evidence::Input);
    pairs
        .into_iter()
        .map(|pair| fragment(pair, evidence))
        .collect()
}

/// The line of the one location that names this file, from 0.
fn located_line(file: &File<'_>, lines: &Lines) -> Option<u32> {
    let line = lines.get(file.place.inside()?)?;
    line.and_then(|line| line.checked_sub(1))
}

/// The lines of a call's locations as sent, by path; `None` where several locations name one path.
pub(super) type Lines = HashMap<Arc<str>, Option<u32>>;

pub(super) fn lines_by_path(locations: &[CallLocation], resolver: &Resolver<'_>) -> Lines {
    let mut lines = Lines::default();
    if locations.iter().all(|location| location.line.is_none()) {
        return lines;
    }
    for location in locations {
        if let Some(Place::Inside(path)) = resolver.place(&location.path) {
            lines
                .entry(path)
                .and_modify(|line| *line = None)
                .or_insert(location.line);
        }
    }
    lines
}

/// One copy for the two, where the texts are equal.
fn share(whole: &mut Option<Arc<str>>, text: &Arc<str>) {
    if whole.as_ref() == Some(text) {
        *whole = Some(Arc::clone(text));
    }
}

fn fragment(pair: Pair<'_>, evidence: Evidence) -> FragmentDraft {
    let mut hint = pair.hint;
    hint.masked = is_masked(&pair.old) || is_masked(&pair.new);
    FragmentDraft {
        old_text: pair.old.into(),
        new_text: pair.new.into(),
        evidence,
        hint,
    }
}

/// The whole file before and after, as far as the sources have it or it follows from them.
fn whole_texts(file: &File<'_>, pairs: &[Pair<'_>], action: Action) -> WholeTexts {
    let old = match action {
        Action::Created => Some(""),
        _ => file.whole_old(),
    };
    let new = match action {
        Action::Deleted => Some(Cow::Borrowed("")),
        _ => file.whole_new().map(Cow::Borrowed).or_else(|| {
            let applied = (!pairs.is_empty()).then(|| splice::apply_pairs(old?, pairs));
            applied.flatten().map(Cow::Owned)
        }),
    };
    WholeTexts {
        old: old.map(Into::into),
        new: new.map(Into::into),
    }
}
