//! Tests of the public API of `oda-canon`.

#![allow(
    clippy::unwrap_used,
    reason = "test helpers: a failure is the test failing"
)]

mod vectors;
