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

/// The processes that a process has started and that are there.
///
/// # Errors
/// When the system does not tell.
pub fn children(of: u32) -> Result<Vec<u32>> {
    let wanted = format!("PPid:\t{of}\n");
    let mut children = Vec::new();
    for entry in std::fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(process) = name.to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        // A process can end while it is looked at.
        let status = std::fs::read_to_string(format!("/proc/{process}/status"));
        if status.is_ok_and(|status| status.contains(&wanted)) && is_alive(process) {
            children.push(process);
        }
    }
    Ok(children)
}
