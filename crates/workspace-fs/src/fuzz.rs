//! What a fuzzer drives: paths, edits and patches made of any bytes, each against a simple model.
//!
//! The functions panic when the crate and the model differ.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use acp_grammar::apply::apply;
use acp_grammar::patch::{Dialect, Operation, Patch, parse};

use crate::cancel::Cancel;
use crate::edit::{self, EditFailure};
use crate::filesystem::{EditRequest, FileKind, FileSystem as _};
use crate::local::LocalFileSystem;
use crate::patch::{PatchOptions, apply_patch};
use crate::text::with_lf;

/// Stands in the file outside, and nowhere inside.
const SECRET: &str = "SECRET";

/// A workspace `ws` beside a file that nothing may touch.
struct Sandbox {
    temporary: tempfile::TempDir,
}

impl Sandbox {
    fn new() -> Self {
        let temporary = tempfile::tempdir().expect("a temporary directory");
        fs::create_dir(temporary.path().join("ws")).expect("a new directory");
        fs::write(temporary.path().join("out"), SECRET).expect("a new file");
        Self { temporary }
    }

    fn root(&self) -> PathBuf {
        let outside = self.temporary.path().canonicalize().expect("it exists");
        outside.join("ws")
    }

    /// Whether the file outside is as it was, and alone.
    fn check_outside(&self) {
        let names = fs::read_dir(self.temporary.path())
            .expect("it exists")
            .count();
        assert_eq!(names, 2, "something was made outside");
        let out = fs::read_to_string(self.temporary.path().join("out"));
        assert_eq!(out.ok().as_deref(), Some(SECRET));
    }
}

/// Resolves paths through links that lead anywhere. The first lines are targets of the links `l0` to
/// `l3`, every other line is a path.
///
/// # Panics
/// A path leads outside, or its key is not the path that the system finds.
pub fn fuzz_resolve(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let sandbox = Sandbox::new();
    let root = sandbox.root();
    for directory in ["d", "d/e"] {
        fs::create_dir(root.join(directory)).expect("a new directory");
    }
    fs::write(root.join("d/f"), "inside").expect("a new file");
    let mut lines = text.lines();
    for (index, link) in ["l0", "l1", "d/l2", "d/e/l3"].into_iter().enumerate() {
        let target = lines.next().unwrap_or("..");
        let target = if index == 1 {
            root.join(target).to_string_lossy().into_owned()
        } else {
            target.to_owned()
        };
        // A target that no link can have leaves the link out.
        #[cfg(unix)]
        let _ = std::os::unix::fs::symlink(target, root.join(link));
    }
    let files = LocalFileSystem::open(&root).expect("the root exists");
    let go_on = Cancel::new();
    for path in lines {
        let targets = [files.resolve(path, Some("d")), files.resolve_strict(path)];
        for target in targets.into_iter().flatten() {
            let Ok(Some(info)) = files.stat(&target, &go_on) else {
                continue;
            };
            let real = root.join(&target.key().0).canonicalize();
            let real = real.expect("what was found exists");
            assert!(
                real.starts_with(&root),
                "{path:?} leads to {}",
                real.display()
            );
            assert_eq!(real, root.join(&target.key().0), "a key holds no links");
            assert_eq!(info.kind == FileKind::Directory, real.is_dir());
            if let Ok(read) = files.read_text(&target, &go_on) {
                assert!(!read.text.contains(SECRET), "{path:?}");
            }
        }
    }
    sandbox.check_outside();
}

