//! `workspace/symbol`: changed files and hunks, a picker for any editor.

use super::closed::all_views;
use super::failure::Failure;
use super::lenses::hunk_title;
use crate::lsp::position::Range;
use crate::session::handle::Handle;
use crate::session::view::View;

/// At most this many symbols are given; a picker with more helps nobody.
const MAX_SYMBOLS: usize = 2000;

/// A changed file or a hunk in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Symbol {
    pub(crate) name: String,
    pub(crate) is_file: bool,
    pub(crate) uri: String,
    pub(crate) range: Range,
    /// For a hunk: its file.
    pub(crate) container: Option<String>,
}

/// The symbols for a query: all for an empty one or `agent`; words after `agent` have to occur.
/// Other queries are for other servers.
pub(crate) async fn search(handle: &Handle, query: &str) -> Result<Vec<Symbol>, Failure> {
    let Some(words) = words(query) else {
        return Ok(Vec::new());
    };
    let mut symbols = Vec::new();
    for view in all_views(handle).await? {
        symbols.extend(
            of(&view)
                .into_iter()
                .filter(|symbol| matches(symbol, &words)),
        );
    }
    symbols.truncate(MAX_SYMBOLS);
    Ok(symbols)
}

fn words(query: &str) -> Option<Vec<String>> {
    let query = query.trim().to_lowercase();
    if query.is_empty() {
        return Some(Vec::new());
    }
    let rest = query.strip_prefix("agent")?;
    let is_word = rest
        .chars()
        .next()
        .is_none_or(|next| !next.is_alphanumeric());
    is_word.then(|| {
        rest.split(|c: char| c.is_whitespace() || c == ':')
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    })
}

fn matches(symbol: &Symbol, words: &[String]) -> bool {
    let container = symbol.container.as_deref().unwrap_or_default();
    let text = format!("{} {container}", symbol.name).to_lowercase();
    words.iter().all(|word| text.contains(word))
}

fn of(view: &View) -> Vec<Symbol> {
    let Some(part) = view.sources().parts.first() else {
        return Vec::new();
    };
    let path = part.relative_path.to_string();
    let counts = view.placed.facts.totals.counts;
    let counts = counts.map(|it| format!(" +{} -{}", it.added, it.removed));
    let mut symbols = vec![Symbol {
        name: format!("agent: {path}{}", counts.unwrap_or_default()),
        is_file: true,
        uri: view.uri.to_string(),
        range: Range::default(),
        container: None,
    }];
    symbols.extend(view.shown().into_iter().map(|(seen, span)| {
        let text = [seen.new_text(), seen.old_text()].concat();
        let first = text
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty())
            .unwrap_or_default();
        let snippet: String = first.chars().take(60).collect();
        Symbol {
            name: format!("agent: {} {snippet}", hunk_title(seen, true)),
            is_file: false,
            uri: view.uri.to_string(),
            range: view.range(span),
            container: Some(path.clone()),
        }
    }));
    symbols
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_without_the_prefix_are_for_others() {
        let words = |query| words(query).map(|words| words.join("|"));
        assert_eq!(words("").as_deref(), Some(""));
        assert_eq!(words("agent").as_deref(), Some(""));
        assert_eq!(words(" Agent: Src turn ").as_deref(), Some("src|turn"));
        assert_eq!(words("agents"), None);
        assert_eq!(words("main"), None);
    }
}
