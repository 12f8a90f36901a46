//! What the benchmarks measure on: deterministic inputs, the same in every run.

mod documents;
mod ledger;
mod random;

pub use documents::{
    Fee, Intent, Mandate, Nested, Numbers, Policy, Receipt, Refusal, Simulation, Text, Transaction,
    deep, intents, numbers, receipts, unicode,
};
pub use ledger::{chain, draft};
pub use random::Random;
