//! What a session knows of the files in its workspace, from the calls before.

use std::sync::Arc;

use foldhash::HashMap;

use super::Findings;
use crate::model::{Action, PathStanding};
use crate::path::file_name;

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
    by: usize,
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

    /// Notes what a completed call showed. `call` is the call's number in its session. Noting a call
    /// again replaces what it said before.
    pub fn note(&mut self, call: usize, findings: &Findings) {
        for path in &findings.seen {
            self.note_state(call, path, true);
        }
        for draft in &findings.drafts {
            if draft.standing == PathStanding::Unknown {
                continue;
            }
            self.insert(&draft.relative_path);
            if let Some(from_path) = &draft.from_path {
                self.note_state(call, from_path, false);
            }
            self.note_state(call, &draft.relative_path, draft.action != Action::Deleted);
        }
    }

    /// Forgets which files exist, not where they are: a replay tells the session from its start.
    pub fn replay_started(&mut self) {
        self.states.clear();
    }

    /// Takes back what a call said about a path, when it turns out to have failed.
    pub fn retract(&mut self, call: usize, relative_path: &str) {
        let state = self.states.get_mut(relative_path);
        let Some(state) = state.filter(|state| state.by == call) else {
            return;
        };
        match state.before {
            Some(exists) => state.exists = exists,
            None => drop(self.states.remove(relative_path)),
        }
    }

    /// Whether a file existed before a call, as far as the calls before it say.
    pub fn existed_before(&self, call: usize, relative_path: &str) -> Option<bool> {
        let state = self.states.get(relative_path)?;
        if state.by == call {
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

    fn note_state(&mut self, call: usize, path: &Arc<str>, exists: bool) {
        let before = self.existed_before(call, path);
        let state = State {
            exists,
            by: call,
            before,
        };
        self.states.insert(Arc::clone(path), state);
    }
}

#[cfg(test)]
mod tests {
    use super::KnownPaths;
    use crate::profile::Findings;

    #[test]
    fn a_call_does_not_see_what_it_did_itself() {
        let mut known = KnownPaths::default();
        let findings = Findings {
            seen: vec!["a.txt".into()],
            ..Findings::default()
        };
        known.note(1, &findings);
        known.note(1, &findings);
        assert_eq!(known.existed_before(1, "a.txt"), None);
        assert_eq!(known.existed_before(2, "a.txt"), Some(true));
        known.note(2, &findings);
        assert_eq!(known.existed_before(2, "a.txt"), Some(true));
        known.replay_started();
        assert_eq!(known.existed_before(2, "a.txt"), None);
    }

    #[test]
    fn a_failed_call_showed_nothing() {
        let mut known = KnownPaths::default();
        let findings = Findings {
            seen: vec!["a.txt".into()],
            ..Findings::default()
        };
        known.note(1, &findings);
        known.retract(2, "a.txt");
        assert_eq!(known.existed_before(2, "a.txt"), Some(true));
        known.retract(1, "a.txt");
        assert_eq!(known.existed_before(2, "a.txt"), None);
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
