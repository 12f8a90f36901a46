//! `contract.call`: any function of any contract.

use std::sync::Arc;

use async_trait::async_trait;
use oda_core::{Action, ActionError, BuildContext, Built, Descriptor};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::abi::{FunctionAbi, Mutability};
use crate::actions::common::{self, EvmChain};
use crate::actions::facts::{Money, Worth};
use crate::actions::schema::{self, Text};
use crate::actions::token_info::{TokenInfo, require_contract};
use crate::address::EvmAddress;
use crate::amount::{Amount, Calldata};
use crate::error::quoted;
use crate::known_calls::{KnownCall, known_call};
use crate::networks::EvmNetworks;
use crate::node::EvmNode;
use crate::tokens::{NATIVE_DECIMALS, TokenId, native_symbol};
use crate::tx::EvmTx;

/// How much of the arguments a summary repeats, in characters. The payload has them in full.
const MAX_ARGS: usize = 240;

/// How much of one text argument a summary repeats, in characters.
const MAX_ARG: usize = 60;

/// The input of [`ContractCall`].
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContractCallInput {
    /// The chain.
    pub chain: EvmChain,
    /// The contract.
    pub contract: EvmAddress,
    /// One function fragment: a JSON object, or a string such as `function mint(address to, uint256 amount)`.
    pub abi: Value,
    /// The function's arguments, in order.
    #[serde(default)]
    pub args: Vec<Value>,
    /// The native currency that goes along, in wei.
    #[serde(default)]
    pub value: Amount,
    /// Who calls; the configured signer when absent.
    #[serde(default)]
    pub from: Option<EvmAddress>,
}

/// Prepares a call of any contract function.
///
/// The policy sees through it: calldata of the well-known token functions gives the same facts here as
/// through the narrower actions ([`known_call`]).
#[derive(Debug)]
pub struct ContractCall {
    descriptor: Descriptor,
    networks: Arc<EvmNetworks>,
    default_from: Option<EvmAddress>,
}

impl ContractCall {
    /// The action over these networks; `default_from` is the address of the configured signer.
    #[must_use]
    pub fn new(networks: Arc<EvmNetworks>, default_from: Option<EvmAddress>) -> Self {
        let text = Text {
            id: "contract.call",
            title: "Call a contract",
            description: "Prepares a call of one function of a contract, given the function's ABI fragment and its \
                arguments. Use it when no narrower action fits; use token.transfer, token.approvals.revoke or \
                chain.read where they do. Integers are decimal strings. Returns a prepared intent with its \
                simulation and the policy's verdict; nothing is signed and nothing is sent until the intent is \
                executed.",
        };
        let properties = json!({
            "chain": schema::chain(),
            "contract": schema::address(),
            "abi": {
                "description": "One function fragment: a JSON object, or a string such as \
                    \"function mint(address to, uint256 amount)\".",
                "anyOf": [{"type": "string"}, {"type": "object"}],
            },
            "args": {"type": "array", "items": {}},
            "value": schema::amount(),
            "from": schema::address(),
        });
        let input = schema::input(properties, &["chain", "contract", "abi"]);
        let descriptor = schema::action(&text, input, &schema::TRANSFER_RULES);
        Self {
            descriptor,
            networks,
            default_from,
        }
    }
}

#[async_trait]
impl Action for ContractCall {
    type Input = ContractCallInput;
    type Payload = EvmTx;

    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    async fn build(
        &self,
        input: ContractCallInput,
        _context: &BuildContext<'_>,
    ) -> Result<Built<EvmTx>, ActionError> {
        let call = Call::understand(&input, self.default_from)?;
        let node = self.networks.checked(input.chain.name()).await?;
        let block = node.head().await.map_err(common::node)?.number;
        require_contract(&*node, "contract", call.contract, block).await?;
        let summary = call.summary(&*node, &input.args, block).await?;
        let payload = EvmTx::new(
            call.chain,
            Some(call.from),
            call.contract,
            call.data.clone(),
            call.value,
        )
        .map_err(common::invalid_payload)?;
        Ok(call.money().built(payload, summary))
    }
}

/// The input, understood.
struct Call {
    chain: &'static str,
    from: EvmAddress,
    contract: EvmAddress,
    function: FunctionAbi,
    data: Calldata,
    value: Amount,
    known: Option<KnownCall>,
}

