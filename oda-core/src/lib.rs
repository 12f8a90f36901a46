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

mod action;
mod approver;
mod artifact;
mod base_units;
mod chain;
mod chain_access;
mod clock;
mod descriptor;
mod effect;
mod engine;
mod error;
mod facts;
mod fee;
mod intent;
mod kind;
mod memory_store;
mod names;
mod nearest;
mod payload;
mod policy;
mod policy_parse;
mod preflight;
mod record;
mod registry;
mod request;
mod rule;
mod secret;
mod simulation;
mod state;
mod store;
mod token_identity;
mod usd;

pub use action::{Action, ActionError, BuildContext, Built, Query};
pub use approver::{Approver, Decision};
pub use artifact::{Artifact, Death, Sequence, Signed};
pub use base_units::{BaseUnits, MAX_BASE_UNITS_DIGITS};
pub use chain::{
    Network, ODA_CHAINS, evm_chain_id, evm_chain_name, network_of_chain, network_of_evm_chain_id,
};
pub use chain_access::{
    ChainError, Fate, Lane, SendingSigner, Sent, Signer, SignerError, Simulator, Submission,
    Submitter, TermsRequest,
};
pub use clock::{Clock, Day, SystemClock, UnixMillis};
pub use descriptor::{
    Custody, DeclaredPolicy, Descriptor, DescriptorSchema, MovesFunds, Sponsored,
};
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
pub use memory_store::MemoryStore;
pub use names::{ActionId, MAX_TOOL_NAME, NameError, ToolName, id_to_name, name_to_id};
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
pub use request::{ExecuteRequest, RequestError};
pub use rule::RuleId;
pub use secret::{IntentSecret, MIN_SECRET_BYTES, SECRET_BYTES, SecretTooShort};
pub use simulation::{Change, SimulatedEffects, Simulation};
pub use state::{Event, ExecutionState, IllegalStep};
pub use store::{Commit, CommitOutcome, CounterChange, DaySpend, Store, StoreError};

pub use token_identity::{STABLECOINS, Stablecoin, TokenIdentity, stablecoin};
pub use usd::{UsdMicros, number_text};

pub use oda_receipts::{PolicyOutcome, Refusal};
