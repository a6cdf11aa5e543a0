//! A recording as one JSON document, written piece by piece.
//!
//! The names of its members are a contract; new ones may come, none may go.

mod list;

use std::collections::HashMap;
use std::io::Write;
use std::sync::Mutex;

use activity_core::attachment::Attachment;
use activity_core::model::{
    Action, Activity, Evidence, FileGroup, FileSummary, LineCounts, Net, PathStanding, TextPair,
    TurnChange,
};
use activity_core::profile::Profile;
use activity_core::session::Session;
use serde::ser::{SerializeMap as _, SerializeStruct as _};
use serde::{Serialize, Serializer};

use super::{RecordedSession, Recording, ShownNotice};
use list::List;

/// Writes the document for several recordings, their sessions one after the other.
pub(crate) fn write(recordings: &[Recording], output: impl Write) -> serde_json::Result<()> {
    serde_json::to_writer(output, &Document(recordings))
}

/// Text of activities that a session can have to be written as a whole.
const LARGE_SESSION: usize = 1 << 20;
/// About what a session takes besides.
const SESSION_BYTES: usize = 2 << 10;

struct Document<'a>(&'a [Recording]);

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let skipped: u64 = self.0.iter().map(Recording::skipped_lines).sum();
        let mut document = serializer.serialize_struct("Document", 2)?;
        document.serialize_field("sessions", &Sessions(self.0))?;
        document.serialize_field("skippedLines", &skipped)?;
        document.end()
    }
}

struct Sessions<'a>(&'a [Recording]);

impl Serialize for Sessions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let sessions: Vec<&RecordedSession> = self.0.iter().flat_map(Recording::sessions).collect();
        let sizes = sessions.iter().map(|it| it.session.text_bytes());
        // A large session shares out its own lists; it is not held in memory as a whole.
        let bytes = if sizes.clone().max() > Some(LARGE_SESSION) {
            0
        } else {
            sizes.map(|size| size + SESSION_BYTES).sum()
        };
        List::new(&sessions, bytes, |it| Some(OneSession(it))).serialize(serializer)
    }
}

struct OneSession<'a>(&'a RecordedSession);

impl Serialize for OneSession<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let session = &self.0.session;
        // Only profile `acp` knows moves, evidence and nets; the other one mirrors a projection
        // that does not.
        let rich = session.profile() == Profile::Acp;
        let workspace = session.workspace();
        let agent = session.agent().map(|agent| AgentObject {
            name: &agent.name,
            version: agent.version.as_deref(),
        });
        let activities = session.activities();
        let attachments = session.attachments();
        let bytes = session.text_bytes();

        let mut members = serializer.serialize_struct("Session", 12)?;
        members.serialize_field("sessionId", &*self.0.id)?;
        members.serialize_field("agent", &agent)?;
        members.serialize_field("profile", profile_name(session.profile()))?;
        members.serialize_field("workspaceRoot", &workspace.map(|it| &**it.root()))?;
        members.serialize_field("executionCwd", &workspace.map(|it| &**it.cwd()))?;
        members.serialize_field(
            "activities",
            &List::new(&activities, bytes, |it| Some(ActivityObject::new(it, rich))),
        )?;
        members.serialize_field("turnSummaries", &TurnSummaries { session, rich })?;
        let paths = session.paths();
        // What is left of all files together; nothing as soon as one of them does not compose.
        let net = Mutex::new(Some(LineCounts::default()));
        members.serialize_field(
            "changes",
            // A group is made when it is written and dropped after that: its texts may be new.
            &List::new(&paths, bytes, |path| {
                let group = session.file(path)?;
                if let Ok(mut net) = net.lock() {
                    *net = net.and_then(|net| Some(net + group.net.as_ref()?.counts?));
                }
                Some(Group { group, rich })
            }),
        )?;
        members.serialize_field("uniqueFileCount", &paths.len())?;
        if rich {
            let net = net.into_inner().unwrap_or_default();
            let net = net.map(CountsObject::new);
            members.serialize_field("net", &net)?;
        }
        members.serialize_field(
            "attachments",
            &Each(|| attachments.iter().map(AttachmentObject::new)),
        )?;
        let notices = self.0.notices();
        members.serialize_field("notices", &Each(|| notices.iter().map(NoticeObject::new)))?;
        members.end()
    }
}

