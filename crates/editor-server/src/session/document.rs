//! An open document: its text, and its hunks as far as they are known.

use std::collections::HashMap;
use std::sync::Arc;

use activity_core::marks::{Edit, LineText as _, Marks};
use activity_core::placing::{Hunk, Limits, Placement, State, place};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::files::FileId;
use super::location::Location;
use super::sources::{Owner, Sources, Totals};
use super::text::Text;
use super::unsaved::FileTexts;
use super::view::View;
use crate::lsp::position::{Encoding, Range, to_bytes};

/// A change of the text as the client sends it.
#[derive(Debug, Clone)]
pub(crate) struct TextChange {
    /// What is replaced; `None` means everything.
    pub(crate) range: Option<Range>,
    /// By what.
    pub(crate) text: String,
}

/// An open document.
#[derive(Debug)]
pub(crate) struct Document {
    /// The uri as the client wrote it.
    pub(crate) uri: Arc<str>,
    /// The file, where the uri names one.
    pub(crate) location: Option<Location>,
    /// The file as the server knows it, where the uri names one.
    pub(crate) file: Option<FileId>,
    /// The client's version.
    pub(crate) version: i32,
    /// The text of that version.
    pub(crate) text: Text,
    /// The texts that the file is known to have had.
    pub(crate) file_texts: FileTexts,
    /// The last placing, moved with the edits since; `None` before the first one.
    pub(crate) placed: Option<Placed>,
    /// The placing that runs, if one does.
    pub(crate) job: Option<Running>,
    /// When to place the hunks afresh, if that is wanted.
    pub(crate) due: Option<Instant>,
    /// Grows with every placing that was taken.
    pub(crate) placings: u64,
    /// Who waits for the first placing.
    pub(crate) waiting: Vec<oneshot::Sender<View>>,
}

/// A placing that runs elsewhere, and what happened to the text meanwhile.
#[derive(Debug)]
pub(crate) struct Running {
    /// Tells this placing from another one of a document with the same uri.
    pub(crate) id: u64,
    edits: Vec<Edit>,
    /// The text or the sessions changed in a way that the result cannot follow.
    void: bool,
}

impl Running {
    pub(crate) fn new(id: u64) -> Self {
        Self {
            id,
            edits: Vec::new(),
            void: false,
        }
    }
}

/// The hunks of a file in a text.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    /// The hunks, in the order of their fragments.
    pub(crate) marks: Arc<Marks>,
    /// What the placing knew; the same for every text that the marks were moved to.
    pub(crate) facts: Arc<Facts>,
}

/// What does not change when hunks move.
#[derive(Debug)]
pub(crate) struct Facts {
    /// What the sessions say.
    pub(crate) sources: Arc<Sources>,
    /// The owner of each fragment.
    pub(crate) owners: Vec<Owner>,
    /// The id of each hunk.
    pub(crate) ids: Vec<Arc<str>>,
    /// What the activities add up to.
    pub(crate) totals: Totals,
    /// Why nothing was placed, if nothing was.
    pub(crate) limit: Option<String>,
    /// The hunks that each fragment took the place of, by their index.
    replaced: HashMap<usize, Vec<usize>>,
}

impl Facts {
    fn new(sources: Arc<Sources>, hunks: &[Hunk], limit: Option<String>) -> Self {
        let owners = sources.owners();
        let id = |hunk: &Hunk| {
            let owner = owners.get(hunk.fragment)?;
            Some(sources.hunk_id(owner, hunk))
        };
        let ids = hunks.iter().map(|hunk| id(hunk).unwrap_or_default());
        let ids = ids.collect();
        let mut replaced: HashMap<usize, Vec<usize>> = HashMap::new();
        for (index, hunk) in hunks.iter().enumerate() {
            if let (State::Replaced, Some(by)) = (hunk.state, hunk.replaced_by) {
                replaced.entry(by).or_default().push(index);
            }
        }
        Self {
            totals: sources.totals(),
            owners,
            sources,
            ids,
            limit,
            replaced,
        }
    }

    /// The hunks that a fragment took the place of, by their index.
    pub(crate) fn replaced_by(&self, fragment: usize) -> &[usize] {
        self.replaced.get(&fragment).map_or(&[], Vec::as_slice)
    }
}

impl Placed {
    /// Nothing is placed, for a reason.
    pub(crate) fn nothing(sources: Arc<Sources>, limit: Option<String>) -> Self {
        Self {
            marks: Arc::default(),
            facts: Arc::new(Facts::new(sources, &[], limit)),
        }
    }

    /// The hunks with their ids and owners, in the order of their fragments.
    pub(crate) fn hunks(&self) -> impl Iterator<Item = (&Hunk, &Arc<str>, &Owner)> {
        let facts = &self.facts;
        let hunks = self.marks.hunks().iter().zip(&facts.ids);
        hunks.filter_map(|(hunk, id)| Some((hunk, id, facts.owners.get(hunk.fragment)?)))
    }

