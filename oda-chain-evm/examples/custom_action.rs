//! An action of your own: `payroll.pay` pays people of an address book, by name, and nobody else.
//!
//!     cargo run -p oda-chain-evm --example custom_action
//!
//! An action turns a typed input into an unsigned payload, the facts that the policy judges, and a sentence
//! for people. It signs nothing and sends nothing: the engine does the rest, the same for every action. The
//! example pays in a test token on an embedded chain: once within the policy's cap, once above it, and once
//! to somebody who is not in the book.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write as _;
use std::sync::Arc;

use alloy::primitives::{Bytes, U256};
use async_trait::async_trait;
use oda_chain_evm::{
    Amount, CallOutcome, CallRequest, Calldata, EmbeddedChain, EvmAddress, EvmNetworks, EvmNode,
    EvmSimulator, EvmSubmitter, EvmTx, FunctionAbi, Genesis, LocalSigner, MainnetAccess,
};
use oda_core::{
    Action, ActionError, BuildContext, Built, Descriptor, Engine, Facts, IntentSecret, MemoryStore,
    PayloadKind, Policy,
};
use serde::Deserialize;
use serde_json::{Value, json};

const CHAIN: &str = "base-sepolia";

/// A key that everybody knows, for a chain that nobody else sees.
const THROWAWAY_KEY: &str = "0x0101010101010101010101010101010101010101010101010101010101010101";

/// The test token that ships with the repository; whoever deploys it holds the supply.
const TOKEN_ARTIFACT: &str = include_str!("../contracts/artifacts/TestToken.json");

/// What an agent says. Unknown keys are refused: an input that is not understood is not half obeyed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PayInput {
    /// A name of the address book, never an address: an agent that was talked into paying somebody else
    /// has no way to say so.
    name: String,
    /// Base units of the payroll token.
    amount: Amount,
}

struct PayrollPay {
    descriptor: Descriptor,
    payer: EvmAddress,
    token: EvmAddress,
    book: BTreeMap<String, EvmAddress>,
}

impl PayrollPay {
    fn new(
        payer: EvmAddress,
        token: EvmAddress,
        book: BTreeMap<String, EvmAddress>,
    ) -> Result<Self, Box<dyn Error>> {
        let descriptor = Descriptor::parse(&descriptor().to_string())?;
        Ok(Self {
            descriptor,
            payer,
            token,
            book,
        })
    }

    fn transfer(&self, to: EvmAddress, amount: Amount) -> Result<Calldata, ActionError> {
        FunctionAbi::parse_text("function transfer(address to, uint256 amount)")
            .and_then(|transfer| transfer.encode_call(&[json!(to), json!(amount)]))
            .map_err(|error| ActionError::invalid("amount", error.to_string()))
    }
}

#[async_trait]
impl Action for PayrollPay {
    type Input = PayInput;
    type Payload = EvmTx;

    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    async fn build(
        &self,
        input: PayInput,
        _context: &BuildContext<'_>,
    ) -> Result<Built<EvmTx>, ActionError> {
        let PayInput { name, amount } = input;
        let to = *self.book.get(&name).ok_or_else(|| {
            let names = self.book.keys().cloned().collect::<Vec<_>>().join(", ");
            ActionError::invalid(
                "name",
                format!("is not in the address book, which has {names}"),
            )
        })?;
        let data = self.transfer(to, amount)?;
        let payload = EvmTx::new(CHAIN, Some(self.payer), self.token, data, Amount::ZERO)
            .map_err(|error| ActionError::invalid(error.field, error.rule))?;
        let summary = format!(
            "Pay {name} ({to}) {amount} base units of {} on {CHAIN} from {}.",
            self.token, self.payer
        );
        // What the policy is to judge. The engine adds the chain, the network and the simulation itself.
        let facts = Facts {
            token: Some(self.token.to_string()),
            token_amount_base_units: Some(amount.to_string()),
            contract: Some(self.token.to_string()),
            recipient: Some(to.to_string()),
            ..Facts::default()
        };
        Ok(Built {
            facts,
            ..Built::new(payload, summary)
        })
    }
}

