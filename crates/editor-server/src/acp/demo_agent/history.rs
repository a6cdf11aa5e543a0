//! The sessions of the demo agent, kept so that `session/load` can replay them.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agent_client_protocol::v1::schema::{ContentBlock, ContentChunk, SessionUpdate};
use serde::{Deserialize, Serialize};

/// The first line of a session's file; the updates follow, one a line.
#[derive(Serialize, Deserialize)]
struct Head {
    cwd: PathBuf,
}

/// One session.
pub(super) struct History {
    cwd: PathBuf,
    updates: Vec<SessionUpdate>,
    prompts: usize,
    cancelled: Arc<AtomicBool>,
}

/// A turn that was begun.
pub(super) struct Begun {
    /// The session.
    pub(super) session: Arc<str>,
    /// Its working directory.
    pub(super) cwd: PathBuf,
    /// Which prompt of the session this is, from 0.
    pub(super) prompt: usize,
    /// Becomes true when the client cancels the turn.
    pub(super) cancelled: Arc<AtomicBool>,
}

/// All sessions of the process.
pub(super) struct Sessions {
    state_dir: Option<PathBuf>,
    by_id: BTreeMap<Arc<str>, History>,
}

impl Sessions {
    /// The sessions that `state_dir` holds, or none.
    pub(super) fn open(state_dir: Option<PathBuf>) -> Self {
        Self {
            state_dir,
            by_id: BTreeMap::new(),
        }
    }

    /// A new session and its id.
    pub(super) fn create(&mut self, cwd: PathBuf) -> io::Result<Arc<str>> {
        if let Some(dir) = &self.state_dir {
            fs::create_dir_all(dir)?;
        }
        let head = serde_json::to_string(&Head { cwd: cwd.clone() })? + "\n";
        let mut n = 0;
        let id: Arc<str> = loop {
            n += 1;
            let id = format!("demo-{n}");
            if !self.by_id.contains_key(id.as_str()) && self.store(&id, &head)? {
                break id.into();
            }
        };
        let history = History {
            cwd,
            updates: Vec::new(),
            prompts: 0,
            cancelled: Arc::default(),
        };
        self.by_id.insert(Arc::clone(&id), history);
        Ok(id)
    }

    /// Makes the file of a new session; false when another process has one of that name.
    fn store(&self, id: &str, head: &str) -> io::Result<bool> {
        let Some(path) = self.file(id) else {
            return Ok(true);
        };
        match fs::File::create_new(path) {
            Ok(mut file) => file.write_all(head.as_bytes()).map(|()| true),
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(why) => Err(why),
        }
    }

    /// Id, working directory and title of every session.
    pub(super) fn list(&mut self) -> Vec<(Arc<str>, PathBuf, Option<String>)> {
        for id in self.stored_ids() {
            self.recall(&id);
        }
        self.by_id
            .iter()
            .map(|(id, history)| (Arc::clone(id), history.cwd.clone(), history.title()))
            .collect()
    }

    /// The updates of a session, to be replayed; `None` for an unknown one.
    pub(super) fn load(&mut self, id: &str, cwd: PathBuf) -> Option<Vec<SessionUpdate>> {
        self.recall(id);
        let history = self.by_id.get_mut(id)?;
        history.cwd = cwd;
        Some(history.updates.clone())
    }

    /// Takes a prompt of a session; `None` for an unknown one.
    pub(super) fn begin_turn(&mut self, id: &str, text: &str) -> Option<Begun> {
        let (id, history) = self.by_id.get_key_value(id)?;
        let begun = Begun {
            session: Arc::clone(id),
            cwd: history.cwd.clone(),
            prompt: history.prompts,
            cancelled: Arc::clone(&history.cancelled),
        };
        begun.cancelled.store(false, Ordering::Relaxed);
        let said = ContentChunk::new(ContentBlock::from(text));
        self.remember(&begun.session, SessionUpdate::UserMessageChunk(said));
        Some(begun)
    }

    /// Asks the running turn of a session to end.
    pub(super) fn cancel(&mut self, id: &str) {
        if let Some(history) = self.by_id.get(id) {
            history.cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Keeps an update for later replays.
    pub(super) fn remember(&mut self, id: &str, update: SessionUpdate) {
        if let Some(path) = self.file(id)
            && let Err(why) = append(&path, &update)
        {
            tracing::warn!(%why, "the session can no longer be loaded by another process");
        }
        if let Some(history) = self.by_id.get_mut(id) {
            history.push(update);
        }
    }

    fn file(&self, id: &str) -> Option<PathBuf> {
        let plain = id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let dir = self.state_dir.as_ref()?;
        plain.then(|| dir.join(format!("{id}.ndjson")))
    }

    fn stored_ids(&self) -> Vec<String> {
        let Some(dir) = &self.state_dir else {
            return Vec::new();
        };
        fs::read_dir(dir)
            .into_iter()
            .flatten()
            .filter_map(|entry| {
                let name = entry.ok()?.file_name().into_string().ok()?;
                Some(name.strip_suffix(".ndjson")?.to_owned())
            })
            .collect()
    }

    /// Reads a stored session into memory, once.
    fn recall(&mut self, id: &str) {
        if self.by_id.contains_key(id) {
            return;
        }
        let Some(text) = self.file(id).and_then(|path| fs::read_to_string(path).ok()) else {
            return;
        };
        let mut lines = text.lines();
        let Some(head) = lines
            .next()
            .and_then(|line| serde_json::from_str::<Head>(line).ok())
        else {
            return;
        };
        let mut history = History {
            cwd: head.cwd,
            updates: Vec::new(),
            prompts: 0,
            cancelled: Arc::default(),
        };
        for line in lines {
            if let Ok(update) = serde_json::from_str(line) {
                history.push(update);
            }
        }
        self.by_id.insert(id.into(), history);
    }
}

impl History {
    fn push(&mut self, update: SessionUpdate) {
        self.prompts += usize::from(matches!(update, SessionUpdate::UserMessageChunk(_)));
        self.updates.push(update);
    }

    /// The first words that the user said.
    fn title(&self) -> Option<String> {
        self.updates.iter().find_map(|update| match update {
            SessionUpdate::UserMessageChunk(ContentChunk {
                content: ContentBlock::Text(text),
                ..
            }) => text.text.lines().next().map(str::to_owned),
            _ => None,
        })
    }
}

fn append(path: &Path, update: &SessionUpdate) -> io::Result<()> {
    let mut line = serde_json::to_vec(update)?;
    line.push(b'\n');
    fs::OpenOptions::new()
        .append(true)
        .open(path)?
        .write_all(&line)
}
