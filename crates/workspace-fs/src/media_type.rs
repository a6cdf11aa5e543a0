//! The media type of a file, by its name alone.

/// The media type that belongs to the extension of this path, `application/octet-stream` if none
/// does. Case does not matter.
pub fn media_type(path: &str) -> &'static str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let extension = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => extension.to_ascii_lowercase(),
        _ => return UNKNOWN,
    };
    TYPES
        .iter()
        .find(|(_, extensions)| extensions.contains(&extension.as_str()))
        .map_or(UNKNOWN, |(media_type, _)| media_type)
}

const UNKNOWN: &str = "application/octet-stream";

/// The types that a preview or a tool result tells apart.
const TYPES: &[(&str, &[&str])] = &[
    (
        "text/plain",
        &["txt", "log", "text", "ini", "cfg", "conf", "rst", "adoc"],
    ),
    ("text/markdown", &["md", "markdown"]),
    ("text/html", &["html", "htm"]),
    ("text/css", &["css"]),
    ("text/csv", &["csv"]),
    ("text/tab-separated-values", &["tsv"]),
    ("text/javascript", &["js", "mjs", "cjs"]),
    ("text/x-rust", &["rs"]),
    ("text/x-python", &["py"]),
    ("text/x-c", &["c", "h", "cc", "cpp", "hpp"]),
    ("text/x-java", &["java"]),
    ("text/x-go", &["go"]),
    ("text/x-shellscript", &["sh", "bash", "zsh"]),
    ("application/typescript", &["ts", "tsx", "mts", "cts"]),
    ("application/json", &["json"]),
    ("application/toml", &["toml"]),
    ("application/yaml", &["yaml", "yml"]),
    ("application/xml", &["xml"]),
    ("application/pdf", &["pdf"]),
    ("application/zip", &["zip"]),
    ("application/gzip", &["gz", "tgz"]),
    ("application/x-tar", &["tar"]),
    ("application/msword", &["doc"]),
    (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        &["docx"],
    ),
    ("application/vnd.ms-excel", &["xls"]),
    (
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        &["xlsx"],
    ),
    ("application/vnd.ms-powerpoint", &["ppt"]),
    (
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        &["pptx"],
    ),
    ("image/png", &["png"]),
    ("image/jpeg", &["jpg", "jpeg"]),
    ("image/gif", &["gif"]),
    ("image/webp", &["webp"]),
    ("image/bmp", &["bmp"]),
    ("image/avif", &["avif"]),
    ("image/svg+xml", &["svg"]),
    ("image/x-icon", &["ico"]),
    ("audio/mpeg", &["mp3"]),
    ("audio/wav", &["wav"]),
    ("audio/ogg", &["ogg"]),
    ("video/mp4", &["mp4"]),
    ("video/webm", &["webm"]),
    ("video/quicktime", &["mov"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_of_the_last_name_decides() {
        let check = |path, expect| assert_eq!(media_type(path), expect, "{path}");
        check("a/b.TXT", "text/plain");
        check("a.txt/b", UNKNOWN);
        check(".txt", UNKNOWN);
        check(
            "a.b.docx",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        );
        check("Makefile", UNKNOWN);
    }
}
