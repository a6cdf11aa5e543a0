//! Whether a call did what it says, and what its result says in words.
//!
//! Some agents report a failed, rejected or aborted call as `completed`; then only the result
//! tells. What counts as a failure here is narrow, since a wrong guess hides a real change.

use super::facts::{Facts, Operation};
use super::json::{Json, Object};
use super::patch_text::facts_of_patch;
use super::result::PATH_KEYS;
use crate::model::Evidence;
use crate::timeline::tool_call::ToolCall;

/// What the result of a call says in words.
#[derive(Debug, Default)]
pub(super) struct Outcome<'a> {
    texts: Vec<&'a str>,
    /// The result says that the call did not do its work.
    pub(super) failed: bool,
    /// The result says that the file already was as asked for.
    pub(super) unchanged: bool,
    /// First lines that say that something was created.
    created_lines: Vec<&'a str>,
    /// The exit status of a command, where the result has a member for it.
    exit_code: Option<u64>,
}

/// Members of a result that hold its text.
const TEXT_KEYS: &[&str] = &[
    "output",
    "stdout",
    "stderr",
    "message",
    "text",
    "error",
    "errorMessage",
    "formatted_output",
    "result",
    "content",
    "details",
];

impl<'a> Outcome<'a> {
    pub(super) fn of(call: &'a ToolCall, output: Option<&'a Json<'a>>) -> Self {
        let mut texts = Vec::new();
        collect_texts(output, &mut texts, 0);
        if !call.text.is_empty() {
            texts.push(call.text.as_str());
        }
        let says_failed = output.and_then(Json::as_object).and_then(failure_flag);
        let failed = says_failed.unwrap_or_else(|| texts.iter().any(|text| is_failure(text)));
        let unchanged = texts
            .iter()
            .any(|text| first_line(text).starts_with("No changes made to "));
        let exit_code = output.and_then(Json::as_object).and_then(exit_code_member);
        let created_lines = texts.iter().map(|text| first_words(text));
        let created_lines = created_lines
            .filter(|line| line_says_created(line))
            .take(MOST_LINES);
        Self {
            created_lines: created_lines.collect(),
            texts,
            failed,
            unchanged,
            exit_code,
        }
    }

    /// What the result lists in the form `A path`, `M path`, `D path`.
    pub(super) fn listed_files(&self) -> Vec<(Operation, &'a str)> {
        let listing = |text: &&'a str| text.split_once("pdated the following files:");
        let lines = self
            .texts
            .iter()
            .find_map(listing)
            .map(|(_, lines)| lines.lines().skip(1));
        let entry = |line: &'a str| {
            let (letter, path) = line.split_once(' ')?;
            let operation = match letter {
                "A" => Operation::Add,
                "M" => Operation::Update,
                "D" => Operation::Delete,
                _ => return None,
            };
            Some((operation, path.trim_end()))
        };
        lines.into_iter().flatten().map_while(entry).collect()
    }

    /// The result says in its first line that it created a file, and the line does not name another
    /// one than `path`.
    pub(super) fn says_created(&self, path: &str) -> bool {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        self.created_lines.iter().any(|line| {
            let mut words = line.split_whitespace().map(bare_word);
            line.contains(name) || !words.any(|word| word.contains(['/', '.']))
        })
    }

    /// A shell that ran a patch tool says that it failed, wherever in its output it says so.
    pub(super) fn shell_failed(&self) -> bool {
        let line_says = |line: &str| {
            let line = line.trim().to_lowercase();
            line.contains("verification failed") || exit_code(&line)
        };
        self.exit_code.is_some_and(|code| code != 0)
            || self.texts.iter().any(|text| text.lines().any(line_says))
    }

    /// Unified diffs that the result shows as text.
    pub(super) fn diffs(&self) -> Vec<Facts<'a>> {
        const BEGINNINGS: &[&str] = &["Index: ", "--- ", "diff --git "];
        let is_diff = |text: &&&'a str| {
            let text = first_line(text);
            BEGINNINGS
                .iter()
                .any(|beginning| text.starts_with(beginning))
        };
        let texts = self.texts.iter().filter(is_diff);
        texts
            .filter_map(|text| facts_of_patch(text, Evidence::Result))
            .flatten()
            .collect()
    }

    /// How many bytes of text the result has.
    pub(super) fn text_bytes(&self) -> usize {
        self.texts.iter().map(|text| text.len()).sum()
    }

    /// The result names this path, not merely a longer one that contains it.
    pub(super) fn mentions(&self, path: &str) -> bool {
        let alone = |text: &str, at: usize| {
            let joins = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-');
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let after = text
                .get(at + path.len()..)
                .and_then(|after| after.chars().next());
            !before.is_some_and(joins) && !after.is_some_and(|char| joins(char) || char == '/')
        };
        self.texts
            .iter()
            .any(|text| text.match_indices(path).any(|(at, _)| alone(text, at)))
    }

    /// The tool checks a patch as a whole before it changes anything, or never came to change
    /// anything: the text was refused by the grammar, by a person, or by a check of the arguments.
    pub(super) fn changed_nothing(&self) -> bool {
        const REASONS: &[&str] = &[
            "verification failed",
            "invalid patch",
            "invalid hunk",
            "validation failed",
            "rejected",
            "refused",
            "denied",
            "cancelled",
            "canceled",
            "aborted",
            "no such tool",
            "not allowed",
        ];
        self.texts.iter().any(|text| {
            let text = first_line(text).to_lowercase();
            REASONS.iter().any(|reason| text.contains(reason))
        })
    }
}

