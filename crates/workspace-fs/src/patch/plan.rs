//! The first phase: what each section does, found out without writing.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use acp_grammar::apply::{AppliedHunk, apply};
use acp_grammar::patch::{Chunk, Operation, Patch, Section};
use cap_std::fs::Permissions;

use crate::cancel::Cancel;
use crate::error::{FsError, Verb};
use crate::filesystem::{FileSystem as _, FormChange, Target, TargetKey};
use crate::hunks::hunk_diffs;
use crate::local::{Found, LocalFileSystem};
use crate::patch::{PatchError, PatchOptions, PatchedFile, PatchedKind, SectionFault};
use crate::text::{diff_basis, form_change};
use crate::version::Version;

/// What is to be written, and what it will have done.
pub(super) struct Plan {
    pub(super) sections: Vec<PatchedFile>,
    /// The files in the order in which the sections touch them.
    pub(super) slots: Vec<Slot>,
}

/// A file that the patch touches.
pub(super) struct Slot {
    /// The path as written in the first section that touches it.
    pub(super) path: String,
    pub(super) target: Target,
    pub(super) original: Original,
    /// What stands there after the sections so far.
    pub(super) now: Now,
}

/// What stands there before the patch.
pub(super) enum Original {
    Absent,
    /// A text that was read.
    Text {
        text: String,
        version: Version,
        permissions: Permissions,
    },
    /// A file or a link that is only deleted.
    Unread {
        version: Version,
    },
}

/// What stands there after the patch.
pub(super) enum Now {
    Unchanged,
    Absent,
    /// `permissions` are those of the file that was moved here.
    Text {
        text: String,
        permissions: Option<Permissions>,
    },
}

impl Slot {
    fn exists(&self) -> bool {
        match (&self.now, &self.original) {
            (Now::Absent, _) | (Now::Unchanged, Original::Absent) => false,
            (Now::Text { .. } | Now::Unchanged, _) => true,
        }
    }
}

pub(super) fn plan(
    files: &LocalFileSystem,
    patch: &Patch<'_>,
    options: PatchOptions<'_>,
    cancel: &Cancel,
) -> Result<Plan, PatchError> {
    if patch.sections.is_empty() {
        return Err(PatchError::NoSections);
    }
    let mut planner = Planner {
        files,
        options,
        cancel,
        slots: Vec::new(),
        by_key: HashMap::new(),
    };
    let mut sections = Vec::with_capacity(patch.sections.len());
    let at = |index: usize, fault| PatchError::Section {
        section: index + 1,
        of: patch.sections.len(),
        path: patch
            .sections
            .get(index)
            .map_or_else(String::new, |section| section.path.trim().to_owned()),
        fault: Box::new(fault),
    };
    for (index, section) in patch.sections.iter().enumerate() {
        let file = planner.section(section).map_err(|fault| at(index, fault))?;
        sections.push(file);
    }
    if let Some(below) = planner.file_below_a_file() {
        let is_of_section = |file: &PatchedFile| file.target.key() == below.key();
        let index = sections.iter().position(is_of_section).unwrap_or_default();
        let fault = SectionFault::ParentIsFile {
            path: below.display_path().to_owned(),
        };
        return Err(at(index, fault));
    }
    Ok(Plan {
        sections,
        slots: planner.slots,
    })
}

struct Planner<'p> {
    files: &'p LocalFileSystem,
    options: PatchOptions<'p>,
    cancel: &'p Cancel,
    slots: Vec<Slot>,
    by_key: HashMap<TargetKey, usize>,
}

