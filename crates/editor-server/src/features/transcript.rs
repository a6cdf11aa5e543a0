//! What an agent's own transcript adds to a session: a file that the person named in the setting
//! `transcripts`. It adds files that the agent says it made, and how long turns took; nothing else.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use activity_core::host::transcript::{
    Record, UserTurn, durations, media_of_turns, told_durations,
};
use activity_core::session::UserMessage;

/// How much of the end of a transcript is read, in bytes.
const TAIL_BYTES: u64 = 8 * 1024 * 1024;
/// How many lines of it are looked at.
const LINES: usize = 5000;
/// How many of its newest records count.
const RECORDS: usize = 1000;

/// What a transcript adds to a session.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Supplement {
    /// References to files, each with the turn whose agent named it; `None` for a turn without any
    /// item of its own.
    pub(crate) media: Vec<(Option<Arc<str>>, String)>,
    /// How long turns took, in milliseconds.
    pub(crate) durations: Vec<(Arc<str>, u64)>,
}

/// Reads what the transcript adds to a session in which the user said `messages`.
pub(crate) fn read(path: &Path, messages: &[UserMessage]) -> io::Result<Supplement> {
    let text = tail(path)?;
    let records = records(&text);
    let turns: Vec<UserTurn<'_>> = messages
        .iter()
        .map(|it| UserTurn {
            id: &it.id,
            text: &it.words,
        })
        .collect();
    let turn_of = |id: &str| {
        let message = messages.iter().find(|it| *it.id == *id);
        message.and_then(|it| it.turn_id.clone())
    };
    let media = media_of_turns(&turns, &records, true, None);
    let told = told_durations(&records);
    let durations = durations(&turns, &told).into_iter();
    Ok(Supplement {
        media: media
            .into_iter()
            .flat_map(|(id, uris)| {
                let turn_id = turn_of(id);
                let uris = uris.into_iter();
                uris.map(move |uri| (turn_id.clone(), uri.to_owned()))
            })
            .collect(),
        durations: durations
            .filter_map(|(id, ms)| Some((turn_of(id)?, whole(ms))))
            .collect(),
    })
}

/// Whole milliseconds of a duration that is neither negative nor without an end.
fn whole(ms: f64) -> u64 {
    let time = std::time::Duration::try_from_secs_f64(ms / 1000.0).unwrap_or_default();
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The end of a file as text, from the beginning of a line on.
fn tail(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let skipped = file.metadata()?.len().saturating_sub(TAIL_BYTES);
    file.seek(SeekFrom::Start(skipped))?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(match text.split_once('\n') {
        Some((_, whole)) if skipped > 0 => whole.to_owned(),
        _ => text.into_owned(),
    })
}

/// The newest records, in order. What is no record is passed over.
fn records(text: &str) -> Vec<Record<'static>> {
    let lines = text.lines().rev().take(LINES);
    let mut records: Vec<Record<'static>> = lines.filter_map(Record::read).take(RECORDS).collect();
    records.reverse();
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_adds_what_the_agent_says_it_made_and_how_long_it_took() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("transcript.jsonl");
        let lines = [
            r#"{"type":"session"}"#,
            r#"{"message":{"role":"user","content":[{"type":"text","text":"[Working directory: /w]\n\ngo"}],"timestamp":1000}}"#,
            r#"{"message":{"role":"toolResult","content":"MEDIA: /quoted.png","timestamp":1800.5}}"#,
            r#"{"role":"assistant","content":"Done.\nMEDIA: out/a.png","timestamp":1500}"#,
            "broken",
        ];
        std::fs::write(&path, lines.join("\n")).unwrap();
        let messages = [UserMessage {
            id: "u:0".into(),
            position: 0,
            words: "go".into(),
            turn_id: Some("t".into()),
        }];
        let expect = Supplement {
            media: vec![(Some("t".into()), "out/a.png".to_owned())],
            durations: vec![("t".into(), 800)],
        };
        assert_eq!(read(&path, &messages).unwrap(), expect);
        assert!(read(&dir.path().join("none"), &messages).is_err());
    }
}
