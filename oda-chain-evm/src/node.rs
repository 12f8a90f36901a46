//! One chain as this crate needs it: a JSON-RPC node, or the EVM in this process.

use std::fmt;

use alloy::primitives::{Address, B256, Bytes, U256};
use async_trait::async_trait;
use oda_core::ChainError;

use crate::trace::Trace;

/// Answers questions about one EVM chain, and takes signed transactions for it.
///
/// An implementation does not judge: it reports what the chain says. It does not retry either, so that
/// one question has one answer and the caller alone decides what an ambiguous one means. Nothing here
/// checks that the chain is the wanted one; [`EvmNetworks::checked`](crate::EvmNetworks::checked) does.
///
/// Block parameters are numbers, never tags: every question about one simulation is asked at one block.
#[async_trait]
pub trait EvmNode: Send + Sync + fmt::Debug {
    /// What errors call this node: its URL without credentials, path and query, or `embedded`.
    fn label(&self) -> &str;

    /// The id of the chain that the node serves (EIP-155), asked of the node every time.
    ///
    /// # Errors
    ///
    /// When the node does not answer as it should.
    async fn chain_id(&self) -> Result<u64, NodeError>;

    /// The latest block.
    ///
    /// # Errors
    ///
    /// When the node does not answer as it should.
    async fn head(&self) -> Result<BlockRef, NodeError>;

    /// The latest block that the chain's consensus will not take back. `None` when the node does not know
    /// the tag `finalized`.
    ///
    /// # Errors
    ///
    /// When the node does not answer as it should.
    async fn finalized(&self) -> Result<Option<BlockRef>, NodeError>;

    /// Runs a call on the state after a block and throws its changes away. A revert is an answer.
    ///
    /// # Errors
    ///
    /// When the node does not answer as it should.
    async fn call(&self, request: &CallRequest, block: u64) -> Result<CallOutcome, NodeError>;

    /// The gas limit under which the call succeeds on the state after a block.
    ///
    /// # Errors
    ///
    /// When the node does not answer, and [`NodeError::Rpc`] when the call cannot succeed.
    async fn estimate_gas(&self, request: &CallRequest, block: u64) -> Result<u64, NodeError>;

    /// Runs a call on the state after a block and reports what it did on the way.
    ///
    /// [`Trace::Unsupported`] is an answer: the node has no way to trace.
    ///
    /// # Errors
    ///
    /// When the node does not answer as it should.
    async fn trace(&self, request: &CallRequest, block: u64) -> Result<Trace, NodeError>;

    /// The native balance of an account after a block, in wei.
    ///
    /// # Errors
    ///
    /// When the node does not answer as it should.
    async fn balance(&self, address: Address, block: u64) -> Result<U256, NodeError>;

    /// How many transactions an account has sent, which is the next nonce it can use.
    ///
    /// # Errors
    ///
    /// When the node does not answer as it should, and [`NodeError::Unsupported`] for
    /// [`CountAt::Finalized`] when it has no such tag.
    async fn transaction_count(&self, address: Address, at: CountAt) -> Result<u64, NodeError>;

    /// What a transaction should offer now.
    ///
    /// # Errors
    ///
    /// When the node does not answer as it should, or the chain has no base fee (before EIP-1559).
    async fn fees(&self) -> Result<FeeSuggestion, NodeError>;

    /// Hands over a signed transaction in its EIP-2718 encoding.
    async fn send_raw(&self, bytes: &[u8]) -> SendOutcome;

    /// Looks a transaction up by its hash. `None` when the node does not know it.
    ///
    /// # Errors
    ///
    /// When the node does not answer as it should.
    async fn transaction(&self, hash: B256) -> Result<Option<TransactionInfo>, NodeError>;

    /// The receipt of an included transaction. `None` when the node has none.
    ///
    /// # Errors
    ///
    /// When the node does not answer as it should.
    async fn receipt(&self, hash: B256) -> Result<Option<ReceiptInfo>, NodeError>;

    /// The code of an account after a block; empty for an account without code.
    ///
    /// # Errors
    ///
    /// When the node does not answer, and [`NodeError::Unsupported`] unless implemented.
    async fn code(&self, address: Address, block: u64) -> Result<Bytes, NodeError> {
        let _ = (address, block);
        Err(NodeError::unsupported(self.label(), "reading code"))
    }

