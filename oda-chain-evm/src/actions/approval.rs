//! One permission of a spender over a token, as the chain has it.

use alloy::primitives::U256;
use oda_core::ActionError;
use serde_json::{Value, json};

use crate::abi::FunctionAbi;
use crate::actions::common::{self, ApprovalKind};
use crate::address::EvmAddress;
use crate::amount::Amount;
use crate::node::{CallOutcome, CallRequest, EvmNode};

/// What a spender may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Approval {
    /// Spend up to this many base units.
    Allowance(Amount),
    /// Move every token of the collection, or none.
    Operator(bool),
}

/// Whose permission is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question {
    pub(crate) kind: ApprovalKind,
    pub(crate) token: EvmAddress,
    pub(crate) owner: EvmAddress,
    pub(crate) spender: EvmAddress,
}

impl Question {
    /// Asks the token. A token that does not answer in the form of its standard is refused: it is of
    /// another one, and what follows from a wrong guess is another transaction than the one that was meant.
    pub(crate) async fn ask(
        &self,
        node: &dyn EvmNode,
        block: u64,
    ) -> Result<Approval, ActionError> {
        let (text, hint) = match self.kind {
            ApprovalKind::Erc20 => (
                "function allowance(address owner, address spender) view returns (uint256)",
                "erc721 or erc1155 if it is a collection",
            ),
            ApprovalKind::Erc721 | ApprovalKind::Erc1155 => (
                "function isApprovedForAll(address owner, address operator) view returns (bool)",
                "erc20 if it is a fungible token",
            ),
        };
        let function = FunctionAbi::parse_text(text).map_err(common::invalid_abi)?;
        let data = function
            .encode_call(&[json!(self.owner), json!(self.spender)])
            .map_err(common::invalid_abi)?;
        let request = CallRequest {
            from: None,
            to: self.token.to_alloy(),
            data: data.to_alloy(),
            value: U256::ZERO,
        };
        let answer = match node.call(&request, block).await.map_err(common::node)? {
            CallOutcome::Success { output } => function.decode_output(&output).ok(),
            CallOutcome::Revert { .. } | CallOutcome::Failed { .. } => None,
        };
        answer
            .as_ref()
            .and_then(Approval::from_json)
            .ok_or_else(|| {
                ActionError::invalid(
                    "kind",
                    format!(
                        "{} does not answer {}; check the token and the chain, or use {hint}",
                        self.token,
                        function.signature()
                    ),
                )
            })
    }
}

impl Approval {
    fn from_json(answer: &Value) -> Option<Self> {
        match answer {
            Value::Bool(approved) => Some(Self::Operator(*approved)),
            Value::String(amount) => amount.parse().ok().map(Self::Allowance),
            _ => None,
        }
    }

    /// The members of one entry of the output of `token.approvals.list`.
    pub(crate) fn to_json(self, spender: EvmAddress) -> Value {
        match self {
            Self::Allowance(amount) => json!({
                "spender": spender,
                "allowance": amount,
                "is_max_uint256": amount == Amount::MAX,
                "approved_for_all": null,
            }),
            Self::Operator(approved) => json!({
                "spender": spender,
                "allowance": null,
                "is_max_uint256": null,
                "approved_for_all": approved,
            }),
        }
    }
}
