//! Content blocks, and the content of tool calls.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::lenient::{Flag, List, Map, Number, Raw, Text, TextLength, object, object_from_str};
use super::{ContentBlock, Diff, Field, ResourceLink, ToolContent, git_patch};

object! {
    /// The members of every kind of content block.
    pub(super) struct AnyBlock<'a> {
        "type" => kind: Text<'a>,
        "text" => text: Text<'a>,
        "data" => data: TextLength,
        "mimeType" => mime_type: Text<'a>,
        "uri" => uri: Text<'a>,
        "name" => name: Text<'a>,
        "title" => title: Text<'a>,
        "size" => size: Number,
        "resource" => resource: Map<AnyResource<'a>>,
    }
}

object! {
    /// The `resource` of an embedded resource.
    pub(super) struct AnyResource<'a> {
        "uri" => uri: Text<'a>,
        "mimeType" => mime_type: Text<'a>,
        "text" => text: Text<'a>,
    }
}

object! {
    /// The members of every kind of tool content; a block in a message has a part of them.
    pub(super) struct AnyContent<'a> {
        "content" => content: Map<AnyBlock<'a>>,
        "path" => path: Text<'a>,
        "oldPath" => old_path: Text<'a>,
        "oldText" => old_text: Text<'a>,
        "newText" => new_text: Text<'a>,
        "operation" => operation: Text<'a>,
        "deleted" => deleted: Flag,
        "fileType" => file_type: Text<'a>,
        "changes" => changes: List<Map<AnyChange<'a>>>,
        "patch" => patch: Raw<'a>,
        "terminalId" => terminal_id: Text<'a>,
        "_meta" => meta: Raw<'a>,
        else => block: AnyBlock<'a>,
    }
}

object! {
    /// One entry of a version 2 diff.
    pub(super) struct AnyChange<'a> {
        "operation" => operation: Text<'a>,
        "path" => path: Text<'a>,
        "oldPath" => old_path: Text<'a>,
        "fileType" => file_type: Text<'a>,
        "_meta" => meta: Raw<'a>,
    }
}

object! {
    struct PatchObject<'a> {
        "text" => text: Text<'a>,
    }
}

object! {
    struct DiffMeta<'a> {
        "kind" => kind: Text<'a>,
    }
}

impl<'a> AnyBlock<'a> {
    pub(super) fn into_block(self) -> ContentBlock<'a> {
        match self.kind.as_str() {
            "text" => match self.text.0 {
                Field::Value(text) => ContentBlock::Text(text),
                _ => unknown_block(self.kind),
            },
            "image" => ContentBlock::Image {
                mime_type: self.mime_type.value(),
                uri: self.uri.value(),
                data_len: self.data.0,
            },
            "audio" => ContentBlock::Audio {
                mime_type: self.mime_type.value(),
            },
            "resource_link" => match self.uri.0 {
                Field::Value(uri) => ContentBlock::ResourceLink(ResourceLink {
                    uri,
                    name: self.name.value(),
                    title: self.title.value(),
                    mime_type: self.mime_type.value(),
                    size: self.size.0,
                }),
                _ => unknown_block(self.kind),
            },
            "resource" => {
                let resource = self.resource.0.value().unwrap_or_default();
                match resource.uri.0 {
                    Field::Value(uri) => ContentBlock::Resource {
                        uri,
                        mime_type: resource.mime_type.value(),
                        text: resource.text.value(),
                    },
                    _ => unknown_block(self.kind),
                }
            }
            _ => unknown_block(self.kind),
        }
    }
}

fn unknown_block(kind: Text<'_>) -> ContentBlock<'_> {
    ContentBlock::Unknown(kind.value().unwrap_or_default())
}

impl<'a> AnyContent<'a> {
    /// As a block of a message.
    pub(super) fn into_block(self) -> ContentBlock<'a> {
        self.block.into_block()
    }

    /// As content of a tool call; a version 2 diff becomes one piece per change.
    pub(super) fn into_tool_content(self, pieces: &mut Vec<ToolContent<'a>>) {
        match self.block.kind.as_str() {
            "content" => pieces.push(match self.content.0 {
                Field::Value(block) => ToolContent::Block(block.into_block()),
                _ => unknown_piece(self.block.kind),
            }),
            "diff" => self.into_diffs(pieces),
            "terminal" => pieces.push(match self.terminal_id.0 {
                Field::Value(terminal_id) => ToolContent::Terminal { terminal_id },
                _ => unknown_piece(self.block.kind),
            }),
            // Some agents leave out the wrapper round an ordinary block.
            "text" | "image" | "audio" | "resource_link" | "resource" => {
                pieces.push(ToolContent::Block(self.block.into_block()));
            }
            _ => pieces.push(unknown_piece(self.block.kind)),
        }
    }

    fn into_diffs(self, pieces: &mut Vec<ToolContent<'a>>) {
        if self.changes.0.is_present() {
            let changes: Vec<AnyChange<'a>> = self
                .changes
                .into_vec()
                .into_iter()
                .filter_map(|Map(change)| change.value())
                .collect();
            pieces.extend(split_changes(changes, patch_text(self.patch)).map(ToolContent::Diff));
            return;
        }
        let meta = self.meta.0.value();
        let Field::Value(path) = self.path.0 else {
            pieces.push(unknown_piece(self.block.kind));
            return;
        };
        pieces.push(ToolContent::Diff(Diff {
            path,
            old_path: self.old_path.value(),
            old_text: self.old_text.0,
            new_text: self.new_text.0,
            operation: self.operation.value().or_else(|| meta_kind(meta)),
            deleted: self.deleted.0,
            file_type: self.file_type.value(),
            patch: patch_text(self.patch),
            meta,
        }));
    }
}

fn unknown_piece(kind: Text<'_>) -> ToolContent<'_> {
    ToolContent::Unknown(kind.value().unwrap_or_default())
}

/// One diff for each change that names a path, with its part of the patch.
fn split_changes<'a>(
    changes: Vec<AnyChange<'a>>,
    patch: Option<Cow<'a, str>>,
) -> impl Iterator<Item = Diff<'a>> {
    let named: Vec<AnyChange<'a>> = changes
        .into_iter()
        .filter(|change| change.path.0.as_value().is_some())
        .collect();
    let patches = patch.map_or_else(
        || vec![None; named.len()],
        |patch| {
            let paths: Vec<&str> = named.iter().map(|change| change.path.as_str()).collect();
            git_patch::parts_for(&patch, &paths)
        },
    );
    named.into_iter().zip(patches).map(|(change, patch)| {
        let meta = change.meta.0.value();
        let operation = change.operation.value().or_else(|| meta_kind(meta));
        Diff {
            path: change.path.value().unwrap_or_default(),
            old_path: change.old_path.value(),
            deleted: operation.as_deref() == Some("delete"),
            operation,
            file_type: change.file_type.value(),
            patch,
            meta,
            ..Diff::default()
        }
    })
}

/// A patch is an object with its text (version 2), or the text itself.
fn patch_text(patch: Raw<'_>) -> Option<Cow<'_, str>> {
    let json = patch.0.value()?.get();
    match serde_json::from_str(json).ok()? {
        Text(Field::Value(text)) => Some(text),
        Text(_) => object_from_str::<PatchObject<'_>>(json)?.text.value(),
    }
}

/// Agents of version 1 say in `_meta.kind` what a diff does.
fn meta_kind(meta: Option<&RawValue>) -> Option<Cow<'_, str>> {
    object_from_str::<DiffMeta<'_>>(meta?.get())?.kind.value()
}
