//! Recorded sessions of real agents, held against the disk.
//!
//! Each trace in `fixtures/traces` that has a `.files.json` beside it comes with the workspace before
//! and after the session. What `acp-lens replay` lists must be what the agent's file tools changed
//! there: no file less, none more, each with the right action and with texts that stand in the file.

mod traces {
    pub(crate) mod disk;
    pub(crate) mod listing;
    pub(crate) mod mutate;
}

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use expect_test::expect;
use proptest::prelude::*;
use traces::disk::{Disk, Verdict};
use traces::listing::{Listing, Profile};
use traces::{disk, listing, mutate};

#[test]
fn every_change_on_disk_is_listed_and_nothing_else() -> Result<()> {
    let mut table = String::new();
    let mut faults = Vec::new();
    for trace in listing::traces_with_files()? {
        let disk = Disk::read(&trace)?;
        let listing = Listing::of_trace(&trace, Profile::Auto)?;
        let verdict = Verdict::of(&trace, &disk, &listing);
        writeln!(table, "{trace}: {verdict}")?;
        faults.extend(
            verdict
                .faults
                .iter()
                .map(|fault| format!("{trace}: {fault}")),
        );
    }
    expect![[r"
        claude-agent-acp-0.101.0-automode: found 10, missed 0, extra 0; by shell only: obsolete.txt
        claude-agent-acp-0.101.0-manual: found 8, missed 0, extra 0; by shell only: obsolete.txt
        claude-agent-acp-0.101.0-nocaps: found 8, missed 0, extra 0; by shell only: obsolete.txt
        codex-acp-2.6.0-ask: found 8, missed 0, extra 0; untold: foo.txt modified as created
        codex-acp-2.6.0-auto: found 9, missed 0, extra 0; untold: src/new_name.txt created as modified, src/old_name.txt
        codex-acp-2.6.0-nocaps: found 9, missed 0, extra 0; untold: src/new_name.txt created as modified, src/old_name.txt
        gemini-cli-0.61.0-full: found 4, missed 0, extra 0; by shell only: obsolete.txt
        gemini-cli-0.61.0-full-emptyread: found 8, missed 0, extra 0; by shell only: obsolete.txt
        gemini-cli-0.61.0-nocaps: found 9, missed 0, extra 0; by shell only: obsolete.txt
        openclaw-2026.9.6-ask: found 0, missed 0, extra 0; by shell only: approved.txt
        openclaw-2026.9.6-full: found 14, missed 0, extra 0; by shell only: gen.txt; untold: src/partial.txt
        openclaw-2026.9.6-nocaps: found 13, missed 0, extra 0; by shell only: gen.txt; untold: src/partial.txt
        openclaw-2026.9.6-wsdiff: found 1, missed 0, extra 5; by shell only: gen.txt; extra: existing.txt, hello.py, long.txt, p1.txt, p2.txt
        opencode-1.18.33-full: found 9, missed 0, extra 0; by shell only: obsolete.txt
        opencode-1.18.33-git: found 9, missed 0, extra 0; by shell only: obsolete.txt
        opencode-1.18.33-nocaps: found 9, missed 0, extra 0; by shell only: obsolete.txt
        qwen-code-0.24.4-full: found 9, missed 0, extra 0; by shell only: obsolete.txt
        zed-claude-agent-acp-0.23.1-full: found 8, missed 0, extra 0; by shell only: obsolete.txt
        zed-codex-acp-0.16.0-ask: found 8, missed 0, extra 0; untold: foo.txt modified as created
        zed-codex-acp-0.16.0-auto: found 11, missed 0, extra 0
        zed-codex-acp-0.16.0-nocaps: found 11, missed 0, extra 0
    "]].assert_eq(&table);
    assert_eq!(faults, Vec::<String>::new());
    Ok(())
}

/// The rules for any agent, on the agent that has a profile of its own. The trace whose agent works in
/// another directory is left out: relative paths mean other files there, and no message says so.
#[test]
fn the_general_rules_read_openclaw_too() -> Result<()> {
    for trace in listing::traces_with_files()? {
        if trace.starts_with("openclaw") && !trace.ends_with("wsdiff") {
            let disk = Disk::read(&trace)?;
            let listing = Listing::of_trace(&trace, Profile::Acp)?;
            assert_eq!(
                Verdict::of(&trace, &disk, &listing).faults,
                Vec::<String>::new()
            );
            assert_eq!(disk.not_shown(&listing).len(), 0, "{trace}");
        }
    }
    Ok(())
}

#[test]
fn a_replay_by_the_agent_tells_what_was_told_live() -> Result<()> {
    let mut table = String::new();
    for loaded in listing::loaded_traces()? {
        let live = loaded.trim_end_matches("-load");
        let was = Listing::of_trace(live, Profile::Auto)?.by_call();
        let is = Listing::of_trace(&loaded, Profile::Auto)?.by_call();
        let mut differences = Vec::new();
        for (key, before) in &was {
            match is.get(key) {
                Some(after) if after == before => {}
                Some(after) => differences.push(format!("{}: {before} as {after}", key.1)),
                None => differences.push(format!("{}: {before} is missing", key.1)),
            }
        }
        let more = is.keys().filter(|key| !was.contains_key(*key));
        differences.extend(more.map(|key| format!("{} is more", key.1)));
        writeln!(
            table,
            "{loaded}: {} of {} the same",
            was.len() - differences.len(),
            was.len()
        )?;
        for difference in differences {
            writeln!(table, "  {difference}")?;
        }
    }
    expect![[r"
        claude-agent-acp-0.101.0-automode-load: 10 of 10 the same
        claude-agent-acp-0.101.0-manual-load: 8 of 8 the same
        codex-acp-2.6.0-ask-load: 8 of 9 the same
          src/new_name.txt: moved from src/old_name.txt as modified
        codex-acp-2.6.0-auto-load: 13 of 13 the same
        gemini-cli-0.61.0-full-emptyread-load: 4 of 8 the same
          src/calc.py: modified is missing
          deep/dir/abs.txt: created is missing
          calc.py is more
          abs.txt is more
        openclaw-2026.9.6-full-load: 19 of 19 the same
        opencode-1.18.33-full-load: 9 of 9 the same
        opencode-1.18.33-git-load: 9 of 9 the same
        qwen-code-0.24.4-full-load: 9 of 9 the same
        zed-claude-agent-acp-0.23.1-full-load: 8 of 8 the same
        zed-codex-acp-0.16.0-ask-load: 9 of 9 the same
        zed-codex-acp-0.16.0-auto-load: 13 of 13 the same
    "]]
    .assert_eq(&table);
    Ok(())
}

/// The same session, first live and then replayed, tells where a bare file name belongs.
#[test]
fn file_names_of_a_replay_join_to_the_live_paths() -> Result<()> {
    let live = "gemini-cli-0.61.0-full-emptyread";
    let text = listing::text(live)? + &listing::text(&format!("{live}-load"))?;
    let joined = Listing::of_text(&text, Profile::Auto)?.by_call();
    assert_eq!(joined, Listing::of_trace(live, Profile::Auto)?.by_call());
    Ok(())
}

/// Whatever an agent leaves out, splits, renames or tells in another order: what is listed is what
/// was listed with all of it, or less, and an action is the same or the one that claims nothing.
#[test]
fn less_evidence_never_lists_anything_wrong() -> Result<()> {
    let mut checked = 0;
    for trace in listing::all_traces()? {
        let text = listing::text(&trace)?;
        let whole = Listing::of_text(&text, Profile::Acp)?.by_call();
        for (what, mutated) in mutate::all(&text, &whole)? {
            let listing = Listing::of_text(&mutated, Profile::Acp)
                .with_context(|| format!("{trace} with {what}"))?;
            let context = format!("{trace} with {what}");
            disk::assert_no_more_than(&listing.by_call(), &whole, &context);
            checked += 1;
        }
    }
    assert!(checked > 400, "only {checked} mutations were tried");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn thinned_evidence_never_lists_anything_wrong(pick in any::<prop::sample::Index>(), seed in any::<u64>()) {
        let traces = listing::all_traces().expect("recorded traces");
        let trace = pick.get(&traces);
        let text = listing::text(trace).expect("a trace");
        let whole = Listing::of_text(&text, Profile::Acp).expect("a listing").by_call();
        let thinned = mutate::thinned(&text, &whole, seed).expect("a trace");
        let listing = Listing::of_text(&thinned, Profile::Acp).expect("a listing");
        disk::assert_no_more_than(&listing.by_call(), &whole, &format!("{trace} thinned by {seed}"));
    }
}

/// In profile `openclaw` the reference decides what is listed; what the disk does not show is named.
#[test]
fn what_only_the_reference_lists_is_named() -> Result<()> {
    let mut table = BTreeMap::new();
    for trace in listing::traces_with_files()? {
        if !trace.starts_with("openclaw") {
            continue;
        }
        let disk = Disk::read(&trace)?;
        let listing = Listing::of_trace(&trace, Profile::Auto)?;
        let extra: Vec<String> = disk.not_shown(&listing).into_iter().collect();
        let unnamed: Vec<&String> = extra
            .iter()
            .filter(|path| !listing.notices.iter().any(|notice| notice.contains(*path)))
            .collect();
        assert_eq!(
            unnamed,
            Vec::<&String>::new(),
            "{trace}: {:?}",
            listing.notices
        );
        table.insert(trace, extra);
    }
    expect![[r#"
        {
            "openclaw-2026.9.6-ask": [],
            "openclaw-2026.9.6-full": [],
            "openclaw-2026.9.6-nocaps": [],
            "openclaw-2026.9.6-wsdiff": [
                "existing.txt",
                "hello.py",
                "long.txt",
                "p1.txt",
                "p2.txt",
            ],
        }"#]]
    .assert_eq(&format!("{table:#?}"));
    Ok(())
}
