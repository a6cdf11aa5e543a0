//! The committed seeds of the fuzz targets, which the tests run, so that no target can rot.

/// Runs the function of a fuzz target over the seeds of that target.
#[allow(clippy::disallowed_methods, reason = "a test reads its seeds")]
pub(crate) fn run(target: &str, fuzz: fn(&[u8])) {
    let folder = format!(
        "{}/../../tests/fuzz/seeds/{target}",
        env!("CARGO_MANIFEST_DIR")
    );
    let seeds: Vec<_> = std::fs::read_dir(folder)
        .expect("the seeds are there")
        .map(|seed| seed.expect("a readable folder").path())
        .collect();
    assert!(!seeds.is_empty(), "no seeds of {target}");
    for seed in seeds {
        fuzz(&std::fs::read(seed).expect("a readable seed"));
    }
}
