//! Scripts of steps, run against the machine.

use std::sync::Arc;

use activity_core::host::{Ask, Deadlines, Effect, Event, Machine, Place, Request};
use expect_test::Expect;

/// How most scripts begin, step by step; they write `opened A`.
const OPENED: &[&str] = &["new /w", "ready", "loaded A"];

/// Runs a script and compares what the host wants done.
#[expect(
    clippy::needless_pass_by_value,
    reason = "`expect![[…]]` stands at the call"
)]
pub(crate) fn check(script: &str, expected: Expect) {
    let mut run = Run::new();
    let mut shown = String::new();
    let steps = script.lines().map(str::trim);
    for step in steps.filter(|step| !step.is_empty()) {
        shown = format!("{shown}{step}\n");
        if step == "opened A" {
            for step in OPENED {
                run.step(step);
            }
            continue;
        }
        for effect in run.step(step) {
            shown = format!("{shown}    {effect}\n");
        }
    }
    expected.assert_eq(&shown);
}

/// A host with a clock that stands still until a step sets it.
pub(crate) struct Run {
    machine: Machine<String>,
    now_ms: u64,
    requests: u64,
    /// The load that was sent last.
    sent: Request,
}

impl Run {
    pub(crate) fn new() -> Self {
        Self {
            machine: Machine::new(Deadlines::default()),
            now_ms: 0,
            requests: 0,
            sent: Request(0),
        }
    }

    /// Does one step, and gives what the host wants done.
    pub(crate) fn step(&mut self, step: &str) -> Vec<String> {
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
            ["close", session] => Event::CloseWanted {
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
        let mut done = Vec::new();
        let mut events = vec![event];
        while let Some(event) = events.pop() {
            for effect in self.machine.handle(event, self.now_ms) {
                match effect {
                    Effect::SendNew { request, .. } | Effect::SendLoad { request, .. } => {
                        self.sent = request;
                    }
                    // Here a session is shown as soon as it is loaded.
                    Effect::Loaded {
                        request,
                        resumed: false,
                        ..
                    } => events.push(Event::LoadShown { request }),
                    _ => {}
                }
                done.push(shown(&effect));
            }
        }
        done
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
        Effect::SendClose { session } => format!("send session/close {session}"),
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
