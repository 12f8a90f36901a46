//! The blocks of an embedded chain, and what turns a signed transaction into one.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use alloy::consensus::transaction::SignerRecoverable;
use alloy::consensus::{Transaction as _, TxEnvelope, Typed2718 as _};
use alloy::eips::eip1559::{BaseFeeParams, calc_next_block_base_fee};
use alloy::eips::eip2718::Decodable2718 as _;
use alloy::primitives::{Address, B256, Bytes, keccak256};
use revm::context::TxEnv;
use revm::context::result::{EVMError, ExecutionResult, ResultAndState};

use crate::embedded_evm::{Checks, Surroundings, call_tx, creation_tx, outcome, reason_text, run};
use crate::embedded_fork::ForkSource;
use crate::embedded_genesis::{BaseFee, Genesis};
use crate::embedded_state::{StateError, StoredAccount, Undo, View, WorldState};
use crate::node::{
    BlockRef, CallOutcome, CallRequest, NodeError, ReceiptInfo, SendOutcome, TransactionInfo,
};

/// How many blocks back the state can be read. Older differences are dropped, so that a long-running
/// chain does not grow without bound.
pub(crate) const KEPT_STATES: usize = 1_024;

/// How many transactions of one sender wait for an earlier nonce.
const MAX_QUEUED: usize = 64;

/// Blocks, the state after the last one, and what waits.
#[derive(Debug, Clone)]
pub(crate) struct Blocks {
    pub(crate) genesis: Arc<Genesis>,
    pub(crate) fork: Option<Arc<ForkSource>>,
    blocks: Arc<Vec<BlockRef>>,
    hashes: Arc<Vec<B256>>,
    state: Arc<WorldState>,
    /// What undoes the last blocks, the latest at the back.
    undo: VecDeque<Arc<Undo>>,
    next_base_fee: u64,
    /// The time of the next block, when it was set.
    pub(crate) next_timestamp: Option<u64>,
    mined: HashMap<B256, (TransactionInfo, ReceiptInfo)>,
    queued: BTreeMap<(Address, u64), Waiting>,
}

#[derive(Debug, Clone)]
struct Waiting {
    hash: B256,
    tx: Arc<TxEnvelope>,
}

impl Blocks {
    pub(crate) fn new(genesis: Genesis, first: BlockRef, fork: Option<Arc<ForkSource>>) -> Self {
        let mut state = WorldState::default();
        for (address, balance) in &genesis.balances {
            state.set(
                *address,
                StoredAccount {
                    balance: *balance,
                    ..StoredAccount::default()
                },
            );
        }
        Self {
            next_base_fee: first.base_fee_per_gas.unwrap_or_default(),
            genesis: Arc::new(genesis),
            fork,
            blocks: Arc::new(vec![first]),
            hashes: Arc::new(vec![first.hash]),
            state: Arc::new(state),
            undo: VecDeque::new(),
            next_timestamp: None,
            mined: HashMap::new(),
            queued: BTreeMap::new(),
        }
    }

    pub(crate) fn head(&self) -> BlockRef {
        // The list starts with the first block and only grows.
        self.blocks.last().copied().unwrap_or(BlockRef {
            number: 0,
            hash: B256::ZERO,
            timestamp: 0,
            base_fee_per_gas: None,
            gas_limit: 0,
        })
    }

    pub(crate) fn first(&self) -> u64 {
        self.blocks.first().map_or(0, |block| block.number)
    }

    pub(crate) fn block(&self, number: u64) -> Option<BlockRef> {
        let index = usize::try_from(number.checked_sub(self.first())?).ok()?;
        self.blocks.get(index).copied()
    }

    pub(crate) const fn next_base_fee(&self) -> u64 {
        self.next_base_fee
    }

    pub(crate) fn surroundings(&self, block: BlockRef) -> Surroundings {
        Surroundings {
            chain_id: self.genesis.chain_id,
            block,
        }
    }

    /// The state after a block, or why it cannot be had.
    pub(crate) fn view(&self, number: u64) -> Result<(View, BlockRef), NodeError> {
        let missing = |message: String| NodeError::Rpc {
            node: crate::embedded::LABEL.to_owned(),
            method: "state".to_owned(),
            error_code: -32_000,
            message,
        };
        let block = self
            .block(number)
            .ok_or_else(|| missing(format!("there is no block {number} on this chain")))?;
        let later = usize::try_from(self.head().number - number).unwrap_or(usize::MAX);
        if later > self.undo.len() {
            return Err(missing(format!(
                "the state after block {number} is no longer kept"
            )));
        }
        let mut overlay = Undo::new();
        for undo in self.undo.iter().rev().take(later) {
            overlay.extend(
                undo.iter()
                    .map(|(address, before)| (*address, before.clone())),
            );
        }
        Ok((self.view_with(overlay), block))
    }

    fn view_with(&self, overlay: Undo) -> View {
        View {
            state: Arc::clone(&self.state),
            overlay,
            fork: self.fork.clone(),
            hashes: Arc::clone(&self.hashes),
            first: self.first(),
        }
    }

