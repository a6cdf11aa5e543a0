//! What JavaScript does to text where it differs from Rust.
//!
//! The agents and the reference projection run on JavaScript, so its idea of white space decides
//! what a marker, a path or a tool name is: U+FEFF is white space there, U+0085 is not.

/// True for a character that JavaScript's `String.prototype.trim` removes.
pub fn is_whitespace(char: char) -> bool {
    match char {
        '\u{FEFF}' => true,
        '\u{85}' => false,
        other => other.is_whitespace(),
    }
}

/// JavaScript's `trim`.
pub fn trim(text: &str) -> &str {
    match text.as_bytes() {
        // Most lines have nothing to trim, which these two bytes show.
        [b'!'..=b'~', .., b'!'..=b'~'] => text,
        _ => text.trim_matches(is_whitespace),
    }
}

/// JavaScript's `trimStart`.
pub fn trim_start(text: &str) -> &str {
    text.trim_start_matches(is_whitespace)
}

/// JavaScript's `trimEnd`.
pub fn trim_end(text: &str) -> &str {
    match text.as_bytes() {
        [.., b'!'..=b'~'] => text,
        _ => text.trim_end_matches(is_whitespace),
    }
}

/// True when nothing is left after [`trim`].
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trims_what_javascript_trims() {
        let set = "\t\n\u{b}\u{c}\r \u{a0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\
                   \u{2006}\u{2007}\u{2008}\u{2009}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\
                   \u{feff}";
        assert!(is_blank(set));
        assert_eq!(trim(&format!("{set}x y{set}")), "x y");
        assert_eq!(trim_end(&format!(" x{set}")), " x");
        assert_eq!(trim_start(&format!("{set}x ")), "x ");
        // Zero-width space, Mongolian vowel separator and NEL are none.
        for kept in ["\u{200b}", "\u{180e}", "\u{85}"] {
            assert_eq!(trim(kept), kept);
            assert!(!is_blank(kept));
        }
    }
}
