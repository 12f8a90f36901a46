//! The test contracts do what the standards say that they follow, in the embedded machine.
//!
//! Other tests take a token's word for what an action has done, so it is held to ERC-20 and
//! EIP-3009 here, with signatures and digests that alloy makes.
#![cfg(feature = "embedded")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what the tests share lies outside test functions, and ends the test all the same"
)]

mod collectibles;
mod erc20;
mod ground;
mod signed_transfers;
