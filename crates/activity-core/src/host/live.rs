//! The prompts that run, and the questions that they have open.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::event::{Ask, Effect, Generation, Outcome, PermissionId, Place, Request};

/// A prompt that was sent and has not ended.
#[derive(Debug, Clone)]
pub(super) struct LivePrompt {
    pub(super) request: Request,
    pub(super) run: Arc<str>,
    pub(super) generation: Generation,
    pub(super) place: Place,
    /// The agent has said something about it.
    pub(super) acknowledged: bool,
    /// When the connection broke, and why.
    pub(super) lost: Option<(u64, Arc<str>)>,
}

impl LivePrompt {
    /// When it is given up, if the connection does not come back.
    pub(super) fn deadline(&self, unacknowledged_ms: u64, acknowledged_ms: u64) -> Option<u64> {
        let (since, _) = self.lost.as_ref()?;
        Some(since.saturating_add(if self.acknowledged {
            acknowledged_ms
        } else {
            unacknowledged_ms
        }))
    }
}

/// A question that a person has not answered yet.
#[derive(Debug, Clone)]
struct Waiter {
    session: Arc<str>,
    ask: Ask,
}

/// All prompts that run, by session, and all open questions.
#[derive(Debug, Clone, Default)]
pub(super) struct Live {
    prompts: BTreeMap<Arc<str>, LivePrompt>,
    waiters: BTreeMap<PermissionId, Waiter>,
    asked: u64,
}

impl Live {
    pub(super) fn prompt(&self, session: &str) -> Option<&LivePrompt> {
        self.prompts.get(session)
    }

    pub(super) fn begin(&mut self, session: Arc<str>, prompt: LivePrompt) {
        self.prompts.insert(session, prompt);
    }

    /// The agent has said something about the prompt of a session, so it is not lost either.
    pub(super) fn acknowledge(&mut self, session: &str) {
        if let Some(prompt) = self.prompts.get_mut(session) {
            prompt.acknowledged = true;
            prompt.lost = None;
        }
    }

    /// Opens a question of a running prompt.
    pub(super) fn ask<U>(&mut self, session: Arc<str>, ask: Ask, now_ms: u64) -> Effect<U> {
        let Some(prompt) = self.prompts.get_mut(&session) else {
            return Effect::AnswerAsk { ask, option: None };
        };
        prompt.acknowledged = true;
        let generation = prompt.generation;
        self.asked += 1;
        let permission: PermissionId = format!("acp-permission-{now_ms}-{}", self.asked).into();
        let waiter = Waiter {
            session: Arc::clone(&session),
            ask,
        };
        self.waiters.insert(Arc::clone(&permission), waiter);
        Effect::AskPerson {
            permission,
            session,
            generation,
            ask,
        }
    }

    /// Takes a person's answer; it has to name the session of the question.
    pub(super) fn answer<U>(
        &mut self,
        session: &str,
        permission: PermissionId,
        option: Option<Arc<str>>,
    ) -> Vec<Effect<U>> {
        let fits = self
            .waiters
            .get(&permission)
            .is_some_and(|waiter| &*waiter.session == session);
        let Some(waiter) = fits.then(|| self.waiters.remove(&permission)).flatten() else {
            return vec![Effect::AnswerRefused { permission }];
        };
        close(permission, waiter, option)
    }

    /// Answers all open questions of a session with "cancelled".
    pub(super) fn cancel_questions<U>(&mut self, session: &str, effects: &mut Vec<Effect<U>>) {
        let open: Vec<PermissionId> = self
            .waiters
            .iter()
            .filter(|(_, waiter)| &*waiter.session == session)
            .map(|(permission, _)| Arc::clone(permission))
            .collect();
        for permission in open {
            if let Some(waiter) = self.waiters.remove(&permission) {
                effects.extend(close(permission, waiter, None));
            }
        }
    }

