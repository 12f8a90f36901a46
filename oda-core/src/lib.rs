//! Onchain actions for agents that are not trusted with the money.
//!
//! One path for every action, on every chain:
//!
//! ```text
//! input ─▶ build ─▶ simulate ─▶ policy ─▶ PreparedIntent        (prepare: nothing is signed)
//!                                            │ approve
//! intent_id ─▶ claim ─▶ recheck ─▶ sign ─▶ submit ─▶ reconcile  (execute: takes the id, nothing else)
//!                                            │
//!                                   hash-chained receipts
//! ```
//!
//! This crate holds what is the same on every chain: the descriptor, the policy and its evaluator, intents
//! and their seals, the execution states, the [`Engine`], and the small traits that a chain, a signer and a
//! store implement. It owns no network, no file, no clock and no randomness; all of it is handed in.
//!
//! A policy judges facts and says no in four words:
//!
//! ```
//! use oda_core::{Facts, Network, Policy, SimulationVerdict, evaluate};
//!
//! let policy = Policy::parse(br#"{"schema": "sato.policy/v1", "max_usd_per_trade": 5}"#)?;
//! let facts = Facts {
//!     action: "token.transfer".into(),
//!     chain: "base-sepolia".into(),
//!     network: Some(Network::Fork),
//!     usd_value: Some(10.0),
//!     simulation: Some(SimulationVerdict { ok: true, error: None }),
//!     ttl_s: Some(60.0),
//!     ..Facts::default()
//! };
//! let refusals = evaluate(&policy, &facts);
//! assert_eq!(refusals[0].rule, "max_usd_per_trade");
//! assert_eq!((refusals[0].limit.as_str(), refusals[0].observed.as_str()), ("5", "10"));
//! # Ok::<(), oda_core::PolicyError>(())
//! ```
//!
//! The example `in_memory` in this crate plugs a whole chain of its own into the engine, in one file.
//!
//! # What it promises
//!
//! - Nothing is signed at prepare, and execute takes an id and nothing else.
//! - What executes is what was prepared: the stored record is sealed, and editing it is detected.
//! - The policy is evaluated at prepare and again at execute, each time on a fresh simulation.
//! - One intent has at most one effect: one process wins the claim; signed bytes are durable before they
//!   are sent; until they are provably dead, no others are signed.
//! - The day's cap is a reservation taken together with the claim, in integers.
//! - Every change of state and its receipt are one transaction of the [`Store`].
//!
//! # What it does not
//!
//! It does not check that a [`Signer`] signs what it was given, and it cannot know what a wallet did that
//! signs and sends in one call and never answers ([`SendingSigner`]). It trusts its store not to be put back
//! to an older state as a whole; the receipts log, kept elsewhere, is what tells of that.

mod action;
mod approver;
mod artifact;
mod base_units;
mod chain;
mod chain_access;
mod clock;
mod crash_point;
mod decimal;
mod description_lint;
mod descriptor;
mod descriptor_lint;
mod descriptor_validate;
mod ecma;
mod effect;
mod engine;
mod error;
mod facts;
mod fee;
mod form;
mod intent;
mod kind;
mod lint;
mod memory_store;
mod names;
mod nearest;
mod payload;
mod policy;
mod policy_parse;
mod preflight;
mod record;
mod refusal;
mod registry;
mod request;
mod schema_lint;
mod secret;
mod simulation;
mod state;
mod store;
mod token_identity;
mod tree;
mod unsigned_shape;
mod usd;

pub use action::{Action, ActionError, BuildContext, Built, Query};
pub use approver::{Approver, Decision};
pub use artifact::{Artifact, Death, Sequence, Signed};
pub use base_units::{BaseUnits, MAX_BASE_UNITS_DIGITS, NotBaseUnits};
pub use chain::{
    Network, ODA_CHAINS, evm_chain_id, evm_chain_name, network_of_chain, network_of_evm_chain_id,
};
pub use chain_access::{
    ChainError, Fate, Lane, SendingSigner, Sent, Signer, SignerError, Simulator, Submission,
    Submitter, TermsRequest,
};
pub use clock::{Clock, Day, SystemClock, UnixMillis};
#[cfg(feature = "crash-points")]
pub use crash_point::{CRASH_POINTS, watch_crash_points};
pub use description_lint::{MAX_DESCRIPTION, lint_description};
pub use descriptor::{
    Custody, DESCRIPTOR_SCHEMA, DeclaredPolicy, Descriptor, DescriptorError, MAX_TITLE, MovesFunds,
    Sponsored,
};
pub use descriptor_lint::{lint_descriptor, lint_descriptor_text};
pub use descriptor_validate::{validate_descriptor, validate_descriptor_text};
pub use ecma::number_text;
pub use effect::{ApprovalHints, Effect, UnknownEffect, approval_hints, approval_hints_of_words};
pub use engine::{
    BuildEngineError, CLAIM_LEASE_MS, Engine, EngineBuilder, Execution, RECOVERY_BATCH, ReceiptLog,
};
pub use error::EngineError;
pub use facts::{Facts, Reading, SimulationVerdict};
pub use fee::FeeDisclosure;
pub use intent::{
    IntentId, MacInput, MalformedIntentId, NONCE_BYTES, Nonce, NonceError, NonceSource, OsNonces,
};
pub use kind::PayloadKind;
pub use lint::{LintIssue, LintRule};
pub use memory_store::MemoryStore;
pub use names::{ActionId, MAX_TOOL_NAME, NameError, ToolName, id_to_name, name_to_id};
pub use nearest::nearest;
pub use payload::{Payload, PayloadError, ReceiptId, SimulationNeed};
pub use policy::{
    DEFAULT_INTENT_TTL_S, MAX_INTENT_TTL_S, MAX_LIST_ENTRIES, MAX_SLIPPAGE_BPS, Policy,
    PolicyError, Scan, UnknownVerdict,
};
pub use preflight::evaluate;
pub use record::{
    BoundParams, Hold, HoldStatus, IntegrityError, IntentRecord, PreparedIntent, Progress,
    StoredIntent,
};
pub use refusal::{RuleId, UnknownRule};
pub use request::{ExecuteRequest, RequestError};
pub use schema_lint::{lint_portable_schema, lint_portable_schema_text};
pub use secret::{IntentSecret, MIN_SECRET_BYTES, SECRET_BYTES, SecretTooShort};
pub use simulation::{Change, SimulatedEffects, Simulation};
pub use state::{Event, ExecutionState, IllegalStep};
pub use store::{
    Commit, CommitOutcome, CounterChange, DaySpend, MAX_STORED_NUMBER, Store, StoreError,
};
pub use token_identity::{STABLECOINS, Stablecoin, TokenIdentity, stablecoin};
pub use unsigned_shape::{validate_unsigned, validate_unsigned_text};
pub use usd::UsdMicros;

pub use oda_receipts::{FieldError, PolicyOutcome, Refusal};
