//! Signals that reach the tap are meant for the agent.

use std::io;
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::Cause;

/// Passes on every signal that a process sends to the tap.
///
/// The tap and the agent are in one process group, so what the terminal sends reaches the agent by
/// itself and is not passed on a second time.
pub(super) fn forward_to(agent: u32) -> io::Result<()> {
    let mut signals = SignalsInfo::<WithOrigin>::new([
        SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT,
    ])?;
    let agent = i32::try_from(agent).ok().and_then(Pid::from_raw);
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            for origin in &mut signals {
                let signal = Signal::from_named_raw(origin.signal);
                if let (Cause::Sent(_), Some(agent), Some(signal)) = (origin.cause, agent, signal) {
                    // The agent may have ended already, and the tap is about to.
                    let _ = kill_process(agent, signal);
                }
            }
        })?;
    Ok(())
}
