//! The agents that can be started.

use std::collections::BTreeMap;
use std::env;

use crate::acp::process::AgentCommand;
use crate::mirror::rendezvous::Rendezvous;
use crate::session::settings;

/// Well-known agents by the program that is looked for on the PATH, and how it speaks ACP.
const WELL_KNOWN: &[(&str, &str, &[&str])] = &[
    ("claude", "claude-agent-acp", &[]),
    ("claude-code", "claude-code-acp", &[]),
    ("codex", "codex-acp", &[]),
    ("gemini", "gemini", &["--acp"]),
    ("qwen", "qwen", &["--acp"]),
    ("opencode", "opencode", &["acp"]),
    ("openclaw", "openclaw", &["acp"]),
    ("goose", "goose", &["acp"]),
    ("kimi", "kimi", &["acp"]),
    ("vibe", "vibe-acp", &[]),
];

/// The agent that needs no model.
const DEMO: &str = "demo";

/// An agent that can be started.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) command: AgentCommand,
    /// `settings`, `path` or `builtin`.
    pub(crate) origin: &'static str,
}

/// All agents: those of the settings, those on the PATH, and the built-in one.
pub(crate) fn agents(
    configured: &BTreeMap<String, settings::AgentCommand>,
) -> BTreeMap<String, Found> {
    let mut agents = BTreeMap::new();
    if let Ok(program) = env::current_exe() {
        agents.insert(
            DEMO.to_owned(),
            Found {
                command: AgentCommand {
                    command: program.to_string_lossy().into_owned(),
                    args: demo_arguments(),
                    ..AgentCommand::default()
                },
                origin: "builtin",
            },
        );
    }
    for (name, program, args) in WELL_KNOWN {
        if is_on_path(program) {
            agents.insert(
                (*name).to_owned(),
                Found {
                    command: AgentCommand {
                        command: (*program).to_owned(),
                        args: args.iter().map(|it| (*it).to_owned()).collect(),
                        ..AgentCommand::default()
                    },
                    origin: "path",
                },
            );
        }
    }
    for (name, agent) in configured {
        agents.insert(
            name.clone(),
            Found {
                command: AgentCommand {
                    command: agent.command.clone(),
                    args: agent.args.clone(),
                    env: agent.env.clone(),
                    cwd: None,
                },
                origin: "settings",
            },
        );
    }
    agents
}

/// The demo agent keeps its sessions beside the sockets, as long as these: a session can be loaded
/// again after the agent or the server has ended.
fn demo_arguments() -> Vec<String> {
    let mut arguments = vec!["demo-agent".to_owned()];
    if let Ok(rendezvous) = Rendezvous::open() {
        let kept = rendezvous.dir().join("demo-sessions");
        arguments.extend([
            "--state-dir".to_owned(),
            kept.to_string_lossy().into_owned(),
        ]);
    }
    arguments
}

/// The agent for whoever names none. The built-in one only plays its script, so it has to be named.
pub(crate) fn preferred(agents: &BTreeMap<String, Found>) -> Option<String> {
    ["settings", "path"].iter().find_map(|origin| {
        let mut of_origin = agents.iter().filter(|(_, found)| found.origin == *origin);
        of_origin.next().map(|(name, _)| name.clone())
    })
}

/// Whether a program is found by its name.
pub(super) fn is_on_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|dir| {
        let file = dir.join(format!("{program}{}", env::consts::EXE_SUFFIX));
        is_program(&file)
    })
}

#[cfg(unix)]
fn is_program(file: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &std::path::Path) -> bool {
    file.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_come_first_and_the_demo_has_to_be_named() {
        let mut none = agents(&BTreeMap::new());
        none.retain(|_, found| found.origin != "path");
        assert_eq!(none.get(DEMO).map(|found| found.origin), Some("builtin"));
        assert_eq!(preferred(&none), None);
        let configured = settings::AgentCommand {
            command: "x".to_owned(),
            args: Vec::new(),
            env: BTreeMap::from([("KEY".to_owned(), "secret".to_owned())]),
        };
        let some = agents(&BTreeMap::from([("zed".to_owned(), configured)]));
        assert_eq!(preferred(&some).as_deref(), Some("zed"));
        // What may be secret does not show.
        assert!(!format!("{some:?}").contains("secret"));
    }
}
