//! Any events in any order.

use std::collections::BTreeMap;
use std::sync::Arc;

use acp_grammar::wire::{ToolCallPatch, Update};

use super::{Options, Revision, Session, TimelineText};
use crate::event::{Event, PermissionAnswer};
use crate::model::Activity;
use crate::profile::{Profile, ProfileChoice};

/// The first byte chooses how the session is read. Each line after it is an event: one of a few
/// words, `ask` with a tool call, or an update as it comes on the wire. Other lines say nothing.
///
/// # Panics
/// When a reader who only ever reads what changed knows something else than one who reads all, when
/// what was read on the way changes the end, when the timeline's text changes what is listed, or
/// when the turns or the files together do not hold all activities, each once.
pub fn fuzz_session(data: &[u8]) {
    let (choice, script) = data.split_first().unwrap_or((&0, &[]));
    let script = String::from_utf8_lossy(script);
    let profile = match choice % 3 {
        0 => ProfileChoice::Auto,
        1 => ProfileChoice::Fixed(Profile::Openclaw),
        _ => ProfileChoice::Fixed(Profile::Acp),
    };
    let session = |text| {
        let options = Options {
            profile,
            cwd: Some("/w/dir".into()),
            workspace_root: Some("/w".into()),
            text,
        };
        Session::new("s", options)
    };
    let mut watched = session(TimelineText::Keep);
    let mut reader = Reader::default();
    let mut unread = session(TimelineText::Keep);
    let mut sparse = session(TimelineText::FirstLines);
    for line in script.lines() {
        for session in [&mut watched, &mut unread, &mut sparse] {
            apply(session, line);
        }
        reader.read(&watched);
    }
    let activities = watched.activities();
    assert_eq!(unread.activities(), activities, "reading changed something");
    assert_eq!(
        sparse.activities(),
        activities,
        "text changed what is listed"
    );
    assert_whole(&watched, &activities);
}

fn apply(session: &mut Session, line: &str) {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let answered = |rejected| Event::PermissionAnswered {
        request_id: "q".into(),
        answer: PermissionAnswer::Selected {
            option_id: "o".into(),
            rejected,
        },
    };
    let event = match word {
        "open" => Event::Opened { cwd: rest.into() },
        "agent" => Event::AgentNamed {
            name: rest.into(),
            version: None,
        },
        "load" => Event::LoadStarted,
        "loaded" => Event::LoadEnded,
        "failed" => Event::LoadFailed,
        "prompt" => Event::PromptSent { blocks: Vec::new() },
        "end" => Event::PromptEnded { stop_reason: None },
        "gap" => Event::GapNoticed { missed: Some(1) },
        "allow" => answered(false),
        "reject" => answered(true),
        "ask" => match ToolCallPatch::decode(rest) {
            Some(tool_call) => Event::PermissionRequested {
                request_id: "q".into(),
                tool_call,
            },
            None => return,
        },
        _ => match Update::decode(line) {
            Some(update) => Event::Update(update),
            None => return,
        },
    };
    session.apply(event);
}

/// One who reads only what changed.
#[derive(Default)]
struct Reader {
    known: Revision,
    files: BTreeMap<Arc<str>, Vec<String>>,
}

impl Reader {
    fn read(&mut self, session: &Session) {
        let changes = session.changes_since(self.known);
        assert!(changes.revision >= self.known, "revisions only grow");
        self.known = changes.revision;
        let mut touched = changes.files;
        if changes.reset {
            self.files.clear();
            touched = session.paths();
        }
        for path in touched {
            self.files.remove(&path);
            if let Some(group) = session.file(&path) {
                self.files.insert(path, without_places(&group.activities));
            }
        }
        let all = session.files().into_iter().map(|group| {
            let activities = without_places(&group.activities);
            (group.relative_path, activities)
        });
        assert_eq!(self.files, all.collect(), "a change was not told");
    }
}

/// Sequences and doubts move when something else changes; that alone is no change of a file.
fn without_places(activities: &[Arc<Activity>]) -> Vec<String> {
    let shown = activities.iter().map(|activity| {
        let texts = activity.fragments.iter();
        let texts: Vec<_> = texts
            .map(|fragment| (&fragment.old_text, &fragment.new_text, fragment.evidence))
            .collect();
        format!(
            "{} {} {:?} {:?} {texts:?}",
            activity.turn_id, activity.tool_call_id, activity.action, activity.from_path
        )
    });
    shown.collect()
}

