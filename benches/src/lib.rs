//! What the benchmarks measure on: deterministic inputs, the same in every run.

mod documents;
mod random;

pub use documents::{
    Intent, Nested, Numbers, Receipt, Text, deep, intents, numbers, receipts, unicode,
};
pub use random::Random;
