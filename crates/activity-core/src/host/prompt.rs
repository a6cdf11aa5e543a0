//! What a prompt is made of, and how its words are read back from a transcript.

use std::borrow::Cow;
use std::fmt::Write as _;

use acp_grammar::wire::ContentBlock;

/// A file that goes with a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptFile {
    /// Where it is.
    pub uri: String,
    /// A name for people.
    pub name: String,
    /// Its type, if known.
    pub mime_type: Option<String>,
    /// The content of an image, as base64; only images travel inline.
    pub image: Option<String>,
}

/// A content block of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptBlock {
    /// Words.
    Text(String),
    /// An image, inline.
    Image {
        /// The content, as base64.
        data: String,
        /// Its type.
        mime_type: String,
        /// Where it is.
        uri: String,
        /// A name for people.
        name: String,
    },
    /// A link to a file.
    ResourceLink {
        /// Where it is.
        uri: String,
        /// A name for people.
        name: String,
        /// Its type, if known.
        mime_type: Option<String>,
    },
}

/// The blocks of a prompt: the words if there are any, then the files; never none at all.
pub fn blocks(text: &str, files: Vec<PromptFile>) -> Vec<PromptBlock> {
    let text = text.trim();
    let mut blocks = Vec::with_capacity(files.len() + 1);
    if !text.is_empty() {
        blocks.push(PromptBlock::Text(text.to_owned()));
    }
    blocks.extend(files.into_iter().map(|file| match file.image {
        Some(data) => PromptBlock::Image {
            data,
            mime_type: file.mime_type.unwrap_or_else(|| "image/png".to_owned()),
            uri: file.uri,
            name: file.name,
        },
        None => PromptBlock::ResourceLink {
            uri: file.uri,
            name: file.name,
            mime_type: file.mime_type,
        },
    }));
    if blocks.is_empty() {
        blocks.push(PromptBlock::Text(String::new()));
    }
    blocks
}

/// Whether an agent that can put the working directory before a prompt should do so: not before a
/// command, which has to stand at the beginning.
pub fn wants_directory_prefix(text: &str) -> bool {
    !text.trim_start().starts_with('/')
}

/// The words of a block as a transcript has them: text, the text of an embedded resource, or a
/// link. `None` for a block that says nothing: images, audio, and resources without text.
pub fn spoken<'a>(block: &'a ContentBlock<'_>) -> Option<Cow<'a, str>> {
    match block {
        ContentBlock::Text(text)
        | ContentBlock::Resource {
            text: Some(text), ..
        } => Some(Cow::Borrowed(text)),
        ContentBlock::ResourceLink(link) => {
            Some(Cow::Owned(resource_link(&link.uri, link.title.as_deref())))
        }
        _ => None,
    }
}

/// A resource link as agents write it into a prompt.
pub fn resource_link(uri: &str, title: Option<&str>) -> String {
    let uri = escape_controls(uri);
    match title.filter(|title| !title.is_empty()) {
        None => format!("[Resource link] {uri}"),
        Some(title) => {
            let mut escaped = String::with_capacity(title.len());
            for char in escape_controls(title).chars() {
                if matches!(char, '[' | ']' | '(' | ')') {
                    escaped.push('\\');
                }
                escaped.push(char);
            }
            format!("[Resource link ({escaped})] {uri}")
        }
    }
}

/// Control characters as escapes, so that a link stays on one line.
fn escape_controls(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            char if char.is_control() || matches!(char, '\u{2028}' | '\u{2029}') => {
                // Writing to a string cannot fail.
                let _ = write!(escaped, "\\u{:04x}", u32::from(char));
            }
            char => escaped.push(char),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, image: Option<&str>) -> PromptFile {
        PromptFile {
            uri: format!("file:///w/{name}"),
            name: name.to_owned(),
            mime_type: None,
            image: image.map(str::to_owned),
        }
    }

    #[test]
    fn a_prompt_is_words_then_files_and_never_nothing() {
        assert_eq!(blocks("", vec![]), [PromptBlock::Text(String::new())]);
        assert_eq!(blocks("  \n", vec![]), [PromptBlock::Text(String::new())]);
        assert_eq!(blocks(" hi ", vec![]), [PromptBlock::Text("hi".to_owned())]);
        let kinds: Vec<&str> = blocks("look", vec![file("a.png", Some("AA")), file("b", None)])
            .iter()
            .map(|block| match block {
                PromptBlock::Text(_) => "text",
                PromptBlock::Image { .. } => "image",
                PromptBlock::ResourceLink { .. } => "link",
            })
            .collect();
        assert_eq!(kinds, ["text", "image", "link"]);
        assert_eq!(blocks("", vec![file("b", None)]).len(), 1);
    }

    #[test]
    fn a_command_stays_at_the_beginning() {
        assert!(wants_directory_prefix("hello"));
        assert!(!wants_directory_prefix("/status"));
        assert!(!wants_directory_prefix("  /status"));
        assert!(wants_directory_prefix("see /etc"));
    }

    #[test]
    fn links_are_escaped() {
        assert_eq!(
            resource_link("file:///z", None),
            "[Resource link] file:///z"
        );
        assert_eq!(
            resource_link("a\nb", Some("c\u{7}")),
            "[Resource link (c\\u0007)] a\\nb"
        );
    }
}
