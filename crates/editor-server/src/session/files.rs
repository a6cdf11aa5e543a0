//! Which files the sessions and the documents are about, each once however it is named.

use std::collections::HashMap;

use super::location::{Identity, Key, Location};
use super::sources::SessionKey;

/// A file, for the life of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FileId(usize);

/// The files that are known.
#[derive(Debug, Default)]
pub(crate) struct Files {
    entries: Vec<Entry>,
    keys: HashMap<Key, FileId>,
    identities: HashMap<Identity, FileId>,
}

#[derive(Debug)]
struct Entry {
    location: Location,
    /// The sessions that touch it and how they name it, in the order in which they began to.
    mentions: Vec<(SessionKey, std::sync::Arc<str>)>,
}

impl Files {
    /// The file at a location, if it is known.
    pub(crate) fn find(&self, location: &Location) -> Option<FileId> {
        self.keys.get(&location.key()).copied()
    }

    /// The file that a name leads to, if another name is known to lead there.
    pub(crate) fn find_identity(&self, identity: &Identity) -> Option<FileId> {
        self.identities.get(identity).copied()
    }

    /// The file at a location; the second part is true when it is a new name, which may turn out
    /// to be another name of a known file.
    pub(crate) fn intern(&mut self, location: &Location) -> (FileId, bool) {
        let key = location.key();
        if let Some(&id) = self.keys.get(&key) {
            return (id, false);
        }
        let id = FileId(self.entries.len());
        self.entries.push(Entry {
            location: location.clone(),
            mentions: Vec::new(),
        });
        self.keys.insert(key, id);
        (id, true)
    }

    /// Learns what a name leads to. When another name is known to lead there too, both are one
    /// file from now on, and the id that no longer counts and the one that does are the answer.
    pub(crate) fn identified(
        &mut self,
        location: &Location,
        identity: Identity,
    ) -> Option<(FileId, FileId)> {
        let id = *self.keys.get(&location.key())?;
        let known = *self.identities.entry(identity).or_insert(id);
        if known == id {
            return None;
        }
        for name in self.keys.values_mut().filter(|name| **name == id) {
            *name = known;
        }
        for name in self.identities.values_mut().filter(|name| **name == id) {
            *name = known;
        }
        let mentions = std::mem::take(&mut self.entries[id.0].mentions);
        for (session, path) in mentions {
            self.mention(known, &session, &path);
        }
        Some((id, known))
    }

    /// Notes that a session touches a file.
    pub(crate) fn mention(&mut self, id: FileId, session: &SessionKey, path: &std::sync::Arc<str>) {
        let mentions = &mut self.entries[id.0].mentions;
        if !mentions
            .iter()
            .any(|(known, name)| known == session && name == path)
        {
            mentions.push((session.clone(), path.clone()));
        }
    }

    /// The files that a session touches.
    pub(crate) fn of_session(&self, session: &SessionKey) -> Vec<FileId> {
        let entries = (0..).map(FileId).zip(&self.entries);
        let touched =
            entries.filter(|(_, entry)| entry.mentions.iter().any(|(it, _)| it == session));
        touched.map(|(id, _)| id).collect()
    }

    /// Forgets what a session touched.
    pub(crate) fn forget(&mut self, session: &SessionKey) {
        for entry in &mut self.entries {
            entry.mentions.retain(|(known, _)| known != session);
        }
    }

    /// The sessions that touch a file and how they name it.
    pub(crate) fn mentions(&self, id: FileId) -> &[(SessionKey, std::sync::Arc<str>)] {
        &self.entries[id.0].mentions
    }

    /// The file as it was named first.
    pub(crate) fn location(&self, id: FileId) -> &Location {
        &self.entries[id.0].location
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str) -> Location {
        Location::from_path(path).unwrap()
    }

    #[test]
    fn spellings_share_an_entry_and_links_are_joined_when_they_are_known() {
        let mut files = Files::default();
        let (real, new) = files.intern(&at("/w/real/a"));
        assert!(new);
        assert_eq!(files.intern(&at("/w//real/a")), (real, false));
        let (link, _) = files.intern(&at("/w/link/a"));
        files.mention(link, &"s".into(), &"link/a".into());
        let root = std::env::temp_dir();
        let identity = super::super::location::identify(&at(root.to_str().unwrap())).unwrap();
        let there = identity.clone();
        assert_eq!(files.identified(&at("/w/real/a"), identity.clone()), None);
        assert_eq!(
            files.identified(&at("/w/link/a"), identity),
            Some((link, real))
        );
        assert_eq!(files.find(&at("/w/link/a")), Some(real));
        assert_eq!(files.find_identity(&there), Some(real));
        assert_eq!(files.mentions(real).len(), 1);
        files.forget(&"s".into());
        assert_eq!(files.mentions(real), []);
    }
}
