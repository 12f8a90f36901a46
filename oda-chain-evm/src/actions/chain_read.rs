//! `chain.read`: one value from a chain.

use std::sync::Arc;

use alloy::primitives::{Bytes, U256};
use async_trait::async_trait;
use oda_core::{ActionError, BuildContext, Descriptor, Query};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::abi::FunctionAbi;
use crate::actions::common::{self, EvmChain};
use crate::actions::schema::{self, Text};
use crate::actions::token_info::require_contract;
use crate::address::EvmAddress;
use crate::networks::EvmNetworks;
use crate::node::{CallOutcome, CallRequest, EvmNode};

/// What [`ChainRead`] reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadKind {
    /// The native balance of `address`, in wei.
    NativeBalance,
    /// The balance of `address` (or `owner`) in `token`, in base units.
    Erc20Balance,
    /// How much of `token` of `owner` the `spender` may spend, in base units.
    Erc20Allowance,
    /// The number of the latest block.
    BlockNumber,
    /// What the view function `abi` of `contract` returns for `args`.
    ContractRead,
}

/// The input of [`ChainRead`]. Which members are needed depends on `kind`; the others must be absent.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainReadInput {
    /// What is read.
    pub kind: ReadKind,
    /// The chain.
    pub chain: EvmChain,
    /// Whose native or token balance.
    #[serde(default)]
    pub address: Option<EvmAddress>,
    /// The token contract.
    #[serde(default)]
    pub token: Option<EvmAddress>,
    /// Whose allowance or balance.
    #[serde(default)]
    pub owner: Option<EvmAddress>,
    /// Whose permission to spend.
    #[serde(default)]
    pub spender: Option<EvmAddress>,
    /// The contract to ask.
    #[serde(default)]
    pub contract: Option<EvmAddress>,
    /// One function fragment, `view` or `pure`.
    #[serde(default)]
    pub abi: Option<Map<String, Value>>,
    /// The function's arguments.
    #[serde(default)]
    pub args: Option<Vec<Value>>,
}

/// Reads one value at one block.
#[derive(Debug)]
pub struct ChainRead {
    descriptor: Descriptor,
    networks: Arc<EvmNetworks>,
}

impl ChainRead {
    /// The query over these networks.
    #[must_use]
    pub fn new(networks: Arc<EvmNetworks>) -> Self {
        let text = Text {
            id: "chain.read",
            title: "Read from a chain",
            description: "Reads one value from an EVM chain at its latest block: a native balance, a token \
                balance, an allowance, the block number, or what a view function of a contract returns. Integers \
                come as decimal strings in base units. Use it for facts; it cannot call a function that changes \
                something. Reads only.",
        };
        let input = schema::input(properties(), &["kind", "chain"]);
        let output = json!({
            "type": "object",
            "properties": {
                "kind": kind(),
                "chain": schema::chain(),
                "block_number": {"type": "string"},
                "result": {},
                "as_of": {"type": "string"},
            },
            "required": ["kind", "chain", "block_number", "result", "as_of"],
        });
        Self {
            descriptor: schema::query(&text, "read", input, output),
            networks,
        }
    }
}

fn kind() -> Value {
    json!({
        "type": "string",
        "enum": ["native_balance", "erc20_balance", "erc20_allowance", "block_number", "contract_read"],
    })
}

fn properties() -> Value {
    json!({
        "kind": kind(),
        "chain": schema::chain(),
        "address": schema::address(),
        "token": schema::address(),
        "owner": schema::address(),
        "spender": schema::address(),
        "contract": schema::address(),
        "abi": {
            "type": "object",
            "properties": {
                "type": {"type": "string", "enum": ["function"]},
                "name": {"type": "string"},
                "inputs": {"type": "array", "items": {"type": "object"}},
                "outputs": {"type": "array", "items": {"type": "object"}},
                "stateMutability": {"type": "string", "enum": ["view", "pure"]},
            },
            "required": ["type", "name", "inputs", "outputs", "stateMutability"],
        },
        "args": {"type": "array", "items": {}},
    })
}

/// What is asked of the node, once the input is understood.
enum Read {
    Balance(EvmAddress),
    BlockNumber,
    Call {
        contract: EvmAddress,
        field: &'static str,
        function: FunctionAbi,
        data: Bytes,
    },
}

impl ChainReadInput {
    fn understand(&self) -> Result<Read, ActionError> {
        match self.kind {
            ReadKind::BlockNumber => {
                self.only(&[])?;
                Ok(Read::BlockNumber)
            }
            ReadKind::NativeBalance => {
                self.only(&["address"])?;
                self.need("address", self.address).map(Read::Balance)
            }
            ReadKind::Erc20Balance => {
                self.only(&["token", "address", "owner"])?;
                let holder = match (self.address, self.owner) {
                    (Some(_), Some(_)) => {
                        return Err(ActionError::invalid(
                            "owner",
                            "says the same as `address`: give one of the two",
                        ));
                    }
                    (address, owner) => self.need("address", address.or(owner))?,
                };
                self.token_call(
                    "function balanceOf(address account) view returns (uint256)",
                    &[json!(holder)],
                )
            }
            ReadKind::Erc20Allowance => {
                self.only(&["token", "owner", "spender"])?;
                let owner = self.need("owner", self.owner)?;
                let spender = self.need("spender", self.spender)?;
                self.token_call(
                    "function allowance(address owner, address spender) view returns (uint256)",
                    &[json!(owner), json!(spender)],
                )
            }
            ReadKind::ContractRead => {
                self.only(&["contract", "abi", "args"])?;
                self.contract_call()
            }
        }
    }

