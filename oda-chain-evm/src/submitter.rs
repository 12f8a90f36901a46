//! Fixing the terms of a transaction, sending its bytes, and finding out what became of them.

use std::sync::Arc;

use alloy::primitives::{Address, B256, U256, hex, keccak256};
use async_trait::async_trait;
use oda_core::{
    Artifact, ChainError, Death, Fate, Lane, Payload as _, Submission, Submitter, TermsRequest,
};

use crate::address::EvmAddress;
use crate::amount::Amount;
use crate::error::EvmError;
use crate::fees::{DEFAULT_MAX_FEE_PER_GAS, fix_fees, gas_limit, most_that_leaves};
use crate::networks::EvmNetworks;
use crate::node::{
    CallOutcome, CallRequest, CountAt, EvmNode, NodeError, ReceiptInfo, SendOutcome,
};
use crate::signer_local::lane_key;
use crate::simulator::call_of;
use crate::terms::{EvmTerms, default_fee_limit};
use crate::tx::EvmTx;

/// How many blocks must stand on a block before it is taken for final on a node that does not know the
/// tag `finalized`. No reorganisation of any of the chains came near it, and nodes keep the state of twice
/// as many blocks.
pub const CONFIRMATIONS_WITHOUT_FINALITY: u64 = 64;

/// Sends EVM transactions.
///
/// It never replaces a transaction and never raises a fee: the same bytes are sent again, or none.
#[derive(Debug, Clone)]
pub struct EvmSubmitter {
    networks: Arc<EvmNetworks>,
    max_fee_per_gas_cap: u128,
    fee_limit: Option<Amount>,
}

impl EvmSubmitter {
    /// A submitter over these networks, with [`DEFAULT_MAX_FEE_PER_GAS`] and [`default_fee_limit`].
    #[must_use]
    pub const fn new(networks: Arc<EvmNetworks>) -> Self {
        Self {
            networks,
            max_fee_per_gas_cap: DEFAULT_MAX_FEE_PER_GAS,
            fee_limit: None,
        }
    }

    /// Fixes no terms under which the whole fee could exceed this many wei. It should equal the signer's limit.
    #[must_use]
    pub const fn with_fee_limit(mut self, wei: Amount) -> Self {
        self.fee_limit = Some(wei);
        self
    }

    /// Offers at most so much per gas, in wei.
    #[must_use]
    pub const fn with_max_fee_per_gas_cap(mut self, wei_per_gas: u128) -> Self {
        self.max_fee_per_gas_cap = wei_per_gas;
        self
    }
}

#[async_trait]
impl Submitter for EvmSubmitter {
    type Payload = EvmTx;

    async fn lane(&self, payload: &EvmTx, sender: &str) -> Result<Option<Lane>, ChainError> {
        let account = parse_account(sender)?;
        let node = self.networks.checked(payload.chain()).await?;
        let floor = node
            .transaction_count(account.to_alloy(), CountAt::Pending)
            .await?;
        Ok(Some(Lane {
            key: lane_key(payload.chain_id, account),
            floor,
        }))
    }

