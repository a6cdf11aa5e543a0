//! What the client can do, and what the server offers it.

use tower_lsp::lsp_types::{
    ClientCapabilities, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions,
    ExecuteCommandOptions, HoverProviderCapability, InitializeParams, InitializeResult, OneOf,
    ServerCapabilities, ServerInfo, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, WorkspaceFolder, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};

use super::convert::action_kind;
use super::ext::{ClientExtension, PROTOCOL_VERSION, ServerExtension};
use super::position::Encoding;
use crate::features::commands::COMMANDS;
use crate::session::location::Location;
use crate::session::state::{Client, Folder};

/// What the client says about itself under `experimental.acpLens`.
pub(super) fn extension(capabilities: &ClientCapabilities) -> ClientExtension {
    let experimental = capabilities.experimental.as_ref();
    let member = experimental.and_then(|it| it.get("acpLens")).cloned();
    member
        .and_then(|value| serde_json::from_value(value).ok())
        .unwrap_or_default()
}

/// What the client can do.
pub(super) fn client(capabilities: &ClientCapabilities) -> Client {
    let extension = extension(capabilities);
    let general = capabilities.general.as_ref();
    let workspace = capabilities.workspace.as_ref();
    let window = capabilities.window.as_ref();
    Client {
        encoding: Encoding::negotiate(general.and_then(|it| it.position_encodings.as_deref())),
        refreshes_lenses: workspace
            .and_then(|it| it.code_lens.as_ref())
            .and_then(|it| it.refresh_support)
            .unwrap_or_default(),
        shows_documents: window
            .and_then(|it| it.show_document.as_ref())
            .is_some_and(|it| it.support),
        shows_progress: window
            .and_then(|it| it.work_done_progress)
            .unwrap_or_default(),
        wants_notifications: extension.notifications,
        answers_permissions: extension.request_permission,
        has_commands: extension.commands,
    }
}

/// The folders of the workspace; a client of old names one root.
pub(super) fn folders(params: &InitializeParams) -> Vec<Folder> {
    let root = params.root_uri.as_ref();
    match &params.workspace_folders {
        Some(folders) => folders.iter().filter_map(folder).collect(),
        None => root
            .into_iter()
            .filter_map(|uri| at(uri.as_str()))
            .collect(),
    }
}

/// A folder; `None` when it is not in the file system.
pub(super) fn folder(folder: &WorkspaceFolder) -> Option<Folder> {
    at(folder.uri.as_str())
}

fn at(uri: &str) -> Option<Folder> {
    Some(Folder {
        uri: uri.to_owned(),
        location: Location::from_uri(uri)?,
    })
}

/// The answer to `initialize`.
pub(super) fn answer(client: &Client, extension: &ClientExtension) -> InitializeResult {
    let ours = ServerExtension {
        version: PROTOCOL_VERSION,
        server_version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    // A client that registers the commands itself would register them twice.
    let commands: &[&str] = if extension.commands { &[] } else { &COMMANDS };
    InitializeResult {
        server_info: Some(ServerInfo {
            name: "acp-lens".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
        capabilities: ServerCapabilities {
            position_encoding: Some(client.encoding.kind()),
            text_document_sync: Some(TextDocumentSyncCapability::Options(
                TextDocumentSyncOptions {
                    open_close: Some(true),
                    change: Some(TextDocumentSyncKind::INCREMENTAL),
                    ..TextDocumentSyncOptions::default()
                },
            )),
            code_lens_provider: Some(CodeLensOptions {
                resolve_provider: Some(false),
            }),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
                code_action_kinds: Some(vec![action_kind()]),
                ..CodeActionOptions::default()
            })),
            workspace_symbol_provider: Some(OneOf::Left(true)),
            execute_command_provider: Some(ExecuteCommandOptions {
                commands: commands.iter().map(|&name| name.to_owned()).collect(),
                ..ExecuteCommandOptions::default()
            }),
            workspace: Some(WorkspaceServerCapabilities {
                workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                    supported: Some(true),
                    change_notifications: Some(OneOf::Left(true)),
                }),
                ..WorkspaceServerCapabilities::default()
            }),
            experimental: Some(serde_json::json!({ "acpLens": ours })),
            ..ServerCapabilities::default()
        },
    }
}
