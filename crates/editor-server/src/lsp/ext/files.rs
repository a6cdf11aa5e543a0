//! Messages about workspace files and attachments. Each request is checked afresh.

use serde::{Deserialize, Serialize};

use super::WorkspaceFileRef;

/// Parameters of the requests that only name a workspace file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileParams {
    /// The file.
    pub file: WorkspaceFileRef,
}

/// Result of `acpLens/stat`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatResult {
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change, in milliseconds since 1970.
    pub modified_ms: Option<i64>,
    /// It is a regular file.
    pub is_file: bool,
    /// It is a directory.
    pub is_directory: bool,
    /// Always true: these requests never write.
    pub read_only: bool,
}

/// Parameters of `acpLens/read`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadParams {
    /// The file.
    pub file: WorkspaceFileRef,
    /// Text or bytes.
    #[serde(default)]
    pub encoding: ReadEncoding,
    /// For bytes: the largest size to read, between 1 and 50 MiB; 50 MiB when `null`.
    #[serde(default)]
    pub max_bytes: Option<u64>,
}

/// How content is carried.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReadEncoding {
    /// As text, decoded from UTF-8; at most 2 MiB.
    #[default]
    Text,
    /// As bytes in base64.
    Base64,
}

/// Result of `acpLens/read` and `acpLens/readAttachment`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadResult {
    /// The content.
    pub content: String,
    /// How it is carried.
    pub encoding: ReadEncoding,
    /// Size in bytes.
    pub size: u64,
    /// The MIME type, by the file's extension.
    pub mime_type: String,
    /// Always true: these requests never write.
    pub read_only: bool,
}

/// Result of `acpLens/preview`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewResult {
    /// How it can be shown.
    pub kind: PreviewKind,
    /// The MIME type, by the file's extension.
    pub mime_type: String,
    /// Size in bytes.
    pub size: u64,
    /// The text of a text file or of a document; `null` for other kinds.
    pub text: Option<String>,
    /// True when `text` is not the whole of it.
    pub truncated: bool,
    /// Why there is nothing to show, for people.
    pub reason: Option<String>,
}

/// How a file can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PreviewKind {
    /// As text.
    Text,
    /// As a picture; its bytes come from `acpLens/read`.
    Image,
    /// A PDF document.
    Pdf,
    /// A spreadsheet.
    Sheet,
    /// A word processor's document.
    Docx,
    /// A presentation.
    Pptx,
    /// Not at all; it can only be opened with another program.
    None,
}

/// Result of `acpLens/openHandlers`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenHandlersResult {
    /// The programs, defaults first. Empty where the system offers no list.
    pub handlers: Vec<OpenHandler>,
    /// The file can be opened in the system's browser.
    pub browser: bool,
    /// Label for the action `acpLens/reveal`: `Reveal in Finder`.
    pub reveal_label: String,
}

/// A program that can open a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenHandler {
    /// The id to open with.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// The system would take this one.
    pub is_default: bool,
    /// An icon as a PNG `data:` url.
    pub icon: Option<String>,
}

/// Parameters of `acpLens/openWith`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenWithParams {
    /// The file.
    pub file: WorkspaceFileRef,
    /// Id of the program.
    pub handler: String,
}

/// Parameters of `acpLens/attachments`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentsParams {
    /// The session.
    pub session: String,
}

/// Result of `acpLens/attachments`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentsResult {
    /// Generation of the session that these belong to.
    pub generation: u64,
    /// The attachments, in order.
    pub attachments: Vec<Attachment>,
}

/// An attachment: a resource that the agent or the user put into the session, kept apart from
/// workspace files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    /// The reference to read it by, as it stands in the session.
    pub uri: String,
    /// A name for people.
    pub name: String,
    /// The MIME type, where known.
    pub mime_type: Option<String>,
    /// Size in bytes, where known.
    pub size: Option<u64>,
    /// The turn; `null` for one that came with the user's words.
    pub turn: Option<String>,
    /// `workspace`, `file`, `remote` or `embedded`: what `uri` is.
    pub scope: String,
    /// Why it cannot be read; `null` when it can.
    pub unavailable: Option<String>,
}

/// Parameters of `acpLens/readAttachment`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadAttachmentParams {
    /// The session.
    pub session: String,
    /// The generation that the reference comes from.
    pub generation: u64,
    /// The reference.
    pub uri: String,
    /// Text or bytes.
    #[serde(default)]
    pub encoding: ReadEncoding,
    /// For bytes: the largest size to read, between 1 and 50 MiB; 50 MiB when `null`.
    #[serde(default)]
    pub max_bytes: Option<u64>,
}
