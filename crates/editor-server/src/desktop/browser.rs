//! The address under which a browser opens a local HTML file.

use url::Url;
use workspace_fs::WorkspaceFileRef;

/// The `file:` URL of an absolute path of POSIX or Windows.
///
/// Backslashes become slashes; each name is percent-encoded, a drive is not. A UNC path has four
/// slashes.
pub fn file_url(path: &str) -> String {
    let path = path.replace('\\', "/");
    let mut url = String::from("file://");
    if !path.starts_with('/') {
        url.push('/');
    }
    for (index, segment) in path.split('/').enumerate() {
        if index > 0 {
            url.push('/');
        }
        if is_drive(segment) {
            url.push_str(segment);
        } else {
            push_encoded(&mut url, segment);
        }
    }
    url
}

/// The address of an HTML file of a workspace; `None` for other files.
pub fn workspace_url(reference: &WorkspaceFileRef) -> Option<String> {
    if !is_html(&reference.relative_path) {
        return None;
    }
    let root = reference.workspace_root.trim_end_matches(['/', '\\']);
    let relative = reference.relative_path.trim_start_matches(['/', '\\']);
    Some(file_url(&format!("{root}/{relative}")))
}

/// The address of an attachment that is called `name`; `None` unless it is a local HTML file that is
/// named by a `file:` URL without a host, or by an absolute path.
pub fn attachment_url(uri: &str, name: &str) -> Option<String> {
    if !is_html(name) {
        return None;
    }
    if is_absolute_path(uri) {
        return Some(file_url(uri));
    }
    let url = Url::parse(uri).ok().filter(|url| url.scheme() == "file")?;
    match url.host_str() {
        None | Some("" | "localhost") => Some(url.to_string()),
        Some(_) => None,
    }
}

/// Whether this name is one of an HTML file.
pub fn is_html(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".html", ".htm"].iter().any(|end| name.ends_with(end))
}

fn is_absolute_path(path: &str) -> bool {
    let is_posix = path.starts_with('/') && !path.starts_with("//");
    let after_drive = path.get(2..).unwrap_or_default();
    is_posix || (path.get(..2).is_some_and(is_drive) && after_drive.starts_with(['/', '\\']))
}

fn is_drive(segment: &str) -> bool {
    matches!(segment.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic())
}

/// Everything but letters, digits and the marks that URLs leave alone.
fn push_encoded(url: &mut String, segment: &str) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let digit = |value: u8| char::from(HEX[usize::from(value)]);
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            url.push(char::from(byte));
        } else {
            url.extend(['%', digit(byte >> 4), digit(byte & 0xF)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The published vectors.
    #[test]
    fn vectors() {
        for vector in crate::desktop::tests::vectors(include_str!("../../tests/fixtures/html.json"))
        {
            let input = &vector["input"];
            let reference = &input["target"]["ref"];
            let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
            let got = match input["target"]["kind"].as_str() {
                None => Some(file_url(&text(&input["path"]))),
                Some("workspace") => workspace_url(&WorkspaceFileRef {
                    workspace_root: text(&reference["workspaceRoot"]),
                    relative_path: text(&reference["relativePath"]),
                }),
                Some(_) => attachment_url(&text(&reference["uri"]), &text(&input["name"])),
            };
            assert_eq!(json!({"url": got}), vector["expected"], "{}", vector["id"]);
        }
    }

    #[test]
    fn hosts_and_other_schemes_have_no_address() {
        let check = |uri, expect: Option<&str>| {
            assert_eq!(attachment_url(uri, "x.HTML").as_deref(), expect, "{uri}");
        };
        check("file:///a/x.html", Some("file:///a/x.html"));
        check("file://server/x.html", None);
        check("https://example.org/x.html", None);
        check("/a b/x.html", Some("file:///a%20b/x.html"));
        check("C:\\a\\x.html", Some("file:///C:/a/x.html"));
        check("//server/x.html", None);
    }
}
