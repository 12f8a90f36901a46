//! State that is fetched from another node when it is first needed.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use alloy::primitives::{Address, B256, U256};
use revm::bytecode::Bytecode;
use tokio::runtime::Handle;

use crate::embedded_state::StoredAccount;
use crate::node::{CountAt, EvmNode, NodeError};

/// Another chain's state after one block, read lazily and kept.
///
/// Reads block the thread they run on until the node answers, so they must run on a thread that may
/// block. The block is fixed: what was read once does not change.
pub(crate) struct ForkSource {
    node: Arc<dyn EvmNode>,
    block: u64,
    runtime: Handle,
    accounts: Mutex<HashMap<Address, Arc<StoredAccount>>>,
    slots: Mutex<HashMap<(Address, U256), U256>>,
}

impl std::fmt::Debug for ForkSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ForkSource")
            .field("node", &self.node.label())
            .field("block", &self.block)
            .finish_non_exhaustive()
    }
}

impl ForkSource {
    pub(crate) fn new(node: Arc<dyn EvmNode>, block: u64, runtime: Handle) -> Self {
        Self {
            node,
            block,
            runtime,
            accounts: Mutex::new(HashMap::new()),
            slots: Mutex::new(HashMap::new()),
        }
    }

    /// The account. Never `None`, since a node does not tell an empty account from one that does not
    /// exist; the EVM treats both alike (EIP-161).
    pub(crate) fn account(
        &self,
        address: Address,
    ) -> Result<Option<Arc<StoredAccount>>, NodeError> {
        if let Some(known) = lock(&self.accounts).get(&address) {
            return Ok(Some(Arc::clone(known)));
        }
        let (balance, nonce, code) = self.wait(async {
            tokio::try_join!(
                self.node.balance(address, self.block),
                self.node
                    .transaction_count(address, CountAt::Block(self.block)),
                self.node.code(address, self.block),
            )
        })?;
        let code = if code.is_empty() {
            None
        } else {
            Some(
                Bytecode::new_raw_checked(code).map_err(|error| NodeError::Malformed {
                    node: self.node.label().to_owned(),
                    method: "eth_getCode".to_owned(),
                    reason: format!("the code of {address} cannot be read: {error}"),
                })?,
            )
        };
        let account = Arc::new(StoredAccount {
            balance,
            nonce,
            code,
            ..StoredAccount::default()
        });
        lock(&self.accounts).insert(address, Arc::clone(&account));
        Ok(Some(account))
    }

    pub(crate) fn storage(&self, address: Address, slot: U256) -> Result<U256, NodeError> {
        if let Some(known) = lock(&self.slots).get(&(address, slot)) {
            return Ok(*known);
        }
        let value = self.wait(self.node.storage(address, slot, self.block))?;
        lock(&self.slots).insert((address, slot), value);
        Ok(value)
    }

    pub(crate) fn block_hash(&self, number: u64) -> Result<B256, NodeError> {
        let found = self.wait(self.node.block(number))?;
        found
            .map(|block| block.hash)
            .ok_or_else(|| NodeError::Malformed {
                node: self.node.label().to_owned(),
                method: "eth_getBlockByNumber".to_owned(),
                reason: format!("there is no block {number}"),
            })
    }

    fn wait<T>(
        &self,
        question: impl Future<Output = Result<T, NodeError>>,
    ) -> Result<T, NodeError> {
        self.runtime.block_on(question)
    }
}

/// A map of what was read stays right when a reader panics.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
