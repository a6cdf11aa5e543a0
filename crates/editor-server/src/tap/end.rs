//! The end of the tap is the end of the agent: the same exit status, the same signal.

use std::os::unix::process::ExitStatusExt as _;
use std::process::{ExitCode, ExitStatus};

use rustix::process::{Signal, getpid, kill_process};

/// Ends as the agent ended.
///
/// It comes back only when the agent ended by itself; a signal that killed the agent kills the
/// tap too, so that whoever waits for it learns the same.
pub(super) fn as_the_agent(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal() {
        die_of(signal);
        // As shells say it, should the signal not have killed us.
        return ExitCode::from(u8::try_from(128 + signal).unwrap_or(255));
    }
    let code = status.code().unwrap_or(1);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// In words, for the editors.
pub(super) fn in_words(status: ExitStatus) -> String {
    format!("the agent ended: {status}")
}

fn die_of(signal: i32) {
    // Signals that can be caught have to be let through first.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    if let Some(signal) = Signal::from_named_raw(signal) {
        let _ = kill_process(getpid(), signal);
    }
}