impl Planner<'_> {
    fn section(&mut self, section: &Section<'_>) -> Result<PatchedFile, SectionFault> {
        // Blanks around a path belong to the header.
        let path = section.path.trim();
        match &section.operation {
            Operation::Add(lines) => {
                let target = self.resolve(path)?;
                self.add(path, target, lines.contents())
            }
            Operation::Delete => self.delete(path),
            Operation::Update { move_to, chunks } => {
                self.update(path, move_to.map(str::trim), chunks)
            }
        }
    }

    fn add(
        &mut self,
        path: &str,
        target: Target,
        text: String,
    ) -> Result<PatchedFile, SectionFault> {
        let slot = self.slot(path, &target, Reading::Look)?;
        if slot.exists() {
            let path = target.display_path().to_owned();
            return Err(SectionFault::AddExists { path });
        }
        slot.now = Now::Text {
            text,
            permissions: None,
        };
        Ok(patched(PatchedKind::Added, path, target))
    }

    fn delete(&mut self, path: &str) -> Result<PatchedFile, SectionFault> {
        let target = self.files.resolve_entry(path, self.options.cwd)?;
        let slot = self.slot(path, &target, Reading::Entry)?;
        if !slot.exists() {
            return Err(not_found(Verb::Delete, &target));
        }
        slot.now = Now::Absent;
        Ok(patched(PatchedKind::Deleted, path, target))
    }

    fn update(
        &mut self,
        path: &str,
        move_to: Option<&str>,
        chunks: &[Chunk<'_>],
    ) -> Result<PatchedFile, SectionFault> {
        let dialect = self.options.dialect;
        let target = self.resolve(path)?;
        let destination = move_to.map(|to| self.resolve(to).map(|target| (to, target)));
        let destination = destination.transpose()?;
        let slot = self.slot(path, &target, Reading::Text)?;
        let (before, permissions) = match (&slot.now, &slot.original) {
            (Now::Text { text, permissions }, _) => (text, permissions.clone()),
            (
                Now::Unchanged,
                Original::Text {
                    text, permissions, ..
                },
            ) => (text, Some(permissions.clone())),
            (Now::Absent | Now::Unchanged, _) => return Err(not_found(Verb::Read, &target)),
        };
        let applied = apply(before, chunks, dialect).map_err(|error| SectionFault::Chunk {
            path: path.to_owned(),
            error,
        })?;
        let after = applied.new_text;
        let change = Change {
            is_none: *before == after,
            diffs: |shown: &str| hunk_diffs(shown, &diff_basis(before), &diff_basis(&after)),
            form: form_change(before, &after),
            hunks: applied.hunks,
        };
        let is_elsewhere = |(_, destination): &(&str, Target)| destination.key() != target.key();
        let Some((to, destination)) = destination.filter(is_elsewhere) else {
            let kind = if change.is_none {
                PatchedKind::Unchanged
            } else {
                PatchedKind::Modified
            };
            let planned = change.shown_as(kind, path, target.clone());
            if !matches!(planned.kind, PatchedKind::Unchanged) {
                // A file that stands there keeps its permissions when it is replaced.
                let permissions = permissions.filter(|_| matches!(slot.original, Original::Absent));
                slot.now = Now::Text {
                    text: after,
                    permissions,
                };
            }
            return Ok(planned);
        };
        let kind = PatchedKind::Moved {
            from: path.to_owned(),
        };
        let planned = change.shown_as(kind, to, destination.clone());
        // A link moves as its text: the link goes, and the file that it names stays as it is.
        let source = self.files.resolve_entry(path, self.options.cwd)?;
        self.slot(path, &source, Reading::Entry)?.now = Now::Absent;
        let slot = self.slot(to, &destination, Reading::Look)?;
        if slot.exists() {
            let path = destination.display_path().to_owned();
            return Err(SectionFault::MoveExists { path });
        }
        slot.now = Now::Text {
            text: after,
            permissions,
        };
        Ok(planned)
    }

    /// The state of a target, read from the workspace when the patch first touches it.
    fn slot(
        &mut self,
        path: &str,
        target: &Target,
        reading: Reading,
    ) -> Result<&mut Slot, SectionFault> {
        let index = if let Some(index) = self.by_key.get(target.key()) {
            *index
        } else {
            let original = self.original(target, reading)?;
            self.by_key.insert(target.key().clone(), self.slots.len());
            self.slots.push(Slot {
                path: path.to_owned(),
                target: target.clone(),
                original,
                now: Now::Unchanged,
            });
            self.slots.len() - 1
        };
        self.slots
            .get_mut(index)
            .ok_or_else(|| not_found(Verb::Read, target))
    }

    fn original(&self, target: &Target, reading: Reading) -> Result<Original, FsError> {
        let look = match reading {
            Reading::Entry => self.files.look_at_entry(target, self.cancel)?,
            Reading::Look | Reading::Text => self.files.look_at(target, self.cancel)?,
        };
        Ok(match (look, reading) {
            (Found::Nothing, _) => Original::Absent,
            (Found::File { .. }, Reading::Text) => {
                let (text, version, permissions) =
                    self.files.read_for_change(target, self.cancel)?;
                Original::Text {
                    text,
                    version,
                    permissions,
                }
            }
            (Found::File { version } | Found::Link { version }, _) => Original::Unread { version },
            (Found::Dangling, _) => {
                return Err(FsError::DanglingLink {
                    verb: Verb::Write,
                    path: target.display_path().to_owned(),
                });
            }
            (Found::Other, Reading::Entry) => return Err(no_file(Verb::Delete, target)),
            (Found::Other, Reading::Text) => return Err(no_file(Verb::Read, target)),
            // Something stands there, which is all that an Add or a Move asks.
            (Found::Other, Reading::Look) => return Err(no_file(Verb::Write, target)),
        })
    }

    /// A file that needs a directory where the patch leaves a file.
    fn file_below_a_file(&self) -> Option<&Target> {
        let present = self.slots.iter().filter(|slot| slot.exists());
        let by_key: BTreeMap<&PathBuf, &Target> = present
            .map(|slot| (&slot.target.key.0, &slot.target))
            .collect();
        // What lies below a path follows it directly in the order of components.
        let mut pairs = by_key.iter().zip(by_key.iter().skip(1));
        pairs
            .find(|((above, _), (below, _))| below.starts_with(above))
            .map(|(_, (_, target))| *target)
    }

    /// What a path means after the sections so far: where a link was deleted there is nothing.
    fn resolve(&self, path: &str) -> Result<Target, FsError> {
        let entry = self.files.resolve_entry(path, self.options.cwd);
        let is_deleted = |target: &Target| {
            let slot = self.by_key.get(target.key());
            let slot = slot.and_then(|index| self.slots.get(*index));
            slot.is_some_and(|slot| matches!(slot.now, Now::Absent))
        };
        match entry {
            Ok(target) if is_deleted(&target) => Ok(target),
            _ => self.files.resolve(path, self.options.cwd),
        }
    }
}

