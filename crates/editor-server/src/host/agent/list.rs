//! The earlier sessions of an agent.

use serde_json::{Value, json};

use super::super::Answer;
use super::{Agent, Pending, tell};
use crate::lsp::ext::{EarlierSession, SessionListResult};

impl Agent {
    /// Asks for the lists that editors wait for, as soon as that can be done.
    pub(super) fn send_lists(&mut self) {
        if self.capabilities.is_null() {
            return;
        }
        let can = self.can("/sessionCapabilities/list");
        for (cwd, answer) in std::mem::take(&mut self.lists) {
            if can {
                self.send_list(cwd, true, answer);
            } else {
                tell(
                    answer,
                    Ok(SessionListResult {
                        supported: false,
                        sessions: Vec::new(),
                    }),
                );
            }
        }
    }

    fn send_list(
        &mut self,
        cwd: Option<String>,
        by_agent: bool,
        answer: Answer<SessionListResult>,
    ) {
        let params = match &cwd {
            Some(cwd) if by_agent => json!({"cwd": cwd}),
            _ => json!({}),
        };
        let pending = Pending::List {
            cwd,
            by_agent,
            answer,
        };
        self.request("session/list", params, pending);
    }

    /// Takes a list. Some agents find nothing by a directory, although they name it in the list of
    /// all: then that one is asked for, and what is of the directory is picked out here.
    pub(super) fn listed(
        &mut self,
        result: &Value,
        cwd: Option<String>,
        by_agent: bool,
        answer: Answer<SessionListResult>,
    ) {
        let mut sessions = earlier(result);
        if by_agent && cwd.is_some() && sessions.is_empty() {
            return self.send_list(cwd, false, answer);
        }
        if cwd.is_some() && !by_agent {
            sessions.retain(|session| session.execution_cwd == cwd);
        }
        tell(
            answer,
            Ok(SessionListResult {
                supported: true,
                sessions,
            }),
        );
    }
}

fn earlier(result: &Value) -> Vec<EarlierSession> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let sessions = result["sessions"].as_array().into_iter().flatten();
    sessions
        .filter_map(|session| {
            Some(EarlierSession {
                session_id: text(&session["sessionId"])?,
                title: text(&session["title"]),
                execution_cwd: text(&session["cwd"]),
                updated_at: text(&session["updatedAt"]),
            })
        })
        .collect()
}
