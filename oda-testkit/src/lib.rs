//! What the tests of this workspace share: loaders for the public suites, a fake chain and mock signers
//! whose faults are scripted, a clock that is moved by hand, and the conformance runner.
//!
//! # What it promises
//!
//! * A loader either returns every case of a suite or an error that names the file: nothing is left out.
//! * A fault happens exactly where the script puts it. Nothing here sleeps, draws a random number or reads
//!   the machine's clock, so a test that fails once fails always.
//! * The conformance runner counts a case as passed only when it ran and its whole result was compared.
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | none | [`Suites`] and its cases, [`Anvil`] |
//! | `engine` | the fake chain, the mock signers, the conformance runner |
//! | `evm` (default) | the vectors that need the EVM crate |
//!
//! # Example
//!
//! ```
//! use oda_testkit::Suites;
//!
//! let Some(suites) = Suites::locate()? else {
//!     println!("skipped: suite not found");
//!     return Ok(());
//! };
//! for case in suites.jcs()? {
//!     assert_eq!(hex::encode(&case.output), case.output_hex);
//! }
//! # Ok::<(), oda_testkit::SuiteError>(())
//! ```

mod anvil;
#[cfg(feature = "engine")]
pub mod conformance;
#[cfg(feature = "engine")]
mod fake_chain;
#[cfg(feature = "engine")]
mod mock_signer;
mod suites;
#[cfg(feature = "engine")]
mod test_tx;
#[cfg(feature = "engine")]
mod world;

pub use anvil::{Anvil, AnvilError};
#[cfg(feature = "engine")]
pub use fake_chain::{Call, FakeChain, Fault};
#[cfg(feature = "engine")]
pub use mock_signer::{MockSigner, SignerStep, TEST_SENDER};
#[cfg(feature = "engine")]
pub use test_tx::{TEST_CHAIN, TEST_CHAIN_ID, TestTerms, TestTx};
#[cfg(feature = "engine")]
pub use world::{ManualClock, RecordingApprover, ScriptedNonces};

pub use suites::{
    EcdsaCase, EcdsaEncoding, Es6Checkpoint, Es6Numbers, EthersAccess, EthersAccount, EthersFields,
    EthersHash, EthersTransaction, JcsCase, MacCase, ParsingCase, ParsingRule, SuiteError, Suites,
};
