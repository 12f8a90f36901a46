//! The real binary, run as people and programs run it.

#![cfg(feature = "evm")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod bad_input;
mod concurrency;
mod demo;
mod documents;
mod faults;
mod http;
mod key;
mod node;
mod people;
mod rpc_faults;
mod sandbox;
mod usage;