    /// Ends the prompt of a session, and with it its questions.
    pub(super) fn end<U>(&mut self, session: &str, outcome: Outcome, effects: &mut Vec<Effect<U>>) {
        let Some((session, prompt)) = self.prompts.remove_entry(session) else {
            return;
        };
        self.cancel_questions(&session, effects);
        effects.push(Effect::PromptEnded {
            request: prompt.request,
            session,
            outcome,
        });
    }

    /// Ends every prompt.
    pub(super) fn end_all<U>(&mut self, why: &Arc<str>, effects: &mut Vec<Effect<U>>) {
        for session in self.sessions() {
            self.end(&session, Err(Arc::clone(why)), effects);
        }
    }

    /// The sessions whose prompts run.
    pub(super) fn sessions(&self) -> Vec<Arc<str>> {
        self.prompts.keys().cloned().collect()
    }

    /// The connection broke: nobody can answer the open questions, and the clock runs.
    pub(super) fn lose<U>(&mut self, why: &Arc<str>, now_ms: u64, effects: &mut Vec<Effect<U>>) {
        for session in self.sessions() {
            self.cancel_questions(&session, effects);
        }
        for prompt in self.prompts.values_mut() {
            prompt.lost.get_or_insert_with(|| (now_ms, Arc::clone(why)));
        }
    }

    /// Gives up what has been lost for too long.
    pub(super) fn expire<U>(
        &mut self,
        unacknowledged_ms: u64,
        acknowledged_ms: u64,
        now_ms: u64,
        effects: &mut Vec<Effect<U>>,
    ) {
        let late: Vec<(Arc<str>, Arc<str>)> = self
            .prompts
            .iter()
            .filter_map(|(session, prompt)| {
                let deadline = prompt.deadline(unacknowledged_ms, acknowledged_ms)?;
                let (_, why) = prompt.lost.as_ref()?;
                (deadline <= now_ms).then(|| (Arc::clone(session), Arc::clone(why)))
            })
            .collect();
        for (session, why) in late {
            let why = format!("the connection with the agent broke: {why}");
            self.end(&session, Err(why.into()), effects);
        }
    }

    /// The next time at which something is given up.
    pub(super) fn next_deadline(
        &self,
        unacknowledged_ms: u64,
        acknowledged_ms: u64,
    ) -> Option<u64> {
        self.prompts
            .values()
            .filter_map(|prompt| prompt.deadline(unacknowledged_ms, acknowledged_ms))
            .min()
    }

    /// The connection is back: all sessions are listened to before any run is asked about, so that
    /// nothing falls between.
    pub(super) fn found<U>(&mut self, effects: &mut Vec<Effect<U>>) {
        for session in self.prompts.keys() {
            effects.push(Effect::Subscribe {
                session: Arc::clone(session),
            });
        }
        for (session, prompt) in &self.prompts {
            effects.push(Effect::Reconcile {
                session: Arc::clone(session),
                run: Arc::clone(&prompt.run),
            });
        }
    }

    /// The session whose prompt is this run.
    pub(super) fn session_of(&self, run: &str) -> Option<Arc<str>> {
        self.prompts
            .iter()
            .find(|(_, prompt)| &*prompt.run == run)
            .map(|(session, _)| Arc::clone(session))
    }

    /// Takes up a run of ours by another, which says so.
    pub(super) fn adopt<U>(&mut self, old: &str, new: Arc<str>, effects: &mut Vec<Effect<U>>) {
        let Some(session) = self.session_of(old) else {
            return;
        };
        self.cancel_questions(&session, effects);
        if let Some(prompt) = self.prompts.get_mut(&session) {
            let old = std::mem::replace(&mut prompt.run, Arc::clone(&new));
            prompt.acknowledged = true;
            prompt.lost = None;
            effects.push(Effect::Adopted { session, old, new });
        }
    }
}

fn close<U>(permission: PermissionId, waiter: Waiter, option: Option<Arc<str>>) -> Vec<Effect<U>> {
    let answer = Effect::AnswerAsk {
        ask: waiter.ask,
        option: option.clone(),
    };
    let closed = Effect::PermissionClosed {
        permission,
        session: waiter.session,
        option,
    };
    vec![answer, closed]
}
