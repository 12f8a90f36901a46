//! Simulating a call at one block, with its effects.

use std::sync::Arc;

use alloy::primitives::Address;
use async_trait::async_trait;
use oda_core::{ChainError, Payload as _, SimulatedEffects, Simulation, Simulator, UnixMillis};

use crate::address::EvmAddress;
use crate::effects::effects_of;
use crate::networks::EvmNetworks;
use crate::node::{BlockRef, CallOutcome, CallRequest, EvmNode, NodeError};
use crate::trace::{Trace, TracedCall};
use crate::tx::EvmTx;

/// How a call is simulated by a node that cannot trace, in the reference implementation's words.
const CALL_AND_ESTIMATE: &str = "eth_call+eth_estimateGas";

/// Simulates EVM transactions.
///
/// One simulation asks everything at one block, the latest when it began, whose number the result names.
/// It tells success or the decoded reason of a revert, the gas, and the effects on the sender where the
/// node can trace. A revert is an answer; a node that does not answer is an error.
#[derive(Debug, Clone)]
pub struct EvmSimulator {
    networks: Arc<EvmNetworks>,
}

impl EvmSimulator {
    /// A simulator over these networks.
    #[must_use]
    pub const fn new(networks: Arc<EvmNetworks>) -> Self {
        Self { networks }
    }

    /// Simulates a call that is not a payload, such as that of the action `tx.simulate`.
    ///
    /// # Errors
    ///
    /// When the chain has no node, the node serves another chain, or it does not answer as it should.
    pub async fn simulate_call(
        &self,
        chain: &str,
        request: &CallRequest,
        now: UnixMillis,
    ) -> Result<Simulation, ChainError> {
        let node = self.networks.checked(chain).await?;
        let block = node.head().await?;
        let (trace, gas) = tokio::join!(
            node.trace(request, block.number),
            node.estimate_gas(request, block.number),
        );
        let answer = match trace? {
            Trace::Traced(mut traced) => {
                if !traced.outcome.is_success() {
                    // Tracers often say no more than that it failed. Where eth_call fails too, it knows why.
                    let again = node.call(request, block.number).await?;
                    if !again.is_success() {
                        traced.outcome = again;
                    }
                }
                from_trace(*traced, request.from)
            }
            Trace::Unsupported { reason } => by_call(&*node, request, &block, reason).await?,
        };
        Ok(answer.finish(gas, &block, now)?)
    }
}

#[async_trait]
impl Simulator for EvmSimulator {
    type Payload = EvmTx;

    async fn simulate(&self, payload: &EvmTx, now: UnixMillis) -> Result<Simulation, ChainError> {
        self.simulate_call(payload.chain(), &call_of(payload), now)
            .await
    }
}

/// The call that a transaction makes.
pub(crate) fn call_of(payload: &EvmTx) -> CallRequest {
    CallRequest {
        from: payload.from.map(EvmAddress::to_alloy),
        to: payload.to.to_alloy(),
        data: payload.data.to_alloy(),
        value: payload.value.get(),
    }
}

/// What is known before the gas is.
struct Answer {
    method: &'static str,
    error: Option<String>,
    effects: SimulatedEffects,
}

impl Answer {
    fn finish(
        self,
        gas: Result<u64, NodeError>,
        block: &BlockRef,
        now: UnixMillis,
    ) -> Result<Simulation, NodeError> {
        let (gas, error) = match (self.error, gas) {
            // It fails anyway, whatever its gas.
            (Some(error), _) => (None, Some(error)),
            (None, Ok(gas)) => (Some(gas), None),
            (None, Err(NodeError::Rpc { message, .. })) => {
                (None, Some(format!("estimate_gas_failed: {message}")))
            }
            (None, Err(error)) => return Err(error),
        };
        Ok(Simulation {
            ok: error.is_none(),
            method: self.method.to_owned(),
            block: Some(block.number.to_string()),
            gas_estimate: gas.map(|gas| gas.to_string()),
            error,
            as_of: now.to_string(),
            effects: Some(self.effects),
        })
    }
}

fn from_trace(traced: TracedCall, sender: Option<Address>) -> Answer {
    let effects = match sender {
        Some(sender) => effects_of(&traced, sender),
        None => SimulatedEffects::Unknown {
            reason:
                "the transaction names no sender, so there is nobody whose balances could be told"
                    .to_owned(),
        },
    };
    Answer {
        method: traced.method,
        error: error_of(traced.outcome),
        effects,
    }
}

async fn by_call(
    node: &dyn EvmNode,
    request: &CallRequest,
    block: &BlockRef,
    reason: String,
) -> Result<Answer, NodeError> {
    let outcome = node.call(request, block.number).await?;
    Ok(Answer {
        method: CALL_AND_ESTIMATE,
        error: error_of(outcome),
        effects: SimulatedEffects::Unknown { reason },
    })
}

fn error_of(outcome: CallOutcome) -> Option<String> {
    match outcome {
        CallOutcome::Success { .. } => None,
        CallOutcome::Revert { reason, .. } => Some(format!("reverted: {reason}")),
        CallOutcome::Failed { reason } => Some(format!("call_failed: {reason}")),
    }
}
