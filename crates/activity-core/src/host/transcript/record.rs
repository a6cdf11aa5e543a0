//! A line of a transcript.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

/// A record of a transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct Record<'a> {
    /// Who speaks.
    pub speaker: Speaker,
    /// What is said; empty for a tool, whose output may quote anything.
    pub text: Cow<'a, str>,
    /// The words come from another session and not from the person, as the record itself says.
    pub is_inter_session: bool,
    /// When it was said, in milliseconds since 1970.
    pub at_ms: Option<f64>,
}

/// Who speaks in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The user.
    User,
    /// The agent.
    Agent,
    /// A tool, or whoever else has a role.
    Other,
}

/// A line: a message, or something with one inside.
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

impl Record<'static> {
    /// Reads a line of a transcript. `None` for what is no record.
    pub fn read(line: &str) -> Option<Self> {
        let Line { message, own } = serde_json::from_str(line).ok()?;
        let outer_time = time(&own.timestamp);
        let message = message.unwrap_or(own);
        let speaker = match message.role?.as_str() {
            "user" => Speaker::User,
            "assistant" => Speaker::Agent,
            _ => Speaker::Other,
        };
        let provenance = message.provenance["kind"].as_str().unwrap_or_default();
        Some(Self {
            speaker,
            is_inter_session: provenance.eq_ignore_ascii_case("inter_session"),
            text: match speaker {
                Speaker::Other => Cow::Borrowed(""),
                _ => text(message.content).into(),
            },
            at_ms: time(&message.timestamp).or(outer_time),
        })
    }
}

/// Text, or the texts of blocks, a line each.
fn text(content: Value) -> String {
    match content {
        Value::String(text) => text,
        Value::Array(blocks) => {
            let texts: Vec<&str> = blocks
                .iter()
                .filter_map(|block| block["text"].as_str())
                .collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

/// Milliseconds, or an instant as RFC 3339 writes it.
fn time(value: &Value) -> Option<f64> {
    match value {
        Value::Number(ms) => ms.as_f64(),
        Value::String(text) => {
            let instant: jiff::Timestamp = text.parse().ok()?;
            Some(instant.as_duration().as_secs_f64() * 1000.0)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expect: Option<(Speaker, &str, Option<f64>)>) {
        let record = Record::read(line);
        let read = record.as_ref().map(|it| (it.speaker, &*it.text, it.at_ms));
        assert_eq!(read, expect, "{line}");
    }

    #[test]
    fn lines_of_a_transcript() {
        check(
            r#"{"role":"user","content":"go","timestamp":5}"#,
            Some((Speaker::User, "go", Some(5.0))),
        );
        check(
            r#"{"type":"message","timestamp":"1970-01-01T00:00:02.5Z",
                "message":{"role":"assistant","content":[{"text":"a"},{"type":"image"},{"text":"b"}]}}"#,
            Some((Speaker::Agent, "a\nb", Some(2500.0))),
        );
        check(
            r#"{"timestamp":1,"message":{"role":"toolResult","content":"MEDIA: /x","timestamp":7}}"#,
            Some((Speaker::Other, "", Some(7.0))),
        );
        check(
            r#"{"role":"user","timestamp":"yesterday"}"#,
            Some((Speaker::User, "", None)),
        );
        for line in [r#"{"type":"session"}"#, r#"{"role":5}"#, "[]", "broken", ""] {
            check(line, None);
        }
    }
}