/// Edits a text. The bytes 0xFF separate it, the old and the new text.
///
/// # Panics
/// The result is not the plain replacement, but for line endings.
pub fn fuzz_edit(data: &[u8]) {
    let mut parts = data.split(|byte| *byte == 0xFF);
    let mut part = || String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
    let (text, old_string, new_string) = (part(), part(), part());
    let request = EditRequest {
        old_string: &old_string,
        new_string: &new_string,
        replace_all: data.len().is_multiple_of(2),
    };
    let (lf, old, new) = (with_lf(&text), with_lf(&old_string), with_lf(&new_string));
    let matches = if old.is_empty() {
        0
    } else {
        lf.matches(&*old).count()
    };
    match edit::apply(&text, &request) {
        Ok(edited) => {
            assert_eq!(edited.replacements, matches);
            assert_eq!(edited.after, lf.replace(&*old, &new));
            if !lf.contains('\r') && !new.contains('\r') {
                assert_eq!(with_lf(&edited.text), edited.after);
            }
            if !text.contains("\r\n") {
                assert_eq!(edited.text, edited.after);
            }
        }
        Err(EditFailure::EmptyOldString) => assert!(old.is_empty()),
        Err(EditFailure::NotFound { .. }) => assert_eq!(matches, 0),
        Err(EditFailure::Ambiguous { matches: told }) => {
            assert!(!request.replace_all && told == matches && matches > 1);
        }
        Err(EditFailure::ResultTooLarge { size }) => assert!(size > edit::MAX_RESULT),
    }
}

/// Applies a patch to a few files, and to a map of them.
///
/// # Panics
/// They differ, or a patch that is refused changed something.
pub fn fuzz_patch(data: &[u8]) {
    let source = String::from_utf8_lossy(data);
    for dialect in [Dialect::Openclaw, Dialect::Codex] {
        if let Ok(patch) = parse(&source, dialect) {
            check_patch_against_model(&patch, dialect);
        }
    }
}

type Files = BTreeMap<String, String>;

fn check_patch_against_model(patch: &Patch<'_>, dialect: Dialect) {
    let sandbox = Sandbox::new();
    let root = sandbox.root();
    let before: Files = [
        ("a", "one\ntwo\nthree\n"),
        ("b", "one\r\ntwo\r\n\r\n"),
        ("d/c", "one\nno newline"),
    ]
    .map(|(name, text)| (name.to_owned(), text.to_owned()))
    .into();
    fs::create_dir(root.join("d")).expect("a new directory");
    for (name, text) in &before {
        fs::write(root.join(name), text).expect("a new file");
    }
    let files = LocalFileSystem::open(&root).expect("the root exists");
    let options = PatchOptions { dialect, cwd: None };
    let result = apply_patch(&files, patch, options, &Cancel::new());
    let mut after = Files::new();
    collect(&root, Path::new(""), &mut after);
    match &result {
        Err(_) => assert_eq!(after, before, "a patch that is refused changes nothing"),
        Ok(outcome) => assert_eq!(outcome.files.len(), patch.sections.len()),
    }
    let names = patch.sections.iter().flat_map(|section| {
        let to = match &section.operation {
            Operation::Update { move_to, .. } => *move_to,
            _ => None,
        };
        [Some(section.path), to].into_iter().flatten()
    });
    if names.map(str::trim).all(is_simple) {
        let expected = model(patch, dialect, &before);
        assert_eq!(
            result.as_ref().ok().map(|_| &after),
            expected.as_ref(),
            "{result:?}"
        );
    }
    sandbox.check_outside();
}

/// Names of one or two single letters, which the model understands.
fn is_simple(path: &str) -> bool {
    let is_letter = |part: &str| matches!(part.as_bytes(), [letter] if letter.is_ascii_lowercase());
    let parts: Vec<&str> = path.split('/').collect();
    parts.len() <= 2 && parts.iter().all(|part| is_letter(part))
}

