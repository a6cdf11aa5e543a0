//! Cases as data, made from what the systems do whose behaviour is the reference.
//!
//! A case of the host is a script: steps, each followed by what the host wants done, marked with
//! `> `. Cases of the other areas have an input and what is expected of it. Each case with an id
//! either runs or stands in the list of those that do not concern this host, with its reason.

use std::collections::BTreeSet;

use acp_grammar::wire::Update;
use activity_core::host::Generation;
use activity_core::host::prompt::{resource_link, spoken, wants_directory_prefix};
use activity_core::host::store::{Token, View};
use activity_core::host::transcript::{
    Duration, READS_AFTER_PROMPT_MS, Record, UserTurn, durations, media_of_turns, media_references,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::script::Run;

/// Cases that do not concern this host, and why.
const NOT_OURS: &[(&str, &str)] = &[
    (
        "HOST-002",
        "sessions have the ids that their agents give them; the form of a desktop client's keys is its own",
    ),
    (
        "STORE-005",
        "the server holds every session whole, whoever looks at it, so there are no snapshots to let go",
    ),
    (
        "STORE-006",
        "a window that starts anew asks the server, which still has the session; nothing has to be asked for again",
    ),
    (
        "BRIDGE-010",
        "what an agent replays is the agent's side of the wire; a notice says when it replays no calls",
    ),
    (
        "BRIDGE-011",
        "what an agent replays is the agent's side of the wire",
    ),
    (
        "BRIDGE-012",
        "titles of tool calls are made by the agent; how they are read is tested where they are read",
    ),
];

#[derive(Deserialize)]
struct Case {
    id: Option<String>,
    description: String,
    /// Why this host does otherwise than its reference; the script shows what it does.
    #[serde(default)]
    #[expect(dead_code, reason = "it is there for readers of the cases")]
    decided: Option<String>,
    #[serde(default)]
    script: Vec<String>,
    #[serde(default)]
    input: Value,
    #[serde(default)]
    expected: Value,
}

/// Runs every case that is ours, and sees to it that the others are listed.
fn check_all(cases: &str, has_content: fn(&Case) -> bool, check: fn(&Case)) {
    let cases: Vec<Case> = serde_json::from_str(cases).expect("the cases are well-formed");
    let mut ids = BTreeSet::new();
    for case in &cases {
        let id = case.id.as_deref().unwrap_or_default();
        assert!(id.is_empty() || ids.insert(id), "{id} stands twice");
        let reason = NOT_OURS.iter().find(|(other, _)| *other == id);
        match (has_content(case), reason) {
            (true, None) => check(case),
            (false, Some(_)) => {}
            (true, Some((_, reason))) => panic!("{id} runs although {reason}"),
            (false, None) => panic!("{id} does not run, and nothing says why"),
        }
    }
}

fn has_script(case: &Case) -> bool {
    !case.script.is_empty()
}

fn has_input(case: &Case) -> bool {
    !case.input.is_null() && !case.expected.is_null()
}

/// The steps of a script with what they lead to, and what the case says that they do.
fn check_script(case: &Case, mut step: impl FnMut(&str) -> Vec<String>) {
    let mut shown = Vec::new();
    for line in &case.script {
        if !line.starts_with("> ") {
            shown.push(line.clone());
            shown.extend(step(line).into_iter().map(|done| format!("> {done}")));
        }
    }
    assert_eq!(shown, case.script, "{:?} {}", case.id, case.description);
}

fn check_host(case: &Case) {
    let mut run = Run::new();
    check_script(case, |step| match step.strip_prefix("says ") {
        Some(text) if wants_directory_prefix(text) => {
            vec!["with the directory before it".to_owned()]
        }
        Some(_) => vec!["without the directory before it".to_owned()],
        None => {
            let mut done = run.step(step);
            // When the host wakes by itself is no part of these cases.
            done.retain(|effect| !effect.starts_with("wake at "));
            done
        }
    });
}

#[test]
fn host() {
    check_all(
        include_str!("../fixtures/host/host.json"),
        has_script,
        check_host,
    );
}

#[test]
fn connection() {
    check_all(
        include_str!("../fixtures/host/bridge.json"),
        has_script,
        check_host,
    );
}

/// A view of one session, and the loads that were begun.
#[derive(Default)]
struct Store {
    view: View<String>,
    tokens: Vec<Token>,
}

impl Store {
    fn step(&mut self, step: &str) -> Vec<String> {
        let words: Vec<&str> = step.split(' ').collect();
        let generation = |word: &str| Generation(word.parse().expect("a generation"));
        match *words.as_slice() {
            ["load"] => {
                self.tokens.push(self.view.begin());
                vec![format!("load {}", self.tokens.len())]
            }
            ["update", of, name] => match self.view.update(generation(of), name.to_owned()) {
                Some(shown) => vec![format!("show {shown}")],
                None => vec!["kept".to_owned()],
            },
            ["loaded", load, of, ref batch @ ..] => {
                let batch = batch.iter().map(|name| (*name).to_owned());
                match self.view.loaded(self.token(load), generation(of), batch) {
                    None => vec!["nothing".to_owned()],
                    Some(commit) => {
                        let mut line = format!("commit generation {}:", commit.generation.0);
                        for update in commit.updates {
                            line = format!("{line} {update}");
                        }
                        vec![line]
                    }
                }
            }
            ["failed", load] => {
                let kept = self.view.failed(self.token(load));
                kept.into_iter()
                    .map(|update| format!("show {update}"))
                    .collect()
            }
            ["prompt-ends"] => READS_AFTER_PROMPT_MS
                .iter()
                .map(|ms| format!("read at {ms}"))
                .collect(),
            _ => panic!("no such step: {step}"),
        }
    }

    fn token(&self, load: &str) -> Token {
        let number: usize = load.parse().expect("the number of a load");
        self.tokens[number - 1]
    }
}

#[test]
fn store() {
    check_all(
        include_str!("../fixtures/host/store.json"),
        has_script,
        |case| {
            let mut store = Store::default();
            check_script(case, |step| store.step(step));
        },
    );
}

/// `[id, words]`.
fn user_turn(turn: &Value) -> UserTurn<'_> {
    UserTurn {
        id: turn[0].as_str().unwrap_or_default(),
        text: turn[1].as_str().unwrap_or_default(),
    }
}

