//! `acp-lens run-agent`: becomes an agent that dies with the process that started it.
//!
//! Linux only; see `crate::agent_exec`.

use std::ffi::OsString;
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use rustix::process::{Signal, getppid, set_parent_process_death_signal};

use super::{Failure, Outcome};

/// Exit status of a program that was not found, as shells have it.
const NOT_FOUND: u8 = 127;
/// Exit status of a program that cannot be run, as shells have it.
const NOT_RUNNABLE: u8 = 126;

/// Become another program that ends with its parent.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The process id of the parent.
    #[arg(long)]
    parent: u32,
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

/// Runs the subcommand. It comes back only when the program could not be started.
pub(super) fn run(args: &Args) -> Outcome {
    set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|why| Failure::new(format!("the agent was not started: {why}"), "try again"))?;
    let parent = getppid().map(|pid| pid.as_raw_nonzero().get());
    if parent.and_then(|pid| u32::try_from(pid).ok()) != Some(args.parent) {
        // The parent died before the kernel knew of the tie.
        return Ok(ExitCode::FAILURE);
    }
    let Some((program, arguments)) = args.command.split_first() else {
        return Err(Failure::new(
            "no agent was named",
            "name the agent's command",
        ));
    };
    let why = Command::new(program).args(arguments).exec();
    let program = program.display();
    // Standard error may be closed; the exit status says the same.
    let _ = writeln!(
        io::stderr(),
        "error: cannot start `{program}`: {why}\n  help: check the command, and that it is on the \
         PATH"
    );
    Ok(ExitCode::from(if why.kind() == ErrorKind::NotFound {
        NOT_FOUND
    } else {
        NOT_RUNNABLE
    }))
}
