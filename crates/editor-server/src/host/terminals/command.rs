//! What an agent wants to run, and how it is started.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
#[cfg(any(not(unix), test))]
use std::{
    pin::Pin,
    task::{Context, Poll},
};

use activity_core::host::Place;
use serde::Deserialize;
use serde_json::Value;
use tokio::io::AsyncRead;
#[cfg(any(not(unix), test))]
use tokio::io::ReadBuf;
use tokio::process::Command;
use workspace_fs::reference::resolve_context;

use super::super::discover::is_on_path;
use super::super::refusal::Refusal;
use crate::process_group::ProcessGroup;

/// How much output is kept when the agent names no limit, in bytes.
const OUTPUT: u64 = 1024 * 1024;
/// How much output is kept at most, in bytes.
const LONGEST_OUTPUT: u64 = 16 * 1024 * 1024;

/// The parameters of `terminal/create`, as far as they say what to run.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    command: String,
    args: Option<Vec<String>>,
    env: Option<Vec<Variable>>,
    cwd: Option<String>,
    output_byte_limit: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct Variable {
    name: String,
    value: String,
}

/// What an agent wants to run.
#[derive(Debug)]
pub(super) struct Wanted {
    program: String,
    arguments: Vec<String>,
    environment: Vec<Variable>,
    cwd: Option<String>,
    /// How many bytes of its output are kept.
    pub(super) limit: usize,
}

/// What a command writes, standard output and standard error alike.
pub(super) type Output = Box<dyn AsyncRead + Send + Unpin>;

impl Wanted {
    /// Reads the parameters of `terminal/create`.
    pub(super) fn read(params: &Value) -> Result<Self, Refusal> {
        let params = Params::deserialize(params).map_err(|why| Refusal::params(why.to_string()))?;
        let environment = params.env.unwrap_or_default();
        let is_bad = |name: &str| name.is_empty() || name.contains(['=', '\0']);
        if let Some(bad) = environment.iter().find(|it| is_bad(&it.name)) {
            let why = format!("{:?} is no name of a variable", bad.name);
            return Err(Refusal::params(why));
        }
        let (program, arguments) = match params.args.filter(|args| !args.is_empty()) {
            Some(arguments) => (params.command, arguments),
            None => shell(params.command),
        };
        let limit = params
            .output_byte_limit
            .unwrap_or(OUTPUT)
            .min(LONGEST_OUTPUT);
        Ok(Self {
            program,
            arguments,
            environment,
            cwd: params.cwd,
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
        })
    }

    /// The directory to run in: the one that the agent names, else that of its session; in the
    /// workspace, with all links resolved.
    pub(super) fn directory(&self, place: &Place) -> Result<PathBuf, Refusal> {
        let named = self.cwd.as_deref().unwrap_or_default();
        let cwd = Path::new(&*place.cwd).join(named);
        match resolve_context(&place.root, &cwd.to_string_lossy(), None) {
            Ok(context) => Ok(context.execution_cwd),
            Err(why) => Err(Refusal::params(format!(
                "a command runs in a directory of the workspace: {why}"
            ))),
        }
    }

    /// Starts the command in `directory`, with nothing to read.
    ///
    /// It gets the server's own environment and what the agent adds, not what the settings give
    /// to the agent: that may be secret.
    pub(super) fn start(&self, directory: PathBuf) -> io::Result<(ProcessGroup, Output)> {
        let mut command = Command::from(crate::agent_exec::command(&self.program, &self.arguments));
        let variables = self.environment.iter();
        command
            .envs(variables.map(|it| (&it.name, &it.value)))
            .current_dir(directory)
            .stdin(Stdio::null());
        start(command)
    }
}

/// A command without arguments is a line for a shell: agents send what their model wrote.
#[cfg(unix)]
fn shell(line: String) -> (String, Vec<String>) {
    let shell = if is_on_path("bash") { "bash" } else { "sh" };
    (shell.to_owned(), vec!["-c".to_owned(), line])
}

#[cfg(not(unix))]
fn shell(line: String) -> (String, Vec<String>) {
    ("cmd".to_owned(), vec!["/C".to_owned(), line])
}

/// Starts the command with one pipe for both of its outputs, so that they keep their order.
#[cfg(unix)]
fn start(mut command: Command) -> io::Result<(ProcessGroup, Output)> {
    use std::os::fd::OwnedFd;
    use tokio::net::unix::pipe::Receiver;
    let (reader, writer) = io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    let output = Receiver::from_owned_fd(OwnedFd::from(reader))?;
    // The command itself holds the writing ends; it is gone when this returns, so that the output
    // ends with its last writer.
    let group = ProcessGroup::start(command)?;
    Ok((group, Box::new(output)))
}

