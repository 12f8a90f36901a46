//! Tests of the public API of `oda-canon`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "in test helpers too, a failure is the test failing"
)]

mod digests;
mod features;
mod float_file;
mod json_suite;
mod limits;
mod properties;
mod rfc8785_suite;
mod strict;
mod suites;
mod text_door;
mod typed_door;
mod vectors;
