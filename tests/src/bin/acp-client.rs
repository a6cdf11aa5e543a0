//! A client of an agent, made with the official crate: it runs the command line that it is given,
//! creates a session in the directory of its first argument, and sends two prompts.

use std::path::PathBuf;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentBlock, InitializeRequest, NewSessionRequest, PromptRequest, RequestPermissionOutcome,
    RequestPermissionRequest, RequestPermissionResponse, SelectedPermissionOutcome,
};
use agent_client_protocol::{AcpAgent, AcpAgentConfig, Agent, Client, Result};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let cwd = PathBuf::from(arguments.next().unwrap_or_default());
    let program = arguments.next().unwrap_or_default();
    let agent = AcpAgent::new(AcpAgentConfig::new(program).args(arguments));
    futures::executor::block_on(
        Client
            .v1()
            .on_receive_request(
                async move |request: RequestPermissionRequest, responder, _connection| {
                    let first = request
                        .options
                        .first()
                        .map(|option| option.option_id.clone());
                    responder.respond(RequestPermissionResponse::new(match first {
                        Some(id) => {
                            RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(id))
                        }
                        None => RequestPermissionOutcome::Cancelled,
                    }))
                },
                agent_client_protocol::on_receive_request!(),
            )
            .connect_with(agent, async |connection: ConnectionTo<Agent>| {
                connection
                    .send_request(InitializeRequest::new(ProtocolVersion::V1))
                    .block_task()
                    .await?;
                let session = connection
                    .send_request(NewSessionRequest::new(cwd))
                    .block_task()
                    .await?;
                for words in ["one", "two"] {
                    let prompt = vec![ContentBlock::from(words)];
                    connection
                        .send_request(PromptRequest::new(session.session_id.clone(), prompt))
                        .block_task()
                        .await?;
                }
                Ok(())
            }),
    )
}
