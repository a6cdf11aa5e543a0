//! Hunks of files that are not open: placed in what is on disk at the moment when somebody asks.
//!
//! Nothing is watched. What was placed is kept with the hash of the content, so that the next
//! question about the same content is cheap.

use std::path::Path;
use std::sync::Arc;

use activity_core::placing::Limits;
use workspace_fs::{Cancel, FileSystem as _, FsError, LocalFileSystem};

use super::failure::Failure;
use crate::lsp::ext::ErrorKind;
use crate::lsp::position::Encoding;
use crate::session::actor::Event;
use crate::session::document::{Placed, place_file, too_large};
use crate::session::files::FileId;
use crate::session::handle::Handle;
use crate::session::location::Location;
use crate::session::settings::CodeLens;
use crate::session::sources::Sources;
use crate::session::state::{OnDisk, Stamp, State};
use crate::session::text::Text;
use crate::session::view::View;

/// What the actor knows of a file.
enum Known {
    /// It is open, by this uri.
    Open(Arc<str>),
    /// It is not open, but sessions touched it.
    Closed(Box<Closed>),
    /// Nobody touched it.
    Untouched,
}

/// All that is needed to place the hunks of a file that is not open.
struct Closed {
    file: FileId,
    uri: String,
    /// The root and the path beneath it by which the first session names the file.
    root: String,
    relative_path: Arc<str>,
    sources: Arc<Sources>,
    cached: Option<OnDisk>,
    limits: Limits,
    encoding: Encoding,
    code_lens: CodeLens,
    revision: u64,
}

/// The hunks of the file that a uri names, open or not.
pub(crate) async fn view_of_uri(handle: &Handle, uri: String) -> Result<View, Failure> {
    let Some(location) = Location::from_uri(&uri) else {
        return match handle.view(uri).await {
            Some(view) => Ok(view),
            None => Err(Failure::new(
                ErrorKind::InvalidReference,
                "the uri names no file and no open document",
            )),
        };
    };
    let known = handle.ask(move |state| match state.document(&uri) {
        Some(document) => Known::Open(Arc::clone(&document.uri)),
        None => match state.files.find(&location) {
            Some(file) => known(state, file),
            None => Known::Untouched,
        },
    });
    resolve(handle, known.await.ok_or_else(Failure::ending)?).await
}

/// The hunks of a file that sessions touched.
pub(crate) async fn view_of_file(handle: &Handle, file: FileId) -> Result<View, Failure> {
    let known = handle.ask(move |state| known(state, file)).await;
    resolve(handle, known.ok_or_else(Failure::ending)?).await
}

fn known(state: &mut State, file: FileId) -> Known {
    if let Some(document) = state.open(file) {
        return Known::Open(Arc::clone(&document.uri));
    }
    let named = state.files.mentions(file).iter().find_map(|(key, path)| {
        let root = state.session(key)?.root()?;
        Some((root.to_string(), Arc::clone(path)))
    });
    let Some((root, relative_path)) = named else {
        return Known::Untouched;
    };
    Known::Closed(Box::new(Closed {
        uri: state.files.location(file).to_uri(),
        root,
        relative_path,
        sources: state.sources(file),
        cached: state.on_disk.get(&file).cloned(),
        limits: state.settings.limits,
        encoding: state.client.encoding,
        code_lens: state.settings.code_lens,
        revision: state.revision,
        file,
    }))
}

async fn resolve(handle: &Handle, known: Known) -> Result<View, Failure> {
    match known {
        Known::Open(uri) => {
            let view = handle.view(uri.to_string()).await;
            view.ok_or_else(|| Failure::gone("the document"))
        }
        Known::Untouched => Err(Failure::new(
            ErrorKind::NotFound,
            "no session changed this file",
        )),
        Known::Closed(closed) => {
            let placed = tokio::task::spawn_blocking(move || place_on_disk(*closed)).await;
            let (view, news) = placed.map_err(|_| {
                let message = "the file could not be searched; this is a defect of acp-lens";
                Failure::new(ErrorKind::OperationFailed, message)
            })?;
            if let Some((file, on_disk)) = news {
                let on_disk = Box::new(on_disk);
                handle.send(Event::PlacedOnDisk { file, on_disk });
            }
            Ok(view)
        }
    }
}

/// Reads the file and places its hunks, unless that was done for this very content.
fn place_on_disk(closed: Closed) -> (View, Option<(FileId, OnDisk)>) {
    let content = read(&closed);
    let on_disk = match content {
        Ok((stamp, text)) => match &closed.cached {
            Some(known) if known.stamp == stamp && is_about(known, &closed.sources) => {
                (known.clone(), false)
            }
            _ => {
                let text = Text::new(&text);
                let placed = place_file(&text, Arc::clone(&closed.sources), closed.limits);
                let on_disk = OnDisk {
                    stamp,
                    text,
                    placed,
                };
                (on_disk, true)
            }
        },
        Err(why) => {
            let on_disk = OnDisk {
                stamp: Stamp(why.clone()),
                text: Text::default(),
                placed: Placed::nothing(Arc::clone(&closed.sources), Some(why)),
            };
            let is_new = closed.cached.as_ref().is_none_or(|known| {
                known.stamp != on_disk.stamp || !is_about(known, &closed.sources)
            });
            (on_disk, is_new)
        }
    };
    let (on_disk, is_new) = on_disk;
    let view = View {
        uri: closed.uri.into(),
        version: None,
        revision: closed.revision,
        text: on_disk.text.clone(),
        placed: on_disk.placed.clone(),
        encoding: closed.encoding,
        code_lens: closed.code_lens,
    };
    (view, is_new.then_some((closed.file, on_disk)))
}

fn is_about(known: &OnDisk, sources: &Arc<Sources>) -> bool {
    Arc::ptr_eq(&known.placed.facts.sources, sources)
}

/// The text of the file with what tells its content from another; else why there is none.
fn read(closed: &Closed) -> Result<(Stamp, String), String> {
    let cancel = Cancel::default();
    let read = || -> Result<Result<(Stamp, String), String>, FsError> {
        let Ok(files) = LocalFileSystem::open(Path::new(&closed.root)) else {
            return Ok(Err("the workspace root cannot be opened".to_owned()));
        };
        let target = files.resolve(&closed.relative_path, None)?;
        let size = files.stat(&target, &cancel)?.and_then(|info| info.size);
        if let Some(bytes) = size.and_then(|size| usize::try_from(size).ok())
            && bytes > closed.limits.max_bytes
        {
            return Ok(Err(too_large(0, bytes, closed.limits)));
        }
        let read = files.read_text(&target, &cancel)?;
        let stamp = Stamp(read.version.to_string());
        Ok(Ok((stamp, read.text)))
    };
    read().unwrap_or_else(|why| Err(why.to_string()))
}