    async fn terms(
        &self,
        payload: &EvmTx,
        request: &TermsRequest<'_>,
    ) -> Result<EvmTerms, ChainError> {
        let sender = parse_account(request.sender)?.to_alloy();
        let nonce = request.sequence.ok_or_else(|| {
            broken(
                "nonce",
                "an EVM transaction needs a number reserved in its sender's lane",
            )
        })?;
        let mut call = call_of(payload);
        if call.from.is_some_and(|from| from != sender) {
            return Err(broken(
                "from",
                "the transaction names another sender than the signer",
            ));
        }
        call.from = Some(sender);
        let node = self.networks.checked(payload.chain()).await?;
        let head = node.head().await?;
        let estimated = request
            .simulation
            .and_then(|simulation| simulation.gas_estimate.as_deref());
        let estimate = match estimated.and_then(|gas| gas.parse().ok()) {
            Some(gas) => gas,
            None => estimate(&*node, &call, head.number).await?,
        };
        let (suggestion, balance) =
            tokio::try_join!(node.fees(), node.balance(sender, head.number))?;
        let fees = fix_fees(&suggestion, self.max_fee_per_gas_cap)?;
        let gas_limit = gas_limit(estimate, head.gas_limit)?;
        let needed = most_that_leaves(call.value, gas_limit, &fees).unwrap_or(U256::MAX);
        if balance < needed {
            let reason = format!(
                "{sender} holds {balance} wei on {} and the transaction can take up to {needed} wei (value \
                 {}, gas limit {gas_limit} at {} wei): fund the account",
                payload.chain(),
                call.value,
                fees.max_fee_per_gas
            );
            return Err(broken("balance", &reason));
        }
        let terms = EvmTerms {
            nonce,
            gas_limit,
            max_fee_per_gas: fees.max_fee_per_gas,
            max_priority_fee_per_gas: fees.max_priority_fee_per_gas,
        };
        // A signer would refuse them too, but by then the intent could not be executed again.
        let fee_limit = self
            .fee_limit
            .unwrap_or_else(|| default_fee_limit(payload.chain_id));
        terms
            .check(fee_limit)
            .map_err(|error| broken("fee_limit", &error.to_string()))?;
        Ok(terms)
    }

    /// Sends the bytes.
    ///
    /// `Refused` speaks of this call alone: the node did not take the bytes and has no record of them. When
    /// an earlier call ended unknown, its doubt remains. A connection that fails before anything is sent is
    /// unknown too: the same bytes can be sent later, and a node that restarts must not cost an intent.
    async fn submit(&self, payload: &EvmTx, artifact: &Artifact) -> Submission {
        let (hash, bytes) = match signed_bytes(artifact) {
            Ok(signed) => signed,
            Err(reason) => return Submission::Unknown { reason },
        };
        let node = match self.networks.checked(payload.chain()).await {
            Ok(node) => node,
            Err(error) => {
                return Submission::Unknown {
                    reason: format!("{error}; this call sent nothing"),
                };
            }
        };
        match node.send_raw(&bytes).await {
            SendOutcome::Accepted { hash: found } if found == hash => Submission::Accepted,
            SendOutcome::Accepted { hash: found } => Submission::Unknown {
                reason: format!(
                    "{} answers with the hash of another transaction, {found}",
                    node.label()
                ),
            },
            SendOutcome::AlreadyKnown => Submission::Accepted,
            SendOutcome::Refused { reason } => match knows(&*node, hash).await {
                Ok(true) => Submission::Accepted,
                Ok(false) => Submission::Refused { reason },
                Err(error) => Submission::Unknown {
                    reason: format!("{reason}; {error}"),
                },
            },
            SendOutcome::Unknown { reason } => match knows(&*node, hash).await {
                Ok(true) => Submission::Accepted,
                _ => Submission::Unknown { reason },
            },
        }
    }

    async fn fate(&self, payload: &EvmTx, artifact: &Artifact) -> Result<Fate, ChainError> {
        let hash = parse_hash(&artifact.id)?;
        let node = self.networks.checked(payload.chain()).await?;
        if let Some(receipt) = node.receipt(hash).await? {
            return Ok(included(&*node, payload, artifact, &receipt).await?);
        }
        if node.transaction(hash).await?.is_some() {
            return Ok(Fate::Pending);
        }
        let Death::SequenceConsumed { number, .. } = &artifact.death else {
            return Ok(Fate::Unseen);
        };
        let sender = parse_account(&artifact.sender)?.to_alloy();
        let Some((count, block)) = final_count(&*node, sender).await? else {
            return Ok(Fate::Unseen);
        };
        if count <= *number {
            return Ok(Fate::Unseen);
        }
        // The transaction may have become final between the two questions: ask again before calling it dead.
        if let Some(receipt) = node.receipt(hash).await? {
            return Ok(included(&*node, payload, artifact, &receipt).await?);
        }
        if node.transaction(hash).await?.is_some() {
            return Ok(Fate::Pending);
        }
        Ok(Fate::Dead {
            evidence: format!(
                "at final block {block} the account {sender} has used {count} nonces, nonce {number} among \
                 them, and {} has no receipt of {hash}",
                node.label()
            ),
        })
    }
}

