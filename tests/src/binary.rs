//! The real `acp-lens`, started as a person starts it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use anyhow::{Context as _, Result, ensure};

/// The binary, built once per test process, in the profile and target directory of the tests.
///
/// # Errors
///
/// When cargo cannot build it.
pub fn acp_lens() -> Result<&'static Path> {
    static BINARY: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    BINARY
        .get_or_init(|| build().map_err(|error| format!("{error:#}")))
        .as_deref()
        .map_err(|error| anyhow::anyhow!("{error}"))
}

fn build() -> Result<PathBuf> {
    // Tests run from `<target>/<profile>/deps`.
    let test = std::env::current_exe().context("the test's own path")?;
    let profile = test
        .ancestors()
        .nth(2)
        .context("the test runs inside a target directory")?;
    let target = profile.parent().context("a profile has a parent")?;
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args([
            "build",
            "--quiet",
            "--package",
            "editor-server",
            "--bin",
            "acp-lens",
        ])
        .arg("--target-dir")
        .arg(target)
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    let status = cargo.status().context("cargo starts")?;
    ensure!(status.success(), "cargo cannot build acp-lens: {status}");
    Ok(profile.join(format!("acp-lens{}", std::env::consts::EXE_SUFFIX)))
}

/// How a run of the binary ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Finished {
    /// The exit status; `None` after a signal.
    pub code: Option<i32>,
    /// All of standard output.
    pub stdout: String,
    /// All of standard error.
    pub stderr: String,
}

/// Runs the binary with `args`, gives it `stdin` and waits for its end.
///
/// # Errors
///
/// When the binary cannot be built or started, or writes what is not UTF-8.
pub fn run(args: &[&str], stdin: &[u8]) -> Result<Finished> {
    let mut child = Command::new(acp_lens()?)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("acp-lens starts")?;
    if let Some(mut pipe) = child.stdin.take() {
        // A run that fails early closes its standard input; its status tells the rest.
        let _ = pipe.write_all(stdin);
    }
    let output = child.wait_with_output().context("acp-lens ends")?;
    Ok(Finished {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout)?,
        stderr: String::from_utf8(output.stderr)?,
    })
}
