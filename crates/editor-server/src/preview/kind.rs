//! Which preview a file gets: by its extension first, by its media type only where that says nothing.

/// The largest text that is previewed, in bytes.
pub const MAX_TEXT_BYTES: u64 = 2 * 1024 * 1024;

/// The largest document or presentation that is previewed, packed, in bytes.
pub const MAX_DOCUMENT_BYTES: u64 = 20 * 1024 * 1024;

/// The largest other file that is previewed, in bytes.
pub const MAX_RICH_BYTES: u64 = 50 * 1024 * 1024;

/// A preview that is more than text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RichKind {
    /// A picture.
    Image,
    /// A PDF document.
    Pdf,
    /// A spreadsheet.
    Sheet,
    /// A text document with formats.
    Docx,
    /// A presentation.
    Pptx,
}

impl RichKind {
    /// The word of the protocol.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Pdf => "pdf",
            Self::Sheet => "sheet",
            Self::Docx => "docx",
            Self::Pptx => "pptx",
        }
    }
}

/// How a file is previewed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PreviewKind {
    /// As text.
    Text,
    /// In another way.
    Rich(RichKind),
}

/// What a click on an attachment does.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum AttachmentAction {
    /// Shows the preview.
    Preview,
    /// Lets the system open it.
    System,
}

/// What an attachment is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum AttachmentPlace {
    /// A link to another machine.
    Remote,
    /// A file of this machine.
    LocalFile,
    /// A directory of this machine.
    LocalDirectory,
}

/// The preview of a file, `None` if only the system can open it.
///
/// `extension` may have its dot, in any case; `media_type` may have parameters, and may be empty.
/// Office documents other than spreadsheets are known by their extension only.
pub fn preview_kind(extension: &str, media_type: &str) -> Option<PreviewKind> {
    let extension = extension.trim_start_matches('.').to_ascii_lowercase();
    let is_in = |list: &[&str]| list.contains(&extension.as_str());
    if is_in(SYSTEM_ONLY) {
        return None;
    }
    let rich = match extension.as_str() {
        "pdf" => Some(RichKind::Pdf),
        "xlsx" | "xls" => Some(RichKind::Sheet),
        "docx" => Some(RichKind::Docx),
        "pptx" => Some(RichKind::Pptx),
        _ if is_in(IMAGES) => Some(RichKind::Image),
        _ => None,
    };
    match rich {
        Some(rich) => Some(PreviewKind::Rich(rich)),
        None if is_in(TEXTS) || is_in(CODE) => Some(PreviewKind::Text),
        None => by_media_type(media_type),
    }
}

/// Whether a file of this size is previewed; the limits are included. A size that is negative or no
/// number is not.
pub fn is_within_limit(kind: PreviewKind, size: f64) -> bool {
    let limit = match kind {
        PreviewKind::Text => MAX_TEXT_BYTES,
        PreviewKind::Rich(RichKind::Docx | RichKind::Pptx) => MAX_DOCUMENT_BYTES,
        PreviewKind::Rich(_) => MAX_RICH_BYTES,
    };
    let limit = u32::try_from(limit).map_or(f64::INFINITY, f64::from);
    (0.0..=limit).contains(&size)
}

/// What a click on an attachment does: a preview where there is one, within its limit.
pub fn attachment_action(
    place: AttachmentPlace,
    extension: &str,
    media_type: &str,
    size: f64,
) -> AttachmentAction {
    let is_shown = preview_kind(extension, media_type)
        .is_some_and(|kind| place == AttachmentPlace::LocalFile && is_within_limit(kind, size));
    if is_shown {
        AttachmentAction::Preview
    } else {
        AttachmentAction::System
    }
}

fn by_media_type(media_type: &str) -> Option<PreviewKind> {
    let media_type = media_type.split(';').next().unwrap_or_default();
    let media_type = media_type.trim().to_ascii_lowercase();
    let (class, name) = media_type.split_once('/')?;
    match (class, name) {
        ("image", _) => Some(PreviewKind::Rich(RichKind::Image)),
        ("application", "pdf") => Some(PreviewKind::Rich(RichKind::Pdf)),
        (
            "application",
            "vnd.ms-excel" | "vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ) => Some(PreviewKind::Rich(RichKind::Sheet)),
        ("text", _)
        | (
            "application",
            "json" | "javascript" | "x-javascript" | "toml" | "xml" | "yaml" | "x-yaml",
        ) => Some(PreviewKind::Text),
        _ => None,
    }
}

/// Archives, older Office documents, sound and film.
const SYSTEM_ONLY: &[&str] = &[
    "zip", "tar", "gz", "tgz", "bz2", "xz", "zst", "7z", "rar", "jar", "dmg", "iso", "doc", "ppt",
    "mp3", "wav", "ogg", "oga", "flac", "m4a", "aac", "opus", "mp4", "m4v", "mov", "webm", "mkv",
    "avi", "wmv", "mpg", "mpeg",
];

const IMAGES: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "webp", "bmp", "avif", "svg", "ico",
];

