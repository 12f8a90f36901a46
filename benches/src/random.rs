//! Numbers that look random and are the same in every run.

/// A xorshift64* generator: enough to keep branch predictors honest, nothing more.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator whose sequence depends on `seed` only.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(2).wrapping_add(1))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.bits() % limit
    }

    /// `length` lower-case hex digits.
    pub fn hex(&mut self, length: usize) -> String {
        let digits = "0123456789abcdef";
        self.text(digits, length)
    }

    /// `length` characters of `alphabet`.
    pub fn text(&mut self, alphabet: &str, length: usize) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        (0..length).filter_map(|_| self.pick(&alphabet)).collect()
    }

    /// One of `choices`; `None` when there are none.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> Option<T> {
        let count = u64::try_from(choices.len())
            .ok()
            .filter(|&count| count > 0)?;
        usize::try_from(self.below(count))
            .ok()
            .and_then(|index| choices.get(index))
            .copied()
    }
}
