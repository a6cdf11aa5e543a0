//! What the input of a call declares, kept instead of its JSON.

use std::sync::Arc;

use acp_grammar::patch::{Dialect, Operation, parse};
use acp_grammar::tool::FileToolMembers;

/// All members that one of the file tools reads.
///
/// A later update can still change the title, and with it the tool, so every member is kept that
/// any of them would read. Texts are shared with the activities.
#[derive(Debug, Clone, Default)]
pub(crate) struct Declared {
    pub(super) path: Option<Arc<str>>,
    pub(super) content: Option<Arc<str>>,
    pub(super) edits: Vec<(Arc<str>, Arc<str>)>,
    pub(super) patch: PatchInput,
    has_relative_path: bool,
}

/// The member that carries a patch.
#[derive(Debug, Clone, Default)]
pub(super) enum PatchInput {
    /// There is none.
    #[default]
    None,
    /// The grammar does not accept it.
    Rejected { line: u32, message: Arc<str> },
    /// Its sections.
    Sections(Vec<Section>),
}

#[derive(Debug, Clone)]
pub(super) struct Section {
    pub(super) path: Arc<str>,
    pub(super) kind: SectionKind,
}

#[derive(Debug, Clone)]
pub(super) enum SectionKind {
    Add(Arc<str>),
    Delete,
    Update {
        move_to: Option<Arc<str>>,
        chunks: Vec<Chunk>,
    },
}

#[derive(Debug, Clone)]
pub(super) struct Chunk {
    pub(super) old_text: Arc<str>,
    pub(super) new_text: Arc<str>,
    pub(super) context: Option<Arc<str>>,
    pub(super) end_of_file: bool,
}

impl Declared {
    /// Reads the JSON text of `rawInput`. What is no object declares nothing.
    pub(crate) fn read(input: &str) -> Self {
        let Some(members) = FileToolMembers::read(input) else {
            return Self::default();
        };
        let patch = members
            .patch
            .as_deref()
            .map(PatchInput::read)
            .unwrap_or_default();
        let is_relative = |declared: &str| {
            let declared = declared.trim_start();
            !declared.starts_with(['/', '\\', '~']) && declared.as_bytes().get(1) != Some(&b':')
        };
        let in_patch = match &patch {
            PatchInput::Sections(sections) => {
                sections.iter().any(|section| is_relative(&section.path))
            }
            PatchInput::None | PatchInput::Rejected { .. } => false,
        };
        let Some(declared_path) = members.path else {
            // Without a path only a patch names files.
            return Self {
                patch,
                has_relative_path: in_patch,
                ..Self::default()
            };
        };
        Self {
            has_relative_path: in_patch || is_relative(&declared_path),
            path: Some(declared_path.into()),
            content: members.content.map(Into::into),
            edits: members
                .edits
                .into_iter()
                .map(|edit| (edit.old_text.into(), edit.new_text.into()))
                .collect(),
            patch,
        }
    }

    /// True when no file tool would make anything of it.
    pub(crate) fn is_empty(&self) -> bool {
        self.path.is_none() && matches!(self.patch, PatchInput::None)
    }

    /// Whether a path of it is relative to the agent's own working directory.
    pub(crate) fn has_relative_path(&self) -> bool {
        self.has_relative_path
    }
}

impl PatchInput {
    fn read(payload: &str) -> Self {
        let patch = match parse(payload, Dialect::Clawx) {
            Ok(patch) => patch,
            Err(error) => {
                let place = error.position(payload);
                let line = u32::try_from(place.line).unwrap_or(u32::MAX);
                return Self::Rejected {
                    line,
                    message: error.to_string().into(),
                };
            }
        };
        let sections = patch.sections.iter().map(|section| Section {
            path: section.path.into(),
            kind: match &section.operation {
                Operation::Add(lines) => SectionKind::Add(lines.contents().into()),
                Operation::Delete => SectionKind::Delete,
                Operation::Update { move_to, chunks } => SectionKind::Update {
                    move_to: move_to.map(Into::into),
                    chunks: chunks
                        .iter()
                        .map(|chunk| Chunk {
                            old_text: chunk.lines.old_text().into(),
                            new_text: chunk.lines.new_text().into(),
                            context: chunk.context.map(Into::into),
                            end_of_file: chunk.end_of_file,
                        })
                        .collect(),
                },
            },
        });
        Self::Sections(sections.collect())
    }
}