    /// One storage slot of an account after a block; zero when never written.
    ///
    /// # Errors
    ///
    /// When the node does not answer, and [`NodeError::Unsupported`] unless implemented.
    async fn storage(&self, address: Address, slot: U256, block: u64) -> Result<U256, NodeError> {
        let _ = (address, slot, block);
        Err(NodeError::unsupported(self.label(), "reading storage"))
    }

    /// A block by its number. `None` when there is none yet.
    ///
    /// # Errors
    ///
    /// When the node does not answer, and [`NodeError::Unsupported`] unless implemented.
    async fn block(&self, number: u64) -> Result<Option<BlockRef>, NodeError> {
        let _ = number;
        Err(NodeError::unsupported(
            self.label(),
            "reading blocks by number",
        ))
    }
}

/// A call to run: a transaction without nonce, fees and signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRequest {
    /// Who calls. `None` stands for the zero address, as JSON-RPC has it.
    pub from: Option<Address>,
    /// Which account is called. Contract creation is not a payload of ODA draft 0, section 6.
    pub to: Address,
    /// The calldata.
    pub data: Bytes,
    /// How much native currency goes along, in wei.
    pub value: U256,
}

/// A block, as far as this crate needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockRef {
    /// Its number.
    pub number: u64,
    /// Its hash.
    pub hash: B256,
    /// When it was made: seconds since the epoch.
    pub timestamp: u64,
    /// The base fee that its transactions paid, in wei per gas; `None` before EIP-1559.
    pub base_fee_per_gas: Option<u64>,
    /// The most gas that its transactions could use together.
    pub gas_limit: u64,
}

/// What a call came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallOutcome {
    /// It ran to its end.
    Success {
        /// What it returned.
        output: Bytes,
    },
    /// The contract refused.
    Revert {
        /// The revert data, raw.
        data: Bytes,
        /// The same for people: decoded, bounded in length, without control characters.
        reason: String,
    },
    /// It stopped otherwise: out of gas, an invalid opcode, not enough balance for the value.
    Failed {
        /// Why.
        reason: String,
    },
}

impl CallOutcome {
    /// Whether the call ran to its end.
    #[must_use]
    pub const fn is_success(&self) -> bool {
        matches!(self, Self::Success { .. })
    }
}

/// At which point of the chain transactions are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountAt {
    /// After the latest block.
    Latest,
    /// With what waits in the node's pool.
    Pending,
    /// After the latest finalized block.
    Finalized,
    /// After this block.
    Block(u64),
}

/// What a transaction should offer now (EIP-1559), in wei per gas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeeSuggestion {
    /// The base fee of the next block, or of the latest where the next is not known.
    pub base_fee_per_gas: u128,
    /// The tip that the node suggests.
    pub priority_fee_per_gas: u128,
}

/// What a node answered to a signed transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendOutcome {
    /// It took it.
    Accepted {
        /// The hash that the node gave.
        hash: B256,
    },
    /// It had it already, waiting or included.
    AlreadyKnown,
    /// It certainly did not take it, and these bytes have not been included before.
    Refused {
        /// Its reason.
        reason: String,
    },
    /// No certain answer: the transaction may or may not be on its way.
    Unknown {
        /// What happened.
        reason: String,
    },
}

/// A transaction as the node sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransactionInfo {
    /// The block that includes it; `None` while it waits.
    pub block: Option<u64>,
    /// Who sent it.
    pub from: Address,
    /// Its nonce.
    pub nonce: u64,
}

/// What an included transaction came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceiptInfo {
    /// The block that includes it.
    pub block: u64,
    /// That block's hash.
    pub block_hash: B256,
    /// Whether it succeeded. When not, its nonce and its gas are spent and nothing else happened.
    pub succeeded: bool,
    /// How much gas it used.
    pub gas_used: u64,
    /// What it paid, in wei per gas.
    pub effective_gas_price: u128,
}

