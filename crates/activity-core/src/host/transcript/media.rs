//! `MEDIA:` lines: how an agent says in its words that it made a file.

use acp_grammar::js;

/// The longest reference, in UTF-16 units.
const LONGEST: usize = 4096;

/// The references of the `MEDIA:` lines in an agent's words, in order. Relative ones count only
/// when the directory is known in which the agent works.
pub fn media_references(text: &str, knows_directory: bool) -> Vec<&str> {
    let mut references = Vec::new();
    let mut fence: Option<(u8, usize)> = None;
    for line in text.lines() {
        if let Some(open) = fence {
            if closes(line, open) {
                fence = None;
            }
            continue;
        }
        if let Some(open) = opens(line) {
            fence = Some(open);
            continue;
        }
        references.extend(reference(line, knows_directory));
    }
    references
}

/// The marker and its length when the line opens a fence.
fn opens(line: &str) -> Option<(u8, usize)> {
    let (marker, length, _) = fence_line(line)?;
    Some((marker, length))
}

/// A fence closes with its own marker, at least as long, and nothing behind it.
fn closes(line: &str, (marker, length): (u8, usize)) -> bool {
    fence_line(line)
        .is_some_and(|(found, n, rest)| found == marker && n >= length && rest.trim().is_empty())
}

fn fence_line(line: &str) -> Option<(u8, usize, &str)> {
    let text = line.trim_start_matches(' ');
    if line.len() - text.len() > 3 {
        return None;
    }
    let marker = *text.as_bytes().first()?;
    if !matches!(marker, b'`' | b'~') {
        return None;
    }
    let length = text.bytes().take_while(|byte| *byte == marker).count();
    (length >= 3).then(|| (marker, length, text.get(length..).unwrap_or_default()))
}

/// The reference of a line, if all of it is a `MEDIA:` line.
fn reference(line: &str, knows_directory: bool) -> Option<&str> {
    let line = js::trim(line);
    let (word, rest) = line.split_at_checked("MEDIA:".len())?;
    if !word.eq_ignore_ascii_case("MEDIA:") {
        return None;
    }
    let rest = js::trim(rest);
    let reference = match rest.as_bytes() {
        [quote @ (b'"' | b'\''), .., end] if rest.len() > 2 => {
            if quote != end {
                return None;
            }
            rest.get(1..rest.len() - 1)?
        }
        _ => {
            let is_wrapped = rest.starts_with(['`', '[', '!', '<', '*', '_', '(', '"', '\'']);
            if is_wrapped || rest.contains(js::is_whitespace) {
                return None;
            }
            rest
        }
    };
    let fits = !js::trim(reference).is_empty() && reference.encode_utf16().count() <= LONGEST;
    (fits && is_followed(reference, knows_directory)).then_some(reference)
}

/// Whether a reference is of a kind that is followed.
fn is_followed(reference: &str, knows_directory: bool) -> bool {
    if let Some((scheme, rest)) = reference.split_once(':') {
        let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'));
        if is_scheme && scheme.len() == 1 {
            return rest.starts_with(['/', '\\']);
        }
        if is_scheme {
            let known = ["http", "https", "file"];
            return known.iter().any(|it| scheme.eq_ignore_ascii_case(it));
        }
    }
    reference.starts_with('/') || reference.starts_with("~/") || knows_directory
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[&str]) {
        assert_eq!(media_references(text, true), expect, "{text:?}");
    }

    #[test]
    fn a_whole_line_names_a_file() {
        check("MEDIA: out/a.png", &["out/a.png"]);
        check("media:/tmp/a.png", &["/tmp/a.png"]);
        check("  MEDIA:  /tmp/a.png  ", &["/tmp/a.png"]);
        check("see MEDIA: /tmp/a.png", &[]);
        check("MEDIA: /tmp/a b.png", &[]);
        check("MEDIA: \"/tmp/a b.png\"", &["/tmp/a b.png"]);
        check("MEDIA: '/tmp/a b.png'", &["/tmp/a b.png"]);
        check("MEDIA: '/tmp/a.png\"", &[]);
        check("MEDIA: `/tmp/a.png`", &[]);
        check("MEDIA: [x](/tmp/a.png)", &[]);
        check("MEDIA: ![x](/tmp/a.png)", &[]);
        check("MEDIA: <https://h/a.png>", &[]);
        check("MEDIA: https://h/a.png", &["https://h/a.png"]);
        check("MEDIA: file:///tmp/a.png", &["file:///tmp/a.png"]);
        check("MEDIA: ftp://h/a.png", &[]);
        check("MEDIA: C:\\a.png", &["C:\\a.png"]);
        check("MEDIA: ~/a.png", &["~/a.png"]);
        check("MEDIA:", &[]);
        check("MEDIA: \"\"", &[]);
        check("MEDIA: \"", &[]);
        check("MÉDIA: /a", &[]);
        check(&format!("MEDIA: /{}", "a".repeat(LONGEST)), &[]);
    }

    #[test]
    fn relative_ones_need_a_directory() {
        assert_eq!(
            media_references("MEDIA: out/a.png", false),
            Vec::<&str>::new()
        );
        assert_eq!(media_references("MEDIA: /out/a.png", false), ["/out/a.png"]);
    }

    #[test]
    fn fences_are_quotations() {
        check(
            "```\nMEDIA: /tmp/a.png\n```\nMEDIA: /tmp/b.png",
            &["/tmp/b.png"],
        );
        check(
            "~~~\nMEDIA: /tmp/a.png\n```\nMEDIA: /tmp/c.png\n~~~\nMEDIA: /tmp/b.png",
            &["/tmp/b.png"],
        );
        check("````\n```\nMEDIA: /a\n````\nMEDIA: /b", &["/b"]);
        check("``` x\nMEDIA: /a\n``` x\nMEDIA: /b", &[]);
    }
}
