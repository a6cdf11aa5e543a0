//! A client that does not wait: order, versions, cancelling, and the end of the process.

use std::collections::HashMap;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use e2e::client::{Abilities, Client};
use e2e::project::Project;
use e2e::random::Random;
use serde_json::{Value, json};

const HUNKS: usize = 50;

/// A file with an edited line in each ten, and the same file after the agent.
fn project() -> Result<(Project, String)> {
    let mut project = Project::new()?;
    let mut text = String::new();
    project.prompt("Number them")?;
    for index in 0..HUNKS {
        let (old, new) = (format!("old line {index}\n"), format!("new line {index}\n"));
        project.edit("a.txt", Some(&old), &new)?;
        text += &new;
        text += &format!("between {index}\n").repeat(9);
    }
    Ok((project, text))
}

#[test]
fn each_answer_fits_the_version_that_it_names() -> Result<()> {
    let (project, text) = project()?;
    let settings = json!({"trace": project.trace()?});
    let mut client = Client::initialized(Abilities::Standard, &project.uri(""), &settings)?;
    let uri = project.uri("a.txt");
    client.open(&uri, &text)?;
    let params = json!({"uri": uri, "withText": true});
    let hunks = client.request("acpLens/hunks", &params)?;
    let hunks = hunks["hunks"].as_array().context("hunks are a list")?;
    let own_text: HashMap<&str, &str> = hunks
        .iter()
        .filter_map(|hunk| Some((hunk["id"].as_str()?, hunk["newText"].as_str()?)))
        .collect();
    assert_eq!(own_text.len(), HUNKS);

    let mut random = Random::new(7);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut versions = vec![lines.clone(), lines.clone()];
    let mut asked = Vec::new();
    for version in 2..1002 {
        let at = random.index(lines.len());
        let line = u32::try_from(at)?;
        // Lines come and go, and lines of hunks are damaged and mended.
        match random.below(4) {
            0 => {
                lines.insert(at, format!("inserted {version}"));
                client.insert(&uri, version, (line, 0), &format!("inserted {version}\n"))?;
            }
            1 if lines.len() > 100 && !lines[at].starts_with("new") => {
                lines.remove(at);
                replace(&mut client, &uri, version, [(line, 0), (line + 1, 0)], "")?;
            }
            2 if !lines[at].contains('~') => {
                lines[at].insert(1, '~');
                client.insert(&uri, version, (line, 1), "~")?;
            }
            _ => {
                let damaged = lines.iter().position(|line| line.contains('~'));
                let at = damaged.unwrap_or(0);
                let line = u32::try_from(at)?;
                let removed = damaged.map_or(0..0, |_| 1..2);
                let range = [(line, removed.start), (line, removed.end)];
                lines[at].drain(usize::try_from(removed.start)?..usize::try_from(removed.end)?);
                replace(&mut client, &uri, version, range, "")?;
            }
        }
        versions.push(lines.clone());
        let params = json!({"textDocument": {"uri": uri}});
        asked.push((version, client.begin("textDocument/codeLens", &params)?));
    }
    let mut shown = 0;
    for (version, id) in asked {
        let answer = client.answer(id)?;
        let lenses = answer["result"].as_array().context("lenses are a list")?;
        ensure!(
            !lenses.is_empty(),
            "no answer is never an answer: {version}"
        );
        for lens in lenses {
            let argument = &lens["command"]["arguments"][0];
            assert_eq!(argument["version"], version);
            let Some(hunk) = argument["hunk"].as_str() else {
                continue;
            };
            let line = usize::try_from(lens["range"]["start"]["line"].as_u64().context("a line")?)?;
            let text = versions[usize::try_from(version)?]
                .get(line)
                .map(String::as_str);
            assert_eq!(
                text,
                own_text.get(hunk).map(|text| text.trim_end()),
                "{version}"
            );
            shown += 1;
        }
    }
    ensure!(shown > 1000 * HUNKS * 3, "most hunks are shown: {shown}");
    client.finish()
}

fn replace(
    client: &mut Client,
    uri: &str,
    version: i32,
    range: [(u32, u32); 2],
    text: &str,
) -> Result<()> {
    let [start, end] = range.map(|(line, character)| json!({"line": line, "character": character}));
    let change = json!({"range": {"start": start, "end": end}, "text": text});
    let document = json!({"uri": uri, "version": version});
    let params = json!({"textDocument": document, "contentChanges": [change]});
    client.notify("textDocument/didChange", &params)
}

/// A server that is reading a trace which never ends, with a document open whose lenses wait for it.
#[cfg(unix)]
fn busy() -> Result<(Client, Project, i64)> {
    let (project, text) = project()?;
    let pipe = project.root().join("pipe");
    ensure!(Command::new("mkfifo").arg(&pipe).status()?.success());
    let settings = json!({"trace": pipe});
    let mut client = Client::initialized(Abilities::Standard, &project.uri(""), &settings)?;
    let uri = project.uri("a.txt");
    client.open(&uri, &text)?;
    let params = json!({"textDocument": {"uri": uri}});
    let waiting = client.begin("textDocument/codeLens", &params)?;
    client.settle()?;
    Ok((client, project, waiting))
}

#[cfg(unix)]
#[test]
fn a_cancelled_request_is_answered_as_cancelled() -> Result<()> {
    let (mut client, _project, waiting) = busy()?;
    client.notify("$/cancelRequest", &json!({"id": waiting}))?;
    let answer = client.answer(waiting)?;
    assert_eq!(answer["error"]["code"], -32800);
    client.notify("$/cancelRequest", &json!({"id": waiting}))?;
    client.notify("$/cancelRequest", &json!({"id": 4711}))?;
    client.finish()
}

#[cfg(unix)]
#[test]
fn shutdown_and_exit_end_a_busy_server_with_its_input_open() -> Result<()> {
    let (client, _project, _) = busy()?;
    client.finish()
}

#[cfg(unix)]
#[test]
fn exit_alone_ends_it_too_and_says_so_in_its_status() -> Result<()> {
    let (mut client, _project, _) = busy()?;
    client.notify("exit", &Value::Null)?;
    // What comes after is not read, and must not keep it alive.
    client.notify("initialized", &json!({}))?;
    assert_eq!(client.ended()?.code(), Some(1));
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_client_that_is_gone_ends_it() -> Result<()> {
    let (mut client, _project, _) = busy()?;
    client.hang_up();
    assert_eq!(client.ended()?.code(), Some(1));
    Ok(())
}

#[test]
fn exit_comes_before_anything_else() -> Result<()> {
    let mut client = Client::start()?;
    client.notify("exit", &Value::Null)?;
    assert_eq!(client.ended()?.code(), Some(1));
    Ok(())
}
