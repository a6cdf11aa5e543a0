//! The task of one terminal: it owns the process and what it has written.

use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use activity_core::host::Place;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::super::refusal::Refusal;
use super::command::{Output, Wanted};
use super::output::{Extent, Tail, Text};
use crate::acp::link::Question;
use crate::process_group::ProcessGroup;
use crate::session::handle::Handle;
use crate::session::sources::SessionKey;

/// How long a command may take to end after it was asked to.
const TERMINATE_GRACE: Duration = Duration::from_secs(2);
/// How long after its end the output of a command is waited for: another process can hold it open.
const LAST_OUTPUT_WAIT: Duration = Duration::from_millis(200);
/// How much is read at once, in bytes.
const PIECE: usize = 64 * 1024;
/// How much of an output stands in the timeline, in bytes.
const SHOWN: usize = 16 * 1024;

/// A request about the terminal.
#[derive(Debug)]
pub(super) enum Ask {
    /// `terminal/output`.
    Output(Box<Question>),
    /// `terminal/wait_for_exit`.
    WaitForExit(Box<Question>),
    /// `terminal/kill`.
    Kill(Box<Question>),
}

impl Ask {
    pub(super) fn question(&self) -> &Question {
        match self {
            Self::Output(question) | Self::WaitForExit(question) | Self::Kill(question) => question,
        }
    }

    pub(super) fn into_question(self) -> Box<Question> {
        match self {
            Self::Output(question) | Self::WaitForExit(question) | Self::Kill(question) => question,
        }
    }
}

/// Where the output is told when the command has ended.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) handle: Handle,
    pub(super) session: SessionKey,
    pub(super) terminal: Arc<str>,
}

/// Starts the command, answers `terminal/create`, and serves the terminal until it is released
/// and its command has ended.
pub(super) async fn run(
    wanted: Wanted,
    place: Place,
    created: Box<Question>,
    asked: mpsc::UnboundedReceiver<Ask>,
    report: Report,
) {
    let limit = wanted.limit;
    let resolved = tokio::task::spawn_blocking(move || {
        let directory = wanted.directory(&place);
        (wanted, directory)
    });
    let started = match resolved.await {
        Ok((wanted, Ok(directory))) => start(&wanted, directory),
        Ok((_, Err(refusal))) => Err(refusal),
        Err(_) => Err(Refusal::internal("the server failed")),
    };
    let (group, output) = match started {
        Ok(started) => started,
        Err(refusal) => return refusal.answer(created),
    };
    created.answer(json!({"terminalId": *report.terminal}));
    let terminal = Task {
        group,
        output: Some(output),
        tail: Tail::new(limit),
        state: State::Running,
        kill_at: None,
        waiting: Vec::new(),
        report,
    };
    terminal.serve(asked).await;
}

fn start(wanted: &Wanted, directory: PathBuf) -> Result<(ProcessGroup, Output), Refusal> {
    let started = wanted.start(directory);
    started.map_err(|why| Refusal::internal(format!("the command was not started: {why}")))
}

struct Task {
    group: ProcessGroup,
    /// `None` once nothing more can come.
    output: Option<Output>,
    tail: Tail,
    state: State,
    /// When the command is killed if it has not ended by then.
    kill_at: Option<Instant>,
    waiting: Vec<Question>,
    report: Report,
}

enum State {
    Running,
    /// The process has ended; its last words are waited for until then.
    Ending(Exit, Instant),
    Ended(Exit),
}

#[derive(Debug, Clone, Copy)]
struct Exit {
    code: Option<i32>,
    signal: Option<&'static str>,
}

enum Wake {
    /// `None` when the terminal was released.
    Asked(Option<Ask>),
    Read(usize),
    Exited(Exit),
    Time,
}

impl Task {
    async fn serve(mut self, mut asked: mpsc::UnboundedReceiver<Ask>) {
        let mut piece = vec![0; PIECE];
        let mut released = false;
        while !(released && matches!(self.state, State::Ended(_))) {
            match self.next(&mut asked, released, &mut piece).await {
                Wake::Asked(Some(ask)) => self.answer(ask),
                Wake::Asked(None) => {
                    released = true;
                    self.terminate();
                }
                Wake::Read(0) => self.output = None,
                Wake::Read(length) => self.tail.push(piece.get(..length).unwrap_or_default()),
                Wake::Exited(exit) => {
                    self.kill_at = None;
                    self.state = State::Ending(exit, Instant::now() + LAST_OUTPUT_WAIT);
                }
                Wake::Time if self.kill_at.take().is_some() => self.group.kill(),
                Wake::Time => self.output = None,
            }
            if let State::Ending(exit, _) = self.state
                && self.output.is_none()
            {
                self.end(exit);
            }
        }
    }

    async fn next(
        &mut self,
        asked: &mut mpsc::UnboundedReceiver<Ask>,
        released: bool,
        piece: &mut [u8],
    ) -> Wake {
        let until = match self.state {
            State::Running => self.kill_at,
            State::Ending(_, until) => Some(until),
            State::Ended(_) => None,
        };
        let time = async {
            match until {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        let runs = matches!(self.state, State::Running);
        let output = &mut self.output;
        let read = async {
            match output {
                // A pipe that cannot be read has nothing more to say.
                Some(output) => output.read(piece).await.unwrap_or(0),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            // However much is written, requests come first.
            biased;
            ask = asked.recv(), if !released => Wake::Asked(ask),
            () = time => Wake::Time,
            status = self.group.wait(), if runs => Wake::Exited(Exit::of(status.ok())),
            length = read => Wake::Read(length),
        }
    }

    fn answer(&mut self, ask: Ask) {
        match ask {
            Ask::Output(question) => {
                let (extent, exit) = match self.state {
                    State::Ended(exit) => (Extent::Whole, exit.to_json()),
                    _ => (Extent::SoFar, Value::Null),
                };
                let Text { text, truncated } = self.tail.text(extent);
                question
                    .answer(json!({"output": text, "truncated": truncated, "exitStatus": exit}));
            }
            Ask::WaitForExit(question) => match self.state {
                State::Ended(exit) => question.answer(exit.to_json()),
                _ => self.waiting.push(*question),
            },
            Ask::Kill(question) => {
                self.terminate();
                question.answer(json!({}));
            }
        }
    }

    fn terminate(&mut self) {
        if matches!(self.state, State::Running) && self.kill_at.is_none() {
            self.group.terminate();
            self.kill_at = Some(Instant::now() + TERMINATE_GRACE);
        }
    }

    fn end(&mut self, exit: Exit) {
        self.state = State::Ended(exit);
        for question in self.waiting.drain(..) {
            question.answer(exit.to_json());
        }
        let Text { text, .. } = self.tail.text(Extent::Whole);
        let shown = text.ceil_char_boundary(text.len().saturating_sub(SHOWN));
        self.report.handle.set_terminal_output(
            &self.report.session,
            &self.report.terminal,
            text.get(shown..).unwrap_or_default(),
        );
    }
}

impl Exit {
    /// A command whose end cannot be seen has neither a code nor a signal.
    fn of(status: Option<ExitStatus>) -> Self {
        Self {
            code: status.and_then(|status| status.code()),
            signal: status.and_then(signal),
        }
    }

    fn to_json(self) -> Value {
        json!({"exitCode": self.code, "signal": self.signal})
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<&'static str> {
    use std::os::unix::process::ExitStatusExt as _;
    status
        .signal()
        .and_then(signal_hook::low_level::signal_name)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<&'static str> {
    None
}
