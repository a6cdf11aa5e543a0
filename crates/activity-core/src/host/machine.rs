//! The state of one agent's host, and how events change it.

mod loads;
mod prompts;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::event::{Effect, Event, Generation, LoadRefusal, Place, Request};
use super::live::Live;

/// How long the host waits, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// For a prompt that the agent has said nothing about, after the connection broke.
    pub unacknowledged_ms: u64,
    /// For a prompt that the agent has said something about, after the connection broke.
    pub acknowledged_ms: u64,
    /// For the answer to `initialize`.
    pub start_ms: u64,
    /// For a sign of life of an agent that loads a session: an update, or the answer.
    pub load_ms: u64,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            unacknowledged_ms: 5_000,
            acknowledged_ms: 60_000,
            start_ms: 60_000,
            load_ms: 60_000,
        }
    }
}

/// The connection with the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Connection {
    /// There is none; the next load starts the agent.
    Down,
    /// The agent was started at this time, and has not answered `initialize`.
    Starting { since_ms: u64 },
    /// Everything can be sent.
    Up,
    /// It broke, but the agent may be there.
    Broken,
}

/// A load that was asked for.
#[derive(Debug, Clone)]
struct Wanted {
    request: Request,
    session: Option<Arc<str>>,
    place: Place,
}

/// The load at hand, sent to the agent.
#[derive(Debug, Clone)]
struct Loading<U> {
    wanted: Wanted,
    generation: Generation,
    /// Updates in the order in which they came, with the sessions that they name.
    batch: Vec<(Arc<str>, U)>,
    heard_ms: u64,
}

/// A session that was loaded or created.
#[derive(Debug, Clone)]
struct Known {
    generation: Generation,
    place: Place,
    /// What comes tells of the past, until the first prompt.
    historical: bool,
}

/// The host of one agent. See the documentation of the module above.
#[derive(Debug, Clone)]
pub struct Machine<U> {
    deadlines: Deadlines,
    connection: Connection,
    last_generation: u64,
    queue: VecDeque<Wanted>,
    loading: Option<Loading<U>>,
    /// A load that was answered and is not shown yet.
    showing: Option<Request>,
    known: BTreeMap<Arc<str>, Known>,
    active: Option<Arc<str>>,
    live: Live,
}

impl<U> Machine<U> {
    /// A host whose agent was not started yet.
    pub fn new(deadlines: Deadlines) -> Self {
        Self {
            deadlines,
            connection: Connection::Down,
            last_generation: 0,
            queue: VecDeque::new(),
            loading: None,
            showing: None,
            known: BTreeMap::new(),
            active: None,
            live: Live::default(),
        }
    }

    /// The session that the editor looks at.
    pub fn active(&self) -> Option<&Arc<str>> {
        self.active.as_ref()
    }

    /// The generation of a session that was loaded or created.
    pub fn generation(&self, session: &str) -> Option<Generation> {
        self.known.get(session).map(|known| known.generation)
    }

    /// Where a session that was loaded or created works.
    pub fn place(&self, session: &str) -> Option<&Place> {
        self.known.get(session).map(|known| &known.place)
    }

    /// The known session that is being loaded.
    pub fn loading(&self) -> Option<&Arc<str>> {
        self.loading.as_ref()?.wanted.session.as_ref()
    }

    /// Whether a prompt of the session runs.
    pub fn is_live(&self, session: &str) -> bool {
        self.live.prompt(session).is_some()
    }

    /// Whether the process holds no session, and nobody waits for one.
    pub fn holds_nothing(&self) -> bool {
        self.known.is_empty()
            && self.queue.is_empty()
            && self.loading.is_none()
            && self.showing.is_none()
    }

    /// Waits otherwise from now on, also for what has begun.
    pub fn set_deadlines(&mut self, deadlines: Deadlines) {
        self.deadlines = deadlines;
    }

    /// Takes in what happened at `now_ms`, and gives what is to be done. Total: what does not fit
    /// is answered or ignored, never an error of the machine.
    pub fn handle(&mut self, event: Event<U>, now_ms: u64) -> Vec<Effect<U>> {
        let mut effects = Vec::new();
        match event {
            Event::LoadWanted {
                request,
                session,
                place,
            } => self.want_load(request, session, place, &mut effects),
            Event::PromptWanted {
                request,
                session,
                cwd,
                run,
            } => effects.push(self.want_prompt(request, session, &cwd, run)),
            Event::StartWanted => {
                if self.connection == Connection::Broken {
                    self.give_up_broken(&mut effects);
                }
                if self.connection == Connection::Down {
                    self.start(now_ms, &mut effects);
                }
            }
            Event::CloseWanted { session } => self.close(&session, &mut effects),
            Event::CancelWanted { session } => self.cancel(&session, &mut effects),
            Event::PermissionAnswered {
                session,
                permission,
                option,
            } => effects.extend(self.live.answer(&session, permission, option)),
            Event::Ready => {
                if let Connection::Starting { .. } = self.connection {
                    self.connection = Connection::Up;
                }
            }
            Event::LoadAnswered { request, result } => {
                self.end_load(request, result, &mut effects);
            }
            Event::LoadShown { request } => {
                self.showing.take_if(|showing| *showing == request);
            }
            Event::Updated { session, update } => {
                self.update(session, update, now_ms, &mut effects);
            }
            Event::PermissionAsked { session, ask } => {
                effects.push(self.live.ask(session, ask, now_ms));
            }
            Event::PromptAnswered {
                session,
                run,
                outcome,
            } => self.end_prompt(&session, &run, outcome, &mut effects),
            Event::RunSeen { run, resumed_from } => self.see_run(run, resumed_from, &mut effects),
            Event::RunEnded { run } => {
                // A run that failed meanwhile ends its turn as one that went well: what it did
                // stands, and the rest is in the agent's own words.
                if let Some(session) = self.live.session_of(&run) {
                    self.live.end(&session, Ok("end_turn".into()), &mut effects);
                }
            }
            Event::Disconnected { why } => self.disconnect(&why, now_ms, &mut effects),
            Event::Reconnected => {
                if self.connection == Connection::Broken {
                    self.connection = Connection::Up;
                    self.live.found(&mut effects);
                }
            }
            Event::Exited { why } => self.exit(&why, &mut effects),
            Event::Tick => {}
        }
        self.expire(now_ms, &mut effects);
        self.go_on(now_ms, &mut effects);
        if let Some(next) = self.next_deadline() {
            effects.push(Effect::WakeAt(next));
        }
        effects
    }

