//! The patch of a recorded session, given to the real `git apply` and `patch` over the files as
//! they were before.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use e2e::binary::run;
use expect_test::expect;

/// Texts by path.
type Files = BTreeMap<String, String>;

/// Applies a patch to files in a fresh directory. Gives whether the tool took all of it, and the
/// files it left; `None` when the tool is not installed.
fn apply(tool: &[&str], patch: &str, before: &Files) -> Result<Option<(bool, Files)>> {
    let directory = tempfile::tempdir()?;
    for (name, text) in before {
        let place = directory.path().join(name);
        std::fs::create_dir_all(place.parent().context("a file has a parent")?)?;
        std::fs::write(place, text)?;
    }
    let child = Command::new(tool[0])
        .args(&tool[1..])
        .current_dir(directory.path())
        // A repository around the temporary directory would have a say in what git does.
        .env("GIT_CEILING_DIRECTORIES", directory.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else {
        return Ok(None);
    };
    // A tool that refuses the first diff may not read the others.
    let _ = child
        .stdin
        .take()
        .context("a pipe")?
        .write_all(patch.as_bytes());
    let taken = child.wait()?.success();
    let mut after = Files::new();
    collect(directory.path(), "", &mut after)?;
    Ok(Some((taken, after)))
}

fn collect(directory: &Path, prefix: &str, files: &mut Files) -> Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.insert(name, std::fs::read_to_string(entry.path())?);
        }
    }
    Ok(())
}

/// The paths that a patch changes: the last name of each `diff --git` line.
fn changed_paths(patch: &str) -> Vec<&str> {
    let heads = patch
        .lines()
        .filter_map(|line| line.strip_prefix("diff --git "));
    let mut paths: Vec<&str> = heads
        .filter_map(|head| head.split_once(" b/").map(|(_, path)| path))
        .collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// One line per recorded session: whether the patch could be applied, how many of its files are
/// then as the agent left them, and which are not.
///
/// What is not: files that shell commands changed too, whose last line has no line feed though no
/// message says so, or of which a part was left out. What could not be applied: agents that call a
/// file new though it was there, and one that works in another directory than its session's.
#[test]
fn patches_of_recorded_sessions_apply() -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/traces");
    let mut report = String::new();
    let mut entries: Vec<_> = std::fs::read_dir(&folder)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let file = entry.file_name().to_string_lossy().into_owned();
        let Some(name) = file.strip_suffix(".files.json") else {
            continue;
        };
        let sides: BTreeMap<String, Files> = serde_json::from_slice(&std::fs::read(entry.path())?)?;
        let trace = std::fs::read(folder.join(format!("{name}.ndjson")))?;
        let patch = run(&["replay", "--format", "patch", "-"], &trace)?.stdout;
        let paths = changed_paths(&patch);
        if paths.is_empty() {
            continue;
        }
        let tools = [
            &["git", "apply"][..],
            &["patch", "-p1", "--batch", "--silent"],
        ];
        for tool in tools {
            let Some((taken, files)) = apply(tool, &patch, &sides["before"])? else {
                // Without the tool there is nobody to ask.
                return Ok(());
            };
            let (same, other): (Vec<&str>, Vec<&str>) = paths
                .iter()
                .partition(|&&path| files.get(path) == sides["after"].get(path));
            let verdict = if taken { "applied" } else { "refused" };
            let _ = write!(
                report,
                "{name} {}: {verdict}, {} as left",
                tool[0],
                same.len()
            );
            for path in other {
                let _ = write!(report, " -{path}");
            }
            report.push('\n');
        }
    }
    expect![[r"
        claude-agent-acp-0.101.0-automode git: applied, 9 as left -notes.txt
        claude-agent-acp-0.101.0-automode patch: applied, 9 as left -notes.txt
        claude-agent-acp-0.101.0-manual git: applied, 7 as left -notes.txt
        claude-agent-acp-0.101.0-manual patch: applied, 7 as left -notes.txt
        claude-agent-acp-0.101.0-nocaps git: applied, 7 as left -notes.txt
        claude-agent-acp-0.101.0-nocaps patch: applied, 7 as left -notes.txt
        codex-acp-2.6.0-ask git: refused, 0 as left -foo.txt -hello.py -obsolete.txt -src/added.py
        codex-acp-2.6.0-ask patch: refused, 3 as left -foo.txt
        codex-acp-2.6.0-auto git: applied, 5 as left
        codex-acp-2.6.0-auto patch: applied, 5 as left
        codex-acp-2.6.0-nocaps git: applied, 5 as left
        codex-acp-2.6.0-nocaps patch: applied, 5 as left
        gemini-cli-0.61.0-full-emptyread git: applied, 4 as left
        gemini-cli-0.61.0-full-emptyread patch: applied, 4 as left
        gemini-cli-0.61.0-nocaps git: applied, 4 as left
        gemini-cli-0.61.0-nocaps patch: applied, 4 as left
        openclaw-2026.9.6-full git: applied, 7 as left -existing.txt -foo.txt -notes.txt -src/calc.py
        openclaw-2026.9.6-full patch: applied, 7 as left -existing.txt -foo.txt -notes.txt -src/calc.py
        openclaw-2026.9.6-nocaps git: applied, 6 as left -existing.txt -foo.txt -notes.txt -src/calc.py
        openclaw-2026.9.6-nocaps patch: applied, 6 as left -existing.txt -foo.txt -notes.txt -src/calc.py
        openclaw-2026.9.6-wsdiff git: refused, 5 as left -deep/dir/abs.txt
        openclaw-2026.9.6-wsdiff patch: refused, 2 as left -hello.py -long.txt -p1.txt -p2.txt
        opencode-1.18.33-full git: applied, 7 as left -notes.txt
        opencode-1.18.33-full patch: applied, 7 as left -notes.txt
        opencode-1.18.33-git git: applied, 7 as left -notes.txt
        opencode-1.18.33-git patch: applied, 7 as left -notes.txt
        opencode-1.18.33-nocaps git: applied, 7 as left -notes.txt
        opencode-1.18.33-nocaps patch: applied, 7 as left -notes.txt
        qwen-code-0.24.4-full git: applied, 8 as left -notes.txt
        qwen-code-0.24.4-full patch: applied, 8 as left -notes.txt
        zed-claude-agent-acp-0.23.1-full git: applied, 7 as left -notes.txt
        zed-claude-agent-acp-0.23.1-full patch: applied, 7 as left -notes.txt
        zed-codex-acp-0.16.0-ask git: refused, 0 as left -existing.txt -foo.txt -hello.py -notes.txt -obsolete.txt -src/added.py -src/calc.py -src/new_name.txt
        zed-codex-acp-0.16.0-ask patch: refused, 7 as left -foo.txt
        zed-codex-acp-0.16.0-auto git: applied, 8 as left -foo.txt -notes.txt
        zed-codex-acp-0.16.0-auto patch: applied, 8 as left -foo.txt -notes.txt
        zed-codex-acp-0.16.0-nocaps git: applied, 8 as left -foo.txt -notes.txt
        zed-codex-acp-0.16.0-nocaps patch: applied, 8 as left -foo.txt -notes.txt
    "]].assert_eq(&report);
    Ok(())
}
