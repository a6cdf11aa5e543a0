//! The turns of a transcript found again among the turns of a session.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use acp_grammar::js;

use super::media::media_references;
use super::record::{Record, Speaker};

/// A turn of the session, by what the user said before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserTurn<'a> {
    /// The id of the user's message.
    pub id: &'a str,
    /// The words; empty words are words too.
    pub text: &'a str,
}

/// How long a turn of a transcript took.
#[derive(Debug, Clone, PartialEq)]
pub struct Duration<'a> {
    /// What the user said.
    pub text: Cow<'a, str>,
    /// Which of the turns with these words it is, counted from the end: 1 is the last.
    pub from_end: usize,
    /// Milliseconds.
    pub ms: f64,
}

/// Words of the user and how often they come again after this, the last time being 1.
type Key = (String, usize);

/// How long the turns of the session took, by the id of the user's message.
pub fn durations<'a>(turns: &[UserTurn<'a>], known: &[Duration<'_>]) -> BTreeMap<&'a str, f64> {
    let mut by_key: BTreeMap<Key, f64> = BTreeMap::new();
    let mut doubled: BTreeSet<Key> = BTreeSet::new();
    // What is no duration does not make another one ambiguous.
    let valid = known.iter().filter(|it| it.ms.is_finite() && it.ms >= 0.0);
    for duration in valid {
        let key = (normalised(&duration.text), duration.from_end);
        if by_key.insert(key.clone(), duration.ms).is_some() {
            doubled.insert(key);
        }
    }
    keys(turns)
        .into_iter()
        .filter(|(key, _)| !doubled.contains(key))
        .filter_map(|(key, id)| Some((id, *by_key.get(&key)?)))
        .collect()
}

/// How long the turns of a transcript took: from what the user said to the last record of the
/// turn that has a time.
pub fn told_durations<'r>(transcript: &'r [Record<'_>]) -> Vec<Duration<'r>> {
    let turns = keyed_turns(transcript).into_iter();
    turns
        .filter_map(|((_, from_end), turn)| {
            let last = turn.answers.iter().filter_map(|record| record.at_ms);
            Some(Duration {
                text: Cow::Borrowed(&turn.user.text),
                from_end,
                ms: last.reduce(f64::max)? - turn.user.at_ms?,
            })
        })
        .collect()
}

/// The media that the agent's words name, turn by turn in the order of the session. With
/// `only`, those of the turn of this user message alone.
pub fn media_of_turns<'a, 'r>(
    turns: &[UserTurn<'a>],
    transcript: &'r [Record<'_>],
    knows_directory: bool,
    only: Option<&str>,
) -> Vec<(&'a str, Vec<&'r str>)> {
    let ids: BTreeMap<Key, &str> = keys(turns);
    let mut by_key: BTreeMap<Key, Vec<&'r str>> = BTreeMap::new();
    for (key, turn) in keyed_turns(transcript) {
        let mut seen = BTreeSet::new();
        let answers = turn.answers.iter();
        let media = answers
            .filter(|record| record.speaker == Speaker::Agent)
            .flat_map(|record| media_references(&record.text, knows_directory))
            .filter(|reference| seen.insert(*reference));
        by_key.insert(key, media.collect());
    }
    let mut found: BTreeMap<&str, Vec<&'r str>> = ids
        .into_iter()
        .filter_map(|(key, id)| Some((id, by_key.remove(&key)?)))
        .collect();
    turns
        .iter()
        .filter(|turn| only.is_none_or(|only| only == turn.id))
        .filter_map(|turn| Some((turn.id, found.remove(turn.id)?)))
        .filter(|(_, media)| !media.is_empty())
        .collect()
}

/// A turn of a transcript: what the user said, and what came until they spoke again.
struct TranscriptTurn<'r, 't> {
    user: &'r Record<'t>,
    answers: &'r [Record<'t>],
}

fn transcript_turns<'r, 't>(records: &'r [Record<'t>]) -> Vec<TranscriptTurn<'r, 't>> {
    let starts: Vec<usize> = (0..records.len())
        .filter(|at| records.get(*at).is_some_and(starts_turn))
        .collect();
    starts
        .iter()
        .enumerate()
        .filter_map(|(n, start)| {
            let end = starts.get(n + 1).copied().unwrap_or(records.len());
            Some(TranscriptTurn {
                user: records.get(*start)?,
                answers: records.get(start + 1..end)?,
            })
        })
        .collect()
}

