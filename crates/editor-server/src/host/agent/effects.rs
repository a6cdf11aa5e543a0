//! What the state machine wants done, done.

use std::sync::Arc;

use activity_core::event::Event as SessionEvent;
use activity_core::host::{Effect, Event, Generation, PromptRefusal, Request};
use activity_core::path::Workspace;
use serde_json::json;

use super::super::permission;
use super::loads::Load;
use super::{Agent, Command, Pending, Running, tell};
use crate::acp::link::Link;
use crate::acp::process::AgentProcess;
use crate::features::failure::Failure;
use crate::lsp::ext::{ErrorKind, SessionPromptResult, SessionState};
use crate::replay::live::Heard;

impl Agent {
    /// Does one thing; gives what happened by it at once.
    pub(super) async fn do_effect(&mut self, effect: Effect<Heard>) -> Option<Event<Heard>> {
        match effect {
            Effect::Start => return self.start_process().await,
            Effect::Stop => self.stop_process("the agent did not answer in time").await,
            Effect::SendNew { request, place } => {
                let params = json!({"cwd": *place.cwd, "mcpServers": []});
                self.request("session/new", params, Pending::Load(request));
            }
            Effect::SendLoad {
                request,
                session,
                place,
                ..
            } => return self.send_load(request, &session, &place),
            Effect::Loaded {
                request,
                session,
                generation,
                place,
                batch,
                created,
                resumed,
            } => {
                let load = Load {
                    request,
                    session,
                    generation,
                    place,
                    created,
                };
                if resumed {
                    self.resume(load).await;
                } else {
                    self.build(load, batch);
                }
            }
            Effect::LoadFailed { request, why } => self.load_failed(request, &why).await,
            Effect::Publish {
                session,
                generation,
                update,
                ..
            } => self.publish(&session, generation, update).await,
            Effect::Stray { session } => {
                tracing::info!(%session, agent = %self.name, "an update of an unknown session");
            }
            Effect::SendPrompt {
                request,
                session,
                run,
            } => self.send_prompt(request, session, run),
            Effect::PromptRefused { request, why } => {
                if let Some(waiter) = self.prompts.remove(&request) {
                    tell(waiter.answer, Err(prompt_failure(why)));
                }
            }
            Effect::PromptEnded {
                session, outcome, ..
            } => self.prompt_ended(&session, outcome.err()).await,
            Effect::SendCancel { session } => {
                self.notify("session/cancel", json!({"sessionId": *session}));
            }
            Effect::SendClose { session } => {
                if self.can("/sessionCapabilities/close") {
                    let params = json!({"sessionId": *session});
                    self.request("session/close", params, Pending::Nothing);
                }
            }
            Effect::AskPerson {
                permission,
                session,
                generation,
                ask,
            } => self.ask_person(permission, session, generation, ask),
            Effect::AnswerAsk { ask, option } => {
                if let Some(question) = self.asks.remove(&ask) {
                    question.answer(json!({"outcome": match option {
                        Some(option) => json!({"outcome": "selected", "optionId": *option}),
                        None => json!({"outcome": "cancelled"}),
                    }}));
                }
            }
            Effect::PermissionClosed {
                permission, option, ..
            } => {
                // The client need not ask any more; if it is what answered, nobody waits.
                if let Some(asking) = self.asking.remove(&permission) {
                    asking.abort();
                }
                if let Some(question) = self.questions.remove(&permission) {
                    let outcome = permission::outcome(option.as_deref());
                    self.handle.set_permission(question, Some(outcome));
                }
            }
            Effect::AnswerRefused { permission } => {
                if let Some(answer) = self.responses.remove(&permission) {
                    tell(answer, Err(Failure::gone("the question")));
                }
            }
            Effect::WakeAt(ms) => self.wake_at = Some(ms),
            Effect::Adopted { session, old, new } => {
                // The agent answers the prompt once, whatever its run is called by then.
                for pending in self.pending.values_mut() {
                    if let Pending::Prompt { run, .. } = pending
                        && *run == old
                    {
                        *run = Arc::clone(&new);
                    }
                }
                tracing::info!(%session, %old, %new, "another run goes on with the prompt");
                if let Some(shown) = self.shown.get_mut(&session) {
                    shown.feed.apply(SessionEvent::RunReplaced).await;
                }
            }
            // A pipe that is closed does not open again, so nothing is ever taken up on it.
            Effect::Subscribe { .. } | Effect::Reconcile { .. } => {}
            _ => tracing::warn!("an effect of the host is not known"),
        }
        None
    }

