//! What changed since a revision, at a cost that depends on the changes alone.

use super::Revision;

/// Fewer entries than this are not worth tidying up.
const SMALL: usize = 1024;

/// A part of a session that a reader may show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// The session itself.
    Session,
    /// A file, by its index.
    File(usize),
    /// A turn, by its index.
    Turn(usize),
    /// A timeline item, by its position.
    Item(usize),
}

/// The targets in the order of their last change.
///
/// A target that changes again gets a new entry; its old one is stale, which shows in
/// the revision that the target has. Stale entries are swept out when they are half of all.
#[derive(Debug, Clone, Default)]
pub(super) struct ChangeLog {
    revision: u64,
    reset: u64,
    entries: Vec<(u64, Target)>,
    sweep_at: usize,
    session: u64,
    files: Vec<u64>,
    turns: Vec<u64>,
    items: Vec<u64>,
}

impl ChangeLog {
    pub(super) fn revision(&self) -> Revision {
        Revision(self.revision)
    }

    /// The revision of the last reset.
    pub(super) fn reset_at(&self) -> Revision {
        Revision(self.reset)
    }

    /// Begins a new revision; what is touched belongs to it.
    pub(super) fn begin(&mut self) {
        self.revision += 1;
    }

    /// Takes the revision back if nothing was touched.
    pub(super) fn finish(&mut self) {
        let touched = self
            .entries
            .last()
            .is_some_and(|(revision, _)| *revision == self.revision);
        if !touched && self.reset != self.revision {
            self.revision -= 1;
        }
    }

    /// Everything may have changed.
    pub(super) fn reset(&mut self) {
        self.reset = self.revision;
        self.entries.clear();
        self.session = 0;
        self.files.clear();
        self.turns.clear();
        self.items.clear();
    }

    pub(super) fn touch(&mut self, target: Target) {
        let revision = self.revision;
        let last = self.last_mut(target);
        if *last == revision {
            return;
        }
        *last = revision;
        self.entries.push((revision, target));
        if self.entries.len() >= self.sweep_at.max(SMALL) {
            self.sweep();
        }
    }

    /// The targets that changed after `revision`, each once.
    pub(super) fn since(&self, revision: Revision) -> impl Iterator<Item = Target> {
        let start = self.entries.partition_point(|(at, _)| *at <= revision.0);
        let entries = self.entries.get(start..).unwrap_or_default();
        entries
            .iter()
            .filter(|(at, target)| self.last(*target) == *at)
            .map(|(_, target)| *target)
    }

    /// Gives back the room to grow.
    pub(super) fn shrink(&mut self) {
        self.sweep();
        self.entries.shrink_to_fit();
        self.files.shrink_to_fit();
        self.turns.shrink_to_fit();
        self.items.shrink_to_fit();
    }

    fn sweep(&mut self) {
        let mut entries = std::mem::take(&mut self.entries);
        entries.retain(|(at, target)| self.last(*target) == *at);
        self.sweep_at = entries.len().saturating_mul(2);
        self.entries = entries;
    }

    fn last(&self, target: Target) -> u64 {
        let of = |list: &[u64], index: usize| list.get(index).copied().unwrap_or_default();
        match target {
            Target::Session => self.session,
            Target::File(index) => of(&self.files, index),
            Target::Turn(index) => of(&self.turns, index),
            Target::Item(index) => of(&self.items, index),
        }
    }

    fn last_mut(&mut self, target: Target) -> &mut u64 {
        let (list, index) = match target {
            Target::Session => return &mut self.session,
            Target::File(index) => (&mut self.files, index),
            Target::Turn(index) => (&mut self.turns, index),
            Target::Item(index) => (&mut self.items, index),
        };
        if list.len() <= index {
            list.resize(index + 1, 0);
        }
        &mut list[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_target_is_told_once_by_its_last_change() {
        let mut log = ChangeLog::default();
        let step = |log: &mut ChangeLog, targets: &[Target]| {
            log.begin();
            for target in targets {
                log.touch(*target);
            }
            log.finish();
            log.revision()
        };
        let first = step(&mut log, &[Target::File(3), Target::Item(0)]);
        let second = step(&mut log, &[Target::File(3), Target::File(3)]);
        assert_eq!(step(&mut log, &[]), second);
        assert_eq!(log.since(first).collect::<Vec<_>>(), [Target::File(3)]);
        assert_eq!(
            log.since(Revision(0)).collect::<Vec<_>>(),
            [Target::Item(0), Target::File(3)]
        );
        for index in 0..10 * SMALL {
            step(&mut log, &[Target::Item(index % 7)]);
        }
        assert!(log.entries.len() <= SMALL, "{}", log.entries.len());
        assert_eq!(log.since(second).count(), 7);
    }
}
