//! The sources of a call put together, file by file.

use std::sync::Arc;

use foldhash::{HashMap, HashSet};

use super::facts::{Facts, Operation, Pair};
use super::place::{Place, Resolver};
use crate::model::Evidence;
use crate::path::file_name;

/// A source of evidence, best first. What a better source says is not asked of a weaker one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// The result of the call.
    Result,
    /// Diff content that came with the final status.
    Final,
    /// Diff content that was a proposal and still stands.
    Proposed,
    /// Diff content from before the present content.
    Earlier,
    /// Diff content of the permission question.
    Permission,
    /// The input of the call.
    Input,
    /// The input in the permission question.
    AskedInput,
}

impl Rank {
    /// The source is what the agent asked for, in its own words.
    pub(super) fn is_of_input(self) -> bool {
        matches!(self, Self::Input | Self::AskedInput)
    }

    /// The source is diff content, whose paths some agents cut down to the file name in a replay.
    pub(super) fn is_of_diffs(self) -> bool {
        matches!(
            self,
            Self::Final | Self::Proposed | Self::Earlier | Self::Permission
        )
    }
}

/// All that is known about one file of a call.
#[derive(Debug)]
pub(super) struct File<'a> {
    pub(super) place: Place,
    pub(super) from: Option<Place>,
    /// What the sources say, best first.
    facts: Vec<(Rank, Facts<'a>)>,
}

/// The files that a call is about, each with what all sources say about it.
///
/// Which files these are is decided by the best source that says anything: a weaker one adds texts
/// to those files, never further files.
pub(super) fn files_of<'a>(
    sources: Vec<(Rank, Vec<Facts<'a>>)>,
    resolver: &Resolver<'_>,
) -> Vec<File<'a>> {
    let deciding = sources
        .iter()
        .filter(|(_, facts)| facts.iter().any(Facts::says_something))
        .map(|(rank, _)| *rank)
        .min();
    let Some(deciding) = deciding else {
        return Vec::new();
    };
    // A result may tell of one file and the diffs of several.
    let deciding = if deciding == Rank::Result {
        Rank::Proposed
    } else {
        deciding
    };
    let is_nameless = |facts: &Facts<'_>| facts.path.is_none();
    let nameless = sources
        .iter()
        .any(|(_, facts)| facts.iter().any(is_nameless));
    let only_path = nameless.then(|| only_path(&sources, resolver)).flatten();
    let mut files: Vec<File<'a>> = Vec::new();
    let mut index: HashMap<Place, usize> = HashMap::default();
    for (rank, facts) in sources {
        for facts in facts {
            let place = match &facts.path {
                Some(path) => resolver.place(path),
                None => only_path.clone(),
            };
            let Some(place) = place else { continue };
            let may_add = rank <= deciding && facts.says_something();
            let found = index.get(&place).copied().or_else(|| {
                may_add.then(|| {
                    files.push(File {
                        place: place.clone(),
                        from: None,
                        facts: Vec::new(),
                    });
                    index.insert(place, files.len() - 1);
                    files.len() - 1
                })
            });
            let Some(file) = found.and_then(|at| files.get_mut(at)) else {
                continue;
            };
            if file.from.is_none() {
                let from = facts.from.as_deref().and_then(|from| resolver.place(from));
                file.from = from.filter(|from| *from != file.place);
            }
            file.facts.push((rank, facts));
        }
    }
    drop_moved_away(files)
}

/// Adds what a result lists in words (`M src/a.rs`). Its paths may be relative to another directory
/// than the session's, so they add files only where nothing else names any.
pub(super) fn add_listed<'a>(
    files: &mut Vec<File<'a>>,
    listed: Vec<(Operation, &'a str)>,
    resolver: &Resolver<'_>,
) {
    let adds = files.is_empty();
    let mut by_name: HashMap<Arc<str>, Vec<usize>> = HashMap::default();
    for (at, file) in files.iter().enumerate() {
        let name = file_name(file.place.shown()).into();
        by_name.entry(name).or_default().push(at);
    }
    for (operation, path) in listed {
        let Some(place) = resolver.place(path) else {
            continue;
        };
        let facts = Facts {
            operation: Some(operation),
            ..Facts::new(Some(path.into()), Evidence::Result)
        };
        let same_name = by_name.get(file_name(path)).map_or(&[][..], Vec::as_slice);
        let is_it = |at: &&usize| {
            files.get(**at).is_some_and(|file| {
                let ending = file.place.shown().strip_suffix(path);
                file.place == place || ending.is_some_and(|before| before.ends_with('/'))
            })
        };
        // Where many files have one name, the first few decide whether it is the only one.
        let mut fitting = same_name.iter().take(MOST_NAMESAKES).filter(is_it);
        match (fitting.next().copied(), fitting.next()) {
            (Some(at), None) => files[at].facts.push((Rank::Result, facts)),
            (None, _) if adds => {
                let mut file = File::named(place);
                file.facts.push((Rank::Result, facts));
                files.push(file);
            }
            _ => {}
        }
    }
}

