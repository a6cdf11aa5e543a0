//! What the reference of an attachment names.
//!
//! Attachments have a boundary of their own. Tool paths are resolved against a workspace and may
//! contain `..` as long as they stay inside; an attachment may lie anywhere, but its reference must
//! say so plainly.

use std::borrow::Cow;

/// The longest reference, in UTF-16 units.
const LONGEST: usize = 4096;

/// What a reference names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// A file or directory of this machine, by its absolute path. Whether it is there is not known.
    Local(String),
    /// Something on the web, by its URL.
    Remote(String),
}

/// Why a reference names nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceFault {
    /// It is blank, too long, not well-formed, or of a kind that is not followed.
    #[error("the reference is not one that can be followed")]
    Invalid,
    /// It is a URL that is not opened: it carries credentials, or has no host.
    #[error("the url carries credentials or has no host")]
    UnsafeUrl,
}

/// What `uri` names for a session that works in `cwd`; `home` is the person's home directory.
///
/// # Errors
/// The reference is none.
pub fn resolve(uri: &str, cwd: &str, home: Option<&str>) -> Result<Reference, ReferenceFault> {
    let uri = uri.trim();
    if uri.is_empty()
        || uri.encode_utf16().count() > LONGEST
        || uri.contains('\0')
        || uri.starts_with("//")
        || uri.starts_with("\\\\")
    {
        return Err(ReferenceFault::Invalid);
    }
    let decoded = percent_decode(uri).ok_or(ReferenceFault::Invalid)?;
    if climbs(uri) || climbs(&decoded) || decoded.contains('\0') {
        return Err(ReferenceFault::Invalid);
    }
    match scheme(uri) {
        None => local(uri, cwd, home),
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("file") => file_url(rest),
        Some((scheme, rest))
            if scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https") =>
        {
            web_url(uri, rest)
        }
        Some(_) => Err(ReferenceFault::Invalid),
    }
}

/// A path, absolute, in the home directory, or in the working directory.
fn local(path: &str, cwd: &str, home: Option<&str>) -> Result<Reference, ReferenceFault> {
    let in_home = match path.strip_prefix('~') {
        Some("") => Some(""),
        Some(rest) => rest.strip_prefix('/'),
        None => None,
    };
    let path = if let Some(rest) = in_home {
        let home = home.ok_or(ReferenceFault::Invalid)?;
        format!("{}/{rest}", home.trim_end_matches('/'))
    } else if path.starts_with('/') || is_drive_path(path) {
        path.to_owned()
    } else {
        format!("{}/{path}", cwd.trim_end_matches('/'))
    };
    Ok(Reference::Local(path))
}

/// What follows `file:`.
fn file_url(rest: &str) -> Result<Reference, ReferenceFault> {
    let path = match rest.strip_prefix("//") {
        None => rest,
        Some(rest) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
                return Err(ReferenceFault::Invalid);
            }
            path
        }
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let path = percent_decode(path).ok_or(ReferenceFault::Invalid)?;
    // `file:///C:/x` names the drive, not a directory of that name.
    let path = match path.strip_prefix('/') {
        Some(drive) if is_drive_path(drive) => drive,
        _ => &path,
    };
    if path.starts_with('/') && !path.starts_with("//") || is_drive_path(path) {
        Ok(Reference::Local(path.to_owned()))
    } else {
        Err(ReferenceFault::Invalid)
    }
}

/// A URL whose scheme is followed by `rest`.
fn web_url(uri: &str, rest: &str) -> Result<Reference, ReferenceFault> {
    let rest = rest.strip_prefix("//").ok_or(ReferenceFault::UnsafeUrl)?;
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.split(':').next().unwrap_or_default();
    if authority.contains('@') || host.is_empty() {
        return Err(ReferenceFault::UnsafeUrl);
    }
    Ok(Reference::Remote(uri.to_owned()))
}

/// The scheme and what follows its colon. A drive is no scheme.
fn scheme(uri: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = uri.split_once(':')?;
    let mut letters = scheme.bytes();
    let begins_well = letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic());
    let goes_on_well =
        letters.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'));
    (begins_well && goes_on_well && scheme.len() > 1).then_some((scheme, rest))
}

fn is_drive_path(path: &str) -> bool {
    let bytes = path.as_bytes();
    matches!(bytes, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

/// Whether any segment is `..`.
fn climbs(path: &str) -> bool {
    path.split(['/', '\\']).any(|segment| segment == "..")
}

/// The text with its escapes decoded, once; `None` when an escape is broken.
fn percent_decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'%' {
            let (pair, after) = rest.split_at_checked(2)?;
            let digits = std::str::from_utf8(pair).ok()?;
            if !pair.iter().all(u8::is_ascii_hexdigit) {
                return None;
            }
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = after;
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(
        clippy::needless_pass_by_value,
        reason = "the value stands at the call"
    )]
    fn check(uri: &str, expect: Result<Reference, ReferenceFault>) {
        assert_eq!(
            resolve(uri, "/home/u/ws/sub", Some("/home/u")),
            expect,
            "{uri}"
        );
    }

    fn local(uri: &str, path: &str) {
        check(uri, Ok(Reference::Local(path.to_owned())));
    }

    fn refused(uri: &str) {
        check(uri, Err(ReferenceFault::Invalid));
    }

    #[test]
    fn files_of_this_machine() {
        local("file:///home/u/ws/hello.txt", "/home/u/ws/hello.txt");
        local("file:/home/u/a", "/home/u/a");
        local("file://localhost/home/u/a%20b", "/home/u/a b");
        local("file:///C%3A/x", "C:/x");
        local("/home/u/ws/hello.txt", "/home/u/ws/hello.txt");
        local("/home/u/out.txt", "/home/u/out.txt");
        local("~/a.png", "/home/u/a.png");
        local("~", "/home/u/");
        local("~other/a", "/home/u/ws/sub/~other/a");
        local("a/b..c", "/home/u/ws/sub/a/b..c");
        local("C:\\x", "C:\\x");
        local("a%20b", "/home/u/ws/sub/a%20b");
    }

    #[test]
    fn what_is_refused() {
        for uri in [
            "",
            "  ",
            "a\0b",
            "//srv/x",
            "\\\\srv\\x",
            "../hello.txt",
            "..\\hello.txt",
            "a/../b",
            "%2e%2e/a",
            "a%2f..%2fb",
            "%zz",
            "%4",
            "a%00b",
            "%ff",
            "file://host/a",
            "file://u@localhost/a",
            "file:a",
            "mailto:x@y",
            "ftp://h/x",
            "javascript:1",
        ] {
            refused(uri);
        }
        refused(&"a".repeat(LONGEST + 1));
        assert_eq!(resolve("~/a", "/w", None), Err(ReferenceFault::Invalid));
    }

    #[test]
    fn the_web() {
        check(
            "https://h/x.png",
            Ok(Reference::Remote("https://h/x.png".to_owned())),
        );
        check(
            "HTTP://h:80",
            Ok(Reference::Remote("HTTP://h:80".to_owned())),
        );
        for uri in [
            "https://user:p@h/x",
            "https://u@h",
            "http:///x",
            "https:x",
            "http://:80/",
        ] {
            check(uri, Err(ReferenceFault::UnsafeUrl));
        }
    }
}
