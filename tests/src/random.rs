//! Numbers that look random and are the same in each run.

/// The generator `SplitMix64`: each seed gives another row of numbers.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// The row of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number below a limit, which is not 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % limit
    }

    /// The next index of a list of this length, which is not empty.
    pub fn index(&mut self, len: usize) -> usize {
        let limit = u64::try_from(len).unwrap_or(u64::MAX);
        usize::try_from(self.below(limit)).unwrap_or(0)
    }
}
