//! A session as the server holds it: the core's session, and what only the server knows of it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use acp_grammar::wire::Field;
use activity_core::model::{Activity, LineCounts};
use activity_core::path::Workspace;
use activity_core::profile::Profile;
use activity_core::session::{Changes, Options, Revision, Session};
use serde_json::Value;

use super::sources::{SessionKey, sum};
use crate::lsp::ext::{
    self, AgentInfo, PermissionState, SessionInfo, SessionSource, SessionState, TurnInfo,
};

/// What is known of a session when it begins.
#[derive(Debug, Clone)]
pub(crate) struct Opening {
    /// The server's name for it; opening a known key again replaces what was known of it.
    pub(crate) key: SessionKey,
    /// The ACP id.
    pub(crate) session_id: Arc<str>,
    /// How the server knows of it.
    pub(crate) source: SessionSource,
    /// Changes with every load and creation.
    pub(crate) generation: u64,
    /// What it is doing.
    pub(crate) state: SessionState,
    /// Name of the agent where something else than the agent names it, the settings for one.
    pub(crate) agent: Option<Arc<str>>,
    /// How it is read.
    pub(crate) options: Options,
}

/// What changed about a session apart from its events. `None` leaves a member as it is.
#[derive(Debug, Clone, Default)]
pub(crate) struct Status {
    pub(crate) state: Option<SessionState>,
    pub(crate) title: Option<String>,
    /// `Null` clears it.
    pub(crate) error: Field<String>,
    /// `Null` clears it.
    pub(crate) stop_reason: Field<String>,
    pub(crate) modes: Option<Value>,
    pub(crate) config_options: Option<Value>,
    pub(crate) commands: Option<Value>,
    /// How long the turn took that has just ended, in milliseconds.
    pub(crate) turn_ms: Option<u64>,
    /// The ACP id, where it becomes known late.
    pub(crate) session_id: Option<Arc<str>>,
}

/// A session and what belongs to it.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) key: SessionKey,
    pub(crate) session_id: Arc<str>,
    pub(crate) source: SessionSource,
    pub(crate) generation: u64,
    pub(crate) session: Session,
    /// The questions of the agent, by tool call.
    pub(crate) permissions: BTreeMap<Arc<str>, PermissionState>,
    /// How long turns took, in milliseconds.
    pub(crate) durations: HashMap<Arc<str>, u64>,
    /// What ended commands have written, by terminal.
    pub(crate) terminals: HashMap<Arc<str>, Arc<str>>,
    agent: Option<Arc<str>>,
    status: Status,
    /// Up to where the server has looked at the session.
    seen: Revision,
    /// Another session took its place since.
    is_replaced: bool,
    /// Since which sequence activities arrived at which moment of the server.
    arrivals: Vec<(u64, u64)>,
    /// The sequence that the next activity will have at least.
    next_sequence: u64,
    /// What each turn amounts to; counting is the dear part of a summary, so it is done once.
    turns: HashMap<Arc<str>, TurnTotal>,
}

/// What a turn amounts to.
#[derive(Debug, Clone, Copy)]
struct TurnTotal {
    files: usize,
    counts: Option<LineCounts>,
}

impl Entry {
    pub(crate) fn new(opening: Opening) -> Self {
        Self {
            session: Session::new(Arc::clone(&opening.session_id), opening.options),
            key: opening.key,
            session_id: opening.session_id,
            source: opening.source,
            generation: opening.generation,
            permissions: BTreeMap::new(),
            durations: HashMap::new(),
            terminals: HashMap::new(),
            agent: opening.agent,
            status: Status {
                state: Some(opening.state),
                ..Status::default()
            },
            seen: Revision::default(),
            is_replaced: false,
            arrivals: Vec::new(),
            next_sequence: 0,
            turns: HashMap::new(),
        }
    }

    /// Puts a session in place of the one that was being built, as a replay gives it.
    pub(crate) fn replace(&mut self, session: Session) {
        self.session = session;
        self.seen = Revision::default();
        self.is_replaced = true;
        self.next_sequence = 0;
        self.arrivals.clear();
        self.turns.clear();
        self.durations.clear();
    }

    /// What changed since the last time; after a reset that is everything. `moment` orders the activities of several sessions.
    pub(crate) fn drain(&mut self, moment: u64) -> Changes {
        let mut changes = self.session.changes_since(self.seen);
        self.seen = changes.revision;
        changes.reset |= std::mem::take(&mut self.is_replaced);
        if changes.reset {
            self.next_sequence = 0;
            self.arrivals.clear();
            self.turns.clear();
            changes.files = self.session.paths();
            let turns = self.session.turns().into_iter();
            changes.turns = turns.map(|turn| turn.id).collect();
            changes.items = (0..self.session.item_count()).collect();
        }
        if !changes.files.is_empty() {
            self.arrivals.push((self.next_sequence, moment));
        }
        let last = changes.files.iter().filter_map(|path| {
            let group = self.session.file(path)?;
            group.activities.last().map(|activity| activity.sequence)
        });
        self.next_sequence = last.fold(self.next_sequence, |next, seen| next.max(seen + 1));
        for turn in &changes.turns {
            let rows = self.session.turn_summaries(turn);
            let zero = Some(LineCounts::default());
            let total = TurnTotal {
                files: rows.len(),
                counts: rows.iter().map(|row| row.counts).fold(zero, sum),
            };
            self.turns.insert(Arc::clone(turn), total);
        }
        changes
    }

