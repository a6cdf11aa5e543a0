//! The process of an agent: how it is started, and how it is ended with all that it started.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

use crate::process_group::ProcessGroup;

/// How long an agent may take to end by itself after its standard input was closed.
const CLOSE_GRACE: Duration = Duration::from_secs(1);
/// How long an agent may take to end after it was asked to.
const TERMINATE_GRACE: Duration = Duration::from_secs(2);

/// How an agent is started.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct AgentCommand {
    /// A program on the PATH, or a path to one.
    pub(crate) command: String,
    /// Its arguments. Secrets never stand here: every user of the machine can read them.
    pub(crate) args: Vec<String>,
    /// Variables that are added to the server's own environment.
    pub(crate) env: BTreeMap<String, String>,
    /// The working directory of the process; the server's own without it.
    pub(crate) cwd: Option<PathBuf>,
}

/// The environment may hold secrets, and what is shown for debugging ends up in logs.
impl std::fmt::Debug for AgentCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentCommand")
            .field("command", &self.command)
            .field("args", &self.args)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

/// A running agent. Dropping it kills the process, and with it its process group.
#[derive(Debug)]
pub(crate) struct AgentProcess {
    group: ProcessGroup,
}

/// The three streams of an agent.
#[derive(Debug)]
pub(crate) struct Streams {
    /// What the agent reads.
    pub(crate) stdin: ChildStdin,
    /// What the agent says.
    pub(crate) stdout: ChildStdout,
    /// What the agent logs.
    pub(crate) stderr: ChildStderr,
}

impl AgentProcess {
    /// Starts the agent, in a process group of its own.
    ///
    /// It has to be called from a thread that lives as long as the agent shall: on Linux the agent
    /// ends with the thread that started it.
    pub(crate) fn start(agent: &AgentCommand) -> io::Result<(Self, Streams)> {
        let mut command = Command::from(crate::agent_exec::command(&agent.command, &agent.args));
        command
            .envs(&agent.env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(cwd) = &agent.cwd {
            command.current_dir(cwd);
        }
        let mut group = ProcessGroup::start(command)?;
        let (Some(stdin), Some(stdout), Some(stderr)) = group.take_streams() else {
            return Err(io::Error::other("the agent has no standard streams"));
        };
        let streams = Streams {
            stdin,
            stdout,
            stderr,
        };
        Ok((Self { group }, streams))
    }

    /// Waits until the agent has ended, and with it whatever it left in its process group.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.group.wait().await
    }

    /// Ends the agent: its standard input is closed already, so it may end by itself; then it is
    /// asked to, then it is killed.
    pub(crate) async fn end(&mut self) -> io::Result<ExitStatus> {
        if let Ok(status) = tokio::time::timeout(CLOSE_GRACE, self.group.wait()).await {
            return status;
        }
        self.group.terminate();
        if let Ok(status) = tokio::time::timeout(TERMINATE_GRACE, self.group.wait()).await {
            return status;
        }
        self.group.kill();
        self.group.wait().await
    }
}
