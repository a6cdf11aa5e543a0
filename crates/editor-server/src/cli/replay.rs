//! `acp-lens replay`: the file activity of recorded traces.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal as _, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use activity_core::notice::NoticeKind;
use activity_core::path::Workspace;
use activity_core::profile::{Profile, ProfileChoice};
use activity_core::session::{Options, TimelineText};
use clap::ValueEnum;
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};

use super::{Failure, Outcome, written};
use crate::replay::{self, RecordedSession, Recording};
use crate::visible::visible;

/// Input over so many bytes gets a progress bar.
const LARGE_INPUT: u64 = 10 << 20;
/// After so many messages about lines of one file only their number is told.
const MOST_MESSAGES: usize = 1_000;

/// Show the file activity of a recorded session.
///
/// A trace is newline-delimited JSON: raw ACP messages, what `acp-lens tap --record` writes, trace
/// events of the ACP conductor, or bare session updates, mixed as they come. Lines that are none
/// of these are named on standard error and passed over. Without --root and --cwd, files are named
/// relative to the directory of their session, wherever that lay.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  acp-lens replay session.ndjson
  acp-lens replay --format patch session.ndjson | git apply
  acp-lens replay --format json --profile openclaw --root /work - < session.ndjson

A patch holds what can be placed: standard error names the changes that it lacks.

Exit status: 0 every input was read, also where lines of it were passed over or a patch lacks
changes; 1 an input could not be read, or no line of any; 2 wrong usage.")]
pub(super) struct Args {
    /// Traces to read, `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// What to write
    #[arg(long, value_enum, default_value_t = Format::Summary)]
    format: Format,
    /// The workspace root; without it, the directory of the session
    #[arg(long, value_name = "DIR")]
    root: Option<String>,
    /// The directory against which relative paths resolve; without it, that of the session
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// How file changes are told from tool calls
    #[arg(long, value_enum, default_value_t = ProfileArg::Auto)]
    profile: ProfileArg,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// A table for people
    Summary,
    /// One JSON document
    Json,
    /// A unified diff for `git apply` and `patch`
    Patch,
    /// Text for a pull request
    Markdown,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ProfileArg {
    /// By the agent's name and the titles of its tools; for a patch, all that ACP carries
    Auto,
    /// The file tools of OpenClaw
    Openclaw,
    /// All that ACP carries
    Acp,
}

/// Runs the subcommand.
pub(super) fn run(args: Args) -> Outcome {
    let options = Options {
        profile: match args.profile {
            // A diff needs all that the wire says, not what a projection makes of it.
            ProfileArg::Auto if matches!(args.format, Format::Patch) => {
                ProfileChoice::Fixed(Profile::Acp)
            }
            ProfileArg::Auto => ProfileChoice::Auto,
            ProfileArg::Openclaw => ProfileChoice::Fixed(Profile::Openclaw),
            ProfileArg::Acp => ProfileChoice::Fixed(Profile::Acp),
        },
        workspace_root: absolute(args.root)?,
        cwd: absolute(args.cwd)?,
        text: TimelineText::FirstLines,
    };
    let mut all_read = true;
    let mut recordings = Vec::with_capacity(args.files.len());
    for path in &args.files {
        match read(path, &options) {
            Ok((recording, end)) => {
                report_skipped(path, &recording);
                if let Err(error) = end {
                    complain(path, &format!("{error}; what was read before is shown"));
                    all_read = false;
                }
                recordings.push(recording);
            }
            Err(error) => {
                complain(path, &format!("cannot be opened: {error}"));
                all_read = false;
            }
        }
    }
    write(args.format, &recordings)?;
    let nothing_read = |recording: &Recording| recording.read_lines() == 0;
    if recordings.iter().all(nothing_read) {
        return Err(nothing(&recordings, all_read));
    }
    report_mismatch(&recordings);
    if let ProfileArg::Openclaw = args.profile {
        report_foreign(&recordings);
    }
    // The process ends here; giving back a large recording piece by piece would only take time.
    std::mem::forget(recordings);
    Ok(ExitCode::from(u8::from(!all_read)))
}

/// A directory of the command line, as the session's own ones are: absolute.
fn absolute(directory: Option<String>) -> Result<Option<Arc<str>>, Failure> {
    let Some(directory) = directory else {
        return Ok(None);
    };
    // A path of another system stays as it is: the recording may come from there.
    if Workspace::new(&directory, &directory).is_some() {
        return Ok(Some(directory.into()));
    }
    let full = std::path::absolute(&directory).map_err(|why| {
        Failure::new(
            format!("the directory {} is not known: {why}", visible(&directory)),
            "name an absolute directory",
        )
    })?;
    Ok(Some(full.to_string_lossy().into()))
}

/// Why no line of the input could be read.
fn nothing(recordings: &[Recording], all_read: bool) -> Failure {
    let trace = "name a trace: newline-delimited JSON of an ACP connection";
    let lines: u64 = recordings.iter().map(Recording::skipped_lines).sum();
    match (lines, all_read) {
        (0, false) => Failure::new("no input could be read", trace),
        (0, true) => Failure::new(
            "the input is empty",
            "an agent that runs behind `acp-lens tap --record FILE` writes one",
        ),
        _ => Failure::new("no line of the input is a message of ACP", trace),
    }
}

/// Says what to do where --root fits no session.
fn report_mismatch(recordings: &[Recording]) {
    let mut sessions = recordings.iter().flat_map(Recording::sessions);
    let mismatch = |recorded: &RecordedSession| {
        let notices = recorded.session.notices().into_iter();
        let mut kinds = notices.map(|notice| notice.kind);
        kinds.any(|kind| matches!(kind, NoticeKind::WorkspaceMismatch { .. }))
    };
    if sessions.any(mismatch) {
        // Standard error can be closed; there is nobody left to tell then.
        let _ = writeln!(
            io::stderr(),
            "warning: --root does not hold the directory of a session, so its files are not listed\n  \
             help: leave --root out, or name a directory above the one that the session names"
        );
    }
}

/// Says what to do where the profile that was asked for finds nothing in any session.
fn report_foreign(recordings: &[Recording]) {
    let mut sessions = recordings.iter().flat_map(Recording::sessions);
    if sessions.all(|recorded| recorded.session.paths().is_empty()) {
        // Standard error can be closed; there is nobody left to tell then.
        let _ = writeln!(
            io::stderr(),
            "warning: profile openclaw reads the file tools of OpenClaw alone, and found none\n  \
             help: leave --profile out, or use `--profile acp`"
        );
    }
}

fn read(path: &Path, options: &Options) -> io::Result<(Recording, io::Result<()>)> {
    if path.as_os_str() == "-" {
        let input = Metered::new(io::stdin(), None);
        return Ok(Recording::read(buffered(input), options.clone()));
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::other("it is a directory; name the traces in it"));
    }
    // A pipe or device has no length that means anything.
    let length = metadata.is_file().then_some(metadata.len());
    let input = Metered::new(file, length);
    Ok(Recording::read(buffered(input), options.clone()))
}

