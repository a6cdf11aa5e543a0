//! What editors want of an agent.

use std::sync::Arc;

use activity_core::host::prompt::{PromptFile, wants_directory_prefix};
use activity_core::host::{Event, PermissionId, Place, Request};
use serde_json::Value;

use super::super::{Answer, Configuration, prompt};
use super::{Agent, LoadWaiter, Pending, PromptWaiter, not_running, tell};
use crate::features::failure::Failure;
use crate::lsp::ext::{
    ErrorKind, SessionListResult, SessionPromptResult, SessionStarted, SessionState,
};
use crate::mirror::rendezvous::unique_id;
use crate::session::outgoing::Outgoing;

/// What an editor wants of an agent.
#[derive(Debug)]
pub(in crate::host) enum Command {
    /// The settings changed what they say of the agent.
    Configure(Configuration),
    /// A session: a known one, or a new one.
    Load {
        session_id: Option<Arc<str>>,
        place: Place,
        answer: Answer<SessionStarted>,
    },
    /// The sessions that the agent has.
    List {
        cwd: Option<String>,
        answer: Answer<SessionListResult>,
    },
    Prompt {
        session_id: Arc<str>,
        /// What the directory of the session leads to now.
        cwd: Arc<str>,
        text: String,
        files: Vec<PromptFile>,
        answer: Answer<SessionPromptResult>,
    },
    Cancel {
        session_id: Arc<str>,
        answer: Answer<()>,
    },
    Close {
        session_id: Arc<str>,
        answer: Answer<()>,
    },
    /// A person's answer; `option` is `None` for "cancelled".
    Respond {
        session_id: Arc<str>,
        permission: PermissionId,
        option: Option<Arc<str>>,
        /// `None` when nobody waits for it.
        answer: Option<Answer<()>>,
    },
    /// A mode or an option of a session.
    Choose {
        session_id: Arc<str>,
        method: &'static str,
        members: Vec<(&'static str, Value)>,
        answer: Answer<()>,
    },
}

impl Agent {
    pub(super) async fn command(&mut self, command: Command) {
        match command {
            Command::Configure(configuration) => self.configure(configuration).await,
            Command::Load {
                session_id,
                place,
                answer,
            } => {
                let request = Request(self.next_id());
                let waiter = LoadWaiter {
                    answer,
                    view: None,
                    result: Value::Null,
                };
                self.loads.insert(request, waiter);
                self.happen(Event::LoadWanted {
                    request,
                    session: session_id,
                    place,
                })
                .await;
            }
            Command::List { cwd, answer } => {
                self.happen(Event::StartWanted).await;
                if self.is_connected() {
                    self.lists.push((cwd, answer));
                    self.send_lists();
                } else {
                    tell(answer, Err(not_running()));
                }
            }
            Command::Prompt {
                session_id,
                cwd,
                text,
                files,
                answer,
            } => {
                let request = Request(self.next_id());
                let waiter = PromptWaiter {
                    answer,
                    content: prompt::content(&text, files),
                    prefix_directory: wants_directory_prefix(&text),
                };
                self.prompts.insert(request, waiter);
                let run = format!("user:{}", unique_id());
                self.happen(Event::PromptWanted {
                    request,
                    session: session_id,
                    cwd,
                    run: run.into(),
                })
                .await;
            }
            Command::Cancel { session_id, answer } => {
                let running = self.machine.is_live(&session_id);
                self.happen(Event::CancelWanted {
                    session: session_id,
                })
                .await;
                let _ = answer.send(if running {
                    Ok(())
                } else {
                    Err(Failure::new(ErrorKind::Busy, "no prompt is running"))
                });
            }
            Command::Close { session_id, answer } => {
                self.terminals.close_session(&session_id);
                self.happen(Event::CloseWanted {
                    session: Arc::clone(&session_id),
                })
                .await;
                if let Some(shown) = self.shown.get_mut(&session_id) {
                    let state = SessionState::Disconnected;
                    shown.feed.set_state(state, None);
                }
                let _ = answer.send(Ok(()));
            }
            Command::Respond {
                session_id,
                permission,
                option,
                answer,
            } => {
                if let Some(why) = self.no_such_option(&permission, option.as_deref()) {
                    match answer {
                        Some(answer) => {
                            let _ = answer.send(Err(why));
                        }
                        // The client was asked; the question can still be answered elsewhere.
                        None => self.handle.tell(Outgoing::Log(why.message)),
                    }
                    return;
                }
                if let Some(answer) = answer {
                    self.responses.insert(Arc::clone(&permission), answer);
                }
                self.happen(Event::PermissionAnswered {
                    session: session_id,
                    permission: Arc::clone(&permission),
                    option,
                })
                .await;
                // An answer that was refused has taken the waiter along.
                if let Some(answer) = self.responses.remove(&permission) {
                    let _ = answer.send(Ok(()));
                }
            }
            Command::Choose {
                session_id,
                method,
                members,
                answer,
            } => self.choose(&session_id, method, members, answer),
        }
    }

    /// A process that holds a session keeps the command that it was started with; the next one has
    /// the new one.
    async fn configure(&mut self, now: Configuration) {
        self.machine.set_deadlines(now.deadlines);
        if self.command != now.command && self.machine.holds_nothing() {
            let why = "its command was changed in the settings";
            self.stop_process(why).await;
            self.happen(Event::Exited { why: why.into() }).await;
        }
        self.command = now.command;
    }

    /// Why an option cannot be the answer to a question: the question does not offer it.
    fn no_such_option(&self, permission: &PermissionId, option: Option<&str>) -> Option<Failure> {
        let (question, option) = (self.questions.get(permission)?, option?);
        let offered: Vec<&str> = question
            .options
            .iter()
            .map(|offered| offered.option_id.as_str())
            .collect();
        (!offered.contains(&option)).then(|| {
            let offered = offered.join(", ");
            Failure::new(
                ErrorKind::InvalidReference,
                format!("the question has no option {option}; it offers {offered}, and stays open"),
            )
        })
    }

    fn choose(
        &mut self,
        session_id: &str,
        method: &str,
        members: Vec<(&'static str, Value)>,
        answer: Answer<()>,
    ) {
        let mut params = serde_json::Map::from_iter([("sessionId".to_owned(), session_id.into())]);
        params.extend(
            members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value)),
        );
        self.request(method, params.into(), Pending::Choice(answer));
    }
}
