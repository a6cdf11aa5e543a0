//! The host of an agent, step by step with a clock that the test sets.
//!
//! A script has one step a line; what the host wants done is shown below its step. The rules stand
//! in the reference for OpenClaw's desktop client; these of them do not concern this host:
//!
//! - session names of the form `agent:...`: sessions have the ids that their agents give them;
//! - the number of a failed load is not given out again: here generations only grow;
//! - a refused change of workspace does not cancel the questions of the prompt that runs: a load
//!   that fails leaves everything as it was;
//! - the adapter's own work (replay from its ledger or transcript, titles of tool calls, approvals,
//!   stop reasons of the gateway): that is the agent's side of the wire;
//! - snapshots of sessions that are not on screen, and asking once a second after a restart of the
//!   window: here the server itself holds every session, so there is nothing to bring back.

use std::sync::Arc;

use activity_core::host::{Ask, Deadlines, Effect, Event, Machine, Place, Request};
use expect_test::{Expect, expect};

/// Runs a script and compares what the host wants done.
#[expect(
    clippy::needless_pass_by_value,
    reason = "`expect![[…]]` stands at the call"
)]
fn check(script: &str, expected: Expect) {
    let mut run = Run {
        machine: Machine::new(Deadlines::default()),
        now_ms: 0,
        requests: 0,
        sent: Request(0),
        shown: String::new(),
    };
    for step in script
        .lines()
        .map(str::trim)
        .filter(|step| !step.is_empty())
    {
        run.shown += step;
        run.shown.push('\n');
        run.step(step);
    }
    expected.assert_eq(&run.shown);
}

struct Run {
    machine: Machine<String>,
    now_ms: u64,
    requests: u64,
    /// The load that was sent last.
    sent: Request,
    shown: String,
}

impl Run {
    fn step(&mut self, step: &str) {
        let words: Vec<&str> = step.split(' ').collect();
        let event = match *words.as_slice() {
            ["at", ms] => {
                self.now_ms = ms.parse().expect("a number");
                Event::Tick
            }
            ["load", session, root, cwd] => Event::LoadWanted {
                request: self.request(),
                session: Some(session.replace('_', "").into()),
                place: place(root, cwd),
            },
            ["load", session, cwd] => Event::LoadWanted {
                request: self.request(),
                session: Some(session.replace('_', "").into()),
                place: place("/w", cwd),
            },
            ["new", cwd] => Event::LoadWanted {
                request: self.request(),
                session: None,
                place: place("/w", cwd),
            },
            ["ready"] => Event::Ready,
            ["loaded", session] => Event::LoadAnswered {
                request: self.sent,
                result: Ok(session.into()),
            },
            ["load-fails"] => Event::LoadAnswered {
                request: self.sent,
                result: Err("no such session".into()),
            },
            ["update", session, name] => Event::Updated {
                session: session.into(),
                update: name.to_owned(),
            },
            ["prompt", session, cwd, run] => Event::PromptWanted {
                request: self.request(),
                session: session.replace('_', "").into(),
                cwd: cwd.into(),
                run: run.into(),
            },
            ["done", session, run] => Event::PromptAnswered {
                session: session.into(),
                run: run.into(),
                outcome: Ok("end_turn".into()),
            },
            ["ask", session, ask] => Event::PermissionAsked {
                session: session.into(),
                ask: Ask(ask.parse().expect("a number")),
            },
            ["answer", session, permission, option] => Event::PermissionAnswered {
                session: session.into(),
                permission: permission.into(),
                option: Some(option.into()),
            },
            ["cancel", session] => Event::CancelWanted {
                session: session.into(),
            },
            ["run", run] => Event::RunSeen {
                run: run.into(),
                resumed_from: None,
            },
            ["run", run, "from", old] => Event::RunSeen {
                run: run.into(),
                resumed_from: Some(old.into()),
            },
            ["run-ended", run] => Event::RunEnded { run: run.into() },
            ["disconnect"] => Event::Disconnected {
                why: "end of file".into(),
            },
            ["reconnect"] => Event::Reconnected,
            ["exit"] => Event::Exited {
                why: "exit status: 1".into(),
            },
            _ => panic!("no such step: {step}"),
        };
        for effect in self.machine.handle(event, self.now_ms) {
            if let Effect::SendNew { request, .. } | Effect::SendLoad { request, .. } = &effect {
                self.sent = *request;
            }
            self.shown += "    ";
            self.shown += &shown(&effect);
            self.shown.push('\n');
        }
    }