impl Call {
    fn understand(
        input: &ContractCallInput,
        default_from: Option<EvmAddress>,
    ) -> Result<Self, ActionError> {
        let from = common::sender(input.from, default_from)?;
        let function = FunctionAbi::parse(&input.abi).map_err(common::invalid_abi)?;
        if function.is_read_only() {
            return Err(ActionError::invalid(
                "abi",
                format!("{function} is view or pure and changes nothing: read it with chain.read"),
            ));
        }
        if !input.value.is_zero() && function.mutability() != Mutability::Payable {
            return Err(ActionError::invalid(
                "value",
                format!("{function} is not payable: it takes no native currency"),
            ));
        }
        let data = function
            .encode_call(&input.args)
            .map_err(common::invalid_abi)?;
        let known = known_call(data.bytes());
        if let Some(to) = known.and_then(|known| known.recipient) {
            common::recipient(to, Some(input.contract)).map_err(|error| in_args(&error))?;
        }
        if known.is_some() && !input.value.is_zero() {
            return Err(ActionError::invalid(
                "value",
                format!(
                    "must be 0 for {function}: the token functions of the standards take no native currency, and \
                     one policy verdict cannot judge two amounts"
                ),
            ));
        }
        Ok(Self {
            chain: input.chain.name(),
            from,
            contract: input.contract,
            function,
            data,
            value: input.value,
            known,
        })
    }

    fn money(&self) -> Money {
        let contract = Some(self.contract);
        match &self.known {
            Some(known) => Money {
                token: Some(self.token(known)),
                amount: known.amount,
                contract,
                recipient: known.recipient,
                spender: known.spender,
                worth: Worth::ByToken,
            },
            None if self.value.is_zero() => Money {
                contract,
                ..Money::default()
            },
            None => Money {
                token: Some(TokenId::Native),
                amount: Some(self.value),
                contract,
                recipient: contract,
                ..Money::default()
            },
        }
    }

    fn token(&self, known: &KnownCall) -> TokenId {
        TokenId::Contract(known.token.unwrap_or(self.contract))
    }

    async fn summary(
        &self,
        node: &dyn EvmNode,
        args: &[Value],
        block: u64,
    ) -> Result<String, ActionError> {
        let Self {
            chain,
            from,
            contract,
            function,
            value,
            ..
        } = self;
        let along = if value.is_zero() {
            String::new()
        } else {
            let units = value.in_units(NATIVE_DECIMALS);
            format!(", sending {units} {} ({value} wei)", native_symbol(chain))
        };
        let meaning = match &self.known {
            None => String::new(),
            Some(known) => self.meaning(known, node, block).await?,
        };
        Ok(format!(
            "Call {function} of {contract} on {chain} with {} from {from}{along}{meaning}.",
            shown_args(args)
        ))
    }

    /// What a well-known function does, in words, after what was called.
    async fn meaning(
        &self,
        known: &KnownCall,
        node: &dyn EvmNode,
        block: u64,
    ) -> Result<String, ActionError> {
        let TokenId::Contract(token) = self.token(known) else {
            return Ok(String::new());
        };
        let what = match known.amount {
            None => format!("tokens of {token} that are not counted by an amount"),
            Some(Amount::MAX) => format!("an amount of {token} without limit"),
            Some(amount) => TokenInfo::read(node, self.chain, token, block)
                .await?
                .describe(amount, token),
        };
        Ok(match (known.recipient, known.spender) {
            (Some(recipient), _) => format!(", which moves {what} to {recipient}"),
            (None, Some(spender)) => format!(", which lets {spender} spend {what}"),
            (None, None) => String::new(),
        })
    }
}

/// The recipient stands among the arguments here.
fn in_args(error: &ActionError) -> ActionError {
    match error {
        ActionError::InvalidInput { rule, .. } => {
            ActionError::invalid("args", format!("the recipient {rule}"))
        }
        other => other.clone(),
    }
}

/// The arguments for people, bounded and on one line.
fn shown_args(args: &[Value]) -> String {
    let list = args.iter().map(shown).collect::<Vec<_>>().join(", ");
    let mut text: String = list.chars().take(MAX_ARGS).collect();
    if text.len() < list.len() {
        text.push('…');
    }
    format!("({text})")
}

/// Numbers, addresses and bytes as they are; any other text quoted and escaped.
fn shown(arg: &Value) -> String {
    match arg {
        Value::String(text)
            if !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric()) =>
        {
            text.clone()
        }
        Value::String(text) => quoted(text, MAX_ARG),
        Value::Array(items) => {
            format!(
                "[{}]",
                items.iter().map(shown).collect::<Vec<_>>().join(", ")
            )
        }
        // Only the members of a tuple get here, and their names are identifiers.
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(name, value)| format!("{name}: {}", shown(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
