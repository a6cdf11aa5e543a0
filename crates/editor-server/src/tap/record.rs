//! The recording that a person asked for: every message of the connection, one a line.

use std::fs::{File, TryLockError};
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use super::frames::{Assembler, Frame};
use super::mask::masked;
use super::opening::Openings;
use super::route::Router;
use super::spill::{Next, Record, Spill};

/// Whether secrets stay in a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Secrets {
    /// They are masked.
    Masked,
    /// They stay, since the person asked for it.
    Raw,
}

/// Opens the file of a recording. A new one is for its owner alone; one that is there goes on
/// behind what it holds, since clients start the same command anew for each connection.
///
/// # Errors
///
/// When it cannot be opened, when another tap writes it, and when it holds something else than a
/// recording, which stays as it is.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    let is_other = path.metadata().is_ok_and(|metadata| !metadata.is_file());
    if is_other {
        // A pipe or a device has nothing that could be kept.
        return options.write(true).open(path);
    }
    options.read(true).append(true).create(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        return Err(io::Error::other("another tap writes it"));
    }
    let mut byte = [0];
    if file.read(&mut byte)? == 0 {
        return Ok(file);
    }
    if byte != *b"{" {
        return Err(io::Error::other("it holds something else than a recording"));
    }
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut byte)?;
    if byte != *b"\n" {
        // A tap that was killed can leave half a line.
        file.write_all(b"\n")?;
    }
    Ok(file)
}

/// Writes all messages of the spill into `file`, until the spill ends.
pub(super) fn record(
    spill: &Arc<Spill>,
    openings: &Openings,
    file: File,
    secrets: Secrets,
) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(256 * 1024, file);
    let mut reader = spill.reader();
    let mut assembler = Assembler::default();
    let mut router = Router::everything();
    let mut written = Ok(());
    let mut last_ms = 0;
    loop {
        match reader.next()? {
            Next::Record(record) => {
                let mut each = |frame: Frame<'_>| {
                    if written.is_ok() {
                        written =
                            write_frame(&mut file, &mut router, &frame, secrets, &mut last_ms);
                    }
                };
                if let Record::Overtaken { read, resumed } = record {
                    openings.missed(read, resumed, &mut each);
                }
                assembler.feed(record, each);
            }
            Next::CaughtUp => {
                file.flush()?;
                reader.wait();
            }
            Next::End => break,
        }
        std::mem::replace(&mut written, Ok(()))?;
    }
    let at_ms = last_ms;
    assembler.finish(at_ms, |frame| {
        if written.is_ok() {
            written = write_frame(&mut file, &mut router, &frame, secrets, &mut last_ms);
        }
    });
    written?;
    file.flush()
}

fn write_frame(
    file: &mut impl Write,
    router: &mut Router,
    frame: &Frame<'_>,
    secrets: Secrets,
    last_ms: &mut u64,
) -> io::Result<()> {
    let &Frame::Line {
        direction,
        at_ms,
        line,
    } = frame
    else {
        let Frame::Gap { direction } = frame else {
            return Ok(());
        };
        let gap = direction.map_or("both", super::Direction::word);
        return writeln!(file, "{{\"gap\":\"{gap}\"}}");
    };
    *last_ms = at_ms;
    let Some(wanted) = router.want(direction, line) else {
        return Ok(());
    };
    let message = match secrets {
        Secrets::Masked => masked(wanted.method.as_deref(), wanted.message),
        Secrets::Raw => wanted.message.into(),
    };
    let dir = direction.word();
    writeln!(
        file,
        "{{\"t\":{at_ms},\"dir\":\"{dir}\",\"msg\":{message}}}"
    )
}
