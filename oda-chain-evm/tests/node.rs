//! The nodes of this crate against real chains: the embedded EVM and anvil give the same answers, and
//! broken nodes are told apart.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[path = "node/assembly.rs"]
mod assembly;
#[path = "node/bad_nodes.rs"]
mod bad_nodes;
#[cfg(feature = "embedded")]
#[path = "node/effects.rs"]
mod effects;
#[cfg(feature = "embedded")]
#[path = "node/embedded.rs"]
mod embedded;
#[cfg(feature = "embedded")]
#[path = "node/faulty.rs"]
mod faulty;
#[cfg(feature = "embedded")]
#[path = "node/scene.rs"]
mod scene;
#[cfg(feature = "embedded")]
#[path = "node/stage.rs"]
mod stage;
#[cfg(feature = "embedded")]
#[path = "node/submission.rs"]
mod submission;
