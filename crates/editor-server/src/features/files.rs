//! Requests about workspace files: each is resolved afresh beneath its root, by `workspace-fs`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use workspace_fs::{ReferenceError, Root, WorkspaceFileRef, reference};

use super::failure::Failure;
use crate::desktop::browser::is_html;
use crate::desktop::handlers::Platform;
use crate::desktop::open_with::{list_handlers, open_with};
use crate::desktop::system::{self, SystemHandlers};
use crate::lsp::ext::{
    self, ErrorKind, OpenHandler, OpenHandlersResult, OpenWithParams, PreviewResult, ReadEncoding,
    ReadParams, ReadResult, StatResult,
};
use crate::preview::kind::{PreviewKind, RichKind, is_within_limit, preview_kind};

type Answer<T> = Result<T, Failure>;

/// Runs file work away from the tasks that answer.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Answer<T> + Send + 'static,
) -> Answer<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| {
        let message = "the file could not be handled; this is a defect of acp-lens";
        Err(Failure::new(ErrorKind::OperationFailed, message))
    })
}

/// Opens the root that a reference names.
fn open_root(file: &ext::WorkspaceFileRef) -> Answer<Root> {
    let home = std::env::home_dir();
    reference::open_root(&file.workspace_root, home.as_deref()).map_err(failure)
}

fn failure(error: ReferenceError) -> Failure {
    let kind = match error {
        ReferenceError::OutsideSandbox => ErrorKind::OutsideSandbox,
        ReferenceError::NotFound => ErrorKind::NotFound,
        ReferenceError::NotDirectory => ErrorKind::NotDirectory,
        ReferenceError::NotFile => ErrorKind::NotFile,
        ReferenceError::TooLarge { .. } => ErrorKind::TooLarge,
        ReferenceError::Binary { .. } => ErrorKind::Binary,
        ReferenceError::UnsupportedPlatform => ErrorKind::UnsupportedPlatform,
        _ => ErrorKind::OperationFailed,
    };
    Failure::new(kind, error.to_string())
}

pub(crate) fn stat(file: &ext::WorkspaceFileRef) -> Answer<StatResult> {
    let stat = reference::stat(&open_root(file)?, &file.relative_path).map_err(failure)?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "milliseconds since 1970 are whole numbers far below 2^53"
    )]
    let modified_ms = stat.modified_ms as i64;
    Ok(StatResult {
        size: stat.size,
        modified_ms: stat.modified_ms.is_finite().then_some(modified_ms),
        is_file: stat.is_file,
        is_directory: stat.is_dir,
        read_only: true,
    })
}

pub(crate) fn read(params: &ReadParams) -> Answer<ReadResult> {
    let ReadParams {
        file,
        encoding,
        max_bytes,
    } = params;
    let root = open_root(file)?;
    let path = &file.relative_path;
    let (content, media_type, size) = match encoding {
        ReadEncoding::Text => {
            let text = reference::read_text(&root, path).map_err(failure)?;
            (text.content, text.media_type, text.size)
        }
        ReadEncoding::Base64 => {
            // What is larger than a u32 is clamped far below that anyway.
            let limit = max_bytes.map(|max| f64::from(u32::try_from(max).unwrap_or(u32::MAX)));
            let read = reference::read_bytes(&root, path, limit).map_err(failure)?;
            let size = u64::try_from(read.bytes.len()).unwrap_or(u64::MAX);
            (STANDARD.encode(&read.bytes), read.media_type, size)
        }
    };
    Ok(ReadResult {
        content,
        encoding: *encoding,
        size,
        mime_type: media_type.to_owned(),
        read_only: true,
    })
}

pub(crate) fn preview(file: &ext::WorkspaceFileRef) -> Answer<PreviewResult> {
    let root = open_root(file)?;
    let path = &file.relative_path;
    let stat = reference::stat(&root, path).map_err(failure)?;
    if !stat.is_file {
        return Err(failure(ReferenceError::NotFile));
    }
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let media_type = workspace_fs::media_type(path);
    let shown = preview_kind(extension, media_type);
    let mut result = PreviewResult {
        kind: shown.map_or(ext::PreviewKind::None, kind),
        mime_type: media_type.to_owned(),
        size: stat.size,
        text: None,
        truncated: false,
        reason: None,
    };
    // Sizes that a preview can have are far below what a float holds exactly.
    let size = f64::from(u32::try_from(stat.size).unwrap_or(u32::MAX));
    match shown {
        None => result.reason = Some("this kind of file is opened with another program".to_owned()),
        Some(shown) if !is_within_limit(shown, size) => {
            result.reason = Some("the file is too large to be shown here".to_owned());
        }
        Some(PreviewKind::Text) => match reference::read_text(&root, path) {
            Ok(text) => result.text = Some(text.content),
            Err(ReferenceError::Binary { .. }) => {
                result.kind = ext::PreviewKind::None;
                result.reason = Some("the file is no text".to_owned());
            }
            Err(error) => return Err(failure(error)),
        },
        Some(PreviewKind::Rich(_)) => {}
    }
    Ok(result)
}

fn kind(kind: PreviewKind) -> ext::PreviewKind {
    match kind {
        PreviewKind::Text => ext::PreviewKind::Text,
        PreviewKind::Rich(RichKind::Image) => ext::PreviewKind::Image,
        PreviewKind::Rich(RichKind::Pdf) => ext::PreviewKind::Pdf,
        PreviewKind::Rich(RichKind::Sheet) => ext::PreviewKind::Sheet,
        PreviewKind::Rich(RichKind::Docx) => ext::PreviewKind::Docx,
        PreviewKind::Rich(RichKind::Pptx) => ext::PreviewKind::Pptx,
    }
}

pub(crate) fn open_handlers(file: &ext::WorkspaceFileRef) -> Answer<OpenHandlersResult> {
    let root = open_root(file)?;
    let platform = Platform::current();
    let listed = list_handlers(platform, &root, &file.relative_path, &mut SystemHandlers);
    let handlers = listed.map_err(failure)?.into_iter();
    Ok(OpenHandlersResult {
        handlers: handlers
            .map(|handler| OpenHandler {
                id: handler.id,
                name: handler.name,
                is_default: handler.is_default,
                icon: handler.icon,
            })
            .collect(),
        browser: is_html(&file.relative_path),
        reveal_label: match platform {
            Platform::Darwin => "Reveal in Finder".to_owned(),
            Platform::Win32 => "Reveal in File Explorer".to_owned(),
            Platform::Linux => "Show in File Manager".to_owned(),
        },
    })
}

pub(crate) fn open_file_with(params: &OpenWithParams) -> Answer<()> {
    let root = open_root(&params.file)?;
    let path = &params.file.relative_path;
    let platform = Platform::current();
    open_with(platform, &root, path, &params.handler, &mut SystemHandlers).map_err(failure)
}

pub(crate) fn reveal(file: &ext::WorkspaceFileRef) -> Answer<()> {
    system::reveal(&open_root(file)?, &file.relative_path).map_err(failure)
}

pub(crate) fn open_in_browser(file: &ext::WorkspaceFileRef) -> Answer<()> {
    let root = open_root(file)?;
    let named = WorkspaceFileRef {
        workspace_root: file.workspace_root.clone(),
        relative_path: file.relative_path.clone(),
    };
    system::open_in_browser(&root, &named).map_err(failure)
}