/// A node did not answer as it should. None of these says anything about the chain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NodeError {
    /// No connection.
    #[error("{node} cannot be reached: {reason}; check that it runs and that the URL is right")]
    Unreachable {
        /// Which node, without credentials.
        node: String,
        /// What the connection said.
        reason: String,
    },
    /// No answer in time.
    #[error(
        "{node} did not answer {method} within {millis} ms; try again, or configure another node"
    )]
    Timeout {
        /// Which node.
        node: String,
        /// What was asked.
        method: String,
        /// How long it was waited for.
        millis: u64,
    },
    /// The HTTP server in front of the node refused.
    #[error("{node} answered {method} with HTTP status {status}{}; {}", excerpt_suffix(.excerpt), http_advice(*.status))]
    HttpStatus {
        /// Which node.
        node: String,
        /// What was asked.
        method: String,
        /// The status.
        status: u16,
        /// The beginning of the body, without control characters; empty when there was none.
        excerpt: String,
    },
    /// The node answered with a JSON-RPC error.
    #[error("{node} answered {method} with error {error_code}: {message}")]
    Rpc {
        /// Which node.
        node: String,
        /// What was asked.
        method: String,
        /// The JSON-RPC error code.
        error_code: i64,
        /// The node's message, bounded and without control characters.
        message: String,
    },
    /// The answer is not what the method answers.
    #[error(
        "{node} gave an answer to {method} that is not one: {reason}; check that the URL is that of a JSON-RPC endpoint"
    )]
    Malformed {
        /// Which node.
        node: String,
        /// What was asked.
        method: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The node has no way to answer.
    #[error("{node} does not support {what}")]
    Unsupported {
        /// Which node.
        node: String,
        /// What was asked for.
        what: String,
    },
}

impl NodeError {
    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "rpc_unreachable",
            Self::Timeout { .. } => "rpc_timeout",
            Self::HttpStatus { .. } => "rpc_http_status",
            Self::Rpc { .. } => "rpc_error",
            Self::Malformed { .. } => "rpc_malformed",
            Self::Unsupported { .. } => "rpc_unsupported",
        }
    }

    /// Which node it was.
    #[must_use]
    pub fn node(&self) -> &str {
        match self {
            Self::Unreachable { node, .. }
            | Self::Timeout { node, .. }
            | Self::HttpStatus { node, .. }
            | Self::Rpc { node, .. }
            | Self::Malformed { node, .. }
            | Self::Unsupported { node, .. } => node,
        }
    }

    pub(crate) fn unsupported(node: &str, what: &str) -> Self {
        Self::Unsupported {
            node: node.to_owned(),
            what: what.to_owned(),
        }
    }
}

/// The engine's view: no answer, whatever the cause. The code stands in the reason, so that a script can
/// still tell the causes apart.
impl From<NodeError> for ChainError {
    fn from(error: NodeError) -> Self {
        let reason = match &error {
            NodeError::Unreachable { reason, .. } => {
                format!("no connection: {reason}; check that it runs and that the URL is right")
            }
            NodeError::Timeout { method, millis, .. } => {
                format!(
                    "no answer to {method} within {millis} ms; try again, or configure another node"
                )
            }
            NodeError::HttpStatus {
                method,
                status,
                excerpt,
                ..
            } => format!(
                "HTTP status {status} to {method}{}; {}",
                excerpt_suffix(excerpt),
                http_advice(*status)
            ),
            NodeError::Rpc {
                method,
                error_code,
                message,
                ..
            } => {
                format!("error {error_code} to {method}: {message}")
            }
            NodeError::Malformed { method, reason, .. } => format!(
                "malformed answer to {method}: {reason}; check that the URL is that of a JSON-RPC endpoint"
            ),
            NodeError::Unsupported { what, .. } => format!("it does not support {what}"),
        };
        Self::Unavailable {
            node: error.node().to_owned(),
            reason: format!("{}: {reason}", error.code()),
        }
    }
}

fn excerpt_suffix(excerpt: &str) -> String {
    if excerpt.is_empty() {
        String::new()
    } else {
        format!(" (`{excerpt}`)")
    }
}

/// What to do about an HTTP status.
const fn http_advice(status: u16) -> &'static str {
    match status {
        300..=399 => "redirects are not followed: configure the final URL",
        401 | 403 => "check the credentials in the URL",
        404 => "check the path of the URL",
        429 => "the node limits the rate: wait, or configure another node",
        _ => "try again, or configure another node",
    }
}
