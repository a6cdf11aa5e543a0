//! An editor on the demo's project, with the changes of the recorded session shown in it.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use super::files;
use super::run::Places;
use crate::cli::Failure;

/// An editor that the demo can open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Editor {
    /// Neovim 0.11 or newer, with the plugin of the checkout that the binary was built in, if any.
    Nvim,
    /// VS Code with the acp-lens extension.
    Code,
}

/// The configuration with which a plain Neovim shows lenses.
const NVIM_INIT: &str = include_str!("editor.lua");

/// The file that is opened first: it has two hunks.
const FIRST_FILE: &str = "receipt.py";

/// Opens the editor, and waits until the person has closed it.
pub(crate) fn open(editor: Editor, places: &Places) -> Result<(), Failure> {
    let (program, command) = match editor {
        Editor::Nvim => ("nvim", nvim(places)),
        Editor::Code => ("code", code(places)),
    };
    let status = command.and_then(|mut command| command.status());
    match status {
        Ok(_) => Ok(()),
        Err(why) if why.kind() == io::ErrorKind::NotFound => Err(Failure::new(
            format!("there is no `{program}` on the PATH"),
            "install it, or try the demo without --editor",
        )),
        Err(why) => Err(Failure::new(
            format!("`{program}` cannot be opened: {why}"),
            "try the demo without --editor",
        )),
    }
}

fn nvim(places: &Places) -> io::Result<Command> {
    let init = places.trace.with_file_name("init.lua");
    std::fs::write(&init, NVIM_INIT)?;
    let server = std::env::current_exe()?;
    let mut command = Command::new("nvim");
    if let Some(plugin) = plugin_beside(&server) {
        command.env("ACP_LENS_DEMO_PLUGIN", plugin);
    }
    command
        .arg("--clean")
        .arg("-u")
        .arg(&init)
        .arg(FIRST_FILE)
        .current_dir(&places.workspace)
        .env("ACP_LENS_DEMO_SERVER", server)
        .env("ACP_LENS_DEMO_TRACE", &places.trace);
    Ok(command)
}

/// The plugin in the checkout that the server was built in: the server stands in its `target`.
fn plugin_beside(server: &Path) -> Option<PathBuf> {
    let server = server.canonicalize().ok()?;
    let mut above = server.ancestors();
    let target = above.find(|it| it.file_name().is_some_and(|name| name == "target"))?;
    let plugin = target.parent()?.join("editors/nvim");
    plugin
        .join("plugin/acp_lens.lua")
        .is_file()
        .then_some(plugin)
}

fn code(places: &Places) -> io::Result<Command> {
    let server: &Path = &std::env::current_exe()?;
    let content = json!({"acpLens.trace": places.trace, "acpLens.server.path": server});
    let settings = format!("{content:#}\n");
    files::write(&places.workspace, ".vscode/settings.json", &settings)
        .map_err(io::Error::other)?;
    let mut command = Command::new("code");
    command
        .args(["--new-window", "--wait"])
        .arg(&places.workspace)
        .arg("--goto")
        .arg(places.workspace.join(FIRST_FILE));
    Ok(command)
}
