//! How an embedded chain begins.

use std::collections::BTreeMap;

use alloy::primitives::{Address, U256};

/// The gas that fits into one block, as on many public chains.
const BLOCK_GAS_LIMIT: u64 = 30_000_000;

/// One gwei: the initial base fee of EIP-1559 chains.
const INITIAL_BASE_FEE: u64 = 1_000_000_000;

/// The tip that the chain suggests, in wei per gas. It mines at once, so none would be needed; a tip above
/// zero exercises the arithmetic.
const SUGGESTED_TIP: u128 = 1_000_000_000;

/// How the base fee moves from block to block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseFee {
    /// It does not.
    Fixed,
    /// By the rule of EIP-1559.
    Eip1559,
}

/// How an embedded chain begins. Every field has a value that suits tests and demonstrations.
#[derive(Debug, Clone)]
pub struct Genesis {
    pub(crate) chain_id: u64,
    pub(crate) balances: BTreeMap<Address, U256>,
    pub(crate) timestamp: u64,
    pub(crate) initial_base_fee: u64,
    pub(crate) base_fee: BaseFee,
    pub(crate) block_gas_limit: u64,
    pub(crate) suggested_tip: u128,
    pub(crate) finality_depth: u64,
}

impl Genesis {
    /// A chain with this id (EIP-155), no accounts, time zero, a base fee of one gwei that stays, and every
    /// block final at once.
    #[must_use]
    pub fn new(chain_id: u64) -> Self {
        Self {
            chain_id,
            balances: BTreeMap::new(),
            timestamp: 0,
            initial_base_fee: INITIAL_BASE_FEE,
            base_fee: BaseFee::Fixed,
            block_gas_limit: BLOCK_GAS_LIMIT,
            suggested_tip: SUGGESTED_TIP,
            finality_depth: 0,
        }
    }

    /// Gives an account a balance in wei.
    #[must_use]
    pub fn with_balance(mut self, account: Address, wei: U256) -> Self {
        self.balances.insert(account, wei);
        self
    }

    /// The time of the first block, in seconds since the epoch. Later blocks are one second apart unless
    /// their time is set.
    #[must_use]
    pub const fn with_timestamp(mut self, seconds: u64) -> Self {
        self.timestamp = seconds;
        self
    }

    /// The base fee of the first block in wei per gas, and how it moves.
    #[must_use]
    pub const fn with_base_fee(mut self, wei_per_gas: u64, moves: BaseFee) -> Self {
        self.initial_base_fee = wei_per_gas;
        self.base_fee = moves;
        self
    }

    /// How many blocks must stand on a block until it is final.
    #[must_use]
    pub const fn with_finality_depth(mut self, blocks: u64) -> Self {
        self.finality_depth = blocks;
        self
    }

    /// How much gas fits into one block.
    #[must_use]
    pub const fn with_block_gas_limit(mut self, gas: u64) -> Self {
        self.block_gas_limit = gas;
        self
    }
}
