//! A node that is asked over JSON-RPC.

use alloy::primitives::{Address, B256, Bytes, U64, U128, U256};
use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::node::{
    BlockRef, CallOutcome, CallRequest, CountAt, EvmNode, FeeSuggestion, NodeError, ReceiptInfo,
    SendOutcome, TransactionInfo,
};
use crate::revert::revert_reason;
use crate::rpc_client::{NodeUrlError, RpcClient, RpcFailure, RpcTimeouts};
use crate::rpc_send::{SendAnswer, classify};
use crate::rpc_trace;
use crate::trace::Trace;

/// How many recent blocks are looked at for a tip when the node does not suggest one.
const FEE_HISTORY_BLOCKS: u64 = 5;

/// An EVM node behind a JSON-RPC endpoint over HTTP.
///
/// It never retries, never follows a redirect, reads bounded answers only, and names itself in errors by
/// scheme, host and port: the rest of a URL often holds a key.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use oda_chain_evm::{EvmNode, RpcNode};
///
/// let node = RpcNode::new("http://127.0.0.1:8545")?;
/// println!("{} serves chain {}", node.label(), node.chain_id().await?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct RpcNode {
    client: RpcClient,
}

impl RpcNode {
    /// The node at this URL, with the default timeouts. Nothing is asked of it yet.
    ///
    /// # Errors
    ///
    /// [`NodeUrlError`] when it is not an `http` or `https` URL.
    pub fn new(url: &str) -> Result<Self, NodeUrlError> {
        Self::with_timeouts(url, RpcTimeouts::default())
    }

    /// The node at this URL, with other timeouts.
    ///
    /// # Errors
    ///
    /// [`NodeUrlError`] when it is not an `http` or `https` URL.
    pub fn with_timeouts(url: &str, timeouts: RpcTimeouts) -> Result<Self, NodeUrlError> {
        Ok(Self {
            client: RpcClient::new(url, timeouts)?,
        })
    }

    async fn ask<P, T>(&self, method: &str, params: P) -> Result<T, NodeError>
    where
        P: Serialize + Send,
        T: DeserializeOwned,
    {
        Ok(self.client.ask(method, params).await?)
    }

    fn malformed(&self, method: &str, reason: &str) -> NodeError {
        NodeError::Malformed {
            node: self.client.label().to_owned(),
            method: method.to_owned(),
            reason: reason.to_owned(),
        }
    }

    async fn block_at(&self, tag: &str) -> Result<Option<BlockRef>, NodeError> {
        let block: Option<RpcBlock> = self.ask("eth_getBlockByNumber", (tag, false)).await?;
        Ok(block.map(BlockRef::from))
    }

    async fn suggested_tip(&self, history: &FeeHistory) -> Result<u128, NodeError> {
        match self.ask::<_, U128>("eth_maxPriorityFeePerGas", ()).await {
            Ok(tip) => Ok(tip.to()),
            // Not every chain has the method. What recent transactions paid says the same.
            Err(NodeError::Rpc { .. }) => {
                let mut paid: Vec<u128> = history
                    .reward
                    .iter()
                    .flatten()
                    .filter_map(|r| r.first())
                    .map(|r| r.to())
                    .collect();
                paid.sort_unstable();
                Ok(paid.get(paid.len() / 2).copied().unwrap_or_default())
            }
            Err(error) => Err(error),
        }
    }
}

#[async_trait]
impl EvmNode for RpcNode {
    fn label(&self) -> &str {
        self.client.label()
    }

    async fn chain_id(&self) -> Result<u64, NodeError> {
        Ok(self.ask::<_, U64>("eth_chainId", ()).await?.to())
    }

    async fn head(&self) -> Result<BlockRef, NodeError> {
        self.block_at("latest")
            .await?
            .ok_or_else(|| self.malformed("eth_getBlockByNumber", "there is no latest block"))
    }

    async fn finalized(&self) -> Result<Option<BlockRef>, NodeError> {
        match self.block_at("finalized").await {
            Err(NodeError::Rpc {
                error_code,
                message,
                ..
            }) if is_unknown_tag(error_code, &message) => Ok(None),
            other => other,
        }
    }

    async fn call(&self, request: &CallRequest, block: u64) -> Result<CallOutcome, NodeError> {
        let params = (RpcCall::from(request), U64::from(block));
        match self.client.ask::<_, Bytes>("eth_call", params).await {
            Ok(output) => Ok(CallOutcome::Success { output }),
            Err(failure) => outcome_of(failure),
        }
    }

