//! Profile `acp`: what a tool call of any agent changed, from all that ACP carries about it.
//!
//! Agents differ in where they say what they did. The rules here go by shape and by rank of the
//! evidence, never by the agent's name:
//! 1. the result of the call, in the shapes that `result.rs` knows;
//! 2. diff content of the completed call, then diff content from before;
//! 3. diff content of the permission question;
//! 4. the input of a tool that writes, edits, patches, deletes or moves;
//! 5. the bare paths of a call of kind `edit`, `delete` or `move`.
//!
//! The best source decides which files a call changed; weaker ones only add what it lacks. A file
//! counts as created or deleted only where something says so.

mod content;
mod draft;
mod facts;
mod input;
mod json;
mod merge;
mod outcome;
mod patch_text;
mod place;
mod result;
mod shell;
mod splice;
mod tool;

use std::sync::Arc;

use foldhash::HashSet;

use self::facts::Facts;
use self::json::Json;
use self::merge::{File, NameList, Rank, add_listed, files_of, pair_moves};
use self::outcome::Outcome;
use self::place::{Place, Resolver};
use self::tool::{Class, Tool};
use super::{Context, Findings};
use crate::model::Evidence;
use crate::notice::NoticeKind;
use crate::timeline::tool_call::{CallLocation, Status, ToolCall};

/// Works out what a call changed, or, for a call that has not completed, what it asked to change.
///
/// The caller decides by the call's status what the answer means; this function only reads the
/// evidence. It is called again when more becomes known about the call.
pub fn evidence(call: &ToolCall, context: &Context<'_>) -> Findings {
    let by_kind = call.kind.as_deref().map(tool::class_of_kind);
    if by_kind == Some(Class::Look) {
        return looked(call, context);
    }
    let input = call.raw_input.as_deref().and_then(Json::read);
    if input.as_ref().is_some_and(input::only_looks) {
        return Findings::default();
    }
    let has_diffs = !(call.diffs.is_empty()
        && call.earlier_diffs.is_empty()
        && call.permission.diffs.is_empty());
    // The output of most commands is large and says nothing about files.
    if by_kind == Some(Class::Run)
        && !has_diffs
        && !input.as_ref().is_some_and(input::is_patch_command)
    {
        return Findings::default();
    }
    let metas: Vec<Json<'_>> = call
        .metas
        .iter()
        .filter_map(|meta| Json::read(meta))
        .collect();
    let tool = Tool::of(call, &metas);
    if tool.class == Class::Look {
        return looked(call, context);
    }
    let asked = call.permission.raw_input.as_deref().and_then(Json::read);
    let output = call.raw_output.as_deref().and_then(Json::read);
    let reading = Reading {
        call,
        context,
        metas: &metas,
        inputs: [
            (Rank::Input, input.as_ref()),
            (Rank::AskedInput, asked.as_ref()),
        ],
        output: output.as_ref(),
        outcome: Outcome::of(call, output.as_ref()),
        tool,
    };
    reading.findings()
}

/// What a person should know about a call that failed. Its changes need not be read for that.
pub(crate) fn failure_notices(call: &ToolCall, context: &Context<'_>) -> Vec<NoticeKind> {
    let input = call.raw_input.as_deref().and_then(Json::read);
    if input.as_ref().and_then(input::envelope_of_input).is_none() {
        return Vec::new();
    }
    evidence(call, context).notices
}

fn says_something(facts: &[Facts<'_>]) -> bool {
    facts.iter().any(Facts::says_something)
}

/// A call that only looks shows that files are there.
fn looked(call: &ToolCall, context: &Context<'_>) -> Findings {
    let reads = call.kind.as_deref() == Some("read") && call.status == Status::Completed;
    let paths = call.locations.iter().filter(|_| reads);
    let seen = paths
        .filter_map(|location| context.workspace.resolve(&location.path))
        .collect();
    Findings {
        seen,
        ..Findings::default()
    }
}

/// The bytes of results that are searched at most for the path of the section that failed. Each
/// section costs a pass over them.
const MOST_SEARCHED: usize = 64 << 20;

/// One call with its JSON read.
struct Reading<'a> {
    call: &'a ToolCall,
    context: &'a Context<'a>,
    tool: Tool,
    metas: &'a [Json<'a>],
    inputs: [(Rank, Option<&'a Json<'a>>); 2],
    output: Option<&'a Json<'a>>,
    outcome: Outcome<'a>,
}

