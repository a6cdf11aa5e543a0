//! Prompts: checked before they are sent, cancelled, ended, and taken up by other runs.

use std::sync::Arc;

use super::{Effect, Known, Machine};
use crate::host::event::{Outcome, PromptRefusal, Request};
use crate::host::live::LivePrompt;

impl<U> Machine<U> {
    pub(super) fn want_prompt(
        &mut self,
        request: Request,
        session: Arc<str>,
        cwd: &str,
        run: Arc<str>,
    ) -> Effect<U> {
        match self.check_prompt(&session, cwd) {
            Err(why) => Effect::PromptRefused { request, why },
            Ok(known) => {
                let (generation, place) = (known.generation, known.place.clone());
                if let Some(known) = self.known.get_mut(&session) {
                    known.historical = false;
                }
                let prompt = LivePrompt {
                    request,
                    run: Arc::clone(&run),
                    generation,
                    place,
                    acknowledged: false,
                    lost: None,
                };
                self.live.begin(Arc::clone(&session), prompt);
                Effect::SendPrompt {
                    request,
                    session,
                    run,
                }
            }
        }
    }

    fn check_prompt(&self, session: &Arc<str>, cwd: &str) -> Result<&Known, PromptRefusal> {
        if session.trim().is_empty() {
            return Err(PromptRefusal::Incomplete);
        }
        let loads_it = self
            .loading
            .iter()
            .any(|loading| loading.wanted.session.as_ref() == Some(session));
        if loads_it {
            return Err(PromptRefusal::Loading);
        }
        let active = self.active.as_ref().ok_or(PromptRefusal::NoSession)?;
        if active != session {
            return Err(PromptRefusal::OtherSession);
        }
        if self.is_live(session) {
            return Err(PromptRefusal::Busy);
        }
        let known = self.known.get(session).ok_or(PromptRefusal::NoSession)?;
        if &*known.place.cwd != cwd {
            return Err(PromptRefusal::OtherDirectory);
        }
        Ok(known)
    }

    pub(super) fn cancel(&mut self, session: &Arc<str>, effects: &mut Vec<Effect<U>>) {
        if self.active.as_ref() != Some(session) && !self.is_live(session) {
            return;
        }
        effects.push(Effect::SendCancel {
            session: Arc::clone(session),
        });
        self.live.cancel_questions(session, effects);
    }

    /// The session is not loaded any more. A prompt that runs is cancelled, and has ended for
    /// everybody here: an agent that does not listen must not keep the session from a later load.
    pub(super) fn close(&mut self, session: &Arc<str>, effects: &mut Vec<Effect<U>>) {
        if self.is_live(session) {
            self.cancel(session, effects);
            let why = Err("the session was closed".into());
            self.live.end(session, why, effects);
        }
        if self.known.remove(session).is_some() {
            effects.push(Effect::SendClose {
                session: Arc::clone(session),
            });
        }
        self.active.take_if(|active| active == session);
    }

    pub(super) fn end_prompt(
        &mut self,
        session: &str,
        run: &str,
        outcome: Outcome,
        effects: &mut Vec<Effect<U>>,
    ) {
        let fits = self.live.prompt(session).is_some_and(|it| &*it.run == run);
        if fits {
            self.live.end(session, outcome, effects);
        }
    }

    pub(super) fn see_run(
        &mut self,
        run: Arc<str>,
        resumed_from: Option<Arc<str>>,
        effects: &mut Vec<Effect<U>>,
    ) {
        if let Some(session) = self.live.session_of(&run) {
            self.live.acknowledge(&session);
        } else if let Some(old) = resumed_from.filter(|old| *old != run) {
            self.live.adopt(&old, run, effects);
        }
    }
}
