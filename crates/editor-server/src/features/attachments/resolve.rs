//! What the reference of an attachment leads to now.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use activity_core::attachment::display_name;
use activity_core::host::reference::{self, Reference, ReferenceFault};
use activity_core::identity::sha256_hex;
use workspace_fs::media_type;

use crate::features::failure::Failure;
use crate::lsp::ext::ErrorKind;

/// What a reference leads to.
#[derive(Debug)]
pub(super) struct Resolved {
    /// Lower-case hex SHA-256 of the path with all links resolved, or of the URL: what leads to the
    /// same has the same.
    pub(super) identity: String,
    /// A name for people.
    pub(super) name: Arc<str>,
    /// By the name alone.
    pub(super) mime_type: &'static str,
    /// In bytes; `None` for what is on the web.
    pub(super) size: Option<u64>,
    pub(super) target: Target,
}

/// The thing itself. Paths have all their links resolved.
#[derive(Debug)]
pub(super) enum Target {
    File(PathBuf),
    /// A directory can only be opened by the system.
    Directory(PathBuf),
    /// Something on the web; it is not read.
    Remote,
}

impl Target {
    /// Where it lies: in the workspace, elsewhere, or on the web. `root` has its links resolved.
    pub(super) fn scope(&self, root: Option<&Path>) -> &'static str {
        match self {
            Self::File(path) | Self::Directory(path) => {
                if root.is_some_and(|root| path.starts_with(root)) {
                    "workspace"
                } else {
                    "file"
                }
            }
            Self::Remote => "remote",
        }
    }
}

/// Follows a reference of a session that works in `cwd`.
pub(super) fn resolve(uri: &str, cwd: &str) -> Result<Resolved, Failure> {
    resolve_at_home(uri, cwd, std::env::home_dir().as_deref())
}

/// The same, with the directory that `~` stands for.
pub(super) fn resolve_at_home(
    uri: &str,
    cwd: &str,
    home: Option<&Path>,
) -> Result<Resolved, Failure> {
    let home = home.map(|home| home.to_string_lossy());
    match reference::resolve(uri, cwd, home.as_deref()) {
        Ok(Reference::Remote(url)) => Ok(remote(&url)),
        Ok(Reference::Local(path)) => local(Path::new(&path)),
        Err(why) => {
            let kind = match why {
                ReferenceFault::Invalid => ErrorKind::InvalidReference,
                ReferenceFault::UnsafeUrl => ErrorKind::UnsafeUrl,
            };
            Err(Failure::new(kind, why.to_string()))
        }
    }
}

fn remote(url: &str) -> Resolved {
    let name = display_name(None, url);
    Resolved {
        identity: sha256_hex(url),
        mime_type: media_type(&name),
        name,
        size: None,
        target: Target::Remote,
    }
}

fn local(path: &Path) -> Result<Resolved, Failure> {
    let missing = |_| Failure::new(ErrorKind::Unavailable, "the attached file is missing");
    let path = path.canonicalize().map_err(missing)?;
    let found = path.metadata().map_err(missing)?;
    let text = path.to_string_lossy();
    let (identity, name) = (sha256_hex(&text), display_name(None, &text));
    let (mime_type, size) = match (found.is_file(), found.is_dir()) {
        (true, _) => (media_type(&name), found.len()),
        (_, true) => ("application/x-directory", 0),
        _ => {
            return Err(Failure::new(
                ErrorKind::NotFile,
                "the attachment is neither a file nor a directory",
            ));
        }
    };
    Ok(Resolved {
        identity,
        name,
        mime_type,
        size: Some(size),
        target: if found.is_file() {
            Target::File(path)
        } else {
            Target::Directory(path)
        },
    })
}
