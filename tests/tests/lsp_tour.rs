//! The whole way of a person with a plain LSP editor, against the real binary.

use anyhow::{Context as _, Result};
use e2e::client::{Abilities, Client};
use e2e::project::Project;
use serde_json::{Value, json};

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

fn start(project: &Project, abilities: Abilities) -> Result<Client> {
    let settings = json!({"trace": project.trace()?});
    let mut client = Client::initialized(abilities, &project.uri(""), &settings)?;
    client.open(&project.uri("a.txt"), AFTER)?;
    Ok(client)
}

/// A hover, a code action or a command at a line of a document.
fn at(uri: &str, line: u32) -> Value {
    json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": 0}})
}

/// The commands that code actions offer at a line, by their name.
fn offered(client: &mut Client, uri: &str, line: u32) -> Result<Vec<Value>> {
    let position = json!({"line": line, "character": 0});
    let mut params = at(uri, line);
    params["range"] = json!({"start": position, "end": position});
    params["context"] = json!({"diagnostics": []});
    let actions = client.request("textDocument/codeAction", &params)?;
    let actions = actions.as_array().context("actions are a list")?;
    Ok(actions
        .iter()
        .map(|action| action["command"].clone())
        .collect())
}

fn run(client: &mut Client, command: &Value) -> Result<Value> {
    let params = json!({"command": command["command"], "arguments": command["arguments"]});
    client.request("workspace/executeCommand", &params)
}

fn named<'a>(commands: &'a [Value], name: &str) -> Result<&'a Value> {
    let found = commands.iter().find(|it| it["command"] == name);
    found.with_context(|| format!("{name} is offered"))
}

#[test]
fn lenses_stand_at_the_hunks_and_move_with_the_text() -> Result<()> {
    let project = project()?;
    let mut client = start(&project, Abilities::Standard)?;
    let a = project.uri("a.txt");
    let lenses = [
        "0: Agent: 2 edits in 2 turns, +3 -2",
        "1: turn 1: +1 -1",
        "1: Show diff",
        "1: Previous",
        "1: Next",
        "6: turn 2: +2 -1",
        "6: Show diff",
        "6: Previous",
        "6: Next",
    ];
    assert_eq!(client.lenses(&a)?, lenses);
    client.insert(&a, 2, (0, 0), "zero\n")?;
    let moved = client.lenses(&a)?;
    assert_eq!(moved[1], "2: turn 1: +1 -1");
    assert_eq!(moved[5], "7: turn 2: +2 -1");
    // Another way to write the same file.
    let other = a.replace("a.txt", "%61.txt");
    assert_eq!(client.lenses(&other)?, moved);
    client.expect("workspace/codeLens/refresh", |_| true)?;
    client.finish()
}

#[test]
fn a_plain_editor_does_the_whole_tour() -> Result<()> {
    let project = project()?;
    let mut client = start(&project, Abilities::Standard)?;
    let a = project.uri("a.txt");

    let hover = client.request("textDocument/hover", &at(&a, 7))?;
    let text = hover["contents"]["value"].as_str().context("a text")?;
    assert_eq!(
        text,
        "```diff\n-seven\n+SEVEN\n+EIGHT\n```\n\n**demo** · turn 2 · edit · in place  \nSession: Shout"
    );
    assert_eq!(
        client.request("textDocument/hover", &at(&a, 4))?,
        Value::Null
    );

    let symbols = client.request("workspace/symbol", &json!({"query": "agent"}))?;
    let names: Vec<&str> = symbols
        .as_array()
        .context("symbols are a list")?
        .iter()
        .filter_map(|symbol| symbol["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "agent: a.txt +3 -2",
            "agent: demo, turn 1: +1 -1 TWO",
            "agent: demo, turn 2: +2 -1 SEVEN",
            "agent: sub/new.txt +1 -0",
        ]
    );
    let others = client.request("workspace/symbol", &json!({"query": "main"}))?;
    assert_eq!(others, json!([]));

    let commands = offered(&mut client, &a, 1)?;
    let diff = run(&mut client, named(&commands, "acpLens.showDiff")?)?;
    assert_eq!(diff["label"], "a.txt (turn 1)");
    let shown = client.expect("window/showDocument", |_| true)?;
    assert_eq!(shown["takeFocus"], false);
    let content = client.request("acpLens/textDocumentContent", &json!({"uri": shown["uri"]}))?;
    assert_eq!(
        content["text"],
        "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-two\n+TWO\n"
    );

    let next = run(&mut client, named(&commands, "acpLens.nextChange")?)?;
    assert_eq!((&next["index"], &next["total"]), (&json!(2), &json!(3)));
    let shown = client.expect("window/showDocument", |_| true)?;
    assert_eq!(shown["selection"]["start"]["line"], 6);
    let previous = run(&mut client, named(&commands, "acpLens.previousChange")?)?;
    assert_eq!(
        previous["uri"],
        project.uri("sub/new.txt"),
        "around the end"
    );
    assert_eq!(previous["wrapped"], true);
    let shown = client.expect("window/showDocument", |_| true)?;
    assert_eq!(
        (&shown["uri"], &shown["takeFocus"]),
        (&previous["uri"], &json!(false))
    );

    let old = run(&mut client, named(&commands, "acpLens.copyOldText")?)?;
    assert_eq!(old, json!({"text": "two\n"}));
    client.finish()
}