    async fn estimate_gas(&self, request: &CallRequest, block: u64) -> Result<u64, NodeError> {
        let params = (RpcCall::from(request), U64::from(block));
        match self.client.ask::<_, U64>("eth_estimateGas", params).await {
            Ok(gas) => Ok(gas.to()),
            Err(RpcFailure {
                error:
                    NodeError::Rpc {
                        node,
                        method,
                        error_code,
                        ..
                    },
                data: Some(data),
                ..
            }) => {
                let message = format!("reverted: {}", revert_reason(&data));
                Err(NodeError::Rpc {
                    node,
                    method,
                    error_code,
                    message,
                })
            }
            Err(failure) => Err(failure.error),
        }
    }

    async fn trace(&self, request: &CallRequest, block: u64) -> Result<Trace, NodeError> {
        rpc_trace::trace(&self.client, request, block).await
    }

    async fn balance(&self, address: Address, block: u64) -> Result<U256, NodeError> {
        self.ask("eth_getBalance", (address, U64::from(block)))
            .await
    }

    async fn transaction_count(&self, address: Address, at: CountAt) -> Result<u64, NodeError> {
        let tag = match at {
            CountAt::Latest => "latest".to_owned(),
            CountAt::Pending => "pending".to_owned(),
            CountAt::Finalized => "finalized".to_owned(),
            CountAt::Block(number) => format!("{number:#x}"),
        };
        match self
            .ask::<_, U64>("eth_getTransactionCount", (address, tag))
            .await
        {
            Ok(count) => Ok(count.to()),
            Err(NodeError::Rpc {
                error_code,
                message,
                ..
            }) if at == CountAt::Finalized && is_unknown_tag(error_code, &message) => {
                Err(NodeError::unsupported(self.label(), "the tag `finalized`"))
            }
            Err(error) => Err(error),
        }
    }

    async fn fees(&self) -> Result<FeeSuggestion, NodeError> {
        let history: FeeHistory = self
            .ask(
                "eth_feeHistory",
                (U64::from(FEE_HISTORY_BLOCKS), "latest", [50]),
            )
            .await?;
        // The list ends with the base fee of the block after the latest.
        let base_fee: u128 = history
            .base_fee_per_gas
            .last()
            .ok_or_else(|| NodeError::unsupported(self.label(), "EIP-1559 fees"))?
            .to();
        let priority_fee_per_gas = self.suggested_tip(&history).await?;
        Ok(FeeSuggestion {
            base_fee_per_gas: base_fee,
            priority_fee_per_gas,
        })
    }

    async fn send_raw(&self, bytes: &[u8]) -> SendOutcome {
        let encoded = alloy::primitives::hex::encode_prefixed(bytes);
        match self
            .client
            .ask::<_, B256>("eth_sendRawTransaction", [encoded])
            .await
        {
            Ok(hash) => SendOutcome::Accepted { hash },
            Err(RpcFailure {
                error:
                    NodeError::Rpc {
                        error_code,
                        message,
                        ..
                    },
                ..
            }) => match classify(error_code, &message) {
                SendAnswer::AlreadyKnown => SendOutcome::AlreadyKnown,
                SendAnswer::Refused => SendOutcome::Refused { reason: message },
                SendAnswer::Unknown => SendOutcome::Unknown { reason: message },
            },
            // A node that is restarted refuses connections too. The same bytes can be sent again later,
            // so nothing is lost by leaving it open, and an intent would be lost by closing it.
            Err(failure) if !failure.connected => SendOutcome::Unknown {
                reason: format!("{}; this call sent nothing", failure.error),
            },
            Err(failure) => SendOutcome::Unknown {
                reason: failure.error.to_string(),
            },
        }
    }

    async fn transaction(&self, hash: B256) -> Result<Option<TransactionInfo>, NodeError> {
        const METHOD: &str = "eth_getTransactionByHash";
        let Some(found) = self
            .ask::<_, Option<RpcTransaction>>(METHOD, [hash])
            .await?
        else {
            return Ok(None);
        };
        if found.hash != hash {
            return Err(self.malformed(METHOD, "it is about another transaction"));
        }
        Ok(Some(TransactionInfo {
            block: found.block_number.map(|number| number.to()),
            from: found.from,
            nonce: found.nonce.to(),
        }))
    }

    async fn receipt(&self, hash: B256) -> Result<Option<ReceiptInfo>, NodeError> {
        const METHOD: &str = "eth_getTransactionReceipt";
        let Some(found) = self.ask::<_, Option<RpcReceipt>>(METHOD, [hash]).await? else {
            return Ok(None);
        };
        if found.transaction_hash != hash {
            return Err(self.malformed(METHOD, "it is about another transaction"));
        }
        // Some nodes answer with an empty receipt while the transaction waits.
        let (Some(block), Some(block_hash)) = (found.block_number, found.block_hash) else {
            return Ok(None);
        };
        Ok(Some(ReceiptInfo {
            block: block.to(),
            block_hash,
            succeeded: found.status == U64::from(1),
            gas_used: found.gas_used.to(),
            effective_gas_price: found
                .effective_gas_price
                .map(|p| p.to())
                .unwrap_or_default(),
        }))
    }

