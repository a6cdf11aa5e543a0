//! What `acp-lens replay` says about a trace.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

/// Which rules a run follows.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Profile {
    Auto,
    Acp,
}

/// One listed change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) call: String,
    pub(crate) path: String,
    pub(crate) action: String,
    pub(crate) from: Option<String>,
    /// Old and new texts.
    pub(crate) texts: Vec<(String, String)>,
}

/// What a run listed.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) changes: Vec<Change>,
    pub(crate) notices: Vec<String>,
}

/// An action, and for a move its old path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deed {
    pub(crate) action: String,
    pub(crate) from: Option<String>,
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.action)?;
        self.from
            .iter()
            .try_for_each(|from| write!(f, " from {from}"))
    }
}

/// The listed changes by call and path, each call told apart by how often its id came before.
pub(crate) type ByCall = BTreeMap<(String, String), Deed>;

impl Listing {
    pub(crate) fn of_trace(trace: &str, profile: Profile) -> Result<Self> {
        Self::of_text(&text(trace)?, profile)
    }

    pub(crate) fn of_text(text: &str, profile: Profile) -> Result<Self> {
        let profile = match profile {
            Profile::Auto => "auto",
            Profile::Acp => "acp",
        };
        let args = ["replay", "--format", "json", "--profile", profile, "-"];
        let run = e2e::binary::run(&args, text.as_bytes())?;
        ensure!(
            run.code == Some(0),
            "exit status {:?}: {}",
            run.code,
            run.stderr
        );
        let json: Value = serde_json::from_str(&run.stdout)?;
        let mut listing = Self::default();
        for session in items(&json, "sessions") {
            listing
                .changes
                .extend(items(session, "activities").map(change));
            listing
                .notices
                .extend(items(session, "notices").map(Value::to_string));
        }
        Ok(listing)
    }

    pub(crate) fn by_call(&self) -> ByCall {
        let mut by_call = ByCall::new();
        for change in &self.changes {
            let deed = Deed {
                action: change.action.clone(),
                from: change.from.clone(),
            };
            by_call.insert((change.call.clone(), change.path.clone()), deed);
        }
        by_call
    }
}

fn change(activity: &Value) -> Change {
    let text = |value: &Value, name: &str| value[name].as_str().map(str::to_owned);
    let texts = items(activity, "fragments")
        .filter_map(|fragment| Some((text(fragment, "oldText")?, text(fragment, "newText")?)));
    Change {
        call: text(activity, "toolCallId").unwrap_or_default(),
        path: text(activity, "relativePath").unwrap_or_default(),
        action: text(activity, "action").unwrap_or_default(),
        from: text(activity, "fromPath"),
        texts: texts.collect(),
    }
}

fn items<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value[name].as_array().into_iter().flatten()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/traces")
}

fn names_ending_in(ending: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder())? {
        let name = entry?
            .file_name()
            .into_string()
            .ok()
            .context("a name in UTF-8")?;
        names.extend(name.strip_suffix(ending).map(str::to_owned));
    }
    names.sort();
    ensure!(!names.is_empty(), "no recorded traces");
    Ok(names)
}

/// The traces that come with the workspace before and after.
pub(crate) fn traces_with_files() -> Result<Vec<String>> {
    names_ending_in(".files.json")
}

/// The traces in which an agent replays a session.
pub(crate) fn loaded_traces() -> Result<Vec<String>> {
    Ok(names_ending_in("-load.ndjson")?
        .into_iter()
        .map(|name| format!("{name}-load"))
        .collect())
}

/// All traces.
pub(crate) fn all_traces() -> Result<Vec<String>> {
    names_ending_in(".ndjson")
}

/// The text of a trace.
pub(crate) fn text(trace: &str) -> Result<String> {
    let path = folder().join(format!("{trace}.ndjson"));
    std::fs::read_to_string(&path).with_context(|| path.display().to_string())
}

/// The workspace before and after.
pub(crate) fn files(trace: &str) -> Result<Value> {
    let path = folder().join(format!("{trace}.files.json"));
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    Ok(serde_json::from_str(&text)?)
}