fn collect_texts<'a>(value: Option<&'a Json<'a>>, texts: &mut Vec<&'a str>, depth: usize) {
    match value {
        Some(Json::String(text)) => texts.push(text),
        Some(Json::List(items)) if depth < 4 => {
            for item in items {
                collect_texts(Some(item), texts, depth + 1);
            }
        }
        Some(Json::Object(object)) if depth < 4 => {
            // Beside a path stands the text of a file, not a message.
            let has_path = object.word(PATH_KEYS).is_some();
            let is_message = |key: &&&str| !(has_path && matches!(**key, "content" | "text"));
            for key in TEXT_KEYS.iter().filter(is_message) {
                collect_texts(object.get(key), texts, depth + 1);
            }
        }
        _ => {}
    }
}

/// More lines than any agent writes about new files, and a longer one than it writes.
const MOST_LINES: usize = 16;
const LONGEST_LINE: usize = 4096;

fn line_says_created(line: &str) -> bool {
    if line.len() > LONGEST_LINE || !line.contains("reated") && !line.contains("REATED") {
        return false;
    }
    let words = || line.split_whitespace().map(bare_word);
    let is_created = |word: &str| word.eq_ignore_ascii_case("created");
    let denied = words().take_while(|word| !is_created(word)).any(|word| {
        ["not", "no", "failed", "cannot", "already"]
            .iter()
            .any(|no| word.eq_ignore_ascii_case(no))
    });
    words().any(is_created) && !denied
}

/// What a result object says about success, in its own members. `None` when it says nothing.
fn failure_flag(result: &Object<'_>) -> Option<bool> {
    const FAILED_WORDS: &[&str] = &[
        "error",
        "failed",
        "failure",
        "declined",
        "rejected",
        "denied",
        "cancelled",
        "canceled",
        "aborted",
    ];
    let own = |object: &Object<'_>| {
        if let Some(success) = object.flag(&["success", "ok", "succeeded"]) {
            return Some(!success);
        }
        if object.flag(&["isError", "is_error"]) == Some(true) {
            return Some(true);
        }
        let word = object.text(&["status", "type"]);
        if word.is_some_and(|word| FAILED_WORDS.contains(&word)) {
            return Some(true);
        }
        match object.get("error") {
            Some(Json::String(text)) if !text.is_empty() => Some(true),
            Some(Json::Object(_)) => Some(true),
            _ => None,
        }
    };
    own(result).or_else(|| {
        result
            .get("details")
            .and_then(Json::as_object)
            .and_then(own)
    })
}

/// A text that says that nothing was done, by its beginning.
fn is_failure(text: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "apply_patch verification failed",
        "aborted by user",
        "error:",
        "<tool_use_error>",
        "failed to ",
        "could not ",
        "cannot ",
        "patch rejected",
        "patch failed",
        "invalid patch",
        "invalid hunk",
        "user refused",
        "user rejected",
        "user cancelled",
        "user canceled",
        "user denied",
        "user aborted",
        "the user rejected",
        "the user doesn't want",
        "the user declined",
        "tool execution aborted",
        "tool cancelled",
        "tool call was cancelled",
        "permission denied",
        "operation cancelled",
        "operation aborted",
        "request was aborted",
        "no such tool",
        "validation failed",
    ];
    let line = first_line(text).to_lowercase();
    BEGINNINGS
        .iter()
        .any(|beginning| line.starts_with(beginning))
        || exit_code(&line)
}

