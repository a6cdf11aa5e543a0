//! The demo agent: a real ACP agent over standard input and output that follows a script.
//!
//! It needs no model and no network. Its prompts are answered by the turns of
//! `crate::demo::script`, one after another, with real writes in the session's working directory.

mod history;
mod turn;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agent_client_protocol::v1::schema::{
    AgentCapabilities, CancelNotification, ContentBlock, Implementation, InitializeRequest,
    InitializeResponse, ListSessionsRequest, ListSessionsResponse, LoadSessionRequest,
    LoadSessionResponse, NewSessionRequest, NewSessionResponse, PromptRequest, SessionCapabilities,
    SessionId, SessionInfo, SessionListCapabilities, SessionNotification,
};
use agent_client_protocol::{Agent, Error, Stdio};

use history::Sessions;

/// How the agent runs.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    /// Where sessions are kept so that another process can load them; without it they live as
    /// long as the process.
    pub(crate) state_dir: Option<PathBuf>,
    /// The pause between two words.
    pub(crate) pace: Duration,
}

/// What the handlers of one connection share.
struct Shared {
    sessions: Mutex<Sessions>,
    /// True when the client writes files for the agent.
    client_writes: Mutex<bool>,
    pace: Duration,
}

impl Shared {
    /// Runs `work` on the sessions. A handler that panicked left them whole.
    fn with_sessions<T>(&self, work: impl FnOnce(&mut Sessions) -> T) -> T {
        work(&mut self.sessions.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn client_writes(&self) -> bool {
        *self
            .client_writes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves one client on standard input and output until it closes its end.
pub(crate) async fn serve(options: Options) -> Result<(), Error> {
    let shared = Arc::new(Shared {
        sessions: Mutex::new(Sessions::open(options.state_dir)),
        client_writes: Mutex::new(false),
        pace: options.pace,
    });
    let at_initialize = Arc::clone(&shared);
    let at_new = Arc::clone(&shared);
    let at_list = Arc::clone(&shared);
    let at_load = Arc::clone(&shared);
    let at_prompt = Arc::clone(&shared);
    let at_cancel = shared;
    Agent
        .v1()
        .name("acp-lens-demo")
        .on_receive_request(
            async move |request: InitializeRequest, responder, _connection| {
                let fs = &request.client_capabilities.fs;
                *at_initialize
                    .client_writes
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner) =
                    fs.read_text_file && fs.write_text_file;
                responder.respond(
                    InitializeResponse::new(request.protocol_version)
                        .agent_capabilities(
                            AgentCapabilities::new()
                                .load_session(true)
                                .session_capabilities(
                                    SessionCapabilities::new().list(SessionListCapabilities::new()),
                                ),
                        )
                        .agent_info(Implementation::new(
                            "acp-lens-demo",
                            env!("CARGO_PKG_VERSION"),
                        )),
                )
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |request: NewSessionRequest, responder, _connection| {
                let id = at_new.with_sessions(|sessions| sessions.create(request.cwd));
                match id {
                    Ok(id) => responder.respond(NewSessionResponse::new(id)),
                    Err(why) => responder.respond_with_error(Error::into_internal_error(why)),
                }
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ListSessionsRequest, responder, _connection| {
                let sessions = at_list.with_sessions(Sessions::list);
                let known = sessions
                    .into_iter()
                    .filter(|(_, cwd, _)| request.cwd.as_ref().is_none_or(|wanted| wanted == cwd))
                    .map(|(id, cwd, title)| SessionInfo::new(SessionId::new(id), cwd).title(title))
                    .collect();
                responder.respond(ListSessionsResponse::new(known))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |request: LoadSessionRequest, responder, connection| {
                let id = request.session_id.clone();
                let replay = at_load.with_sessions(|sessions| sessions.load(&id.0, request.cwd));
                let Some(updates) = replay else {
                    let unknown = agent_client_protocol::v1::schema::Error::session_not_found(id);
                    return responder.respond_with_error(unknown.into());
                };
                for update in updates {
                    connection.send_notification(SessionNotification::new(id.clone(), update))?;
                }
                responder.respond(LoadSessionResponse::new())
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, connection| {
                let shared = Arc::clone(&at_prompt);
                let id = Arc::clone(&request.session_id.0);
                let text = prompt_text(&request.prompt);
                let begun = shared.with_sessions(|sessions| sessions.begin_turn(&id, &text));
                let Some(begun) = begun else {
                    let unknown = agent_client_protocol::v1::schema::Error::session_not_found(
                        request.session_id,
                    );
                    return responder.respond_with_error(unknown.into());
                };
                // The dispatch loop has to stay free for the answers that the turn waits for.
                connection.spawn(turn::run(shared, begun, responder, connection.clone()))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_notification(
            async move |request: CancelNotification, _connection| {
                at_cancel.with_sessions(|sessions| sessions.cancel(&request.session_id.0));
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .connect_to(Stdio::new())
        .await
}

/// The words of a prompt: its text blocks, one after another.
fn prompt_text(blocks: &[ContentBlock]) -> String {
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| match block {
            ContentBlock::Text(text) => Some(text.text.as_str()),
            _ => None,
        })
        .collect();
    texts.join("\n")
}
