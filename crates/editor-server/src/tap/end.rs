//! The end of the tap is the end of the agent: the same exit status, the same signal.

use std::os::unix::process::ExitStatusExt as _;
use std::process::{ExitCode, ExitStatus};

use rustix::process::{Signal, getpid, kill_process};

/// How the agent ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    pub(super) status: ExitStatus,
    /// The client had gone away before.
    pub(super) client_left: bool,
}

impl End {
    /// Ends as the agent ended.
    ///
    /// It comes back only when the agent ended by itself; a signal that killed the agent kills the
    /// tap too, so that whoever waits for it learns the same.
    pub(super) fn as_the_agent(self) -> ExitCode {
        if let Some(signal) = self.status.signal() {
            die_of(signal);
            // As shells say it, should the signal not have killed us.
            return ExitCode::from(u8::try_from(128 + signal).unwrap_or(255));
        }
        let code = self.status.code().unwrap_or(1);
        ExitCode::from(u8::try_from(code).unwrap_or(1))
    }

    /// In words, for the editors.
    pub(super) fn in_words(self) -> String {
        let status = self.status;
        if self.client_left {
            format!("the agent's client went away, and the agent ended ({status})")
        } else {
            format!("the agent ended ({status})")
        }
    }
}

fn die_of(signal: i32) {
    // Signals that can be caught have to be let through first.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    if let Some(signal) = Signal::from_named_raw(signal) {
        let _ = kill_process(getpid(), signal);
    }
}