/// The files after the patch, `None` if it does not fit.
fn model(patch: &Patch<'_>, dialect: Dialect, before: &Files) -> Option<Files> {
    let mut files = before.clone();
    if patch.sections.is_empty() {
        return None;
    }
    let fits = |path: &str| {
        let parent_is_file = path
            .split_once('/')
            .is_some_and(|(top, _)| before.contains_key(top));
        !parent_is_file && path != "d"
    };
    for section in &patch.sections {
        let name = section.path.trim();
        if !fits(name) {
            return None;
        }
        match &section.operation {
            Operation::Add(lines) => {
                let old = files.insert(name.to_owned(), lines.contents());
                if old.is_some() {
                    return None;
                }
            }
            Operation::Delete => {
                files.remove(name)?;
            }
            Operation::Update { move_to, chunks } => {
                let text = apply(files.get(name)?, chunks, dialect).ok()?.new_text;
                let to = move_to.map_or(name, str::trim);
                if to != name && (!fits(to) || files.contains_key(to)) {
                    return None;
                }
                files.remove(name);
                files.insert(to.to_owned(), text);
            }
        }
    }
    let parent_is_file = |path: &String| {
        path.split_once('/')
            .is_some_and(|(top, _)| files.contains_key(top))
    };
    (!files.keys().any(parent_is_file)).then_some(files)
}

fn collect(root: &Path, below: &Path, into: &mut Files) {
    for entry in fs::read_dir(root.join(below)).expect("it exists") {
        let path = below.join(entry.expect("it exists").file_name());
        if root.join(&path).is_dir() {
            collect(root, &path, into);
        } else {
            let text = fs::read_to_string(root.join(&path)).expect("files hold text");
            into.insert(path.display().to_string(), text);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Runs the committed seeds, so that a target cannot rot.
    fn run_seeds(target: &str, run: fn(&[u8])) {
        let seeds = format!(
            "{}/../../tests/fuzz/seeds/{target}",
            env!("CARGO_MANIFEST_DIR")
        );
        let mut n_seeds = 0;
        for seed in fs::read_dir(seeds).unwrap() {
            run(&fs::read(seed.unwrap().path()).unwrap());
            n_seeds += 1;
        }
        assert!(n_seeds > 0);
    }

    #[test]
    fn seeds() {
        run_seeds("fs_resolve", fuzz_resolve);
        run_seeds("fs_edit", fuzz_edit);
        run_seeds("fs_patch", fuzz_patch);
    }

    /// Patches whose sections often fit.
    fn patch() -> impl Strategy<Value = String> {
        let path = "[abce]|d/[cx]";
        let line = prop_oneof!["one|two|three|no newline|", "[xy]"];
        let body = proptest::collection::vec(("[ +-]", line), 1..4).prop_map(|lines| {
            let lines: Vec<String> = lines.into_iter().map(|(mark, line)| mark + &line).collect();
            lines.join("\n") + "\n"
        });
        let body = body.boxed() as BoxedStrategy<String>;
        let section = prop_oneof![
            (path, "[xy]").prop_map(|(path, line)| format!("*** Add File: {path}\n+{line}\n")),
            path.prop_map(|path| format!("*** Delete File: {path}\n")),
            (path, proptest::option::of(path), body).prop_map(|(path, to, body)| {
                let to = to.map_or_else(String::new, |to| format!("*** Move to: {to}\n"));
                format!("*** Update File: {path}\n{to}@@\n{body}")
            }),
        ];
        proptest::collection::vec(section, 1..5)
            .prop_map(|sections| format!("*** Begin Patch\n{}*** End Patch", sections.concat()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn patches_agree_with_the_model(source in patch()) {
            fuzz_patch(source.as_bytes());
        }

        #[test]
        fn paths_stay_inside(
            links in proptest::collection::vec("(\\.\\./|d/|e/|l0/|l1/|/){0,3}(f|out|d|l[0-2]|\\.\\.)", 4),
            paths in proptest::collection::vec("(\\.\\./|d/|l[0-3]/|e/|\\./){0,5}(f|l[0-3]|out|d)", 1..8),
        ) {
            let lines: Vec<String> = links.into_iter().chain(paths).collect();
            fuzz_resolve(lines.join("\n").as_bytes());
        }
    }
}
