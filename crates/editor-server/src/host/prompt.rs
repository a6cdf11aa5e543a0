//! The prompt of a person as ACP content.

use activity_core::host::prompt::{PromptBlock, PromptFile, blocks};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use workspace_fs::media_type;
use workspace_fs::reference::{native_path, open_root, read_bytes};

use crate::features::failure::Failure;
use crate::lsp::ext::{ErrorKind, WorkspaceFileRef};

/// The largest image that travels inside a prompt, in bytes.
const IMAGE_CAP: f64 = 10.0 * 1024.0 * 1024.0;

/// Resolves the files of a prompt; each is checked now. Images are read, all else is linked.
pub(crate) fn read_files(files: Vec<WorkspaceFileRef>) -> Result<Vec<PromptFile>, Failure> {
    let home = std::env::home_dir();
    files
        .into_iter()
        .map(|file| {
            let refused = |why: workspace_fs::ReferenceError| {
                let path = &file.relative_path;
                Failure::new(
                    ErrorKind::InvalidReference,
                    format!("{path} cannot go with the prompt: {why}"),
                )
            };
            let root = open_root(&file.workspace_root, home.as_deref()).map_err(refused)?;
            let path = native_path(&root, &file.relative_path).map_err(refused)?;
            let media_type = media_type(&file.relative_path);
            let image = if media_type.starts_with("image/") {
                let read = read_bytes(&root, &file.relative_path, Some(IMAGE_CAP));
                Some(STANDARD.encode(read.map_err(refused)?.bytes))
            } else {
                None
            };
            let location = crate::session::location::Location::from_path(&path.to_string_lossy());
            let name = file.relative_path.rsplit('/').next().unwrap_or_default();
            Ok(PromptFile {
                uri: location.map_or_else(String::new, |it| it.to_uri()),
                name: name.to_owned(),
                mime_type: Some(media_type.to_owned()),
                image,
            })
        })
        .collect()
}

/// The content blocks of a prompt.
pub(crate) fn content(text: &str, files: Vec<PromptFile>) -> Vec<Value> {
    let blocks = blocks(text, files).into_iter();
    blocks
        .map(|block| match block {
            PromptBlock::Text(text) => json!({"type": "text", "text": text}),
            PromptBlock::Image {
                data,
                mime_type,
                uri,
                name: _,
            } => json!({"type": "image", "data": data, "mimeType": mime_type, "uri": uri}),
            PromptBlock::ResourceLink {
                uri,
                name,
                mime_type,
            } => {
                json!({"type": "resource_link", "uri": uri, "name": name, "mimeType": mime_type})
            }
        })
        .collect()
}
