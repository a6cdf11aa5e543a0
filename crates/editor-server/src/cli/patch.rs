//! `acp-lens patch`: an `apply_patch` payload checked, shown as JSON, or applied.

mod apply;
mod diagnosis;
mod json;

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr as _;

use acp_grammar::error::ParseError;
use acp_grammar::patch::{ChunkLine, Dialect, Operation, Patch, parse};
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::{Failure, Outcome, written};
use crate::visible::visible;

/// Check an `apply_patch` payload, show its sections as JSON, or apply it.
///
/// Tools read the payload differently: `check` and `json` follow the reading that decides what
/// acp-lens lists as a change, `apply` that of the tool that executes it.
#[derive(Debug, clap::Args)]
#[command(after_help = DIALECTS)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Say whether a payload is accepted, and if not, where and why.
    #[command(after_help = "Examples:
  acp-lens patch check change.patch
  pbpaste | acp-lens patch check - --dialect codex

Exit status: 0 accepted; 1 rejected, or the payload cannot be read, and then nothing is on
standard output; 2 wrong usage.")]
    Check(Payload),
    /// Write the sections of a payload as JSON, or why it was rejected.
    #[command(after_help = "Examples:
  acp-lens patch json change.patch
  acp-lens patch json - --dialect openclaw < change.patch

Exit status: 0 accepted; 1 rejected, or the payload cannot be read, and then nothing is on
standard output; 2 wrong usage.")]
    Json(Payload),
    /// Apply a payload to the files below a directory: all of it, or nothing.
    #[command(after_help = "Examples:
  acp-lens patch apply change.patch --dry-run
  acp-lens patch apply - --dialect codex --root ~/project < change.patch

Exit status: 0 applied; 1 rejected, not applied or not readable, and no file was changed; 2 wrong
usage.")]
    Apply(apply::Args),
}

/// Which payload is read, and how.
#[derive(Debug, clap::Args)]
struct Payload {
    /// The file that holds the payload; `-` is standard input.
    file: PathBuf,
    /// Whose reading of `apply_patch` decides: `clawx` what acp-lens lists as changes, as the
    /// desktop client ClawX does; `openclaw` and `codex` what these tools execute.
    #[arg(long, default_value_t, value_parser = dialects())]
    dialect: Dialect,
}

/// What the dialects are.
const DIALECTS: &str = "\
Dialects:
  clawx     what counts as file activity, as the desktop client ClawX reads it; nothing executes it
  openclaw  what OpenClaw's tool executes
  codex     what Codex's tool executes";

fn dialects() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::ALL.map(Dialect::name))
        .try_map(|name| Dialect::from_str(&name))
}

/// Runs the subcommand.
pub(super) fn run(args: Args) -> Outcome {
    match args.command {
        Command::Check(payload) => check(&payload),
        Command::Json(payload) => json(&payload),
        Command::Apply(args) => apply::run(args),
    }
}

fn check(payload: &Payload) -> Outcome {
    let source = payload.read()?;
    match parse(&source, payload.dialect) {
        Ok(patch) => {
            payload.insist_on_sections(&patch)?;
            write_result(&accepted(&patch, payload.dialect))?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            write_result(&diagnosis::render(&error, &source, &payload.name()))?;
            Err(rejected(payload, &error, &source))
        }
    }
}

fn json(payload: &Payload) -> Outcome {
    let source = payload.read()?;
    match parse(&source, payload.dialect) {
        Ok(patch) => {
            write_result(&json::accepted(&patch))?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            write_result(&json::rejected(&error, &source))?;
            Err(rejected(payload, &error, &source))
        }
    }
}

/// One line for each section, with what it adds and removes.
fn accepted(patch: &Patch<'_>, dialect: Dialect) -> String {
    let sections = &patch.sections;
    let mut text = format!(
        "accepted in dialect {dialect}, {}\n",
        count(sections.len(), "section")
    );
    for section in sections {
        let name = visible(section.path);
        let line = match &section.operation {
            Operation::Add(lines) => format!("add     {name}  +{}", lines.iter().count()),
            Operation::Delete => format!("delete  {name}"),
            Operation::Update { move_to, chunks } => {
                let lines = || chunks.iter().flat_map(|chunk| chunk.lines.iter());
                let added = lines()
                    .filter(|line| matches!(line, ChunkLine::Added(_)))
                    .count();
                let removed = lines()
                    .filter(|line| matches!(line, ChunkLine::Removed(_)))
                    .count();
                let target =
                    move_to.map_or_else(String::new, |target| format!(" -> {}", visible(target)));
                let chunks = count(chunks.len(), "chunk");
                format!("update  {name}{target}  {chunks}, +{added} -{removed}")
            }
        };
        text.push_str(&line);
        text.push('\n');
    }
    text
}

fn count(n: usize, what: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {what}{plural}")
}

/// The diagnosis itself is the result; this says in one line that there is one, and the repair.
fn rejected(payload: &Payload, error: &ParseError, source: &str) -> Failure {
    let place = error.position(source);
    let name = payload.name();
    Failure::new(
        format!(
            "{name} was rejected at line {}, column {}, in dialect {}",
            place.line, place.column, payload.dialect
        ),
        error.help(),
    )
}

fn write_result(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let result = stdout.write_all(text.as_bytes());
    written(result.and_then(|()| stdout.flush()))
}

impl Payload {
    /// A tool whose grammar accepts a payload without sections refuses to execute it.
    fn insist_on_sections(&self, patch: &Patch<'_>) -> Result<(), Failure> {
        if patch.sections.is_empty() {
            return Err(Failure::new(
                format!(
                    "{} has no sections, which the tool of dialect {} refuses",
                    self.name(),
                    self.dialect
                ),
                "add a section for each file between '*** Begin Patch' and '*** End Patch'",
            ));
        }
        Ok(())
    }

    fn is_stdin(&self) -> bool {
        self.file == Path::new("-")
    }

    /// The payload's name in messages.
    fn name(&self) -> String {
        if self.is_stdin() {
            "<stdin>".to_owned()
        } else {
            visible(&self.file.to_string_lossy()).into_owned()
        }
    }

    fn read(&self) -> Result<String, Failure> {
        let name = self.name();
        let mut bytes = Vec::new();
        let read = if self.is_stdin() {
            io::stdin().lock().read_to_end(&mut bytes).map(drop)
        } else {
            fs::read(&self.file).map(|content| bytes = content)
        };
        read.map_err(|error| {
            let remedy = match error.kind() {
                io::ErrorKind::NotFound => "check the name; `-` is standard input",
                io::ErrorKind::IsADirectory => "name the file that holds the payload",
                _ => "name a file that can be read, or `-` for standard input",
            };
            Failure::new(format!("{name} could not be read: {error}"), remedy)
        })?;
        String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Failure::new(
                format!("{name} is not UTF-8 at byte {at}"),
                "save the payload as UTF-8",
            )
        })
    }
}