/// A list that is made while it is written.
struct Each<F>(F);

impl<F, I> Serialize for Each<F>
where
    F: Fn() -> I,
    I: Iterator,
    I::Item: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0())
    }
}

#[derive(Serialize)]
struct AgentObject<'a> {
    name: &'a str,
    version: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ActivityObject<'a> {
    turn_id: &'a str,
    tool_call_id: &'a str,
    tool_name: &'a str,
    relative_path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_path: Option<&'a str>,
    action: &'static str,
    fragments: Vec<FragmentObject<'a>>,
    sequence: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<&'static str>,
    /// Why the file may not show the change: a sentence, or empty when only its name is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    doubt: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FragmentObject<'a> {
    old_text: &'a str,
    new_text: &'a str,
    sequence: u64,
}

impl<'a> ActivityObject<'a> {
    fn new(activity: &'a Activity, rich: bool) -> Self {
        let fragments = activity.fragments.iter();
        let best = fragments.clone().map(|fragment| fragment.evidence).min();
        Self {
            turn_id: &activity.turn_id,
            tool_call_id: &activity.tool_call_id,
            tool_name: &activity.tool_name,
            relative_path: &activity.relative_path,
            from_path: activity.from_path.as_deref(),
            action: action_name(activity.action),
            fragments: fragments
                .map(|fragment| FragmentObject {
                    old_text: &fragment.old_text,
                    new_text: &fragment.new_text,
                    sequence: fragment.sequence,
                })
                .collect(),
            sequence: activity.sequence,
            evidence: best.filter(|_| rich).map(evidence_name),
            doubt: match &activity.standing {
                PathStanding::Known => None,
                PathStanding::Doubtful(reason) => Some(reason),
                PathStanding::Unknown => Some("only the name of the file is known"),
            },
        }
    }
}

/// The rows of each turn that changed something, by turn.
struct TurnSummaries<'a> {
    session: &'a Session,
    rich: bool,
}

impl Serialize for TurnSummaries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for turn in self.session.turns() {
            let rows = self.session.turn_summaries(&turn.id);
            if rows.is_empty() {
                continue;
            }
            let nets = if self.rich {
                self.session.turn_net(&turn.id)
            } else {
                Vec::new()
            };
            let nets: HashMap<&str, Option<NetObject<'_>>> = nets
                .iter()
                .map(|(path, net)| (&**path, net.as_ref().map(NetObject::new)))
                .collect();
            let rows = rows.iter().map(|row| SummaryObject {
                net: nets.get(&*row.relative_path).copied(),
                ..SummaryObject::new(row)
            });
            map.serialize_entry(&*turn.id, &rows.collect::<Vec<_>>())?;
        }
        map.end()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SummaryObject<'a> {
    relative_path: &'a str,
    action: &'static str,
    added: Option<u64>,
    removed: Option<u64>,
    sequences: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[expect(clippy::option_option, reason = "a net can be absent, null and there")]
    net: Option<Option<NetObject<'a>>>,
}

impl<'a> SummaryObject<'a> {
    fn new(row: &'a FileSummary) -> Self {
        Self {
            relative_path: &row.relative_path,
            action: action_name(row.action),
            added: row.counts.map(|counts| counts.added),
            removed: row.counts.map(|counts| counts.removed),
            sequences: row
                .activities
                .iter()
                .map(|activity| activity.sequence)
                .collect(),
            net: None,
        }
    }
}

