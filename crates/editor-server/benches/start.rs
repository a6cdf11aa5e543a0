//! How long `acp-lens lsp` takes from its start until it has answered `initialize`, and how much
//! memory it holds then.
//!
//! The yardstick is starting `/bin/true` and waiting for its end, in the same run.

#![expect(clippy::print_stdout, reason = "the table is what a bench is for")]

use std::io::{self, Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 60;

fn main() -> io::Result<()> {
    let (mut server, mut yardstick) = (Duration::MAX, Duration::MAX);
    let mut memory = 0;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        Command::new("/bin/true").status()?;
        yardstick = yardstick.min(start.elapsed());

        let (time, kilobytes) = initialize()?;
        server = server.min(time);
        memory = memory.max(kilobytes);
    }
    let ratio = server.as_secs_f64() / yardstick.as_secs_f64();
    println!(
        "start to initialize: {server:?}, /bin/true: {yardstick:?}, {ratio:.1} x (at most 10 x), resident {:.1} MB (at most 15 MB)",
        f64::from(memory) / 1024.0,
    );
    Ok(())
}

/// Starts the server and waits for its answer; gives the time and the resident kilobytes.
fn initialize() -> io::Result<(Duration, u32)> {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#;
    let start = Instant::now();
    let mut server = Command::new(env!("CARGO_BIN_EXE_acp-lens"))
        .arg("lsp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let broken = || io::Error::from(io::ErrorKind::BrokenPipe);
    let mut input = server.stdin.take().ok_or_else(broken)?;
    let mut output = server.stdout.take().ok_or_else(broken)?;
    write!(input, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    let mut answer = [0; 1];
    output.read_exact(&mut answer)?;
    let time = start.elapsed();
    let memory = resident(server.id());
    server.kill()?;
    server.wait()?;
    Ok((time, memory))
}

/// Resident memory of a process in kilobytes; 0 where the system does not tell.
fn resident(process: u32) -> u32 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number
        .and_then(|number| number.parse().ok())
        .unwrap_or_default()
}