    /// When an activity arrived, for the order among several sessions.
    pub(crate) fn arrival(&self, activity: &Activity) -> u64 {
        let after = self
            .arrivals
            .partition_point(|(first, _)| *first <= activity.sequence);
        after.checked_sub(1).map_or(0, |at| self.arrivals[at].1)
    }

    /// Takes in what became known apart from the session's events.
    pub(crate) fn update(&mut self, status: Status) {
        let known = &mut self.status;
        known.state = status.state.or(known.state);
        known.title = status.title.or_else(|| known.title.take());
        if status.error.is_present() {
            known.error = status.error;
        }
        if status.stop_reason.is_present() {
            known.stop_reason = status.stop_reason;
        }
        known.modes = status.modes.or_else(|| known.modes.take());
        known.config_options = status
            .config_options
            .or_else(|| known.config_options.take());
        known.commands = status.commands.or_else(|| known.commands.take());
        if let Some(session_id) = status.session_id {
            self.session_id = session_id;
        }
    }

    /// What it is doing.
    pub(crate) fn state(&self) -> SessionState {
        self.status.state.unwrap_or(SessionState::Idle)
    }

    /// Name of the agent: what it calls itself, else what the settings call it.
    pub(crate) fn agent_name(&self) -> Option<Arc<str>> {
        let named = self.session.agent().map(|agent| Arc::clone(&agent.name));
        named.or_else(|| self.agent.clone())
    }

    /// A title: the one that was given, else the first line of the first prompt.
    pub(crate) fn title(&self) -> Option<Arc<str>> {
        if let Some(title) = &self.status.title {
            return Some(title.as_str().into());
        }
        let mut turns = self.session.turns().into_iter();
        turns
            .find(|turn| !turn.user_line.is_empty())
            .map(|turn| turn.user_line)
    }

    /// The absolute path of the workspace root, if anything names one.
    pub(crate) fn root(&self) -> Option<&Arc<str>> {
        self.session.workspace().map(Workspace::root)
    }

    /// The session for the client.
    pub(crate) fn info(&self) -> SessionInfo {
        let session = &self.session;
        let workspace = session.workspace();
        let counts = self.turns.values().map(|turn| turn.counts);
        let counts = counts.fold(Some(LineCounts::default()), sum);
        let own = session.notices().into_iter();
        SessionInfo {
            session: self.key.to_string(),
            session_id: self.session_id.to_string(),
            source: self.source,
            generation: self.generation,
            state: self.state(),
            agent: self.agent_name().map(|name| AgentInfo {
                name: name.to_string(),
                version: session
                    .agent()
                    .and_then(|agent| agent.version.as_deref().map(str::to_owned)),
            }),
            title: self.title().map(|title| title.to_string()),
            profile: match session.profile() {
                Profile::Openclaw => "openclaw".to_owned(),
                Profile::Acp => "acp".to_owned(),
            },
            workspace_root: workspace.map(|it| it.root().to_string()),
            execution_cwd: workspace.map(|it| it.cwd().to_string()),
            unique_file_count: number(session.paths().len()),
            turn_count: number(session.turns().len()),
            added: counts.map(|it| it.added),
            removed: counts.map(|it| it.removed),
            stop_reason: self.status.stop_reason.as_value().cloned(),
            error: self.status.error.as_value().cloned(),
            notices: own
                .filter(|notice| notice.turn_id.is_none())
                .map(notice)
                .collect(),
            modes: self.status.modes.clone(),
            config_options: self.status.config_options.clone(),
            commands: self.status.commands.clone(),
        }
    }

    /// Turns for the client: those with the ids that `wanted` accepts.
    pub(crate) fn turn_infos(&self, wanted: impl Fn(&Arc<str>) -> bool) -> Vec<TurnInfo> {
        let mut notices: HashMap<Arc<str>, Vec<ext::Notice>> = HashMap::new();
        for it in self.session.notices() {
            if let Some(turn) = it.turn_id.clone() {
                notices.entry(turn).or_default().push(notice(it));
            }
        }
        let turns = (1..).zip(self.session.turns());
        turns
            .filter(|(_, turn)| wanted(&turn.id))
            .map(|(number_of_turn, turn)| {
                let total = self.turns.get(&turn.id);
                let counts = total.map_or(Some(LineCounts::default()), |total| total.counts);
                TurnInfo {
                    session: self.key.to_string(),
                    number: number_of_turn,
                    prompt: (!turn.user_line.is_empty()).then(|| turn.user_line.to_string()),
                    files: total.map_or(0, |total| number(total.files)),
                    added: counts.map(|it| it.added),
                    removed: counts.map(|it| it.removed),
                    notices: notices.remove(&turn.id).unwrap_or_default(),
                    duration_ms: self.durations.get(&turn.id).copied(),
                    turn: turn.id.to_string(),
                }
            })
            .collect()
    }
}

fn notice(notice: activity_core::notice::Notice) -> ext::Notice {
    ext::Notice {
        kind: notice.kind.code().to_owned(),
        message: notice.kind.to_string(),
        tool_call: notice.tool_call_id.map(|id| id.to_string()),
    }
}

/// A length for the client.
pub(crate) fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
