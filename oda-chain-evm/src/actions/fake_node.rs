//! A node that answers what a test told it, and remembers what it was asked.

use std::collections::BTreeMap;
use std::sync::Mutex;

use alloy::primitives::{Address, B256, Bytes, U256};
use async_trait::async_trait;

use crate::node::{
    BlockRef, CallOutcome, CallRequest, CountAt, EvmNode, FeeSuggestion, NodeError, ReceiptInfo,
    SendOutcome, TransactionInfo,
};
use crate::trace::Trace;
use crate::{EvmAddress, selector};

/// The only block there is.
pub(crate) const BLOCK: u64 = 77;

#[derive(Debug, Default)]
pub(crate) struct FakeNode {
    chain_id: u64,
    answers: BTreeMap<(Address, [u8; 4]), CallOutcome>,
    contracts: Vec<Address>,
    down: bool,
    pub(crate) asked: Mutex<Vec<String>>,
}

impl FakeNode {
    pub(crate) fn serving(chain_id: u64) -> Self {
        Self {
            chain_id,
            ..Self::default()
        }
    }

    pub(crate) fn down() -> Self {
        Self {
            down: true,
            ..Self::default()
        }
    }

    /// A contract whose function answers with these bytes.
    pub(crate) fn answering(
        mut self,
        contract: EvmAddress,
        function: &str,
        output: Vec<u8>,
    ) -> Self {
        let outcome = CallOutcome::Success {
            output: output.into(),
        };
        self.answers
            .insert((contract.to_alloy(), selector(function).unwrap()), outcome);
        self.contracts.push(contract.to_alloy());
        self
    }

    /// A contract that refuses everything it was not told to answer.
    pub(crate) fn contract(mut self, contract: EvmAddress) -> Self {
        self.contracts.push(contract.to_alloy());
        self
    }

    fn ask(&self, what: String) -> Result<(), NodeError> {
        self.asked.lock().unwrap().push(what);
        if self.down {
            return Err(NodeError::Unreachable {
                node: "http://127.0.0.1:1".to_owned(),
                reason: "connection refused".to_owned(),
            });
        }
        Ok(())
    }
}

#[async_trait]
impl EvmNode for FakeNode {
    fn label(&self) -> &str {
        "fake"
    }

    async fn chain_id(&self) -> Result<u64, NodeError> {
        self.ask("chain_id".to_owned())?;
        Ok(self.chain_id)
    }

    async fn head(&self) -> Result<BlockRef, NodeError> {
        self.ask("head".to_owned())?;
        Ok(BlockRef {
            number: BLOCK,
            hash: B256::ZERO,
            timestamp: 0,
            base_fee_per_gas: Some(1),
            gas_limit: 30_000_000,
        })
    }

    async fn finalized(&self) -> Result<Option<BlockRef>, NodeError> {
        Ok(None)
    }

    async fn call(&self, request: &CallRequest, block: u64) -> Result<CallOutcome, NodeError> {
        self.ask(format!("call {} at {block}", request.to))?;
        let selector = request.data.first_chunk::<4>().copied().unwrap_or_default();
        let refusal = CallOutcome::Revert {
            data: Bytes::new(),
            reason: "no such function".to_owned(),
        };
        Ok(match self.answers.get(&(request.to, selector)) {
            Some(answer) => answer.clone(),
            None if self.contracts.contains(&request.to) => refusal,
            None => CallOutcome::Success {
                output: Bytes::new(),
            },
        })
    }

    async fn estimate_gas(&self, _: &CallRequest, _: u64) -> Result<u64, NodeError> {
        Err(NodeError::unsupported("fake", "gas"))
    }

    async fn trace(&self, _: &CallRequest, _: u64) -> Result<Trace, NodeError> {
        Err(NodeError::unsupported("fake", "traces"))
    }

    async fn balance(&self, _: Address, block: u64) -> Result<U256, NodeError> {
        self.ask(format!("balance at {block}"))?;
        Ok(U256::from(5))
    }

    async fn transaction_count(&self, _: Address, _: CountAt) -> Result<u64, NodeError> {
        Err(NodeError::unsupported("fake", "counting"))
    }

    async fn fees(&self) -> Result<FeeSuggestion, NodeError> {
        Err(NodeError::unsupported("fake", "fees"))
    }

    async fn send_raw(&self, _: &[u8]) -> SendOutcome {
        SendOutcome::Refused {
            reason: "fake".to_owned(),
        }
    }

    async fn transaction(&self, _: B256) -> Result<Option<TransactionInfo>, NodeError> {
        Ok(None)
    }

    async fn receipt(&self, _: B256) -> Result<Option<ReceiptInfo>, NodeError> {
        Ok(None)
    }

    async fn code(&self, address: Address, _: u64) -> Result<Bytes, NodeError> {
        self.ask(format!("code of {address}"))?;
        let code = if self.contracts.contains(&address) {
            vec![0x60]
        } else {
            Vec::new()
        };
        Ok(code.into())
    }
}
