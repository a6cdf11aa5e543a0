//! What the agent sends, sorted: for the session, for the state machine, for whoever waits.

use std::sync::Arc;

use acp_grammar::wire::message::Direction;
use acp_grammar::wire::method;
use activity_core::host::{Ask, Event};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::files;
use super::super::refusal::Refusal;
use super::super::terminals::Owner;
use super::{Agent, Pending, tell};
use crate::acp::lines::Sender;
use crate::acp::link::Question;
use crate::features::failure::Failure;
use crate::lsp::ext::ErrorKind;
use crate::replay::live::{Heard, News};

/// What an agent is told of a session that was closed, or never was.
const UNKNOWN_SESSION: &str = "the session is not known here";

/// ACP: the agent wants the person to sign in first.
const SIGN_IN: i64 = -32000;
/// ACP: there is no such session, or no such file.
const NOT_FOUND: i64 = -32002;
/// JSON-RPC: the agent does not know the request.
const NO_METHOD: i64 = -32601;

/// An answer of the agent.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(default)]
    method: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    result: Option<Value>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

impl Agent {
    /// A message of either side, in the order of the wire.
    pub(super) async fn line(&mut self, sender: Sender, text: &str) {
        let direction = match sender {
            Sender::Client => Direction::ClientToAgent,
            Sender::Agent => Direction::AgentToClient,
        };
        let heard = self.connection.hear(direction, text);
        if let Some(heard) = heard {
            if heard.is_update() {
                self.see_run(text).await;
                let session = Arc::clone(heard.session_id());
                if let Some(load) = self.shown_load.as_mut()
                    && load.session == session
                {
                    load.progress.count_update();
                }
                return self
                    .happen(Event::Updated {
                        session,
                        update: heard,
                    })
                    .await;
            }
            self.hear(heard).await;
        }
        if sender == Sender::Agent && !self.pending.is_empty() {
            self.answer(text).await;
        }
    }

    /// What is no update goes to the session as it is; loads are told as a whole elsewhere.
    async fn hear(&mut self, heard: Heard) {
        let is_of_a_load = heard.news().iter().any(|it| {
            matches!(
                it,
                News::Opened(_) | News::LoadStarted | News::LoadEnded | News::LoadFailed(_)
            )
        });
        if is_of_a_load {
            return;
        }
        let session = Arc::clone(heard.session_id());
        if let Some(generation) = self.machine.generation(&session)
            && let Some(shown) = self.shown.get_mut(&session)
            && let Some(heard) = shown.view.update(generation, heard)
        {
            shown.feed.hear(heard).await;
        }
    }

