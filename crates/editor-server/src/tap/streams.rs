//! The tap's own standard streams, closed when the other side closes theirs.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, kill_process};

/// The size to which pipes are widened, where the system allows it: fewer and longer reads.
const PIPE_BYTES: usize = 1024 * 1024;

/// Standard input and output as plain files, without a buffer between.
pub(super) fn own() -> io::Result<(File, File)> {
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    Ok((input.into(), output.into()))
}

/// Lets the agent's pipes hold more.
pub(super) fn widen(agent_in: impl AsFd, agent_out: impl AsFd) {
    #[cfg(target_os = "linux")]
    for pipe in [agent_in.as_fd(), agent_out.as_fd()] {
        // The user's limit may be reached; the pipes work as they are.
        let _ = rustix::pipe::fcntl_setpipe_size(pipe, PIPE_BYTES);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (agent_in, agent_out, PIPE_BYTES);
}

/// Lets the calling thread give way: where processors are short, what passes through the tap goes
/// first, and those who look on follow when there is time.
pub(super) fn give_way() {
    /// Half way to the least that a thread can have.
    #[cfg(target_os = "linux")]
    const NICENESS: i32 = 10;
    // Elsewhere this would be the priority of the whole process. A thread that cannot give way does
    // its work all the same.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, NICENESS);
}

/// Closes standard input, so that the client learns that nobody reads any more.
pub(super) fn close_input() {
    if let Ok(nothing) = File::open("/dev/null") {
        let _ = rustix::stdio::dup2_stdin(nothing);
    }
}

/// Closes standard output, so that the client learns that the agent has closed its own.
pub(super) fn close_output() {
    if let Ok(nothing) = File::options().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(nothing);
    }
}

/// Whether nobody reads our standard output any more.
pub(super) fn is_output_broken() -> bool {
    let output = io::stdout();
    let output = output.as_fd();
    let mut fds = [PollFd::new(&output, PollFlags::empty())];
    match poll(&mut fds, Some(&Timespec::default())) {
        Ok(_) => fds.iter().any(|fd| {
            fd.revents()
                .intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL)
        }),
        Err(_) => false,
    }
}

/// Asks the agent to end, or makes it.
pub(super) fn signal(agent: u32, signal: rustix::process::Signal) {
    if let Some(agent) = i32::try_from(agent).ok().and_then(Pid::from_raw) {
        // It may have ended by itself in the meantime.
        let _ = kill_process(agent, signal);
    }
}
