//! Where the paths of a call belong.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

use acp_grammar::js;
use foldhash::{HashMap, HashSet};

use crate::path::file_name;
use crate::profile::Context;

/// Where a path that an agent sent belongs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// In the workspace: relative to its root.
    Inside(Arc<str>),
    /// The agent names a file name only, and nothing says in which directory.
    Nameless(Arc<str>),
    /// Outside the workspace, as sent.
    Outside(Arc<str>),
}

impl Place {
    pub(super) fn inside(&self) -> Option<&Arc<str>> {
        match self {
            Self::Inside(path) => Some(path),
            Self::Nameless(_) | Self::Outside(_) => None,
        }
    }

    /// The other path lies below this one.
    pub(super) fn is_directory_of(&self, other: &Place) -> bool {
        let below = other.shown().strip_prefix(&**self.shown());
        below.is_some_and(|rest| rest.starts_with(['/', '\\']))
    }

    /// The path for people and for tables: relative to the root where it lies in it.
    pub(super) fn shown(&self) -> &Arc<str> {
        match self {
            Self::Inside(path) | Self::Nameless(path) | Self::Outside(path) => path,
        }
    }
}

/// Places the paths of one call.
pub(super) struct Resolver<'a> {
    context: &'a Context<'a>,
    /// The absolute paths that the call names, by their last segment; `None` where several have one
    /// name. A file name that stands for a path is completed by them. A relative path is no such
    /// help: where an agent sends one, a bare name is a path from the same place.
    full: HashMap<Box<str>, Option<Arc<str>>>,
    /// Bare names that are paths, since the agent asked for them or located them so.
    named: HashSet<String>,
    historical: bool,
    /// The first paths that were resolved: most calls name one file many times.
    resolved: RefCell<Vec<Resolved>>,
}

/// A path as sent, and as the workspace resolves it.
type Resolved = (Box<str>, Option<Arc<str>>);

/// How many resolved paths are kept at hand.
const MOST_RESOLVED: usize = 8;

impl<'a> Resolver<'a> {
    /// A resolver that knows all paths of the call: those of its inputs and locations, and those of
    /// its diffs and results, which may be file names only.
    pub(super) fn new<'s>(
        context: &'a Context<'a>,
        asked: impl Iterator<Item = &'s str>,
        told: impl Iterator<Item = &'s str>,
        historical: bool,
    ) -> Self {
        let mut resolver = Self {
            context,
            full: HashMap::default(),
            named: HashSet::default(),
            historical,
            resolved: RefCell::default(),
        };
        for path in asked {
            if is_bare(path) {
                resolver.named.insert(path.to_owned());
            } else {
                resolver.add_full(path);
            }
        }
        told.for_each(|path| resolver.add_full(path));
        resolver
    }

    fn add_full(&mut self, path: &str) {
        let path = plain_path(path);
        if !is_absolute(&path) {
            return;
        }
        let Some(path) = self.resolve(&path) else {
            return;
        };
        match self.full.get_mut(file_name(&path)) {
            Some(Some(known)) if *known == path => {}
            Some(known) => *known = None,
            None => {
                self.full.insert(file_name(&path).into(), Some(path));
            }
        }
    }

    fn resolve(&self, path: &str) -> Option<Arc<str>> {
        let mut resolved = self.resolved.borrow_mut();
        if let Some((_, place)) = resolved.iter().find(|(sent, _)| **sent == *path) {
            return place.clone();
        }
        let place = self.context.workspace.resolve(path);
        if resolved.len() < MOST_RESOLVED {
            resolved.push((path.into(), place.clone()));
        }
        place
    }

    /// Where a path belongs. `None` for a blank path and for the workspace root itself.
    pub(super) fn place(&self, sent: &str) -> Option<Place> {
        if js::is_blank(sent) {
            return None;
        }
        if let Some(place) = is_bare(sent).then(|| self.place_name(sent)).flatten() {
            return Some(place);
        }
        let path = plain_path(sent);
        if is_home(&path) {
            return Some(Place::Outside(sent.into()));
        }
        match self.resolve(&path) {
            Some(path) => Some(Place::Inside(path)),
            None if self.is_root(&path) => None,
            None => Some(Place::Outside(sent.into())),
        }
    }

    /// A bare name, where it is not simply a path: the one path of the call that ends in it; in a
    /// replay, the one path of the session.
    fn place_name(&self, name: &str) -> Option<Place> {
        if self.named.contains(name) {
            return None;
        }
        if let Some(Some(path)) = self.full.get(name) {
            return Some(Place::Inside(Arc::clone(path)));
        }
        if !self.historical {
            return None;
        }
        Some(match self.context.known_paths.unique_path_named(name) {
            Some(path) => Place::Inside(Arc::clone(path)),
            None => Place::Nameless(name.into()),
        })
    }

    fn is_root(&self, path: &str) -> bool {
        let trimmed = |path: &str| path.trim_end_matches(['/', '\\']).len();
        let root = self.context.workspace.root();
        path == "." || path.get(..trimmed(path)) == root.get(..trimmed(root))
    }
}

fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\']) || path.as_bytes().get(1) == Some(&b':')
}

fn is_bare(path: &str) -> bool {
    !path.contains(['/', '\\'])
}

fn is_home(path: &str) -> bool {
    path == "~" || path.starts_with("~/") || path.starts_with("~\\")
}

/// A path from a path or a `file:` URI.
fn plain_path(sent: &str) -> Cow<'_, str> {
    let Some(rest) = sent.strip_prefix("file://") else {
        return Cow::Borrowed(sent);
    };
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    // `file:///C:/a` names the drive behind the slash.
    let drive = path.as_bytes().get(2) == Some(&b':');
    let path = if drive {
        path.trim_start_matches('/')
    } else {
        path
    };
    percent_decoded(path)
}

fn percent_decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        let byte = after
            .get(..2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(b'%'));
        rest = if byte.is_some() {
            after.get(2..).unwrap_or("")
        } else {
            after
        };
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::plain_path;

    #[test]
    fn uris_are_paths() {
        assert_eq!(plain_path("file:///w/a%20b.txt"), "/w/a b.txt");
        assert_eq!(plain_path("file:///C:/w/a"), "C:/w/a");
        assert_eq!(plain_path("/w/100%"), "/w/100%");
        assert_eq!(
            plain_path("file:///w/%zz%e4"),
            "file:///w/%zz%e4".trim_start_matches("file://")
        );
    }
}
