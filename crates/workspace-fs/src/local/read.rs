//! Reading text: whole, or in pieces of constant memory.

use std::io::{self, Read};

use cap_std::fs::{File, Metadata};

use crate::cancel::Cancel;
use crate::error::{FsError, Verb};
use crate::filesystem::{Target, TextRead, TextSink};
use crate::local::{
    LocalFileSystem, MAX_WHOLE_TEXT, STREAM_FROM_BYTES, open_located, stop_if_cancelled,
};
use crate::resolve::Entry;
use crate::text::{self, BOM, NotText};
use crate::version::{ContentHash, Version};

/// Bytes that are read at once. It holds the sample in which a NUL is looked for, and fits into the
/// cache of a processor core.
const PIECE: usize = 256 * 1024;

pub(super) fn whole_text(
    files: &LocalFileSystem,
    target: &Target,
    cancel: &Cancel,
) -> Result<TextRead, FsError> {
    let (file, metadata) = open(files, target, cancel)?;
    read_whole(file, &metadata, target, cancel)
}

/// Files below [`STREAM_FROM_BYTES`] come in one piece that was checked as a whole.
pub(super) fn stream_text(
    files: &LocalFileSystem,
    target: &Target,
    sink: &mut TextSink<'_>,
    cancel: &Cancel,
) -> Result<Version, FsError> {
    let (file, metadata) = open(files, target, cancel)?;
    if metadata.len() < STREAM_FROM_BYTES {
        let read = read_whole(file, &metadata, target, cancel)?;
        // Nothing is left that the sink could stop.
        let _ = sink(&read.text)?;
        return Ok(read.version);
    }
    stream(file, target, sink, cancel)?;
    Ok(Version::of_metadata(&metadata))
}

pub(super) fn open(
    files: &LocalFileSystem,
    target: &Target,
    cancel: &Cancel,
) -> Result<(File, Metadata), FsError> {
    let verb = Verb::Read;
    stop_if_cancelled(verb, cancel)?;
    let located = files.locate(verb, target)?;
    let path = || target.display_path.clone();
    match &located.entry {
        Entry::File(_) => open_located(&located.parent, &located.name, verb, &path()),
        Entry::Missing { .. } | Entry::Dangling => Err(FsError::NotFound { verb, path: path() }),
        Entry::Directory(_) | Entry::Other => Err(FsError::NotRegularFile { verb, path: path() }),
    }
}

fn read_whole(
    file: File,
    metadata: &Metadata,
    target: &Target,
    cancel: &Cancel,
) -> Result<TextRead, FsError> {
    let path = &target.display_path;
    let bytes = read_bytes(file, metadata, MAX_WHOLE_TEXT, Verb::Read, path, cancel)?;
    let version = Version::of_metadata(metadata).with_hash(ContentHash::of(&bytes));
    let text = text::decode(&bytes).map_err(|why| not_text(Verb::Read, path, why))?;
    Ok(TextRead {
        text: text.to_owned(),
        version,
    })
}

/// All bytes of a file, at most `limit` of them.
pub(super) fn read_bytes(
    mut file: File,
    metadata: &Metadata,
    limit: u64,
    verb: Verb,
    path: &str,
    cancel: &Cancel,
) -> Result<Vec<u8>, FsError> {
    let too_large = |size| FsError::TooLarge {
        verb,
        path: path.to_owned(),
        size,
        limit,
    };
    if metadata.len() > limit {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    loop {
        stop_if_cancelled(verb, cancel)?;
        let piece = u64::try_from(PIECE).unwrap_or(u64::MAX);
        let n = file
            .by_ref()
            .take(piece)
            .read_to_end(&mut bytes)
            .map_err(|error| FsError::from_io(verb, path, error))?;
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if size > limit {
            return Err(too_large(size));
        }
        if n < PIECE {
            return Ok(bytes);
        }
    }
}

fn stream(
    mut file: File,
    target: &Target,
    sink: &mut TextSink<'_>,
    cancel: &Cancel,
) -> Result<(), FsError> {
    let path = &target.display_path;
    let failed = |why| not_text(Verb::Read, path, why);
    let mut piece = vec![0_u8; PIECE];
    // Bytes at the beginning of `piece` that belong to a character which is not complete yet.
    let mut kept = 0;
    let mut is_first = true;
    loop {
        stop_if_cancelled(Verb::Read, cancel)?;
        let n = fill(&mut file, piece.get_mut(kept..).unwrap_or_default())
            .map_err(|error| FsError::from_io(Verb::Read, path, error))?;
        if n == 0 {
            return if kept == 0 {
                Ok(())
            } else {
                Err(failed(NotText::InvalidUtf8))
            };
        }
        let mut bytes = piece.get(..kept + n).unwrap_or_default();
        if is_first {
            is_first = false;
            if text::looks_binary(bytes) {
                return Err(failed(NotText::Binary));
            }
            bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
        }
        let (text, rest, is_invalid) = valid_prefix(bytes);
        if sink(text)?.is_break() {
            return Ok(());
        }
        if is_invalid {
            return Err(failed(NotText::InvalidUtf8));
        }
        let rest = piece.len().min(kept + n) - rest.len()..kept + n;
        kept = rest.len();
        piece.copy_within(rest, 0);
    }
}

/// The text that the bytes begin with, what follows it, and whether that can never become text.
fn valid_prefix(bytes: &[u8]) -> (&str, &[u8], bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text, &[], false),
        Err(error) => {
            let (valid, rest) = bytes.split_at(error.valid_up_to());
            let text = std::str::from_utf8(valid).unwrap_or_default();
            (text, rest, error.error_len().is_some())
        }
    }
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..)
        && !rest.is_empty()
    {
        match file.read(rest) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

pub(super) fn not_text(verb: Verb, path: &str, why: NotText) -> FsError {
    let path = path.to_owned();
    match why {
        NotText::Binary => FsError::Binary { verb, path },
        NotText::InvalidUtf8 => FsError::InvalidUtf8 { verb, path },
    }
}