    fn request(&mut self) -> Request {
        self.requests += 1;
        Request(self.requests)
    }
}

fn place(root: &str, cwd: &str) -> Place {
    let whole = |text: &str| -> Arc<str> { text.replace('_', " ").into() };
    Place {
        root: whole(root),
        cwd: whole(cwd),
    }
}

fn shown(effect: &Effect<String>) -> String {
    match effect {
        Effect::Start => "start the agent".to_owned(),
        Effect::Stop => "stop the agent".to_owned(),
        Effect::SendNew { place, .. } => format!("send session/new in {}", place.cwd),
        Effect::SendLoad {
            session,
            generation,
            ..
        } => format!("send session/load {session}, generation {}", generation.0),
        Effect::Loaded {
            session,
            generation,
            batch,
            created,
            resumed,
            ..
        } => {
            let how = match (created, resumed) {
                (true, _) => "created",
                (_, true) => "resumed",
                _ => "loaded",
            };
            format!(
                "{how} {session}, generation {}, batch {batch:?}",
                generation.0
            )
        }
        Effect::LoadFailed { request, why } => format!("load {} fails: {why}", request.0),
        Effect::Publish {
            session,
            generation,
            historical,
            update,
        } => {
            let when = if *historical { "historical" } else { "live" };
            format!(
                "show {update} of {session}, generation {}, {when}",
                generation.0
            )
        }
        Effect::Stray { session } => format!("unknown session {session}"),
        Effect::SendPrompt { session, run, .. } => format!("send session/prompt {session} {run}"),
        Effect::PromptRefused { why, .. } => format!("prompt refused: {why}"),
        Effect::PromptEnded {
            session, outcome, ..
        } => format!("prompt of {session} ends: {outcome:?}"),
        Effect::SendCancel { session } => format!("send session/cancel {session}"),
        Effect::AskPerson {
            permission,
            session,
            generation,
            ..
        } => format!(
            "ask {permission} for {session}, generation {}",
            generation.0
        ),
        Effect::AnswerAsk { ask, option } => {
            format!(
                "answer {}: {}",
                ask.0,
                option.as_deref().unwrap_or("cancelled")
            )
        }
        Effect::PermissionClosed {
            permission, option, ..
        } => format!(
            "close {permission}: {}",
            option.as_deref().unwrap_or("cancelled")
        ),
        Effect::AnswerRefused { permission } => format!("no open question {permission}"),
        Effect::Subscribe { session } => format!("listen to {session}"),
        Effect::Reconcile { run, .. } => format!("ask after run {run}"),
        Effect::Adopted { session, old, new } => {
            format!("{session}: run {new} takes up {old}, whose open calls have failed")
        }
        Effect::WakeAt(ms) => format!("wake at {ms}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn loads_run_one_after_another_and_a_failed_one_burns_its_number() {
    check(
        "load A /w
         load B /w
         ready
         load-fails
         loaded B",
        expect![[r"
            load A /w
                start the agent
                wake at 60000
            load B /w
                wake at 60000
            ready
                send session/load A, generation 1
                wake at 60000
            load-fails
                load 1 fails: no such session
                send session/load B, generation 2
                wake at 60000
            loaded B
                loaded B, generation 2, batch []
        "]],
    );
}

#[test]
fn an_incomplete_load_is_refused() {
    check(
        "load _ /w
         load A _
         load A _ /w",
        expect![[r"
            load _ /w
                load 1 fails: the session, its root or its directory is missing
            load A _
                load 2 fails: the session, its root or its directory is missing
            load A _ /w
                load 3 fails: the session, its root or its directory is missing
        "]],
    );
}

#[test]
fn a_load_brings_its_updates_in_one_batch() {
    check(
        "load A /w
         ready
         update A u1
         update A u2
         update X stray
         update A u3
         loaded A
         update A late",
        expect![[r#"
            load A /w
                start the agent
                wake at 60000
            ready
                send session/load A, generation 1
                wake at 60000
            update A u1
                wake at 60000
            update A u2
                wake at 60000
            update X stray
                unknown session X
                wake at 60000
            update A u3
                wake at 60000
            loaded A
                loaded A, generation 1, batch ["u1", "u2", "u3"]
            update A late
                show late of A, generation 1, historical
        "#]],
    );
}

#[test]
fn a_session_with_a_running_prompt_is_shown_while_another_is_loaded() {
    check(
        "new /w
         ready
         loaded A
         prompt A /w r1
         load B /w
         update A u1
         update B b1
         loaded B
         update A u2
         done A r1",
        expect![[r#"
            new /w
                start the agent
                wake at 60000
            ready
                send session/new in /w
                wake at 60000
            loaded A
                created A, generation 1, batch []
            prompt A /w r1
                send session/prompt A r1
            load B /w
                send session/load B, generation 2
                wake at 60000
            update A u1
                show u1 of A, generation 1, live
                wake at 60000
            update B b1
                wake at 60000
            loaded B
                loaded B, generation 2, batch ["b1"]
            update A u2
                show u2 of A, generation 1, live
            done A r1
                prompt of A ends: Ok("end_turn")
        "#]],
    );
}

#[test]
fn coming_back_to_a_running_prompt_replays_nothing() {
    check(
        "new /w
         ready
         loaded A
         prompt A /w r1
         ask A 7
         load B /w
         loaded B
         load A /w
         load A /other
         answer A acp-permission-0-1 allow",
        expect![[r"
            new /w
                start the agent
                wake at 60000
            ready
                send session/new in /w
                wake at 60000
            loaded A
                created A, generation 1, batch []
            prompt A /w r1
                send session/prompt A r1
            ask A 7
                ask acp-permission-0-1 for A, generation 1
            load B /w
                send session/load B, generation 2
                wake at 60000
            loaded B
                loaded B, generation 2, batch []
            load A /w
                resumed A, generation 1, batch []
            load A /other
                load 5 fails: cannot change the workspace while a prompt is running
            answer A acp-permission-0-1 allow
                answer 7: allow
                close acp-permission-0-1: allow
        "]],
    );
}

#[test]
fn a_failed_load_leaves_the_session_before_it() {
    check(
        "load A /w
         ready
         loaded A
         load B /w
         update A u1
         load-fails
         update A u2
         prompt A /w r1",
        expect![[r"
            load A /w
                start the agent
                wake at 60000
            ready
                send session/load A, generation 1
                wake at 60000
            loaded A
                loaded A, generation 1, batch []
            load B /w
                send session/load B, generation 2
                wake at 60000
            update A u1
                show u1 of A, generation 1, historical
                wake at 60000
            load-fails
                load 2 fails: no such session
            update A u2
                show u2 of A, generation 1, historical
            prompt A /w r1
                send session/prompt A r1
        "]],
    );
}

#[test]
fn prompts_are_checked_in_order() {
    check(
        "prompt _ /w r0
         prompt A /w r0
         load A /w
         ready
         prompt A /w r0
         loaded A
         prompt A /other r0
         prompt A /w r1
         prompt A /w r2
         load B /w
         loaded B
         prompt A /w r3",
        expect![[r"
            prompt _ /w r0
                prompt refused: the prompt names no session
            prompt A /w r0
                prompt refused: no session is open
            load A /w
                start the agent
                wake at 60000
            ready
                send session/load A, generation 1
                wake at 60000
            prompt A /w r0
                prompt refused: the session is still being loaded
                wake at 60000
            loaded A
                loaded A, generation 1, batch []
            prompt A /other r0
                prompt refused: the session works in another directory
            prompt A /w r1
                send session/prompt A r1
            prompt A /w r2
                prompt refused: a prompt of this session is running; wait for it or cancel it
            load B /w
                send session/load B, generation 2
                wake at 60000
            loaded B
                loaded B, generation 2, batch []
            prompt A /w r3
                prompt refused: another session is open; load this one first
        "]],
    );
}

#[test]
fn history_ends_with_the_first_prompt() {
    check(
        "load A /w
         ready
         loaded A
         update A old
         prompt A /w r1
         update A now
         done A r1
         update A after",
        expect![[r#"
            load A /w
                start the agent
                wake at 60000
            ready
                send session/load A, generation 1
                wake at 60000
            loaded A
                loaded A, generation 1, batch []
            update A old
                show old of A, generation 1, historical
            prompt A /w r1
                send session/prompt A r1
            update A now
                show now of A, generation 1, live
            done A r1
                prompt of A ends: Ok("end_turn")
            update A after
                show after of A, generation 1, live
        "#]],
    );
}

#[test]
fn permission_is_asked_for_a_running_prompt_only() {
    check(
        "load A /w
         ready
         ask A 1
         loaded A
         ask A 2
         prompt A /w r1
         at 17
         ask A 3
         answer B acp-permission-17-1 allow
         answer A acp-permission-17-1 allow
         answer A acp-permission-17-1 allow
         ask A 4
         cancel A
         ask A 5
         done A r1
         ask A 6",
        expect![[r#"
            load A /w
                start the agent
                wake at 60000
            ready
                send session/load A, generation 1
                wake at 60000
            ask A 1
                answer 1: cancelled
                wake at 60000
            loaded A
                loaded A, generation 1, batch []
            ask A 2
                answer 2: cancelled
            prompt A /w r1
                send session/prompt A r1
            at 17
            ask A 3
                ask acp-permission-17-1 for A, generation 1
            answer B acp-permission-17-1 allow
                no open question acp-permission-17-1
            answer A acp-permission-17-1 allow
                answer 3: allow
                close acp-permission-17-1: allow
            answer A acp-permission-17-1 allow
                no open question acp-permission-17-1
            ask A 4
                ask acp-permission-17-2 for A, generation 1
            cancel A
                send session/cancel A
                answer 4: cancelled
                close acp-permission-17-2: cancelled
            ask A 5
                ask acp-permission-17-3 for A, generation 1
            done A r1
                answer 5: cancelled
                close acp-permission-17-3: cancelled
                prompt of A ends: Ok("end_turn")
            ask A 6
                answer 6: cancelled
        "#]],
    );
}

#[test]
fn the_end_of_the_process_ends_everything() {
    check(
        "load A /w
         ready
         loaded A
         prompt A /w r1
         ask A 1
         exit
         prompt A /w r2
         load A /w
         ready
         loaded A",
        expect![[r#"
            load A /w
                start the agent
                wake at 60000
            ready
                send session/load A, generation 1
                wake at 60000
            loaded A
                loaded A, generation 1, batch []
            prompt A /w r1
                send session/prompt A r1
            ask A 1
                ask acp-permission-0-1 for A, generation 1
            exit
                answer 1: cancelled
                close acp-permission-0-1: cancelled
                prompt of A ends: Err("exit status: 1")
            prompt A /w r2
                prompt refused: no session is open
            load A /w
                start the agent
                wake at 60000
            ready
                send session/load A, generation 2
                wake at 60000
            loaded A
                loaded A, generation 2, batch []
        "#]],
    );
}

#[test]
fn an_agent_that_dies_at_its_start_fails_the_load_that_needed_it() {
    check(
        "load A /w
         load B /w
         exit
         ready
         loaded B",
        expect![[r"
            load A /w
                start the agent
                wake at 60000
            load B /w
                wake at 60000
            exit
                load 1 fails: exit status: 1
                start the agent
                wake at 60000
            ready
                send session/load B, generation 1
                wake at 60000
            loaded B
                loaded B, generation 1, batch []
        "]],
    );
}

#[test]
fn an_agent_that_hangs_is_given_up() {
    check(
        "load A /w
         at 59999
         at 60000
         load A /w
         ready
         at 100000
         update A u1
         at 159999
         at 160000
         loaded A",
        expect![[r"
            load A /w
                start the agent
                wake at 60000
            at 59999
                wake at 60000
            at 60000
                stop the agent
                load 1 fails: the agent did not answer in time
            load A /w
                start the agent
                wake at 120000
            ready
                send session/load A, generation 1
                wake at 120000
            at 100000
                wake at 120000
            update A u1
                wake at 160000
            at 159999
                wake at 160000
            at 160000
                load 2 fails: the agent did not answer in time
                unknown session A
            loaded A
        "]],
    );
}

#[test]
fn an_unacknowledged_prompt_outlives_a_broken_connection_by_five_seconds() {
    check(
        "new /w
         ready
         loaded A
         prompt A /w r1
         at 1000
         disconnect
         at 5999
         at 6000",
        expect![[r#"
            new /w
                start the agent
                wake at 60000
            ready
                send session/new in /w
                wake at 60000
            loaded A
                created A, generation 1, batch []
            prompt A /w r1
                send session/prompt A r1
            at 1000
            disconnect
                wake at 6000
            at 5999
                wake at 6000
            at 6000
                prompt of A ends: Err("the connection with the agent broke: end of file")
        "#]],
    );
}

#[test]
fn an_acknowledged_prompt_outlives_a_broken_connection_by_a_minute() {
    check(
        "new /w
         ready
         loaded A
         prompt A /w r1
         update A u1
         ask A 1
         disconnect
         at 5000
         at 59999
         load A /w
         at 60000",
        expect![[r#"
            new /w
                start the agent
                wake at 60000
            ready
                send session/new in /w
                wake at 60000
            loaded A
                created A, generation 1, batch []
            prompt A /w r1
                send session/prompt A r1
            update A u1
                show u1 of A, generation 1, live
            ask A 1
                ask acp-permission-0-1 for A, generation 1
            disconnect
                answer 1: cancelled
                close acp-permission-0-1: cancelled
                wake at 60000
            at 5000
                wake at 60000
            at 59999
                wake at 60000
            load A /w
                wake at 60000
            at 60000
                prompt of A ends: Err("the connection with the agent broke: end of file")
                stop the agent
                start the agent
                wake at 120000
        "#]],
    );
}

#[test]
fn a_connection_that_comes_back_is_listened_to_before_runs_are_asked_after() {
    check(
        "new /w
         ready
         loaded A
         new /w
         loaded B
         prompt B /w r2
         load A /w
         loaded A
         prompt A /w r1
         disconnect
         reconnect
         run-ended r1
         run r2
         done B r2",
        expect![[r#"
            new /w
                start the agent
                wake at 60000
            ready
                send session/new in /w
                wake at 60000
            loaded A
                created A, generation 1, batch []
            new /w
                send session/new in /w
                wake at 60000
            loaded B
                created B, generation 2, batch []
            prompt B /w r2
                send session/prompt B r2
            load A /w
                send session/load A, generation 3
                wake at 60000
            loaded A
                loaded A, generation 3, batch []
            prompt A /w r1
                send session/prompt A r1
            disconnect
                wake at 5000
            reconnect
                listen to A
                listen to B
                ask after run r1
                ask after run r2
                wake at 5000
            run-ended r1
                prompt of A ends: Ok("end_turn")
                wake at 5000
            run r2
            done B r2
                prompt of B ends: Ok("end_turn")
        "#]],
    );
}

#[test]
fn a_run_is_taken_up_by_its_name_alone() {
    check(
        "new /w
         ready
         loaded A
         prompt A /w K
         ask A 1
         disconnect
         reconnect
         run R2 from X
         run K from K
         run R2 from K
         at 60000
         done A K
         done A R2",
        expect![[r#"
            new /w
                start the agent
                wake at 60000
            ready
                send session/new in /w
                wake at 60000
            loaded A
                created A, generation 1, batch []
            prompt A /w K
                send session/prompt A K
            ask A 1
                ask acp-permission-0-1 for A, generation 1
            disconnect
                answer 1: cancelled
                close acp-permission-0-1: cancelled
                wake at 60000
            reconnect
                listen to A
                ask after run K
                wake at 60000
            run R2 from X
                wake at 60000
            run K from K
            run R2 from K
                A: run R2 takes up K, whose open calls have failed
            at 60000
            done A K
            done A R2
                prompt of A ends: Ok("end_turn")
        "#]],
    );
}

#[test]
fn what_is_answered_twice_or_late_changes_nothing() {
    check(
        "load A /w
         ready
         loaded A
         loaded A
         load-fails
         prompt A /w r1
         done A r1
         done A r1
         done B r1",
        expect![[r#"
            load A /w
                start the agent
                wake at 60000
            ready
                send session/load A, generation 1
                wake at 60000
            loaded A
                loaded A, generation 1, batch []
            loaded A
            load-fails
            prompt A /w r1
                send session/prompt A r1
            done A r1
                prompt of A ends: Ok("end_turn")
            done A r1
            done B r1
        "#]],
    );
}

#[test]
fn a_new_session_keeps_what_came_before_its_answer() {
    check(
        "new /w
         ready
         update S1 a
         update S2 b
         loaded S1
         update S1 c",
        expect![[r#"
            new /w
                start the agent
                wake at 60000
            ready
                send session/new in /w
                wake at 60000
            update S1 a
                wake at 60000
            update S2 b
                wake at 60000
            loaded S1
                created S1, generation 1, batch ["a"]
                unknown session S2
            update S1 c
                show c of S1, generation 1, live
        "#]],
    );
}
