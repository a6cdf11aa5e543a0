//! What features give, as LSP has it.

use serde_json::{Value, json};
use tower_lsp::lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, Command, Diagnostic, DiagnosticSeverity,
    Hover, HoverContents, Location, MarkupContent, MarkupKind, Range, SymbolInformation,
    SymbolKind, Url,
};

use crate::features::actions::{Offer, Offered};
use crate::features::lenses::Does;
use crate::features::symbols::Symbol;
use crate::session::view::{Seen, View};

/// The name of the command that does it.
pub(super) fn command(does: Does) -> &'static str {
    match does {
        Does::ShowChanges => "acpLens.showChanges",
        Does::ShowDiff => "acpLens.showDiff",
        Does::Next => "acpLens.nextChange",
        Does::Previous => "acpLens.previousChange",
    }
}

/// The argument of a command: which hunk of which version of which document.
fn argument(view: &View, seen: Seen<'_>) -> Value {
    json!({"hunk": &**seen.id, "uri": &*view.uri, "version": view.version})
}

/// Code actions; they only carry commands, since nothing here edits.
pub(super) fn actions(view: &View, offered: Vec<Offered<'_>>) -> Vec<CodeActionOrCommand> {
    let convert = |offer: Offered<'_>| {
        let name = match offer.does {
            Offer::Lens(does) => command(does),
            Offer::CopyOldText => "acpLens.copyOldText",
        };
        CodeActionOrCommand::CodeAction(CodeAction {
            title: offer.title.clone(),
            kind: Some(action_kind()),
            command: Some(Command {
                title: offer.title,
                command: name.to_owned(),
                arguments: Some(vec![argument(view, offer.hunk)]),
            }),
            ..CodeAction::default()
        })
    };
    offered.into_iter().map(convert).collect()
}

/// The kind of all actions. A client that asks for `source` gets them too.
pub(super) fn action_kind() -> CodeActionKind {
    CodeActionKind::new("source.acpLens")
}

/// A hover in Markdown.
pub(super) fn hover((text, range): (String, Range)) -> Hover {
    Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: MarkupKind::Markdown,
            value: text,
        }),
        range: Some(range),
    }
}

/// A symbol; `None` for a uri that the protocol crate cannot write.
#[expect(
    deprecated,
    reason = "the structure has a deprecated member that must be named"
)]
pub(super) fn symbol(symbol: Symbol) -> Option<SymbolInformation> {
    Some(SymbolInformation {
        name: symbol.name,
        kind: if symbol.is_file {
            SymbolKind::FILE
        } else {
            SymbolKind::EVENT
        },
        tags: None,
        deprecated: None,
        location: Location::new(Url::parse(&symbol.uri).ok()?, symbol.range),
        container_name: symbol.container,
    })
}

/// One hint diagnostic.
pub(super) fn hint((range, message): (Range, String)) -> Diagnostic {
    Diagnostic {
        range,
        severity: Some(DiagnosticSeverity::HINT),
        source: Some("acp-lens".to_owned()),
        message: format!("agent, {message}"),
        ..Diagnostic::default()
    }
}
