//! `acp-lens demo` and `doctor`, as a new user meets them.

use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use e2e::binary::{acp_lens, run};

/// How long anything here may take before it counts as hanging.
const PATIENCE: Duration = Duration::from_mins(1);

/// Waits until something holds.
fn until(what: &str, mut holds: impl FnMut() -> bool) -> Result<()> {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        if Instant::now() > end {
            bail!("waited in vain until {what}");
        }
        thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// The command with temporary files and sockets in `dir`, and an empty PATH but for `dir/bin`.
fn demo(dir: &Path, args: &[&str]) -> Result<Command> {
    let mut command = Command::new(acp_lens()?);
    command
        .args(args)
        .env("TMPDIR", dir)
        .env("ACP_LENS_RUNTIME_DIR", dir)
        .env("PATH", dir.join("bin"))
        .stdin(Stdio::null());
    Ok(command)
}

/// The demo's directories in `dir`.
fn left_in(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let is_demo = |path: &PathBuf| path.to_string_lossy().contains("acp-lens-demo-");
    paths.filter(is_demo).collect()
}

#[test]
fn it_says_what_to_do_next_and_leaves_nothing() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let output = demo(dir.path(), &["demo"])?.output()?;
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("next: acp-lens demo --editor"));
    assert_eq!(left_in(dir.path()), Vec::<PathBuf>::new());
    Ok(())
}

#[test]
fn the_patch_of_its_session_has_the_edits() -> Result<()> {
    let dir = tempfile::tempdir()?;
    assert!(
        demo(dir.path(), &["demo", "--keep"])?
            .output()?
            .status
            .success()
    );
    let kept = left_in(dir.path());
    let trace = kept
        .first()
        .context("nothing was kept")?
        .join("session.ndjson");
    let patch = run(
        &["replay", "--format", "patch", &trace.to_string_lossy()],
        b"",
    )?;
    for file in ["discount.py", "receipt.py", "README.md", "test_discount.py"] {
        let head = format!("+++ b/{file}\n");
        assert!(patch.stdout.contains(&head), "{file}\n{}", patch.stdout);
    }
    assert!(
        patch
            .stderr
            .starts_with("warning: 2 of 6 changes are left out of the patch\n"),
        "{}",
        patch.stderr
    );
    for file in ["docs/todo.txt", "notes/prices-2019.txt"] {
        assert!(patch.stderr.contains(file), "{}", patch.stderr);
    }
    Ok(())
}

#[test]
fn a_signal_while_the_editor_is_open_leaves_nothing() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let bin = dir.path().join("bin");
    std::fs::create_dir(&bin)?;
    let opened = dir.path().join("opened");
    // The editor stays open until its project is gone.
    let script = format!(
        "#!/bin/sh\nPATH=/usr/bin:/bin\n: > {}\nwhile [ -e receipt.py ]; do sleep 0.05; done\n",
        opened.display()
    );
    let editor = bin.join("nvim");
    std::fs::write(&editor, script)?;
    std::fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    let mut child = demo(dir.path(), &["demo", "--editor", "nvim"])?
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    until("the editor is open", || opened.exists())?;
    assert_eq!(left_in(dir.path()).len(), 1);
    let pid = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    let pid = pid.context("a process has an id")?;
    rustix::process::kill_process(pid, rustix::process::Signal::TERM)?;
    let mut status = None;
    until("the demo has ended", || {
        status = child.try_wait().ok().flatten();
        status.is_some()
    })?;
    assert_eq!(status.and_then(|it| it.signal()), Some(15));
    assert_eq!(left_in(dir.path()), Vec::<PathBuf>::new());
    Ok(())
}

#[test]
fn doctor_names_what_is_missing() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let output = demo(dir.path(), &["doctor"])?.output()?;
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}");
    for missing in ["no editor was found", "no agent but the demo was found"] {
        assert!(told.contains(missing), "{told}");
    }
    Ok(())
}
