//! What features give, as LSP has it.

use serde_json::{Value, json};
use tower_lsp::lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeLens, Command, Diagnostic,
    DiagnosticSeverity, Hover, HoverContents, Location, MarkupContent, MarkupKind, Position, Range,
    SymbolInformation, SymbolKind, Url,
};

use crate::features::actions::{Offer, Offered};
use crate::features::lenses::{Does, Lens};
use crate::features::symbols::Symbol;
use crate::session::view::{Seen, View};

/// Lenses with their commands; nothing is left to be resolved.
pub(super) fn lenses(view: &View, lenses: Vec<Lens<'_>>) -> Vec<CodeLens> {
    let convert = |lens: Lens<'_>| {
        let at = Position::new(lens.line, 0);
        CodeLens {
            range: Range::new(at, at),
            command: Some(Command {
                title: lens.title.into_owned(),
                command: command(lens.does).to_owned(),
                arguments: Some(vec![argument(view, lens.does, lens.hunk)]),
            }),
            data: None,
        }
    };
    lenses.into_iter().map(convert).collect()
}

fn command(does: Does) -> &'static str {
    match does {
        Does::ShowChanges => "acpLens.showChanges",
        Does::ShowDiff => "acpLens.showDiff",
        Does::Next => "acpLens.nextChange",
        Does::Previous => "acpLens.previousChange",
    }
}

/// The argument of a command: which hunk of which version of which document.
fn argument(view: &View, does: Does, hunk: Option<Seen<'_>>) -> Value {
    let uri = &*view.uri;
    let Some(seen) = hunk else {
        return json!({"uri": uri, "version": view.version});
    };
    if does == Does::ShowChanges {
        return json!({
            "session": &*seen.part.session,
            "turn": &*seen.owner.activity.turn_id,
            "uri": uri,
            "hunk": &**seen.id,
            "version": view.version,
        });
    }
    json!({"hunk": &**seen.id, "uri": uri, "version": view.version})
}

/// Code actions; they only carry commands, since nothing here edits.
pub(super) fn actions(view: &View, offered: Vec<Offered<'_>>) -> Vec<CodeActionOrCommand> {
    let convert = |offer: Offered<'_>| {
        let (name, does) = match offer.does {
            Offer::Lens(does) => (command(does), does),
            Offer::CopyOldText => ("acpLens.copyOldText", Does::ShowDiff),
        };
        CodeActionOrCommand::CodeAction(CodeAction {
            title: offer.title.clone(),
            kind: Some(action_kind()),
            command: Some(Command {
                title: offer.title,
                command: name.to_owned(),
                arguments: Some(vec![argument(view, does, Some(offer.hunk))]),
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