/// How many files of one name are looked at for a path in a listing.
const MOST_NAMESAKES: usize = 64;

/// A tool that reports a move as a deletion beside it means one change.
fn drop_moved_away(mut files: Vec<File<'_>>) -> Vec<File<'_>> {
    let moved: HashSet<Place> = files.iter().filter_map(|file| file.from.clone()).collect();
    if !moved.is_empty() {
        files.retain(|file| {
            !(moved.contains(&file.place) && file.operation() == Some(Operation::Delete))
        });
    }
    files
}

/// The one path that the sources name, for those that name none.
fn only_path(sources: &[(Rank, Vec<Facts<'_>>)], resolver: &Resolver<'_>) -> Option<Place> {
    let paths = sources
        .iter()
        .flat_map(|(_, facts)| facts)
        .filter_map(|facts| facts.path.as_deref());
    let mut places = paths.filter_map(|path| resolver.place(path));
    let first = places.next()?;
    places.all(|place| place == first).then_some(first)
}

impl<'a> File<'a> {
    /// A file that is named and of which nothing else is known.
    pub(super) fn named(place: Place) -> Self {
        Self {
            place,
            from: None,
            facts: Vec::new(),
        }
    }

    /// The word of the best source that has one.
    pub(super) fn operation(&self) -> Option<Operation> {
        self.facts.iter().find_map(|(_, facts)| facts.operation)
    }

    /// What the best source says on whether the file is new.
    pub(super) fn created(&self) -> Option<bool> {
        self.facts.iter().find_map(|(_, facts)| facts.created)
    }

    /// The file was deleted and written anew by the same call.
    pub(super) fn is_replaced(&self) -> bool {
        let mut deleted = None;
        self.facts.iter().any(|(rank, facts)| {
            match facts.operation {
                Some(Operation::Delete) => deleted = Some(*rank),
                Some(Operation::Add) if *rank != Rank::Result => return deleted == Some(*rank),
                _ => {}
            }
            false
        })
    }

    /// The best source with texts says that they are all of a new file. A proposal proves nothing,
    /// unless the tool could not have done it to a file with a text.
    pub(super) fn is_whole_new_file(&self) -> bool {
        self.facts.iter().any(|(rank, facts)| {
            facts.replaces_nothing || (*rank <= Rank::Final && facts.whole_new_file)
        })
    }

    /// The sources say that nothing changed.
    pub(super) fn is_unchanged(&self) -> bool {
        let result = |rank: Rank| rank == Rank::Result;
        let says = |facts: &Facts<'a>| facts.unchanged && facts.pairs.is_empty();
        self.facts
            .iter()
            .any(|(rank, facts)| result(*rank) && says(facts))
            || (self.facts.iter().any(|(_, facts)| says(facts))
                && self
                    .facts
                    .iter()
                    .all(|(_, facts)| facts.pairs.is_empty() && facts.operation.is_none()))
    }

    /// What the best source with texts says. A result often says the same in several shapes; there
    /// the first one is the most exact and the only one that counts.
    fn facts_with_texts(&self) -> impl Iterator<Item = &Facts<'a>> {
        let with_texts = || {
            let facts = self.facts.iter();
            facts.filter(|(_, facts)| !facts.pairs.is_empty())
        };
        let best = with_texts().next().map(|(rank, _)| *rank);
        let most = if best == Some(Rank::Result) {
            1
        } else {
            usize::MAX
        };
        let of_best = with_texts().filter(move |(rank, _)| Some(*rank) == best);
        of_best.map(|(_, facts)| facts).take(most)
    }

    /// The file is named by diff content, which has a moved file under its new path.
    fn has_diffs(&self) -> bool {
        self.facts.iter().any(|(rank, _)| rank.is_of_diffs())
    }

    /// Every changed text has an old side.
    fn has_old_texts(&self) -> bool {
        let mut pairs = self.facts_with_texts().flat_map(|facts| &facts.pairs);
        pairs.all(|pair| !pair.old.is_empty())
    }

    /// The texts of the best source that has some, all of that source.
    pub(super) fn pairs(&self) -> Vec<Pair<'a>> {
        let pairs = self.facts_with_texts().flat_map(|facts| &facts.pairs);
        let mut pairs: Vec<Pair<'a>> = pairs.cloned().collect();
        // A weaker source may say that a text was replaced wherever it stood.
        let all = self.facts.iter().flat_map(|(_, facts)| &facts.pairs);
        let everywhere: HashSet<(&str, &str)> = all
            .filter(|pair| pair.hint.replace_all)
            .map(|pair| (pair.old.as_ref(), pair.new.as_ref()))
            .collect();
        if !everywhere.is_empty() {
            for pair in &mut pairs {
                pair.hint.replace_all |= everywhere.contains(&(&pair.old, &pair.new));
            }
        }
        pairs
    }

    /// The source of [`File::pairs`].
    pub(super) fn evidence(&self) -> Option<Evidence> {
        self.facts_with_texts().next().map(|facts| facts.evidence)
    }

    /// The whole file before, from the best source that has it.
    pub(super) fn whole_old(&self) -> Option<&str> {
        self.facts
            .iter()
            .find_map(|(_, facts)| facts.whole_old.as_deref())
    }

    /// The whole file after, from the best source that has it. A source that goes on to change the
    /// file does not have it.
    pub(super) fn whole_new(&self) -> Option<&str> {
        let (rank, facts) = self
            .facts
            .iter()
            .find(|(_, facts)| facts.whole_new.is_some())?;
        let mut same = self.facts.iter().filter(|(other, _)| other == rank);
        let last = same.rfind(|(_, facts)| !facts.pairs.is_empty());
        let superseded = *rank != Rank::Result
            && last.is_some_and(|(_, last)| last.whole_new != facts.whole_new);
        facts.whole_new.as_deref().filter(|_| !superseded)
    }
}

/// A list in which a call names its files, a moved one under its old path.
#[derive(Debug)]
pub(super) struct NameList {
    pub(super) places: Vec<Place>,
    /// The list is known to name files as they were before the call. Others count only where a
    /// further name agrees with a diff.
    pub(super) names_old_paths: bool,
    /// The call is one of a tool that moves files.
    pub(super) of_a_move: bool,
}

/// Finds the paths before a move in a list that names them: agents give a moved file's diff under
/// its new path and its old path elsewhere.
pub(super) fn pair_moves(files: &mut [File<'_>], names: &NameList) {
    if files.iter().any(|file| file.from.is_some()) {
        return;
    }
    let of_files: HashSet<&Place> = files.iter().map(|file| &file.place).collect();
    let others = names.places.iter().filter(|name| !of_files.contains(name));
    let others: Vec<Place> = others.cloned().collect();
    if others.is_empty() {
        return;
    }
    if let ([file], [from], true) = (&mut *files, others.as_slice(), names.of_a_move) {
        file.from = Some(from.clone());
    } else if files.len() == names.places.len() {
        pair_aligned(files, names, &others);
    }
}

/// The list names the files in the order of their diffs, one for one, but for some other paths.
fn pair_aligned(files: &mut [File<'_>], names: &NameList, others: &[Place]) {
    let others: HashSet<&Place> = others.iter().collect();
    let fits = |file: &File<'_>, name: &Place| {
        let moves = !matches!(file.operation(), Some(Operation::Add | Operation::Delete));
        file.place == *name
            || (others.contains(name)
                && moves
                && file.has_diffs()
                && file.has_old_texts()
                && !name.is_directory_of(&file.place))
    };
    let all_fit = files
        .iter()
        .zip(&names.places)
        .all(|(file, name)| fits(file, name));
    let agrees = others.len() < files.len() || names.names_old_paths;
    if !(all_fit && agrees) {
        return;
    }
    for (file, name) in files.iter_mut().zip(&names.places) {
        if file.place != *name {
            file.from = Some(name.clone());
        }
    }
}

/// The path as an activity shows it.
pub(super) fn shown(place: &Place) -> Arc<str> {
    Arc::clone(place.shown())
}
