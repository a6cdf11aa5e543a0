//! Loads: one after another, each whole or not at all.

use std::sync::Arc;

use super::{Connection, Effect, Known, Loading, Machine, Wanted};
use crate::host::event::{Generation, LoadRefusal, Place, Request};

impl<U> Machine<U> {
    pub(super) fn want_load(
        &mut self,
        request: Request,
        session: Option<Arc<str>>,
        place: Place,
        effects: &mut Vec<Effect<U>>,
    ) {
        let is_blank = |text: &str| text.trim().is_empty();
        if session.as_deref().is_some_and(is_blank) || is_blank(&place.root) || is_blank(&place.cwd)
        {
            effects.push(Effect::LoadFailed {
                request,
                why: LoadRefusal::Incomplete,
            });
            return;
        }
        self.queue.push_back(Wanted {
            request,
            session,
            place,
        });
    }

    /// Begins loads that are waiting, one after another, as far as that goes.
    pub(super) fn go_on(&mut self, now_ms: u64, effects: &mut Vec<Effect<U>>) {
        while self.loading.is_none() && self.showing.is_none() && !self.queue.is_empty() {
            match self.connection {
                Connection::Up => {}
                Connection::Starting { .. } => return,
                Connection::Down => {
                    self.start(now_ms, effects);
                    return;
                }
                Connection::Broken => {
                    self.give_up_broken(effects);
                    if self.connection == Connection::Broken {
                        return;
                    }
                    continue;
                }
            }
            if let Some(wanted) = self.queue.pop_front() {
                self.begin_load(wanted, now_ms, effects);
            }
        }
    }

    fn begin_load(&mut self, wanted: Wanted, now_ms: u64, effects: &mut Vec<Effect<U>>) {
        let Wanted {
            request,
            session,
            place,
        } = wanted.clone();
        if let Some((session, live)) = session
            .as_ref()
            .and_then(|session| Some((session, self.live.prompt(session)?)))
        {
            if live.place != place {
                let why = LoadRefusal::PromptRunsElsewhere;
                effects.push(Effect::LoadFailed { request, why });
                return;
            }
            effects.push(Effect::Loaded {
                request,
                session: Arc::clone(session),
                generation: live.generation,
                place,
                batch: Vec::new(),
                created: false,
                resumed: true,
            });
            self.active = Some(Arc::clone(session));
            return;
        }
        self.last_generation += 1;
        let generation = Generation(self.last_generation);
        self.loading = Some(Loading {
            wanted,
            generation,
            batch: Vec::new(),
            heard_ms: now_ms,
        });
        effects.push(match session {
            None => Effect::SendNew { request, place },
            Some(session) => Effect::SendLoad {
                request,
                session,
                place,
                generation,
            },
        });
    }

    pub(super) fn end_load(
        &mut self,
        request: Request,
        result: Result<Arc<str>, Arc<str>>,
        effects: &mut Vec<Effect<U>>,
    ) {
        // An answer that comes twice, or too late, is an answer to nothing.
        let Some(loading) = self
            .loading
            .take_if(|loading| loading.wanted.request == request)
        else {
            return;
        };
        match result {
            Err(why) => self.give_up_load(loading, LoadRefusal::Agent(why), effects),
            Ok(session) => self.finish_load(loading, session, effects),
        }
    }

    fn finish_load(
        &mut self,
        loading: Loading<U>,
        session: Arc<str>,
        effects: &mut Vec<Effect<U>>,
    ) {
        let created = loading.wanted.session.is_none();
        let known = Known {
            generation: loading.generation,
            place: loading.wanted.place.clone(),
            historical: !created,
        };
        self.known.insert(Arc::clone(&session), known);
        self.active = Some(Arc::clone(&session));
        self.showing = Some(loading.wanted.request);
        let (batch, others) = loading
            .batch
            .into_iter()
            .partition::<Vec<_>, _>(|(of, _)| *of == session);
        effects.push(Effect::Loaded {
            request: loading.wanted.request,
            session,
            generation: loading.generation,
            place: loading.wanted.place,
            batch: batch.into_iter().map(|(_, update)| update).collect(),
            created,
            resumed: false,
        });
        self.publish_all(others, effects);
    }

    /// Leaves everything as it was before the load. Its generation is burnt.
    pub(super) fn give_up_load(
        &mut self,
        loading: Loading<U>,
        why: LoadRefusal,
        effects: &mut Vec<Effect<U>>,
    ) {
        effects.push(Effect::LoadFailed {
            request: loading.wanted.request,
            why,
        });
        self.publish_all(loading.batch, effects);
    }
}
