//! The handlers of the requests under `acpLens/`.

use tower_lsp::jsonrpc::Result;

use super::backend::Backend;
use super::error;
use super::ext::{
    ChangesParams, ChangesResult, CloseTraceParams, DiffParams, DiffResult, GoToParams, GoToResult,
    HunksParams, HunksResult, OpenTraceParams, OpenTraceResult, SessionSubscribeParams,
    SessionsParams, SessionsResult, TextDocumentContentParams, TextDocumentContentResult,
    TimelineUpdate,
};
use crate::features::failure::Failure;
use crate::features::{changes, closed, commands, content, diff, go_to, hunks, traces};
use crate::session::state::State;
use crate::session::timeline;

impl Backend {
    /// Asks a short question whose answer may be a failure.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut State) -> std::result::Result<T, Failure> + Send + 'static,
    ) -> Result<T> {
        let answer = self.handle.ask(question).await;
        answer
            .unwrap_or_else(|| Err(Failure::ending()))
            .map_err(error::answer)
    }

    pub(super) async fn sessions(&self, _: SessionsParams) -> Result<SessionsResult> {
        self.ask(|state| Ok(changes::sessions(state))).await
    }

    pub(super) async fn changes(&self, params: ChangesParams) -> Result<ChangesResult> {
        self.ask(move |state| changes::changes(state, &params))
            .await
    }

    pub(super) async fn diff(&self, params: DiffParams) -> Result<DiffResult> {
        let sides = self.ask(move |state| diff::sides(state, params)).await?;
        let compared = commands::compare(sides).await;
        compared.map(|(_, result)| result).map_err(error::answer)
    }

    pub(super) async fn hunks(&self, params: HunksParams) -> Result<HunksResult> {
        let view = closed::view_of_uri(&self.handle, params.uri).await;
        view.map(|view| hunks::answer(&view, params.with_text))
            .map_err(error::answer)
    }

    pub(super) async fn go_to(&self, params: GoToParams) -> Result<Option<GoToResult>> {
        let found = go_to::go_to(&self.handle, params).await;
        found.map_err(error::answer)
    }

    pub(super) async fn text_document_content(
        &self,
        params: TextDocumentContentParams,
    ) -> Result<TextDocumentContentResult> {
        let (diff, side) = content::parse(&params.uri).map_err(error::answer)?;
        self.ask(move |state| {
            Ok(TextDocumentContentResult {
                text: diff::sides(state, diff)?.text(side),
                revision: state.revision,
            })
        })
        .await
    }

    pub(super) async fn open_trace(&self, params: OpenTraceParams) -> Result<OpenTraceResult> {
        let opened = traces::open(&self.handle, params).await;
        opened.map_err(error::answer)
    }

    pub(super) async fn close_trace(&self, params: CloseTraceParams) -> Result<()> {
        let closed = traces::close(&self.handle, params).await;
        closed.map_err(error::answer)
    }

    pub(super) async fn session_subscribe(
        &self,
        params: SessionSubscribeParams,
    ) -> Result<TimelineUpdate> {
        self.ask(move |state| {
            let revision = state.revision;
            let entry = state
                .session(&params.session)
                .ok_or_else(|| Failure::gone("the session"))?;
            let key = entry.key.clone();
            let all = if params.subscribe {
                0..entry.session.item_count()
            } else {
                0..0
            };
            let update = timeline::update(entry, revision, all);
            if params.subscribe {
                state.subscribed.insert(key);
            } else {
                state.subscribed.remove(&key);
            }
            Ok(update)
        })
        .await
    }
}