fn assert_whole(session: &Session, activities: &[Arc<Activity>]) {
    let mut fragments = 0;
    for (sequence, activity) in (0_u64..).zip(activities) {
        assert_eq!(activity.sequence, sequence);
        for fragment in &activity.fragments {
            assert_eq!(fragment.sequence, fragments);
            fragments += 1;
        }
    }
    let by_sequence = |mut all: Vec<Arc<Activity>>| {
        all.sort_by_key(|activity| activity.sequence);
        all
    };
    let of_turns = session
        .turns()
        .iter()
        .flat_map(|turn| session.turn_summaries(&turn.id))
        .flat_map(|row| row.activities)
        .collect();
    assert_eq!(by_sequence(of_turns), activities);
    let of_files = session
        .files()
        .into_iter()
        .flat_map(|group| group.activities)
        .collect();
    assert_eq!(by_sequence(of_files), activities);
    // They are worked out from all that there is, so that is all there is to ask of them.
    drop((
        session.notices(),
        session.requested(),
        session.attachments(),
    ));
    for position in 0..session.item_count() {
        let item = session.item(position).expect("text is kept");
        assert_eq!(item.position, position);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::fuzz_session;

    #[test]
    fn seeds() {
        crate::seeds::run("session", fuzz_session);
    }

    /// A line of a script: few ids and paths, so that they meet again and again.
    fn line() -> impl Strategy<Value = String> {
        let call = (
            prop::sample::select(vec!["1", "2", "3"]),
            prop::sample::select(vec!["tool_call", "tool_call_update"]),
            prop::collection::vec(member(), 0..5),
        )
            .prop_map(|(id, name, members)| {
                let members = members.join(",");
                let comma = if members.is_empty() { "" } else { "," };
                format!(r#"{{"sessionUpdate":"{name}","toolCallId":"{id}"{comma}{members}}}"#)
            });
        prop_oneof![
            6 => call,
            1 => Just("ask ".to_owned()).prop_flat_map(|ask| member().prop_map(move |member| {
                format!(r#"{ask}{{"toolCallId":"1",{member}}}"#)
            })),
            2 => prop::sample::select(vec![
                "load", "loaded", "failed", "prompt", "end", "gap", "allow", "reject",
                "agent openclaw", "agent other", "open /w", "open /elsewhere",
                r#"{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"go"}}"#,
                r#"{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"ok"}}"#,
                r#"{"sessionUpdate":"agent_message","messageId":"m","content":[]}"#,
                r#"{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"}}"#,
                r#"{"sessionUpdate":"plan","entries":[]}"#,
                r#"{"sessionUpdate":"tool_call_content_chunk","toolCallId":"2","content":{"type":"diff","path":"a","oldText":"x","newText":"y"}}"#,
            ]).prop_map(str::to_owned),
        ]
    }

    fn member() -> impl Strategy<Value = String> {
        let members = vec![
            r#""title":"write: x""#,
            r#""title":"edit: x""#,
            r#""title":"Run it""#,
            r#""kind":"edit""#,
            r#""kind":"execute""#,
            r#""status":"completed""#,
            r#""status":"completed""#,
            r#""status":"failed""#,
            r#""status":"in_progress""#,
            r#""status":null"#,
            r#""rawInput":{"path":"a","content":"x\n"}"#,
            r#""rawInput":{"path":"dir/../../b","oldText":"x","newText":"y"}"#,
            r#""rawInput":{"input":"*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** End Patch"}"#,
            r#""rawInput":null"#,
            r#""rawOutput":{"details":{"changed":false}}"#,
            r#""rawOutput":{"details":{"cwd":"/elsewhere"}}"#,
            r#""rawOutput":"apply_patch verification failed""#,
            r#""content":[{"type":"diff","path":"/w/a","oldText":"x\n","newText":"y\n"}]"#,
            r#""content":[{"type":"diff","path":"b","oldText":null,"newText":"z"},{"type":"diff","path":"/w/c","newText":"z"}]"#,
            r#""content":[{"type":"content","content":{"type":"text","text":"done"}}]"#,
            r#""content":[]"#,
            r#""locations":[{"path":"/w/a","line":3}]"#,
            r#""_meta":{"toolName":"edit"}"#,
        ];
        prop::sample::select(members).prop_map(str::to_owned)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn random_scripts(choice in 0_u8..3, lines in prop::collection::vec(line(), 0..24)) {
            let mut script = vec![choice];
            script.extend(lines.join("\n").bytes());
            fuzz_session(&script);
        }
    }
}
