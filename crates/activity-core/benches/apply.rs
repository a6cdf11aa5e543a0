//! What one update costs in a long session, against the same in a short one.
//!
//! Both sessions get the same updates in the same run, alternately, and the fastest rounds are
//! compared: the machine's noise only ever makes a round slower. The ratio is what counts; it is
//! to be at most 1.3.
#![expect(clippy::print_stdout, reason = "a benchmark prints its result")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use acp_grammar::wire::Update;
use activity_core::event::Event;
use activity_core::profile::{Profile, ProfileChoice};
use activity_core::session::{Options, Session, TimelineText};

const SHORT: usize = 1_000;
const LONG: usize = 1_000_000;
const ROUND: usize = 500;
const ROUNDS: usize = 60;

fn main() {
    println!("one update: fastest of {ROUNDS} rounds of {ROUND} updates");
    for profile in [Profile::Openclaw, Profile::Acp] {
        for text in [TimelineText::Keep, TimelineText::FirstLines] {
            compare(profile, text);
        }
    }
}

fn compare(profile: Profile, text: TimelineText) {
    let updates: Vec<String> = (LONG..LONG + ROUNDS * ROUND).map(update).collect();
    let mut long = session_of(LONG, profile, text);
    // Each round has its own short session. All are made before and dropped after, so that neither
    // side gets memory that the other has just given back.
    let mut short: Vec<Session> = (0..ROUNDS)
        .map(|_| session_of(SHORT, profile, text))
        .collect();
    let (mut best_short, mut best_long) = (Duration::MAX, Duration::MAX);
    for (round, short) in updates.chunks(ROUND).zip(&mut short) {
        best_short = best_short.min(time(short, round));
        best_long = best_long.min(time(&mut long, round));
    }
    let ratio = best_long.as_secs_f64() / best_short.as_secs_f64();
    println!(
        "{profile:?} {text:?}: after {LONG} / after {SHORT} updates = {ratio:.2} (at most 1.30)"
    );
}

fn time(session: &mut Session, updates: &[String]) -> Duration {
    let decoded: Vec<Update<'_>> = updates.iter().map(|json| decode(json)).collect();
    let start = Instant::now();
    for update in decoded {
        black_box(session.apply(Event::Update(update)));
    }
    start.elapsed()
}

fn session_of(updates: usize, profile: Profile, text: TimelineText) -> Session {
    let options = Options {
        profile: ProfileChoice::Fixed(profile),
        workspace_root: Some("/w".into()),
        text,
        ..Options::default()
    };
    let mut session = Session::new("s", options);
    for count in 0..updates {
        session.apply(Event::Update(decode(&update(count))));
    }
    session
}

fn decode(json: &str) -> Update<'_> {
    Update::decode(json).expect("an object")
}

/// A session of turns with text, thoughts, reads and writes, over a few hundred files. One update
/// in ten is about a call that is over: mostly one of the last few, every tenth time one from the
/// middle of the session.
fn update(count: usize) -> String {
    let call = count / 10;
    match count % 10 {
        0 if count.is_multiple_of(200) => format!(
            r#"{{"sessionUpdate":"user_message_chunk","messageId":"u{count}","content":{{"type":"text","text":"go on"}}}}"#
        ),
        0 => r#"{"sessionUpdate":"plan","entries":[]}"#.to_owned(),
        1..=3 => r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"some words "}}"#
            .to_owned(),
        4 => format!(
            r#"{{"sessionUpdate":"agent_thought_chunk","messageId":"m{call}","content":{{"type":"text","text":"hm"}}}}"#
        ),
        5 => format!(
            r#"{{"sessionUpdate":"tool_call","toolCallId":"t{call}","title":"write: path: f{file}","kind":"edit","status":"in_progress","rawInput":{{"path":"f{file}","content":"line\nline {call}\n"}}}}"#,
            file = call % 300
        ),
        6 => format!(
            r#"{{"sessionUpdate":"tool_call_update","toolCallId":"t{call}","content":[{{"type":"diff","path":"/w/f{file}","oldText":"a\nb\n","newText":"a\nc {call}\n"}}]}}"#,
            file = call % 300
        ),
        7 => format!(r#"{{"sessionUpdate":"tool_call_update","toolCallId":"t{call}","status":"completed"}}"#),
        8 if call.is_multiple_of(10) => format!(
            r#"{{"sessionUpdate":"tool_call_update","toolCallId":"t{old}","status":"completed"}}"#,
            old = call / 2
        ),
        8 => format!(
            r#"{{"sessionUpdate":"tool_call_update","toolCallId":"t{recent}","status":"completed"}}"#,
            recent = call.saturating_sub(call % 8)
        ),
        _ => format!(
            r#"{{"sessionUpdate":"tool_call","toolCallId":"r{call}","title":"read","kind":"read","status":"completed"}}"#
        ),
    }
}
