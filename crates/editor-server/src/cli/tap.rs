//! `acp-lens tap`: an agent run for another client, seen by editors.

use std::ffi::OsString;
use std::path::PathBuf;

use super::{Failure, Outcome};
use crate::tap::{Options, Secrets, TapError};

/// Run an agent for its client, and show in running editors what it changes.
///
/// Every byte passes unchanged in both directions, signals and the exit status pass on.
/// Editors that start later see the session from its beginning. A recording that is there already
/// goes on behind what it holds; `acp-lens replay` shows all sessions of such a file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  acp-lens tap -- claude-agent-acp
  acp-lens tap --record session.ndjson -- gemini --acp

Exit status: that of the agent, or its signal. 1: the tap or the agent could not be started, and no
agent ran; 2: wrong usage.")]
pub(super) struct Args {
    /// Write all messages into this file, behind what it holds, as `acp-lens replay` reads them;
    /// secrets are masked.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Leave secrets in the recording: environment variables, headers, credentials.
    #[arg(long, requires = "record")]
    record_raw: bool,
    /// The agent and its arguments.
    #[arg(last = true, required = true, value_name = "AGENT")]
    agent: Vec<OsString>,
}

/// Runs the subcommand. It ends as the agent ends.
pub(super) fn run(args: Args) -> Outcome {
    let options = Options {
        agent: args.agent,
        record: args.record,
        secrets: if args.record_raw {
            Secrets::Raw
        } else {
            Secrets::Masked
        },
    };
    crate::tap::run(options).map_err(|why| {
        let source = std::error::Error::source(&why)
            .map_or_else(String::new, |source| format!(": {source}"));
        let remedy = match why {
            TapError::NoAgent => "name the agent's command after `--`",
            TapError::Record { .. } => "name another file for the recording",
            TapError::Start(_) => "check the command, and that it is on the PATH",
            TapError::Streams(_) | TapError::Wait(_) => "start it from an ACP client",
        };
        Failure::new(format!("{why}{source}"), remedy)
    })
}
