//! The handlers of standard LSP: convert, send or ask, convert.
//!
//! Each handler sends its event before it waits for anything, and the transport starts handlers in
//! the order of their messages; so the actor sees them in that order.

use serde_json::Value;
use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{
    CodeActionParams, CodeActionResponse, CodeLensParams, DidChangeConfigurationParams,
    DidChangeTextDocumentParams, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, ExecuteCommandParams, Hover, HoverParams, InitializeParams,
    InitializeResult, InitializedParams, SymbolInformation, TextDocumentContentChangeEvent,
    WorkspaceSymbolParams,
};
use tower_lsp::{LanguageServer, async_trait};

use super::code_lens::CodeLenses;
use super::{capabilities, convert, error};
use crate::features::{actions, commands, hover, symbols};
use crate::host::Host;
use crate::session::actor::Event;
use crate::session::document::TextChange;
use crate::session::handle::Handle;
use crate::session::outgoing::Outgoing;
use crate::session::settings::Settings;

/// The server as tower-lsp sees it.
#[derive(Debug)]
pub(crate) struct Backend {
    pub(super) handle: Handle,
    pub(super) host: Host,
}

impl Backend {
    pub(super) fn new(handle: Handle, host: Host) -> Self {
        Self { handle, host }
    }

    /// `textDocument/codeLens`.
    pub(super) async fn code_lenses(&self, params: CodeLensParams) -> Result<Option<CodeLenses>> {
        let view = self.handle.view(params.text_document.uri.into()).await;
        Ok(view.map(|view| CodeLenses::of(&view)))
    }

    fn settings(&self, value: &Value) -> Settings {
        let (settings, faults) = Settings::read(value);
        for fault in faults {
            tracing::warn!(%fault, "a setting has its default");
            self.handle
                .tell(Outgoing::Log(format!("{fault}; the default is used")));
        }
        settings
    }
}

#[async_trait]
impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let client = capabilities::client(&params.capabilities);
        let extension = capabilities::extension(&params.capabilities);
        let answer = capabilities::answer(&client, &extension);
        self.handle
            .tell(Outgoing::Configured(Box::new(client.clone())));
        let options = params.initialization_options.as_ref();
        self.handle.send(Event::Configured {
            client,
            folders: capabilities::folders(&params),
            settings: Box::new(self.settings(options.unwrap_or(&Value::Null))),
        });
        Ok(answer)
    }

    async fn initialized(&self, _: InitializedParams) {
        self.handle.send(Event::Ready);
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        // Clients that are asked for their settings send nothing here.
        if !params.settings.is_null() {
            let settings = self.settings(&params.settings);
            self.handle.send(Event::Settings(Box::new(settings)));
        }
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        let folders = |list: &[_]| list.iter().filter_map(capabilities::folder).collect();
        self.handle.send(Event::Folders {
            added: folders(&params.event.added),
            removed: folders(&params.event.removed),
        });
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        self.handle.send(Event::Opened {
            uri: document.uri.into(),
            version: document.version,
            text: document.text,
        });
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        let change = |change: TextDocumentContentChangeEvent| TextChange {
            range: change.range,
            text: change.text,
        };
        self.handle.send(Event::Changed {
            uri: params.text_document.uri.into(),
            version: params.text_document.version,
            changes: params.content_changes.into_iter().map(change).collect(),
        });
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.handle.send(Event::Closed {
            uri: params.text_document.uri.into(),
        });
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let at = params.text_document_position_params;
        let view = self.handle.view(at.text_document.uri.into()).await;
        Ok(view
            .and_then(|view| hover::at(&view, at.position))
            .map(convert::hover))
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let wanted = params.context.only.is_none_or(|only| {
            let ours = convert::action_kind();
            only.iter().any(|kind| {
                let kind = kind.as_str();
                ours.as_str() == kind || ours.as_str().starts_with(&format!("{kind}."))
            })
        });
        if !wanted {
            return Ok(None);
        }
        let view = self.handle.view(params.text_document.uri.into()).await;
        Ok(view.map(|view| convert::actions(&view, actions::at(&view, params.range))))
    }

    async fn symbol(
        &self,
        params: WorkspaceSymbolParams,
    ) -> Result<Option<Vec<SymbolInformation>>> {
        let found = symbols::search(&self.handle, &params.query).await;
        let found = found.map_err(error::answer)?;
        Ok(Some(
            found.into_iter().filter_map(convert::symbol).collect(),
        ))
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        let argument = params.arguments.into_iter().next().unwrap_or_default();
        commands::execute(&self.handle, &params.command, argument)
            .await
            .map(Some)
            .map_err(error::answer)
    }
}