#[test]
fn alignment() {
    check_all(
        include_str!("../fixtures/host/align.json"),
        has_input,
        |case| {
            let turns = case.input["acpUserTurns"].as_array().into_iter().flatten();
            let turns: Vec<UserTurn<'_>> = turns.map(user_turn).collect();
            let found = if let Some(timings) = case.input["timings"].as_array() {
                let known: Vec<Duration<'_>> = timings.iter().map(duration).collect();
                let mut by_id = serde_json::Map::new();
                for (id, ms) in durations(&turns, &known) {
                    by_id.insert(id.to_owned(), number(ms));
                }
                json!({"byUserMessageId": by_id})
            } else {
                let lines = case.input["transcript"].as_array().into_iter().flatten();
                let records: Vec<Record<'_>> = lines
                    .filter_map(|line| Record::read(&line.to_string()))
                    .collect();
                let only = case.input["liveUserMessageId"].as_str();
                json!({"supplements": media_of_turns(&turns, &records, true, only)})
            };
            assert_eq!(found, case.expected, "{:?} {}", case.id, case.description);
        },
    );
}

/// `[words, which from the end, milliseconds]`; what JSON cannot write as a number is none.
fn duration(timing: &Value) -> Duration<'_> {
    let from_end = timing[1].as_u64().and_then(|it| usize::try_from(it).ok());
    Duration {
        text: timing[0].as_str().unwrap_or_default().into(),
        from_end: from_end.unwrap_or_default(),
        ms: timing[2].as_f64().unwrap_or(f64::NAN),
    }
}

/// A number as the cases write it: without a fraction where there is none.
fn number(value: f64) -> Value {
    serde_json::from_str(&value.to_string()).expect("a number")
}

#[test]
fn media() {
    check_all(
        include_str!("../fixtures/host/media.json"),
        has_input,
        |case| {
            let text = case.input["assistantText"].as_str().unwrap_or_default();
            let knows_directory = case.input["executionCwd"].is_string();
            let uris = media_references(text, knows_directory);
            assert_eq!(
                json!({"uris": uris}),
                case.expected,
                "{:?} {}",
                case.id,
                case.description
            );
        },
    );
}

#[test]
fn prompt() {
    check_all(
        include_str!("../fixtures/host/prompt.json"),
        has_input,
        |case| {
            let found = if let Some(blocks) = case.input["blocks"].as_array() {
                json!({"texts": blocks.iter().filter_map(words).collect::<Vec<_>>()})
            } else {
                let uri = case.input["uri"].as_str().unwrap_or_default();
                json!({"text": resource_link(uri, case.input["title"].as_str())})
            };
            assert_eq!(found, case.expected, "{:?} {}", case.id, case.description);
        },
    );
}

/// What a content block says, read as it comes over the wire.
fn words(block: &Value) -> Option<String> {
    let update = json!({"sessionUpdate": "user_message_chunk", "content": block}).to_string();
    match Update::decode(&update) {
        Some(Update::UserMessageChunk(chunk)) => spoken(&chunk.content).map(Into::into),
        _ => None,
    }
}

#[test]
fn what_is_not_ours_is_a_case() {
    let all = [
        include_str!("../fixtures/host/host.json"),
        include_str!("../fixtures/host/bridge.json"),
        include_str!("../fixtures/host/store.json"),
    ];
    for (id, reason) in NOT_OURS {
        let quoted = format!("\"{id}\"");
        let is_there = all.iter().any(|cases| cases.contains(&quoted));
        assert!(
            is_there,
            "{id} is no case, but stands in the list: {reason}"
        );
    }
}
