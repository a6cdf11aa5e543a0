//! `acp-lens lsp`: the language server on standard input and output.

use std::io::{self, Write as _};

use tracing_subscriber::EnvFilter;

use super::{Failure, Outcome};

/// Run the language server on standard input and output.
///
/// An editor starts this. It speaks LSP; what it can do beyond that stands in docs/protocol.md.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  acp-lens lsp
  ACP_LENS_LOG=debug acp-lens lsp 2> acp-lens.log")]
pub(super) struct Args {
    /// Ignored: editors that start every server alike pass it.
    #[arg(long, hide = true)]
    stdio: bool,
}

/// Runs the server. Ends the process when the client says so: a read of standard input cannot be
/// called back, and clients keep it open.
pub(super) fn run(_: &Args) -> Outcome {
    let filter = EnvFilter::try_from_env("ACP_LENS_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(false)
        .init();
    // One thread for messages and one for the state; work on texts and files has its own.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|why| {
            Failure::new(
                format!("the server could not be started: {why}"),
                "free some threads or memory, then try again",
            )
        })?;
    let end = runtime.block_on(crate::lsp::serve(tokio::io::stdin(), tokio::io::stdout()));
    // Nothing is left to be written; standard output can be closed already.
    let _ = io::stdout().flush();
    std::process::exit(end.code());
}
