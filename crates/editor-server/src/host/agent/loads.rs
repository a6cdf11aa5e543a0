//! Loads of sessions: sent, built aside, and shown in one step with what came meanwhile.

use std::sync::Arc;

use activity_core::event::Event as SessionEvent;
use activity_core::host::store::View;
use activity_core::host::{Event, Generation, LoadRefusal, Place, Request};
use activity_core::session::{Options, Session};
use serde_json::json;

use super::{Agent, Built, Pending, Shown, ShownLoad, tell};
use crate::features::failure::Failure;
use crate::live::feed::{SessionFeed, Subject, loading};
use crate::lsp::ext::{ErrorKind, SessionSource, SessionStarted, SessionState};
use crate::replay::live::{Heard, Metadata, News};
use crate::session::entry::Entry;
use crate::session::progress::Progress;

/// A load that the agent has answered.
pub(super) struct Load {
    pub(super) request: Request,
    pub(super) session: Arc<str>,
    pub(super) generation: Generation,
    pub(super) place: Place,
    pub(super) created: bool,
}

impl Agent {
    pub(super) fn send_load(
        &mut self,
        request: Request,
        session: &Arc<str>,
        place: &Place,
    ) -> Option<Event<Heard>> {
        if !self.can("/loadSession") {
            return Some(Event::LoadAnswered {
                request,
                result: Err("this agent cannot load sessions; start a new one".into()),
            });
        }
        let shown = self.shown.get_mut(session);
        if let (Some(shown), Some(waiter)) = (shown, self.loads.get_mut(&request)) {
            waiter.view = Some((Arc::clone(session), shown.view.begin()));
            shown.feed.set_state(SessionState::Loading, None);
        }
        self.shown_load = Some(ShownLoad {
            request,
            session: Arc::clone(session),
            progress: Progress::begin(&self.handle, loading(Some(&self.name))),
        });
        let params = json!({"sessionId": **session, "cwd": *place.cwd, "mcpServers": []});
        self.request("session/load", params, Pending::Load(request));
        None
    }

    /// Builds the session of a load, on a thread of its own.
    pub(super) fn build(&mut self, load: Load, batch: Vec<Heard>) {
        let profile = self.handle.workspace().borrow().settings.profile;
        let options = Options {
            profile,
            workspace_root: Some(Arc::clone(&load.place.root)),
            cwd: Some(Arc::clone(&load.place.cwd)),
            ..Options::default()
        };
        let is_new = !self.shown.contains_key(&load.session);
        let shown = self
            .shown
            .entry(Arc::clone(&load.session))
            .or_insert_with(|| {
                let subject = Subject {
                    key: self.sessions.key(&self.name, &load.session),
                    session_id: Arc::clone(&load.session),
                    source: SessionSource::Host,
                    agent: Some(self.name.as_str().into()),
                    options: options.clone(),
                };
                Shown {
                    feed: SessionFeed::open(&self.handle, subject, load.generation),
                    view: View::default(),
                }
            });
        if let Some(waiter) = self.loads.get_mut(&load.request)
            && waiter.view.is_none()
        {
            waiter.view = Some((Arc::clone(&load.session), shown.view.begin()));
        }
        if is_new && !load.created {
            shown.feed.set_state(SessionState::Loading, None);
        }
        let agent = self.connection.agent().cloned();
        let built = self.built.clone();
        let (session_id, place) = (Arc::clone(&load.session), load.place);
        let how = options.clone();
        let building = tokio::task::spawn_blocking(move || {
            let mut session = Session::new(session_id, how);
            if let Some(agent) = agent {
                agent.introduce(&mut session);
            }
            let cwd = place.cwd.to_string().into();
            session.apply(SessionEvent::Opened { cwd });
            if !load.created {
                session.apply(SessionEvent::LoadStarted);
            }
            for heard in batch {
                heard.apply(&mut session);
            }
            if !load.created {
                session.apply(SessionEvent::LoadEnded);
            }
            session
        });
        tokio::spawn(async move {
            // The task is gone only when the server is ending.
            let _ = built.send(Built {
                request: load.request,
                session_id: load.session,
                generation: load.generation,
                options,
                session: building.await.ok().map(Box::new),
            });
        });
    }