/// How much of a file a section needs.
#[derive(Clone, Copy)]
enum Reading {
    /// Whether something stands there, links followed.
    Look,
    /// Whether something stands there, a link as a link.
    Entry,
    /// The text.
    Text,
}

/// What an update did to its text.
struct Change<D> {
    is_none: bool,
    diffs: D,
    form: Option<FormChange>,
    hunks: Vec<AppliedHunk>,
}

impl<D: Fn(&str) -> Vec<crate::hunks::HunkDiff>> Change<D> {
    fn shown_as(self, kind: PatchedKind, path: &str, target: Target) -> PatchedFile {
        PatchedFile {
            diffs: (self.diffs)(path),
            hunks: self.hunks,
            form: self.form,
            ..patched(kind, path, target)
        }
    }
}

fn patched(kind: PatchedKind, path: &str, target: Target) -> PatchedFile {
    PatchedFile {
        kind,
        path: path.to_owned(),
        target,
        diffs: Vec::new(),
        hunks: Vec::new(),
        form: None,
        version: None,
    }
}

fn not_found(verb: Verb, target: &Target) -> SectionFault {
    let path = target.display_path().to_owned();
    SectionFault::File(FsError::NotFound { verb, path })
}

fn no_file(verb: Verb, target: &Target) -> FsError {
    let path = target.display_path().to_owned();
    FsError::NotRegularFile { verb, path }
}