/// The turns of a transcript with their keys, the last one first.
fn keyed_turns<'r, 't>(records: &'r [Record<'t>]) -> Vec<(Key, TranscriptTurn<'r, 't>)> {
    let mut later: BTreeMap<String, usize> = BTreeMap::new();
    let turns = transcript_turns(records).into_iter().rev();
    turns
        .map(|turn| (key(&turn.user.text, &mut later), turn))
        .collect()
}

/// Whether the person speaks. Messages between sessions are no turns of theirs.
fn starts_turn(record: &Record<'_>) -> bool {
    record.speaker == Speaker::User
        && !record.is_inter_session
        && !normalised(&record.text).starts_with("[Inter-session message] ")
}

/// The key of every turn of the session.
fn keys<'a>(turns: &[UserTurn<'a>]) -> BTreeMap<Key, &'a str> {
    let mut later: BTreeMap<String, usize> = BTreeMap::new();
    let mut keys = BTreeMap::new();
    for turn in turns.iter().rev() {
        keys.insert(key(turn.text, &mut later), turn.id);
    }
    keys
}

/// The key of the next turn from the end.
fn key(text: &str, later: &mut BTreeMap<String, usize>) -> Key {
    let text = normalised(text);
    let from_end = later.entry(text.clone()).or_default();
    *from_end += 1;
    (text, *from_end)
}

/// The words without what an agent puts before them, and without differences of form.
fn normalised(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let words = match text.strip_prefix("[Working directory: ") {
        Some(rest) => match rest.split_once(']') {
            Some((directory, words)) if !directory.contains('\n') => {
                let words = words.strip_prefix('\n').unwrap_or(words);
                words.strip_prefix('\n').unwrap_or(words)
            }
            _ => &text,
        },
        None => &text,
    };
    js::trim(words).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURNS: [UserTurn<'static>; 3] = [
        UserTurn {
            id: "u1",
            text: "go",
        },
        UserTurn {
            id: "u2",
            text: "go",
        },
        UserTurn {
            id: "u3",
            text: "other",
        },
    ];

    fn check_durations(known: &[(&str, usize, f64)], expect: &[(&str, f64)]) {
        let known: Vec<Duration<'_>> = known
            .iter()
            .map(|(text, from_end, ms)| Duration {
                text: (*text).into(),
                from_end: *from_end,
                ms: *ms,
            })
            .collect();
        let found: Vec<(&str, f64)> = durations(&TURNS, &known).into_iter().collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn what_is_no_duration_or_stands_twice_is_left_out() {
        check_durations(&[("go", 1, f64::NAN), ("other", 1, 5.0)], &[("u3", 5.0)]);
        check_durations(
            &[("go", 1, 1.0), ("go", 1, 2.0), ("go", 2, 3.0)],
            &[("u1", 3.0)],
        );
        check_durations(&[("nobody", 1, 1.0)], &[]);
    }

    #[test]
    fn a_turn_takes_until_its_last_record_with_a_time() {
        let lines = [
            r#"{"role":"user","content":"go","timestamp":100}"#,
            r#"{"role":"assistant","content":"a","timestamp":400}"#,
            r#"{"role":"toolResult","content":"b","timestamp":350}"#,
            r#"{"role":"assistant","content":"c"}"#,
            r#"{"role":"user","content":"go"}"#,
            r#"{"role":"assistant","content":"d","timestamp":900}"#,
            r#"{"role":"user","content":"other","timestamp":1000}"#,
        ];
        let records: Vec<Record<'_>> = lines.iter().filter_map(|it| Record::read(it)).collect();
        let told = told_durations(&records);
        let found: Vec<(&str, f64)> = durations(&TURNS, &told).into_iter().collect();
        assert_eq!(found, [("u1", 300.0)]);
    }
}