    /// Shows a session that was built, together with what came for it meanwhile.
    pub(super) async fn show(&mut self, built: Built) {
        let request = built.request;
        if built.session.is_some() {
            self.put_in_place(built).await;
        } else {
            tracing::error!("a session could not be built; this is a defect of acp-lens");
            let why = "the server could not read the session; its log says why";
            let why = LoadRefusal::Agent(why.into());
            self.load_failed(request, &why).await;
        }
        self.happen(Event::LoadShown { request }).await;
    }

    async fn put_in_place(&mut self, built: Built) {
        self.end_load(built.request, None);
        let Some(waiter) = self.loads.remove(&built.request) else {
            return;
        };
        let Some(shown) = self.shown.get_mut(&built.session_id) else {
            return;
        };
        let commit = waiter
            .view
            .and_then(|(_, token)| shown.view.loaded(token, built.generation, []));
        if let (Some(commit), Some(mut session)) = (commit, built.session) {
            let mut news = Vec::new();
            for heard in commit.updates {
                news.extend(heard.news());
                heard.apply(&mut session);
            }
            shown.feed.commit(built.generation, built.options, *session);
            if let Ok(metadata) = serde_json::from_value::<Metadata>(waiter.result) {
                shown.feed.note(News::Metadata(Box::new(metadata)));
            }
            for it in news {
                shown.feed.note(it);
            }
            if self.machine.is_live(&built.session_id) {
                shown.feed.note(News::PromptSent);
            }
        }
        let key = Arc::clone(shown.feed.key());
        let info = self
            .handle
            .ask(move |state| state.session(&key).map(Entry::info));
        let started = match info.await.flatten() {
            Some(session) => Ok(SessionStarted {
                session,
                resumed_active_prompt: false,
            }),
            None => Err(Failure::ending()),
        };
        tell(waiter.answer, started);
    }

    /// A session whose prompt runs is shown as it is.
    pub(super) async fn resume(&mut self, load: Load) {
        let Some(waiter) = self.loads.remove(&load.request) else {
            return;
        };
        let info = match self.shown.get(&load.session) {
            Some(shown) => {
                let key = Arc::clone(shown.feed.key());
                let info = self
                    .handle
                    .ask(move |state| state.session(&key).map(Entry::info));
                info.await.flatten()
            }
            None => None,
        };
        let started = info.map(|session| SessionStarted {
            session,
            resumed_active_prompt: true,
        });
        tell(
            waiter.answer,
            started.ok_or_else(|| Failure::gone("the session")),
        );
    }

    /// Tells the client that a load is over: why it failed, or how much was received.
    fn end_load(&mut self, request: Request, why: Option<&LoadRefusal>) {
        if let Some(load) = self.shown_load.take_if(|load| load.request == request) {
            let updates = load.progress.counted_updates();
            load.progress.end(why.map_or(updates, ToString::to_string));
        }
    }

    pub(super) async fn load_failed(&mut self, request: Request, why: &LoadRefusal) {
        self.end_load(request, Some(why));
        let Some(waiter) = self.loads.remove(&request) else {
            return;
        };
        if let Some((session, token)) = waiter.view
            && let Some(shown) = self.shown.get_mut(&session)
        {
            for heard in shown.view.failed(token) {
                shown.feed.hear(heard).await;
            }
            if self.running.is_some() {
                shown.feed.set_state(SessionState::Idle, None);
            }
        }
        let kind = match why {
            LoadRefusal::Incomplete => ErrorKind::InvalidReference,
            LoadRefusal::PromptRunsElsewhere => ErrorKind::Busy,
            _ => ErrorKind::AgentFailed,
        };
        tell(waiter.answer, Err(Failure::new(kind, why.to_string())));
    }
}
