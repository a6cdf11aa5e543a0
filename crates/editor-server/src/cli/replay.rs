//! `acp-lens replay`: the file activity of recorded traces.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal as _, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use activity_core::profile::{Profile, ProfileChoice};
use activity_core::session::{Options, TimelineText};
use clap::ValueEnum;
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};

use super::{Failure, Outcome};
use crate::replay::{self, Recording, visible};

/// Input over so many bytes gets a progress bar.
const LARGE_INPUT: u64 = 10 << 20;
/// After so many messages about lines of one file only their number is told.
const MOST_MESSAGES: usize = 1_000;

/// Show the file activity of a recorded session.
///
/// A trace is newline-delimited JSON: raw ACP messages, what `acp-lens tap --record` writes, trace
/// events of the ACP conductor, or bare session updates, mixed as they come. Lines that are none
/// of these are named on standard error and passed over.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  acp-lens replay session.ndjson
  acp-lens replay --format patch session.ndjson | git apply
  acp-lens replay --format json --profile openclaw --root /work - < session.ndjson")]
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
        workspace_root: args.root.map(Arc::from),
        cwd: args.cwd.map(Arc::from),
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
                complain(path, &error.to_string());
                all_read = false;
            }
        }
    }
    write(args.format, &recordings)?;
    if recordings
        .iter()
        .all(|recording| recording.read_lines() == 0)
    {
        return Err(Failure::new(
            "no line of the input could be read",
            "name a trace: newline-delimited JSON of an ACP connection",
        ));
    }
    // The process ends here; giving back a large recording piece by piece would only take time.
    std::mem::forget(recordings);
    Ok(ExitCode::from(u8::from(!all_read)))
}

fn read(path: &Path, options: &Options) -> io::Result<(Recording, io::Result<()>)> {
    if path.as_os_str() == "-" {
        let input = Metered::new(io::stdin(), None);
        return Ok(Recording::read(buffered(input), options.clone()));
    }
    let file = File::open(path)?;
    // A pipe or device has no length that means anything.
    let metadata = file.metadata()?;
    let length = metadata.is_file().then_some(metadata.len());
    let input = Metered::new(file, length);
    Ok(Recording::read(buffered(input), options.clone()))
}

fn buffered(input: impl Read) -> impl BufRead {
    BufReader::with_capacity(128 << 10, input)
}

fn write(format: Format, recordings: &[Recording]) -> Result<(), Failure> {
    let stdout = io::stdout();
    let written = if let Format::Summary = format {
        let mut output = BufWriter::new(anstream::AutoStream::auto(stdout.lock()));
        replay::summary::write(recordings, &mut output).and_then(|()| output.flush())
    } else {
        let mut output = BufWriter::with_capacity(64 << 10, stdout.lock());
        match format {
            Format::Summary | Format::Json => replay::json::write(recordings, &mut output)
                .map_err(io::Error::from)
                .and_then(|()| writeln!(output)),
            Format::Patch => replay::patch::write(recordings, &mut output),
            Format::Markdown => replay::markdown::write(recordings, &mut output),
        }
        .and_then(|()| output.flush())
    };
    match written {
        // The reader has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::new(
            format!("standard output: {error}"),
            "make room where the output goes, or send it elsewhere",
        )),
        Ok(()) => Ok(()),
    }
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
