//! Bytes as text: what counts as text, the byte order mark, and line endings.

use std::borrow::Cow;

use crate::filesystem::FormChange;

/// A NUL among so many first bytes makes a file binary for reading.
pub(crate) const BINARY_SAMPLE: usize = 8192;

/// The byte order mark of UTF-8.
pub(crate) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Why bytes are not text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum NotText {
    Binary,
    InvalidUtf8,
}

/// Whether a NUL stands in the first [`BINARY_SAMPLE`] bytes.
pub(crate) fn looks_binary(bytes: &[u8]) -> bool {
    let sample = bytes.get(..BINARY_SAMPLE).unwrap_or(bytes);
    memchr::memchr(0, sample).is_some()
}

/// The text of a whole file for reading: without a byte order mark, endings as they are.
pub(crate) fn decode(bytes: &[u8]) -> Result<&str, NotText> {
    if looks_binary(bytes) {
        return Err(NotText::Binary);
    }
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|_| NotText::InvalidUtf8)
}

/// The text of a whole file for changing it: a NUL anywhere makes it binary, and the byte order mark
/// is given apart so that it can be put back.
pub(crate) fn decode_for_edit(bytes: &[u8]) -> Result<(&'static str, &str), NotText> {
    if memchr::memchr(0, bytes).is_some() {
        return Err(NotText::Binary);
    }
    let (mark, rest) = match bytes.strip_prefix(BOM) {
        Some(rest) => ("\u{FEFF}", rest),
        None => ("", bytes),
    };
    match std::str::from_utf8(rest) {
        Ok(text) => Ok((mark, text)),
        Err(_) => Err(NotText::InvalidUtf8),
    }
}

/// The text with every CR LF as LF. A lone CR is an ordinary character.
pub(crate) fn with_lf(text: &str) -> Cow<'_, str> {
    if memchr::memmem::find(text.as_bytes(), b"\r\n").is_none() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.replace("\r\n", "\n"))
    }
}

/// A text as differences are computed on it: no byte order mark, CR LF as LF.
pub(crate) fn diff_basis(text: &str) -> Cow<'_, str> {
    with_lf(text.strip_prefix('\u{FEFF}').unwrap_or(text))
}

/// What differs when the texts as they are compared do not, or only in their last newline.
pub(crate) fn form_change(old: &str, new: &str) -> Option<FormChange> {
    if old == new {
        return None;
    }
    let (old_basis, new_basis) = (diff_basis(old), diff_basis(new));
    if old_basis == new_basis {
        return Some(if with_lf(old) == with_lf(new) {
            FormChange::LineEndings
        } else {
            FormChange::ByteOrderMark
        });
    }
    let without_newline = |text: &'_ str| {
        text.strip_suffix('\n')
            .map_or(text.len(), |_| text.len() - 1)
    };
    let (old_len, new_len) = (without_newline(&old_basis), without_newline(&new_basis));
    (old_basis.get(..old_len) == new_basis.get(..new_len)).then_some(FormChange::FinalNewline)
}
