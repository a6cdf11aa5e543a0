//! The grammar against results of the reference parsers, one fixture file for each.

use std::fmt::Write as _;

use acp_grammar::patch::{Dialect, Operation, Patch, parse};
use acp_grammar::shell::{Invocation, from_argv};
use serde_json::{Value, json};

/// What a fixture says about a dialect: the sections, or the sentence of the rejection.
fn check(description: &str, payload: &str, dialect: Dialect, expected: &Value) -> Option<String> {
    let actual = parse(payload, dialect);
    let wrong = match (&actual, expected) {
        // The projection of the first dialect says no more than "rejected".
        (Err(_), Value::Null) => false,
        (Err(error), _) => {
            let sentence = expected["error"].as_str().unwrap_or("(accepted)");
            !error.to_string().contains(bare(sentence))
                || expected["line"]
                    .as_u64()
                    .is_some_and(|line| usize::try_from(line) != Ok(error.position(payload).line))
        }
        (Ok(patch), _) => {
            shape(patch, dialect) != *expected.get("hunks").unwrap_or(expected)
                || patch.environment_id != expected.get("environmentId").and_then(Value::as_str)
        }
    };
    wrong.then(|| {
        let mut report = format!("{dialect}: {description}\n{payload}\n  expected {expected}\n");
        match actual {
            Ok(patch) => write!(report, "  accepted as {}", shape(&patch, dialect)),
            Err(error) => write!(report, "  rejected: {error}"),
        }
        .expect("writing to a string");
        report
    })
}

/// A reference sentence without the place before it and the full stop behind it.
fn bare(sentence: &str) -> &str {
    let sentence = sentence.strip_prefix("Invalid patch: ").unwrap_or(sentence);
    let sentence = sentence
        .strip_prefix("Invalid patch hunk at line ")
        .and_then(|rest| rest.split_once(": "))
        .map_or(sentence, |(_, rest)| rest);
    sentence.strip_suffix('.').unwrap_or(sentence)
}

/// A patch in the form of the fixtures: the projection keeps only the two texts of a chunk.
fn shape(patch: &Patch<'_>, dialect: Dialect) -> Value {
    let sections = patch
        .sections
        .iter()
        .map(|section| match &section.operation {
            Operation::Add(lines) => json!({"add": section.path, "contents": lines.contents()}),
            Operation::Delete => json!({"delete": section.path}),
            Operation::Update { move_to, chunks } => {
                let chunks: Vec<Value> = chunks
                    .iter()
                    .map(|chunk| match dialect {
                        Dialect::Clawx => json!([chunk.lines.old_text(), chunk.lines.new_text()]),
                        Dialect::Openclaw | Dialect::Codex => json!({
                            "context": chunk.context,
                            "old": chunk.lines.old().collect::<Vec<_>>(),
                            "new": chunk.lines.new_side().collect::<Vec<_>>(),
                            "eof": chunk.end_of_file,
                        }),
                    })
                    .collect();
                match move_to {
                    Some(target) => {
                        json!({"update": section.path, "move": target, "chunks": chunks})
                    }
                    None => json!({"update": section.path, "chunks": chunks}),
                }
            }
        });
    sections.collect()
}

fn run(fixtures: &str, dialects: &[Dialect]) {
    let cases: Vec<Value> = serde_json::from_str(fixtures).expect("fixtures are JSON");
    let mut failures = Vec::new();
    for case in &cases {
        let text = |key: &str| case[key].as_str().expect("a string");
        for dialect in dialects {
            let expected = &case[dialect.name()];
            failures.extend(check(
                text("description"),
                text("patch"),
                *dialect,
                expected,
            ));
        }
    }
    assert!(!cases.is_empty());
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn projection_and_tool_agree_with_the_reference() {
    run(
        include_str!("fixtures/grammar.json"),
        &[Dialect::Clawx, Dialect::Openclaw],
    );
}

#[test]
fn codex_agrees_with_the_reference() {
    run(include_str!("fixtures/codex.json"), &[Dialect::Codex]);
}

#[test]
fn shell_forms_agree_with_the_reference() {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("fixtures/shell.json")).expect("fixtures are JSON");
    assert!(!cases.is_empty());
    for case in cases {
        let argv: Vec<String> = serde_json::from_value(case["argv"].clone()).expect("strings");
        let Invocation::Patch { workdir, patch } = from_argv(&argv) else {
            panic!("no call: {}", case["description"]);
        };
        assert_eq!(case["expected"]["kind"], "patch");
        assert_eq!(workdir.as_deref(), case["expected"]["workdir"].as_str());
        parse(patch, Dialect::Codex).expect("the payload parses");
    }
}
