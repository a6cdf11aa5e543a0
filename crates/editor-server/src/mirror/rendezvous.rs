//! Where taps and servers find each other: sockets in a directory that only their owner can enter.
//!
//! Each process listens on a socket of its own and then looks who else is there. So of any two, at
//! least the later one finds the other, and nobody has to watch the directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use interprocess::local_socket::traits::Stream as _;
use interprocess::local_socket::{
    GenericFilePath, Listener, ListenerOptions, Stream, ToFsName as _,
};

/// The variable that names another directory, for tests and for unusual homes.
const DIRECTORY_VARIABLE: &str = "ACP_LENS_RUNTIME_DIR";

/// Who listens on a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// `acp-lens tap`.
    Tap,
    /// `acp-lens lsp`.
    Server,
}

impl Role {
    fn prefix(self) -> &'static str {
        match self {
            Self::Tap => "tap-",
            Self::Server => "lsp-",
        }
    }
}

/// The directory of the sockets.
#[derive(Debug, Clone)]
pub(crate) struct Rendezvous {
    dir: PathBuf,
}

/// A socket of ours.
#[derive(Debug)]
pub(crate) struct Listening {
    listener: Listener,
    path: PathBuf,
}

/// The file of a socket of ours, removed when this is dropped.
#[derive(Debug)]
pub(crate) struct SocketFile(PathBuf);

impl SocketFile {
    /// Lets whoever waits for a connection look up once more.
    pub(crate) fn wake(&self) {
        // A listener that is gone need not be woken.
        let _ = Rendezvous::connect(&self.0);
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        // It is gone already when the listener was dropped first, or when another process found it
        // stale.
        let _ = fs::remove_file(&self.0);
    }
}

impl Listening {
    /// Waits for a connection.
    pub(crate) fn accept(&self) -> io::Result<Stream> {
        use interprocess::local_socket::traits::Listener as _;
        self.listener.accept()
    }

    /// The socket's file.
    pub(crate) fn file(&self) -> SocketFile {
        SocketFile(self.path.clone())
    }
}

/// What was found behind a socket file.
#[derive(Debug)]
pub(crate) enum Found {
    /// A living process.
    Alive(Stream),
    /// Nobody; the file was left behind, and is gone now.
    Stale,
}

impl Rendezvous {
    /// The directory, made if it was not there.
    ///
    /// # Errors
    ///
    /// When it cannot be made, or when others could put sockets there.
    pub(crate) fn open() -> io::Result<Self> {
        let dir = match std::env::var_os(DIRECTORY_VARIABLE) {
            Some(dir) => PathBuf::from(dir),
            None => default_dir(),
        };
        make_private(&dir)?;
        Ok(Self { dir })
    }

    /// The directory.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Listens on a new socket.
    pub(crate) fn listen(&self, role: Role) -> io::Result<Listening> {
        let name = format!("{}{}.sock", role.prefix(), unique_id());
        let path = self.dir.join(name);
        let listener = ListenerOptions::new()
            .name(path.as_path().to_fs_name::<GenericFilePath>()?)
            .create_sync()?;
        Ok(Listening { listener, path })
    }

    /// The socket files of a role, in order of their names.
    pub(crate) fn sockets(&self, role: Role) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = fs::read_dir(&self.dir)
            .into_iter()
            .flatten()
            .filter_map(|entry| {
                let name = entry.ok()?.file_name().into_string().ok()?;
                let inner = name.strip_prefix(role.prefix())?;
                inner.strip_suffix(".sock")?;
                Some(self.dir.join(name))
            })
            .collect();
        paths.sort();
        paths
    }

    /// Connects to a socket, and removes its file when nobody is behind it.
    pub(crate) fn connect(path: &Path) -> io::Result<Found> {
        let name = path.to_fs_name::<GenericFilePath>()?;
        match Stream::connect(name) {
            Ok(stream) => Ok(Found::Alive(stream)),
            Err(why)
                if matches!(
                    why.kind(),
                    io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound
                ) =>
            {
                // Another process may have removed it at the same time.
                let _ = fs::remove_file(path);
                Ok(Found::Stale)
            }
            Err(why) => Err(why),
        }
    }
}

/// An id that no other process has, now or earlier.
pub(crate) fn unique_id() -> String {
    let nanos = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos());
    format!("{}-{nanos:x}", std::process::id())
}

#[cfg(unix)]
fn default_dir() -> PathBuf {
    if let Some(runtime) = std::env::var_os("XDG_RUNTIME_DIR").filter(|dir| !dir.is_empty()) {
        return PathBuf::from(runtime).join("acp-lens");
    }
    let user = rustix::process::geteuid().as_raw();
    std::env::temp_dir().join(format!("acp-lens-{user}"))
}

#[cfg(not(unix))]
fn default_dir() -> PathBuf {
    std::env::temp_dir().join("acp-lens")
}

/// Makes `dir`, and sees to it that nobody else can enter it.
#[cfg(unix)]
fn make_private(dir: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)?;
    // The directory itself and not what a link of somebody else leads to.
    let found = fs::symlink_metadata(dir)?;
    if !found.is_dir() || found.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("{} belongs to somebody else", dir.display()),
        ));
    }
    if found.mode() & 0o077 != 0 {
        fs::set_permissions(dir, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn make_private(dir: &Path) -> io::Result<()> {
    fs::create_dir_all(dir)
}
