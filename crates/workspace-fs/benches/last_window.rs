//! Reading the last window of a 1 GB file, beside a newline scan of the same file.
//!
//! Prints the ratio of the two times, best of several rounds of one run, and the most memory that
//! the process held for reading. The targets are 1.5 and 16 MB. A file without any newline stands
//! beside it.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark measures time and prints it"
)]

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufWriter, Read as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use workspace_fs::tools::{ReadArguments, ToolSession, read};
use workspace_fs::{Cancel, LocalFileSystem, NoPolicy};

const BYTES: usize = 1 << 30;
const ROUNDS: usize = 5;
const TARGET: f64 = 1.5;
const MEMORY_TARGET_KB: u64 = 16 * 1024;

fn main() {
    // `cargo test --benches` only wants to know that it runs.
    let is_test = std::env::args().any(|arg| arg == "--test");
    let bytes = if is_test { 16 << 20 } else { BYTES };
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let lines = write_lines(&directory.path().join("lines"), bytes);
    write_one_line(&directory.path().join("one-line"), bytes);
    let start = memory_kb("VmRSS:");
    report(directory.path(), "lines", lines.saturating_sub(2000) + 1);
    report(directory.path(), "one-line", 1);
    if let (Some(start), Some(peak)) = (start, memory_kb("VmHWM:")) {
        // The yardstick's own buffer of 1 MiB is part of it.
        let used = peak.saturating_sub(start);
        let verdict = if used <= MEMORY_TARGET_KB {
            "met"
        } else {
            "MISSED"
        };
        println!("S8: {used} kB more memory than before (target {MEMORY_TARGET_KB} kB, {verdict})");
    }
}

/// Code-like lines; gives their number.
fn write_lines(path: &Path, bytes: usize) -> u64 {
    let mut file = BufWriter::new(File::create(path).unwrap());
    let (mut written, mut lines) = (0, 0);
    while written < bytes {
        let line = format!(
            "    let value_{lines} = compute(&input, {lines})?; // {}\n",
            lines % 97
        );
        file.write_all(line.as_bytes()).unwrap();
        written += line.len();
        lines += 1;
    }
    file.flush().unwrap();
    lines
}

fn write_one_line(path: &Path, bytes: usize) {
    let mut file = BufWriter::new(File::create(path).unwrap());
    let piece = "one line without an end ".repeat(1024);
    let mut written = 0;
    while written < bytes {
        file.write_all(piece.as_bytes()).unwrap();
        written += piece.len();
    }
    file.flush().unwrap();
}

fn report(directory: &Path, name: &str, offset: u64) {
    let scanned = best(|| scan(&directory.join(name)));
    let files = LocalFileSystem::open(directory).unwrap();
    let windowed = best(|| {
        let session = ToolSession {
            files: &files,
            policy: &NoPolicy,
            owner: None,
            cwd: None,
            cancel: &Cancel::new(),
        };
        let arguments = ReadArguments {
            file_path: name.to_owned(),
            offset,
            limit: 2000,
        };
        let result = read(&session, &arguments).unwrap();
        result.text().len()
    });
    let ratio = windowed.as_secs_f64() / scanned.as_secs_f64();
    let verdict = if ratio <= TARGET { "met" } else { "MISSED" };
    println!(
        "S8: last window of {name}: {ratio:.2} x a newline scan (target {TARGET} x, {verdict})"
    );
}

/// The yardstick: the file in pieces of 1 MiB, each newline found.
fn scan(path: &Path) -> usize {
    let mut file = File::open(path).unwrap();
    let mut piece = vec![0; 1 << 20];
    let mut newlines = 0;
    loop {
        let n = file.read(&mut piece).unwrap();
        if n == 0 {
            return newlines;
        }
        for newline in memchr::memchr_iter(b'\n', &piece[..n]) {
            black_box(newline);
            newlines += 1;
        }
    }
}

fn best(mut work: impl FnMut() -> usize) -> Duration {
    (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

/// A figure of this process in kB, where the system tells.
fn memory_kb(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
