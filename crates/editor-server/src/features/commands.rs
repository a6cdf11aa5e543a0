//! The `acpLens.` commands: what a lens or an action does when the server executes it.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::closed::{all_views, view_of_uri};
use super::content::Side;
use super::diff::{self, Sides};
use super::failure::Failure;
use super::go_to::go_to;
use super::hover::diff_lines;
use super::lenses::count;
use super::{changes, traces};
use crate::explain;
use crate::lsp::ext::{
    ChangesParams, DiffParams, DiffResult, DiffScope, Direction, ErrorKind, GoToParams, GoToResult,
    GoToScope,
};
use crate::lsp::position::Range;
use crate::session::handle::Handle;
use crate::session::location::Location;
use crate::session::outgoing::Outgoing;
use crate::session::view::View;

/// Every command, by its name.
pub(crate) const COMMANDS: [&str; 7] = [
    "acpLens.showDiff",
    "acpLens.nextChange",
    "acpLens.previousChange",
    "acpLens.showChanges",
    "acpLens.copyOldText",
    "acpLens.openTrace",
    "acpLens.closeTrace",
];

/// A hunk that the server gave out.
#[derive(Debug, Deserialize)]
struct HunkArgument {
    hunk: String,
    /// Where it was; without it all files are searched.
    #[serde(default)]
    uri: Option<String>,
}

/// Runs a command that a person asked for, and shows what it gives; a client that has the commands
/// itself only gets the answer.
pub(crate) async fn execute(
    handle: &Handle,
    command: &str,
    argument: Value,
) -> Result<Value, Failure> {
    let done = match command {
        "acpLens.showDiff" => show_diff(handle, argument).await?,
        "acpLens.nextChange" => jump(handle, argument, Direction::Next).await?,
        "acpLens.previousChange" => jump(handle, argument, Direction::Previous).await?,
        "acpLens.showChanges" => show_changes(handle, argument).await?,
        "acpLens.copyOldText" => copy_old_text(handle, argument).await?,
        "acpLens.openTrace" => Done::silent(&traces::open(handle, read(argument)?).await?)?,
        "acpLens.closeTrace" => Done::silent(&traces::close(handle, read(argument)?).await?)?,
        other => {
            return Err(Failure::new(
                ErrorKind::InvalidReference,
                format!("there is no command {other}"),
            ));
        }
    };
    if let Some(shown) = done.shown {
        let has_commands = handle.ask(|state| state.client.has_commands).await;
        if has_commands == Some(false) {
            // Nobody waits for it: a client may well show it only after it has this answer.
            handle.tell(shown);
        }
    }
    Ok(done.answer)
}

/// What a command gives.
struct Done {
    answer: Value,
    /// How the person sees it.
    shown: Option<Outgoing>,
}

impl Done {
    fn new<T: serde::Serialize>(answer: &T, shown: Option<Outgoing>) -> Result<Self, Failure> {
        let answer = serde_json::to_value(answer)
            .map_err(|why| Failure::new(ErrorKind::OperationFailed, why.to_string()))?;
        Ok(Self { answer, shown })
    }

    fn silent<T: serde::Serialize>(answer: &T) -> Result<Self, Failure> {
        Self::new(answer, None)
    }
}

async fn show_diff(handle: &Handle, argument: Value) -> Result<Done, Failure> {
    let params = if argument.get("hunk").is_some() {
        let argument: HunkArgument = read(argument)?;
        let view = find(handle, &argument).await?;
        let seen = view.hunk(&argument.hunk).ok_or_else(gone)?;
        DiffParams {
            session: seen.part.session.to_string(),
            relative_path: seen.part.relative_path.to_string(),
            scope: DiffScope::Turn {
                turn: seen.owner.activity.turn_id.to_string(),
            },
        }
    } else {
        read(argument)?
    };
    let sides = handle.ask(move |state| diff::sides(state, params)).await;
    let sides = sides.ok_or_else(Failure::ending)??;
    let (sides, result) = compare(sides).await?;
    let text = format!("{}\n{}", sides.label(), sides.text(Side::Diff));
    Done::new(&result, Some(show(sides.diff_uri(), None, &text)))
}

/// Compares both sides of a diff away from the tasks that answer.
pub(crate) async fn compare(sides: Sides) -> Result<(Sides, DiffResult), Failure> {
    let compared = tokio::task::spawn_blocking(move || {
        let result = sides.compare();
        (sides, result)
    });
    compared.await.map_err(|_| {
        let message = "the diff could not be computed; this is a defect of acp-lens";
        Failure::new(ErrorKind::OperationFailed, message)
    })
}