async fn estimate(node: &dyn EvmNode, call: &CallRequest, block: u64) -> Result<u64, ChainError> {
    node.estimate_gas(call, block)
        .await
        .map_err(|error| match error {
            NodeError::Rpc { message, .. } => {
                broken("gas", &format!("the transaction would fail: {message}"))
            }
            other => other.into(),
        })
}

/// Whether the node has a record of a transaction.
async fn knows(node: &dyn EvmNode, hash: B256) -> Result<bool, NodeError> {
    Ok(node.transaction(hash).await?.is_some() || node.receipt(hash).await?.is_some())
}

/// How many nonces an account has used for good, and at which block. `None` when that cannot be told: the
/// chain is too young, or the node has dropped the state of its final block.
async fn final_count(
    node: &dyn EvmNode,
    account: Address,
) -> Result<Option<(u64, u64)>, NodeError> {
    let (block, at) = match node.finalized().await? {
        Some(block) => (block.number, CountAt::Finalized),
        None => {
            let head = node.head().await?.number;
            match head.checked_sub(CONFIRMATIONS_WITHOUT_FINALITY) {
                Some(number) => (number, CountAt::Block(number)),
                None => return Ok(None),
            }
        }
    };
    match node.transaction_count(account, at).await {
        Ok(count) => Ok(Some((count, block))),
        Err(NodeError::Rpc { .. } | NodeError::Unsupported { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

async fn included(
    node: &dyn EvmNode,
    payload: &EvmTx,
    artifact: &Artifact,
    receipt: &ReceiptInfo,
) -> Result<Fate, NodeError> {
    let head = node.head().await?.number;
    let reason = if receipt.succeeded {
        None
    } else {
        why_it_failed(node, payload, artifact, receipt).await
    };
    Ok(Fate::Included {
        block: receipt.block.to_string(),
        succeeded: receipt.succeeded,
        confirmations: head.saturating_sub(receipt.block) + 1,
        reason,
    })
}

/// A receipt tells that, not why. The call on the state before its block mostly does.
async fn why_it_failed(
    node: &dyn EvmNode,
    payload: &EvmTx,
    artifact: &Artifact,
    receipt: &ReceiptInfo,
) -> Option<String> {
    let before = receipt.block.checked_sub(1)?;
    let mut call = call_of(payload);
    call.from = parse_account(&artifact.sender)
        .ok()
        .map(EvmAddress::to_alloy);
    match node.call(&call, before).await.ok()? {
        CallOutcome::Revert { reason, .. } => Some(format!("reverted: {reason}")),
        CallOutcome::Failed { reason } => Some(reason),
        // It depends on what else was in the block, or its gas ran out.
        CallOutcome::Success { .. } => None,
    }
}

/// The hash and the bytes, when they belong together.
fn signed_bytes(artifact: &Artifact) -> Result<(B256, Vec<u8>), String> {
    let text = artifact
        .bytes
        .as_ref()
        .ok_or("no signed bytes are kept for it: nothing was sent")?;
    let bytes =
        hex::decode(text).map_err(|_| "the kept bytes are not hexadecimal: nothing was sent")?;
    let hash = parse_hash(&artifact.id).map_err(|error| error.to_string())?;
    if keccak256(&bytes) == hash {
        Ok((hash, bytes))
    } else {
        Err(format!(
            "the kept bytes are not those of {hash}: nothing was sent"
        ))
    }
}

fn parse_hash(id: &str) -> Result<B256, ChainError> {
    id.parse()
        .map_err(|_| broken("transaction hash", &format!("`{id}` is not one")))
}

fn parse_account(text: &str) -> Result<EvmAddress, ChainError> {
    text.parse()
        .map_err(|error: EvmError| broken("sender", &error.to_string()))
}

fn broken(limit: &str, reason: &str) -> ChainError {
    ChainError::Terms {
        limit: limit.to_owned(),
        reason: reason.to_owned(),
    }
}
