//! A process with all that it starts, as far as that stays in its process group.
//!
//! A group ends as a whole: when its first process has ended or when it is dropped, what is left
//! of it is killed, so that nothing goes on unseen.

use std::io;
use std::process::ExitStatus;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

/// A running process and its group. Dropping it kills the group.
#[derive(Debug)]
pub(crate) struct ProcessGroup {
    child: Child,
    /// The group, by the id of its first process, for as long as that id is surely its own.
    id: Option<u32>,
}

impl ProcessGroup {
    /// Starts the command in a process group of its own.
    ///
    /// It has to be called from a thread that lives as long as the process shall: on Linux a
    /// command of [`crate::agent_exec`] ends with the thread that started it.
    pub(crate) fn start(mut command: Command) -> io::Result<Self> {
        command.kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let child = command.spawn()?;
        let id = child.id();
        Ok(Self { child, id })
    }

    /// The three streams, as far as they are piped and were not taken before.
    pub(crate) fn take_streams(
        &mut self,
    ) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        let child = &mut self.child;
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    }

    /// Waits until the first process has ended, and kills what it left behind. The future may be
    /// dropped and made anew.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await?;
        // The id is given to another process at the earliest when all ids were given since.
        self.kill();
        self.id = None;
        Ok(status)
    }

    /// Asks all processes of the group to end.
    pub(crate) fn terminate(&self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::TERM);
    }

    /// Kills all processes of the group; on a system without groups the first one alone.
    pub(crate) fn kill(&mut self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::KILL);
        #[cfg(not(unix))]
        let _ = self.child.start_kill();
    }

    #[cfg(unix)]
    fn signal(&self, signal: rustix::process::Signal) {
        use rustix::process::{Pid, kill_process_group};
        let group = self
            .id
            .and_then(|id| i32::try_from(id).ok())
            .and_then(Pid::from_raw);
        if let Some(group) = group {
            // The group can have ended in the meantime, which is what was wanted.
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}