struct Group {
    group: FileGroup,
    rich: bool,
}

impl Serialize for Group {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { group, rich } = self;
        let mut members = serializer.serialize_struct("Group", 3)?;
        members.serialize_field("relativePath", &*group.relative_path)?;
        let changes = group.changes.iter();
        members.serialize_field("turns", &Each(|| changes.clone().map(ChangeObject::new)))?;
        if *rich {
            members.serialize_field("net", &group.net.as_ref().map(NetObject::new))?;
        }
        members.end()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ChangeObject<'a> {
    turn_id: &'a str,
    sequence: u64,
    tool_call_ids: Vec<&'a str>,
    diff: Option<TextsObject<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TextsObject<'a> {
    old_text: &'a str,
    new_text: &'a str,
}

impl<'a> TextsObject<'a> {
    fn new(texts: &'a TextPair) -> Self {
        Self {
            old_text: &texts.old_text,
            new_text: &texts.new_text,
        }
    }
}

impl<'a> ChangeObject<'a> {
    fn new(change: &'a TurnChange) -> Self {
        let mut tool_call_ids: Vec<&str> = Vec::new();
        for activity in &change.activities {
            // A call's activities stand beside each other.
            if tool_call_ids.last() != Some(&&*activity.tool_call_id) {
                tool_call_ids.push(&activity.tool_call_id);
            }
        }
        Self {
            turn_id: &change.turn_id,
            sequence: change.sequence,
            tool_call_ids,
            diff: change.diff.as_ref().map(TextsObject::new),
        }
    }
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
struct NetObject<'a> {
    old_text: &'a str,
    new_text: &'a str,
    added: Option<u64>,
    removed: Option<u64>,
}

impl<'a> NetObject<'a> {
    fn new(net: &'a Net) -> Self {
        Self {
            old_text: &net.texts.old_text,
            new_text: &net.texts.new_text,
            added: net.counts.map(|counts| counts.added),
            removed: net.counts.map(|counts| counts.removed),
        }
    }
}

/// What is left of a session, in lines.
#[derive(Serialize)]
struct CountsObject {
    added: u64,
    removed: u64,
}

impl CountsObject {
    fn new(LineCounts { added, removed }: LineCounts) -> Self {
        Self { added, removed }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AttachmentObject<'a> {
    identity: &'a str,
    turn_id: Option<&'a str>,
    item_id: &'a str,
    uri: &'a str,
    display_name: &'a str,
    mime_type: Option<&'a str>,
    size: Option<u64>,
}

impl<'a> AttachmentObject<'a> {
    fn new(attachment: &'a Attachment) -> Self {
        Self {
            identity: &attachment.identity,
            turn_id: attachment.turn_id.as_deref(),
            item_id: &attachment.item_id,
            uri: &attachment.uri,
            display_name: &attachment.display_name,
            mime_type: attachment.mime_type.as_deref(),
            size: attachment.size,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NoticeObject<'a> {
    code: &'static str,
    text: &'a str,
    turn_id: Option<&'a str>,
    tool_call_id: Option<&'a str>,
}

impl<'a> NoticeObject<'a> {
    fn new(notice: &'a ShownNotice) -> Self {
        Self {
            code: notice.code,
            text: &notice.text,
            turn_id: notice.turn_id.as_deref(),
            tool_call_id: notice.tool_call_id.as_deref(),
        }
    }
}

fn profile_name(profile: Profile) -> &'static str {
    match profile {
        Profile::Openclaw => "openclaw",
        Profile::Acp => "acp",
    }
}

fn action_name(action: Action) -> &'static str {
    match action {
        Action::Created => "created",
        Action::Modified => "modified",
        Action::Deleted => "deleted",
        Action::Moved => "moved",
    }
}

fn evidence_name(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Result => "result",
        Evidence::Content => "content",
        Evidence::Permission => "permission",
        Evidence::Input => "input",
    }
}
