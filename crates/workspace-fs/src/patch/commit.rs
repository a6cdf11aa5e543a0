//! The second phase: writing what was planned, and taking it back if that fails.

use std::collections::HashMap;
use std::path::PathBuf;

use cap_std::fs::Permissions;

use crate::cancel::Cancel;
use crate::error::FsError;
use crate::filesystem::{Target, TargetKey, WriteIntent};
use crate::local::{LocalFileSystem, Removed};
use crate::patch::plan::{Now, Original, Plan, Slot};
use crate::patch::{PatchError, PatchOutcome, Rollback};
use crate::version::Version;

/// Writes the plan: first what is created and changed, then what is removed, so that a file that
/// moves is never in neither place.
pub(super) fn commit(
    files: &LocalFileSystem,
    plan: Plan,
    cancel: &Cancel,
) -> Result<PatchOutcome, PatchError> {
    let mut writer = Writer {
        files,
        cancel,
        done: Vec::new(),
    };
    let mut versions: HashMap<TargetKey, Version> = HashMap::new();
    let removals_last = |slot: &&Slot| matches!(slot.now, Now::Absent);
    let mut slots: Vec<&Slot> = plan.slots.iter().collect();
    slots.sort_by_key(removals_last);
    for slot in slots {
        match writer.write(slot) {
            Ok(Some(version)) => {
                versions.insert(slot.target.key().clone(), version);
            }
            Ok(None) => {}
            Err(error) => {
                return Err(PatchError::Write {
                    path: slot.path.clone(),
                    error,
                    rollback: writer.take_back(),
                });
            }
        }
    }
    let mut sections = plan.sections;
    for section in &mut sections {
        section.version = versions.get(section.target.key()).copied();
    }
    Ok(PatchOutcome { files: sections })
}

/// A step that was taken, with what it takes to undo it.
enum Done<'s> {
    Created {
        slot: &'s Slot,
        version: Version,
        /// Directories that were made for it, outermost first.
        directories: Vec<PathBuf>,
    },
    Replaced {
        slot: &'s Slot,
        text: &'s str,
        version: Version,
    },
    Removed {
        slot: &'s Slot,
        removed: Removed,
    },
}

struct Writer<'w, 's> {
    files: &'w LocalFileSystem,
    cancel: &'w Cancel,
    done: Vec<Done<'s>>,
}

impl<'s> Writer<'_, 's> {
    /// The version that stands there afterwards, if a file was written.
    fn write(&mut self, slot: &'s Slot) -> Result<Option<Version>, FsError> {
        match (&slot.original, &slot.now) {
            (_, Now::Unchanged) | (Original::Absent, Now::Absent) => Ok(None),
            (Original::Absent, Now::Text { text, permissions }) => {
                let directories = self.files.missing_directories(&slot.target)?;
                let version = self.put(
                    &slot.target,
                    text,
                    WriteIntent::CreateIfAbsent,
                    permissions.clone(),
                )?;
                self.done.push(Done::Created {
                    slot,
                    version,
                    directories,
                });
                Ok(Some(version))
            }
            (
                Original::Text {
                    text: before,
                    version,
                    ..
                },
                Now::Text { text, permissions },
            ) => {
                let intent = WriteIntent::ReplaceIfVersion(*version);
                let version = self.put(&slot.target, text, intent, permissions.clone())?;
                self.done.push(Done::Replaced {
                    slot,
                    text: before,
                    version,
                });
                Ok(Some(version))
            }
            // Deleted and added again: the file was never read, so it is removed and created.
            (Original::Unread { version }, Now::Text { text, permissions }) => {
                self.remove(slot, version)?;
                let intent = WriteIntent::CreateIfAbsent;
                let version = self.put(&slot.target, text, intent, permissions.clone())?;
                self.done.push(Done::Created {
                    slot,
                    version,
                    directories: Vec::new(),
                });
                Ok(Some(version))
            }
            (Original::Text { version, .. } | Original::Unread { version }, Now::Absent) => {
                self.remove(slot, version)?;
                Ok(None)
            }
        }
    }

    fn put(
        &self,
        target: &Target,
        text: &str,
        intent: WriteIntent,
        permissions: Option<Permissions>,
    ) -> Result<Version, FsError> {
        let outcome = self
            .files
            .write_with(target, text, intent, permissions, self.cancel)?;
        Ok(outcome.version)
    }

    fn remove(&mut self, slot: &'s Slot, version: &Version) -> Result<(), FsError> {
        let removed = self.files.remove(&slot.target, version, self.cancel)?;
        self.done.push(Done::Removed { slot, removed });
        Ok(())
    }

    /// Undoes the steps, the last one first. It is not cancelled.
    fn take_back(self) -> Rollback {
        let mut rollback = Rollback::default();
        let go_on = Cancel::new();
        for done in self.done.into_iter().rev() {
            let (slot, undone) = match done {
                Done::Created {
                    slot,
                    version,
                    directories,
                } => {
                    let removed = self.files.remove(&slot.target, &version, &go_on);
                    for directory in directories.iter().rev() {
                        self.files.remove_empty_directory(directory);
                    }
                    (slot, removed.map(drop))
                }
                Done::Replaced {
                    slot,
                    text,
                    version,
                } => {
                    let intent = WriteIntent::ReplaceIfVersion(version);
                    let written = self
                        .files
                        .write_with(&slot.target, text, intent, None, &go_on);
                    (slot, written.map(drop))
                }
                Done::Removed { slot, removed } => {
                    (slot, self.files.put_back(&slot.target, removed, &go_on))
                }
            };
            match undone {
                Ok(()) => rollback.restored.push(slot.path.clone()),
                Err(why) => rollback
                    .left_changed
                    .push((slot.path.clone(), why.to_string())),
            }
        }
        rollback
    }
}
