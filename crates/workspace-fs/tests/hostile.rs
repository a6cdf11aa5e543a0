//! Names change under the crate all the time, to links that lead outside, and nothing outside is
//! touched.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says how hard it tried"
)]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use support::Workspace;
use workspace_fs::reference;
use workspace_fs::{Cancel, EditRequest, FileSystem as _, LocalFileSystem, WriteIntent};

const DURATION: Duration = Duration::from_secs(10);

/// Stands in every file outside, and in none inside.
const SECRET: &str = "SECRET";

/// The names that exist inside and outside alike, so that a slip finds something.
const FILES: [&str; 4] = ["f", "d/f", "d/e/f", "d/e/g"];

/// Everything below a directory: content, and when it was changed.
fn snapshot(root: &Path) -> BTreeMap<PathBuf, (Option<String>, SystemTime)> {
    let mut found = BTreeMap::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        let modified = directory.metadata().unwrap().modified().unwrap();
        found.insert(directory.clone(), (None, modified));
        for name in support::names_in(&directory) {
            let path = directory.join(name);
            if path.is_dir() {
                directories.push(path);
            } else {
                let modified = path.metadata().unwrap().modified().unwrap();
                let content = fs::read_to_string(&path).unwrap();
                found.insert(path, (Some(content), modified));
            }
        }
    }
    found
}

/// A path to a directory that stays right whatever happens to names, so that the attack itself never
/// goes through one of its links.
fn pinned(directory: &fs::File) -> PathBuf {
    use std::os::fd::AsRawFd as _;
    PathBuf::from(format!("/proc/self/fd/{}", directory.as_raw_fd()))
}

/// Puts a link in the place of `path` and takes it back, until told to stop.
fn swap(path: &Path, link_to: &Path, stop: &AtomicBool) {
    let aside = path.with_extension("aside");
    while !stop.load(Ordering::Relaxed) {
        // Each step may meet what another thread is doing; then it is left out this time.
        if fs::rename(path, &aside).is_ok() {
            let _ = symlink(link_to, path);
            thread::yield_now();
            if path.is_symlink() {
                let _ = fs::remove_file(path);
            }
            while aside.exists() && fs::rename(&aside, path).is_err() {
                // Something new was made meanwhile, inside; it makes room.
                if path.is_dir() && !path.is_symlink() {
                    let _ = fs::remove_dir_all(path);
                } else {
                    let _ = fs::remove_file(path);
                }
            }
        }
        thread::yield_now();
    }
}

#[derive(Default)]
struct Counts {
    done: AtomicU64,
    refused: AtomicU64,
}

impl Counts {
    fn count<T, E>(&self, result: Result<T, E>) -> Option<T> {
        let counter = if result.is_ok() {
            &self.done
        } else {
            &self.refused
        };
        counter.fetch_add(1, Ordering::Relaxed);
        result.ok()
    }
}

/// Does everything that the crate can do, on every name, until told to stop.
fn work(files: &LocalFileSystem, worker: usize, counts: &[Counts; 7], stop: &AtomicBool) {
    let go_on = Cancel::new();
    let mut round = worker;
    while !stop.load(Ordering::Relaxed) {
        round += 1;
        let name = FILES[round % FILES.len()];
        let Ok(target) = files.resolve(name, None) else {
            continue;
        };
        match round / FILES.len() % 7 {
            0 => {
                if let Some(read) = counts[0].count(files.read_text(&target, &go_on)) {
                    assert!(!read.text.contains(SECRET), "read {name} outside");
                }
                let read = reference::read_text(files.root(), name);
                assert!(!read.is_ok_and(|read| read.content.contains(SECRET)));
            }
            1 => {
                let intent = WriteIntent::Unconditional;
                counts[1].count(files.write_text(&target, "one two\n", intent, &go_on));
            }
            2 => {
                let edit = EditRequest {
                    old_string: "one",
                    new_string: "one one",
                    replace_all: false,
                };
                counts[2].count(files.edit_text(&target, &edit, None, &go_on));
            }
            3 => {
                let directory = ["d", "d/e", "."][round % 3];
                if let Ok(directory) = files.resolve_strict(directory)
                    && let Some(entries) = counts[3].count(files.list(&directory, &go_on))
                {
                    assert!(entries.iter().all(|entry| entry.name != SECRET));
                }
            }
            4 => {
                let name = format!("{name}.{worker}");
                if let Ok(there) = files.resolve_strict(&name) {
                    counts[4].count(files.rename(&target, &there, &go_on));
                    let _ = files.rename(&there, &target, &go_on);
                }
            }
            5 => {
                counts[5].count(files.delete_file(&target, &go_on));
            }
            _ => {
                let made = files.resolve_strict(&format!("d/e/made{worker}"));
                if let Ok(made) = made {
                    counts[6].count(files.create_directory(&made, &go_on));
                    let _ = files.delete_tree(&made, &go_on);
                }
            }
        }
    }
}

#[test]
fn nothing_outside_is_touched_while_names_are_swapped() {
    let workspace = Workspace::new();
    let outside = workspace.outside().join("outside");
    for name in FILES {
        workspace.write(name, b"one two\n");
        let path = outside.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("one {SECRET}\n")).unwrap();
    }
    fs::write(outside.join(SECRET), SECRET).unwrap();
    fs::create_dir(outside.join("e")).unwrap();
    fs::write(outside.join("e").join("f"), format!("one {SECRET}\n")).unwrap();
    fs::write(outside.join("g"), format!("one {SECRET}\n")).unwrap();
    let before = snapshot(&outside);

    let files = LocalFileSystem::open(workspace.path()).unwrap();
    let open = |name: &str| fs::File::open(workspace.path().join(name)).unwrap();
    let (top, d, e) = (open("."), open("d"), open("d/e"));
    let stop = AtomicBool::new(false);
    let counts: [Counts; 7] = Default::default();
    let started = Instant::now();
    thread::scope(|scope| {
        let root = workspace.path();
        let (outside, stop) = (&outside, &stop);
        for (path, link_to) in [
            (pinned(&top).join("d"), outside.clone()),
            (pinned(&top).join("f"), outside.join("f")),
            (pinned(&d).join("e"), outside.clone()),
            (pinned(&e).join("g"), outside.join("new")),
        ] {
            scope.spawn(move || swap(&path, &link_to, stop));
        }
        scope.spawn(move || {
            // The root itself, with pauses: while it is away every operation is refused.
            while !stop.load(Ordering::Relaxed) {
                let away = root.with_extension("away");
                fs::rename(root, &away).unwrap();
                symlink(outside, root).unwrap();
                thread::yield_now();
                fs::remove_file(root).unwrap();
                fs::rename(&away, root).unwrap();
                thread::sleep(Duration::from_millis(20));
            }
        });
        for worker in 0..3 {
            let (files, counts) = (&files, &counts);
            scope.spawn(move || work(files, worker, counts, stop));
        }
        while started.elapsed() < DURATION {
            thread::sleep(Duration::from_millis(50));
        }
        stop.store(true, Ordering::Relaxed);
    });

    assert_eq!(snapshot(&outside), before, "something outside was touched");
    for (operation, counts) in [
        "read", "write", "edit", "list", "rename", "delete", "create",
    ]
    .iter()
    .zip(&counts)
    {
        let done = counts.done.load(Ordering::Relaxed);
        let refused = counts.refused.load(Ordering::Relaxed);
        println!("{operation}: {done} done, {refused} refused");
        assert!(done > 0, "{operation} never worked, so it was not tested");
        assert!(
            refused > 0,
            "{operation} was never refused, so it was not attacked"
        );
    }
}
