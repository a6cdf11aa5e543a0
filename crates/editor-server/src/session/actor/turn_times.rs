//! How long turns took: as it was seen, and as the agent's transcript says.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use activity_core::host::transcript::READS_AFTER_PROMPT_MS;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

use super::{Actor, Event, send};
use crate::features::transcript;
use crate::session::entry::Status;
use crate::session::sources::SessionKey;

impl Actor {
    pub(super) fn session_status(&mut self, key: &SessionKey, status: Status) {
        let Some(entry) = self.state.session_mut(key) else {
            return;
        };
        let turn_ms = status.turn_ms;
        let ended_well = status.stop_reason.as_value().is_some();
        entry.update(status);
        let took = entry.session.current_turn().cloned().zip(turn_ms);
        self.pending.states.insert(Arc::clone(key));
        self.pending.sessions.insert(Arc::clone(key));
        self.touch();
        if let Some(took) = took {
            self.turns_took(key, vec![took]);
        }
        if ended_well {
            self.read_transcript(key, &READS_AFTER_PROMPT_MS);
        }
    }

    /// Reads the transcript of a session, if the person named one, at these times from now in
    /// milliseconds.
    pub(super) fn read_transcript(&self, key: &SessionKey, at_ms: &'static [u64]) {
        let Some(entry) = self.state.session(key) else {
            return;
        };
        let Some(path) = self.state.settings.transcripts.get(&*entry.session_id) else {
            return;
        };
        let (key, path, generation) = (Arc::clone(key), path.clone(), entry.generation);
        let events = self.events.clone();
        let begin = Instant::now();
        tokio::spawn(async move {
            for ms in at_ms {
                sleep_until(begin + Duration::from_millis(*ms)).await;
                let (answer, said) = oneshot::channel();
                let session = Arc::clone(&key);
                let ask = Event::Ask(Box::new(move |state| {
                    let entry = state.session(&session);
                    let _ = answer.send(entry.map(|entry| entry.session.user_messages()));
                }));
                send(&events, ask);
                let Ok(Some(messages)) = said.await else {
                    return;
                };
                let path = path.clone();
                let read = tokio::task::spawn_blocking(move || transcript::read(&path, &messages));
                match read.await {
                    Ok(Ok(told)) => {
                        let event = Event::TranscriptRead {
                            key: Arc::clone(&key),
                            generation,
                            durations: told.durations,
                        };
                        send(&events, event);
                    }
                    Ok(Err(why)) => tracing::warn!(%why, "a transcript cannot be read"),
                    Err(_) => return,
                }
            }
        });
    }

    /// What the transcript says counts more than what was seen; but only for the session that it
    /// was read for.
    pub(super) fn transcript_read(
        &mut self,
        key: &SessionKey,
        generation: u64,
        durations: Vec<(Arc<str>, u64)>,
    ) {
        let entry = self.state.session(key);
        if entry.is_some_and(|entry| entry.generation == generation) {
            self.turns_took(key, durations);
        }
    }

    fn turns_took(&mut self, key: &SessionKey, durations: Vec<(Arc<str>, u64)>) {
        let Some(entry) = self.state.session_mut(key) else {
            return;
        };
        let mut changed = HashSet::new();
        for (turn, ms) in durations {
            if entry.durations.insert(Arc::clone(&turn), ms) != Some(ms) {
                changed.insert(turn);
            }
        }
        if changed.is_empty() {
            return;
        }
        for message in entry.session.user_messages() {
            let turn = message.turn_id.as_ref();
            if turn.is_some_and(|turn| changed.contains(turn)) {
                self.item_changed(Arc::clone(key), message.position);
            }
        }
        let turns = changed.into_iter().map(|turn| (Arc::clone(key), turn));
        self.pending.turns.extend(turns);
        self.touch();
    }
}