impl<'a> Reading<'a> {
    fn findings(&self) -> Findings {
        let completed = self.call.status == Status::Completed;
        let sources = self.sources();
        let resolver = self.resolver(&sources);
        let ran_in_shell = self.tool.class == Class::Run;
        let failed = self.outcome.failed || (ran_in_shell && self.outcome.shell_failed());
        let mut findings = Findings {
            failed: completed && failed,
            ..Findings::default()
        };
        let mut files = files_of(sources, &resolver);
        if self.changes_files() || !files.is_empty() {
            add_listed(&mut files, self.outcome.listed_files(), &resolver);
        }
        if files.is_empty() {
            files = self.named_files(&resolver);
        }
        for names in self.name_lists(&files, &resolver) {
            pair_moves(&mut files, &names);
        }
        let lines = draft::lines_by_path(&self.call.locations, &resolver);
        for file in &files {
            self.draft(file, &lines, &mut findings);
        }
        if self.call.status == Status::Failed || findings.failed {
            // What did not happen calls for no other notice.
            findings.notices = self.partly_applied(&resolver).into_iter().collect();
        } else if findings.drafts.is_empty() {
            findings.notices.extend(self.rejected_patch());
        }
        findings
    }

    fn changes_files(&self) -> bool {
        matches!(self.tool.class, Class::Edit | Class::Delete | Class::Move)
    }

    /// What each source says, best first. Sources that say nothing are left out.
    fn sources(&self) -> Vec<(Rank, Vec<Facts<'a>>)> {
        let (call, tool) = (self.call, &self.tool);
        let present = if call.diffs_are_final {
            Rank::Final
        } else {
            Rank::Proposed
        };
        let blocks = |blocks, evidence| content::facts_of_blocks(blocks, tool, evidence);
        let current = blocks(&call.diffs, Evidence::Content);
        let inputs = self.inputs.map(|(rank, input)| {
            let facts = input.map(|input| input::facts_of_input(input, tool));
            (rank, facts.unwrap_or_default())
        });
        // What a tool of unknown purpose returns about files is news of them only if it edits.
        let edits = self.changes_files()
            || (tool.class == Class::Unknown
                && (says_something(&current)
                    || inputs.iter().any(|(_, facts)| says_something(facts))));
        let result = if edits { self.result() } else { Vec::new() };
        let mut sources = vec![(Rank::Result, result), (present, current)];
        if !sources.iter().any(|(_, facts)| says_something(facts))
            || sources
                .iter()
                .flat_map(|(_, facts)| facts)
                .any(Facts::lacks_text)
        {
            sources.push((
                Rank::Earlier,
                blocks(&call.earlier_diffs, Evidence::Content),
            ));
            sources.push((
                Rank::Permission,
                blocks(&call.permission.diffs, Evidence::Permission),
            ));
        }
        sources.extend(inputs);
        sources.retain(|(_, facts)| !facts.is_empty());
        sources
    }

