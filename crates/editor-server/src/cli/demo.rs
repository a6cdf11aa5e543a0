//! `acp-lens demo`: an agent without a model works in a small project, and its work is shown.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write as _};
use std::path::Path;
use std::process::ExitCode;

use activity_core::session::{Options, TimelineText};

use super::{Failure, Outcome, written};
use crate::demo::editor::{self, Editor};
use crate::demo::run::{Places, work_in};
use crate::replay::{self, Recording};

/// Run a scripted agent in a small project of its own, and see what acp-lens makes of it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  acp-lens demo
  acp-lens demo --editor nvim

Exit status: 0 the agent has done its work; 1 it could not, or the editor could not be opened; 2
wrong usage.")]
pub(super) struct Args {
    /// Keep the project and the recorded session, and say where they are.
    #[arg(long)]
    keep: bool,
    /// Open this editor on the project, with the agent's changes shown in it.
    #[arg(long, value_enum)]
    editor: Option<Editor>,
}

/// Runs the subcommand.
pub(super) fn run(args: &Args) -> Outcome {
    let cannot = |why: std::io::Error| {
        Failure::new(
            format!("the demo needs a temporary directory: {why}"),
            "set TMPDIR to a directory that can be written",
        )
    };
    let dir = tempfile::Builder::new()
        .prefix("acp-lens-demo-")
        .tempdir()
        .map_err(cannot)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(cannot)?;
    let places = runtime
        .block_on(work_in(dir.path()))
        .map_err(|why| Failure::new(why.to_string(), "try again; with --keep the files stay"))?;
    remove_when_ended(dir.path());
    let mut shown = show(&places);
    if let Some(editor) = args.editor {
        editor::open(editor, &places)?;
    }
    if args.keep {
        let _ = dir.keep();
        shown = shown.and_then(|()| tell_places(&places));
    }
    tell_next_step(args, &places);
    written(shown)?;
    Ok(ExitCode::SUCCESS)
}

/// Shows what the agent did, as `acp-lens replay` would.
fn show(places: &Places) -> io::Result<()> {
    let options = Options {
        text: TimelineText::FirstLines,
        ..Options::default()
    };
    let trace = BufReader::new(File::open(&places.trace)?);
    let (recording, read) = Recording::read(trace, options);
    read?;
    let mut output = BufWriter::new(anstream::AutoStream::auto(io::stdout().lock()));
    replay::summary::write(&[recording], &mut output)?;
    output.flush()
}

/// Removes the demo's directory when a signal ends the process, while an editor is open on it.
#[cfg(unix)]
fn remove_when_ended(dir: &Path) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]) else {
        return;
    };
    let dir = dir.to_owned();
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            // What cannot be removed stays, as it would without this.
            let _ = std::fs::remove_dir_all(dir);
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
}

#[cfg(not(unix))]
fn remove_when_ended(_dir: &Path) {}

/// Says what else there is to see, on standard error: it is no result.
fn tell_next_step(args: &Args, places: &Places) {
    let step = if args.keep {
        let trace = places.trace.display();
        format!("acp-lens replay --format markdown {trace}")
    } else if args.editor.is_some() {
        return;
    } else {
        "acp-lens demo --editor nvim    # or code: the changes in their files\n      \
         acp-lens demo --keep           # the project and the recording stay"
            .to_owned()
    };
    // Standard error can be closed; there is nobody left to tell then.
    let _ = writeln!(io::stderr(), "\nnext: {step}");
}

/// Says where the files are that stay.
fn tell_places(places: &Places) -> io::Result<()> {
    writeln!(
        io::stdout(),
        "\nThe project is in {}\nThe session is in {}",
        places.workspace.display(),
        places.trace.display()
    )
}
