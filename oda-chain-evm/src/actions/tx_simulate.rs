//! `tx.simulate`: whether a call would succeed, and what it would change.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use oda_core::{ActionError, BuildContext, Descriptor, Query, Simulator};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::actions::common::{self, EvmChain};
use crate::actions::schema::{self, Text};
use crate::address::EvmAddress;
use crate::amount::{Amount, Calldata};
use crate::tx::EvmTx;

/// The input of [`TxSimulate`].
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TxSimulateInput {
    /// The chain.
    pub chain: EvmChain,
    /// Who calls; nobody in particular when absent.
    #[serde(default)]
    pub from: Option<EvmAddress>,
    /// What is called.
    pub to: EvmAddress,
    /// The calldata.
    pub data: Calldata,
    /// The native currency that goes along, in wei.
    #[serde(default)]
    pub value: Amount,
}

/// Simulates any call without preparing it.
pub struct TxSimulate {
    descriptor: Descriptor,
    simulator: Arc<dyn Simulator<Payload = EvmTx>>,
}

impl TxSimulate {
    /// The query over this simulator.
    #[must_use]
    pub fn new(simulator: Arc<dyn Simulator<Payload = EvmTx>>) -> Self {
        let text = Text {
            id: "tx.simulate",
            title: "Simulate a transaction",
            description: "Runs a call against the present state of an EVM chain without sending it and tells \
                whether it would succeed, the decoded reason when it would not, the gas, and what it would change \
                where the node can tell. Use it to look at calldata from elsewhere; every prepare simulates on its \
                own. Changes nothing.",
        };
        let properties = json!({
            "chain": schema::chain(),
            "from": schema::address(),
            "to": schema::address(),
            "data": {"type": "string", "pattern": "^0x[0-9a-fA-F]*$"},
            "value": schema::amount(),
        });
        let input = schema::input(properties, &["chain", "to", "data"]);
        let output = json!({
            "type": "object",
            "properties": {
                "ok": {"type": "boolean"},
                "method": {"type": "string"},
                "block": {},
                "gas_estimate": {},
                "error": {},
                "as_of": {"type": "string"},
            },
            "required": ["ok", "method", "block", "gas_estimate", "error", "as_of"],
        });
        Self {
            descriptor: schema::query(&text, "simulate", input, output),
            simulator,
        }
    }
}

impl fmt::Debug for TxSimulate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TxSimulate").finish_non_exhaustive()
    }
}

#[async_trait]
impl Query for TxSimulate {
    type Input = TxSimulateInput;

    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    async fn answer(
        &self,
        input: TxSimulateInput,
        context: &BuildContext<'_>,
    ) -> Result<Value, ActionError> {
        let TxSimulateInput {
            chain,
            from,
            to,
            data,
            value,
        } = input;
        let payload =
            EvmTx::new(chain.name(), from, to, data, value).map_err(common::invalid_payload)?;
        let simulation = self.simulator.simulate(&payload, context.now).await?;
        serde_json::to_value(simulation).map_err(|error| ActionError::World {
            source_name: "the simulator".to_owned(),
            reason: error.to_string(),
        })
    }
}