    pub(crate) fn transaction(&self, hash: B256) -> Option<TransactionInfo> {
        let waiting = || {
            self.queued
                .iter()
                .find(|(_, waiting)| waiting.hash == hash)
                .map(|((from, nonce), _)| TransactionInfo {
                    block: None,
                    from: *from,
                    nonce: *nonce,
                })
        };
        self.mined
            .get(&hash)
            .map(|(info, _)| *info)
            .or_else(waiting)
    }

    pub(crate) fn receipt(&self, hash: B256) -> Option<ReceiptInfo> {
        self.mined.get(&hash).map(|(_, receipt)| *receipt)
    }

    /// How many transactions follow an account's nonce without a gap.
    pub(crate) fn waiting_after(&self, address: Address, nonce: u64) -> u64 {
        (nonce..)
            .take_while(|next| self.queued.contains_key(&(address, *next)))
            .count() as u64
    }

    /// Takes a signed transaction: into a block at once, or into the queue when its nonce lies ahead.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> SendOutcome {
        let refused = |reason: String| SendOutcome::Refused { reason };
        let tx = match decode(bytes) {
            Ok(tx) => tx,
            Err(reason) => return refused(reason),
        };
        let hash = *tx.tx_hash();
        if self.transaction(hash).is_some() {
            return SendOutcome::AlreadyKnown;
        }
        if tx.chain_id().is_some_and(|id| id != self.genesis.chain_id) {
            return refused(format!(
                "invalid chain id: this is {}",
                self.genesis.chain_id
            ));
        }
        let Ok(sender) = tx.recover_signer() else {
            return refused("invalid sender: the signature does not verify".to_owned());
        };
        let next = match self.nonce(sender) {
            Ok(nonce) => nonce,
            Err(StateError(error)) => {
                return SendOutcome::Unknown {
                    reason: error.to_string(),
                };
            }
        };
        if tx.nonce() < next {
            return SendOutcome::Unknown {
                reason: format!("nonce too low: next nonce {next}, tx nonce {}", tx.nonce()),
            };
        }
        if tx.nonce() > next {
            return self.queue(sender, hash, tx);
        }
        match self.include(sender, hash, &tx) {
            Ok(()) => {
                self.include_queued(sender);
                SendOutcome::Accepted { hash }
            }
            Err(EVMError::Transaction(reason)) => refused(reason_text(&reason)),
            Err(error) => SendOutcome::Unknown {
                reason: error.to_string(),
            },
        }
    }

    fn queue(&mut self, sender: Address, hash: B256, tx: TxEnvelope) -> SendOutcome {
        let key = (sender, tx.nonce());
        if self.queued.contains_key(&key) {
            return SendOutcome::Unknown {
                reason: "replacement transaction: another one waits with this nonce".to_owned(),
            };
        }
        if self.queued.range((sender, 0)..=(sender, u64::MAX)).count() >= MAX_QUEUED {
            return SendOutcome::Refused {
                reason: format!("{MAX_QUEUED} transactions of this sender wait already"),
            };
        }
        self.queued.insert(
            key,
            Waiting {
                hash,
                tx: Arc::new(tx),
            },
        );
        SendOutcome::Accepted { hash }
    }

    /// Includes what waited for the nonce that is now next. One that can no longer be included is dropped,
    /// as a node's pool drops it.
    fn include_queued(&mut self, sender: Address) {
        while let Ok(next) = self.nonce(sender) {
            let Some(waiting) = self.queued.remove(&(sender, next)) else {
                return;
            };
            if self.include(sender, waiting.hash, &waiting.tx).is_err() {
                return;
            }
        }
    }

    fn nonce(&self, address: Address) -> Result<u64, StateError> {
        let account = self.view_with(Undo::new()).account(address)?;
        Ok(account.map_or(0, |account| account.nonce))
    }

    fn include(
        &mut self,
        sender: Address,
        hash: B256,
        tx: &TxEnvelope,
    ) -> Result<(), EVMError<StateError>> {
        let block = self.next_block(&hash);
        let around = self.surroundings(block);
        let view = self.view_with(Undo::new());
        let ResultAndState { result, state } =
            run(&view, &around, Checks::Transaction, tx_env(tx, sender))?;
        drop(view);
        let info = TransactionInfo {
            block: Some(block.number),
            from: sender,
            nonce: tx.nonce(),
        };
        let receipt = ReceiptInfo {
            block: block.number,
            block_hash: block.hash,
            succeeded: result.is_success(),
            gas_used: result.tx_gas_used(),
            effective_gas_price: tx.effective_gas_price(block.base_fee_per_gas),
        };
        let undo = Arc::make_mut(&mut self.state).apply(state);
        self.append(block, undo, receipt.gas_used);
        self.mined.insert(hash, (info, receipt));
        Ok(())
    }

    /// Creates a contract in a block of its own, without a signature and a fee.
    pub(crate) fn deploy(&mut self, from: Address, code: Bytes) -> Result<Address, CallOutcome> {
        let nonce = self.nonce(from).map_err(|error| failed(&error))?;
        let created = from.create(nonce);
        self.unsigned(created, |around| creation_tx(from, nonce, code, around))?;
        Ok(created)
    }

    /// Runs a call in a block of its own, without a signature and a fee.
    pub(crate) fn impersonate(&mut self, request: &CallRequest) -> Result<(), CallOutcome> {
        self.unsigned(request.to, |around| {
            call_tx(request, around, around.block.gas_limit)
        })
    }

    fn unsigned(
        &mut self,
        about: Address,
        tx: impl FnOnce(&Surroundings) -> TxEnv,
    ) -> Result<(), CallOutcome> {
        let block = self.next_block(&keccak256(about));
        let around = self.surroundings(block);
        let view = self.view_with(Undo::new());
        let ResultAndState { result, state } =
            run(&view, &around, Checks::Call, tx(&around)).map_err(|error| failed(&error))?;
        drop(view);
        let ExecutionResult::Success { .. } = &result else {
            return Err(outcome(&result));
        };
        let undo = Arc::make_mut(&mut self.state).apply(state);
        self.append(block, undo, result.tx_gas_used());
        Ok(())
    }

    /// Appends an empty block.
    pub(crate) fn mine(&mut self) {
        let block = self.next_block(&B256::ZERO);
        self.append(block, Undo::new(), 0);
    }

    /// Changes an account between blocks, as no chain does: for setting a scene.
    pub(crate) fn edit(
        &mut self,
        address: Address,
        change: impl FnOnce(&mut StoredAccount),
    ) -> Result<(), StateError> {
        let view = self.view_with(Undo::new());
        let mut account = match self.state.get(address) {
            Some(account) => StoredAccount::clone(account),
            None => match &view.fork {
                Some(fork) => fork
                    .account(address)?
                    .map(|a| (*a).clone())
                    .unwrap_or_default(),
                None => StoredAccount::default(),
            },
        };
        drop(view);
        change(&mut account);
        Arc::make_mut(&mut self.state).set(address, account);
        Ok(())
    }

    fn next_block(&self, content: &B256) -> BlockRef {
        let parent = self.head();
        let number = parent.number + 1;
        let timestamp = self
            .next_timestamp
            .unwrap_or(parent.timestamp + 1)
            .max(parent.timestamp);
        let mut identity = Vec::with_capacity(80);
        identity.extend_from_slice(parent.hash.as_slice());
        identity.extend_from_slice(content.as_slice());
        identity.extend_from_slice(&number.to_be_bytes());
        identity.extend_from_slice(&timestamp.to_be_bytes());
        BlockRef {
            number,
            hash: keccak256(identity),
            timestamp,
            base_fee_per_gas: Some(self.next_base_fee),
            gas_limit: parent.gas_limit,
        }
    }

    fn append(&mut self, block: BlockRef, undo: Undo, gas_used: u64) {
        self.next_timestamp = None;
        if self.genesis.base_fee == BaseFee::Eip1559 {
            self.next_base_fee = calc_next_block_base_fee(
                gas_used,
                block.gas_limit,
                self.next_base_fee,
                BaseFeeParams::ethereum(),
            );
        }
        Arc::make_mut(&mut self.blocks).push(block);
        Arc::make_mut(&mut self.hashes).push(block.hash);
        self.undo.push_back(Arc::new(undo));
        if self.undo.len() > KEPT_STATES {
            self.undo.pop_front();
        }
    }
}

