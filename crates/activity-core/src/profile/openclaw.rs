//! Profile `openclaw`: the three file tools of `OpenClaw`, from titles and inputs alone.
//!
//! What is listed follows from what was declared, whatever the results say. The results only give
//! hints where a fragment stands, and doubts that are said beside the activity.

mod declared;
mod result;

use std::sync::Arc;

use acp_grammar::tool::FileTool;
use foldhash::HashSet;

pub(crate) use declared::Declared;
pub(crate) use result::ResultFacts;

use self::declared::{PatchInput, Section, SectionKind};
use super::masked::is_masked;
use super::{ActivityDraft, Findings, FragmentDraft, WholeTexts};
use crate::model::{Action, Evidence, Hint, PathStanding};
use crate::notice::NoticeKind;
use crate::path::Workspace;

/// What a call declared.
pub(crate) fn findings(
    tool: FileTool,
    declared: &Declared,
    result: &ResultFacts,
    workspace: &Workspace,
) -> Findings {
    let mut reading = Reading {
        tool,
        result,
        workspace,
        findings: Findings::default(),
    };
    match tool {
        FileTool::Write => reading.write(declared),
        FileTool::Edit => reading.edit(declared),
        FileTool::ApplyPatch => reading.patch(&declared.patch),
    }
    reading.findings
}

/// What a failed call may have done nevertheless: the tool applies the sections of a patch one by
/// one, so those before the failing one may be on the disk.
pub(crate) fn failure_notices(
    tool: FileTool,
    declared: &Declared,
    workspace: &Workspace,
) -> Vec<NoticeKind> {
    match (&declared.patch, tool) {
        (PatchInput::Rejected { line, message }, FileTool::ApplyPatch) => {
            vec![NoticeKind::PatchRejected {
                line: *line,
                message: Arc::clone(message),
            }]
        }
        (PatchInput::Sections(sections), FileTool::ApplyPatch) if sections.len() > 1 => {
            let before_the_last = sections.iter().take(sections.len() - 1);
            let mut seen = HashSet::default();
            let paths = before_the_last
                .filter_map(|section| workspace.resolve(&section.path))
                .filter(|path| seen.insert(Arc::clone(path)))
                .collect();
            vec![NoticeKind::PartlyApplied { paths }]
        }
        _ => Vec::new(),
    }
}

struct Reading<'a> {
    tool: FileTool,
    result: &'a ResultFacts,
    workspace: &'a Workspace,
    findings: Findings,
}

impl Reading<'_> {
    fn write(&mut self, declared: &Declared) {
        let fragments = declared.content.iter().map(|content| FragmentDraft {
            old_text: "".into(),
            new_text: Arc::clone(content),
            evidence: Evidence::Input,
            hint: Hint {
                masked: is_masked(content),
                ..Hint::default()
            },
        });
        self.one_file(declared, Action::Created, fragments.collect());
    }

    fn edit(&mut self, declared: &Declared) {
        let mut places = self.result.places();
        let fragments = declared.edits.iter().map(|(old_text, new_text)| {
            let place = places.take(old_text, new_text);
            FragmentDraft {
                old_text: Arc::clone(old_text),
                new_text: Arc::clone(new_text),
                evidence: Evidence::Input,
                hint: Hint {
                    old_line: place.map(|place| place.old_line),
                    new_line: place.map(|place| place.new_line),
                    masked: is_masked(old_text) || is_masked(new_text),
                    ..Hint::default()
                },
            }
        });
        let fragments = fragments.collect();
        self.one_file(declared, Action::Modified, fragments);
    }

    fn one_file(&mut self, declared: &Declared, action: Action, fragments: Vec<FragmentDraft>) {
        let Some(path) = &declared.path else { return };
        if let Some(relative_path) = self.resolve(path) {
            self.push(path, relative_path, action, fragments);
        }
    }

    fn patch(&mut self, patch: &PatchInput) {
        match patch {
            PatchInput::None => {}
            PatchInput::Rejected { line, message } => {
                self.findings.notices.push(NoticeKind::PatchRejected {
                    line: *line,
                    message: Arc::clone(message),
                });
            }
            PatchInput::Sections(sections) => {
                for section in sections {
                    self.section(section);
                }
            }
        }
    }

    fn section(&mut self, section: &Section) {
        let Some(path) = self.resolve(&section.path) else {
            return;
        };
        match &section.kind {
            SectionKind::Add(contents) => {
                let fragment = FragmentDraft {
                    old_text: "".into(),
                    new_text: Arc::clone(contents),
                    evidence: Evidence::Input,
                    hint: Hint {
                        masked: is_masked(contents),
                        ..Hint::default()
                    },
                };
                self.push(&section.path, path, Action::Created, vec![fragment]);
            }
            SectionKind::Delete => self.push(&section.path, path, Action::Deleted, Vec::new()),
            SectionKind::Update { move_to, chunks } => {
                let fragments = chunks.iter().map(|chunk| FragmentDraft {
                    old_text: Arc::clone(&chunk.old_text),
                    new_text: Arc::clone(&chunk.new_text),
                    evidence: Evidence::Input,
                    hint: Hint {
                        context: chunk.context.clone(),
                        end_of_file: chunk.end_of_file,
                        masked: is_masked(&chunk.old_text) || is_masked(&chunk.new_text),
                        ..Hint::default()
                    },
                });
                let fragments = fragments.collect();
                let Some(move_to) = move_to else {
                    return self.push(&section.path, path, Action::Modified, fragments);
                };
                // A move whose end is not in the workspace is not listed at all.
                let Some(destination) = self.resolve(move_to) else {
                    return;
                };
                if destination == path {
                    self.push(&section.path, path, Action::Modified, fragments);
                } else {
                    self.push(&section.path, path, Action::Deleted, Vec::new());
                    self.push(move_to, destination, Action::Created, fragments);
                }
            }
        }
    }

    fn resolve(&mut self, path: &Arc<str>) -> Option<Arc<str>> {
        let relative_path = self.workspace.resolve(path);
        if relative_path.is_none() {
            self.findings.notices.push(NoticeKind::OutsideWorkspace {
                path: Arc::clone(path),
            });
        }
        relative_path
    }

    fn push(
        &mut self,
        declared_path: &str,
        relative_path: Arc<str>,
        action: Action,
        fragments: Vec<FragmentDraft>,
    ) {
        let doubt = if self.result.unchanged {
            Some("the tool said that nothing changed")
        } else if declared_path.trim_start().starts_with("~/") {
            Some("the agent may take ~ for its home directory")
        } else {
            None
        };
        if fragments.iter().any(|fragment| fragment.hint.masked) {
            self.findings.notices.push(NoticeKind::Masked {
                path: Arc::clone(&relative_path),
            });
        }
        self.findings.drafts.push(ActivityDraft {
            tool_name: self.tool.name().into(),
            relative_path,
            from_path: None,
            action,
            fragments,
            standing: doubt.map_or(PathStanding::Known, |doubt| {
                PathStanding::Doubtful(doubt.into())
            }),
            whole: WholeTexts::default(),
        });
    }
}
