//! The hand-over of a load, from the agent to what is shown: nothing is lost, nothing is doubled,
//! and nothing stale is shown, whatever happens meanwhile.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use activity_core::host::store::{Token, View};
use activity_core::host::{Deadlines, Effect, Event, Generation, Machine, Place, Request};
use proptest::prelude::*;

/// One thing that happens. Sessions are told apart by a number.
#[derive(Debug, Clone, Copy)]
enum Op {
    /// The person wants the session loaded.
    Load(u8),
    /// The agent answers the load at hand, well or not.
    Answer { well: bool },
    /// The agent sends an update.
    Update(u8),
    /// The session of the oldest answered load has been built.
    Built,
    /// The person sends a prompt.
    Prompt(u8),
    /// The agent ends the prompt.
    Done(u8),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        2 => (0..2_u8).prop_map(Op::Load),
        2 => prop::bool::weighted(0.8).prop_map(|well| Op::Answer { well }),
        6 => (0..2_u8).prop_map(Op::Update),
        2 => Just(Op::Built),
        1 => (0..2_u8).prop_map(Op::Prompt),
        1 => (0..2_u8).prop_map(Op::Done),
    ]
}

/// What is shown of a session, and what should be once all loads are built.
#[derive(Default)]
struct Shown {
    view: View<u32>,
    updates: Vec<u32>,
    generation: Option<Generation>,
    truth: Vec<u32>,
    /// What the agent sent since it was asked to load the session.
    replay: Option<Vec<u32>>,
    is_known: bool,
}

/// A load that the agent has answered, and that is being built.
struct Building {
    request: Request,
    session: Arc<str>,
    token: Token,
    generation: Generation,
    batch: Vec<u32>,
}

struct Stage {
    machine: Machine<u32>,
    sent: Option<(Request, Arc<str>, Token)>,
    building: VecDeque<Building>,
    shown: BTreeMap<Arc<str>, Shown>,
    count: u32,
}

fn name(session: u8) -> Arc<str> {
    if session == 0 { "A".into() } else { "B".into() }
}

impl Stage {
    fn new() -> Self {
        let mut stage = Self {
            machine: Machine::new(Deadlines::default()),
            sent: None,
            building: VecDeque::new(),
            shown: BTreeMap::new(),
            count: 0,
        };
        stage.happen(Event::StartWanted);
        stage.happen(Event::Ready);
        stage
    }

    fn shown(&mut self, session: &Arc<str>) -> &mut Shown {
        self.shown.entry(Arc::clone(session)).or_default()
    }

    fn take(&mut self, op: Op) {
        self.count += 1;
        let request = Request(u64::from(self.count));
        match op {
            Op::Load(session) => self.happen(Event::LoadWanted {
                request,
                session: Some(name(session)),
                place: Place {
                    root: "/w".into(),
                    cwd: "/w".into(),
                },
            }),
            Op::Answer { well } => {
                let Some((request, session, _)) = self.sent.clone() else {
                    return;
                };
                let replay = self.shown(&session).replay.take().unwrap_or_default();
                let shown = self.shown(&session);
                if well {
                    shown.truth = replay;
                    shown.is_known = true;
                } else if shown.is_known {
                    shown.truth.extend(replay);
                }
                self.happen(Event::LoadAnswered {
                    request,
                    result: if well { Ok(session) } else { Err("no".into()) },
                });
            }
            Op::Update(session) => {
                let (session, update) = (name(session), self.count);
                let shown = self.shown(&session);
                match &mut shown.replay {
                    Some(replay) => replay.push(update),
                    None if shown.is_known => shown.truth.push(update),
                    // Nobody knows the session.
                    None => {}
                }
                self.happen(Event::Updated { session, update });
            }
            Op::Built => self.build(),
            Op::Prompt(session) => self.happen(Event::PromptWanted {
                request,
                session: name(session),
                cwd: "/w".into(),
                run: format!("{session}").into(),
            }),
            Op::Done(session) => self.happen(Event::PromptAnswered {
                session: name(session),
                run: format!("{session}").into(),
                outcome: Ok("end_turn".into()),
            }),
        }
    }

    fn happen(&mut self, event: Event<u32>) {
        for effect in self.machine.handle(event, 0) {
            match effect {
                Effect::SendLoad {
                    request, session, ..
                } => {
                    let shown = self.shown(&session);
                    shown.replay = Some(Vec::new());
                    let token = shown.view.begin();
                    self.sent = Some((request, session, token));
                }
                Effect::Loaded {
                    request,
                    session,
                    generation,
                    batch,
                    resumed: false,
                    ..
                } => {
                    let (_, _, token) = self.sent.take().expect("a load was sent");
                    self.building.push_back(Building {
                        request,
                        session,
                        token,
                        generation,
                        batch,
                    });
                }
                Effect::LoadFailed { request, .. } => {
                    if let Some((_, session, token)) =
                        self.sent.take_if(|(sent, ..)| *sent == request)
                    {
                        let shown = self.shown(&session);
                        let kept = shown.view.failed(token);
                        shown.updates.extend(kept);
                    }
                }
                Effect::Publish {
                    session,
                    generation,
                    update,
                    ..
                } => {
                    let shown = self.shown(&session);
                    shown.updates.extend(shown.view.update(generation, update));
                }
                _ => {}
            }
        }
    }

    fn build(&mut self) {
        let Some(Building {
            request,
            session,
            token,
            generation,
            batch,
        }) = self.building.pop_front()
        else {
            return;
        };
        let shown = self.shown(&session);
        if let Some(commit) = shown.view.loaded(token, generation, batch) {
            assert!(
                shown.generation < Some(commit.generation),
                "generations grow"
            );
            shown.generation = Some(commit.generation);
            shown.updates = commit.updates;
        }
        self.happen(Event::LoadShown { request });
    }

    /// The agent answers what it was asked, and all is built.
    fn finish(&mut self) {
        while self.sent.is_some() || !self.building.is_empty() {
            self.take(Op::Answer { well: true });
            self.build();
        }
    }
}

proptest! {
    #[test]
    fn what_the_agent_sent_is_shown_once_and_in_order(ops in prop::collection::vec(op(), 0..60)) {
        let mut stage = Stage::new();
        for op in ops {
            stage.take(op);
        }
        stage.finish();
        for (session, shown) in &stage.shown {
            if shown.is_known {
                prop_assert_eq!(&shown.updates, &shown.truth, "session {}", session);
            }
        }
    }
}