#[test]
fn a_client_that_can_nothing_gets_answers_and_messages_only() -> Result<()> {
    let project = project()?;
    let mut client = start(&project, Abilities::None)?;
    let a = project.uri("a.txt");
    assert_eq!(client.lenses(&a)?.len(), 9);
    let commands = offered(&mut client, &a, 6)?;
    run(&mut client, named(&commands, "acpLens.showDiff")?)?;
    let shown = client.expect("window/showMessage", |_| true)?;
    let diff = "a.txt (turn 2)\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n-seven\n+SEVEN\n+EIGHT";
    assert_eq!(shown["message"], diff);
    let next = run(&mut client, named(&commands, "acpLens.nextChange")?)?;
    assert_eq!(next["index"], 3);
    let told = client.expect("window/showMessage", |_| true)?;
    assert_eq!(told["message"], "change 3 of 3: new.txt, line 1");
    client.insert(&a, 2, (0, 0), "zero\n")?;
    client.settle()?;
    assert_eq!(client.unread, [] as [Value; 0], "nothing that it cannot do");
    client.finish()
}

#[test]
fn a_client_that_does_not_show_documents_after_all_gets_a_message() -> Result<()> {
    let project = project()?;
    let mut client = start(&project, Abilities::Standard)?;
    client.shows_documents = false;
    let commands = offered(&mut client, &project.uri("a.txt"), 1)?;
    run(&mut client, named(&commands, "acpLens.nextChange")?)?;
    let told = client.expect("window/showMessage", |_| true)?;
    assert_eq!(told["message"], "change 2 of 3: a.txt, line 7");
    client.finish()
}

#[test]
fn the_extension_is_told_what_changes_and_nothing_twice() -> Result<()> {
    let project = project()?;
    let mut client = start(&project, Abilities::Extension)?;
    let a = project.uri("a.txt");
    let first = client.expect("acpLens/didChangeActivity", |it| {
        it["files"]
            .as_array()
            .is_some_and(|files| !files.is_empty())
    })?;
    assert_eq!(first["reset"], true);
    let totals = &first["sessions"][0];
    assert_eq!(
        (&totals["added"], &totals["removed"]),
        (&json!(4), &json!(2))
    );
    assert_eq!(first["turns"][1]["prompt"], "Shout again");
    let hunks = client.expect("acpLens/didChangeHunks", |it| it["uri"] == *a)?;
    assert_eq!(hunks["hunks"].as_array().map(Vec::len), Some(2));

    // Damage one hunk: it is placed afresh, and the file's counts are told, alone.
    client.insert(&a, 2, (6, 2), "x")?;
    client.expect("acpLens/didChangeHunks", |it| {
        let hunks = it["hunks"].as_array().into_iter().flatten();
        it["version"] == 2 && hunks.filter(|hunk| hunk["state"] == "inPlace").count() == 1
    })?;
    let changed = client.expect("acpLens/didChangeActivity", |it| {
        it["files"][0]["hunks"]["inPlace"] == 1
    })?;
    assert_eq!(changed["reset"], false);
    assert_eq!(changed["files"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&changed["sessions"], &changed["turns"]),
        (&json!([]), &json!([]))
    );

    // Undo brings the state back.
    let (start, end) = (
        json!({"line": 6, "character": 2}),
        json!({"line": 6, "character": 3}),
    );
    let change = json!({"range": {"start": start, "end": end}, "text": ""});
    let document = json!({"uri": a, "version": 3});
    let params = json!({"textDocument": document, "contentChanges": [change]});
    client.notify("textDocument/didChange", &params)?;
    client.expect("acpLens/didChangeHunks", |it| {
        let hunks = it["hunks"].as_array().into_iter().flatten();
        it["version"] == 3 && hunks.filter(|hunk| hunk["state"] == "inPlace").count() == 2
    })?;
    client.finish()
}

