//! The settings of a person, from `initializationOptions` or `workspace/didChangeConfiguration`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use activity_core::host::Deadlines;
use activity_core::placing::Limits;
use activity_core::profile::{Profile, ProfileChoice};
use serde::Deserialize;
use serde_json::Value;

use crate::explain;

/// The settings in force.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each stands for a setting of its own, and goes with no other"
)]
pub(crate) struct Settings {
    /// Which lenses are shown.
    pub(crate) code_lens: CodeLens,
    /// Each hunk is also a hint diagnostic.
    pub(crate) hint_diagnostics: bool,
    /// How the profile of a session is chosen.
    pub(crate) profile: ProfileChoice,
    /// What the agent edits is revealed.
    pub(crate) follow: bool,
    /// Up to which size hunks are searched in a text.
    pub(crate) limits: Limits,
    /// Running taps of the workspace are shown.
    pub(crate) tap: bool,
    /// Agents by name.
    pub(crate) agents: BTreeMap<String, AgentCommand>,
    /// Transcripts by session id: what else an agent says that it made.
    pub(crate) transcripts: BTreeMap<String, PathBuf>,
    /// Agents may run commands through the server.
    pub(crate) agent_terminals: bool,
    /// How long agents may take.
    pub(crate) deadlines: Deadlines,
    /// A recorded trace to show.
    pub(crate) trace: Option<String>,
}

/// Which lenses are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum CodeLens {
    /// One for the file and those of the hunks.
    #[default]
    All,
    /// The one of the file.
    File,
    /// None.
    Off,
}

/// How an agent is started.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct AgentCommand {
    /// The program.
    pub(crate) command: String,
    /// Its arguments.
    #[serde(default)]
    pub(crate) args: Vec<String>,
    /// What is added to its environment. May hold secrets: never logged, never sent anywhere else.
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
}

impl std::fmt::Debug for AgentCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentCommand")
            .field("command", &self.command)
            .field("args", &self.args)
            .finish_non_exhaustive()
    }
}

/// How long agents may take, in milliseconds; what is missing has its default.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(
    clippy::struct_field_names,
    reason = "the unit is part of the names of the settings"
)]
struct AgentDeadlines {
    unacknowledged_ms: Option<u64>,
    acknowledged_ms: Option<u64>,
    start_ms: Option<u64>,
    load_ms: Option<u64>,
}

impl From<AgentDeadlines> for Deadlines {
    fn from(given: AgentDeadlines) -> Self {
        let default = Self::default();
        Self {
            unacknowledged_ms: given.unacknowledged_ms.unwrap_or(default.unacknowledged_ms),
            acknowledged_ms: given.acknowledged_ms.unwrap_or(default.acknowledged_ms),
            start_ms: given.start_ms.unwrap_or(default.start_ms),
            load_ms: given.load_ms.unwrap_or(default.load_ms),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            code_lens: CodeLens::default(),
            hint_diagnostics: false,
            profile: ProfileChoice::default(),
            follow: false,
            limits: Limits::default(),
            tap: true,
            agents: BTreeMap::new(),
            transcripts: BTreeMap::new(),
            agent_terminals: false,
            deadlines: Deadlines::default(),
            trace: None,
        }
    }
}

impl Settings {
    /// Reads settings, with or without the section `acpLens` around them. What is missing has its
    /// default; what cannot be used has it too, and is named in the second part of the answer.
    pub(crate) fn read(value: &Value) -> (Self, Vec<String>) {
        let section = value.get("acpLens").unwrap_or(value);
        let mut settings = Self::default();
        let mut faults = Vec::new();
        let mut members = Members {
            section,
            faults: &mut faults,
        };
        members.take("codeLens", |it: CodeLens| settings.code_lens = it);
        members.take("diagnostics", |it: Diagnostics| {
            settings.hint_diagnostics = matches!(it, Diagnostics::Hint);
        });
        members.take("profile", |it: ProfileName| settings.profile = it.into());
        members.take("follow", |it| settings.follow = it);
        members.take("maxFileLines", |it| settings.limits.max_lines = it);
        members.take("maxFileBytes", |it| settings.limits.max_bytes = it);
        members.take("trace", |it: String| settings.trace = Some(it));
        members.take("tap", |it: Tap| settings.tap = it.enabled);
        members.take("tap.enabled", |it| settings.tap = it);
        members.take("agents", |it| settings.agents = it);
        members.take("transcripts", |it| settings.transcripts = it);
        members.take("agentTerminals", |it| settings.agent_terminals = it);
        members.take("agentDeadlines", |it: AgentDeadlines| {
            settings.deadlines = it.into();
        });
        (settings, faults)
    }
}

