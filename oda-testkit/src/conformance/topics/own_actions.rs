//! This project's own actions, as far as the reference has them too.

use std::sync::Arc;

use async_trait::async_trait;
use oda_chain_evm::{EvmActions, EvmNetworks, EvmTx};
use oda_core::{ChainError, Simulation, Simulator, UnixMillis};
use serde_json::{Value, json};

/// The descriptor of our action of this id, as JSON.
pub(super) fn descriptor(id: &str) -> Option<Value> {
    let actions = EvmActions::new(Arc::new(EvmNetworks::new()), Arc::new(NoSimulator), None);
    actions
        .descriptors()
        .into_iter()
        .find(|descriptor| descriptor.id.as_str() == id)
        .map(|descriptor| json!(descriptor))
}

/// Descriptors are read here and nothing is simulated.
struct NoSimulator;

#[async_trait]
impl Simulator for NoSimulator {
    type Payload = EvmTx;

    async fn simulate(&self, _: &EvmTx, _: UnixMillis) -> Result<Simulation, ChainError> {
        Err(ChainError::Unavailable {
            node: "none".to_owned(),
            reason: "descriptors need no node".to_owned(),
        })
    }
}
