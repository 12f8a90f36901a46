//! The fake chain as the engine's parts see it.

use async_trait::async_trait;
use oda_core::{
    Artifact, ChainError, Death, Fate, Lane, Simulation, Simulator, Submission, Submitter,
    TermsRequest, UnixMillis,
};

use super::ledger::Arrived;
use super::{Call, FakeChain, Fault};
use crate::test_tx::{TEST_CHAIN_ID, TestTerms, TestTx};

/// The name of the node in errors.
const NODE: &str = "the fake node";

/// What the fake chain says a transaction uses.
const GAS: &str = "21000";

#[async_trait]
impl Simulator for FakeChain {
    type Payload = TestTx;

    async fn simulate(&self, _: &TestTx, now: UnixMillis) -> Result<Simulation, ChainError> {
        let error = match self.enter(Call::Simulate).await {
            None => None,
            Some(Fault::WouldFail { reason }) => Some(reason),
            Some(fault) => return Err(unavailable(Call::Simulate, &fault)),
        };
        Ok(Simulation {
            ok: error.is_none(),
            method: "fake".to_owned(),
            block: Some(self.state().ledger.head().to_string()),
            gas_estimate: error.is_none().then(|| GAS.to_owned()),
            error,
            as_of: now.to_string(),
            effects: None,
        })
    }
}

#[async_trait]
impl Submitter for FakeChain {
    type Payload = TestTx;

    async fn lane(&self, _: &TestTx, sender: &str) -> Result<Option<Lane>, ChainError> {
        match self.enter(Call::Lane).await {
            None => Ok(Some(Lane {
                key: lane_of(sender),
                floor: self.state().ledger.next_nonce(sender),
            })),
            Some(fault) => Err(unavailable(Call::Lane, &fault)),
        }
    }

    async fn terms(&self, _: &TestTx, request: &TermsRequest<'_>) -> Result<TestTerms, ChainError> {
        if let Some(fault) = self.enter(Call::Terms).await {
            return Err(unavailable(Call::Terms, &fault));
        }
        let nonce = request.sequence.ok_or_else(|| ChainError::Terms {
            limit: "sequence".to_owned(),
            reason: "the fake chain orders by number and none was reserved".to_owned(),
        })?;
        Ok(TestTerms {
            sender: request.sender.to_owned(),
            nonce,
        })
    }

    async fn submit(&self, _: &TestTx, artifact: &Artifact) -> Submission {
        let fault = self.enter(Call::Submit).await;
        match arrived(artifact) {
            Ok(tx) => self.take(&tx, fault),
            Err(reason) => Submission::Refused { reason },
        }
    }

    async fn fate(&self, _: &TestTx, artifact: &Artifact) -> Result<Fate, ChainError> {
        if let Some(fault) = self.enter(Call::Fate).await {
            return Err(unavailable(Call::Fate, &fault));
        }
        let tx = arrived(artifact).map_err(|reason| ChainError::Unavailable {
            node: NODE.to_owned(),
            reason,
        })?;
        Ok(self.state().ledger.fate(&tx))
    }
}

impl FakeChain {
    /// What the node does with the bytes, and what the caller is told: two things.
    fn take(&self, tx: &Arrived, fault: Option<Fault>) -> Submission {
        let mut state = self.state();
        let unknown = |reason: &str| Submission::Unknown {
            reason: reason.to_owned(),
        };
        match fault {
            None => state.ledger.arrive(tx),
            Some(Fault::ReplyLost) => {
                state.ledger.arrive(tx);
                unknown("the connection broke before an answer came")
            }
            Some(Fault::ServerErrorAfterAccept) => {
                state.ledger.arrive(tx);
                unknown("HTTP 503")
            }
            Some(Fault::Duplicate) => {
                state.ledger.arrive(tx);
                state.ledger.arrive(tx)
            }
            Some(Fault::Reordered) => {
                state.ledger.held.push(tx.clone());
                unknown("no answer in time")
            }
            Some(Fault::Refused { reason }) => Submission::Refused { reason },
            Some(Fault::AcceptedThenForgotten) => {
                let answer = state.ledger.arrive(tx);
                state.ledger.forget_waiting();
                answer
            }
            Some(Fault::WillRevert { reason }) => {
                state.ledger.doom(&tx.id, reason);
                state.ledger.arrive(tx)
            }
            Some(fault @ (Fault::Unavailable | Fault::WouldFail { .. } | Fault::Slow)) => {
                unknown(&unavailable(Call::Submit, &fault).to_string())
            }
        }
    }
}

/// The name of an account's sequence on the fake chain.
pub(crate) fn lane_of(sender: &str) -> String {
    format!("evm:{TEST_CHAIN_ID}:{sender}")
}

/// Reads an artifact. The number stands in its death condition: the bytes need not be kept for it.
fn arrived(artifact: &Artifact) -> Result<Arrived, String> {
    match &artifact.death {
        Death::SequenceConsumed { lane, number } if *lane == lane_of(&artifact.sender) => {
            Ok(Arrived {
                id: artifact.id.clone(),
                sender: artifact.sender.clone(),
                nonce: *number,
            })
        }
        other => Err(format!("not a transaction of the fake chain: {other:?}")),
    }
}

fn unavailable(call: Call, fault: &Fault) -> ChainError {
    let reason = match fault {
        Fault::Unavailable => "connection refused".to_owned(),
        other => format!("the script puts {other:?} on {call:?}, where it cannot happen"),
    };
    ChainError::Unavailable {
        node: NODE.to_owned(),
        reason,
    }
}
