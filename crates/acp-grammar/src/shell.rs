//! `apply_patch` called through a shell.
//!
//! A model that has only a shell runs the patch tool with a heredoc. Two scripts count, and each
//! must be all there is:
//!
//! ```text
//! apply_patch <<'EOF'
//! …
//! EOF
//!
//! cd dir && apply_patch <<'EOF'
//! …
//! EOF
//! ```
//!
//! Anything else, another command before or behind it, a pipe, `;` or `||`, is an ordinary
//! command, whose effects nobody knows. No shell is run and nothing is expanded.

use std::borrow::Cow;

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::combinator::{all_consuming, map, opt, recognize, value, verify};
use nom::error::Error;
use nom::multi::many1;
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser};

use crate::patch::{Dialect, parse};

/// What a command line means to the patch tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invocation<'a> {
    /// A call of the patch tool. Whether the patch parses is another question.
    Patch {
        /// The directory of `cd`, with its quotes removed; relative to where the command runs.
        workdir: Option<Cow<'a, str>>,
        /// The payload.
        patch: &'a str,
    },
    /// The bare text of a patch where a command should be. The tool refuses to guess.
    Implicit {
        /// The payload.
        patch: &'a str,
    },
    /// Not a call of the patch tool.
    None,
}

/// Reads an argument vector: `apply_patch PATCH`, or a shell with a script.
///
/// Shells are `bash`, `zsh` and `sh` with `-lc` or `-c`, `pwsh` and `powershell` with `-Command`
/// and optionally `-NoProfile` before it, and `cmd` with `/c`, with or without a directory and an
/// extension.
pub fn from_argv<'a, S: AsRef<str>>(argv: &'a [S]) -> Invocation<'a> {
    let argv: Vec<&'a str> = argv.iter().map(AsRef::as_ref).collect();
    match argv[..] {
        [patch] if is_patch(patch) => Invocation::Implicit { patch },
        ["apply_patch" | "applypatch", patch] => Invocation::Patch {
            workdir: None,
            patch,
        },
        [shell, flag, script] if runs_script(shell, flag) => from_script(script),
        [shell, skipped, flag, script]
            if is_powershell(shell)
                && skipped.eq_ignore_ascii_case("-noprofile")
                && runs_script(shell, flag) =>
        {
            from_script(script)
        }
        _ => Invocation::None,
    }
}

/// Reads the script of a shell.
pub fn from_script(script: &str) -> Invocation<'_> {
    if is_patch(script) {
        return Invocation::Implicit { patch: script };
    }
    match statement(script) {
        Ok((_, (workdir, patch))) => Invocation::Patch { workdir, patch },
        Err(_) => Invocation::None,
    }
}

fn is_patch(text: &str) -> bool {
    parse(text, Dialect::Codex).is_ok()
}

/// The name of a program without directory and extension, in lower case.
fn program(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = name
        .rsplit_once('.')
        .map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
    stem.to_ascii_lowercase()
}

fn is_powershell(shell: &str) -> bool {
    matches!(program(shell).as_str(), "pwsh" | "powershell")
}

fn runs_script(shell: &str, flag: &str) -> bool {
    match program(shell).as_str() {
        "bash" | "zsh" | "sh" => matches!(flag, "-lc" | "-c"),
        "pwsh" | "powershell" => flag.eq_ignore_ascii_case("-command"),
        "cmd" => flag.eq_ignore_ascii_case("/c"),
        _ => false,
    }
}

type Parsed<'a, T> = IResult<&'a str, T, Error<&'a str>>;

/// The whole script as one call: the directory, and the text of the heredoc.
fn statement(script: &str) -> Parsed<'_, (Option<Cow<'_, str>>, &str)> {
    all_consuming(delimited(
        take_while(is_space),
        (opt(change_directory), patch_command),
        take_while(is_space),
    ))
    .parse(script)
}

/// `cd DIR &&`.
fn change_directory(input: &str) -> Parsed<'_, Cow<'_, str>> {
    delimited(
        (tag("cd"), take_while1(is_blank)),
        argument,
        (take_while(is_blank), tag("&&"), take_while(is_space)),
    )
    .parse(input)
}

/// `apply_patch <<WORD`, the text, and the line `WORD`.
fn patch_command(input: &str) -> Parsed<'_, &str> {
    let (body, word) = delimited(
        (
            alt((tag("apply_patch"), tag("applypatch"))),
            take_while(is_blank),
            tag("<<"),
            take_while(is_blank),
        ),
        heredoc_word,
        (take_while(is_blank), opt(tag("\r")), tag("\n")),
    )
    .parse(input)?;
    heredoc_text(body, word)
}