    /// Some agents say which run an update belongs to, and which run that one takes up.
    async fn see_run(&mut self, text: &str) {
        #[derive(Deserialize)]
        struct Update {
            params: Params,
        }
        #[derive(Deserialize)]
        struct Params {
            #[serde(rename = "_meta")]
            meta: Meta,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Meta {
            run_id: String,
            resumed_from_run_id: Option<String>,
        }
        if !text.contains("\"resumedFromRunId\"") {
            return;
        }
        if let Ok(Update {
            params: Params { meta },
        }) = serde_json::from_str(text)
        {
            self.happen(Event::RunSeen {
                run: meta.run_id.into(),
                resumed_from: meta.resumed_from_run_id.map(Into::into),
            })
            .await;
        }
    }

    async fn answer(&mut self, text: &str) {
        let Ok(Message {
            id: Some(id),
            method: None,
            result,
            error,
        }) = serde_json::from_str(text)
        else {
            return;
        };
        // An answer that comes twice finds nobody waiting.
        let Some(pending) = self.pending.remove(id.get()) else {
            return;
        };
        let result = match (result, error) {
            (_, Some(error)) => Err(reason(error)),
            (result, None) => Ok(result.unwrap_or_default()),
        };
        match pending {
            Pending::Initialize => self.initialized(result).await,
            Pending::Load(request) => {
                let session = match &result {
                    Ok(result) => result["sessionId"].as_str().map(Arc::from),
                    Err(_) => None,
                };
                let session = session.or_else(|| self.machine.loading().cloned());
                let answer = match (result, session) {
                    (Ok(result), Some(session)) => {
                        if let Some(waiter) = self.loads.get_mut(&request) {
                            waiter.result = result;
                        }
                        Ok(session)
                    }
                    (Ok(_), None) => Err("the agent did not name the new session".into()),
                    (Err(why), _) => Err(why.into()),
                };
                self.happen(Event::LoadAnswered {
                    request,
                    result: answer,
                })
                .await;
            }
            Pending::Prompt { session_id, run } => {
                let outcome = match result {
                    Ok(result) => Ok(result["stopReason"].as_str().unwrap_or("end_turn").into()),
                    Err(why) => Err(why.into()),
                };
                self.happen(Event::PromptAnswered {
                    session: session_id,
                    run,
                    outcome,
                })
                .await;
            }
            Pending::List {
                cwd,
                by_agent,
                answer,
            } => match result {
                Ok(result) => self.listed(&result, cwd, by_agent, answer),
                Err(why) => tell(answer, Err(agent_failed(why))),
            },
            Pending::Choice(answer) => tell(answer, result.map(|_| ()).map_err(agent_failed)),
            Pending::Nothing => {}
        }
    }

    async fn initialized(&mut self, result: Result<Value, String>) {
        match result {
            Ok(result) => {
                self.capabilities = result;
                self.happen(Event::Ready).await;
                self.send_lists();
            }
            Err(why) => {
                let why = format!("the agent refused to start: {why}");
                self.stop_process(&why).await;
                self.ended(why).await;
            }
        }
    }

    /// A request of the agent.
    pub(super) async fn question(&mut self, question: Box<Question>) {
        let session = question.params["sessionId"].as_str().map(Arc::<str>::from);
        let place = session
            .as_deref()
            .and_then(|session| self.machine.place(session))
            .cloned();
        let is_terminal = self.offers_terminals && question.method.starts_with("terminal/");
        match (question.method.as_str(), session, place) {
            ("session/request_permission", Some(session), _) => {
                let ask = Ask(self.next_id());
                self.asks.insert(ask, question);
                self.happen(Event::PermissionAsked { session, ask }).await;
            }
            ("fs/read_text_file", _, Some(place)) => {
                let agent = self.connection.agent();
                let missing = files::Missing::for_agent(agent.map(|agent| &*agent.name));
                let handle = self.handle.clone();
                tokio::spawn(files::read(handle, place.root, missing, question));
            }
            ("fs/write_text_file", _, Some(place)) => {
                tokio::spawn(files::write(self.handle.clone(), place.root, question));
            }
            (_, Some(session_id), Some(place)) if is_terminal => {
                let key = self.sessions.key(&self.name, &session_id);
                let owner = Owner {
                    session_id,
                    key,
                    place,
                };
                self.terminals.take(owner, question);
            }
            ("session/request_permission" | "fs/read_text_file" | "fs/write_text_file", _, _) => {
                Refusal::params(UNKNOWN_SESSION).answer(question);
            }
            _ if is_terminal => Refusal::params(UNKNOWN_SESSION).answer(question),
            _ => question.refuse_method(),
        }
    }
}

fn agent_failed(why: String) -> Failure {
    Failure::new(ErrorKind::AgentFailed, why)
}

/// Why the agent refuses something, and what can be done about it.
fn reason(error: &RawValue) -> String {
    #[derive(Deserialize)]
    struct Code {
        code: i64,
    }

    let message = method::error_message(error.get());
    let message = message.as_deref().unwrap_or("the agent gave no reason");
    match serde_json::from_str(error.get()) {
        Ok(Code { code: SIGN_IN }) => {
            format!("{message}; sign in with the agent's own command in a terminal, then try again")
        }
        Ok(Code { code: NOT_FOUND }) => {
            format!("the agent does not have what was asked for: {message}")
        }
        Ok(Code { code: NO_METHOD }) => format!("the agent cannot do this: {message}"),
        _ => message.to_owned(),
    }
}
