//! The attachments of a session: what its messages carry as resources, apart from workspace files.
//!
//! A reference is followed only for the session that carries it, in the generation that the client
//! knows, and what it leads to is found out anew each time.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use activity_core::attachment::Attachment;
use activity_core::host::reference::{Reference, ReferenceFault, resolve};
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
        let attachments = grant.attachments.iter();
        Ok(AttachmentsResult {
            generation: grant.generation,
            attachments: attachments.map(|it| shown(it, &grant)).collect(),
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

/// What a reference leads to now.
enum Target {
    /// A file, by its path with all links resolved.
    File(PathBuf),
    /// A directory, which can only be opened by the system.
    Directory,
    Remote,
}

fn follow(uri: &str, cwd: &str) -> Result<Target, Failure> {
    let home = std::env::home_dir();
    let home = home.as_ref().map(|home| home.to_string_lossy());
    match resolve(uri, cwd, home.as_deref()) {
        Err(why) => {
            let kind = match why {
                ReferenceFault::Invalid => ErrorKind::InvalidReference,
                ReferenceFault::UnsafeUrl => ErrorKind::UnsafeUrl,
            };
            Err(Failure::new(kind, why.to_string()))
        }
        Ok(Reference::Remote(_)) => Ok(Target::Remote),
        Ok(Reference::Local(path)) => {
            let missing = || Failure::new(ErrorKind::Unavailable, "the attached file is missing");
            let path = Path::new(&path).canonicalize().map_err(|_| missing())?;
            let found = path.metadata().map_err(|_| missing())?;
            match (found.is_file(), found.is_dir()) {
                (true, _) => Ok(Target::File(path)),
                (_, true) => Ok(Target::Directory),
                _ => Err(Failure::new(
                    ErrorKind::NotFile,
                    "the attachment is neither a file nor a directory",
                )),
            }
        }
    }
}

fn shown(attachment: &Attachment, grant: &Grant) -> ext::Attachment {
    let followed = follow(&attachment.uri, &grant.cwd);
    let (scope, size, directory) = match &followed {
        Ok(Target::Remote) => ("remote", None, false),
        Ok(Target::Directory) => ("file", Some(0), true),
        Ok(Target::File(path)) => {
            let size = path.metadata().ok().map(|found| found.len());
            let root = grant
                .root
                .as_ref()
                .and_then(|root| root.canonicalize().ok());
            let inside = root.is_some_and(|root| path.starts_with(root));
            (if inside { "workspace" } else { "file" }, size, false)
        }
        Err(_) => ("file", None, false),
    };
    let mime_type = if directory {
        Some("application/x-directory".to_owned())
    } else {
        attachment.mime_type.as_deref().map(str::to_owned)
    };
    ext::Attachment {
        uri: attachment.uri.to_string(),
        name: attachment.display_name.to_string(),
        mime_type,
        size: size.or(attachment.size),
        turn: attachment.turn_id.as_ref().map(Arc::to_string),
        scope: scope.to_owned(),
        unavailable: followed.err().map(|why| why.message),
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
    let path = match follow(&params.uri, &grant.cwd)? {
        Target::File(path) => path,
        Target::Directory => {
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
