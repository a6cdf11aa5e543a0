//! All that the server knows, and the questions that can be asked of it. Only the actor changes it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::document::{Document, Placed};
use super::entry::Entry;
use super::files::{FileId, Files};
use super::location::Location;
use super::on_disk::PlacedFiles;
use super::settings::Settings;
use super::sources::{Part, Rows, SessionKey, Sources};
use super::view::View;
use crate::lsp::position::Encoding;

/// What the client can do.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a capability of LSP, and they are independent"
)]
pub(crate) struct Client {
    pub(crate) encoding: Encoding,
    /// It refreshes lenses when asked to.
    pub(crate) refreshes_lenses: bool,
    /// It shows a document when asked to.
    pub(crate) shows_documents: bool,
    /// It shows the progress of long work.
    pub(crate) shows_progress: bool,
    /// It wants the notifications under `acpLens/`.
    pub(crate) wants_notifications: bool,
    /// It answers permission questions.
    pub(crate) answers_permissions: bool,
    /// It has the commands itself, and shows what they give.
    pub(crate) has_commands: bool,
}

/// A workspace folder of the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Folder {
    pub(crate) uri: String,
    pub(crate) location: Location,
}

/// The state of the server.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) client: Client,
    pub(crate) settings: Settings,
    pub(crate) folders: Vec<Folder>,
    /// Grows with every change of sessions.
    pub(crate) revision: u64,
    /// The sessions, in the order in which they became known.
    pub(crate) sessions: Vec<Entry>,
    /// The open documents, by their uri as the client writes it.
    pub(crate) documents: BTreeMap<Arc<str>, Document>,
    pub(crate) files: Files,
    /// Hunks of files that are not open, as they were when somebody asked last.
    pub(crate) on_disk: PlacedFiles,
    /// Sessions whose timeline the client wants.
    pub(crate) subscribed: BTreeSet<SessionKey>,
    /// Traces that are being read.
    pub(crate) loading: usize,
    sources: HashMap<FileId, Arc<Sources>>,
}

impl State {
    pub(crate) fn session(&self, key: &str) -> Option<&Entry> {
        self.sessions.iter().find(|entry| &*entry.key == key)
    }

    pub(crate) fn session_mut(&mut self, key: &str) -> Option<&mut Entry> {
        self.sessions.iter_mut().find(|entry| &*entry.key == key)
    }

    /// The open document that a uri names, however it is written.
    pub(crate) fn document(&self, uri: &str) -> Option<&Document> {
        if let Some(document) = self.documents.get(uri) {
            return Some(document);
        }
        let file = self.files.find(&Location::from_uri(uri)?)?;
        self.open(file)
    }

    /// The open document of a file.
    pub(crate) fn open(&self, file: FileId) -> Option<&Document> {
        self.documents
            .values()
            .find(|document| document.file == Some(file))
    }

    /// The text of an open document, if it has changes that its file does not have. `on_disk` is
    /// what the file has now.
    pub(crate) fn unsaved(&mut self, location: &Location, on_disk: Option<&str>) -> Option<String> {
        let document = self.open_at(location)?;
        if let Some(on_disk) = on_disk {
            document.file_texts.remember(on_disk);
        }
        let text = document.text.to_string();
        (!document.file_texts.had(&text)).then_some(text)
    }

    /// An agent wrote a file. What is open of it is older than the file from now on, until it
    /// changes: an agent that reads what it wrote has to find it, or it undoes its own work.
    pub(crate) fn written(&mut self, location: &Location, before: Option<&str>, after: &str) {
        let Some(document) = self.open_at(location) else {
            return;
        };
        let open = document.text.to_string();
        for text in before.into_iter().chain([open.as_str(), after]) {
            document.file_texts.remember(text);
        }
    }

    fn open_at(&mut self, location: &Location) -> Option<&mut Document> {
        let uri = Arc::clone(&self.open(self.files.find(location)?)?.uri);
        self.documents.get_mut(&uri)
    }

    /// Whether any session touches the file.
    pub(crate) fn is_touched(&self, file: FileId) -> bool {
        !self.files.mentions(file).is_empty()
    }

    /// Every touched file, in the order of first activity, session by session.
    pub(crate) fn touched(&self) -> Vec<FileId> {
        let mut seen = BTreeSet::new();
        let mut touched = Vec::new();
        for entry in &self.sessions {
            let Some(root) = entry.root() else { continue };
            for path in entry.session.paths() {
                let location = Location::beneath(root, &path);
                let file = location.and_then(|location| self.files.find(&location));
                touched.extend(file.filter(|file| seen.insert(*file)));
            }
        }
        touched
    }

    /// What the sessions say about a file; kept until one of them says more.
    pub(crate) fn sources(&mut self, file: FileId) -> Arc<Sources> {
        if let Some(sources) = self.sources.get(&file) {
            return Arc::clone(sources);
        }
        let sources = Arc::new(self.gather(file));
        self.sources.insert(file, Arc::clone(&sources));
        sources
    }

    /// The sessions said more about a file.
    pub(crate) fn forget_sources(&mut self, file: FileId) {
        self.sources.remove(&file);
    }

    /// The sessions changed altogether.
    pub(crate) fn forget_all_sources(&mut self) {
        self.sources.clear();
    }

    fn gather(&self, file: FileId) -> Sources {
        let mut parts = Vec::new();
        let mut activities = Vec::new();
        for (key, path) in self.files.mentions(file) {
            let Some(entry) = self.session(key) else {
                continue;
            };
            let Some(group) = entry.session.file(path) else {
                continue;
            };
            let turns = group.changes.iter().map(|it| Arc::clone(&it.turn_id));
            let index = parts.len();
            parts.push(Part {
                session: Arc::clone(key),
                session_id: Arc::clone(&entry.session_id),
                agent: entry.agent_name(),
                title: entry.title(),
                relative_path: Arc::clone(path),
                rows: Rows::new(&entry.session).of_path(path, turns),
            });
            for activity in group.activities {
                activities.push((entry.arrival(&activity), index, activity));
            }
        }
        activities.sort_by_key(|(arrival, part, activity)| (*arrival, *part, activity.sequence));
        Sources {
            parts,
            activities: activities
                .into_iter()
                .map(|(_, part, activity)| (part, activity))
                .collect(),
        }
    }

    /// A snapshot of an open document, if its hunks are known.
    pub(crate) fn view(&self, document: &Document) -> Option<View> {
        let placed = document.placed.clone().or_else(|| {
            let touched = document.file.is_some_and(|it| self.is_touched(it));
            (!touched).then(|| Placed::nothing(Arc::default(), None))
        })?;
        Some(View {
            uri: Arc::clone(&document.uri),
            version: Some(document.version),
            revision: self.revision,
            text: document.text.clone(),
            placed,
            encoding: self.client.encoding,
            code_lens: self.settings.code_lens,
        })
    }
}