#[test]
fn a_client_that_has_the_commands_itself_gets_answers_alone() -> Result<()> {
    let project = project()?;
    let mut client = start(&project, Abilities::Extension)?;
    let commands = offered(&mut client, &project.uri("a.txt"), 1)?;
    for command in &commands {
        assert_ne!(run(&mut client, command)?, Value::Null, "{command}");
    }
    assert_eq!(commands.len(), 4);
    client.settle()?;
    assert_eq!(client.count_unread("window/showMessage"), 0);
    assert_eq!(client.count_unread("window/showDocument"), 0);
    client.finish()
}

#[test]
fn the_files_of_a_turn_stand_in_its_own_order() -> Result<()> {
    let mut project = project()?;
    project.prompt("Once more")?;
    project.edit("sub/new.txt", Some("fresh\n"), "stale\n")?;
    project.edit("a.txt", Some("one\n"), "ONE\n")?;
    let mut client = start(&project, Abilities::None)?;
    client.lenses(&project.uri("a.txt"))?;
    let mut files = |params: Value| -> Result<Vec<String>> {
        let changes = client.request("acpLens/changes", &params)?;
        let files = changes["sessions"][0]["files"].as_array();
        let name = |file: &Value| file["file"]["relativePath"].as_str().map(str::to_owned);
        Ok(files.into_iter().flatten().filter_map(name).collect())
    };
    assert_eq!(files(json!({}))?, ["a.txt", "sub/new.txt"]);
    let changes = client.request("acpLens/changes", &json!({}))?;
    let session = &changes["sessions"][0];
    let params =
        json!({"session": session["session"]["session"], "turn": session["turns"][2]["turn"]});
    let changes = client.request("acpLens/changes", &params)?;
    let files = &changes["sessions"][0]["files"];
    assert_eq!(files[0]["file"]["relativePath"], "sub/new.txt");
    assert_eq!(files[1]["file"]["relativePath"], "a.txt");
    client.finish()
}

#[test]
fn two_agents_on_one_file_keep_their_hunks_apart() -> Result<()> {
    let mut project = project()?;
    let first = project.trace()?;
    project.begin("other", "s2")?;
    project.prompt("Whisper")?;
    project.edit("a.txt", Some("four\n"), "fo\n")?;
    let second = project.trace()?;
    let mut client = Client::initialized(Abilities::Standard, &project.uri(""), &Value::Null)?;
    client.request("acpLens/openTrace", &json!({"path": first}))?;
    let opened = client.request("acpLens/openTrace", &json!({"path": second}))?;
    assert_eq!(opened["sessions"][0]["agent"]["name"], "other");
    let a = project.uri("a.txt");
    client.open(&a, &AFTER.replace("four", "fo"))?;
    let lenses = client.lenses(&a)?;
    assert_eq!(lenses[0], "0: Agent: 3 edits in 3 turns, +4 -3");
    assert_eq!(
        [&*lenses[1], &*lenses[5], &*lenses[9]],
        [
            "1: demo, turn 1: +1 -1",
            "3: other, turn 1: +1 -1",
            "6: demo, turn 2: +2 -1",
        ]
    );
    client.request("acpLens/closeTrace", &json!({"path": second}))?;
    assert_eq!(client.lenses(&a)?.len(), 9, "at once");
    client.failing("acpLens/closeTrace", &json!({"path": second}))?;
    client.request("acpLens/closeTrace", &json!({"path": first}))?;
    assert_eq!(client.lenses(&a)?, [""; 0], "at once");
    client.finish()
}

