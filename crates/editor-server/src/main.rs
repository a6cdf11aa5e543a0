//! `acp-lens`: shows in your editor what a coding agent changed.

use std::process::ExitCode;

fn main() -> ExitCode {
    editor_server::cli::run()
}
