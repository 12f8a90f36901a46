//! `token.approvals.revoke`: takes a spender's permission back.

use std::sync::Arc;

use async_trait::async_trait;
use oda_core::{Action, ActionError, BuildContext, Built, Descriptor};
use serde::Deserialize;
use serde_json::json;

use crate::abi::FunctionAbi;
use crate::actions::approval::{Approval, Question};
use crate::actions::common::{self, ApprovalKind, EvmChain};
use crate::actions::facts::{Money, Worth};
use crate::actions::schema::{self, Text};
use crate::address::EvmAddress;
use crate::amount::Amount;
use crate::networks::EvmNetworks;
use crate::tokens::TokenId;
use crate::tx::EvmTx;

/// The input of [`ApprovalsRevoke`].
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalsRevokeInput {
    /// The chain.
    pub chain: EvmChain,
    /// Who granted the permission and has to sign.
    pub owner: EvmAddress,
    /// The token contract.
    pub token: EvmAddress,
    /// Who loses the permission.
    pub spender: EvmAddress,
    /// Which standard the permission follows.
    #[serde(default)]
    pub kind: ApprovalKind,
}

/// Prepares the revocation of one approval.
#[derive(Debug)]
pub struct ApprovalsRevoke {
    descriptor: Descriptor,
    networks: Arc<EvmNetworks>,
}

impl ApprovalsRevoke {
    /// The action over these networks.
    #[must_use]
    pub fn new(networks: Arc<EvmNetworks>) -> Self {
        let text = Text {
            id: "token.approvals.revoke",
            title: "Revoke a token approval",
            description: "Prepares a transaction that takes one spender's permission over one token of the owner \
                back: the allowance of a fungible token is set to zero, the operator of a collection is removed. \
                Use token.approvals.list first to see which permissions exist. Returns a prepared intent; \
                nothing is signed and nothing is sent until the intent is executed.",
        };
        let properties = json!({
            "chain": schema::chain(),
            "owner": schema::address(),
            "token": schema::address(),
            "spender": schema::address(),
            "kind": schema::approval_kind(),
        });
        let rules = [
            "network_mainnet_not_enabled",
            "chain_allowlist",
            "token_allowlist",
            "contract_allowlist",
            "intent_ttl",
            "simulation_required",
            "simulation_failed",
        ];
        let input = schema::input(properties, &["chain", "owner", "token", "spender"]);
        Self {
            descriptor: schema::action(&text, input, &rules),
            networks,
        }
    }
}

#[async_trait]
impl Action for ApprovalsRevoke {
    type Input = ApprovalsRevokeInput;
    type Payload = EvmTx;

    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    async fn build(
        &self,
        input: ApprovalsRevokeInput,
        _context: &BuildContext<'_>,
    ) -> Result<Built<EvmTx>, ActionError> {
        let ApprovalsRevokeInput {
            chain,
            owner,
            token,
            spender,
            kind,
        } = input;
        if TokenId::of(token) == TokenId::Native {
            return Err(ActionError::invalid(
                "token",
                "stands for the native currency, which has no approvals",
            ));
        }
        // The token is asked first. `approve(spender, 0)` takes an allowance back where the token is
        // fungible, and grants the token with the id 0 where it is a collection.
        let node = self.networks.checked(chain.name()).await?;
        let block = node.head().await.map_err(common::node)?.number;
        let now = Question {
            kind,
            token,
            owner,
            spender,
        }
        .ask(&*node, block)
        .await?;
        let (function, nothing) = match now {
            Approval::Allowance(_) => (
                "function approve(address spender, uint256 amount)",
                json!("0"),
            ),
            Approval::Operator(_) => (
                "function setApprovalForAll(address operator, bool approved)",
                json!(false),
            ),
        };
        let data = FunctionAbi::parse_text(function)
            .and_then(|function| function.encode_call(&[json!(spender), nothing]))
            .map_err(common::invalid_abi)?;
        let payload = EvmTx::new(chain.name(), Some(owner), token, data, Amount::ZERO)
            .map_err(common::invalid_payload)?;
        // The spender is not a fact here: losing a permission needs no allowlist.
        let money = Money {
            token: Some(TokenId::Contract(token)),
            amount: Some(Amount::ZERO),
            contract: Some(token),
            worth: Worth::Nothing,
            ..Money::default()
        };
        let what = match now {
            Approval::Allowance(Amount::MAX) => "the allowance without limit".to_owned(),
            Approval::Allowance(amount) => format!("the allowance of {amount} base units"),
            Approval::Operator(true) => "the permission to move every token".to_owned(),
            Approval::Operator(false) => {
                "the permission to move every token (not granted at present)".to_owned()
            }
        };
        let summary = format!(
            "Revoke {what} that {spender} has over {token} of {owner} on {chain}. No funds move."
        );
        Ok(money.built(payload, summary))
    }
}
