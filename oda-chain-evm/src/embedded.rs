//! A chain in this process.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use alloy::primitives::{Address, Bytes, U256, keccak256};
use revm::bytecode::Bytecode;

use crate::embedded_blocks::Blocks;
use crate::embedded_fork::ForkSource;
use crate::embedded_genesis::Genesis;
use crate::node::{BlockRef, CallOutcome, CallRequest, EvmNode, NodeError};

/// What errors call the embedded chain.
pub(crate) const LABEL: &str = "embedded";

/// An EVM chain in this process: real execution, no network, no disk.
///
/// Every accepted transaction makes one block. Signatures, nonces, fees and balances are checked as a node
/// checks them; a transaction whose nonce lies ahead waits. Clones share the chain;
/// [`EmbeddedChain::snapshot`] makes an independent copy.
///
/// ```
/// use alloy::primitives::{Address, U256};
/// use oda_chain_evm::{EmbeddedChain, EvmNode, Genesis};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let account = Address::repeat_byte(7);
/// let chain = EmbeddedChain::new(Genesis::new(84_532).with_balance(account, U256::from(5)));
/// let head = chain.head().await?;
/// assert_eq!(chain.balance(account, head.number).await?, U256::from(5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct EmbeddedChain {
    blocks: Arc<Mutex<Blocks>>,
    forked: bool,
}

impl fmt::Debug for EmbeddedChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (chain_id, head) = self.with(|blocks| (blocks.genesis.chain_id, blocks.head().number));
        f.debug_struct("EmbeddedChain")
            .field("chain_id", &chain_id)
            .field("head", &head)
            .field("forked", &self.forked)
            .finish()
    }
}

/// A scene could not be set on an embedded chain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddedError {
    /// A contract's constructor failed.
    #[error("the contract cannot be created: {reason}")]
    Creation {
        /// Why.
        reason: String,
    },
    /// A call failed.
    #[error("the call failed: {reason}")]
    Call {
        /// Why.
        reason: String,
    },
    /// The bytes are no code.
    #[error("the code of {address} cannot be read: {reason}")]
    Code {
        /// For which account they were meant.
        address: Address,
        /// What is wrong with them.
        reason: String,
    },
    /// The forked chain's node did not answer.
    #[error(transparent)]
    Node(#[from] NodeError),
}

impl EmbeddedError {
    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Creation { .. } => "embedded_creation",
            Self::Call { .. } => "embedded_call",
            Self::Code { .. } => "embedded_code",
            Self::Node(error) => error.code(),
        }
    }
}

impl EmbeddedChain {
    /// A fresh chain, at block 0.
    #[must_use]
    pub fn new(genesis: Genesis) -> Self {
        let first = BlockRef {
            number: 0,
            hash: keccak256(genesis.chain_id.to_be_bytes()),
            timestamp: genesis.timestamp,
            base_fee_per_gas: Some(genesis.initial_base_fee),
            gas_limit: genesis.block_gas_limit,
        };
        Self {
            blocks: Arc::new(Mutex::new(Blocks::new(genesis, first, None))),
            forked: false,
        }
    }

    /// A chain that continues another one from a block on. Its state is fetched from the node when it is
    /// first needed and then kept; nothing that happens here reaches the other chain.
    ///
    /// The chain keeps the other one's id, so transactions signed for one are valid on the other. Fees
    /// follow EIP-1559. Reads run on a thread that may block, of the runtime that this is called on.
    ///
    /// # Errors
    ///
    /// When the node does not answer, has no such block, or there is no runtime.
    pub async fn forked(node: Arc<dyn EvmNode>, block: u64) -> Result<Self, EmbeddedError> {
        let runtime = tokio::runtime::Handle::try_current()
            .map_err(|_| NodeError::unsupported(node.label(), "forking outside a tokio runtime"))?;
        let chain_id = node.chain_id().await?;
        let first = node
            .block(block)
            .await?
            .ok_or_else(|| NodeError::Malformed {
                node: node.label().to_owned(),
                method: "eth_getBlockByNumber".to_owned(),
                reason: format!("there is no block {block}"),
            })?;
        let genesis = Genesis::new(chain_id)
            .with_timestamp(first.timestamp)
            .with_base_fee(
                first.base_fee_per_gas.unwrap_or_default(),
                crate::embedded_genesis::BaseFee::Eip1559,
            )
            .with_block_gas_limit(first.gas_limit);
        let source = Arc::new(ForkSource::new(node, block, runtime));
        let blocks = Blocks::new(genesis, first, Some(source));
        Ok(Self {
            blocks: Arc::new(Mutex::new(blocks)),
            forked: true,
        })
    }

