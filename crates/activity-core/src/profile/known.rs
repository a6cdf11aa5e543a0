//! What a session knows of the files in its workspace, from the calls before.

use std::collections::HashMap;
use std::sync::Arc;

use super::Findings;
use crate::model::{Action, PathStanding};

/// The paths that a session knows: where a bare file name belongs, and whether a file existed
/// before a call.
#[derive(Debug, Clone, Default)]
pub struct KnownPaths {
    by_name: HashMap<Arc<str>, Named>,
    states: HashMap<Arc<str>, State>,
}

#[derive(Debug, Clone)]
enum Named {
    One(Arc<str>),
    Many,
}

/// Whether a file exists, which call said so, and what was known before that call.
#[derive(Debug, Clone)]
struct State {
    exists: bool,
    by: Arc<str>,
    before: Option<bool>,
}

impl KnownPaths {
    /// Notes a path relative to the workspace root.
    pub fn insert(&mut self, relative_path: &Arc<str>) {
        let name = file_name(relative_path);
        match self.by_name.get_mut(name) {
            Some(Named::One(known)) if known == relative_path => {}
            Some(named) => *named = Named::Many,
            None => {
                self.by_name
                    .insert(name.into(), Named::One(Arc::clone(relative_path)));
            }
        }
    }

    /// Notes what a completed call showed. Noting the same call again replaces what it said before.
    pub fn note(&mut self, tool_call_id: &Arc<str>, findings: &Findings) {
        for path in &findings.seen {
            self.note_state(tool_call_id, path, true);
        }
        for draft in &findings.drafts {
            if draft.standing == PathStanding::Unknown {
                continue;
            }
            self.insert(&draft.relative_path);
            if let Some(from_path) = &draft.from_path {
                self.note_state(tool_call_id, from_path, false);
            }
            self.note_state(
                tool_call_id,
                &draft.relative_path,
                draft.action != Action::Deleted,
            );
        }
    }

    /// Forgets which files exist, not where they are: a replay tells the session from its start.
    pub fn replay_started(&mut self) {
        self.states.clear();
    }

    /// Whether a file existed before a call, as far as the calls before it say.
    pub fn existed_before(&self, tool_call_id: &str, relative_path: &str) -> Option<bool> {
        let state = self.states.get(relative_path)?;
        if *state.by == *tool_call_id {
            state.before
        } else {
            Some(state.exists)
        }
    }

    /// The one known path whose last segment is `name`; `None` when there is none or several.
    pub fn unique_path_named(&self, name: &str) -> Option<&Arc<str>> {
        match self.by_name.get(name)? {
            Named::One(path) => Some(path),
            Named::Many => None,
        }
    }

    fn note_state(&mut self, tool_call_id: &Arc<str>, path: &Arc<str>, exists: bool) {
        let before = self.existed_before(tool_call_id, path);
        let state = State {
            exists,
            by: Arc::clone(tool_call_id),
            before,
        };
        self.states.insert(Arc::clone(path), state);
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::KnownPaths;
    use crate::profile::Findings;

    #[test]
    fn a_call_does_not_see_what_it_did_itself() {
        let mut known = KnownPaths::default();
        let (first, second): (Arc<str>, Arc<str>) = ("1".into(), "2".into());
        let findings = Findings {
            seen: vec!["a.txt".into()],
            ..Findings::default()
        };
        known.note(&first, &findings);
        known.note(&first, &findings);
        assert_eq!(known.existed_before("1", "a.txt"), None);
        assert_eq!(known.existed_before("2", "a.txt"), Some(true));
        known.note(&second, &findings);
        assert_eq!(known.existed_before("2", "a.txt"), Some(true));
        known.replay_started();
        assert_eq!(known.existed_before("2", "a.txt"), None);
    }

    #[test]
    fn a_name_with_two_paths_joins_to_none() {
        let mut known = KnownPaths::default();
        known.insert(&"src/a.txt".into());
        known.insert(&"src/a.txt".into());
        assert_eq!(
            known.unique_path_named("a.txt").map(AsRef::as_ref),
            Some("src/a.txt")
        );
        known.insert(&"a.txt".into());
        assert_eq!(known.unique_path_named("a.txt"), None);
    }
}
