//! Results that the reference implementation gives, field by field.

use std::sync::Arc;

use crate::fixtures::{cases, optional_text, text};
use activity_core::compose::{Piece, display_diff};
use activity_core::count::line_counts;
use activity_core::model::Action;
use activity_core::path::{Family, Workspace};
use serde_json::{Value, json};

#[test]
fn a_workspace_needs_a_directory_inside_its_root() {
    for case in cases("workspace") {
        let workspace = workspace(&case.input);
        let family = workspace
            .as_ref()
            .map(|workspace| match workspace.family() {
                Family::Posix => "posix",
                Family::Windows => "windows",
            });
        let found = workspace.as_ref().map_or(Value::Null, |workspace| {
            json!({
                "family": family,
                "workspaceRoot": workspace.root().as_ref(),
                "executionCwd": workspace.cwd().as_ref(),
            })
        });
        assert_eq!(found, case.expected, "{case:?}");
    }
}

#[test]
fn paths_are_taken_relative_to_the_root() {
    for case in cases("path") {
        let workspace = workspace(&case.input).expect("the fixtures have valid workspaces");
        let found = workspace.resolve(text(&case.input, "path"));
        assert_eq!(
            found.as_deref(),
            optional_text(&case.expected, "relativePath"),
            "{case:?}"
        );
    }
}

#[test]
fn line_counts_are_exact() {
    for case in cases("count") {
        let counts = line_counts(text(&case.input, "oldText"), text(&case.input, "newText"))
            .expect("the fixtures are small");
        let found = json!({ "added": counts.added, "removed": counts.removed });
        assert_eq!(found, case.expected, "{case:?}");
    }
}

#[test]
fn fragments_compose_to_one_display_diff() {
    for case in cases("compose") {
        let fragments = fragments(&case.input);
        let pieces = fragments.iter().map(|(action, old_text, new_text)| Piece {
            action: *action,
            old_text,
            new_text,
        });
        let found = display_diff(pieces).map_or(
            Value::Null,
            |diff| json!({ "oldText": diff.old_text.as_ref(), "newText": diff.new_text.as_ref() }),
        );
        assert_eq!(found, case.expected["diff"], "{case:?}");
    }
}

fn workspace(input: &Value) -> Option<Workspace> {
    Workspace::new(text(input, "workspaceRoot"), text(input, "executionCwd"))
}

fn fragments(input: &Value) -> Vec<(Action, Arc<str>, Arc<str>)> {
    let activities = input["activities"]
        .as_array()
        .expect("a list of activities");
    let fragments = activities.iter().flat_map(|activity| {
        let action = match text(activity, "action") {
            "created" => Action::Created,
            "modified" => Action::Modified,
            "deleted" => Action::Deleted,
            other => panic!("unknown action {other}"),
        };
        let pairs = activity["fragments"]
            .as_array()
            .expect("a list of fragments");
        pairs.iter().map(move |pair| {
            let side = |index: usize| pair[index].as_str().expect("a text").into();
            (action, side(0), side(1))
        })
    });
    fragments.collect()
}