    /// What the result says, in data and in words.
    fn result(&self) -> Vec<Facts<'a>> {
        let values = self.metas.iter().chain(self.output);
        let mut facts: Vec<Facts<'a>> = values
            .flat_map(|value| result::facts_of_result(value, Evidence::Result))
            .collect();
        let map = self.inputs.iter().find_map(|(_, input)| {
            let map = input.and_then(Json::as_object)?.get("changes")?;
            result::facts_of_map(map, Evidence::Input)
        });
        facts.extend(map.into_iter().flatten());
        facts.extend(self.outcome.diffs());
        if self.outcome.unchanged {
            facts.push(Facts {
                unchanged: true,
                ..Facts::new(None, Evidence::Result)
            });
        }
        facts
    }

    fn resolver(&self, sources: &[(Rank, Vec<Facts<'a>>)]) -> Resolver<'a> {
        let paths = |of_input: bool| {
            let ranks = sources
                .iter()
                .filter(move |(rank, _)| rank.is_of_input() == of_input);
            ranks
                .flat_map(|(_, facts)| facts)
                .flat_map(|facts| [&facts.path, &facts.from])
                .filter_map(|path| path.as_deref())
        };
        let written = self
            .inputs
            .iter()
            .filter_map(|(_, input)| input.and_then(input::path_of_input));
        let located = self.locations().map(|location| location.path.as_ref());
        let asked = paths(true).chain(written).chain(located);
        Resolver::new(self.context, asked, paths(false), self.call.historical)
    }

    fn locations(&self) -> impl Iterator<Item = &'a CallLocation> + use<'a> {
        self.call
            .locations
            .iter()
            .chain(&self.call.permission.locations)
    }

    /// The files of a call that carries no text anywhere.
    fn named_files(&self, resolver: &Resolver<'_>) -> Vec<File<'a>> {
        if !self.changes_files() || !self.tool.class_is_declared {
            return Vec::new();
        }
        let located = |locations: &'a [CallLocation]| {
            let places: Vec<Place> = locations
                .iter()
                .filter_map(|location| resolver.place(&location.path))
                .collect();
            (!places.is_empty()).then_some(places)
        };
        let input = || {
            let paths = self
                .inputs
                .iter()
                .filter_map(|(_, input)| input.and_then(input::path_of_input));
            paths
                .filter_map(|path| resolver.place(path))
                .take(1)
                .collect()
        };
        let mut places = located(&self.call.locations)
            .or_else(|| located(&self.call.permission.locations))
            .unwrap_or_else(input);
        if let (Class::Move, [from, to]) = (self.tool.class, places.as_slice()) {
            let mut file = File::named(to.clone());
            file.from = Some(from.clone());
            return vec![file];
        }
        let mut seen = HashSet::default();
        places.retain(|place| seen.insert(place.clone()));
        places.into_iter().map(File::named).collect()
    }

    /// Lists in which a call names its files, a moved one under its old path.
    fn name_lists(&self, files: &[File<'_>], resolver: &Resolver<'_>) -> [NameList; 3] {
        let of_a_move = self.tool.class == Class::Move;
        let located = |locations: &[CallLocation], names_old_paths| NameList {
            places: locations
                .iter()
                .filter_map(|location| resolver.place(&location.path))
                .collect(),
            names_old_paths,
            of_a_move,
        };
        [
            located(&self.call.permission.locations, true),
            NameList {
                places: self.titled_files(files, resolver),
                names_old_paths: true,
                of_a_move,
            },
            located(&self.call.locations, false),
        ]
    }

    /// The files in a replayed title such as `Edit src/old.txt, b.txt`.
    fn titled_files(&self, files: &[File<'_>], resolver: &Resolver<'_>) -> Vec<Place> {
        let names = self
            .call
            .title
            .split_once(' ')
            .filter(|_| self.call.historical);
        let names = names.into_iter().flat_map(|(_, names)| names.split(", "));
        let of_files: HashSet<&Place> = files.iter().map(|file| &file.place).collect();
        let path = |name: &str| {
            let place = resolver.place(name)?;
            let looks_like_path = name.contains(['/', '.']) && !name.contains([' ', '`', '"', ':']);
            (looks_like_path || of_files.contains(&place)).then_some(place)
        };
        // A title with anything but paths is prose.
        names
            .map(path)
            .collect::<Option<Vec<Place>>>()
            .unwrap_or_default()
    }

    /// A failed patch of a tool that applies section by section.
    fn partly_applied(&self, resolver: &Resolver<'_>) -> Option<NoticeKind> {
        if self.outcome.changed_nothing() {
            return None;
        }
        let patch = self
            .inputs
            .iter()
            .find_map(|(_, input)| input.and_then(input::envelope_of_input))?;
        let sections = acp_grammar::patch::parse_lenient(patch).patch.sections;
        let affordable = MOST_SEARCHED / self.outcome.text_bytes().max(1);
        let failing = sections
            .iter()
            .take(affordable)
            .position(|section| self.outcome.mentions(section.path));
        let done = failing.unwrap_or(sections.len().saturating_sub(1));
        let places = sections
            .iter()
            .take(done)
            .filter_map(|section| resolver.place(section.path));
        let mut paths: Vec<Arc<str>> = places.filter_map(|place| place.inside().cloned()).collect();
        paths.dedup();
        (!paths.is_empty()).then_some(NoticeKind::PartlyApplied { paths })
    }

    /// A patch that was applied, as the agent says, though nobody can read it.
    fn rejected_patch(&self) -> Option<NoticeKind> {
        let patch = self
            .inputs
            .iter()
            .find_map(|(_, input)| input.and_then(input::envelope_of_input))?;
        let error = acp_grammar::patch::parse_lenient(patch)
            .skipped
            .into_iter()
            .next()?;
        let line = u32::try_from(error.position(patch).line).unwrap_or(u32::MAX);
        Some(NoticeKind::PatchRejected {
            line,
            message: error.to_string().into(),
        })
    }
}

#[cfg(test)]
mod tests;
