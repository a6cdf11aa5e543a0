//! Attachments from an agent's own transcript: a file that the person named in the setting
//! `transcripts`. It adds files that the agent says it made, and nothing else.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use activity_core::host::prompt::{SpokenBlock, spoken};
use activity_core::host::transcript::{Record, UserTurn, media_of_turns};
use activity_core::session::Session;
use activity_core::timeline::{ItemKind, Part, Role};
use serde::Deserialize;
use serde_json::Value;

/// How much of the end of a transcript is read, in bytes.
const TAIL_BYTES: u64 = 8 * 1024 * 1024;
/// How many lines of it are looked at.
const LINES: usize = 5000;
/// How many of its newest records count.
const RECORDS: usize = 1000;

/// What the user said before a turn of a session.
#[derive(Debug, Clone)]
pub(crate) struct UserWords {
    id: Arc<str>,
    text: String,
    /// The turn that answers; `None` while there is none.
    turn_id: Option<Arc<str>>,
}

/// What the user said in a session, message by message.
pub(crate) fn user_words(session: &Session) -> Vec<UserWords> {
    let mut words: Vec<UserWords> = Vec::new();
    for item in (0..session.item_count()).filter_map(|at| session.item(at)) {
        match item.kind {
            ItemKind::Message {
                role: Role::User,
                parts,
                ..
            } => {
                let said: Vec<Cow<'_, str>> = parts.iter().filter_map(part).collect();
                words.push(UserWords {
                    id: item.id,
                    text: said.join("\n"),
                    turn_id: None,
                });
            }
            _ => {
                if let Some(last) = words.last_mut() {
                    last.turn_id = last.turn_id.take().or(item.turn_id);
                }
            }
        }
    }
    words
}

fn part(part: &Part) -> Option<Cow<'_, str>> {
    spoken(&match part {
        Part::Text(text) => SpokenBlock::Text(text),
        Part::Attachment { uri, display_name } => SpokenBlock::ResourceLink {
            uri,
            title: Some(display_name),
        },
        _ => SpokenBlock::Silent,
    })
}

/// The references that the transcript adds, each with its turn.
pub(crate) fn media(
    path: &Path,
    words: &[UserWords],
) -> io::Result<Vec<(Option<Arc<str>>, String)>> {
    let text = tail(path)?;
    let records = records(&text);
    let turns: Vec<UserTurn<'_>> = words
        .iter()
        .map(|it| UserTurn {
            id: &it.id,
            text: &it.text,
        })
        .collect();
    let found = media_of_turns(&turns, &records, true, None);
    Ok(found
        .into_iter()
        .flat_map(|(id, uris)| {
            let turn = words.iter().find(|it| *it.id == *id);
            let turn_id = turn.and_then(|it| it.turn_id.clone());
            uris.into_iter()
                .map(move |uri| (turn_id.clone(), uri.to_owned()))
        })
        .collect())
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

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    message: Option<Message>,
    #[serde(flatten)]
    own: Message,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    content: Value,
    #[serde(default)]
    provenance: Value,
    #[serde(default)]
    timestamp: Value,
}

/// The newest records, in order. What is no record is passed over.
fn records(text: &str) -> Vec<Record<'static>> {
    let lines = text.lines().rev().take(LINES);
    let mut records: Vec<Record<'static>> = lines.filter_map(record).take(RECORDS).collect();
    records.reverse();
    records
}

fn record(line: &str) -> Option<Record<'static>> {
    let line: Line = serde_json::from_str(line).ok()?;
    let message = line.message.unwrap_or(line.own);
    let role = message.role?;
    let text = match &message.content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<&str> = blocks
                .iter()
                .filter_map(|block| block["text"].as_str())
                .collect();
            texts.join("\n")
        }
        _ => String::new(),
    };
    let provenance = message.provenance["kind"].as_str().unwrap_or_default();
    // Only what the agent says names files; a tool's output may quote anything.
    let speaks = role == "user" || role == "assistant";
    Some(Record {
        is_user: role == "user",
        is_inter_session: provenance.eq_ignore_ascii_case("inter_session"),
        text: if speaks {
            text.into()
        } else {
            Cow::Borrowed("")
        },
        at_ms: message.timestamp.as_f64(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_adds_what_the_agent_says_it_made() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("transcript.jsonl");
        let lines = [
            r#"{"type":"session"}"#,
            r#"{"message":{"role":"user","content":[{"type":"text","text":"[Working directory: /w]\n\ngo"}]}}"#,
            r#"{"message":{"role":"toolResult","content":"MEDIA: /quoted.png"}}"#,
            r#"{"role":"assistant","content":"Done.\nMEDIA: out/a.png","timestamp":5}"#,
            "broken",
        ];
        std::fs::write(&path, lines.join("\n")).unwrap();
        let words = [UserWords {
            id: "u:0".into(),
            text: "go".to_owned(),
            turn_id: Some("t".into()),
        }];
        let found = media(&path, &words).unwrap();
        assert_eq!(found, [(Some("t".into()), "out/a.png".to_owned())]);
    }
}
