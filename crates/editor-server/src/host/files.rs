//! `fs/read_text_file` and `fs/write_text_file`: an agent's access to the workspace.
//!
//! Reads see the file with the unsaved changes of the person, where there are any. Writes go to the file, beneath the
//! session's root and nowhere else, as a whole or not at all.

use std::sync::Arc;

use serde_json::{Value, json};
use workspace_fs::{
    Cancel, FileSystem as _, FsError, LocalFileSystem, WriteIntent, diffs_to_meta, hunk_diffs,
};

use super::refusal::Refusal;
use crate::acp::link::Question;
use crate::session::handle::Handle;
use crate::session::location::Location;

/// What an agent is told about a file that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// That it is not there.
    Refused,
    /// That it is empty.
    Empty,
}

impl Missing {
    /// What the agent with this name understands.
    ///
    /// Before Gemini writes a file it reads it, and takes whatever error comes back for a failure
    /// of its own, so that it could make no file at all.
    pub(crate) fn for_agent(name: Option<&str>) -> Self {
        match name {
            Some(name) if name.starts_with("gemini") => Self::Empty,
            _ => Self::Refused,
        }
    }
}

/// Answers `fs/read_text_file` of a session in `root`.
pub(crate) async fn read(
    handle: Handle,
    root: Arc<str>,
    missing: Missing,
    question: Box<Question>,
) {
    let read = match try_read(&handle, root, &question.params).await {
        Err(refusal) if missing == Missing::Empty && refusal.is_not_found() => Ok(String::new()),
        read => read,
    };
    answer(question, read.map(|content| json!({"content": content})));
}

/// Answers `fs/write_text_file` of a session in `root`.
pub(crate) async fn write(handle: Handle, root: Arc<str>, question: Box<Question>) {
    let written = try_write(&handle, root, &question.params).await;
    answer(question, written);
}

fn answer(question: Box<Question>, result: Result<Value, Refusal>) {
    match result {
        Ok(result) => question.answer(result),
        Err(refusal) => refusal.answer(question),
    }
}

async fn try_read(handle: &Handle, root: Arc<str>, params: &Value) -> Result<String, Refusal> {
    let path = path(params)?;
    // The file is resolved even when its buffer is the answer: an agent reads nothing outside.
    let (files, target) = {
        let path = path.clone();
        in_workspace(root, move |files| files.resolve(&path, None)).await?
    };
    let on_disk = blocking(move || Ok(files.read_text(&target, &Cancel::new())?.text)).await;
    let unsaved = match Location::from_path(&path) {
        Some(location) => {
            let on_disk = on_disk.as_ref().ok().cloned();
            let unsaved = handle.ask(move |state| state.unsaved(&location, on_disk.as_deref()));
            unsaved.await.flatten()
        }
        None => None,
    };
    // A document that is not saved yet needs no file.
    let text = unsaved.map_or(on_disk, Ok)?;
    let line = params["line"].as_u64();
    let limit = params["limit"].as_u64();
    Ok(window(text, line, limit))
}

async fn try_write(handle: &Handle, root: Arc<str>, params: &Value) -> Result<Value, Refusal> {
    let path = path(params)?;
    let content = params["content"]
        .as_str()
        .ok_or_else(|| Refusal::params("`content` is missing"))?
        .to_owned();
    let location = Location::from_path(&path);
    let (_, outcome) = in_workspace(root, move |files| {
        let target = files.resolve(&path, None)?;
        files.write_text(
            &target,
            &content,
            WriteIntent::Unconditional,
            &Cancel::new(),
        )
    })
    .await?;
    if let Some(location) = location {
        let (before, after) = (outcome.before.clone(), outcome.after.clone());
        let told = handle.ask(move |state| state.written(&location, before.as_deref(), &after));
        // Before the agent learns that it has written: it may read at once.
        told.await;
    }
    let diffs = outcome
        .before
        .as_deref()
        .map(|before| hunk_diffs("", before, &outcome.after));
    let hunks = diffs.as_deref().and_then(diffs_to_meta);
    Ok(json!({"_meta": {"acpLens": {"created": outcome.before.is_none(), "hunks": hunks}}}))
}

fn path(params: &Value) -> Result<String, Refusal> {
    let path = params["path"].as_str().filter(|path| !path.is_empty());
    let path = path.ok_or_else(|| Refusal::params("`path` is missing"))?;
    Ok(path.to_owned())
}

/// Does `work` on the files beneath `root`.
async fn in_workspace<T: Send + 'static>(
    root: Arc<str>,
    work: impl FnOnce(&LocalFileSystem) -> Result<T, FsError> + Send + 'static,
) -> Result<(Arc<LocalFileSystem>, T), Refusal> {
    blocking(move || {
        let files = LocalFileSystem::open(root.as_ref().as_ref()).map_err(|why| {
            Refusal::internal(format!("the workspace cannot be opened: {}", why.kind()))
        })?;
        let done = work(&files)?;
        Ok((Arc::new(files), done))
    })
    .await
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(Refusal::internal("the server failed")))
}

/// Lines from `line` (from 1) on, at most `limit` of them, with their line ends.
fn window(text: String, line: Option<u64>, limit: Option<u64>) -> String {
    if line.is_none() && limit.is_none() {
        return text;
    }
    let skipped = usize::try_from(line.unwrap_or(1).saturating_sub(1)).unwrap_or(usize::MAX);
    let taken = limit.map_or(usize::MAX, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    });
    text.split_inclusive('\n')
        .skip(skipped)
        .take(taken)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_whole_lines() {
        let check = |line, limit, expect: &str| {
            assert_eq!(window("a\nb\r\nc".to_owned(), line, limit), expect);
        };
        check(None, None, "a\nb\r\nc");
        check(Some(1), None, "a\nb\r\nc");
        check(Some(0), Some(1), "a\n");
        check(Some(2), Some(1), "b\r\n");
        check(Some(3), Some(9), "c");
        check(Some(4), None, "");
        check(Some(u64::MAX), Some(u64::MAX), "");
        check(None, Some(0), "");
    }
}