/// The members of the section, taken one by one so that a bad one does not cost the others.
struct Members<'a> {
    section: &'a Value,
    faults: &'a mut Vec<String>,
}

impl Members<'_> {
    fn take<T: serde::de::DeserializeOwned>(&mut self, name: &str, set: impl FnOnce(T)) {
        let Some(value) = self.section.get(name).filter(|value| !value.is_null()) else {
            return;
        };
        match explain::read(value, &format!("acpLens.{name}")) {
            Ok(value) => set(value),
            Err(why) => self.faults.push(why),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Diagnostics {
    Off,
    Hint,
}

#[derive(Deserialize)]
struct Tap {
    #[serde(default = "enabled")]
    enabled: bool,
}

fn enabled() -> bool {
    true
}

/// A profile by its name in settings and requests.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ProfileName {
    Auto,
    Openclaw,
    Acp,
}

impl From<ProfileName> for ProfileChoice {
    fn from(name: ProfileName) -> Self {
        match name {
            ProfileName::Auto => Self::Auto,
            ProfileName::Openclaw => Self::Fixed(Profile::Openclaw),
            ProfileName::Acp => Self::Fixed(Profile::Acp),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_setting_is_read_in_each_form() {
        let section = json!({
            "codeLens": "file", "diagnostics": "hint", "profile": "openclaw", "follow": true,
            "maxFileLines": 10, "maxFileBytes": 20, "tap": {"enabled": false}, "trace": "t.ndjson",
            "agentTerminals": true,
            "agents": {"a": {"command": "x", "args": ["-v"], "env": {"K": "V"}}},
        });
        let (settings, faults) = Settings::read(&section);
        assert_eq!(faults, [""; 0]);
        assert_eq!(settings.code_lens, CodeLens::File);
        assert!(settings.hint_diagnostics && settings.follow && !settings.tap);
        assert!(settings.agent_terminals);
        assert_eq!(settings.profile, ProfileChoice::Fixed(Profile::Openclaw));
        assert_eq!(
            settings.limits,
            Limits {
                max_lines: 10,
                max_bytes: 20
            }
        );
        assert_eq!(settings.agents["a"].args, ["-v"]);
        assert_eq!(settings.trace.as_deref(), Some("t.ndjson"));
        assert_eq!(Settings::read(&json!({"acpLens": section})).0, settings);
        assert!(!Settings::read(&json!({"tap.enabled": false})).0.tap);
    }

    #[test]
    fn a_bad_setting_is_named_and_costs_nothing_else() {
        let (settings, faults) = Settings::read(
            &json!({"codeLens": "some", "maxFileLines": -1, "follow": true, "x": 1}),
        );
        assert_eq!(
            settings,
            Settings {
                follow: true,
                ..Settings::default()
            }
        );
        assert_eq!(
            faults,
            [
                "`acpLens.codeLens` has to be `all`, `file` or `off`, not `some`",
                "`acpLens.maxFileLines` has to be a whole number from 0 on that is not too large, \
                 not `-1`",
            ]
        );
        let (_, faults) = Settings::read(&json!({"agents": {"a": {"args": []}}}));
        assert_eq!(faults, ["`acpLens.agents.a.command` is missing"]);
        for value in [json!(null), json!([]), json!("x")] {
            assert_eq!(Settings::read(&value), (Settings::default(), vec![]));
        }
    }

    #[test]
    fn secrets_do_not_show() {
        let agent = json!({"agents": {"a": {"command": "x", "env": {"TOKEN": "secret"}}}});
        let text = format!("{:?}", Settings::read(&agent).0);
        assert!(!text.contains("secret"), "{text}");
    }
}
