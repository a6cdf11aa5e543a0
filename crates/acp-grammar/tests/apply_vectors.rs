//! Applying chunks, against results of the reference tools.

use acp_grammar::apply::{ApplyError, apply};
use acp_grammar::patch::{Dialect, parse};
use serde_json::Value;

/// Where the result differs from the reference on purpose: the fixture's description, and what
/// comes out here.
const DIFFERENT: [(&str, &str); 3] = [
    // The reference writes matched context lines in the patch's spelling. Here a line that the
    // patch does not change keeps its own bytes.
    (
        "fuzzy context lines are rewritten with the patch spelling",
        "  a\nB\n",
    ),
    // The reference drops a blank last line on any update. Here it is untouched.
    (
        "a blank last line of the file is lost by an update elsewhere",
        "y\n\n",
    ),
    // The reference gives every line of the chunk LF. Here context lines keep CRLF and new lines
    // take it.
    (
        "CRLF file: matched, but touched lines get LF",
        "a\r\nB\r\nc\r\n",
    ),
];

fn apply_body(file: &str, body: &str, dialect: Dialect) -> Result<String, ApplyError> {
    let payload = format!("*** Begin Patch\n*** Update File: f\n{body}\n*** End Patch");
    let patch = parse(&payload, dialect).expect("the fixtures parse");
    let chunks: Vec<_> = patch.chunks().cloned().collect();
    apply(file, &chunks, dialect).map(|applied| applied.new_text)
}

#[test]
fn results_agree_with_the_reference() {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("fixtures/apply.json")).expect("fixtures are JSON");
    let mut differing = 0;
    for case in &cases {
        let text = |key: &str| case[key].as_str().expect("a string");
        let description = text("description");
        let dialect: Dialect = text("dialect").parse().expect("a dialect");
        let different = DIFFERENT.iter().find(|(name, _)| *name == description);
        differing += usize::from(different.is_some());
        let actual = apply_body(text("file"), text("body"), dialect);
        match (&actual, case["expected"]["content"].as_str()) {
            (Ok(content), Some(reference)) => {
                let expected = different.map_or(reference, |(_, ours)| *ours);
                assert_eq!(content, expected, "{description}");
            }
            (Err(error), None) => {
                let expected = case["expected"]["error"].as_str().expect("an error");
                assert_eq!(error.describe("f"), expected, "{description}");
            }
            _ => panic!("{description}: {actual:?}"),
        }
    }
    assert_eq!(
        differing,
        DIFFERENT.len(),
        "each difference has its fixture"
    );
}