async fn jump(handle: &Handle, argument: Value, direction: Direction) -> Result<Done, Failure> {
    let mut argument = match argument {
        Value::Null => json!({}),
        other => other,
    };
    let from = argument.get("hunk").and_then(Value::as_str);
    let params = if from.is_some() {
        let argument: HunkArgument = read(argument)?;
        let view = find(handle, &argument).await?;
        let seen = view.hunk(&argument.hunk).ok_or_else(gone)?;
        GoToParams {
            direction,
            scope: GoToScope::All,
            uri: Some(view.uri.to_string()),
            position: seen.hunk.shown_at().map(|span| view.range(span).start),
            session: None,
            turn: None,
        }
    } else {
        if let Some(members) = argument.as_object_mut() {
            let direction = serde_json::to_value(direction).unwrap_or_default();
            members.insert("direction".to_owned(), direction);
        }
        read(argument)?
    };
    let found = go_to(handle, params).await?;
    let shown = match &found {
        Some(found) => show(found.uri.clone(), Some(found.range), &where_it_is(found)),
        None => say("no agent has changed anything here"),
    };
    Done::new(&found, Some(shown))
}

/// `change 2 of 5: src/a.rs, line 12`.
fn where_it_is(found: &GoToResult) -> String {
    let location = Location::from_uri(&found.uri);
    let name = location.as_ref().map_or(found.uri.as_str(), Location::name);
    let line = found.range.start.line + 1;
    format!(
        "change {} of {}: {name}, line {line}",
        found.index, found.total
    )
}

async fn show_changes(handle: &Handle, argument: Value) -> Result<Done, Failure> {
    let params: ChangesParams = match argument {
        Value::Null => ChangesParams::default(),
        other => read(other)?,
    };
    let changes = handle
        .ask(move |state| changes::changes(state, &params))
        .await;
    let changes = changes.ok_or_else(Failure::ending)??;
    let lines: Vec<String> = changes
        .sessions
        .iter()
        .flat_map(|session| &session.files)
        .map(|file| {
            let path = &file.file.relative_path;
            match (file.added, file.removed) {
                (Some(added), Some(removed)) => format!("{path} +{added} -{removed}"),
                _ => path.clone(),
            }
        })
        .collect();
    let heading = format!("Agents changed {}", count(lines.len(), "file"));
    let shown = say(&[&[heading], lines.as_slice()].concat().join("\n"));
    Done::new(&changes, Some(shown))
}

async fn copy_old_text(handle: &Handle, argument: Value) -> Result<Done, Failure> {
    let argument: HunkArgument = read(argument)?;
    let view = find(handle, &argument).await?;
    let seen = view.hunk(&argument.hunk).ok_or_else(gone)?;
    let shown = say(&diff_lines(seen.old_text(), ""));
    Done::new(&json!({"text": seen.old_text()}), Some(shown))
}

/// The file that holds a hunk now.
async fn find(handle: &Handle, argument: &HunkArgument) -> Result<View, Failure> {
    if let Some(uri) = &argument.uri
        && let Ok(view) = view_of_uri(handle, uri.clone()).await
        && view.hunk(&argument.hunk).is_some()
    {
        return Ok(view);
    }
    let views = all_views(handle).await?.into_iter();
    let mut holding = views.filter(|view| view.hunk(&argument.hunk).is_some());
    holding.next().ok_or_else(gone)
}

fn gone() -> Failure {
    Failure::gone("the change")
}

/// Asks the client to show a document, and tells the person instead when it cannot.
fn show(uri: String, selection: Option<Range>, otherwise: &str) -> Outgoing {
    Outgoing::Show {
        uri,
        selection,
        otherwise: Some(shorten(otherwise)),
    }
}

/// Tells the person, where the client has no better way to show something.
fn say(text: &str) -> Outgoing {
    Outgoing::Message {
        text: shorten(text),
        is_error: false,
    }
}

/// As much as fits into a message box.
fn shorten(text: &str) -> String {
    const MAX_LINES: usize = 40;
    let mut lines: Vec<&str> = text.lines().take(MAX_LINES + 1).collect();
    if let Some(last) = lines.get_mut(MAX_LINES) {
        *last = "...";
    }
    lines.join("\n")
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the argument is used up, and no caller has to borrow it"
)]
fn read<T: DeserializeOwned>(argument: Value) -> Result<T, Failure> {
    explain::read(&argument, "argument")
        .map_err(|why| Failure::new(ErrorKind::InvalidReference, why))
}
