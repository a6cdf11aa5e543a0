//! Counts steps, so that tests can show that work stays linear. It costs nothing outside tests.

#[cfg(test)]
use std::cell::Cell;

#[cfg(test)]
thread_local! {
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

/// Notes that `steps` bytes or lines were looked at.
#[inline]
pub(crate) fn note(steps: usize) {
    #[cfg(test)]
    STEPS.set(STEPS.get() + steps);
    #[cfg(not(test))]
    let _ = steps;
}

/// How many steps `work` takes.
#[cfg(test)]
pub(crate) fn count(work: impl FnOnce()) -> usize {
    let before = STEPS.get();
    work();
    STEPS.get() - before
}