    /// Lets an earlier placing, moved to the same text, decide where this one could not.
    fn recall(&mut self, known: &Self) {
        let hunks = known.marks.hunks();
        let by_id: HashMap<&str, &Hunk> =
            known.facts.ids.iter().map(|id| &**id).zip(hunks).collect();
        let ids = &self.facts.ids;
        Arc::make_mut(&mut self.marks).recall(|index| by_id.get(&**ids.get(index)?).copied());
    }
}

/// Places the hunks of a file in a text. Takes time in proportion to the text.
pub(crate) fn place_file(text: &Text, sources: Arc<Sources>, limits: Limits) -> Placed {
    // The limits come first, so that a huge text is not copied to find out that it is too large.
    if text.len_bytes() > limits.max_bytes || text.written_lines() > limits.max_lines {
        let limit = too_large(text.written_lines(), text.len_bytes(), limits);
        return Placed::nothing(sources, Some(limit));
    }
    match place(&text.to_string(), &sources.inputs(), limits) {
        Placement::Placed(hunks) => Placed {
            facts: Arc::new(Facts::new(sources, &hunks, None)),
            marks: Arc::new(Marks::new(hunks)),
        },
        Placement::TooLarge { lines, bytes } => {
            Placed::nothing(sources, Some(too_large(lines, bytes, limits)))
        }
    }
}

/// Says that a text is beyond the limits.
pub(crate) fn too_large(lines: usize, bytes: usize, limits: Limits) -> String {
    if bytes > limits.max_bytes {
        let limit = limits.max_bytes;
        return format!("the file has {bytes} bytes, hunks are shown up to {limit}");
    }
    let limit = limits.max_lines;
    format!("the file has {lines} lines, hunks are shown up to {limit}")
}

impl Document {
    /// A document that was just opened.
    pub(crate) fn new(uri: Arc<str>, version: i32, text: &str) -> Self {
        Self {
            location: Location::from_uri(&uri),
            file: None,
            uri,
            version,
            text: Text::new(text),
            file_texts: FileTexts::default(),
            placed: None,
            job: None,
            due: None,
            placings: 0,
            waiting: Vec::new(),
        }
    }

    /// Whether its hunks are to be placed now, and no placing runs.
    pub(crate) fn is_due(&self, now: Instant) -> bool {
        self.job.is_none() && self.due.is_some_and(|due| due <= now)
    }

    /// Applies the changes of one `didChange`, in order; the marks move along. True when the hunks
    /// should be placed afresh.
    pub(crate) fn change(
        &mut self,
        version: i32,
        changes: Vec<TextChange>,
        encoding: Encoding,
    ) -> bool {
        for change in changes {
            match change.range {
                Some(range) => self.edit(to_bytes(&self.text, range, encoding), &change.text),
                None => self.reload(&change.text),
            }
        }
        self.version = version;
        self.placed
            .as_ref()
            .is_some_and(|placed| placed.marks.needs_placing() || placed.facts.limit.is_some())
    }

    /// Forgets where hunks stand, and does not take what a running placing finds: whoever asks
    /// waits for the next one.
    pub(crate) fn forget_hunks(&mut self) {
        self.placed = None;
        if let Some(job) = &mut self.job {
            job.void = true;
        }
    }

    fn edit(&mut self, bytes: std::ops::Range<usize>, inserted: &str) {
        if self.placed.is_some() || self.job.is_some() {
            let edit = Edit::measure(&self.text, bytes.clone(), inserted);
            if let Some(placed) = &mut self.placed {
                Arc::make_mut(&mut placed.marks).apply(&edit);
            }
            if let Some(job) = &mut self.job {
                job.edits.push(edit);
            }
        }
        self.text.replace(bytes, inserted);
    }

    fn reload(&mut self, text: &str) {
        if let Some(placed) = &mut self.placed
            && !placed.marks.hunks().is_empty()
        {
            Arc::make_mut(&mut placed.marks).reload(&self.text.to_string(), text);
        }
        if let Some(job) = &mut self.job {
            job.void = true;
        }
        self.text = Text::new(text);
    }

    /// Takes the result of a placing that began some edits ago. False when something changed in a
    /// way that it cannot follow; true also when the marks were damaged since.
    pub(crate) fn take(&mut self, mut placed: Placed) -> bool {
        let Some(job) = self.job.take() else {
            return false;
        };
        if job.void {
            return false;
        }
        if !job.edits.is_empty() {
            let marks = Arc::make_mut(&mut placed.marks);
            for edit in &job.edits {
                marks.apply(edit);
            }
        }
        if let Some(known) = &self.placed {
            placed.recall(known);
        }
        self.placed = Some(placed);
        self.placings += 1;
        true
    }
}
