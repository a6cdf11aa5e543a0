//! Recorded traces shown as sessions: on request, and the one that the settings name.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use acp_grammar::wire::Field;
use activity_core::identity::sha256_hex;
use activity_core::profile::ProfileChoice;
use activity_core::session::{Options, Session, TimelineText};
use serde_json::Value;

use super::failure::Failure;
use super::lenses::count;
use crate::lsp::ext::{
    CloseTraceParams, ErrorKind, OpenTraceParams, OpenTraceResult, SessionSource, SessionState,
};
use crate::replay::{RecordedSession, Recording};
use crate::session::actor::Event;
use crate::session::entry::{Entry, Opening, Status};
use crate::session::handle::Handle;
use crate::session::outgoing::Outgoing;
use crate::session::progress::Progress;
use crate::session::settings::ProfileName;
use crate::session::sources::SessionKey;
use crate::session::state::State;

/// Reads a trace and puts its sessions in place of what was known of it.
pub(crate) async fn open(
    handle: &Handle,
    params: OpenTraceParams,
) -> Result<OpenTraceResult, Failure> {
    let (path, fallback) = locate(handle, params.path.clone()).await?;
    let profile = match params.profile.as_deref() {
        Some(name) => named(name)?,
        None => fallback,
    };
    let options = Options {
        profile,
        workspace_root: params.root.map(Arc::from),
        cwd: params.cwd.map(Arc::from),
        text: TimelineText::Keep,
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let progress = Progress::begin_measured(handle, format!("Reading {name}"));
    let (shown, reading) = (path.clone(), options.clone());
    let read = tokio::task::spawn_blocking(move || {
        let read = read(&shown, reading, &progress);
        progress.end(match &read {
            Ok(recording) => count(recording.sessions().len(), "session"),
            Err(why) => why.clone(),
        });
        read
    });
    let read = read.await;
    let read =
        read.unwrap_or_else(|_| Err("reading it failed; this is a defect of acp-lens".into()));
    let recording = read.map_err(|why| {
        let message = format!("the trace {name} cannot be read: {why}");
        Failure::new(ErrorKind::OperationFailed, message)
    })?;
    let skipped_lines = recording.skipped_lines();
    let sessions = recording.into_sessions();
    if skipped_lines > 0 {
        let lines = format!(
            "{skipped_lines} lines of the trace could not be read; `acp-lens replay` names them"
        );
        handle.tell(Outgoing::Log(lines));
    }
    let keys = show(handle, &path, &options, sessions).await?;
    let infos = handle.ask(move |state| {
        let known = keys.iter().filter_map(|key| state.session(key));
        known.map(Entry::info).collect()
    });
    Ok(OpenTraceResult {
        sessions: infos.await.ok_or_else(Failure::ending)?,
        skipped_lines,
    })
}

/// Forgets the sessions of a trace.
pub(crate) async fn close(handle: &Handle, params: CloseTraceParams) -> Result<(), Failure> {
    let (path, _) = locate(handle, params.path).await?;
    let prefix = prefix(&path);
    let known = handle.ask(move |state| known(state, &prefix)).await;
    let known = known.ok_or_else(Failure::ending)?;
    if known.is_empty() {
        return Err(Failure::gone("the trace"));
    }
    for (key, _) in &known {
        handle.close_session(key);
    }
    Ok(())
}

/// Shows the trace that the settings name, for the life of the server.
pub(crate) async fn follow_setting(handle: Handle) {
    let mut workspace = handle.workspace();
    let mut shown: Option<String> = None;
    loop {
        let wanted = workspace.borrow_and_update().settings.trace.clone();
        if wanted != shown {
            if let Some(path) = shown.take() {
                // It may have been closed by hand.
                let _ = close(&handle, CloseTraceParams { path }).await;
            }
            if let Some(path) = wanted {
                let params = OpenTraceParams {
                    path: path.clone(),
                    root: None,
                    cwd: None,
                    profile: None,
                };
                if let Err(failure) = open(&handle, params).await {
                    handle.tell(Outgoing::Message {
                        text: format!("acp-lens: {}", failure.message),
                        is_error: true,
                    });
                }
                handle.send(Event::TraceSettled);
                shown = Some(path);
            }
        }
        if workspace.changed().await.is_err() {
            return;
        }
    }
}

/// The absolute path of a trace and the profile of the settings.
async fn locate(handle: &Handle, path: String) -> Result<(PathBuf, ProfileChoice), Failure> {
    let known = handle.ask(|state| {
        let folder = state.folders.first();
        let folder = folder.map(|folder| folder.location.to_path_buf());
        (folder, state.settings.profile)
    });
    let (folder, profile) = known.await.ok_or_else(Failure::ending)?;
    let path = PathBuf::from(path);
    if path.is_absolute() {
        return Ok((path, profile));
    }
    match folder {
        Some(folder) => Ok((folder.join(path), profile)),
        None => Err(Failure::new(
            ErrorKind::InvalidReference,
            "the path of the trace is relative and no folder is open; give an absolute path",
        )),
    }
}

fn named(profile: &str) -> Result<ProfileChoice, Failure> {
    let name = serde_json::from_value::<ProfileName>(Value::from(profile));
    name.map(ProfileChoice::from).map_err(|_| {
        Failure::new(
            ErrorKind::InvalidReference,
            format!("the profile is auto, openclaw or acp, not {profile}"),
        )
    })
}

/// What the keys of all sessions of a trace begin with.
fn prefix(path: &Path) -> String {
    let hash = sha256_hex(&path.to_string_lossy());
    format!("trace-{}-", &hash[..12])
}

fn known(state: &State, prefix: &str) -> Vec<(SessionKey, u64)> {
    let entries = state.sessions.iter();
    entries
        .filter(|entry| entry.key.starts_with(prefix))
        .map(|entry| (Arc::clone(&entry.key), entry.generation))
        .collect()
}

fn read(path: &Path, options: Options, progress: &Progress) -> Result<Recording, String> {
    let file = File::open(path).map_err(|why| why.to_string())?;
    let size = file.metadata().map_or(0, |metadata| metadata.len());
    let counted = Counted {
        inner: file,
        read: 0,
        size,
        told: 0,
        progress,
    };
    match Recording::read(BufReader::with_capacity(1 << 16, counted), options) {
        (recording, Ok(())) => Ok(recording),
        (_, Err(why)) => Err(why.to_string()),
    }
}

/// Puts the sessions of a trace in place, all at once, and forgets those that it had before.
async fn show(
    handle: &Handle,
    path: &Path,
    options: &Options,
    sessions: Vec<RecordedSession>,
) -> Result<Vec<SessionKey>, Failure> {
    let prefix = prefix(path);
    let of_trace = prefix.clone();
    let before = handle.ask(move |state| known(state, &of_trace)).await;
    let before = before.ok_or_else(Failure::ending)?;
    let mut keys = Vec::new();
    for (index, recorded) in sessions.into_iter().enumerate() {
        let key: SessionKey = format!("{prefix}{index}").into();
        let generation = before.iter().find(|(known, _)| *known == key);
        handle.open_session(Opening {
            key: Arc::clone(&key),
            session_id: Arc::clone(&recorded.id),
            source: SessionSource::Trace,
            generation: generation.map_or(1, |(_, generation)| generation + 1),
            state: SessionState::Idle,
            agent: None,
            options: options.clone(),
        });
        handle.set_status(
            &key,
            Status {
                error: recorded.load_failure.map_or(Field::Missing, Field::Value),
                stop_reason: last_stop_reason(&recorded.session).map_or(Field::Null, Field::Value),
                ..Status::default()
            },
        );
        handle.replace_session(&key, recorded.session);
        keys.push(key);
    }
    for (key, _) in before.iter().filter(|(key, _)| !keys.contains(key)) {
        handle.close_session(key);
    }
    Ok(keys)
}

/// Why the last turn of a session ended; `None` when the trace does not tell, or when its prompt
/// failed, which is no stop reason of ACP.
fn last_stop_reason(session: &Session) -> Option<String> {
    let reason = session.turns().pop()?.stop_reason?;
    (&*reason != "error").then(|| reason.to_string())
}

/// A file that reports how much of it was read, at each tenth.
struct Counted<'a> {
    inner: File,
    read: u64,
    size: u64,
    told: u64,
    progress: &'a Progress,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.read += u64::try_from(read).unwrap_or_default();
        let tenth = (self.read.saturating_mul(10)) / self.size.max(1);
        if tenth > self.told && tenth < 10 {
            self.told = tenth;
            self.progress
                .reach(u32::try_from(tenth).unwrap_or_default() * 10);
        }
        Ok(read)
    }
}
