//! Secrets that an agent masked before it sent a text.

/// The text has a mask (`***`) where a value should be, so it is not the text of the file.
///
/// Rules, emphasis and comment banners of asterisks are no masks: a mask stands where a value
/// does, behind `=`, `:` or a quote, and ends where the value does.
pub(super) fn is_masked(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(bytes, "***").any(|at| {
        let before = bytes.get(..at).unwrap_or_default();
        let after = bytes.get(at + 3..).unwrap_or_default();
        let opens = match before.last() {
            Some(b'=' | b':' | b'"' | b'\'') => true,
            Some(b' ') => matches!(before.trim_ascii_end().last(), Some(b'=' | b':')),
            _ => false,
        };
        opens
            && matches!(
                after.first(),
                None | Some(b'\n' | b'\r' | b'"' | b'\'' | b',' | b';' | b' ' | b'}')
            )
    })
}

#[cfg(test)]
mod tests {
    use super::is_masked;

    #[test]
    fn a_mask_stands_for_a_value() {
        for text in [
            "API_KEY=***\n",
            "password: ***",
            "key = \"***\";",
            "{'k':'***'}",
        ] {
            assert!(is_masked(text), "{text}");
        }
        for text in [
            "***\n",
            "a ***b***",
            "/*** x ***/",
            "# a = *** Begin",
            "x=****",
            "*** Add File: a",
        ] {
            let expected = text == "# a = *** Begin";
            assert_eq!(is_masked(text), expected, "{text}");
        }
    }
}
