//! Runs a command and copies what passes its standard input and output into two files, `PREFIX.in`
//! and `PREFIX.out`: `recorder PREFIX COMMAND ARGS...`. Bytes only; nothing is read into them.

use std::fs::File;
use std::io::{self, Read, Write};
use std::process::{Command, Stdio, exit};
use std::thread;

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let prefix = arguments.next().unwrap_or_default();
    let program = arguments.next().unwrap_or_default();
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (Some(child_in), Some(child_out)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("the command has no standard streams"));
    };
    let record = File::create(format!("{prefix}.in"))?;
    // It ends with the process, should the client keep its end open.
    thread::spawn(move || copy(io::stdin().lock(), child_in, record));
    let record = File::create(format!("{prefix}.out"))?;
    copy(child_out, io::stdout().lock(), record)?;
    let status = child.wait()?;
    exit(status.code().unwrap_or(1))
}

fn copy(mut from: impl Read, mut to: impl Write, mut record: File) -> io::Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let n = from.read(&mut buffer)?;
        let Some(bytes) = buffer.get(..n).filter(|bytes| !bytes.is_empty()) else {
            return Ok(());
        };
        record.write_all(bytes)?;
        to.write_all(bytes)?;
        to.flush()?;
    }
}
