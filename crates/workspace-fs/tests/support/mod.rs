//! A temporary workspace, and the vectors from their files.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// One published vector.
pub struct Vector {
    pub id: String,
    pub description: String,
    pub input: Value,
    pub expected: Value,
}

/// The vectors of an area.
pub fn vectors(area: &str) -> Vec<Vector> {
    let file = format!("{}/tests/fixtures/{area}.json", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(file).unwrap();
    let entries: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert!(!entries.is_empty());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    entries
        .into_iter()
        .map(|entry| Vector {
            id: text(&entry["id"]),
            description: text(&entry["description"]),
            input: entry["input"].clone(),
            expected: entry["expected"].clone(),
        })
        .collect()
}

/// A directory `ws` in a temporary directory; what lies beside it is outside.
pub struct Workspace {
    temporary: tempfile::TempDir,
    path: PathBuf,
}

impl Workspace {
    pub fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().canonicalize().unwrap().join("ws");
        fs::create_dir(&path).unwrap();
        Self { temporary, path }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory that holds the workspace.
    pub fn outside(&self) -> &Path {
        self.path.parent().unwrap()
    }

    pub fn write(&self, name: &str, content: &[u8]) {
        let path = self.path.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path.join(name)).unwrap()
    }

    pub fn link(&self, target: &str, name: &str) {
        std::os::unix::fs::symlink(target, self.path.join(name)).unwrap();
    }

    pub fn set_mode(&self, name: &str, mode: u32) {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(self.path.join(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    pub fn mode(&self, name: &str) -> u32 {
        use std::os::unix::fs::PermissionsExt as _;
        self.path
            .join(name)
            .metadata()
            .unwrap()
            .permissions()
            .mode()
            & 0o7777
    }

    /// The mode that this process gives new files.
    pub fn mode_of_new_file(&self) -> u32 {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.outside().join("new");
        fs::write(&path, "").unwrap();
        path.metadata().unwrap().permissions().mode() & 0o7777
    }

    /// All files with their content, by path; links are followed.
    pub fn tree(&self) -> Vec<(String, String)> {
        let mut files = Vec::new();
        let mut directories = vec![self.path.clone()];
        while let Some(directory) = directories.pop() {
            for name in names_in(&directory) {
                let path = directory.join(name);
                if path.is_dir() {
                    directories.push(path);
                } else {
                    let name = path.strip_prefix(&self.path).unwrap();
                    let content = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                    files.push((name.to_str().unwrap().to_owned(), content));
                }
            }
        }
        files.sort();
        files
    }

    /// The value with the path of the workspace as `/ws`.
    pub fn hide_path(&self, value: &Value) -> Value {
        let path = self.path.to_str().unwrap();
        match value {
            Value::String(text) => Value::String(text.replace(path, "/ws")),
            Value::Array(values) => values.iter().map(|value| self.hide_path(value)).collect(),
            Value::Object(entries) => Value::Object(
                entries
                    .iter()
                    .map(|(key, value)| (key.clone(), self.hide_path(value)))
                    .collect(),
            ),
            other => other.clone(),
        }
    }
}

/// The names in a directory, sorted.
pub fn names_in(directory: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
    let names = fs::read_dir(directory).unwrap().map(name);
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}
