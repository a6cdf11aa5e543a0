//! Whose change wins, and which files count as changed.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says how hard it tried"
)]

mod support;

use std::fs;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, SystemTime};

use support::Workspace;
use workspace_fs::{
    Cancel, EditRequest, FileSystem as _, FsError, FsErrorCode, LocalFileSystem, NoPolicy, Target,
    Version, WriteIntent, tools,
};

fn open(workspace: &Workspace) -> (LocalFileSystem, Target, Cancel) {
    let files = LocalFileSystem::open(workspace.path()).unwrap();
    let target = files.resolve("f", None).unwrap();
    (files, target, Cancel::new())
}

fn version_read(files: &LocalFileSystem, target: &Target) -> Version {
    files.read_text(target, &Cancel::new()).unwrap().version
}

#[test]
fn of_two_writers_with_one_version_exactly_one_wins() {
    let workspace = Workspace::new();
    workspace.write("f", b"start\n");
    let (files, target, go_on) = open(&workspace);
    // Two providers, as two processes would have them: their queues do not know each other.
    let other = LocalFileSystem::open(workspace.path()).unwrap();
    for round in 0..50 {
        let seen = version_read(&files, &target);
        let barrier = Barrier::new(2);
        let write = |files: &LocalFileSystem, content: String| {
            barrier.wait();
            let intent = WriteIntent::ReplaceIfVersion(seen);
            let result = files.write_text(&target, &content, intent, &go_on);
            (content, result.map(drop).map_err(|error| error.code()))
        };
        let results = thread::scope(|scope| {
            let one = scope.spawn(|| write(&files, format!("one {round}\n")));
            let two = scope.spawn(|| {
                write(
                    if round % 2 == 0 { &files } else { &other },
                    format!("two {round}\n"),
                )
            });
            [one.join().unwrap(), two.join().unwrap()]
        });
        let winners: Vec<&String> = results
            .iter()
            .filter(|(_, result)| result.is_ok())
            .map(|(content, _)| content)
            .collect();
        assert_eq!(winners.len(), 1, "{results:?}");
        assert_eq!(&workspace.read("f"), winners[0]);
        let loser = results.iter().find_map(|(_, result)| result.err());
        assert_eq!(loser, Some(FsErrorCode::StaleVersion));
    }
}

#[test]
fn of_two_creators_exactly_one_wins() {
    let workspace = Workspace::new();
    let (files, target, go_on) = open(&workspace);
    for _ in 0..50 {
        let barrier = Barrier::new(2);
        // Two providers, as two processes would have them: their queues do not know each other.
        let other = LocalFileSystem::open(workspace.path()).unwrap();
        let create = |files: &LocalFileSystem, content: &str| {
            barrier.wait();
            files
                .write_text(&target, content, WriteIntent::CreateIfAbsent, &go_on)
                .is_ok()
        };
        let won = thread::scope(|scope| {
            let one = scope.spawn(|| create(&files, "one"));
            let two = scope.spawn(|| create(&other, "two"));
            [one.join().unwrap(), two.join().unwrap()]
        });
        assert_eq!(won.iter().filter(|won| **won).count(), 1);
        assert_eq!(workspace.read("f"), if won[0] { "one" } else { "two" });
        fs::remove_file(workspace.path().join("f")).unwrap();
    }
}

#[test]
fn a_touched_file_is_not_stale() {
    let workspace = Workspace::new();
    workspace.write("f", b"same\n");
    let (files, target, go_on) = open(&workspace);
    let seen = version_read(&files, &target);
    let file = fs::File::options()
        .write(true)
        .open(workspace.path().join("f"))
        .unwrap();
    file.set_modified(SystemTime::now() + Duration::from_mins(1))
        .unwrap();
    // The same content in another inode is the same content.
    fs::copy(workspace.path().join("f"), workspace.path().join("copy")).unwrap();
    fs::rename(workspace.path().join("copy"), workspace.path().join("f")).unwrap();
    files
        .write_text(
            &target,
            "new\n",
            WriteIntent::ReplaceIfVersion(seen),
            &go_on,
        )
        .unwrap();
    assert_eq!(workspace.read("f"), "new\n");
}

#[test]
fn a_change_within_one_tick_of_the_clock_is_stale() {
    let workspace = Workspace::new();
    let (files, target, go_on) = open(&workspace);
    let path = workspace.path().join("f");
    // The clock of the file system stands still for some milliseconds at a time, so most of these
    // changes leave size and times as they are.
    let mut same_stamp = 0;
    for round in 0..200 {
        fs::write(&path, "one\n").unwrap();
        let seen = version_read(&files, &target);
        let before = path.metadata().unwrap().modified().unwrap();
        fs::write(&path, "two\n").unwrap();
        same_stamp += u32::from(path.metadata().unwrap().modified().unwrap() == before);
        let intent = WriteIntent::ReplaceIfVersion(seen);
        let written = files.write_text(&target, "three\n", intent, &go_on);
        assert!(
            matches!(written, Err(FsError::Changed { .. })),
            "round {round}: {written:?}"
        );
        let edit = EditRequest {
            old_string: "o",
            new_string: "x",
            replace_all: false,
        };
        let edited = files.edit_text(&target, &edit, Some(&seen), &go_on);
        assert!(
            matches!(edited, Err(FsError::Changed { .. })),
            "round {round}: {edited:?}"
        );
        assert_eq!(workspace.read("f"), "two\n");
    }
    println!("{same_stamp} of 200 changes fell into one tick");
}

