//! The turns of a transcript found again among the turns of a session.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::media::media_references;

/// A turn of the session, by what the user said before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserTurn<'a> {
    /// The id of the user's message.
    pub id: &'a str,
    /// The words; empty words are words too.
    pub text: &'a str,
}

/// A record of a transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct Record<'a> {
    /// The user speaks; otherwise it is the agent, or a tool.
    pub is_user: bool,
    /// What is said.
    pub text: Cow<'a, str>,
    /// The words come from another session and not from the person, as the record itself says.
    pub is_inter_session: bool,
    /// When it was said, in milliseconds; of tool results too.
    pub at_ms: Option<f64>,
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

/// The media that the agent's words name, turn by turn in the order of the session. With
/// `only`, those of the turn of this user message alone.
pub fn media_of_turns<'a, 'r>(
    turns: &[UserTurn<'a>],
    transcript: &'r [Record<'_>],
    knows_directory: bool,
    only: Option<&str>,
) -> Vec<(&'a str, Vec<&'r str>)> {
    let ids: BTreeMap<Key, &str> = keys(turns);
    let told = transcript_turns(transcript);
    let mut by_key: BTreeMap<Key, Vec<&'r str>> = BTreeMap::new();
    let mut later: BTreeMap<String, usize> = BTreeMap::new();
    for turn in told.iter().rev() {
        let text = normalised(&turn.user.text);
        let from_end = later.entry(text.clone()).or_default();
        *from_end += 1;
        let mut media: Vec<&str> = Vec::new();
        for record in turn.answers {
            for reference in media_references(&record.text, knows_directory) {
                if !media.contains(&reference) {
                    media.push(reference);
                }
            }
        }
        by_key.insert((text, *from_end), media);
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

/// Whether the person speaks. Messages between sessions are no turns of theirs.
fn starts_turn(record: &Record<'_>) -> bool {
    record.is_user
        && !record.is_inter_session
        && !normalised(&record.text).starts_with("[Inter-session message] ")
}

/// The key of every turn of the session.
fn keys<'a>(turns: &[UserTurn<'a>]) -> BTreeMap<Key, &'a str> {
    let mut later: BTreeMap<String, usize> = BTreeMap::new();
    let mut keys = BTreeMap::new();
    for turn in turns.iter().rev() {
        let text = normalised(turn.text);
        let from_end = later.entry(text.clone()).or_default();
        *from_end += 1;
        keys.insert((text, *from_end), turn.id);
    }
    keys
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
    words
        .trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
        .to_owned()
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

    /// `>` begins what the user says, everything else is the agent.
    fn check(transcript: &[&str], only: Option<&str>, expect: &[(&str, &[&str])]) {
        let records: Vec<Record<'_>> = transcript
            .iter()
            .map(|line| {
                let (is_user, text) = match line.strip_prefix('>') {
                    Some(text) => (true, text),
                    None => (false, *line),
                };
                Record {
                    is_user,
                    is_inter_session: text.starts_with("(other session)"),
                    text: text.trim_start_matches("(other session)").into(),
                    at_ms: None,
                }
            })
            .collect();
        let found = media_of_turns(&TURNS, &records, true, only);
        let found: Vec<(&str, &[&str])> = found.iter().map(|(id, uris)| (*id, &**uris)).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn words_that_come_again_are_counted_from_the_end() {
        check(
            &[
                ">go",
                "MEDIA: /0",
                ">go",
                "MEDIA: /1",
                ">go",
                "MEDIA: /2",
                ">other",
                "none",
            ],
            None,
            &[("u1", &["/1"]), ("u2", &["/2"])],
        );
    }

    #[test]
    fn what_the_agent_puts_before_the_words_does_not_count() {
        check(
            &[">[Working directory: /w]\n\ngo", "MEDIA: /2", ">other", "x"],
            None,
            &[("u2", &["/2"])],
        );
    }

    #[test]
    fn words_of_other_sessions_start_no_turn() {
        check(
            &[
                ">go",
                "x",
                ">[Inter-session message] go",
                "MEDIA: /9",
                ">other",
                "x",
            ],
            None,
            &[("u2", &["/9"])],
        );
        check(
            &[">go", "x", ">(other session)go", "MEDIA: /9", ">other", "x"],
            None,
            &[("u2", &["/9"])],
        );
    }

    #[test]
    fn a_turn_that_just_ended_gets_its_own_only() {
        let transcript = [
            ">go",
            "MEDIA: /1",
            ">go",
            "MEDIA: /2",
            ">other",
            "MEDIA: /3",
        ];
        check(&transcript, Some("u3"), &[("u3", &["/3"])]);
        check(&transcript, Some("zz"), &[]);
    }

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
    fn durations_of_turns() {
        check_durations(
            &[("go", 1, 100.0), ("go", 2, 200.0), ("other", 1, 300.0)],
            &[("u1", 200.0), ("u2", 100.0), ("u3", 300.0)],
        );
        check_durations(&[("go", 1, -1.0), ("go", 1, 100.0)], &[("u2", 100.0)]);
        check_durations(&[("go", 1, f64::NAN), ("other", 1, 5.0)], &[("u3", 5.0)]);
        check_durations(
            &[("go", 1, 1.0), ("go", 1, 2.0), ("go", 2, 3.0)],
            &[("u1", 3.0)],
        );
        check_durations(&[("nobody", 1, 1.0)], &[]);
    }
}