fn exit_code_member(result: &Object<'_>) -> Option<u64> {
    const KEYS: &[&str] = &["exit_code", "exitCode", "exit"];
    let number = |value: &Json<'_>| match value {
        Json::Number(number) => Some(*number),
        _ => None,
    };
    let inner = || {
        let inner = result.first(&["metadata", "details"], Json::as_object)?;
        inner.first(KEYS, number)
    };
    result.first(KEYS, number).or_else(inner)
}

/// `Exit code: 1` at the beginning of a line in lower case. A patch tool that ran in a shell says so.
fn exit_code(line: &str) -> bool {
    let code = ["exit code", "process exited with code", "exited with code"]
        .iter()
        .find_map(|beginning| line.strip_prefix(beginning))
        .map(|rest| rest.trim_start_matches(':').trim());
    code.and_then(|code| code.split_whitespace().next()?.parse::<i64>().ok())
        .is_some_and(|code| code != 0)
}

/// The first line that is neither blank nor the fence of a code block.
fn first_line(text: &str) -> &str {
    let mut lines = text.lines().map(str::trim);
    lines
        .find(|line| !line.is_empty() && !line.starts_with("```"))
        .unwrap_or_default()
}

/// The first line that is not only a tag: some agents wrap their words in them.
fn first_words(text: &str) -> &str {
    let lines = text.lines().map(str::trim).take(MOST_LINES);
    let is_tag = |line: &str| line.starts_with('<') && line.ends_with('>');
    let mut words =
        lines.filter(|line| !(line.is_empty() || line.starts_with("```") || is_tag(line)));
    words.next().unwrap_or_default()
}

fn bare_word(word: &str) -> &str {
    word.trim_matches(|char: char| !char.is_alphanumeric() && !matches!(char, '/' | '_'))
}

#[cfg(test)]
mod tests {
    use super::{Outcome, is_failure};
    use crate::profile::acp::json::Json;
    use crate::profile::acp::tests::call;

    fn failed(output: &str, text: &str) -> bool {
        let mut call = call("1");
        call.text = text.to_owned();
        let output = Json::read(output);
        Outcome::of(&call, output.as_ref()).failed
    }

    #[test]
    fn a_failure_is_seen_behind_its_status() {
        assert!(failed(
            r#""apply_patch verification failed: no such line""#,
            ""
        ));
        assert!(failed(r#""aborted by user after 0.1s""#, ""));
        assert!(failed(r#"{"success":false,"stdout":"","stderr":"x"}"#, ""));
        assert!(failed(
            r#"{"type":"failure","error":{"code":"tool_denied"}}"#,
            ""
        ));
        assert!(failed(
            r#"{"content":[],"details":{"status":"error","error":"x"}}"#,
            ""
        ));
        assert!(failed(
            "null",
            "```\n<tool_use_error>String to replace not found</tool_use_error>\n```"
        ));
        assert!(failed(r#""Exit code: 1\nOutput:\nx""#, ""));
    }

    #[test]
    fn a_success_that_speaks_of_errors_is_none() {
        assert!(!failed(r#""Exit code: 0\nOutput:\nSuccess.""#, ""));
        assert!(!failed(
            r#"{"success":true,"stderr":"error: a warning"}"#,
            ""
        ));
        assert!(!failed("null", "Error handling was added to a.rs"));
        assert!(!failed(
            r#"{"output":"Edit applied successfully.","metadata":{"exit":0}}"#,
            ""
        ));
        assert!(!is_failure(""));
    }

    #[test]
    fn words_for_a_new_file() {
        let created = |text: &str, path: &str| {
            let mut call = call("1");
            call.text = text.to_owned();
            Outcome::of(&call, None).says_created(path)
        };
        assert!(created(
            "File created successfully at: /w/a.py (no need to read it back)",
            "a.py"
        ));
        assert!(created("Created a.txt", "sub/a.txt"));
        assert!(created(
            "Successfully created and wrote to new file: /w/a.",
            "a"
        ));
        assert!(!created("Created b.txt", "a.txt"));
        assert!(!created("Updated created_at.rs", "created_at.rs"));
        assert!(!created("File already created: a.txt", "a.txt"));
        assert!(!created("The file a.txt has been updated.", "a.txt"));
    }

    #[test]
    fn a_listing_ends_at_its_first_other_line() {
        let output = Json::read(
            r#"{"stdout":"Success. Updated the following files:\nA a b.txt\nM c\nD d\nnote\nA e\n"}"#,
        );
        let call = call("1");
        let listed = Outcome::of(&call, output.as_ref()).listed_files();
        let paths: Vec<&str> = listed.iter().map(|(_, path)| *path).collect();
        assert_eq!(paths, ["a b.txt", "c", "d"]);
    }
}
