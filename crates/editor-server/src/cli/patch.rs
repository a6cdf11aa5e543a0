//! `acp-lens patch`: an `apply_patch` payload checked, shown as JSON, or applied.

use super::{Failure, Outcome};

/// Check an `apply_patch` payload.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

/// Runs the subcommand.
pub(super) fn run(_args: Args) -> Outcome {
    Err(Failure::new(
        "no payload was named",
        "name a file, or `-` for standard input",
    ))
}
