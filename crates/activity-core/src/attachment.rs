//! The files and links that messages and tool output carry as resources, apart from file activity.

use std::sync::Arc;

use acp_grammar::wire::ContentBlock;

use crate::identity::sha256_hex;

/// Longest display name, in UTF-16 units.
const LONGEST_NAME: usize = 160;
/// The name of what has none.
const NAMELESS: &str = "attachment";

/// A resource that a message, a prompt or a tool's output carries.
///
/// Only ACP content makes an attachment, or a transcript that a person named; a path in a tool's
/// input or in prose never does. Whether it can be read is not known here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Lower-case hex SHA-256 of the reference; equal references have equal identities.
    pub identity: Arc<str>,
    /// The turn it belongs to; `None` for what the user attached.
    pub turn_id: Option<Arc<str>>,
    /// The timeline item that carries it; empty for what a transcript names.
    pub item_id: Arc<str>,
    /// `uri` as sent.
    pub uri: Arc<str>,
    /// A name for people: no control or bidirectional characters, at most 160 UTF-16 units.
    pub display_name: Arc<str>,
    /// `mimeType`, if sent.
    pub mime_type: Option<Arc<str>>,
    /// Size in bytes, if sent.
    pub size: Option<u64>,
}

impl Attachment {
    /// An attachment that a transcript names, in a turn of the session.
    pub fn of_transcript(uri: &str, turn_id: Option<Arc<str>>) -> Self {
        Self {
            identity: sha256_hex(canonical(uri)).into(),
            turn_id,
            item_id: "".into(),
            uri: uri.into(),
            display_name: display_name(None, uri),
            mime_type: None,
            size: None,
        }
    }
}

/// A block that refers to a resource, as the timeline keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) identity: Arc<str>,
    pub(crate) uri: Arc<str>,
    pub(crate) display_name: Arc<str>,
    pub(crate) mime_type: Option<Arc<str>>,
    pub(crate) size: Option<u64>,
    /// The block is an image that stands in the text itself. It is no attachment, and it hides an
    /// attachment of the same identity.
    pub(crate) inline_image: bool,
}

impl Reference {
    /// What a block refers to. An image that the user sends is an attachment, one that the agent
    /// sends is part of what it says.
    pub(crate) fn of_block(block: &ContentBlock<'_>, from_user: bool) -> Option<Self> {
        let (uri, name, mime_type, size) = match block {
            ContentBlock::ResourceLink(link) => {
                let name = [&link.name, &link.title].into_iter().flatten();
                let name = name.map(AsRef::as_ref).find(|name| !name.trim().is_empty());
                (&link.uri, name, &link.mime_type, link.size)
            }
            ContentBlock::Resource { uri, mime_type, .. }
            | ContentBlock::Image {
                uri: Some(uri),
                mime_type,
                ..
            } => (uri, None, mime_type, None),
            _ => return None,
        };
        Some(Self {
            identity: sha256_hex(canonical(uri)).into(),
            uri: uri.as_ref().into(),
            display_name: display_name(name, uri),
            mime_type: mime_type.as_deref().map(Into::into),
            size,
            inline_image: !from_user && matches!(block, ContentBlock::Image { .. }),
        })
    }
}

/// The spelling of a reference that decides whether two are the same: a `file:` URL of this
/// machine is its path.
fn canonical(uri: &str) -> &str {
    let path = uri
        .strip_prefix("file://localhost/")
        .or_else(|| uri.strip_prefix("file:///"));
    // The slash before the path stays.
    path.map_or(uri, |path| &uri[uri.len() - path.len() - 1..])
}

/// The name that people see: the given one, or the last segment of the reference. It has no
/// control or bidirectional characters, and at most 160 UTF-16 units.
pub fn display_name(name: Option<&str>, uri: &str) -> Arc<str> {
    let name = name.unwrap_or_else(|| {
        let path = uri.split(['?', '#']).next().unwrap_or(uri);
        path.rsplit(['/', '\\'])
            .find(|segment| !segment.is_empty())
            .unwrap_or(uri)
    });
    let shown = name
        .rsplit(['/', '\\'])
        .find(|segment| !segment.is_empty())
        .unwrap_or(name);
    let spaced: String = shown
        .chars()
        .map(|c| if is_hidden(c) { ' ' } else { c })
        .collect();
    let collapsed = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = cut_utf16(&collapsed, LONGEST_NAME).trim_end();
    if cut.is_empty() {
        NAMELESS.into()
    } else {
        cut.into()
    }
}

/// Characters that could make a name look like another one.
fn is_hidden(c: char) -> bool {
    let bidirectional = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    c.is_control() || bidirectional
}

/// The longest prefix of at most `units` UTF-16 units.
fn cut_utf16(text: &str, units: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.len_utf16();
        if used > units {
            return &text[..at];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_names_are_short_and_plain() {
        let cases: [(Option<&str>, &str, &str); 7] = [
            (None, "file:///home/u/ws/hello.txt", "hello.txt"),
            (None, "https://h/x.png?size=2#top", "x.png"),
            (None, "C:\\docs\\report.docx", "report.docx"),
            (Some("My report"), "file:///x", "My report"),
            (Some("a\u{202e}txt\n.exe"), "file:///x", "a txt .exe"),
            (Some(" \t "), "file:///x", NAMELESS),
            (None, "", NAMELESS),
        ];
        for (name, uri, expect) in cases {
            assert_eq!(&*display_name(name, uri), expect, "{name:?} {uri:?}");
        }
        let long = "😀".repeat(LONGEST_NAME);
        let name = display_name(Some(&long), "x");
        assert_eq!(name.encode_utf16().count(), LONGEST_NAME);
    }

    #[test]
    fn a_local_file_url_and_its_path_are_one_resource() {
        let identity = |uri: &str| {
            let block = ContentBlock::Resource {
                uri: uri.to_owned().into(),
                mime_type: None,
                text: None,
            };
            Reference::of_block(&block, false).map(|reference| reference.identity)
        };
        assert_eq!(identity("file:///w/a.txt"), identity("/w/a.txt"));
        assert_eq!(identity("file://localhost/w/a.txt"), identity("/w/a.txt"));
        assert_ne!(identity("https://h/a.txt"), identity("/a.txt"));
    }
}
