//! `token.approvals.list`: what given spenders may do with one token of an owner.

use std::sync::Arc;

use async_trait::async_trait;
use futures::stream::{self, StreamExt, TryStreamExt};
use oda_core::{ActionError, BuildContext, Descriptor, Query};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::actions::approval::Question;
use crate::actions::common::{self, ApprovalKind, EvmChain};
use crate::actions::schema::{self, Text};
use crate::address::EvmAddress;
use crate::networks::EvmNetworks;

/// How many spenders one call may ask for (the reference implementation's limit).
const MAX_SPENDERS: usize = 25;

/// How many questions are open at the node at once: faster than one by one, and below what public nodes
/// throttle.
const CONCURRENT: usize = 8;

/// The input of [`ApprovalsList`].
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalsListInput {
    /// The chain.
    pub chain: EvmChain,
    /// Whose token.
    pub owner: EvmAddress,
    /// The token contract.
    pub token: EvmAddress,
    /// Whose permissions, 1 to 25.
    pub spenders: Vec<EvmAddress>,
    /// Which standard the permissions follow.
    #[serde(default)]
    pub kind: ApprovalKind,
}

/// Lists approvals, for the given spenders only.
#[derive(Debug)]
pub struct ApprovalsList {
    descriptor: Descriptor,
    networks: Arc<EvmNetworks>,
}

impl ApprovalsList {
    /// The query over these networks.
    #[must_use]
    pub fn new(networks: Arc<EvmNetworks>) -> Self {
        let text = Text {
            id: "token.approvals.list",
            title: "List token approvals",
            description: "Reads what the given spenders may do with one token of an owner: the allowance of a \
                fungible token, or whether the spender is an operator of a collection. Covers only the spenders \
                that are given; a chain has no list of all of them. Use token.approvals.revoke to take one back. \
                Reads only.",
        };
        let properties = json!({
            "chain": schema::chain(),
            "owner": schema::address(),
            "token": schema::address(),
            "kind": schema::approval_kind(),
            "spenders": {
                "type": "array", "items": schema::address(), "minItems": 1, "maxItems": MAX_SPENDERS,
            },
        });
        let input = schema::input(properties, &["chain", "owner", "token", "spenders"]);
        Self {
            descriptor: schema::query(&text, "read", input, output()),
            networks,
        }
    }
}

fn output() -> Value {
    json!({
        "type": "object",
        "properties": {
            "chain": schema::chain(),
            "owner": schema::address(),
            "token": schema::address(),
            "kind": schema::approval_kind(),
            "approvals": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "spender": {"type": "string"},
                        "allowance": {},
                        "is_max_uint256": {},
                        "approved_for_all": {},
                    },
                    "required": ["spender", "allowance", "is_max_uint256", "approved_for_all"],
                },
            },
            "coverage": {"type": "string"},
            "as_of": {"type": "string"},
        },
        "required": ["chain", "owner", "token", "kind", "approvals", "coverage", "as_of"],
    })
}

#[async_trait]
impl Query for ApprovalsList {
    type Input = ApprovalsListInput;

    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    async fn answer(
        &self,
        input: ApprovalsListInput,
        context: &BuildContext<'_>,
    ) -> Result<Value, ActionError> {
        let ApprovalsListInput {
            chain,
            owner,
            token,
            spenders,
            kind,
        } = input;
        if !(1..=MAX_SPENDERS).contains(&spenders.len()) {
            return Err(ActionError::invalid(
                "spenders",
                format!(
                    "must be 1 to {MAX_SPENDERS} addresses, {} were given",
                    spenders.len()
                ),
            ));
        }
        let node = self.networks.checked(chain.name()).await?;
        let block = node.head().await.map_err(common::node)?.number;
        let node = &*node;
        // Collected first: the stream must own its futures to stay in order and bounded.
        let questions: Vec<_> = spenders
            .iter()
            .map(|spender| async move {
                let question = Question {
                    kind,
                    token,
                    owner,
                    spender: *spender,
                };
                Ok::<Value, ActionError>(question.ask(node, block).await?.to_json(*spender))
            })
            .collect();
        let approvals: Vec<Value> = stream::iter(questions)
            .buffered(CONCURRENT)
            .try_collect()
            .await?;
        Ok(json!({
            "chain": chain,
            "owner": owner,
            "token": token,
            "kind": kind,
            "approvals": approvals,
            "coverage": format!(
                "Only the {} given spender(s) at block {block}; other spenders may have approvals too.",
                spenders.len()
            ),
            "as_of": common::as_of(context.now),
        }))
    }
}