    async fn code(&self, address: Address, block: u64) -> Result<Bytes, NodeError> {
        self.ask("eth_getCode", (address, U64::from(block))).await
    }

    async fn storage(&self, address: Address, slot: U256, block: u64) -> Result<U256, NodeError> {
        let word: B256 = self
            .ask("eth_getStorageAt", (address, slot, U64::from(block)))
            .await?;
        Ok(word.into())
    }

    async fn block(&self, number: u64) -> Result<Option<BlockRef>, NodeError> {
        let found = self.block_at(&format!("{number:#x}")).await?;
        if found.is_some_and(|block| block.number != number) {
            return Err(self.malformed("eth_getBlockByNumber", "it is about another block"));
        }
        Ok(found)
    }
}

/// What an error to `eth_call` says about the call. Anything that is not about the call stays an error.
fn outcome_of(failure: RpcFailure) -> Result<CallOutcome, NodeError> {
    let NodeError::Rpc {
        message,
        error_code,
        ..
    } = &failure.error
    else {
        return Err(failure.error);
    };
    let lower = message.to_lowercase();
    if *error_code == 3 || lower.contains("revert") || failure.data.is_some() {
        let data = Bytes::from(failure.data.unwrap_or_default());
        // Some nodes decode the reason and withhold the data.
        let reason = match message
            .split_once("reverted: ")
            .or_else(|| message.split_once("revert: "))
        {
            Some((_, text)) if data.is_empty() && !text.trim().is_empty() => text.to_owned(),
            _ => revert_reason(&data),
        };
        return Ok(CallOutcome::Revert { data, reason });
    }
    if EXECUTION_FAILURES.iter().any(|known| lower.contains(known)) {
        return Ok(CallOutcome::Failed {
            reason: message.clone(),
        });
    }
    Err(failure.error)
}

/// What nodes say when the call itself stopped, in lower case: geth, Nethermind, Erigon, Besu, Reth, anvil.
const EXECUTION_FAILURES: [&str; 14] = [
    "insufficient funds",
    "insufficient balance",
    "insufficient sender balance",
    "outoffund",
    "out of gas",
    "outofgas",
    "gas required exceeds",
    "intrinsic gas",
    "invalid opcode",
    "opcode not found",
    "opcodenotfound",
    "invalid jump",
    "stack underflow",
    "write protection",
];

/// Whether an error says that the node does not know a block tag. A rate limit does not say so: taking
/// it for an unknown tag would weaken the proof that a transaction is dead.
pub(crate) fn is_unknown_tag(code: i64, message: &str) -> bool {
    let lower = message.to_lowercase();
    matches!(code, -32602 | -39001)
        || [
            "finalized",
            "unknown block",
            "block tag",
            "invalid block",
            "hex string",
        ]
        .iter()
        .any(|known| lower.contains(known))
}

/// The call object. `data` rather than `input`: every node reads it.
#[derive(Serialize)]
pub(crate) struct RpcCall<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Address>,
    to: Address,
    data: &'a Bytes,
    value: U256,
}

impl<'a> From<&'a CallRequest> for RpcCall<'a> {
    fn from(request: &'a CallRequest) -> Self {
        Self {
            from: request.from,
            to: request.to,
            data: &request.data,
            value: request.value,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RpcBlock {
    number: U64,
    hash: B256,
    timestamp: U64,
    base_fee_per_gas: Option<U64>,
    gas_limit: U64,
}

impl From<RpcBlock> for BlockRef {
    fn from(block: RpcBlock) -> Self {
        Self {
            number: block.number.to(),
            hash: block.hash,
            timestamp: block.timestamp.to(),
            base_fee_per_gas: block.base_fee_per_gas.map(|fee| fee.to()),
            gas_limit: block.gas_limit.to(),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FeeHistory {
    #[serde(default)]
    base_fee_per_gas: Vec<U128>,
    #[serde(default)]
    reward: Option<Vec<Vec<U128>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RpcTransaction {
    hash: B256,
    block_number: Option<U64>,
    from: Address,
    nonce: U64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RpcReceipt {
    transaction_hash: B256,
    block_number: Option<U64>,
    block_hash: Option<B256>,
    status: U64,
    gas_used: U64,
    effective_gas_price: Option<U128>,
}