/// The word that closes a heredoc, which may be quoted.
fn heredoc_word(input: &str) -> Parsed<'_, &str> {
    let word = || take_while1(|char: char| char.is_alphanumeric() || char == '_');
    alt((
        delimited(tag("'"), word(), tag("'")),
        delimited(tag("\""), word(), tag("\"")),
        word(),
    ))
    .parse(input)
}

/// The lines before the line that is `word`.
fn heredoc_text<'a>(body: &'a str, word: &str) -> Parsed<'a, &'a str> {
    let mut start = 0;
    for line in body.split_inclusive('\n') {
        if line.trim_end_matches(['\r', '\n']) == word {
            let text = body[..start].trim_end_matches(['\r', '\n']);
            return Ok((&body[start + line.len()..], text));
        }
        start += line.len();
    }
    let error = Error::new(body, nom::error::ErrorKind::Tag);
    Err(nom::Err::Error(error))
}

/// One argument that is the same whether or not a shell expands it.
fn argument(input: &str) -> Parsed<'_, Cow<'_, str>> {
    let plain = recognize(many1(alt((
        take_while1(is_plain),
        preceded(
            tag("\\"),
            recognize(nom::character::complete::none_of("\r\n")),
        ),
    ))));
    let bare = verify(plain, |text: &str| !text.starts_with('-'));
    let double = delimited(
        tag("\""),
        take_while1(|char| !matches!(char, '"' | '$' | '`' | '\\')),
        tag("\""),
    );
    let single = delimited(tag("'"), take_while1(|char| char != '\''), tag("'"));
    terminated(
        alt((
            map(single, Cow::Borrowed),
            map(double, Cow::Borrowed),
            map(bare, unescape),
        )),
        // Nothing may be glued to the argument.
        value(
            (),
            nom::combinator::peek(alt((tag(" "), tag("\t"), tag("&&")))),
        ),
    )
    .parse(input)
}

/// Without the backslashes that quote single characters.
fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        plain.extend(if char == '\\' {
            chars.next()
        } else {
            Some(char)
        });
    }
    plain.into()
}

/// True for a character that means itself in a bare word.
fn is_plain(char: char) -> bool {
    !char.is_whitespace()
        && !matches!(
            char,
            '\\' | '\''
                | '"'
                | '$'
                | '`'
                | '&'
                | '|'
                | ';'
                | '<'
                | '>'
                | '('
                | ')'
                | '{'
                | '}'
                | '['
                | ']'
                | '*'
                | '?'
                | '!'
                | '#'
        )
}

fn is_blank(char: char) -> bool {
    matches!(char, ' ' | '\t')
}

fn is_space(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\r' | '\n')
}

