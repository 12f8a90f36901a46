//! `evm.transfer`: native currency from one account to another.

use std::sync::Arc;

use async_trait::async_trait;
use oda_core::{Action, ActionError, BuildContext, Built, Descriptor};
use serde::Deserialize;
use serde_json::json;

use crate::actions::common::{self, EvmChain};
use crate::actions::facts::{Money, Worth};
use crate::actions::schema::{self, Text};
use crate::address::EvmAddress;
use crate::amount::{Amount, Calldata};
use crate::networks::EvmNetworks;
use crate::tokens::{NATIVE_DECIMALS, TokenId, native_symbol};
use crate::tx::EvmTx;

/// The input of [`EvmTransfer`].
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvmTransferInput {
    /// The chain.
    pub chain: EvmChain,
    /// Who sends; the configured signer when absent.
    #[serde(default)]
    pub from: Option<EvmAddress>,
    /// Who receives.
    pub to: EvmAddress,
    /// How much, in wei.
    pub amount: Amount,
}

/// Prepares a transfer of a chain's own currency.
#[derive(Debug)]
pub struct EvmTransfer {
    descriptor: Descriptor,
    networks: Arc<EvmNetworks>,
    default_from: Option<EvmAddress>,
}

impl EvmTransfer {
    /// The action over these networks; `default_from` is the address of the configured signer.
    #[must_use]
    pub fn new(networks: Arc<EvmNetworks>, default_from: Option<EvmAddress>) -> Self {
        let text = Text {
            id: "evm.transfer",
            title: "Transfer native currency",
            description: "Prepares a transfer of an EVM chain's own currency (ETH, on Polygon POL) to one \
                account. Use it for the native currency only; use token.transfer for a token. The amount is a \
                decimal string in wei. Returns a prepared intent with its simulation and the policy's verdict; \
                nothing is signed and nothing is sent until the intent is executed.",
        };
        let properties = json!({
            "chain": schema::chain(),
            "from": schema::address(),
            "to": schema::address(),
            "amount": schema::amount(),
        });
        let rules: Vec<&str> = schema::TRANSFER_RULES
            .into_iter()
            .filter(|rule| *rule != "contract_allowlist")
            .collect();
        let input = schema::input(properties, &["chain", "to", "amount"]);
        Self {
            descriptor: schema::action(&text, input, &rules),
            networks,
            default_from,
        }
    }
}

#[async_trait]
impl Action for EvmTransfer {
    type Input = EvmTransferInput;
    type Payload = EvmTx;

    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    async fn build(
        &self,
        input: EvmTransferInput,
        _context: &BuildContext<'_>,
    ) -> Result<Built<EvmTx>, ActionError> {
        let chain = input.chain.name();
        let from = common::sender(input.from, self.default_from)?;
        let to = common::recipient(input.to, None)?;
        let amount = common::above_zero(input.amount)?;
        // Nothing is read from it here, but a node that is down or serves another chain is told now, and not
        // as a missing simulation.
        self.networks.checked(chain).await?;
        let payload = EvmTx::new(chain, Some(from), to, Calldata::default(), amount)
            .map_err(common::invalid_payload)?;
        let money = Money {
            token: Some(TokenId::Native),
            amount: Some(amount),
            recipient: Some(to),
            worth: Worth::ByToken,
            ..Money::default()
        };
        let summary = format!(
            "Transfer {} {} ({amount} wei) to {to} on {chain} from {from}.",
            amount.in_units(NATIVE_DECIMALS),
            native_symbol(chain)
        );
        Ok(money.built(payload, summary))
    }
}
