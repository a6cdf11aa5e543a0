//! A patch inside a shell command.

use std::borrow::Cow;

use acp_grammar::shell::{Invocation, from_argv, from_script};

use super::facts::Facts;
use super::json::{Json, Object};

/// A patch that a command hands to `apply_patch`, and the directory in which it does that.
#[derive(Debug, Clone)]
pub(super) struct CommandPatch<'a> {
    pub(super) text: &'a str,
    directory: Option<String>,
}

/// The patch of a command, where calling `apply_patch` is all that the command does.
pub(super) fn patch_of_command<'a>(input: &'a Object<'a>) -> Option<CommandPatch<'a>> {
    let command = ["command", "cmd", "script", "argv", "args"]
        .iter()
        .find_map(|name| input.get(name))?;
    let (text, inner) = match command {
        Json::String(script) => patch_and_directory(from_script(script))?,
        Json::List(items) => {
            let argv: Option<Vec<&'a str>> = items.iter().map(Json::as_str).collect();
            patch_of_argv(&argv?)?
        }
        _ => return None,
    };
    let outer = input.word(&[
        "cwd",
        "workdir",
        "working_directory",
        "workingDirectory",
        "directory",
    ]);
    let directory = match (outer, inner) {
        (Some(outer), Some(inner)) => Some(join(outer, &inner)),
        (outer, inner) => inner.or(outer.map(str::to_owned)),
    };
    Some(CommandPatch { text, directory })
}

fn patch_of_argv<'a>(argv: &[&'a str]) -> Option<(&'a str, Option<String>)> {
    let (patch, directory) = patch_and_directory(from_argv(argv))?;
    let in_argument = |arg: &&'a str| {
        let at = arg.find(patch)?;
        arg.get(at..at + patch.len())
    };
    Some((argv.iter().find_map(in_argument)?, directory))
}

fn patch_and_directory(invocation: Invocation<'_>) -> Option<(&str, Option<String>)> {
    match invocation {
        Invocation::Patch { workdir, patch } => Some((patch, workdir.map(Cow::into_owned))),
        Invocation::Implicit { .. } | Invocation::None => None,
    }
}

impl CommandPatch<'_> {
    /// Makes the paths of the patch relative to where the session resolves paths.
    pub(super) fn resolve(&self, facts: &mut Facts<'_>) {
        let Some(directory) = &self.directory else {
            return;
        };
        for path in [&mut facts.path, &mut facts.from].into_iter().flatten() {
            *path = Cow::Owned(join(directory, path));
        }
    }
}

fn join(directory: &str, path: &str) -> String {
    let drive = path.as_bytes().get(1) == Some(&b':');
    if path.starts_with(['/', '\\', '~']) || drive {
        path.to_owned()
    } else {
        format!("{}/{path}", directory.trim_end_matches('/'))
    }
}
