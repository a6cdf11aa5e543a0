//! `acp-lens demo-agent`: the agent that `acp-lens demo` runs.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use super::{Failure, Outcome};
use crate::acp::demo_agent::{Options, serve};

/// Serve the demo's scripted agent on standard input and output.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Keep sessions in this directory, so that another process can load them.
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
    /// Milliseconds between two words of the agent.
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pace: u64,
}

/// Runs the subcommand.
pub(super) fn run(args: Args) -> Outcome {
    let options = Options {
        state_dir: args.state_dir,
        pace: Duration::from_millis(args.pace),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|why| Failure::new(format!("the agent did not start: {why}"), "try again"))?;
    runtime.block_on(serve(options)).map_err(|why| {
        Failure::new(
            format!("the connection ended: {}", why.message),
            "start the agent again",
        )
    })?;
    Ok(ExitCode::SUCCESS)
}