    async fn start_process(&mut self) -> Option<Event<Heard>> {
        match self.try_start().await {
            Ok(()) => {
                let settings = Arc::clone(&self.handle.workspace().borrow().settings);
                self.offers_terminals = settings.agent_terminals;
                let params = json!({
                    "protocolVersion": 1,
                    "clientCapabilities": {
                        "fs": {"readTextFile": true, "writeTextFile": true},
                        "terminal": self.offers_terminals,
                    },
                    "clientInfo": {
                        "name": "acp-lens",
                        "title": "acp-lens",
                        "version": env!("CARGO_PKG_VERSION"),
                    },
                });
                self.request("initialize", params, Pending::Initialize);
                None
            }
            Err(why) => Some(Event::Exited {
                why: format!("the agent {} cannot be started: {why}", self.name).into(),
            }),
        }
    }

    async fn try_start(&mut self) -> Result<(), String> {
        let mut command = self.command.clone();
        command.cwd = command.cwd.or_else(|| self.first_folder());
        let (process, streams) = AgentProcess::start(&command).map_err(|why| why.to_string())?;
        let (link, heard) = Link::open(streams).await.map_err(|why| why.to_string())?;
        self.running = Some(Running {
            process,
            link: Some(link),
            heard,
        });
        Ok(())
    }

    /// Where an agent starts, as if it had been started from the project: some read their own
    /// configuration there, or think that their sessions belong there.
    fn first_folder(&self) -> Option<std::path::PathBuf> {
        let workspace = self.handle.workspace();
        let first = workspace.borrow().folders.first()?.location.to_path_buf();
        first.is_dir().then_some(first)
    }

    async fn publish(&mut self, session: &str, generation: Generation, update: Heard) {
        if let Some(shown) = self.shown.get_mut(session)
            && let Some(heard) = shown.view.update(generation, update)
        {
            shown.feed.hear(heard).await;
        }
    }

    fn send_prompt(&mut self, request: Request, session: Arc<str>, run: Arc<str>) {
        let Some(waiter) = self.prompts.remove(&request) else {
            return;
        };
        let mut meta = json!({"messageId": *run});
        if self
            .connection
            .agent()
            .is_some_and(|agent| agent.name.starts_with("openclaw"))
        {
            meta["prefixCwd"] = waiter.prefix_directory.into();
        }
        let params = json!({"sessionId": *session, "prompt": waiter.content, "_meta": meta});
        let message_id = run.to_string();
        let pending = Pending::Prompt {
            session_id: session,
            run,
        };
        self.request("session/prompt", params, pending);
        tell(waiter.answer, Ok(SessionPromptResult { message_id }));
    }

    async fn prompt_ended(&mut self, session: &str, error: Option<Arc<str>>) {
        let Some(shown) = self.shown.get_mut(session) else {
            return;
        };
        if let Some(error) = error {
            let ended = SessionEvent::PromptEnded { stop_reason: None };
            shown.feed.apply(ended).await;
            let state = if self.running.is_some() {
                SessionState::Idle
            } else {
                SessionState::Disconnected
            };
            shown.feed.set_state(state, Some(error.to_string()));
        }
    }

    fn ask_person(
        &mut self,
        permission: Arc<str>,
        session: Arc<str>,
        generation: Generation,
        ask: activity_core::host::Ask,
    ) {
        let (Some(question), Some(shown)) = (self.asks.get(&ask), self.shown.get(&session)) else {
            return;
        };
        let place = self.machine.place(&session);
        let workspace = place.and_then(|place| Workspace::new(&place.root, &place.cwd));
        let asked = permission::question(
            shown.feed.key(),
            generation,
            &permission,
            workspace.as_ref(),
            &question.params,
        );
        self.questions
            .insert(Arc::clone(&permission), asked.clone());
        self.handle.set_permission(asked.clone(), None);
        let answered = self.handle.ask_permission(asked);
        let commands = self.commands.clone();
        let id = Arc::clone(&permission);
        let asking = tokio::spawn(async move {
            // A client that cannot ask answers from its timeline, or not at all.
            let Ok(outcome) = answered.await else { return };
            let option = match outcome {
                crate::lsp::ext::PermissionOutcome::Selected { option_id } => {
                    Some(option_id.into())
                }
                crate::lsp::ext::PermissionOutcome::Cancelled => None,
            };
            if let Some(commands) = commands.upgrade() {
                let _ = commands.send(Command::Respond {
                    session_id: session,
                    permission,
                    option,
                    answer: None,
                });
            }
        });
        self.asking.insert(id, asking.abort_handle());
    }
}

fn prompt_failure(why: PromptRefusal) -> Failure {
    let kind = match why {
        PromptRefusal::Busy | PromptRefusal::Loading => ErrorKind::Busy,
        PromptRefusal::OtherSession | PromptRefusal::NoSession => ErrorKind::StaleSession,
        _ => ErrorKind::InvalidReference,
    };
    Failure::new(kind, why.to_string())
}
