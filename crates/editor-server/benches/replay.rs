//! How fast a large trace is replayed, and in how much memory.
//!
//! The yardstick is `serde_json` parsing the same lines into `Value`s and dropping them, in the
//! same run on the same machine. Prints one line per kind of trace:
//!
//! ```text
//! replay of 100 MB, <kind>: time 0.8 x (at most 1.0 x), memory 12 MB over the kept text (...)
//! ```

#![expect(clippy::print_stdout, reason = "the table is what a bench is for")]

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

const TRACE_BYTES: usize = 100_000_000;
/// Each side is measured so often, and the best run counts: the machine does other work too.
const RUNS: usize = 5;

fn main() -> io::Result<()> {
    let directory = tempfile::tempdir()?;
    for (kind, make) in [
        (
            "recorded sessions",
            recorded as fn(&Path) -> io::Result<u64>,
        ),
        ("large files", large_files),
    ] {
        let path = directory.path().join("trace.ndjson");
        let kept_bytes = make(&path)?;
        measure(kind, &path, kept_bytes)?;
    }
    Ok(())
}

fn measure(kind: &str, path: &Path, kept_bytes: u64) -> io::Result<()> {
    let mut yardstick = Duration::MAX;
    let mut replay = Duration::MAX;
    let mut peak = 0;
    for _ in 0..RUNS {
        let start = Instant::now();
        parse_into_values(path)?;
        yardstick = yardstick.min(start.elapsed());

        let start = Instant::now();
        peak = peak.max(run_replay(path)?);
        replay = replay.min(start.elapsed());
    }
    let ratio = replay.as_secs_f64() / yardstick.as_secs_f64();
    let megabytes = |bytes: u64| bytes / 1_000_000;
    let allowed = kept_bytes * 13 / 10 + 20_000_000;
    println!(
        "replay of {} MB, {kind}: time {ratio:.2} x (at most 1.0 x), memory {} MB (at most {} MB: 1.3 x {} MB of kept text and 20 MB)",
        megabytes(std::fs::metadata(path)?.len()),
        megabytes(peak),
        megabytes(allowed),
        megabytes(kept_bytes),
    );
    Ok(())
}

fn parse_into_values(path: &Path) -> io::Result<()> {
    let mut lines = BufReader::new(File::open(path)?);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        let value: Value = serde_json::from_slice(&line)?;
        drop(std::hint::black_box(value));
        line.clear();
    }
    Ok(())
}

/// Runs the binary and gives its peak memory in bytes.
fn run_replay(path: &Path) -> io::Result<u64> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_acp-lens"))
        .args(["replay", "--format", "json"])
        .arg(path)
        .stdout(Stdio::null())
        .spawn()?;
    let mut peak = 0;
    let status = loop {
        // The high-water mark is gone with the process, so it is looked at while it runs.
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
        peak = peak.max(
            status
                .ok()
                .and_then(|status| high_water(&status))
                .unwrap_or(0),
        );
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    assert!(status.success(), "the trace can be replayed");
    Ok(peak)
}

fn high_water(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// The recorded traces of the tests over and over, each time as other sessions.
fn recorded(path: &Path) -> io::Result<u64> {
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/traces");
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(traces)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "ndjson")
        {
            texts.push(std::fs::read_to_string(path)?);
        }
    }
    texts.sort();
    let mut output = BufWriter::new(File::create(path)?);
    let mut written = 0;
    let mut copies = 0;
    while written < TRACE_BYTES {
        for text in &texts {
            let renamed = text.replace("\"sessionId\":\"", &format!("\"sessionId\":\"{copies}-"));
            output.write_all(renamed.as_bytes())?;
            written += renamed.len();
        }
        copies += 1;
    }
    output.flush()?;
    kept_text(path)
}

/// One session that writes and edits files of some ten thousand bytes.
fn large_files(path: &Path) -> io::Result<u64> {
    let mut output = BufWriter::new(File::create(path)?);
    let mut written = 0;
    let mut count = 0;
    output.write_all(br#"{"id":1,"method":"session/new","params":{"cwd":"/w"}}"#)?;
    output.write_all(b"\n")?;
    output.write_all(br#"{"id":1,"result":{"sessionId":"s"}}"#)?;
    output.write_all(b"\n")?;
    while written < TRACE_BYTES {
        let mut old = String::new();
        for line in 0..200 {
            let _ = writeln!(
                old,
                "\tlet value_{line} = compute(\"{count}\", {line}); // why"
            );
        }
        let new = old.replace("value_7 ", "value_seven ");
        let lines = [
            serde_json::json!({"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk",
                "content": {"type": "text", "text": "I change the seventh value.\n".repeat(20)}}}),
            serde_json::json!({"sessionId": "s", "update": {"sessionUpdate": "tool_call",
                "toolCallId": format!("c{count}"), "title": "Edit", "kind": "edit",
                "status": "in_progress", "rawInput": {"path": format!("/w/src/{}.rs", count % 100)}}}),
            serde_json::json!({"sessionId": "s", "update": {"sessionUpdate": "tool_call_update",
                "toolCallId": format!("c{count}"), "status": "completed", "content": [
                {"type": "diff", "path": format!("/w/src/{}.rs", count % 100), "oldText": old, "newText": new}]}}),
        ];
        for line in lines {
            let line = line.to_string();
            writeln!(output, "{line}")?;
            written += line.len() + 1;
        }
        count += 1;
    }
    output.flush()?;
    kept_text(path)
}

/// Bytes of text that the activities of a trace hold, as the replay itself tells it.
fn kept_text(path: &Path) -> io::Result<u64> {
    let output = Command::new(env!("CARGO_BIN_EXE_acp-lens"))
        .args(["replay", "--format", "json"])
        .arg(path)
        .output()?;
    let document: Value = serde_json::from_slice(&output.stdout)?;
    let activities = document["sessions"].as_array().into_iter().flatten();
    let fragments = activities
        .flat_map(|session| session["activities"].as_array().into_iter().flatten())
        .flat_map(|activity| activity["fragments"].as_array().into_iter().flatten());
    let texts = fragments.flat_map(|fragment| [&fragment["oldText"], &fragment["newText"]]);
    let lengths = texts.filter_map(Value::as_str).map(str::len);
    Ok(lengths
        .map(|length| u64::try_from(length).unwrap_or(u64::MAX))
        .sum())
}
