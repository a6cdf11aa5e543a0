//! `acp-lens patch apply`: a payload applied to the files below a directory, all of it or nothing.

use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr as _;

use acp_grammar::apply::{AppliedHunk, LineRange, Tier};
use acp_grammar::patch::{Dialect, Patch, parse};
use acp_grammar::span::LineColumn;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use workspace_fs::patch::{
    PatchError, PatchOptions, PatchOutcome, PatchedFile, PatchedKind, SectionFault, apply_patch,
    check_patch,
};
use workspace_fs::{Cancel, LocalFileSystem};

use super::{Failure, Outcome, Payload, count, diagnosis, rejected, write_result};
use crate::visible::visible;

/// What is applied, and where.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The file that holds the payload; `-` is standard input.
    file: PathBuf,
    /// Whose tool executes the payload; `clawx` only says what counts as a change, and executes
    /// nothing.
    #[arg(long, default_value_t = Dialect::Openclaw, value_parser = dialects())]
    dialect: Dialect,
    /// The directory that holds the files. Nothing outside it is read or changed.
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Say what would happen, and write nothing.
    #[arg(long)]
    dry_run: bool,
}

/// The dialects that can be executed.
fn dialects() -> impl TypedValueParser<Value = Dialect> {
    let names = [Dialect::Openclaw, Dialect::Codex].map(Dialect::name);
    PossibleValuesParser::new(names).try_map(|name| Dialect::from_str(&name))
}

pub(super) fn run(args: Args) -> Outcome {
    let payload = Payload {
        file: args.file,
        dialect: args.dialect,
    };
    let source = payload.read()?;
    let patch = match parse(&source, args.dialect) {
        Ok(patch) => patch,
        Err(error) => {
            write_result(&diagnosis::render(&error, &source, &payload.name()))?;
            return Err(rejected(&payload, &error, &source));
        }
    };
    payload.insist_on_sections(&patch)?;
    let files = LocalFileSystem::open(&args.root).map_err(|error| {
        let root = args.root.to_string_lossy();
        let root = visible(&root);
        Failure::new(
            format!("the directory {root} could not be opened: {error}"),
            "name the directory of the files with --root",
        )
    })?;
    let options = PatchOptions {
        dialect: args.dialect,
        cwd: None,
    };
    let cancel = Cancel::new();
    let outcome = if args.dry_run {
        check_patch(&files, &patch, options, &cancel)
    } else {
        apply_patch(&files, &patch, options, &cancel)
    };
    let outcome = outcome.map_err(|error| failed(&error, &patch, &source, &payload.name()))?;
    write_result(&report(&outcome, args.dry_run))?;
    Ok(ExitCode::SUCCESS)
}

/// One line for each section, and one for each place that was changed.
fn report(outcome: &PatchOutcome, dry_run: bool) -> String {
    let sections = count(outcome.files.len(), "section");
    let mut text = if dry_run {
        format!("would apply {sections}; nothing was written\n")
    } else {
        format!("applied {sections}\n")
    };
    for file in &outcome.files {
        text.push_str(&section_line(file));
        text.push('\n');
        for hunk in &file.hunks {
            text.push_str(&hunk_line(hunk));
            text.push('\n');
        }
    }
    text
}

fn section_line(file: &PatchedFile) -> String {
    let path = visible(&file.path);
    let line = match &file.kind {
        PatchedKind::Added => format!("added      {path}"),
        PatchedKind::Modified => format!("modified   {path}"),
        PatchedKind::Moved { from } => format!("moved      {} -> {path}", visible(from)),
        PatchedKind::Deleted => format!("deleted    {path}"),
        PatchedKind::Unchanged => format!("unchanged  {path}"),
    };
    match file.form {
        Some(form) => format!("{line} ({form})"),
        None => line,
    }
}

/// A place as a unified diff names it, and how the lines were found if not exactly.
fn hunk_line(hunk: &AppliedHunk) -> String {
    let found = match hunk.tier {
        None | Some(Tier::Exact) => "",
        Some(Tier::TrimmedEnd) => "  (blanks at line ends differ)",
        Some(Tier::Trimmed) => "  (indentation differs)",
        Some(Tier::Folded) => "  (punctuation differs)",
    };
    let (old, new) = (place(hunk.old), place(hunk.new));
    format!("  @@ -{old} +{new} @@{found}")
}

/// The first line from 1 and the number of lines; for no lines, the line before.
fn place(range: LineRange) -> String {
    let len = range.end - range.start;
    let first = range.start + usize::from(len > 0);
    format!("{first},{len}")
}

/// Why the patch was not applied; the place is that of the section or the chunk in the payload.
fn failed(error: &PatchError, patch: &Patch<'_>, source: &str, name: &str) -> Failure {
    let cause = match error {
        PatchError::Section {
            section, of, fault, ..
        } => {
            let header = section.checked_sub(1).and_then(|it| patch.sections.get(it));
            let (chunk, span) = match &**fault {
                SectionFault::Chunk { error, .. } => {
                    (format!(", chunk {}", error.chunk() + 1), Some(error.span()))
                }
                _ => (String::new(), header.map(|section| section.span)),
            };
            let line = span.map_or_else(String::new, |span| {
                format!("{name}:{}: ", LineColumn::of(source, span.start).line)
            });
            // The first line names the file; what was searched stands in the payload.
            let told = fault.to_string();
            let told = told
                .lines()
                .next()
                .unwrap_or_default()
                .trim_end_matches(':');
            format!("{line}{told} (section {section} of {of}{chunk}); no file was changed")
        }
        _ => error.to_string(),
    };
    Failure::new(
        visible(cause.trim_end_matches('.')),
        visible(&error.remedy()),
    )
}