#[test]
fn diffs_come_in_three_scopes_with_both_sides_as_documents() -> Result<()> {
    let project = project()?;
    let mut client = start(&project, Abilities::None)?;
    client.lenses(&project.uri("a.txt"))?;
    let changes = client.request("acpLens/changes", &json!({}))?;
    let session = &changes["sessions"][0]["session"]["session"];
    let turn = &changes["sessions"][0]["turns"][1]["turn"];
    let call = &changes["sessions"][0]["files"][0]["turns"][1]["toolCalls"][0]["toolCall"];
    for (scope, label) in [
        (
            json!({"kind": "toolCall", "toolCall": call}),
            "a.txt (turn 2, edit)",
        ),
        (json!({"kind": "turn", "turn": turn}), "a.txt (turn 2)"),
    ] {
        let params = json!({"session": session, "relativePath": "a.txt", "scope": scope});
        let diff = client.request("acpLens/diff", &params)?;
        assert_eq!(diff["label"], label);
        let hunk = json!({"oldStart": 0, "oldLines": 1, "newStart": 0, "newLines": 2});
        assert_eq!(diff["hunks"], json!([hunk]));
        for (uri, text) in [
            (&diff["oldUri"], "seven\n"),
            (&diff["newUri"], "SEVEN\nEIGHT\n"),
        ] {
            let content = client.request("acpLens/textDocumentContent", &json!({"uri": uri}))?;
            assert_eq!(content["text"], text);
        }
    }
    let scope = json!({"kind": "session"});
    let params = json!({"session": session, "relativePath": "a.txt", "scope": scope});
    let diff = client.request("acpLens/diff", &params)?;
    assert_eq!(diff["label"], "a.txt (session)");
    assert_eq!((&diff["added"], &diff["removed"]), (&json!(3), &json!(2)));
    client.finish()
}

#[test]
fn characters_are_counted_as_negotiated() -> Result<()> {
    for (abilities, encoding, character) in [
        (Abilities::Standard, "utf-8", 4),
        (Abilities::None, "utf-16", 2),
    ] {
        let mut project = Project::new()?;
        project.prompt("Go")?;
        project.edit("e.txt", Some("old\n"), "new\n")?;
        let mut client = Client::start()?;
        let settings = json!({"trace": project.trace()?});
        let answer = client.initialize(abilities, &project.uri(""), &settings)?;
        assert_eq!(answer["capabilities"]["positionEncoding"], encoding);
        let uri = project.uri("e.txt");
        client.open(&uri, "\u{1F600}\nnew\n")?;
        // After the emoji comes a line break; before it, it would split the character.
        client.insert(&uri, 2, (0, character), "\n")?;
        assert_eq!(client.lenses(&uri)?[1], "2: turn 1: +1 -1");
        let params = json!({"uri": uri, "withText": true});
        let hunks = client.request("acpLens/hunks", &params)?;
        assert_eq!(hunks["hunks"][0]["newText"], "new\n");
        client.finish()?;
    }
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_file_has_its_hunks_under_each_of_its_names() -> Result<()> {
    let mut project = Project::new()?;
    project.write("real/a.txt", "one\nTWO\n")?;
    std::os::unix::fs::symlink("real", project.root().join("link"))?;
    project.prompt("Shout")?;
    project.edit("link/a.txt", Some("two\n"), "TWO\n")?;
    let settings = json!({"trace": project.trace()?});
    let mut client = Client::initialized(Abilities::None, &project.uri(""), &settings)?;
    let real = project.uri("real/a.txt");
    client.open(&real, "one\nTWO\n")?;
    client.lenses_become(&real, |lenses| lenses.len() == 5)?;
    client.notify(
        "textDocument/didClose",
        &json!({"textDocument": {"uri": real}}),
    )?;
    for name in ["link/a.txt", "real/a.txt"] {
        let hunks = client.request("acpLens/hunks", &json!({"uri": project.uri(name)}))?;
        assert_eq!(hunks["hunks"][0]["range"]["start"]["line"], 1, "{name}");
    }
    client.finish()
}