const TEXTS: &[&str] = &["md", "markdown", "txt", "rst", "adoc", "html", "htm", "csv"];

const CODE: &[&str] = &[
    "rs",
    "js",
    "mjs",
    "cjs",
    "jsx",
    "ts",
    "mts",
    "cts",
    "tsx",
    "vue",
    "svelte",
    "json",
    "jsonc",
    "json5",
    "ndjson",
    "jsonl",
    "toml",
    "yaml",
    "yml",
    "xml",
    "ini",
    "cfg",
    "conf",
    "env",
    "properties",
    "lock",
    "css",
    "scss",
    "sass",
    "less",
    "py",
    "pyi",
    "rb",
    "go",
    "java",
    "kt",
    "kts",
    "scala",
    "groovy",
    "gradle",
    "c",
    "h",
    "cc",
    "cpp",
    "cxx",
    "hh",
    "hpp",
    "hxx",
    "m",
    "mm",
    "cs",
    "fs",
    "swift",
    "dart",
    "php",
    "pl",
    "pm",
    "lua",
    "vim",
    "r",
    "jl",
    "ex",
    "exs",
    "erl",
    "hrl",
    "hs",
    "ml",
    "mli",
    "clj",
    "cljs",
    "lisp",
    "el",
    "nim",
    "zig",
    "sql",
    "graphql",
    "gql",
    "proto",
    "sh",
    "bash",
    "zsh",
    "fish",
    "ps1",
    "psm1",
    "bat",
    "cmd",
    "diff",
    "patch",
    "log",
    "tex",
    "tsv",
    "cmake",
    "mk",
    "dockerfile",
    "tf",
    "hcl",
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The published vectors.
    #[test]
    fn vectors() {
        for vector in crate::desktop::tests::vectors(include_str!("../../tests/fixtures/prev.json"))
        {
            let input = &vector["input"];
            let text = |key: &str| input[key].as_str().unwrap_or_default();
            let got = if vector["expected"].get("within").is_some() {
                let kind = match input["target"]["richKind"].as_str() {
                    None => PreviewKind::Text,
                    Some(name) => PreviewKind::Rich(rich_kind(name)),
                };
                json!({"within": is_within_limit(kind, input["size"].as_f64().unwrap())})
            } else if vector["expected"].get("mode").is_some() {
                let target = &input["target"];
                let place = match (target["kind"].as_str(), target["entryKind"].as_str()) {
                    (Some("remote"), _) => AttachmentPlace::Remote,
                    (_, Some("directory")) => AttachmentPlace::LocalDirectory,
                    _ => AttachmentPlace::LocalFile,
                };
                let size = input["size"].as_f64().unwrap();
                let mode = match attachment_action(place, text("ext"), text("mimeType"), size) {
                    AttachmentAction::Preview => "preview",
                    AttachmentAction::System => "system",
                };
                json!({"mode": mode})
            } else {
                match preview_kind(text("ext"), text("mimeType")) {
                    None => json!({"kind": null, "rich": null}),
                    Some(PreviewKind::Text) => json!({"kind": "text", "rich": null}),
                    Some(PreviewKind::Rich(rich)) => json!({"kind": "rich", "rich": rich.as_str()}),
                }
            };
            assert_eq!(got, vector["expected"], "{}", vector["id"]);
        }
    }

    fn rich_kind(name: &str) -> RichKind {
        use RichKind::{Docx, Image, Pdf, Pptx, Sheet};
        let kinds = [Image, Pdf, Sheet, Docx, Pptx];
        kinds
            .into_iter()
            .find(|kind| kind.as_str() == name)
            .unwrap()
    }

    #[test]
    fn sizes_that_are_no_sizes_are_over_the_limit() {
        for size in [-1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(!is_within_limit(PreviewKind::Text, size), "{size}");
        }
    }
}
