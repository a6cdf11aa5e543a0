//! Starting what the desktop has for a file: the file manager, the browser, a program.
//!
//! No shell is involved: programs are started with their arguments, and nobody waits for them.
//! Which programs can open a file is not asked of macOS and Windows yet, because no well-kept library
//! does it; their lists are empty, and the file can be revealed.

use std::path::Path;
use std::process::{Command, Stdio};

use workspace_fs::{ReferenceError, Root, WorkspaceFileRef, reference};

use super::browser::{file_url, is_html};
use super::handlers::{Handler, Platform};
use super::open_with::HandlerService;

/// The programs of this system: none are listed.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemHandlers;

impl HandlerService for SystemHandlers {
    fn enumerate(&mut self, _: &Path, _: bool) -> Result<Vec<Handler>, ReferenceError> {
        Ok(Vec::new())
    }

    fn association(&mut self, path: &Path) -> Result<String, ReferenceError> {
        let extension = path.extension().unwrap_or_default();
        Ok(extension.to_string_lossy().to_lowercase())
    }

    fn launch(&mut self, handler: &Handler, path: &Path) -> Result<(), ReferenceError> {
        open::with_detached(path, &handler.id).map_err(|_| ReferenceError::OperationFailed)
    }
}

/// Shows a file of the workspace in the file manager.
///
/// # Errors
/// Nothing is there, it is no file, the path leads outside, or there is no file manager.
pub fn reveal(root: &Root, relative: &str) -> Result<(), ReferenceError> {
    reference::native_path(root, relative)?;
    let path = reference::native_path(root, relative)?;
    let shown = match Platform::current() {
        Platform::Darwin => start(Command::new("/usr/bin/open").arg("-R").arg(&path)),
        Platform::Win32 => {
            let mut select = std::ffi::OsString::from("/select,");
            select.push(&path);
            start(Command::new("explorer.exe").arg(select))
        }
        Platform::Linux => reveal_over_dbus(&path),
    };
    let directory = path.parent().unwrap_or(&path);
    shown
        .or_else(|_| open::that_detached(directory))
        .map_err(|_| ReferenceError::OperationFailed)
}

/// Opens an HTML file of the workspace in the system's browser.
///
/// # Errors
/// Nothing is there, it is no HTML file, the path leads outside, or there is no browser.
pub fn open_in_browser(root: &Root, file: &WorkspaceFileRef) -> Result<(), ReferenceError> {
    if !is_html(&file.relative_path) {
        return Err(ReferenceError::OperationFailed);
    }
    reference::native_path(root, &file.relative_path)?;
    let path = reference::native_path(root, &file.relative_path)?;
    let path = path.to_str().ok_or(ReferenceError::OperationFailed)?;
    open::that_detached(file_url(path)).map_err(|_| ReferenceError::OperationFailed)
}

/// Asks the file manager of a Linux desktop to show the file selected in its directory.
fn reveal_over_dbus(path: &Path) -> std::io::Result<()> {
    let path = path.to_str().ok_or(std::io::ErrorKind::InvalidFilename)?;
    // A comma separates the elements of an array for this program.
    let url = file_url(path).replace(',', "%2C");
    let status = Command::new("dbus-send")
        .args([
            "--session",
            "--print-reply",
            "--reply-timeout=2000",
            "--dest=org.freedesktop.FileManager1",
            "--type=method_call",
            "/org/freedesktop/FileManager1",
            "org.freedesktop.FileManager1.ShowItems",
        ])
        .arg(format!("array:string:{url}"))
        .arg("string:")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err(std::io::Error::other("no file manager answered"))
    }
}

/// Starts a program and leaves it alone.
fn start(command: &mut Command) -> std::io::Result<()> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map(drop)
}