    /// An independent copy of the chain as it stands. It costs a pointer per account.
    #[must_use]
    pub fn snapshot(&self) -> Self {
        let blocks = self.with(|blocks| blocks.clone());
        Self {
            blocks: Arc::new(Mutex::new(blocks)),
            forked: self.forked,
        }
    }

    /// Creates a contract in a block of its own and returns its address. Neither a key nor a fee is needed.
    ///
    /// # Errors
    ///
    /// [`EmbeddedError::Creation`] when the constructor fails.
    pub async fn deploy(
        &self,
        from: Address,
        creation_code: Bytes,
    ) -> Result<Address, EmbeddedError> {
        let created = self
            .work(move |blocks| blocks.deploy(from, creation_code))
            .await?;
        created.map_err(|outcome| EmbeddedError::Creation {
            reason: reason_of(outcome),
        })
    }

    /// Runs a call of any account in a block of its own. Neither its key nor a fee is needed.
    ///
    /// # Errors
    ///
    /// [`EmbeddedError::Call`] when it fails.
    pub async fn impersonate(&self, request: CallRequest) -> Result<(), EmbeddedError> {
        let done = self
            .work(move |blocks| blocks.impersonate(&request))
            .await?;
        done.map_err(|outcome| EmbeddedError::Call {
            reason: reason_of(outcome),
        })
    }

    /// Puts code at an address, for instance that of a contract at its canonical address.
    ///
    /// # Errors
    ///
    /// [`EmbeddedError::Code`] when the bytes are no code.
    pub async fn set_code(&self, address: Address, code: Bytes) -> Result<(), EmbeddedError> {
        let code = Bytecode::new_raw_checked(code).map_err(|error| EmbeddedError::Code {
            address,
            reason: error.to_string(),
        })?;
        self.edit(address, move |account| account.code = Some(code))
            .await
    }

    /// Sets a balance, in wei.
    ///
    /// # Errors
    ///
    /// On a forked chain, when the node does not answer.
    pub async fn set_balance(&self, address: Address, wei: U256) -> Result<(), EmbeddedError> {
        self.edit(address, move |account| account.balance = wei)
            .await
    }

    /// Sets one storage slot.
    ///
    /// # Errors
    ///
    /// On a forked chain, when the node does not answer.
    pub async fn set_storage(
        &self,
        address: Address,
        slot: U256,
        value: U256,
    ) -> Result<(), EmbeddedError> {
        self.edit(address, move |account| {
            account.storage.insert(slot, value);
        })
        .await
    }

    /// Sets the time of the next block, in seconds since the epoch. A time before the latest block's is
    /// raised to that.
    pub fn set_next_timestamp(&self, seconds: u64) {
        self.with(|blocks| blocks.next_timestamp = Some(seconds));
    }

    /// Appends an empty block.
    pub fn mine(&self) {
        self.with(Blocks::mine);
    }

    async fn edit(
        &self,
        address: Address,
        change: impl FnOnce(&mut crate::embedded_state::StoredAccount) + Send + 'static,
    ) -> Result<(), EmbeddedError> {
        let edited = self
            .work(move |blocks| blocks.edit(address, change))
            .await?;
        edited.map_err(|error| EmbeddedError::Node(error.0))
    }

    pub(crate) fn with<T>(&self, question: impl FnOnce(&mut Blocks) -> T) -> T {
        question(&mut lock(&self.blocks))
    }

    /// Runs something that may execute code, on a thread where waiting for a forked chain is allowed.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        task: impl FnOnce(&mut Blocks) -> T + Send + 'static,
    ) -> Result<T, NodeError> {
        let blocks = Arc::clone(&self.blocks);
        self.blocking(move || task(&mut lock(&blocks))).await
    }

    /// As [`EmbeddedChain::work`], without the chain itself.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        task: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NodeError> {
        if !self.forked {
            // Memory only: microseconds, and no reason to change threads.
            return Ok(task());
        }
        tokio::task::spawn_blocking(task)
            .await
            .map_err(|_| NodeError::Unreachable {
                node: LABEL.to_owned(),
                reason: "the embedded EVM was stopped".to_owned(),
            })
    }
}

fn reason_of(outcome: CallOutcome) -> String {
    match outcome {
        CallOutcome::Revert { reason, .. } | CallOutcome::Failed { reason } => reason,
        CallOutcome::Success { .. } => "it did not end as it should".to_owned(),
    }
}

/// A change is applied whole or not at all, so a chain stays right when its user panics.
fn lock(blocks: &Mutex<Blocks>) -> MutexGuard<'_, Blocks> {
    blocks.lock().unwrap_or_else(PoisonError::into_inner)
}
