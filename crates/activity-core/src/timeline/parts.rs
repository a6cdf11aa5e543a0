//! Content blocks as parts of items.

use std::borrow::Cow;
use std::sync::Arc;

use acp_grammar::wire::{ContentBlock, ToolContent};

use super::{Part, Role};
use crate::attachment;

/// The part that a content block becomes.
pub(crate) fn of_block(block: &ContentBlock<'_>) -> Part {
    match block {
        ContentBlock::Text(text) => Part::Text(text.to_string()),
        ContentBlock::Image { mime_type, uri, .. } => Part::Image {
            uri: shared(uri.as_ref()),
            mime_type: shared(mime_type.as_ref()),
        },
        ContentBlock::ResourceLink(link) => Part::Attachment {
            uri: link.uri.as_ref().into(),
            display_name: attachment::display_name(
                link.name.as_deref().or(link.title.as_deref()),
                &link.uri,
            ),
        },
        ContentBlock::Resource { uri, .. } => Part::Attachment {
            uri: uri.as_ref().into(),
            display_name: attachment::display_name(None, uri),
        },
        _ => Part::Unsupported,
    }
}

/// The part that a piece of a tool's content becomes.
pub(crate) fn of_tool_content(content: &ToolContent<'_>) -> Part {
    match content {
        ToolContent::Block(block) => of_block(block),
        ToolContent::Diff(diff) => Part::Diff {
            path: diff.path.as_ref().into(),
        },
        ToolContent::Terminal { terminal_id } => Part::Terminal {
            terminal_id: terminal_id.as_ref().into(),
        },
        _ => Part::Unsupported,
    }
}

/// Adds a block to a message: text that continues text becomes one part with it. What the user
/// writes after an attachment still belongs to the text before it.
pub(crate) fn append(parts: &mut Vec<Part>, role: Role, block: &ContentBlock<'_>) {
    if let ContentBlock::Text(text) = block {
        let continued = match role {
            Role::User => parts.iter_mut().find(|part| matches!(part, Part::Text(_))),
            Role::Assistant => parts.last_mut(),
        };
        if let Some(Part::Text(before)) = continued {
            before.push_str(text);
            return;
        }
    }
    parts.push(of_block(block));
}

fn shared(text: Option<&Cow<'_, str>>) -> Option<Arc<str>> {
    text.map(|text| text.as_ref().into())
}
