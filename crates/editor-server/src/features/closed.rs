//! Hunks of files that are not open: placed in what is on disk at the moment when somebody asks.
//!
//! Nothing is watched. What was placed is kept with the version of the file, so that the next
//! question looks at the file and reads it only when it may have changed.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use activity_core::model::Action;
use activity_core::placing::Limits;
use workspace_fs::{Cancel, FileSystem as _, FsError, FsErrorCode, LocalFileSystem, Version};

use super::failure::Failure;
use crate::lsp::ext::ErrorKind;
use crate::lsp::position::Encoding;
use crate::session::actor::Event;
use crate::session::document::{Placed, place_file, too_large};
use crate::session::files::FileId;
use crate::session::handle::Handle;
use crate::session::location::{Location, identify};
use crate::session::on_disk::{Content, OnDisk};
use crate::session::settings::CodeLens;
use crate::session::sources::Sources;
use crate::session::state::State;
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
    let name = location.clone();
    let found = handle.ask(move |state| match state.document(&uri) {
        Some(document) => Known::Open(Arc::clone(&document.uri)),
        None => match state.files.find(&name) {
            Some(file) => known(state, file),
            None => Known::Untouched,
        },
    });
    let found = match found.await.ok_or_else(Failure::ending)? {
        Known::Untouched => by_another_name(handle, location).await?,
        found => found,
    };
    let view = views(handle, vec![found]).await?.pop();
    view.unwrap_or_else(|| Err(Failure::ending()))
}

/// The file that a name leads to through links, or on a disk that ignores case.
async fn by_another_name(handle: &Handle, name: Location) -> Result<Known, Failure> {
    let identity = tokio::task::spawn_blocking(move || identify(&name)).await;
    let Some(identity) = identity.ok().flatten() else {
        return Ok(Known::Untouched);
    };
    let found = handle.ask(move |state| match state.files.find_identity(&identity) {
        Some(file) => known(state, file),
        None => Known::Untouched,
    });
    found.await.ok_or_else(Failure::ending)
}

/// Every touched file with its hunks, in order of first activity. What cannot be read has none.
pub(crate) async fn all_views(handle: &Handle) -> Result<Vec<View>, Failure> {
    let known = handle.ask(|state| {
        let touched = state.touched().into_iter();
        touched.map(|file| known(state, file)).collect()
    });
    let views = views(handle, known.await.ok_or_else(Failure::ending)?).await?;
    Ok(views.into_iter().flatten().collect())
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
        cached: state.on_disk.ask(file).cloned(),
        limits: state.settings.limits,
        encoding: state.client.encoding,
        code_lens: state.settings.code_lens,
        revision: state.revision,
        file,
    }))
}

/// A view of each file, in order; those that are not open are looked at together.
async fn views(handle: &Handle, known: Vec<Known>) -> Result<Vec<Result<View, Failure>>, Failure> {
    let mut views = Vec::with_capacity(known.len());
    let mut closed = Vec::new();
    for (index, known) in known.into_iter().enumerate() {
        views.push(match known {
            Known::Open(uri) => {
                let view = handle.view(uri.to_string()).await;
                view.ok_or_else(|| Failure::gone("the document"))
            }
            Known::Untouched => Err(Failure::new(
                ErrorKind::NotFound,
                "no session changed this file",
            )),
            Known::Closed(file) => {
                closed.push((index, file));
                Err(Failure::ending())
            }
        });
    }
    if closed.is_empty() {
        return Ok(views);
    }
    let placed = tokio::task::spawn_blocking(move || {
        let mut roots = Roots::default();
        let placed = closed.into_iter();
        placed
            .map(|(index, file)| (index, place_on_disk(*file, &mut roots)))
            .collect::<Vec<_>>()
    });
    let placed = placed.await.map_err(|_| {
        let message = "the files could not be searched; this is a defect of acp-lens";
        Failure::new(ErrorKind::OperationFailed, message)
    })?;
    for (index, (view, news)) in placed {
        views[index] = Ok(view);
        if let Some((file, on_disk)) = news {
            let on_disk = Box::new(on_disk);
            handle.send(Event::PlacedOnDisk { file, on_disk });
        }
    }
    Ok(views)
}

/// Workspace roots, each opened once for all the files beneath it; `None` for one that cannot be.
type Roots = HashMap<String, Option<LocalFileSystem>>;

/// What is at a path now.
enum Found<'a> {
    /// What was found before.
    Same(&'a OnDisk),
    Text(Version, String),
    /// No file, for this reason in words.
    Missing(String),
    /// Nothing that could have hunks, for this reason.
    Nothing(String),
}

