//! What a call did on the way, as a node or the embedded EVM tells it.

use alloy::primitives::{Address, B256, Bytes, U256};

use crate::node::CallOutcome;
use crate::token_check::TokenBalance;

/// What came of tracing a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trace {
    /// It was traced.
    Traced(Box<TracedCall>),
    /// The node cannot trace.
    Unsupported {
        /// Why, in one sentence.
        reason: String,
    },
}

/// A traced call.
///
/// Everything listed here lasted: what happened inside a frame that reverted is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracedCall {
    /// How it was traced: `eth_simulateV1`, `debug_traceCall` or `revm`.
    pub method: &'static str,
    /// What the call came to.
    pub outcome: CallOutcome,
    /// How much gas it used, refunds deducted; `None` when the tracer does not tell.
    pub gas_used: Option<u64>,
    /// Logs, in the order in which they were written.
    pub logs: Vec<TracedLog>,
    /// Movements of native currency, in order, the call's own value first. Zero values are left out.
    pub transfers: Vec<NativeTransfer>,
    /// What else happened and leaves no log.
    pub internals: Internals,
    /// What the tokens that were touched say about the caller's balance around the call; `None` when it
    /// was not measured.
    pub token_balances: Option<Vec<TokenBalance>>,
}

/// What happened inside a call without a log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Internals {
    /// Contracts that were created; `None` when the tracer does not tell.
    pub created: Option<Vec<Address>>,
    /// Contracts that destroyed themselves; `None` when the tracer does not tell.
    pub destroyed: Option<Vec<Address>>,
    /// Foreign code that ran as the caller's own account (EIP-7702 or DELEGATECALL from it), by the
    /// address the code came from; `None` when the tracer does not tell.
    pub ran_as_sender: Option<Vec<Address>>,
    /// Accounts whose storage changed; `None` when the tracer does not tell.
    pub storage_changed: Option<Vec<Address>>,
}

/// A log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracedLog {
    /// The contract that wrote it.
    pub address: Address,
    /// Its topics, at most four.
    pub topics: Vec<B256>,
    /// Its data.
    pub data: Bytes,
}

/// A movement of native currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NativeTransfer {
    /// Who paid.
    pub from: Address,
    /// Who received.
    pub to: Address,
    /// How much, in wei.
    pub value: U256,
}
