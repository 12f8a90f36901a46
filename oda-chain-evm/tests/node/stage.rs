//! One way to set a scene on the embedded chain and on anvil.

use std::sync::Arc;

use alloy::primitives::{Address, Bytes, U256, address};
use alloy::providers::{Provider as _, ProviderBuilder, RootProvider};
use async_trait::async_trait;
use oda_chain_evm::{CallRequest, EmbeddedChain, EvmNode, Genesis, RpcNode};
use oda_testkit::Anvil;
use serde_json::{Value, json};

/// The chain that both stages serve, `base-sepolia`.
pub(crate) const CHAIN: &str = "base-sepolia";
pub(crate) const CHAIN_ID: u64 = 84_532;

/// Anvil's first account, whose key is `Anvil::KEYS[0]`.
pub(crate) const SENDER: Address = address!("f39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
/// Anvil's second account.
pub(crate) const OTHER: Address = address!("70997970C51812dc3A010C7d01b50e0d17dc79C8");
/// Anvil's tenth account, which deploys.
pub(crate) const DEPLOYER: Address = address!("a0Ee7A142d267C1f36714E4a8F75612F20a79720");

/// 10,000 ether in wei: what anvil gives to every account.
pub(crate) fn initial_balance() -> U256 {
    U256::from(10_000_u64) * U256::from(10).pow(U256::from(18))
}

#[async_trait]
pub(crate) trait Stage: Send + Sync {
    fn name(&self) -> &'static str;
    fn node(&self) -> Arc<dyn EvmNode>;
    async fn deploy(&self, creation_code: Bytes) -> Address;
    async fn set_code(&self, address: Address, code: Vec<u8>);
    async fn set_balance(&self, address: Address, wei: U256);
    /// Makes a block.
    async fn mine(&self);
    /// Makes a block of what was sent, where that does not happen by itself.
    async fn settle(&self);
    /// Runs a call as a transaction of its sender, whose key nobody needs.
    async fn act(&self, from: Address, to: Address, data: Vec<u8>);
}

pub(crate) struct Embedded(pub(crate) EmbeddedChain);

impl Embedded {
    pub(crate) fn new() -> Self {
        let genesis = [SENDER, OTHER, DEPLOYER]
            .into_iter()
            .fold(Genesis::new(CHAIN_ID), |genesis, account| {
                genesis.with_balance(account, initial_balance())
            })
            .with_timestamp(1_790_000_000)
            .with_finality_depth(2);
        Self(EmbeddedChain::new(genesis))
    }
}

#[async_trait]
impl Stage for Embedded {
    fn name(&self) -> &'static str {
        "embedded"
    }

    fn node(&self) -> Arc<dyn EvmNode> {
        Arc::new(self.0.clone())
    }

    async fn deploy(&self, creation_code: Bytes) -> Address {
        self.0.deploy(DEPLOYER, creation_code).await.unwrap()
    }

    async fn set_code(&self, address: Address, code: Vec<u8>) {
        self.0.set_code(address, code.into()).await.unwrap();
    }

    async fn set_balance(&self, address: Address, wei: U256) {
        self.0.set_balance(address, wei).await.unwrap();
    }

    async fn mine(&self) {
        self.0.mine();
    }

    async fn settle(&self) {}

    async fn act(&self, from: Address, to: Address, data: Vec<u8>) {
        let data = data.into();
        self.0
            .impersonate(CallRequest {
                from: Some(from),
                to,
                data,
                value: U256::ZERO,
            })
            .await
            .unwrap();
    }
}

pub(crate) struct OnAnvil {
    provider: RootProvider,
    node: Arc<RpcNode>,
    _anvil: Anvil,
}

impl OnAnvil {
    /// `None` when anvil is not installed.
    pub(crate) fn new(arguments: &[&str]) -> Option<Self> {
        let id = CHAIN_ID.to_string();
        // Blocks are made when the test says so: a transaction is included then, and not before.
        let arguments = [&["--chain-id", &id, "--no-mining"], arguments].concat();
        let anvil = Anvil::start(&arguments).unwrap()?;
        let provider = ProviderBuilder::new()
            .disable_recommended_fillers()
            .connect_http(anvil.url().parse().unwrap());
        let node = Arc::new(RpcNode::new(&anvil.url()).unwrap());
        Some(Self {
            provider,
            node,
            _anvil: anvil,
        })
    }

    pub(crate) async fn ask(&self, method: &'static str, params: Value) -> Value {
        self.provider
            .raw_request(method.into(), params)
            .await
            .unwrap()
    }

    async fn send(&self, transaction: Value) -> Value {
        let hash = self.ask("eth_sendTransaction", json!([transaction])).await;
        self.ask("evm_mine", json!([])).await;
        let receipt = self.ask("eth_getTransactionReceipt", json!([hash])).await;
        assert_eq!(receipt["status"], "0x1", "{receipt}");
        receipt
    }
}

#[async_trait]
impl Stage for OnAnvil {
    fn name(&self) -> &'static str {
        "anvil"
    }

    fn node(&self) -> Arc<dyn EvmNode> {
        Arc::<RpcNode>::clone(&self.node)
    }

    async fn deploy(&self, creation_code: Bytes) -> Address {
        let receipt = self
            .send(json!({ "from": DEPLOYER, "data": creation_code }))
            .await;
        receipt["contractAddress"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap()
    }

    async fn set_code(&self, address: Address, code: Vec<u8>) {
        self.ask("anvil_setCode", json!([address, Bytes::from(code)]))
            .await;
    }

    async fn set_balance(&self, address: Address, wei: U256) {
        self.ask("anvil_setBalance", json!([address, wei])).await;
    }

    async fn mine(&self) {
        self.ask("evm_mine", json!([])).await;
    }

    async fn settle(&self) {
        self.mine().await;
    }

    async fn act(&self, from: Address, to: Address, data: Vec<u8>) {
        self.send(json!({ "from": from, "to": to, "data": Bytes::from(data) }))
            .await;
    }
}

/// Every stage that can be had here: the embedded chain, and anvil where it is installed.
pub(crate) fn stages() -> Vec<Box<dyn Stage>> {
    let mut stages: Vec<Box<dyn Stage>> = vec![Box::new(Embedded::new())];
    if let Some(anvil) = OnAnvil::new(&[]) {
        stages.push(Box::new(anvil));
    }
    stages
}
