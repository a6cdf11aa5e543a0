//! The demo agent's own file access, beneath the working directory of its session.

use std::path::Path;

use acp_grammar::patch::{Dialect, Operation, parse};
use anyhow::{Result, anyhow};
use workspace_fs::patch::{PatchOptions, apply_patch};
use workspace_fs::{Cancel, FileSystem as _, LocalFileSystem, WriteIntent};

use super::script::FILES;

/// How the agent writes patches.
const DIALECT: Dialect = Dialect::Openclaw;

/// Writes the demo's project below `root`, which exists.
pub(crate) fn lay_out(root: &Path) -> Result<()> {
    for (path, text) in FILES {
        write(root, path, text)?;
    }
    Ok(())
}

/// Whether `root` is such a project, whatever has become of its other files: its README has the
/// heading that the demo's has.
pub(crate) fn is_project(root: &Path) -> bool {
    let Some((path, text)) = FILES.first() else {
        return false;
    };
    read(root, path).is_ok_and(|there| there.lines().next() == text.lines().next())
}

/// The text of a file.
pub(crate) fn read(root: &Path, path: &str) -> Result<String> {
    let files = LocalFileSystem::open(root)?;
    let target = files.resolve(path, None)?;
    Ok(files.read_text(&target, &Cancel::new())?.text)
}

/// Writes a whole file, and the directories that it needs.
pub(crate) fn write(root: &Path, path: &str, text: &str) -> Result<()> {
    let files = LocalFileSystem::open(root)?;
    let target = files.resolve(path, None)?;
    files.write_text(&target, text, WriteIntent::Unconditional, &Cancel::new())?;
    Ok(())
}

/// The paths that a patch names, in order.
pub(crate) fn patched_paths(payload: &str) -> Vec<&str> {
    let Ok(patch) = parse(payload, DIALECT) else {
        return Vec::new();
    };
    let sections = patch.sections.iter();
    let paths = sections.flat_map(|section| match section.operation {
        Operation::Update { move_to, .. } => [Some(section.path), move_to],
        _ => [Some(section.path), None],
    });
    paths.flatten().collect()
}

/// Applies a patch, all of it or nothing; gives the text for the model.
pub(crate) fn apply(root: &Path, payload: &str) -> Result<String> {
    let files = LocalFileSystem::open(root)?;
    let patch = parse(payload, DIALECT)?;
    let options = PatchOptions {
        dialect: DIALECT,
        cwd: None,
    };
    let applied = apply_patch(&files, &patch, options, &Cancel::new());
    let outcome = applied.map_err(|why| anyhow!(why.model_text()))?;
    Ok(outcome.text())
}
