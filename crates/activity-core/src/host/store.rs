//! What is shown of a session while it is loaded anew.
//!
//! A load brings a session's past in one piece, and building the session from it takes its time.
//! What happens meanwhile is kept, and both become visible in one step: nothing is lost, nothing
//! is doubled, and of several loads the last one wins.

use std::collections::BTreeMap;

use super::event::Generation;

/// Tells one load from another; a later one is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(u64);

/// The state of one session's view. `U` is an update.
#[derive(Debug, Clone)]
pub struct View<U> {
    shown: Option<Generation>,
    loading: Option<Token>,
    last_token: u64,
    kept: BTreeMap<Generation, Vec<U>>,
}

/// All that becomes visible in one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit<U> {
    /// The generation that is shown from now on.
    pub generation: Generation,
    /// What to reduce, in order.
    pub updates: Vec<U>,
}

impl<U> Default for View<U> {
    fn default() -> Self {
        Self {
            shown: None,
            loading: None,
            last_token: 0,
            kept: BTreeMap::new(),
        }
    }
}

impl<U> View<U> {
    /// A load begins; what an earlier one brings is of no use any more.
    pub fn begin(&mut self) -> Token {
        self.last_token += 1;
        let token = Token(self.last_token);
        self.loading = Some(token);
        token
    }

    /// The generation that is shown.
    pub fn shown(&self) -> Option<Generation> {
        self.shown
    }

    /// An update comes. It is given back when it is to be shown now; while a load is on it is
    /// kept; from an older generation it is dropped.
    pub fn update(&mut self, generation: Generation, update: U) -> Option<U> {
        if self.loading.is_some() {
            self.kept.entry(generation).or_default().push(update);
            return None;
        }
        (self.shown == Some(generation)).then_some(update)
    }

    /// A load is done. `None` when a later one has begun.
    pub fn loaded(
        &mut self,
        token: Token,
        generation: Generation,
        batch: impl IntoIterator<Item = U>,
    ) -> Option<Commit<U>> {
        self.loading.take_if(|loading| *loading == token)?;
        let kept = std::mem::take(&mut self.kept).remove(&generation);
        let updates = batch
            .into_iter()
            .chain(kept.into_iter().flatten())
            .collect();
        self.shown = Some(generation);
        Some(Commit {
            generation,
            updates,
        })
    }

    /// A load failed: what is shown stays, and what came for it meanwhile is to be shown now.
    pub fn failed(&mut self, token: Token) -> Vec<U> {
        if self.loading.take_if(|loading| *loading == token).is_none() {
            return Vec::new();
        }
        let mut kept = std::mem::take(&mut self.kept);
        self.shown
            .and_then(|shown| kept.remove(&shown))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUR: Generation = Generation(4);
    const FIVE: Generation = Generation(5);

    /// A view that shows generation 4.
    fn view() -> View<&'static str> {
        let mut view = View::default();
        let token = view.begin();
        assert!(view.loaded(token, FOUR, []).is_some());
        view
    }

    #[test]
    fn updates_of_the_shown_generation_are_shown() {
        let mut view = view();
        assert_eq!(view.update(FOUR, "a"), Some("a"));
        assert_eq!(view.update(FIVE, "b"), None);
        assert_eq!(view.shown(), Some(FOUR));
    }

    #[test]
    fn a_load_and_what_came_meanwhile_are_one_step() {
        let mut view = view();
        let token = view.begin();
        assert_eq!(view.update(FOUR, "old"), None);
        assert_eq!(view.update(FIVE, "late"), None);
        let commit = view.loaded(token, FIVE, ["a", "b"]);
        assert_eq!(
            commit,
            Some(Commit {
                generation: FIVE,
                updates: vec!["a", "b", "late"]
            })
        );
        assert_eq!(view.update(FOUR, "stale"), None);
        assert_eq!(view.update(FIVE, "c"), Some("c"));
    }

    #[test]
    fn a_later_load_wins() {
        let mut view = view();
        let first = view.begin();
        let second = view.begin();
        assert_eq!(view.loaded(first, FIVE, ["a"]), None);
        assert!(view.failed(first).is_empty());
        assert_eq!(view.shown(), Some(FOUR));
        assert!(view.loaded(second, Generation(6), ["b"]).is_some());
    }

    #[test]
    fn a_failed_load_loses_nothing() {
        let mut view = view();
        let token = view.begin();
        assert_eq!(view.update(FOUR, "a"), None);
        assert_eq!(view.update(FIVE, "of nobody"), None);
        assert_eq!(view.failed(token), ["a"]);
        assert_eq!(view.update(FOUR, "b"), Some("b"));
    }
}