/// Reads arbitrary bytes as a script and as an argument vector.
///
/// # Panics
///
/// When a payload is no part of the script.
#[cfg(any(test, fuzzing))]
pub fn fuzz_shell(data: &[u8]) {
    let script = String::from_utf8_lossy(data);
    if let Invocation::Patch { patch, .. } | Invocation::Implicit { patch } = from_script(&script) {
        assert!(script.contains(patch));
    }
    let argv: Vec<&str> = script.split('\0').collect();
    let _ = from_argv(&argv);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PATCH: &str = "*** Begin Patch\n*** Delete File: b\n*** End Patch";

    /// `script` with `PATCH` for `…`, and the directory or the word for what it is.
    fn check(script: &str, expected: &str) {
        let script = script.replace('…', PATCH);
        let actual = match from_script(&script) {
            Invocation::Patch { workdir, patch } => {
                assert_eq!(patch, PATCH, "{script}");
                format!("patch in {}", workdir.as_deref().unwrap_or("."))
            }
            Invocation::Implicit { patch } => {
                assert_eq!(patch, script);
                "implicit".to_owned()
            }
            Invocation::None => "none".to_owned(),
        };
        assert_eq!(actual, expected, "{script}");
    }

    #[test]
    fn one_heredoc_is_a_call() {
        check("apply_patch <<'EOF'\n…\nEOF\n", "patch in .");
        check("applypatch <<\"PATCH\"\n…\nPATCH", "patch in .");
        check("\n apply_patch<<EOF\n…\n\nEOF\n\n", "patch in .");
        check("apply_patch << 'EOF'\r\n…\r\nEOF\r\n", "patch in .");
    }

    #[test]
    fn one_change_of_directory_may_stand_before_it() {
        check("cd sub && apply_patch <<'EOF'\n…\nEOF\n", "patch in sub");
        check("cd 'a b' && apply_patch <<'EOF'\n…\nEOF\n", "patch in a b");
        check("cd \"a b\"&&apply_patch <<'EOF'\n…\nEOF\n", "patch in a b");
        check(
            "cd a\\ b &&\n apply_patch <<'EOF'\n…\nEOF\n",
            "patch in a b",
        );
        check(
            "cd ../x-y_z && apply_patch <<'EOF'\n…\nEOF\n",
            "patch in ../x-y_z",
        );
    }

    #[test]
    fn any_other_script_is_an_ordinary_command() {
        for script in [
            "",
            "ls",
            "apply_patch",
            "apply_patch '…'",
            "apply_patch <<'EOF'\n…\nEND\n",
            "apply_patch <<'EOF'\n…\nEOF\necho done",
            "apply_patch <<'EOF' && echo done\n…\nEOF\n",
            "apply_patch <<'EOF' > log\n…\nEOF\n",
            "apply_patch --dry-run <<'EOF'\n…\nEOF\n",
            "apply_patch <<-EOF\n…\nEOF\n",
            "echo x; apply_patch <<'EOF'\n…\nEOF\n",
            "echo x | apply_patch <<'EOF'\n…\nEOF\n",
            "cd a; apply_patch <<'EOF'\n…\nEOF\n",
            "cd a || apply_patch <<'EOF'\n…\nEOF\n",
            "cd a | apply_patch <<'EOF'\n…\nEOF\n",
            "cd a b && apply_patch <<'EOF'\n…\nEOF\n",
            "cd a && cd b && apply_patch <<'EOF'\n…\nEOF\n",
            "cd - && apply_patch <<'EOF'\n…\nEOF\n",
            "cd $HOME && apply_patch <<'EOF'\n…\nEOF\n",
            "cd \"$HOME\" && apply_patch <<'EOF'\n…\nEOF\n",
            "cd 'a'b && apply_patch <<'EOF'\n…\nEOF\n",
            "cd && apply_patch <<'EOF'\n…\nEOF\n",
            "cda && apply_patch <<'EOF'\n…\nEOF\n",
        ] {
            check(script, "none");
        }
    }

    #[test]
    fn a_bare_patch_is_implicit() {
        check("…", "implicit");
        assert_eq!(from_argv(&[PATCH]), Invocation::Implicit { patch: PATCH });
        assert_eq!(
            from_argv(&["bash", "-lc", PATCH]),
            Invocation::Implicit { patch: PATCH }
        );
    }

    #[test]
    fn shells_and_their_flags() {
        let script = format!("apply_patch <<'EOF'\n{PATCH}\nEOF\n");
        let call = Invocation::Patch {
            workdir: None,
            patch: PATCH,
        };
        for argv in [
            &["apply_patch", PATCH][..],
            &["applypatch", PATCH],
            &["bash", "-lc", &script],
            &["/usr/bin/zsh", "-c", &script],
            &["sh", "-c", &script],
            &["pwsh", "-Command", &script],
            &[
                "C:\\Windows\\PowerShell.exe",
                "-NoProfile",
                "-command",
                &script,
            ],
            &["cmd.exe", "/C", &script],
        ] {
            assert_eq!(from_argv(argv), call, "{argv:?}");
        }
        for argv in [
            &[][..],
            &["apply_patch"],
            &["fish", "-c", &script],
            &["bash", "-x", &script],
            &["bash", "-NoProfile", "-c", &script],
            &["bash", "-lc", &script, "more"],
            &["sudo", "apply_patch", PATCH],
        ] {
            assert_eq!(from_argv(argv), Invocation::None, "{argv:?}");
        }
    }

    #[test]
    fn the_seeds_of_the_fuzz_target_hold() {
        fuzz_shell(include_bytes!("../../../tests/fuzz/seeds/shell/heredoc"));
        fuzz_shell(include_bytes!("../../../tests/fuzz/seeds/shell/argv"));
    }

    proptest! {
        #[test]
        fn no_input_panics(data in prop::collection::vec(any::<u8>(), 0..200)) {
            fuzz_shell(&data);
        }

        #[test]
        fn any_directory_comes_back(dir in "[^'\r\n]{1,20}") {
            let script = format!("cd '{dir}' && apply_patch <<'EOF'\n{PATCH}\nEOF\n");
            let expected = Invocation::Patch { workdir: Some(dir.as_str().into()), patch: PATCH };
            prop_assert_eq!(from_script(&script), expected);
        }
    }
}
