//! `token.transfer`: an ERC-20 token from one account to another.

use std::sync::Arc;

use async_trait::async_trait;
use oda_core::{Action, ActionError, BuildContext, Built, Descriptor};
use serde::Deserialize;
use serde_json::json;

use crate::abi::FunctionAbi;
use crate::actions::common::{self, EvmChain};
use crate::actions::facts::{Money, Worth};
use crate::actions::schema::{self, Text};
use crate::actions::token_info::{TokenInfo, require_contract};
use crate::address::EvmAddress;
use crate::amount::Amount;
use crate::networks::EvmNetworks;
use crate::tokens::TokenId;
use crate::tx::EvmTx;

/// The input of [`TokenTransfer`].
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenTransferInput {
    /// The chain.
    pub chain: EvmChain,
    /// The token contract.
    pub token: EvmAddress,
    /// Who sends; the configured signer when absent.
    #[serde(default)]
    pub from: Option<EvmAddress>,
    /// Who receives.
    pub to: EvmAddress,
    /// How much, in the token's base units.
    pub amount: Amount,
}

/// Prepares a transfer of an ERC-20 token.
#[derive(Debug)]
pub struct TokenTransfer {
    descriptor: Descriptor,
    networks: Arc<EvmNetworks>,
    default_from: Option<EvmAddress>,
}

impl TokenTransfer {
    /// The action over these networks; `default_from` is the address of the configured signer.
    #[must_use]
    pub fn new(networks: Arc<EvmNetworks>, default_from: Option<EvmAddress>) -> Self {
        let text = Text {
            id: "token.transfer",
            title: "Transfer a token",
            description: "Prepares a transfer of an ERC-20 token to one account. Use it for a token that has a \
                contract; use evm.transfer for the chain's own currency. The amount is a decimal string in the \
                token's base units. Returns a prepared intent with its simulation and the policy's verdict; \
                nothing is signed and nothing is sent until the intent is executed.",
        };
        let properties = json!({
            "chain": schema::chain(),
            "token": schema::address(),
            "from": schema::address(),
            "to": schema::address(),
            "amount": schema::amount(),
        });
        let input = schema::input(properties, &["chain", "token", "to", "amount"]);
        let descriptor = schema::action(&text, input, &schema::TRANSFER_RULES);
        Self {
            descriptor,
            networks,
            default_from,
        }
    }
}

#[async_trait]
impl Action for TokenTransfer {
    type Input = TokenTransferInput;
    type Payload = EvmTx;

    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    async fn build(
        &self,
        input: TokenTransferInput,
        _context: &BuildContext<'_>,
    ) -> Result<Built<EvmTx>, ActionError> {
        let chain = input.chain.name();
        let from = common::sender(input.from, self.default_from)?;
        let TokenId::Contract(token) = TokenId::of(input.token) else {
            return Err(ActionError::invalid(
                "token",
                "stands for the native currency, which has no contract: use evm.transfer",
            ));
        };
        let to = common::recipient(input.to, Some(token))?;
        let amount = common::above_zero(input.amount)?;
        let node = self.networks.checked(chain).await?;
        let block = node.head().await.map_err(common::node)?.number;
        require_contract(&*node, "token", token, block).await?;
        let info = TokenInfo::read(&*node, chain, token, block).await?;
        let data = FunctionAbi::parse_text("function transfer(address to, uint256 amount)")
            .and_then(|transfer| transfer.encode_call(&[json!(to), json!(amount)]))
            .map_err(common::invalid_abi)?;
        let payload = EvmTx::new(chain, Some(from), token, data, Amount::ZERO)
            .map_err(common::invalid_payload)?;
        let money = Money {
            token: Some(TokenId::Contract(token)),
            amount: Some(amount),
            contract: Some(token),
            recipient: Some(to),
            spender: None,
            worth: Worth::ByToken,
        };
        let what = info.describe(amount, token);
        Ok(money.built(
            payload,
            format!("Transfer {what} to {to} on {chain} from {from}."),
        ))
    }
}
