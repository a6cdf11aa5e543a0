//! `acp-lens doctor`: what runs, what was found, and what is wrong.

use std::env;
use std::io::{self, Write};
use std::process::{Command, ExitCode, Stdio};

use super::{Outcome, written};
use crate::host::discover;
use crate::mirror::ask;
use crate::mirror::rendezvous::{Rendezvous, Role};

/// Look at versions, running taps and servers, editors and agents, and say what is wrong.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit status: 0 nothing is wrong; 1 something is, and the last lines say what to do about it; 2
wrong usage. What is merely not installed is named, and is not wrong.")]
pub(super) struct Args {}

/// The oldest Neovim that works.
const NVIM_MINOR: u32 = 11;

/// Runs the subcommand.
pub(super) fn run(_args: &Args) -> Outcome {
    let mut report = Report::default();
    report.own();
    report.sockets();
    report.editors();
    report.agents();
    written(report.write(&mut io::stdout().lock()))?;
    Ok(ExitCode::from(u8::from(!report.wrong.is_empty())))
}

/// What was found, section by section, and what is wrong, each with what to do about it.
#[derive(Default)]
struct Report {
    lines: Vec<String>,
    /// What is needed for some uses only, and is not there.
    missing: Vec<String>,
    wrong: Vec<(String, String)>,
}

impl Report {
    fn section(&mut self, title: &str) {
        self.lines.push(title.to_owned());
    }

    fn line(&mut self, line: impl AsRef<str>) {
        self.lines.push(format!("  {}", line.as_ref()));
    }

    fn wrong(&mut self, what: impl Into<String>, remedy: impl Into<String>) {
        self.wrong.push((what.into(), remedy.into()));
    }

    fn own(&mut self) {
        self.section("acp-lens");
        self.line(format!("version {}", env!("CARGO_PKG_VERSION")));
        match env::current_exe() {
            Ok(path) => self.line(path.display().to_string()),
            Err(why) => self.wrong(
                format!("the program's own file is not known: {why}"),
                "start it by its path",
            ),
        }
    }

    fn sockets(&mut self) {
        self.section("sockets");
        let rendezvous = match Rendezvous::open() {
            Ok(rendezvous) => rendezvous,
            Err(why) => {
                self.wrong(
                    format!("taps and servers cannot find each other: {why}"),
                    "set XDG_RUNTIME_DIR to a directory of your own",
                );
                return;
            }
        };
        self.line(rendezvous.dir().display().to_string());
        let mut found = 0;
        let mut servers = Vec::new();
        let mut taps = Vec::new();
        let mut left_behind = Vec::new();
        for path in rendezvous.sockets(Role::Server) {
            match ask::server(&path) {
                Ok(Some(server)) => {
                    found += 1;
                    let roots = server.roots.join(", ");
                    servers.push((
                        server.server,
                        format!("server {} in {roots}", server.server),
                    ));
                }
                Ok(None) => left_behind.push(path),
                Err(why) => self.wrong(
                    format!(
                        "the server behind {} does not answer: {why}",
                        path.display()
                    ),
                    "restart its editor",
                ),
            }
        }
        for path in rendezvous.sockets(Role::Tap) {
            match ask::tap(&path) {
                Ok(Some(tap)) => {
                    found += 1;
                    taps.push((tap.tap, format!("tap {} around {}", tap.tap, tap.agent)));
                }
                Ok(None) => left_behind.push(path),
                Err(why) => self.wrong(
                    format!("the tap behind {} does not answer: {why}", path.display()),
                    "restart its client",
                ),
            }
        }
        for running in [&mut servers, &mut taps] {
            running.sort();
            for (_, line) in running {
                self.line(line);
            }
        }
        left_behind.sort();
        for path in left_behind {
            self.line(format!(
                "{} was left behind, and is gone now",
                path.display()
            ));
        }
        if found == 0 {
            self.line("no tap and no server is running");
        }
    }

    fn editors(&mut self) {
        self.section("editors");
        let mut found = 0;
        for (name, program) in [("Neovim", "nvim"), ("VS Code", "code"), ("Helix", "hx")] {
            let Some(version) = first_line_of_version(program) else {
                continue;
            };
            found += 1;
            self.line(format!("{name}: {version}"));
            if program == "nvim" && nvim_minor(&version).is_some_and(|minor| minor < NVIM_MINOR) {
                self.wrong(
                    format!("{version} is too old"),
                    format!("install Neovim 0.{NVIM_MINOR} or newer"),
                );
            }
        }
        if found == 0 {
            self.missing.push(format!(
                "no editor was found on the PATH: install Neovim 0.{NVIM_MINOR} or newer, or VS Code"
            ));
            self.line("none on the PATH");
        }
    }

    fn agents(&mut self) {
        self.section("agents");
        let mut real = false;
        for (name, found) in discover::agents(&std::collections::BTreeMap::new()) {
            real |= found.origin != "builtin";
            self.line(format!(
                "{name}: {} ({})",
                found.command.command, found.origin
            ));
        }
        if !real {
            self.missing.push(
                "no agent but the demo was found on the PATH: install one that speaks ACP, or name \
                 it in the setting `agents`"
                    .to_owned(),
            );
        }
    }

    fn write(&self, to: &mut impl Write) -> io::Result<()> {
        for line in &self.lines {
            writeln!(to, "{line}")?;
        }
        if !self.missing.is_empty() {
            writeln!(to, "what is missing")?;
        }
        for what in &self.missing {
            writeln!(to, "  {what}")?;
        }
        if self.wrong.is_empty() {
            return writeln!(to, "nothing is wrong");
        }
        writeln!(to, "what is wrong")?;
        for (what, remedy) in &self.wrong {
            writeln!(to, "  {what}\n    help: {remedy}")?;
        }
        Ok(())
    }
}

/// What a program says of its version, if it is there.
fn first_line_of_version(program: &str) -> Option<String> {
    let output = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Some(text.lines().next()?.to_owned())
}

/// `NVIM v0.11.4` is 11; a version 1 or later is new enough in any case.
fn nvim_minor(version: &str) -> Option<u32> {
    let (_, number) = version.split_once("v0.")?;
    let digits = number.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_versions_of_neovim_are_known() {
        assert_eq!(nvim_minor("NVIM v0.9.5"), Some(9));
        assert_eq!(nvim_minor("NVIM v0.11.4"), Some(11));
        assert_eq!(nvim_minor("NVIM v0.12.0-dev+g1"), Some(12));
        assert_eq!(nvim_minor("NVIM v1.0.0"), None);
    }
}
