//! What holds whatever an agent sends.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{completed, findings};
use crate::model::Action;

/// Names that the rules look at, mixed with some that they do not know.
const NAMES: &[&str] = &[
    "path",
    "filePath",
    "file",
    "content",
    "oldText",
    "newText",
    "old_string",
    "new_string",
    "patch",
    "diff",
    "changes",
    "files",
    "edits",
    "type",
    "status",
    "created",
    "changed",
    "exists",
    "originalFile",
    "originalContent",
    "newContent",
    "previousContent",
    "structuredPatch",
    "occurrences",
    "startLine",
    "lines",
    "oldStart",
    "oldLines",
    "newStart",
    "newLines",
    "move_path",
    "summary",
    "added",
    "deleted",
    "command",
    "toolResponse",
    "metadata",
    "details",
    "input",
    "error",
    "success",
    "x",
];

const TEXTS: &[&str] = &[
    "",
    "a",
    "/w/a.txt",
    "sub/b.txt",
    "../out",
    "~/c",
    "C:\\\\d",
    "x\\ny\\n",
    "update",
    "add",
    "delete",
    "move",
    "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch",
    "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-x\n+y\n z\n",
    "@@ -4294967295,9 +0,0 @@\n-x\n",
    "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE",
    "[file deleted]",
    "(9 lines)",
    "API_KEY=***",
    "Success. Updated the following files:\nA a\nM b\nD c",
    "aborted by user",
    "Created a.txt",
    "apply_patch <<EOF\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF",
];

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop_oneof![0..5_u64, Just(u64::from(u32::MAX)), Just(u64::MAX)].prop_map(Value::from),
        prop::sample::select(TEXTS).prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let member = (prop::sample::select(NAMES), inner.clone());
        let object = prop::collection::vec(member, 0..6).prop_map(|members| {
            let members: Map<String, Value> = members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect();
            Value::from(members)
        });
        prop_oneof![
            object,
            prop::collection::vec(inner, 0..4).prop_map(Value::from)
        ]
    })
}

fn any_call() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(&["edit", "delete", "move", "other", "execute", "read"][..]);
    let title =
        prop::sample::select(&["write", "Edit a.txt, b", "apply_patch: x", "Doing things"][..]);
    let text = || prop::sample::select(TEXTS);
    (
        kind,
        title,
        any_json(),
        any_json(),
        any_json(),
        text(),
        text(),
        text(),
    )
        .prop_map(|(kind, title, input, output, meta, path, old, new)| {
            json!({
                "kind": kind, "title": title, "rawInput": input, "rawOutput": output, "_meta": meta,
                "content": [{"type": "diff", "path": path, "oldText": old, "newText": new}],
                "locations": [{"path": path, "line": 0}],
            })
        })
}

/// A call of very many files must not cost their square.
#[test]
fn very_many_files_are_listed() {
    let count = 4000;
    let path = |at: usize| format!("/w/d{at}/same.txt");
    let sections: Vec<String> = (0..count)
        .map(|at| format!("*** Update File: d{at}/same.txt\n@@\n-o{at}\n+n{at}\n"))
        .collect();
    let listing: Vec<String> = (0..count).map(|at| format!("M d{at}/same.txt\n")).collect();
    let diff = |at| json!({"type": "diff", "path": path(at), "oldText": format!("o{at}"), "newText": format!("n{at}")});
    let message = json!({
        "kind": "edit", "title": "Edit many",
        "content": (0..count).map(diff).collect::<Vec<_>>(),
        "locations": (0..count).map(|at| json!({"path": path(at), "line": at})).collect::<Vec<_>>(),
        "rawInput": {"patch": format!("*** Begin Patch\n{}*** End Patch", sections.concat())},
        "rawOutput": format!("Success. Updated the following files:\n{}", listing.concat()),
    });
    let found = findings(&completed(&message.to_string()), &[]);
    assert_eq!(found.drafts.len(), count);
    assert_eq!(found.drafts[7].fragments[0].hint.new_line, Some(6));
}

proptest! {
    #[test]
    fn nothing_panics_and_nothing_leaves_the_workspace(call in any_call()) {
        let call = completed(&call.to_string());
        let found = findings(&call, &[]);
        for draft in &found.drafts {
            let path = &*draft.relative_path;
            prop_assert!(!path.is_empty() && !path.starts_with('/'), "{}", path);
            prop_assert!(!path.split('/').any(|segment| segment == ".."), "{}", path);
            prop_assert_eq!(draft.action == Action::Moved, draft.from_path.is_some());
            prop_assert!(draft.action != Action::Deleted || draft.fragments.iter().all(|fragment| fragment.new_text.is_empty()));
        }
        prop_assert_eq!(found, findings(&call, &[]));
    }

    #[test]
    fn a_file_is_listed_once_for_a_call(call in any_call()) {
        let found = findings(&completed(&call.to_string()), &[]);
        let mut paths: Vec<_> = found.drafts.iter().map(|draft| &draft.relative_path).collect();
        paths.sort();
        let listed = paths.len();
        paths.dedup();
        prop_assert_eq!(paths.len(), listed);
    }
}
