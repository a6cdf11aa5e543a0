//! What the tap costs: 200 MB of messages from an agent to its client.
//!
//! The yardstick is `cat` in the place of the tap, between the same program and the same reader, in
//! the same run. Prints one line for a tap alone, and one for a tap that an editor listens to:
//!
//! ```text
//! tap of 200 MB, no editor: throughput 0.95 x (at least 0.7 x), memory 9 MB
//! ```

#![expect(clippy::print_stdout, reason = "the table is what a bench is for")]

#[cfg(unix)]
fn main() -> std::io::Result<()> {
    tap::measure()
}

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
mod tap {
    use std::fs::File;
    use std::io::{self, BufRead as _, BufReader, BufWriter, Read, Write};
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    const BYTES: usize = 200_000_000;
    /// Each side is measured so often, and the best run counts: the machine does other work too.
    const RUNS: usize = 5;

    pub(super) fn measure() -> io::Result<()> {
        let directory = tempfile::tempdir()?;
        let messages = directory.path().join("messages.ndjson");
        write_messages(&messages)?;
        line("no editor", directory.path(), &messages)?;
        let mut editor = Editor::start(directory.path())?;
        line("one editor", directory.path(), &messages)?;
        editor.stop()
    }

    fn line(name: &str, sockets: &Path, messages: &Path) -> io::Result<()> {
        let mut cat = Duration::MAX;
        let mut tap = Duration::MAX;
        let mut peak = 0;
        for _ in 0..RUNS {
            let mut command = Command::new("sh");
            command.args(["-c", "cat \"$1\" | cat", "sh"]).arg(messages);
            cat = cat.min(drain(command)?.0);

            let mut command = Command::new(env!("CARGO_BIN_EXE_acp-lens"));
            command
                .args(["tap", "--", "cat"])
                .arg(messages)
                .env("ACP_LENS_RUNTIME_DIR", sockets);
            let (time, memory) = drain(command)?;
            tap = tap.min(time);
            peak = peak.max(memory);
        }
        let ratio = cat.as_secs_f64() / tap.as_secs_f64();
        println!(
            "tap of {} MB, {name}: throughput {ratio:.2} x (at least 0.7 x), memory {} MB",
            BYTES / 1_000_000,
            peak / 1_000
        );
        Ok(())
    }

    /// Reads all that a command writes; gives the time until its last byte, and the most memory
    /// that the process had, in kB.
    fn drain(mut command: Command) -> io::Result<(Duration, u64)> {
        let start = Instant::now();
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let Some(mut from) = child.stdout.take() else {
            return Err(io::Error::other("no output"));
        };
        let mut buffer = vec![0; 256 * 1024];
        let (mut total, mut peak, mut asked_at) = (0_usize, 0, 0);
        loop {
            let n = from.read(&mut buffer)?;
            total += n;
            if total >= BYTES || total - asked_at > BYTES / 8 || n == 0 {
                asked_at = total;
                peak = peak.max(memory(child.id()));
            }
            if n == 0 {
                break;
            }
        }
        let time = start.elapsed();
        child.wait()?;
        if total < BYTES {
            return Err(io::Error::other("bytes are missing"));
        }
        Ok((time, peak))
    }

    /// The most memory that a process had so far, in kB; 0 where the system does not say.
    fn memory(pid: u32) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmHWM:"));
        let number = line.and_then(|line| line.split_ascii_whitespace().nth(1));
        number.and_then(|number| number.parse().ok()).unwrap_or(0)
    }

    /// Updates of 1 kB to 8 kB, as a streaming agent sends them.
    fn write_messages(path: &Path) -> io::Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        let mut written = 0;
        for n in 0_usize.. {
            let text = "lorem ipsum dolor ".repeat(50 + n % 400);
            let line = format!(
                "{{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{{\"sessionId\":\"s\",\"update\":{{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{{\"type\":\"text\",\"text\":\"{text}\"}}}}}}}}\n"
            );
            file.write_all(line.as_bytes())?;
            written += line.len();
            if written >= BYTES {
                break;
            }
        }
        file.flush()
    }

    /// A language server that listens to taps.
    struct Editor(Child);

    impl Editor {
        fn start(sockets: &Path) -> io::Result<Self> {
            let mut child = Command::new(env!("CARGO_BIN_EXE_acp-lens"))
                .arg("lsp")
                .env("ACP_LENS_RUNTIME_DIR", sockets)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()?;
            let (Some(to), Some(from)) = (child.stdin.as_mut(), child.stdout.as_mut()) else {
                return Err(io::Error::other("no streams"));
            };
            for message in [
                format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{{\"capabilities\":{{}},\"rootUri\":\"file://{}\"}}}}",
                    sockets.display()
                ),
                "{\"jsonrpc\":\"2.0\",\"method\":\"initialized\",\"params\":{}}".to_owned(),
                "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"acpLens/sessions\",\"params\":{}}"
                    .to_owned(),
            ] {
                write!(to, "Content-Length: {}\r\n\r\n{message}", message.len())?;
            }
            to.flush()?;
            // The second answer says that the folder is known.
            let mut from = BufReader::new(from);
            let mut line = String::new();
            while !line.starts_with("Content-Length") {
                line.clear();
                from.read_line(&mut line)?;
            }
            Ok(Self(child))
        }

        fn stop(&mut self) -> io::Result<()> {
            self.0.kill()?;
            self.0.wait().map(|_| ())
        }
    }
}
