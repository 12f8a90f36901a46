//! The embedded chain behind a node with one fault each.

use std::sync::Arc;

use alloy::primitives::{Address, B256, U256};
use async_trait::async_trait;
use oda_chain_evm::{
    BlockRef, CONFIRMATIONS_WITHOUT_FINALITY, CallOutcome, CallRequest, CountAt, EmbeddedChain,
    EvmNetworks, EvmNode, EvmSubmitter, FeeSuggestion, NodeError, ReceiptInfo, SendOutcome, Trace,
    TransactionInfo,
};
use oda_core::{Fate, Submission, Submitter as _};

use crate::stage::{CHAIN, Embedded, OTHER, SENDER, Stage as _};
use crate::submission::{payload, request, sign};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// The transaction arrives, the answer does not.
    ReplyLost,
    /// Neither arrives.
    QuestionLost,
    /// The transaction arrives, and the answer is a refusal.
    RefusesWhatItTook,
    /// The answer names another transaction.
    AnotherHash,
    /// There is no tag `finalized`.
    NoFinality,
    /// The state of the finalized block is gone.
    Pruned,
}

#[derive(Debug)]
struct Faulty {
    chain: EmbeddedChain,
    fault: Fault,
}

impl Faulty {
    fn pruned(&self) -> NodeError {
        NodeError::Rpc {
            node: self.label().to_owned(),
            method: "eth_getTransactionCount".to_owned(),
            error_code: -32_000,
            message: "missing trie node".to_owned(),
        }
    }
}

#[async_trait]
impl EvmNode for Faulty {
    fn label(&self) -> &str {
        self.chain.label()
    }
    async fn chain_id(&self) -> Result<u64, NodeError> {
        self.chain.chain_id().await
    }
    async fn head(&self) -> Result<BlockRef, NodeError> {
        self.chain.head().await
    }
    async fn finalized(&self) -> Result<Option<BlockRef>, NodeError> {
        if self.fault == Fault::NoFinality {
            Ok(None)
        } else {
            self.chain.finalized().await
        }
    }
    async fn call(&self, request: &CallRequest, block: u64) -> Result<CallOutcome, NodeError> {
        self.chain.call(request, block).await
    }
    async fn estimate_gas(&self, request: &CallRequest, block: u64) -> Result<u64, NodeError> {
        self.chain.estimate_gas(request, block).await
    }
    async fn trace(&self, request: &CallRequest, block: u64) -> Result<Trace, NodeError> {
        self.chain.trace(request, block).await
    }
    async fn balance(&self, address: Address, block: u64) -> Result<U256, NodeError> {
        self.chain.balance(address, block).await
    }
    async fn transaction_count(&self, address: Address, at: CountAt) -> Result<u64, NodeError> {
        match (self.fault, at) {
            (Fault::NoFinality, CountAt::Finalized) => {
                panic!("asked for a tag that the node does not have")
            }
            (Fault::Pruned, CountAt::Finalized) => Err(self.pruned()),
            _ => self.chain.transaction_count(address, at).await,
        }
    }
    async fn fees(&self) -> Result<FeeSuggestion, NodeError> {
        self.chain.fees().await
    }
    async fn send_raw(&self, bytes: &[u8]) -> SendOutcome {
        let lost = || SendOutcome::Unknown {
            reason: "the connection broke".to_owned(),
        };
        if self.fault == Fault::QuestionLost {
            return lost();
        }
        let outcome = self.chain.send_raw(bytes).await;
        match self.fault {
            Fault::ReplyLost => lost(),
            Fault::RefusesWhatItTook => SendOutcome::Refused {
                reason: "insufficient funds".to_owned(),
            },
            Fault::AnotherHash => SendOutcome::Accepted {
                hash: B256::repeat_byte(1),
            },
            _ => outcome,
        }
    }
    async fn transaction(&self, hash: B256) -> Result<Option<TransactionInfo>, NodeError> {
        self.chain.transaction(hash).await
    }
    async fn receipt(&self, hash: B256) -> Result<Option<ReceiptInfo>, NodeError> {
        self.chain.receipt(hash).await
    }
}

fn behind(chain: &EmbeddedChain, fault: Fault) -> EvmSubmitter {
    let node = Arc::new(Faulty {
        chain: chain.clone(),
        fault,
    });
    EvmSubmitter::new(Arc::new(EvmNetworks::new().with_node(CHAIN, node)))
}

#[tokio::test]
async fn an_answer_that_is_lost_or_wrong_never_hides_what_the_node_took() {
    let unknown = |answer: &Submission| matches!(answer, Submission::Unknown { .. });
    for (fault, accepted, moved) in [
        (Fault::ReplyLost, true, true),
        (Fault::RefusesWhatItTook, true, true),
        (Fault::AnotherHash, false, true),
        (Fault::QuestionLost, false, false),
    ] {
        let stage = Embedded::new();
        let submitter = behind(&stage.0, fault);
        let tx = payload(OTHER, &[], U256::from(1));
        let terms = submitter.terms(&tx, &request(0)).await.unwrap();
        let artifact = sign(OTHER, &[], U256::from(1), &terms);
        let answer = submitter.submit(&tx, &artifact).await;
        assert_eq!(
            answer == Submission::Accepted,
            accepted,
            "{fault:?}: {answer:?}"
        );
        assert_eq!(unknown(&answer), !accepted, "{fault:?}: {answer:?}");
        let fate = submitter.fate(&tx, &artifact).await.unwrap();
        assert_eq!(
            matches!(fate, Fate::Included { .. }),
            moved,
            "{fault:?}: {fate:?}"
        );
    }
}

#[tokio::test]
async fn without_finality_death_waits_for_many_blocks() {
    let stage = Embedded::new();
    let submitter = behind(&stage.0, Fault::NoFinality);
    let tx = payload(OTHER, &[], U256::from(1));
    let terms = submitter.terms(&tx, &request(0)).await.unwrap();
    let loser = sign(OTHER, &[], U256::from(1), &terms);
    let winner = sign(OTHER, &[], U256::from(2), &terms);
    assert_eq!(submitter.submit(&tx, &winner).await, Submission::Accepted);
    for _ in 0..CONFIRMATIONS_WITHOUT_FINALITY {
        assert_eq!(submitter.fate(&tx, &loser).await.unwrap(), Fate::Unseen);
        stage.0.mine();
    }
    assert!(matches!(
        submitter.fate(&tx, &loser).await.unwrap(),
        Fate::Dead { .. }
    ));
}

#[tokio::test]
async fn without_the_state_of_the_final_block_nothing_is_dead() {
    let stage = Embedded::new();
    let submitter = behind(&stage.0, Fault::Pruned);
    let tx = payload(OTHER, &[], U256::from(1));
    let terms = submitter.terms(&tx, &request(0)).await.unwrap();
    let loser = sign(OTHER, &[], U256::from(1), &terms);
    stage.act(SENDER, OTHER, vec![]).await;
    (0..10).for_each(|_| stage.0.mine());
    assert_eq!(submitter.fate(&tx, &loser).await.unwrap(), Fate::Unseen);
}