fn buffered(input: impl Read) -> impl BufRead {
    BufReader::with_capacity(128 << 10, input)
}

/// Writes all recordings in one format. What a patch lacks is told on standard error, behind it.
fn write(format: Format, recordings: &[Recording]) -> Result<(), Failure> {
    let stdout = io::stdout().lock();
    let stdout: Box<dyn Write> = match format {
        Format::Summary => Box::new(anstream::AutoStream::auto(stdout)),
        Format::Json | Format::Patch | Format::Markdown => Box::new(stdout),
    };
    let mut output = BufWriter::with_capacity(64 << 10, stdout);
    let mut missing = Vec::new();
    let result = match format {
        Format::Summary => replay::summary::write(recordings, &mut output),
        Format::Json => replay::json::write(recordings, &mut output)
            .map_err(io::Error::from)
            .and_then(|()| writeln!(output)),
        Format::Patch => replay::patch::write(recordings, &mut output).map(|coverage| {
            missing = coverage.warning();
        }),
        Format::Markdown => replay::markdown::write(recordings, &mut output),
    };
    written(result.and_then(|()| output.flush()))?;
    for line in missing {
        // Standard error can be closed; there is nobody left to tell then.
        let _ = writeln!(io::stderr(), "{line}");
    }
    Ok(())
}

/// Names the lines that were passed over.
fn report_skipped(path: &Path, recording: &Recording) {
    let runs = recording.skipped();
    for run in runs.iter().take(MOST_MESSAGES) {
        let lines = if run.first == run.last {
            format!("line {}", run.first)
        } else {
            format!("lines {} to {}", run.first, run.last)
        };
        complain(path, &format!("{lines}: {}", run.reason));
    }
    if runs.len() > MOST_MESSAGES {
        let total = recording.skipped_lines();
        complain(
            path,
            &format!("and more; {total} lines were passed over in all"),
        );
    }
}

/// Tells standard error something about a file.
fn complain(path: &Path, message: &str) {
    let name = match path.to_string_lossy() {
        name if name == "-" => "standard input".into(),
        name => name,
    };
    // Standard error can be closed; there is nobody left to tell then.
    let _ = writeln!(io::stderr(), "{}: {}", visible(&name), visible(message));
}

/// A reader that shows how far it is, once that takes long enough to ask.
struct Metered<R> {
    input: R,
    length: Option<u64>,
    read: u64,
    bar: Option<ProgressBar>,
}

impl<R: Read> Metered<R> {
    fn new(input: R, length: Option<u64>) -> Self {
        Self {
            input,
            length,
            read: 0,
            bar: None,
        }
    }

    /// A bar where the length is known, else a count of bytes.
    fn start_bar(&self) -> ProgressBar {
        let (bar, template) = match self.length {
            Some(length) => (
                ProgressBar::new(length),
                "{bar:40} {bytes} of {total_bytes}, {eta} left",
            ),
            None => (ProgressBar::new_spinner(), "{spinner} {bytes}"),
        };
        match ProgressStyle::with_template(template) {
            Ok(style) => bar.with_style(style),
            Err(_) => bar.with_message(HumanBytes(self.read).to_string()),
        }
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.read += u64::try_from(count).unwrap_or(u64::MAX);
        let large = self.length.unwrap_or(self.read) > LARGE_INPUT;
        if large && self.bar.is_none() && io::stderr().is_terminal() {
            self.bar = Some(self.start_bar());
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.read);
            if count == 0 {
                bar.finish_and_clear();
            }
        }
        Ok(count)
    }
}
