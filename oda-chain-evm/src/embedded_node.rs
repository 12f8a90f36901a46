//! The embedded chain as a node.

use alloy::primitives::{Address, B256, Bytes, U256};
use async_trait::async_trait;
use revm::context::result::EVMError;
use revm::state::{EvmState, EvmStorageSlot};

use crate::embedded::{EmbeddedChain, LABEL};
use crate::embedded_evm::{
    Checks, EvmFailure, Surroundings, call_tx, estimate, invalid, outcome, run, run_traced,
};
use crate::embedded_state::{StateError, View, WorldState};
use crate::embedded_tracer::Seen;
use crate::node::{
    BlockRef, CallOutcome, CallRequest, CountAt, EvmNode, FeeSuggestion, NodeError, ReceiptInfo,
    SendOutcome, TransactionInfo,
};
use crate::token_check::{self, TokenBalance};
use crate::trace::{Internals, Trace, TracedCall};

#[async_trait]
impl EvmNode for EmbeddedChain {
    fn label(&self) -> &str {
        LABEL
    }

    async fn chain_id(&self) -> Result<u64, NodeError> {
        Ok(self.with(|blocks| blocks.genesis.chain_id))
    }

    async fn head(&self) -> Result<BlockRef, NodeError> {
        Ok(self.with(|blocks| blocks.head()))
    }

    async fn finalized(&self) -> Result<Option<BlockRef>, NodeError> {
        Ok(self.with(|blocks| {
            let depth = blocks.genesis.finality_depth;
            let number = blocks
                .head()
                .number
                .saturating_sub(depth)
                .max(blocks.first());
            blocks.block(number)
        }))
    }

    async fn call(&self, request: &CallRequest, block: u64) -> Result<CallOutcome, NodeError> {
        let (view, around) = self.at(block)?;
        let request = request.clone();
        self.blocking(move || call(&view, &around, &request))
            .await?
    }

    async fn estimate_gas(&self, request: &CallRequest, block: u64) -> Result<u64, NodeError> {
        let (view, around) = self.at(block)?;
        let request = request.clone();
        match self
            .blocking(move || estimate(&view, &around, &request))
            .await?
            .map_err(node_error)?
        {
            Ok(gas) => Ok(gas),
            Err(outcome) => Err(NodeError::Rpc {
                node: LABEL.to_owned(),
                method: "estimate_gas".to_owned(),
                error_code: 3,
                message: match outcome {
                    CallOutcome::Revert { reason, .. } => format!("reverted: {reason}"),
                    CallOutcome::Failed { reason } => reason,
                    CallOutcome::Success { .. } => "no limit suffices".to_owned(),
                },
            }),
        }
    }

    async fn trace(&self, request: &CallRequest, block: u64) -> Result<Trace, NodeError> {
        let (view, around) = self.at(block)?;
        let request = request.clone();
        let traced = self
            .blocking(move || trace(&view, &around, &request))
            .await??;
        Ok(Trace::Traced(Box::new(traced)))
    }

    async fn balance(&self, address: Address, block: u64) -> Result<U256, NodeError> {
        let (view, _) = self.at(block)?;
        let account = self
            .blocking(move || view.account(address))
            .await?
            .map_err(|e| e.0)?;
        Ok(account.map(|account| account.balance).unwrap_or_default())
    }

    async fn transaction_count(&self, address: Address, at: CountAt) -> Result<u64, NodeError> {
        let block = match at {
            CountAt::Block(number) => number,
            CountAt::Finalized => self
                .finalized()
                .await?
                .map(|b| b.number)
                .unwrap_or_default(),
            CountAt::Latest | CountAt::Pending => self.head().await?.number,
        };
        let (view, _) = self.at(block)?;
        let account = self
            .blocking(move || view.account(address))
            .await?
            .map_err(|e| e.0)?;
        let nonce = account.map(|account| account.nonce).unwrap_or_default();
        if at == CountAt::Pending {
            return Ok(nonce + self.with(|blocks| blocks.waiting_after(address, nonce)));
        }
        Ok(nonce)
    }

    async fn fees(&self) -> Result<FeeSuggestion, NodeError> {
        Ok(self.with(|blocks| FeeSuggestion {
            base_fee_per_gas: u128::from(blocks.next_base_fee()),
            priority_fee_per_gas: blocks.genesis.suggested_tip,
        }))
    }

    async fn send_raw(&self, bytes: &[u8]) -> SendOutcome {
        let bytes = bytes.to_vec();
        match self.work(move |blocks| blocks.send(&bytes)).await {
            Ok(outcome) => outcome,
            Err(error) => SendOutcome::Unknown {
                reason: error.to_string(),
            },
        }
    }

    async fn transaction(&self, hash: B256) -> Result<Option<TransactionInfo>, NodeError> {
        Ok(self.with(|blocks| blocks.transaction(hash)))
    }

    async fn receipt(&self, hash: B256) -> Result<Option<ReceiptInfo>, NodeError> {
        Ok(self.with(|blocks| blocks.receipt(hash)))
    }

    async fn code(&self, address: Address, block: u64) -> Result<Bytes, NodeError> {
        let (view, _) = self.at(block)?;
        let account = self
            .blocking(move || view.account(address))
            .await?
            .map_err(|e| e.0)?;
        let code = account.and_then(|account| account.code);
        Ok(code.map(|code| code.original_bytes()).unwrap_or_default())
    }