/// Looks at the file and places its hunks, unless that was done for this very content. The second
/// part is what is worth keeping.
fn place_on_disk(closed: Closed, roots: &mut Roots) -> (View, Option<(FileId, OnDisk)>) {
    let known = closed.cached.as_ref();
    let known = known.filter(|known| is_about(known, &closed.sources));
    let (on_disk, is_new) = match (look(&closed, known, roots), known) {
        (Found::Same(known), _) => (known.clone(), false),
        (Found::Text(version, _), Some(known)) if known.has_content(&version) => {
            let content = Content::Read(version);
            let touched = OnDisk {
                content,
                ..known.clone()
            };
            (touched, true)
        }
        (Found::Text(version, text), _) => {
            let text = Text::new(&text);
            let placed = place_file(&text, Arc::clone(&closed.sources), closed.limits);
            let content = Content::Read(version);
            let on_disk = OnDisk {
                content,
                text,
                placed,
            };
            (on_disk, true)
        }
        // That is what the sessions lead to expect: their hunks stand in no text, and nothing is
        // wrong.
        (Found::Missing(why), known) if is_removed(&closed.sources) => {
            let is_new = known.is_none_or(|known| !known.is_unreadable(&why));
            let text = Text::default();
            let placed = place_file(&text, Arc::clone(&closed.sources), closed.limits);
            let on_disk = OnDisk {
                content: Content::Unreadable(why),
                text,
                placed,
            };
            (on_disk, is_new)
        }
        (Found::Nothing(why) | Found::Missing(why), known) => {
            let is_new = known.is_none_or(|known| !known.is_unreadable(&why));
            let placed = Placed::nothing(Arc::clone(&closed.sources), Some(why.clone()));
            let on_disk = OnDisk {
                content: Content::Unreadable(why),
                text: Text::default(),
                placed,
            };
            (on_disk, is_new)
        }
    };
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

/// Whether the sessions left no file under its name.
fn is_removed(sources: &Sources) -> bool {
    sources.totals().action == Some(Action::Deleted)
}

fn is_about(known: &OnDisk, sources: &Arc<Sources>) -> bool {
    Arc::ptr_eq(&known.placed.facts.sources, sources)
}

/// Reads the file, unless it surely is as it was.
fn look<'a>(closed: &Closed, known: Option<&'a OnDisk>, roots: &mut Roots) -> Found<'a> {
    let root = roots
        .entry(closed.root.clone())
        .or_insert_with_key(|root| LocalFileSystem::open(Path::new(root)).ok());
    let Some(files) = root else {
        return Found::Nothing("the workspace root cannot be opened".to_owned());
    };
    look_beneath(files, closed, known).unwrap_or_else(|why| match why.code() {
        FsErrorCode::NotFound => Found::Missing(why.to_string()),
        _ => Found::Nothing(why.to_string()),
    })
}

fn look_beneath<'a>(
    files: &LocalFileSystem,
    closed: &Closed,
    known: Option<&'a OnDisk>,
) -> Result<Found<'a>, FsError> {
    let cancel = Cancel::default();
    let target = files.resolve(&closed.relative_path, None)?;
    if let Some(info) = files.stat(&target, &cancel)? {
        if let Some(known) = known.filter(|known| known.is_surely(&info.version)) {
            return Ok(Found::Same(known));
        }
        let bytes = info.size.and_then(|size| usize::try_from(size).ok());
        if let Some(bytes) = bytes.filter(|&bytes| bytes > closed.limits.max_bytes) {
            return Ok(Found::Nothing(too_large(0, bytes, closed.limits)));
        }
    }
    let read = files.read_text(&target, &cancel)?;
    Ok(Found::Text(read.version, read.text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::files::Files;

    /// This crate's manifest, which nobody has changed for a while when its tests run.
    fn manifest(sources: &Arc<Sources>, cached: Option<OnDisk>) -> Closed {
        let root = env!("CARGO_MANIFEST_DIR");
        let location = Location::beneath(root, "Cargo.toml").unwrap();
        Closed {
            file: Files::default().intern(&location).0,
            uri: location.to_uri(),
            root: root.to_owned(),
            relative_path: "Cargo.toml".into(),
            sources: Arc::clone(sources),
            cached,
            limits: Limits::default(),
            encoding: Encoding::default(),
            code_lens: CodeLens::All,
            revision: 1,
        }
    }

    #[test]
    fn a_file_that_did_not_change_is_not_read_again() {
        let sources = Arc::new(Sources::default());
        let mut roots = Roots::default();
        let (_, news) = place_on_disk(manifest(&sources, None), &mut roots);
        let (_, first) = news.unwrap();
        let known = Some(first.clone());
        let (view, news) = place_on_disk(manifest(&sources, known.clone()), &mut roots);
        assert!(news.is_none(), "what was read would be worth keeping");
        assert!(Arc::ptr_eq(&view.placed.marks, &first.placed.marks));
        // A session said more about it.
        let others = Arc::new(Sources::default());
        assert!(
            place_on_disk(manifest(&others, known), &mut roots)
                .1
                .is_some()
        );
        assert_eq!(roots.len(), 1);
    }

    #[test]
    fn what_cannot_be_read_says_so_once() {
        let sources = Arc::new(Sources::default());
        let gone = |cached| Closed {
            relative_path: "no/such/file".into(),
            ..manifest(&sources, cached)
        };
        let mut roots = Roots::default();
        let (view, news) = place_on_disk(gone(None), &mut roots);
        assert!(view.placed.facts.limit.is_some());
        let (_, on_disk) = news.unwrap();
        assert!(place_on_disk(gone(Some(on_disk)), &mut roots).1.is_none());
    }
}
