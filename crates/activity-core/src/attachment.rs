//! The files and links that messages and tool output carry as resources, apart from file activity.

use std::sync::Arc;

/// A resource that a message, a prompt or a tool's output carries.
///
/// Only ACP content makes an attachment; a path in a tool's input or in prose never does. Whether
/// it can be read is not known here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Lower-case hex SHA-256 of the normalised reference; equal references have equal identities.
    pub identity: Arc<str>,
    /// The turn it belongs to; `None` for what the user attached.
    pub turn_id: Option<Arc<str>>,
    /// The timeline item that carries it.
    pub item_id: Arc<str>,
    /// `uri` as sent.
    pub uri: Arc<str>,
    /// A name for people: no control or bidirectional characters, at most 160 UTF-16 units.
    pub display_name: Arc<str>,
    /// `mimeType`, if sent.
    pub mime_type: Option<Arc<str>>,
    /// Size in bytes, if sent.
    pub size: Option<u64>,
    /// The block is an image, shown in the text itself and not as a card.
    pub image: bool,
}
