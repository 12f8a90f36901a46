//! The scene of the demo: a chain in memory, a token, two accounts, a policy, an installation.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use oda_chain_evm::{
    EmbeddedChain, EvmAddress, EvmNetworks, FunctionAbi, Genesis, LocalSigner, MainnetAccess,
};
use oda_core::{Clock as _, Engine, SystemClock};
use serde::Serialize;
use serde_json::{Value, json};

use crate::chains::{Chains, evm::Evm};
use crate::error::CliError;
use crate::installation::{self, Installation};
use crate::policy::{self, LoadedPolicy};

pub(super) const CHAIN: &str = "base-sepolia";
const CHAIN_ID: u64 = 84_532;

/// The payer's key. It is no secret: its chain lives as long as this process.
const PAYER_KEY: &str = "0x0da0000000000000000000000000000000000000000000000000000000000001";
const PAYEE: &str = "0x00000000000000000000000000000000C0FFEE00";

/// Our own test token, as the pinned compiler made it.
const TOKEN: &str = include_str!("../../../oda-chain-evm/contracts/artifacts/TestToken.json");
const SUPPLY: &str = "1000000000";

/// The most that the demo's policy lets one transfer move, in base units: 50 tokens.
pub(super) const LIMIT: &str = "50000000";

/// One ether, for the fees.
const PAYERS_WEI: u64 = 1_000_000_000_000_000_000;

/// Everything the story needs.
pub(super) struct Stage {
    pub(super) directory: PathBuf,
    pub(super) engine: Arc<Engine>,
    pub(super) log: PathBuf,
    pub(super) token: EvmAddress,
    pub(super) payer: EvmAddress,
}

/// What both accounts hold, in the token's base units, at one block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Balances {
    pub(super) payer: String,
    pub(super) payee: String,
}

impl Stage {
    pub(super) async fn set(directory: &Path) -> Result<Self, CliError> {
        let signer = LocalSigner::from_secret(&PAYER_KEY.into(), MainnetAccess::Refused)?;
        let payer = signer.evm_address();
        let genesis = Genesis::new(CHAIN_ID)
            .with_timestamp(SystemClock.now().as_u64() / 1_000)
            .with_balance(payer.to_alloy(), PAYERS_WEI.try_into().unwrap_or_default());
        let chain = EmbeddedChain::new(genesis);
        let token = deploy(&chain, payer).await?;

        let policy = directory.join(policy::FILE);
        std::fs::write(&policy, format!("{:#}\n", policy_of(token))).map_err(|error| {
            CliError::Demo {
                step: "write the policy",
                found: error.to_string(),
            }
        })?;
        let networks = EvmNetworks::new().with_node(CHAIN, Arc::new(chain));
        let chains = Chains::of_evm(Evm::new(networks, signer));
        let policy = LoadedPolicy::read(&policy)?;
        let home = directory.join(oda_store::OdaHome::DIRECTORY);
        let Installation { engine, .. } = Installation::open(&home, policy, chains, None)?;
        Ok(Self {
            directory: directory.to_owned(),
            engine,
            log: home.join(installation::RECEIPTS),
            token,
            payer,
        })
    }

    /// The input of a transfer to the payee.
    pub(super) fn transfer(&self, amount: &str) -> Value {
        json!({ "chain": CHAIN, "token": self.token, "to": PAYEE, "amount": amount })
    }

    /// Asks the chain what both accounts hold.
    pub(super) async fn balances(&self) -> Result<Balances, CliError> {
        Ok(Balances {
            payer: self.balance(&self.payer.to_string()).await?,
            payee: self.balance(PAYEE).await?,
        })
    }

    async fn balance(&self, account: &str) -> Result<String, CliError> {
        let question = json!({
            "kind": "erc20_balance", "chain": CHAIN, "token": self.token, "address": account,
        });
        let answer = self.engine.query("chain.read", &question).await?;
        let result = answer.get("result").and_then(Value::as_str);
        result.map(str::to_owned).ok_or_else(|| CliError::Demo {
            step: "read a balance",
            found: answer.to_string(),
        })
    }
}

/// Deploys the token, with its whole supply in the payer's hands.
async fn deploy(chain: &EmbeddedChain, payer: EvmAddress) -> Result<EvmAddress, CliError> {
    let broken = |found: String| CliError::Demo {
        step: "deploy the token",
        found,
    };
    let artifact: Value = serde_json::from_str(TOKEN).map_err(|error| broken(error.to_string()))?;
    let code = artifact
        .get("bytecode")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let mut code =
        hex::decode(code.trim_start_matches("0x")).map_err(|error| broken(error.to_string()))?;
    // A constructor takes its arguments as a function does, without the selector before them.
    let constructor = "function constructed(string name, string symbol, uint8 decimals, address holder, uint256 supply)";
    let call = FunctionAbi::parse_text(constructor)?.encode_call(&[
        json!("Demo Dollar"),
        json!("DEMO"),
        json!("6"),
        json!(payer),
        json!(SUPPLY),
    ])?;
    code.extend_from_slice(call.bytes().get(4..).unwrap_or_default());
    let address = chain.deploy(payer.to_alloy(), code.into()).await;
    address
        .map(EvmAddress::from)
        .map_err(|error| broken(error.to_string()))
}

fn policy_of(token: EvmAddress) -> Value {
    json!({
        "schema": "sato.policy/v1",
        "network": "testnet",
        "allow_chains": [CHAIN],
        "allow_recipients": [format!("{CHAIN}:{PAYEE}")],
        "max_per_trade": { format!("{CHAIN}:{token}"): LIMIT },
    })
}
