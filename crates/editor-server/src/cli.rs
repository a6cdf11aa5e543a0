//! The command line: which subcommand runs, and how its end is told.
//!
//! Exit status 0 means done, 1 that the work failed, 2 that the command line was wrong. Errors go
//! to standard error as one line of cause and one of remedy; standard output holds results alone.

mod demo;
mod demo_agent;
mod doctor;
mod lsp;
mod patch;
mod replay;
#[cfg(target_os = "linux")]
mod run_agent;
#[cfg(unix)]
mod tap;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory as _, Parser, Subcommand};

/// Shows in your editor what a coding agent changed.
#[derive(Debug, Parser)]
#[command(name = "acp-lens", version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Demo(demo::Args),
    Doctor(doctor::Args),
    Lsp(lsp::Args),
    Patch(patch::Args),
    Replay(replay::Args),
    #[cfg(unix)]
    Tap(tap::Args),
    #[command(hide = true)]
    DemoAgent(demo_agent::Args),
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    RunAgent(run_agent::Args),
}

/// A failure that a person reads: what happened, and what to do about it.
#[derive(Debug)]
pub(crate) struct Failure {
    /// One line: what happened.
    pub(crate) cause: String,
    /// One line: what to do next.
    pub(crate) remedy: String,
}

impl Failure {
    /// A failure with its remedy; both are single lines without a full stop at the end.
    pub(crate) fn new(cause: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            cause: cause.into(),
            remedy: remedy.into(),
        }
    }
}

/// What became of a result for standard output. A reader that has seen enough is no failure.
fn written(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(why) if why.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(
            format!("standard output: {why}"),
            "make room where the output goes, or send it elsewhere",
        )),
        _ => Ok(()),
    }
}

/// How a subcommand ended when it could do its work: with the exit status it asks for.
pub(crate) type Outcome = Result<ExitCode, Failure>;

/// A usage error that proposes no subcommand which `--help` does not list.
fn without_hidden(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::Strings(names)) = error.get(ContextKind::SuggestedSubcommand) else {
        return error;
    };
    let command = Cli::command();
    let is_shown = |name: &&String| {
        let found = command.find_subcommand(name);
        found.is_some_and(|it| !it.is_hide_set())
    };
    let names: Vec<String> = names.iter().filter(is_shown).cloned().collect();
    error.remove(ContextKind::SuggestedSubcommand);
    if !names.is_empty() {
        error.insert(
            ContextKind::SuggestedSubcommand,
            ContextValue::Strings(names),
        );
    }
    error
}

/// Reads the command line, runs the subcommand and gives the exit status.
pub fn run() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| without_hidden(error).exit());
    let outcome = match cli.command {
        Command::Demo(args) => demo::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Lsp(args) => lsp::run(&args),
        Command::Patch(args) => patch::run(args),
        Command::Replay(args) => replay::run(args),
        #[cfg(unix)]
        Command::Tap(args) => tap::run(args),
        Command::DemoAgent(args) => demo_agent::run(args),
        #[cfg(target_os = "linux")]
        Command::RunAgent(args) => run_agent::run(&args),
    };
    match outcome {
        Ok(code) => code,
        Err(Failure { cause, remedy }) => {
            // Standard error can be closed; there is nobody left to tell then.
            let _ = writeln!(io::stderr(), "error: {cause}\n  help: {remedy}");
            ExitCode::from(1)
        }
    }
}
