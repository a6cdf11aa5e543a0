//! Processes that the product started, and their ends.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

/// How long a process may take to end. Far above what is needed.
const DEADLINE: Duration = Duration::from_secs(20);

/// Whether a process is there; one that has ended and was not asked for its status is not.
pub fn is_alive(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"));
    status.is_ok_and(|status| !status.contains("State:\tZ"))
}

/// Waits until a process has ended.
///
/// # Errors
/// When it does not.
pub fn has_ended(process: u32) -> Result<()> {
    let until = Instant::now() + DEADLINE;
    while is_alive(process) {
        ensure!(Instant::now() < until, "the process {process} still runs");
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}