#[test]
fn an_error_about_versions_says_what_stands_now_and_what_to_do() {
    let workspace = Workspace::new();
    workspace.write("f", b"one\n");
    let (files, target, go_on) = open(&workspace);
    let seen = version_read(&files, &target);
    workspace.write("f", b"other\n");
    let intent = WriteIntent::ReplaceIfVersion(seen);
    let error = files
        .write_text(&target, "two\n", intent, &go_on)
        .unwrap_err();
    assert_eq!(error.code().as_str(), "FS_STALE_VERSION");
    assert!(error.current_version().is_some());
    let told = error.model_text();
    assert!(
        told.contains("file changed since it was read; read it again, then retry"),
        "{told}"
    );
}

#[test]
fn a_link_to_nothing_is_not_written_through() {
    let workspace = Workspace::new();
    let outside = workspace.outside().join("new");
    workspace.link(outside.to_str().unwrap(), "f");
    workspace.link("nothing", "g");
    let files = LocalFileSystem::open(workspace.path()).unwrap();
    let write = |path: &str| {
        let target = files.resolve(path, None)?;
        files.write_text(&target, "x", WriteIntent::Unconditional, &Cancel::new())
    };
    assert_eq!(
        write("f").unwrap_err().code(),
        FsErrorCode::OutsideWorkspace
    );
    assert_eq!(write("g").unwrap_err().code(), FsErrorCode::NotRegularFile);
    assert!(!outside.exists());
    assert!(!workspace.path().join("nothing").exists());
}

#[test]
fn cancelled_operations_say_so_and_change_nothing() {
    let workspace = Workspace::new();
    workspace.write("f", b"one\n");
    let (files, target, cancel) = open(&workspace);
    let free = files.resolve("g", None).unwrap();
    cancel.cancel();
    let edit = EditRequest {
        old_string: "one",
        new_string: "two",
        replace_all: false,
    };
    let told = [
        files.stat(&target, &cancel).unwrap_err().to_string(),
        files.read_text(&target, &cancel).unwrap_err().to_string(),
        files
            .write_text(&target, "x", WriteIntent::Unconditional, &cancel)
            .unwrap_err()
            .to_string(),
        files
            .edit_text(&target, &edit, None, &cancel)
            .unwrap_err()
            .to_string(),
        files
            .rename(&target, &free, &cancel)
            .unwrap_err()
            .to_string(),
        files.delete_file(&target, &cancel).unwrap_err().to_string(),
    ];
    assert_eq!(
        told,
        [
            "stat aborted",
            "read aborted",
            "write aborted",
            "edit aborted",
            "write aborted",
            "delete aborted"
        ]
    );
    assert_eq!(workspace.read("f"), "one\n");
}

#[test]
fn a_change_of_form_only_is_said_in_words() {
    let check = |old: &str, new: &str, expect: &str| {
        let workspace = Workspace::new();
        workspace.write("f", old.as_bytes());
        let files = LocalFileSystem::open(workspace.path()).unwrap();
        let session = tools::ToolSession {
            files: &files,
            policy: &NoPolicy,
            owner: None,
            cwd: None,
            cancel: &Cancel::new(),
        };
        let arguments = tools::WriteArguments {
            file_path: "f".to_owned(),
            content: new.to_owned(),
        };
        let text = tools::write(&session, &arguments).unwrap().text();
        assert!(text.contains(expect), "{text}");
    };
    check(
        "a\r\nb\n",
        "a\nb\n",
        "Updated file (only line endings changed)",
    );
    check(
        "a\nb",
        "a\nb\n",
        "Updated file (only the final newline changed)",
    );
    check(
        "\u{FEFF}a",
        "a",
        "Updated file (only the byte order mark changed)",
    );
    check("a", "b", "Updated file\n");
}

#[test]
fn a_huge_file_without_a_newline_is_read_in_constant_memory() {
    let workspace = Workspace::new();
    let file = fs::File::create(workspace.path().join("f")).unwrap();
    // Sparse: NULs behind a sample of text, which are valid UTF-8.
    std::io::Write::write_all(&mut &file, "x".repeat(8192).as_bytes()).unwrap();
    file.set_len(1 << 30).unwrap();
    let (files, _, go_on) = open(&workspace);
    let session = tools::ToolSession {
        files: &files,
        policy: &NoPolicy,
        owner: None,
        cwd: None,
        cancel: &go_on,
    };
    let arguments = tools::ReadArguments {
        file_path: "f".to_owned(),
        offset: 1,
        limit: 10,
    };
    let window = tools::read(&session, &arguments).unwrap().window;
    assert_eq!((window.lines.len(), window.total_lines), (1, 1));
    assert!(window.lines[0].text.len() < 2_100);
    let arguments = tools::ReadArguments {
        offset: 2,
        ..arguments
    };
    let error = tools::read(&session, &arguments).unwrap_err();
    assert!(
        matches!(error, FsError::OffsetOutOfRange { total_lines: 1, .. }),
        "{error}"
    );
}
