//! The engine against a fake chain whose faults are scripted. Tests named `defect_NN` hold the line where
//! the reference implementation of ODA is known to be wrong.
#![expect(
    clippy::unwrap_used,
    reason = "a world that cannot be built is a failed test"
)]

mod concurrency;
mod integrity;
mod log;
mod outcomes;
mod verdicts;
mod world;
