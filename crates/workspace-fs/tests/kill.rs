//! A writer that is killed at any moment leaves the old or the new content, whole, and what it leaves
//! beside it goes with the next write.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says how hard it tried"
)]

mod support;

use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use support::Workspace;
use workspace_fs::{
    Cancel, EditRequest, FileSystem as _, LocalFileSystem, WriteIntent, is_temporary_name,
};

const KILLS: u32 = 1_000;

/// Set for the process that writes until it is killed.
const CHILD: &str = "WORKSPACE_FS_KILL_TEST_ROOT";

const OLD: char = 'a';
const NEW: char = 'b';

fn content(letter: char) -> String {
    let line: String = std::iter::repeat_n(letter, 79).collect();
    format!("{line}\n").repeat(200)
}

/// Writes, edits, deletes and creates in a loop, if this process was started for it.
#[test]
fn child() {
    let Some(root) = env::var_os(CHILD) else {
        return;
    };
    let files = LocalFileSystem::open(Path::new(&root)).unwrap();
    let go_on = Cancel::new();
    let written = files.resolve("written", None).unwrap();
    let edited = files.resolve("edited", None).unwrap();
    let created = files.resolve("created", None).unwrap();
    let (old, new) = (content(OLD), content(NEW));
    println!("ready");
    std::io::stdout().flush().unwrap();
    for (from, to) in [(&old, &new), (&new, &old)].into_iter().cycle() {
        let write = |target, intent| files.write_text(target, to, intent, &go_on).unwrap();
        write(&written, WriteIntent::Unconditional);
        let current = files.read_text(&edited, &go_on).unwrap().text;
        let edit = EditRequest {
            old_string: &current,
            new_string: if current == *from { to } else { from },
            replace_all: false,
        };
        files.edit_text(&edited, &edit, None, &go_on).unwrap();
        let _ = files.delete_file(&created, &go_on);
        write(&created, WriteIntent::CreateIfAbsent);
    }
}

#[test]
fn killed_writers_leave_whole_files_and_the_next_write_cleans_up() {
    let workspace = Workspace::new();
    for name in ["written", "edited"] {
        workspace.write(name, content(OLD).as_bytes());
    }
    let whole = [content(OLD), content(NEW)];
    let mut left_behind = 0;
    // Delays that are spread over a few rounds of the loop and are the same in each run.
    let mut random = 1_u64;
    for kill in 0..KILLS {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["child", "--exact", "--nocapture", "--quiet"])
            .env(CHILD, workspace.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let is_ready = lines
            .map_while(Result::ok)
            .any(|line| line.ends_with("ready"));
        assert!(is_ready, "the child writes");
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        thread::sleep(Duration::from_micros(random >> 48 & 0x1FFF));
        child.kill().unwrap();
        child.wait().unwrap();

        for name in ["written", "edited", "created"] {
            match fs::read_to_string(workspace.path().join(name)) {
                Ok(text) => assert!(whole.contains(&text), "kill {kill}: {name} is torn"),
                Err(error) => assert!(name == "created", "kill {kill}: {name}: {error}"),
            }
        }
        let names = support::names_in(workspace.path());
        let is_temporary = |name: &&String| is_temporary_name(name.as_ref());
        let leftovers = names.iter().filter(is_temporary).count();
        // One that was at work, and one that was just about to be cleaned up.
        assert!(leftovers <= 2, "kill {kill}: leftovers pile up: {names:?}");
        left_behind += leftovers;
    }
    println!("{left_behind} of {KILLS} kills met a temporary file");
    assert!(left_behind > 0, "no kill met a writer at work");

    let files = LocalFileSystem::open(workspace.path()).unwrap();
    let target = files.resolve("written", None).unwrap();
    let intent = WriteIntent::Unconditional;
    files
        .write_text(&target, &whole[0], intent, &Cancel::new())
        .unwrap();
    let names = support::names_in(workspace.path());
    let ours = ["created", "edited", "written"];
    assert!(
        names.iter().all(|name| ours.contains(&name.as_str())),
        "{names:?}"
    );
}