fn failed(error: &impl ToString) -> CallOutcome {
    CallOutcome::Failed {
        reason: error.to_string(),
    }
}

/// A transaction in its EIP-2718 encoding, of a type that this chain runs.
fn decode(mut bytes: &[u8]) -> Result<TxEnvelope, String> {
    let tx = TxEnvelope::decode_2718(&mut bytes).map_err(|error| format!("rlp: {error}"))?;
    if !bytes.is_empty() {
        return Err(format!("rlp: {} bytes after the transaction", bytes.len()));
    }
    match &tx {
        TxEnvelope::Legacy(_) | TxEnvelope::Eip2930(_) | TxEnvelope::Eip1559(_) => Ok(tx),
        _ => Err(format!("transaction type not supported: {}", tx.ty())),
    }
}

fn tx_env(tx: &TxEnvelope, sender: Address) -> TxEnv {
    TxEnv {
        tx_type: tx.ty(),
        caller: sender,
        gas_limit: tx.gas_limit(),
        gas_price: tx.max_fee_per_gas(),
        kind: tx.kind(),
        value: tx.value(),
        data: tx.input().clone(),
        nonce: tx.nonce(),
        chain_id: tx.chain_id(),
        access_list: tx.access_list().cloned().unwrap_or_default(),
        gas_priority_fee: tx.max_priority_fee_per_gas(),
        ..TxEnv::default()
    }
}