fn descriptor() -> Value {
    json!({
        "schema": "sato.action/v1",
        "id": "payroll.pay",
        "name": "payroll_pay",
        "version": "0.1.0",
        "title": "Pay somebody of the address book",
        "description": "Prepares a payment in the payroll token to one person of the address book, by name. It \
            cannot pay anybody else. Nothing is sent until the intent is executed.",
        "effects": ["sign", "broadcast"],
        "custody": {"reads_key": false, "sends_key": false, "moves_funds": "with_approval"},
        "chains": [CHAIN],
        "input_schema": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "amount": {"type": "string", "pattern": "^[0-9]{1,78}$"},
            },
            "required": ["name", "amount"],
            "additionalProperties": false,
        },
        "output_schema": {"type": "object"},
        "policy": {"rules": ["token_allowlist", "recipient_allowlist", "max_per_trade"]},
        "receipt": true,
        "fixtures": [],
        "upstream": {},
        "sponsored": null,
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let key = THROWAWAY_KEY.into();
    let signer = LocalSigner::from_secret(&key, MainnetAccess::Refused)?;
    let payer = signer.evm_address();
    let ether = U256::from(1_000_000_000_000_000_000_u64);
    let chain = EmbeddedChain::new(Genesis::new(84_532).with_balance(payer.to_alloy(), ether));
    let token = deploy(&chain, payer).await?;
    let alice: EvmAddress = "0x00000000000000000000000000000000000a11ce".parse()?;
    let engine = engine(&chain, signer, token, alice)?;

    for (name, amount) in [("alice", "1500000"), ("alice", "9000000"), ("mallory", "1")] {
        say(&format!("\npayroll.pay {name} {amount}"))?;
        let intent = match engine
            .prepare("payroll.pay", &json!({"name": name, "amount": amount}))
            .await
        {
            Ok(intent) => intent,
            Err(error) => {
                say(&format!("  not built: {error}"))?;
                continue;
            }
        };
        say(&format!("  prepared:  {}", intent.summary))?;
        match engine.execute(&intent.intent_id).await {
            Ok(execution) => say(&format!("  executed:  {:?}", execution.state))?,
            Err(error) => say(&format!("  refused:   {error}"))?,
        }
        say(&format!(
            "  alice has: {}",
            balance(&chain, token, alice).await?
        ))?;
    }
    Ok(())
}

fn engine(
    chain: &EmbeddedChain,
    signer: LocalSigner,
    token: EvmAddress,
    alice: EvmAddress,
) -> Result<Engine, Box<dyn Error>> {
    let payer = signer.evm_address();
    let networks = Arc::new(EvmNetworks::new().with_node(CHAIN, Arc::new(chain.clone())));
    let kind = PayloadKind::new()
        .simulator(Arc::new(EvmSimulator::new(Arc::clone(&networks))))
        .signer(Arc::new(signer))
        .submitter(Arc::new(EvmSubmitter::new(networks)));
    // Two tokens a payment (the token has 6 decimals), and only to Alice.
    let policy = json!({
        "schema": "sato.policy/v1",
        "network": "testnet",
        "allow_recipients": [format!("{CHAIN}:{alice}")],
        "max_per_trade": {format!("{CHAIN}:{token}"): "2000000"},
    });
    let policy = Policy::parse(policy.to_string().as_bytes())?;
    let secret = IntentSecret::new(b"an example, not a secret: 32 B...")?;
    let book = BTreeMap::from([("alice".to_owned(), alice)]);
    Ok(
        Engine::builder(Arc::new(MemoryStore::new()), secret, policy)
            .kind(kind)
            .action(PayrollPay::new(payer, token, book)?)
            .build()?,
    )
}

/// Deploys the test token with 100 units in the payer's hands.
async fn deploy(chain: &EmbeddedChain, payer: EvmAddress) -> Result<EvmAddress, Box<dyn Error>> {
    let artifact: Value = serde_json::from_str(TOKEN_ARTIFACT)?;
    let code = artifact["bytecode"]
        .as_str()
        .ok_or("the artifact has no bytecode")?;
    let constructor = FunctionAbi::parse_text(
        "constructed(string name, string symbol, uint8 decimals, address holder, uint256 supply)",
    )?;
    let arguments = constructor.encode_call(&[
        json!("Payroll Dollar"),
        json!("PAY"),
        json!("6"),
        json!(payer),
        json!("100000000"),
    ])?;
    let mut creation = code.parse::<Bytes>()?.to_vec();
    // A constructor's arguments follow its code, without a selector.
    creation.extend(arguments.bytes().iter().skip(4));
    Ok(chain
        .deploy(payer.to_alloy(), creation.into())
        .await?
        .into())
}

async fn balance(
    chain: &EmbeddedChain,
    token: EvmAddress,
    account: EvmAddress,
) -> Result<String, Box<dyn Error>> {
    let function = FunctionAbi::parse_text("balanceOf(address) view returns (uint256)")?;
    let request = CallRequest {
        from: None,
        to: token.to_alloy(),
        data: function.encode_call(&[json!(account)])?.to_alloy(),
        value: U256::ZERO,
    };
    match chain.call(&request, chain.head().await?.number).await? {
        CallOutcome::Success { output } => {
            let amount: Amount = serde_json::from_value(function.decode_output(&output)?)?;
            Ok(format!("{} PAY ({amount} base units)", amount.in_units(6)))
        }
        refused => Err(format!("{refused:?}").into()),
    }
}

fn say(line: &str) -> std::io::Result<()> {
    writeln!(std::io::stdout(), "{line}")
}
