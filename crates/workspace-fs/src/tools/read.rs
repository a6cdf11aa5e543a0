//! The read tool.

use crate::error::{FsError, Verb};
use crate::filesystem::FileKind;
use crate::tools::window::{Window, WindowBuilder};
use crate::tools::{ReadArguments, ToolSession, envelope};

/// What a read shows.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ReadResult {
    /// The absolute path for texts.
    pub display_path: String,
    /// The lines.
    pub window: Window,
}

impl ReadResult {
    /// The text for the model: numbered lines and how to go on.
    pub fn text(&self) -> String {
        let lines = self.window.lines.iter();
        let mut content: Vec<String> = lines
            .map(|line| format!("{}: {}", line.number, line.text))
            .collect();
        if !content.is_empty() {
            content.push(String::new());
        }
        content.push(self.window.footer());
        envelope(&self.display_path, &content.join("\n"))
    }
}

/// Reads a window of a file, in memory that does not depend on the size of the file once that is
/// large, and lets the policy know what was seen.
///
/// # Errors
/// No file, no text, an offset behind the end, cancelled.
pub fn read(session: &ToolSession<'_>, arguments: &ReadArguments) -> Result<ReadResult, FsError> {
    let target = session.resolve(&arguments.file_path)?;
    let path = || target.display_path().to_owned();
    let info = session.files.stat(&target, session.cancel)?;
    match info.map(|info| info.kind) {
        Some(FileKind::File) => {}
        Some(FileKind::Directory | FileKind::Other) => {
            let verb = Verb::Read;
            return Err(FsError::NotRegularFile { verb, path: path() });
        }
        None => {
            let verb = Verb::Read;
            return Err(FsError::NotFound { verb, path: path() });
        }
    }
    let mut builder = WindowBuilder::new(arguments.offset, arguments.limit);
    let version = session.files.stream_text(
        &target,
        &mut |piece| Ok(builder.push(piece)),
        session.cancel,
    )?;
    let window = builder.finish();
    let is_empty_file = arguments.offset == 1 && window.total_lines == 0;
    if arguments.offset > window.total_lines && !is_empty_file {
        return Err(FsError::OffsetOutOfRange {
            offset: arguments.offset,
            path: path(),
            total_lines: window.total_lines,
        });
    }
    session.observed(&target, &version);
    Ok(ReadResult {
        display_path: path(),
        window,
    })
}