    fn token_call(&self, text: &str, args: &[Value]) -> Result<Read, ActionError> {
        let contract = self.need("token", self.token)?;
        let function = FunctionAbi::parse_text(text).map_err(common::invalid_abi)?;
        let data = function
            .encode_call(args)
            .map_err(common::invalid_abi)?
            .to_alloy();
        Ok(Read::Call {
            contract,
            field: "token",
            function,
            data,
        })
    }

    fn contract_call(&self) -> Result<Read, ActionError> {
        let contract = self.need("contract", self.contract)?;
        let abi = self.need("abi", self.abi.as_ref())?;
        let function =
            FunctionAbi::parse(&Value::Object(abi.clone())).map_err(common::invalid_abi)?;
        if !function.is_read_only() {
            return Err(ActionError::invalid(
                "abi.stateMutability",
                "must be view or pure: chain.read cannot call a function that changes something; prepare it \
                 with contract.call",
            ));
        }
        let args = self.args.as_deref().unwrap_or_default();
        let data = function
            .encode_call(args)
            .map_err(common::invalid_abi)?
            .to_alloy();
        Ok(Read::Call {
            contract,
            field: "contract",
            function,
            data,
        })
    }

    fn need<T>(&self, field: &str, value: Option<T>) -> Result<T, ActionError> {
        value.ok_or_else(|| {
            ActionError::invalid(
                field,
                format!("is required for the kind `{}`", self.kind_name()),
            )
        })
    }

    /// Refuses members that the kind does not use: an input that is not understood is not half obeyed.
    fn only(&self, used: &[&str]) -> Result<(), ActionError> {
        let given = [
            ("address", self.address.is_some()),
            ("token", self.token.is_some()),
            ("owner", self.owner.is_some()),
            ("spender", self.spender.is_some()),
            ("contract", self.contract.is_some()),
            ("abi", self.abi.is_some()),
            ("args", self.args.is_some()),
        ];
        match given
            .iter()
            .find(|(field, given)| *given && !used.contains(field))
        {
            None => Ok(()),
            Some((field, _)) => Err(ActionError::invalid(
                *field,
                format!(
                    "is not used by the kind `{}`: leave it out",
                    self.kind_name()
                ),
            )),
        }
    }

    const fn kind_name(&self) -> &'static str {
        match self.kind {
            ReadKind::NativeBalance => "native_balance",
            ReadKind::Erc20Balance => "erc20_balance",
            ReadKind::Erc20Allowance => "erc20_allowance",
            ReadKind::BlockNumber => "block_number",
            ReadKind::ContractRead => "contract_read",
        }
    }
}

impl Read {
    async fn answer(self, node: &dyn EvmNode, block: u64) -> Result<Value, ActionError> {
        match self {
            Self::BlockNumber => Ok(json!(block.to_string())),
            Self::Balance(account) => {
                let wei = node
                    .balance(account.to_alloy(), block)
                    .await
                    .map_err(common::node)?;
                Ok(json!(wei.to_string()))
            }
            Self::Call {
                contract,
                field,
                function,
                data,
            } => {
                require_contract(node, field, contract, block).await?;
                let request = CallRequest {
                    from: None,
                    to: contract.to_alloy(),
                    data,
                    value: U256::ZERO,
                };
                match node.call(&request, block).await.map_err(common::node)? {
                    CallOutcome::Success { output } => {
                        function.decode_output(&output).map_err(common::invalid_abi)
                    }
                    CallOutcome::Revert { reason, .. } | CallOutcome::Failed { reason } => {
                        Err(ActionError::World {
                            source_name: format!("{} of {contract}", function.signature()),
                            reason,
                        })
                    }
                }
            }
        }
    }
}

#[async_trait]
impl Query for ChainRead {
    type Input = ChainReadInput;

    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    async fn answer(
        &self,
        input: ChainReadInput,
        context: &BuildContext<'_>,
    ) -> Result<Value, ActionError> {
        let read = input.understand()?;
        let node = self.networks.checked(input.chain.name()).await?;
        let block = node.head().await.map_err(common::node)?.number;
        let result = read.answer(&*node, block).await?;
        Ok(json!({
            "kind": input.kind,
            "chain": input.chain,
            "block_number": block.to_string(),
            "result": result,
            "as_of": common::as_of(context.now),
        }))
    }
}
