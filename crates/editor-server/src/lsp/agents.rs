//! The handlers of the requests about agents and their sessions.

use tower_lsp::jsonrpc::Result;

use super::backend::Backend;
use super::error;
use super::ext::{
    AgentsParams, AgentsResult, RespondPermissionParams, SessionListParams, SessionListResult,
    SessionLoadParams, SessionNewParams, SessionParams, SessionPromptParams, SessionPromptResult,
    SessionSetConfigOptionParams, SessionSetModeParams, SessionStarted,
};

impl Backend {
    pub(super) async fn agents(&self, _: AgentsParams) -> Result<AgentsResult> {
        Ok(self.host.agents().await)
    }

    pub(super) async fn session_new(&self, params: SessionNewParams) -> Result<SessionStarted> {
        self.host.new_session(params).await.map_err(error::answer)
    }

    pub(super) async fn session_load(&self, params: SessionLoadParams) -> Result<SessionStarted> {
        self.host.load_session(params).await.map_err(error::answer)
    }

    pub(super) async fn session_list(
        &self,
        params: SessionListParams,
    ) -> Result<SessionListResult> {
        self.host.list_sessions(params).await.map_err(error::answer)
    }

    pub(super) async fn session_prompt(
        &self,
        params: SessionPromptParams,
    ) -> Result<SessionPromptResult> {
        self.host.prompt(params).await.map_err(error::answer)
    }

    pub(super) async fn session_cancel(&self, params: SessionParams) -> Result<()> {
        self.host
            .cancel(&params.session)
            .await
            .map_err(error::answer)
    }

    pub(super) async fn session_close(&self, params: SessionParams) -> Result<()> {
        self.host
            .close(&params.session)
            .await
            .map_err(error::answer)
    }

    pub(super) async fn session_respond_permission(
        &self,
        params: RespondPermissionParams,
    ) -> Result<()> {
        self.host.respond(params).await.map_err(error::answer)
    }

    pub(super) async fn session_set_mode(&self, params: SessionSetModeParams) -> Result<()> {
        self.host.set_mode(params).await.map_err(error::answer)
    }

    pub(super) async fn session_set_config_option(
        &self,
        params: SessionSetConfigOptionParams,
    ) -> Result<()> {
        self.host
            .set_config_option(params)
            .await
            .map_err(error::answer)
    }
}
