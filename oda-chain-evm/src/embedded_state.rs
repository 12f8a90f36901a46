//! The world state of an embedded chain, and views of it at a block.

use std::collections::HashMap;
use std::sync::Arc;

use alloy::primitives::{Address, B256, KECCAK256_EMPTY, U256, keccak256};
use revm::DatabaseRef;
use revm::bytecode::Bytecode;
use revm::database_interface::DBErrorMarker;
use revm::state::{Account, AccountInfo, EvmState};

use crate::embedded_fork::ForkSource;
use crate::node::NodeError;

/// The state could not be read: only a forked chain, which asks another node, can say so.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct StateError(#[from] pub(crate) NodeError);

impl DBErrorMarker for StateError {}

/// An account as it stands.
#[derive(Debug, Clone, Default)]
pub(crate) struct StoredAccount {
    pub(crate) balance: U256,
    pub(crate) nonce: u64,
    pub(crate) code: Option<Bytecode>,
    pub(crate) storage: HashMap<U256, U256>,
    /// The account was created or destroyed here: slots that are not listed are zero, whatever the
    /// forked chain holds.
    pub(crate) wiped: bool,
}

impl StoredAccount {
    fn info(&self) -> AccountInfo {
        let code = self.code.clone().unwrap_or_default();
        let code_hash = if code.is_empty() {
            KECCAK256_EMPTY
        } else {
            code.hash_slow()
        };
        AccountInfo {
            balance: self.balance,
            nonce: self.nonce,
            code_hash,
            code: Some(code),
            ..AccountInfo::default()
        }
    }
}

/// Accounts that differ from what lies below (nothing, or a forked chain).
///
/// Accounts are shared between copies, so a copy costs a pointer per account.
#[derive(Debug, Clone, Default)]
pub(crate) struct WorldState {
    accounts: HashMap<Address, Arc<StoredAccount>>,
}

/// What accounts were before a block; `None` for one that was not listed.
pub(crate) type Undo = HashMap<Address, Option<Arc<StoredAccount>>>;

impl WorldState {
    pub(crate) fn get(&self, address: Address) -> Option<&Arc<StoredAccount>> {
        self.accounts.get(&address)
    }

    pub(crate) fn set(&mut self, address: Address, account: StoredAccount) {
        self.accounts.insert(address, Arc::new(account));
    }

    /// Puts an account back to what it was; `None` for one that was not listed.
    pub(crate) fn replace(&mut self, address: Address, before: Option<Arc<StoredAccount>>) {
        match before {
            Some(account) => self.accounts.insert(address, account),
            None => self.accounts.remove(&address),
        };
    }

    /// Takes over what a transaction changed, and returns what undoes it.
    pub(crate) fn apply(&mut self, changes: EvmState) -> Undo {
        let mut undo = Undo::new();
        for (address, account) in changes {
            if account.is_touched() {
                undo.insert(address, self.accounts.get(&address).cloned());
                let before = self.accounts.get(&address).cloned().unwrap_or_default();
                self.accounts
                    .insert(address, Arc::new(after(&before, &account)));
            }
        }
        undo
    }
}

fn after(before: &StoredAccount, account: &Account) -> StoredAccount {
    if account.is_selfdestructed() {
        return StoredAccount {
            wiped: true,
            ..StoredAccount::default()
        };
    }
    let fresh = account.is_created();
    let mut storage = if fresh {
        HashMap::new()
    } else {
        before.storage.clone()
    };
    for (slot, value) in &account.storage {
        if value.is_changed() {
            storage.insert(*slot, value.present_value);
        }
    }
    StoredAccount {
        balance: account.info.balance,
        nonce: account.info.nonce,
        code: account
            .info
            .code
            .clone()
            .filter(|code| !code.is_empty())
            .or_else(|| {
                // The EVM may drop code that it did not need; the account keeps it.
                before
                    .code
                    .clone()
                    .filter(|code| code.hash_slow() == account.info.code_hash)
            }),
        storage,
        wiped: before.wiped || fresh,
    }
}

/// The state after one block. Reading it never waits for the chain that it was taken from.
#[derive(Debug, Clone)]
pub(crate) struct View {
    pub(crate) state: Arc<WorldState>,
    /// What later blocks changed, as it was before them.
    pub(crate) overlay: Undo,
    pub(crate) fork: Option<Arc<ForkSource>>,
    pub(crate) hashes: Arc<Vec<B256>>,
    /// The number of the first of `hashes`.
    pub(crate) first: u64,
}

impl View {
    pub(crate) fn account(&self, address: Address) -> Result<Option<AccountInfo>, StateError> {
        match self.stored(address) {
            Some(account) => Ok(Some(account.info())),
            None => match &self.fork {
                Some(fork) => Ok(fork.account(address)?.map(|account| account.info())),
                None => Ok(None),
            },
        }
    }

    pub(crate) fn slot(&self, address: Address, slot: U256) -> Result<U256, StateError> {
        let stored = self.stored(address);
        if let Some(value) = stored.and_then(|account| account.storage.get(&slot)) {
            return Ok(*value);
        }
        match &self.fork {
            Some(fork) if stored.is_none_or(|account| !account.wiped) => {
                Ok(fork.storage(address, slot)?)
            }
            _ => Ok(U256::ZERO),
        }
    }

    fn stored(&self, address: Address) -> Option<&Arc<StoredAccount>> {
        match self.overlay.get(&address) {
            Some(before) => before.as_ref(),
            None => self.state.get(address),
        }
    }
}

impl DatabaseRef for View {
    type Error = StateError;

    fn basic_ref(&self, address: Address) -> Result<Option<AccountInfo>, StateError> {
        self.account(address)
    }

    fn code_by_hash_ref(&self, _code_hash: B256) -> Result<Bytecode, StateError> {
        // Accounts are handed out with their code, so the EVM never asks by hash.
        Ok(Bytecode::default())
    }

    fn storage_ref(&self, address: Address, index: U256) -> Result<U256, StateError> {
        self.slot(address, index)
    }

    fn block_hash_ref(&self, number: u64) -> Result<B256, StateError> {
        let index = number
            .checked_sub(self.first)
            .and_then(|index| usize::try_from(index).ok());
        match index.and_then(|index| self.hashes.get(index)) {
            Some(hash) => Ok(*hash),
            None => match &self.fork {
                Some(fork) => Ok(fork.block_hash(number)?),
                None => Ok(keccak256(number.to_be_bytes())),
            },
        }
    }
}