/// Starts the command and joins its outputs; what comes at the same time may change places.
#[cfg(not(unix))]
fn start(mut command: Command) -> io::Result<(ProcessGroup, Output)> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut group = ProcessGroup::start(command)?;
    let (_, Some(stdout), Some(stderr)) = group.take_streams() else {
        return Err(io::Error::other("the command has no standard streams"));
    };
    Ok((group, Box::new(Joined(Some(stdout), Some(stderr)))))
}

/// Two streams as one, which ends when both have.
#[cfg(any(not(unix), test))]
struct Joined<A, B>(Option<A>, Option<B>);

#[cfg(any(not(unix), test))]
impl<A: AsyncRead + Unpin, B: AsyncRead + Unpin> AsyncRead for Joined<A, B> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Self(first, second) = &mut *self;
        let read = poll_one(first, context, buffer);
        if read.is_ready() && first.is_some() {
            return read;
        }
        let read = poll_one(second, context, buffer);
        match (read, first.is_some()) {
            (Poll::Ready(_), true) if second.is_none() => Poll::Pending,
            (read, _) => read,
        }
    }
}

/// Reads from a stream, and drops it at its end.
#[cfg(any(not(unix), test))]
fn poll_one(
    stream: &mut Option<impl AsyncRead + Unpin>,
    context: &mut Context<'_>,
    buffer: &mut ReadBuf<'_>,
) -> Poll<io::Result<()>> {
    let Some(open) = stream else {
        return Poll::Ready(Ok(()));
    };
    let before = buffer.filled().len();
    let read = Pin::new(open).poll_read(context, buffer);
    if !matches!(read, Poll::Pending) && buffer.filled().len() == before {
        *stream = None;
    }
    read
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn place(root: &std::path::Path) -> Place {
        let root = root.to_string_lossy();
        Place {
            root: root.as_ref().into(),
            cwd: format!("{root}/sub").into(),
        }
    }

    #[test]
    fn a_command_stays_in_the_workspace() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let root = base.join("ws");
        std::fs::create_dir_all(root.join("sub")).unwrap();
        std::fs::create_dir_all(base.join("out")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(base.join("out"), root.join("link")).unwrap();
        let directory = |cwd: Value| {
            let wanted = Wanted::read(&json!({"command": "x", "cwd": cwd})).unwrap();
            wanted.directory(&place(&root)).ok()
        };
        assert_eq!(directory(Value::Null), Some(root.join("sub")));
        assert_eq!(directory(json!(root)), Some(root.clone()));
        assert_eq!(directory(json!(base.join("out"))), None);
        assert_eq!(directory(json!(root.join("gone"))), None);
        assert_eq!(directory(json!("")), Some(root.join("sub")));
        assert_eq!(directory(json!("..")), Some(root.clone()));
        assert_eq!(directory(json!("../..")), None);
        #[cfg(unix)]
        assert_eq!(directory(json!(root.join("link"))), None);
    }

    #[test]
    fn a_line_is_for_a_shell_and_arguments_are_for_a_program() {
        let read = |params: Value| {
            let wanted = Wanted::read(&params).unwrap();
            (wanted.program, wanted.arguments)
        };
        let (program, arguments) = read(json!({"command": "ls", "args": ["-l", "a b"]}));
        assert_eq!(
            (program.as_str(), arguments),
            ("ls", vec!["-l".to_owned(), "a b".to_owned()])
        );
        for params in [
            json!({"command": "ls | wc"}),
            json!({"command": "ls | wc", "args": []}),
        ] {
            assert_eq!(read(params).1.last().map(String::as_str), Some("ls | wc"));
        }
    }

    #[test]
    fn what_cannot_be_run_is_refused() {
        for params in [
            json!({}),
            json!({"command": 1}),
            json!({"command": "x", "args": "y"}),
            json!({"command": "x", "env": [{"name": "A=B", "value": ""}]}),
            json!({"command": "x", "env": [{"name": "", "value": ""}]}),
            json!({"command": "x", "outputByteLimit": -1}),
        ] {
            assert!(Wanted::read(&params).is_err(), "{params}");
        }
        let limit = |limit: Value| {
            let params = json!({"command": "x", "outputByteLimit": limit});
            Wanted::read(&params).unwrap().limit
        };
        assert_eq!(limit(Value::Null), 1024 * 1024);
        assert_eq!(limit(json!(5)), 5);
        assert_eq!(limit(json!(u64::MAX)), 16 * 1024 * 1024);
    }

    #[tokio::test]
    async fn joined_streams_end_together() {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let (mut to_first, first) = tokio::io::duplex(64);
        let (mut to_second, second) = tokio::io::duplex(64);
        let mut joined = Joined(Some(first), Some(second));
        let mut buffer = [0; 64];
        to_second.write_all(b"two").await.unwrap();
        assert_eq!(joined.read(&mut buffer).await.unwrap(), 3);
        drop(to_second);
        to_first.write_all(b"first").await.unwrap();
        assert_eq!(joined.read(&mut buffer).await.unwrap(), 5);
        drop(to_first);
        assert_eq!(joined.read(&mut buffer).await.unwrap(), 0);
    }
}