    fn start(&mut self, now_ms: u64, effects: &mut Vec<Effect<U>>) {
        self.connection = Connection::Starting { since_ms: now_ms };
        effects.push(Effect::Start);
    }

    /// Shows what came for other sessions during a load, as it would have been shown without.
    fn publish_all(&self, updates: Vec<(Arc<str>, U)>, effects: &mut Vec<Effect<U>>) {
        for (session, update) in updates {
            effects.push(self.publish(session, update));
        }
    }

    fn publish(&self, session: Arc<str>, update: U) -> Effect<U> {
        match self.known.get(&session) {
            None => Effect::Stray { session },
            Some(known) => Effect::Publish {
                generation: known.generation,
                historical: known.historical,
                session,
                update,
            },
        }
    }

    fn update(&mut self, session: Arc<str>, update: U, now_ms: u64, effects: &mut Vec<Effect<U>>) {
        if self.live.prompt(&session).is_some() {
            self.live.acknowledge(&session);
        } else if let Some(loading) = &mut self.loading {
            let may_belong = match &loading.wanted.session {
                // Only the answer says which session is the new one.
                None => true,
                Some(wanted) => *wanted == session,
            };
            if may_belong {
                loading.heard_ms = now_ms;
                loading.batch.push((session, update));
                return;
            }
        }
        effects.push(self.publish(session, update));
    }

    fn disconnect(&mut self, why: &Arc<str>, now_ms: u64, effects: &mut Vec<Effect<U>>) {
        if let Connection::Down | Connection::Broken = self.connection {
            return;
        }
        self.connection = Connection::Broken;
        self.live.lose(why, now_ms, effects);
        if let Some(loading) = self.loading.take() {
            self.give_up_load(loading, LoadRefusal::Agent(Arc::clone(why)), effects);
        }
    }

    /// The process is gone, and with it all that it knew.
    fn exit(&mut self, why: &Arc<str>, effects: &mut Vec<Effect<U>>) {
        let was_starting = matches!(self.connection, Connection::Starting { .. });
        self.live.end_all(why, effects);
        if let Some(loading) = self.loading.take() {
            self.give_up_load(loading, LoadRefusal::Agent(Arc::clone(why)), effects);
        } else if was_starting && let Some(wanted) = self.queue.pop_front() {
            // The load for which the agent was started; another one may have more luck.
            effects.push(Effect::LoadFailed {
                request: wanted.request,
                why: LoadRefusal::Agent(Arc::clone(why)),
            });
        }
        self.forget_process();
    }

    /// Ends a process whose connection broke, unless a prompt may still go on in it: it holds
    /// nothing that could be used.
    fn give_up_broken(&mut self, effects: &mut Vec<Effect<U>>) {
        if self.live.sessions().is_empty() {
            effects.push(Effect::Stop);
            self.forget_process();
        }
    }

    fn forget_process(&mut self) {
        self.connection = Connection::Down;
        self.active = None;
        self.known.clear();
    }

    fn expire(&mut self, now_ms: u64, effects: &mut Vec<Effect<U>>) {
        let Deadlines {
            unacknowledged_ms,
            acknowledged_ms,
            start_ms,
            load_ms,
        } = self.deadlines;
        self.live
            .expire(unacknowledged_ms, acknowledged_ms, now_ms, effects);
        if let Connection::Starting { since_ms } = self.connection
            && since_ms.saturating_add(start_ms) <= now_ms
        {
            effects.push(Effect::Stop);
            self.exit(&"the agent did not answer in time".into(), effects);
        }
        let hangs = |loading: &mut Loading<U>| loading.heard_ms.saturating_add(load_ms) <= now_ms;
        if let Some(loading) = self.loading.take_if(hangs) {
            self.give_up_load(loading, LoadRefusal::NoAnswer, effects);
        }
    }

    fn next_deadline(&self) -> Option<u64> {
        let live = self.live.next_deadline(
            self.deadlines.unacknowledged_ms,
            self.deadlines.acknowledged_ms,
        );
        let start = match self.connection {
            Connection::Starting { since_ms } => {
                Some(since_ms.saturating_add(self.deadlines.start_ms))
            }
            _ => None,
        };
        let load = self
            .loading
            .as_ref()
            .map(|loading| loading.heard_ms.saturating_add(self.deadlines.load_ms));
        [live, start, load].into_iter().flatten().min()
    }
}
