//! The attachments of a session: what its messages carry as resources, apart from workspace files.
//!
//! A reference is followed only for the session that carries it, in the generation that the client
//! knows, and what it leads to is found out anew each time.

mod resolve;
#[cfg(test)]
mod vectors;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use activity_core::attachment::{Attachment, display_name};
use activity_core::session::UserMessage;

use super::failure::Failure;
use super::files;
use super::transcript;
use crate::lsp::ext::{
    self, AttachmentsResult, ErrorKind, ReadAttachmentParams, ReadParams, ReadResult,
    WorkspaceFileRef,
};
use crate::session::handle::Handle;
use crate::session::state::State;
use resolve::{Resolved, Target, resolve};

/// A session as far as its attachments are concerned.
struct Grant {
    generation: u64,
    root: Option<PathBuf>,
    cwd: String,
    attachments: Vec<Attachment>,
    /// The transcript that the person named for this session, and what the user said in it.
    transcript: Option<(PathBuf, Vec<UserMessage>)>,
}

/// `acpLens/attachments`.
pub(crate) async fn list(handle: &Handle, session: String) -> Result<AttachmentsResult, Failure> {
    let grant = granted(handle, session).await?;
    files::blocking(move || {
        let grant = grant.with_transcript();
        Ok(AttachmentsResult {
            generation: grant.generation,
            attachments: shown(&grant),
        })
    })
    .await
}

/// `acpLens/readAttachment`.
pub(crate) async fn read(
    handle: &Handle,
    params: ReadAttachmentParams,
) -> Result<ReadResult, Failure> {
    let grant = granted(handle, params.session.clone()).await?;
    check_generation(grant.generation, params.generation)?;
    let generation = params.generation;
    let session = params.session.clone();
    let read = files::blocking(move || read_granted(&grant.with_transcript(), &params)).await?;
    // The session can have been loaded anew while the file was read.
    let now = granted(handle, session).await?;
    check_generation(now.generation, generation)?;
    Ok(read)
}

fn check_generation(now: u64, wanted: u64) -> Result<(), Failure> {
    if now == wanted {
        return Ok(());
    }
    Err(Failure::new(
        ErrorKind::StaleSession,
        "the session was loaded anew; ask for its attachments again",
    ))
}

async fn granted(handle: &Handle, session: String) -> Result<Grant, Failure> {
    let granted = handle.ask(move |state: &mut State| {
        let entry = state.session(&session)?;
        let workspace = entry.session.workspace();
        Some(Grant {
            generation: entry.generation,
            root: workspace.map(|it| PathBuf::from(&**it.root())),
            cwd: workspace.map_or_else(String::new, |it| it.cwd().to_string()),
            attachments: entry.session.attachments(),
            transcript: state
                .settings
                .transcripts
                .get(&*entry.session_id)
                .map(|path| (path.clone(), entry.session.user_messages())),
        })
    });
    let granted = granted.await.ok_or_else(Failure::ending)?;
    granted.ok_or_else(|| Failure::gone("the session"))
}

impl Grant {
    /// Adds what the transcript tells. A transcript that cannot be read adds nothing.
    fn with_transcript(mut self) -> Self {
        let Some((path, messages)) = self.transcript.take() else {
            return self;
        };
        let told = transcript::read(&path, &messages).unwrap_or_else(|why| {
            tracing::warn!(%why, "a transcript cannot be read");
            transcript::Supplement::default()
        });
        for (turn_id, uri) in told.media {
            let named = Attachment::of_transcript(&uri, turn_id);
            // What the session itself carries says more.
            let is_known =
                |it: &Attachment| it.identity == named.identity && it.turn_id == named.turn_id;
            if !self.attachments.iter().any(is_known) {
                self.attachments.push(named);
            }
        }
        self
    }
}

/// The attachments as they are now. Of several in a turn that lead to the same, the first counts;
/// those that lead nowhere are all told.
fn shown(grant: &Grant) -> Vec<ext::Attachment> {
    let root = grant.root.as_ref().and_then(|it| it.canonicalize().ok());
    let mut seen = HashSet::new();
    let mut shown = Vec::new();
    for attachment in &grant.attachments {
        let resolved = resolve(&attachment.uri, &grant.cwd);
        if let Ok(resolved) = &resolved
            && !seen.insert((&attachment.turn_id, resolved.identity.clone()))
        {
            continue;
        }
        shown.push(one(attachment, resolved, root.as_deref()));
    }
    shown
}

fn one(
    attachment: &Attachment,
    resolved: Result<Resolved, Failure>,
    root: Option<&Path>,
) -> ext::Attachment {
    let turn = attachment.turn_id.as_ref().map(Arc::to_string);
    let uri = attachment.uri.to_string();
    let sent_type = attachment.mime_type.as_deref().map(str::to_owned);
    match resolved {
        Err(why) => ext::Attachment {
            uri,
            name: attachment.display_name.to_string(),
            mime_type: sent_type,
            size: attachment.size,
            turn,
            scope: "file".to_owned(),
            unavailable: Some(why.message),
        },
        Ok(resolved) => {
            // What the agent calls it, else what it really is.
            let named = attachment.display_name != display_name(None, &uri);
            let name = if named {
                &attachment.display_name
            } else {
                &resolved.name
            };
            let own_type = || resolved.mime_type.to_owned();
            ext::Attachment {
                uri,
                name: name.to_string(),
                mime_type: Some(match resolved.target {
                    Target::Directory(_) => own_type(),
                    _ => sent_type.unwrap_or_else(own_type),
                }),
                size: resolved.size.or(attachment.size),
                turn,
                scope: resolved.target.scope(root).to_owned(),
                unavailable: None,
            }
        }
    }
}

fn read_granted(grant: &Grant, params: &ReadAttachmentParams) -> Result<ReadResult, Failure> {
    let carried = grant
        .attachments
        .iter()
        .any(|attachment| *attachment.uri == *params.uri);
    if !carried {
        return Err(Failure::new(
            ErrorKind::InvalidReference,
            "the session carries no such attachment",
        ));
    }
    let path = match resolve(&params.uri, &grant.cwd)?.target {
        Target::File(path) => path,
        Target::Directory(_) => {
            return Err(Failure::new(
                ErrorKind::NotFile,
                "the attachment is a directory",
            ));
        }
        Target::Remote => {
            return Err(Failure::new(
                ErrorKind::InvalidReference,
                "the attachment is on the web; open it in a browser",
            ));
        }
    };
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Failure::new(
            ErrorKind::NotFile,
            "the attachment is no file",
        ));
    };
    // Its directory is the root now: what is read is the file that was found, or nothing.
    files::read(&ReadParams {
        file: WorkspaceFileRef {
            workspace_root: directory.to_string_lossy().into_owned(),
            relative_path: name.to_string_lossy().into_owned(),
        },
        encoding: params.encoding,
        max_bytes: params.max_bytes,
    })
}
