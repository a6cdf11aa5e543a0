//! Recorded traces: the lines of a file, the sessions in them, and what is shown of them.
//!
//! A trace is read once, from front to back. Two threads share the work: one reads lines
//! ([`lines`]), the other pairs requests with answers ([`connection`]) and brings the sessions
//! forward ([`recording`]); the one that is ahead decodes them ([`batch`]). Nothing but the sessions
//! stays in memory.

mod batch;
mod connection;
mod lines;
pub(crate) mod live;
mod recording;

pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod patch;
pub(crate) mod summary;

pub use batch::SkipReason;
pub use recording::{RecordedSession, Recording, ShownNotice, SkippedLine};

/// Reads bytes as a trace and writes all formats of it; for fuzzers.
///
/// # Panics
///
/// When the JSON document is none, or counts other lines than the recording.
#[cfg(any(test, fuzzing))]
pub fn fuzz_trace(data: &[u8]) {
    use activity_core::session::{Options, TimelineText};

    let options = Options {
        cwd: Some("/w".into()),
        text: TimelineText::FirstLines,
        ..Options::default()
    };
    let (recording, end) = Recording::read(data, options);
    end.expect("memory can be read");
    let skipped = recording.skipped_lines();
    let recordings = [recording];
    let mut output = Vec::new();
    summary::write(&recordings, &mut output).expect("memory can be written");
    patch::write(&recordings, &mut output).expect("memory can be written");
    markdown::write(&recordings, &mut output).expect("memory can be written");
    output.clear();
    json::write(&recordings, &mut output).expect("memory can be written");
    let document: serde_json::Value = serde_json::from_slice(&output).expect("JSON");
    assert_eq!(document["skippedLines"], skipped);
}

#[cfg(test)]
mod tests;