    async fn storage(&self, address: Address, slot: U256, block: u64) -> Result<U256, NodeError> {
        let (view, _) = self.at(block)?;
        self.blocking(move || view.slot(address, slot))
            .await?
            .map_err(|error| error.0)
    }

    async fn block(&self, number: u64) -> Result<Option<BlockRef>, NodeError> {
        Ok(self.with(|blocks| blocks.block(number)))
    }
}

impl EmbeddedChain {
    fn at(&self, block: u64) -> Result<(View, Surroundings), NodeError> {
        self.with(|blocks| {
            let (view, block) = blocks.view(block)?;
            Ok((view, blocks.surroundings(block)))
        })
    }
}

fn call(
    view: &View,
    around: &Surroundings,
    request: &CallRequest,
) -> Result<CallOutcome, NodeError> {
    let tx = call_tx(request, around, around.block.gas_limit);
    match run(view, around, Checks::Call, tx) {
        Ok(done) => Ok(outcome(&done.result)),
        Err(EVMError::Transaction(reason)) => Ok(invalid(&reason)),
        Err(error) => Err(node_error(error)),
    }
}

fn trace(
    view: &View,
    around: &Surroundings,
    request: &CallRequest,
) -> Result<TracedCall, NodeError> {
    let tx = call_tx(request, around, around.block.gas_limit);
    let (done, tracer) = match run_traced(view, around, tx) {
        Ok(done) => done,
        Err(EVMError::Transaction(reason)) => return Ok(nothing(invalid(&reason))),
        Err(error) => return Err(node_error(error)),
    };
    let result = outcome(&done.result);
    if !result.is_success() {
        return Ok(TracedCall {
            gas_used: Some(done.result.tx_gas_used()),
            ..nothing(result)
        });
    }
    let mut traced = TracedCall {
        gas_used: Some(done.result.tx_gas_used()),
        internals: internals(view, request, &tracer.seen, &done.state).map_err(|error| error.0)?,
        logs: tracer.seen.logs,
        transfers: tracer.seen.transfers,
        ..nothing(result)
    };
    traced.token_balances = measure(view, around, request, &traced, done.state)?;
    Ok(traced)
}

fn nothing(outcome: CallOutcome) -> TracedCall {
    TracedCall {
        method: "revm",
        outcome,
        gas_used: None,
        logs: Vec::new(),
        transfers: Vec::new(),
        internals: Internals {
            created: Some(Vec::new()),
            destroyed: Some(Vec::new()),
            ran_as_sender: Some(Vec::new()),
            storage_changed: Some(Vec::new()),
        },
        token_balances: Some(Vec::new()),
    }
}

fn internals(
    view: &View,
    request: &CallRequest,
    seen: &Seen,
    state: &EvmState,
) -> Result<Internals, StateError> {
    let mut changed: Vec<Address> = state
        .iter()
        .filter(|(_, account)| account.storage.values().any(EvmStorageSlot::is_changed))
        .map(|(address, _)| *address)
        .collect();
    changed.sort_unstable();
    let code = match request.from {
        Some(from) => view
            .account(from)?
            .and_then(|account| account.code)
            .unwrap_or_default(),
        None => revm::bytecode::Bytecode::default(),
    };
    let mut ran: Vec<Address> = Vec::new();
    if !code.is_empty() {
        let own = (seen.sender_calls > 0)
            .then(|| code.eip7702_address().or(request.from))
            .flatten();
        for address in own.into_iter().chain(seen.lent.iter().copied()) {
            if !ran.contains(&address) {
                ran.push(address);
            }
        }
    }
    Ok(Internals {
        created: Some(seen.created.clone()),
        destroyed: Some(seen.destroyed.clone()),
        ran_as_sender: Some(ran),
        storage_changed: Some(changed),
    })
}

/// Asks the touched tokens for the sender's balance, before the call and on the state it leaves.
fn measure(
    view: &View,
    around: &Surroundings,
    request: &CallRequest,
    traced: &TracedCall,
    state: EvmState,
) -> Result<Option<Vec<TokenBalance>>, NodeError> {
    let Some(holder) = request.from else {
        return Ok(None);
    };
    let tokens = token_check::candidates(traced, holder);
    if tokens.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let mut later = WorldState::clone(&view.state);
    // The view may lie before blocks that changed the same accounts: what it shows is the base.
    for (address, before) in &view.overlay {
        later.replace(*address, before.clone());
    }
    later.apply(state);
    let after = View {
        state: std::sync::Arc::new(later),
        overlay: Default::default(),
        ..view.clone()
    };
    let mut balances = Vec::new();
    for token in tokens {
        let question = token_check::balance_of(token, holder);
        let before = ask(view, around, &question)?;
        let after = ask(&after, around, &question)?;
        if let (Some(before), Some(after)) = (before, after) {
            balances.push(TokenBalance {
                token,
                before,
                after,
            });
        }
    }
    Ok(Some(balances))
}

fn ask(
    view: &View,
    around: &Surroundings,
    question: &CallRequest,
) -> Result<Option<U256>, NodeError> {
    match call(view, around, question)? {
        CallOutcome::Success { output } => Ok(token_check::read_balance(&output)),
        _ => Ok(None),
    }
}

fn node_error(error: EvmFailure) -> NodeError {
    match error {
        EVMError::Database(StateError(error)) => error,
        other => NodeError::Rpc {
            node: LABEL.to_owned(),
            method: "execute".to_owned(),
            error_code: -32_603,
            message: other.to_string(),
        },
    }
}
