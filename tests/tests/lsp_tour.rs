//! The whole way of a person with a plain LSP editor, against the real binary.

use anyhow::{Context as _, Result};
use e2e::client::{Abilities, Client};
use e2e::project::Project;
use serde_json::{Value, json};

const BEFORE: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
const AFTER: &str = "one\nTWO\nthree\nfour\nfive\nsix\nSEVEN\nEIGHT\n";

/// Two edits in two turns, and a file that was made.
fn project() -> Result<Project> {
    let mut project = Project::new()?;
    project.prompt("Shout")?;
    project.edit("a.txt", Some("two\n"), "TWO\n")?;
    project.prompt("Shout again")?;
    project.edit("a.txt", Some("seven\n"), "SEVEN\nEIGHT\n")?;
    project.edit("sub/new.txt", None, "fresh\n")?;
    project.write("a.txt", AFTER)?;
    project.write("sub/new.txt", "fresh\n")?;
    Ok(project)
}

#[test]
fn lenses_stand_at_the_hunks_and_move_with_the_text() -> Result<()> {
    let project = project()?;
    let settings = json!({"trace": project.trace()?});
    let mut client = Client::initialized(Abilities::Standard, &project.uri(""), &settings)?;
    let a = project.uri("a.txt");
    client.open(&a, AFTER)?;
    assert_eq!(
        client.lenses(&a)?,
        [
            "0: Agent: 2 edits in 2 turns, +3 -2",
            "1: turn 1: +1 -1",
            "1: Show diff",
            "1: Previous",
            "1: Next",
            "6: turn 2: +2 -1",
            "6: Show diff",
            "6: Previous",
            "6: Next",
        ]
    );
    client.insert(&a, 2, (0, 0), "zero\n")?;
    let lenses = client.lenses(&a)?;
    assert_eq!(
        (&*lenses[1], &*lenses[5]),
        ("2: turn 1: +1 -1", "7: turn 2: +2 -1")
    );
    let _ = (Value::Null, BEFORE);
    client.finish().context("the end")
}
