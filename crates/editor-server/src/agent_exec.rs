//! An agent that ends with its owner, however the owner ends.
//!
//! On Linux the agent is started through this binary's own hidden subcommand `run-agent`, which
//! asks the kernel to kill the process when its parent dies, and then becomes the agent. So an
//! editor, a server or a tap that is killed leaves no agent behind, not even one that does not
//! look at its closed standard input.

use std::ffi::OsString;
use std::process::Command;

/// The command that starts `program` with `args`, tied to the life of the calling thread.
#[cfg(target_os = "linux")]
pub(crate) fn command<P, A>(program: P, args: impl IntoIterator<Item = A>) -> Command
where
    P: Into<OsString>,
    A: Into<OsString>,
{
    // The image of this very process, even if its file was replaced since.
    let mut command = Command::new("/proc/self/exe");
    command
        .arg("run-agent")
        .arg("--parent")
        .arg(std::process::id().to_string())
        .arg("--")
        .arg(program.into())
        .args(args.into_iter().map(Into::into));
    command
}

/// The command that starts `program` with `args`.
#[cfg(not(target_os = "linux"))]
pub(crate) fn command<P, A>(program: P, args: impl IntoIterator<Item = A>) -> Command
where
    P: Into<OsString>,
    A: Into<OsString>,
{
    let mut command = Command::new(program.into());
    command.args(args.into_iter().map(Into::into));
    command
}
