//! Contracts on a stage, and calls of them.

use alloy::primitives::{Address, B256, Bytes, U256, keccak256};
use alloy::sol;
use alloy::sol_types::{SolCall as _, SolConstructor as _};
use oda_chain_evm::{CallRequest, PERMIT2};
use serde_json::Value;

use crate::assembly;
use crate::stage::{OTHER, SENDER, Stage};

sol! {
    interface Token {
        constructor(string name, string symbol, uint8 decimals, address holder, uint256 supply);
        function transfer(address to, uint256 value) returns (bool);
        function approve(address spender, uint256 value) returns (bool);
        function transferFrom(address from, address to, uint256 value) returns (bool);
    }
    interface Collectible {
        constructor(string name, string symbol);
        function mint(address to, uint256 tokenId);
        function approve(address approved, uint256 tokenId);
        function setApprovalForAll(address operator, bool approved);
        function transferFrom(address from, address to, uint256 tokenId);
    }
    interface Multi {
        function mint(address to, uint256 id, uint256 value);
        function setApprovalForAll(address operator, bool approved);
        function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data);
    }
}

/// Who gets allowances here.
pub(crate) const SPENDER: Address = Address::with_last_byte(0x5e);
/// What the sender holds of the token.
pub(crate) const SUPPLY: u64 = 1_000_000;

pub(crate) struct Scene {
    pub(crate) token: Address,
    pub(crate) collectible: Address,
    pub(crate) multi: Address,
}

impl Scene {
    /// Deploys the test contracts. The sender holds tokens, token 7 of the collection and 50 of kind 3.
    pub(crate) async fn set(stage: &dyn Stage) -> Self {
        let token = Token::constructorCall {
            name: "Test Dollar".to_owned(),
            symbol: "TUSD".to_owned(),
            decimals: 6,
            holder: SENDER,
            supply: U256::from(SUPPLY),
        };
        let collectible = Collectible::constructorCall {
            name: "Things".to_owned(),
            symbol: "THG".to_owned(),
        };
        let scene = Self {
            token: stage
                .deploy(creation("TestToken", &token.abi_encode()))
                .await,
            collectible: stage
                .deploy(creation("TestCollectible", &collectible.abi_encode()))
                .await,
            multi: stage.deploy(creation("TestMulti", &[])).await,
        };
        let mint = Collectible::mintCall {
            to: SENDER,
            tokenId: U256::from(7),
        }
        .abi_encode();
        stage.act(OTHER, scene.collectible, mint).await;
        let mint = Multi::mintCall {
            to: SENDER,
            id: U256::from(3),
            value: U256::from(50),
        }
        .abi_encode();
        stage.act(OTHER, scene.multi, mint).await;
        scene
    }
}

/// The creation code of one of the committed test contracts.
fn creation(name: &str, arguments: &[u8]) -> Bytes {
    let artifact = match name {
        "TestToken" => include_str!("../../contracts/artifacts/TestToken.json"),
        "TestCollectible" => include_str!("../../contracts/artifacts/TestCollectible.json"),
        _ => include_str!("../../contracts/artifacts/TestMulti.json"),
    };
    let artifact: Value = serde_json::from_str(artifact).unwrap();
    let code: Bytes = artifact["bytecode"].as_str().unwrap().parse().unwrap();
    [&code, arguments].concat().into()
}

pub(crate) fn call(to: Address, data: Vec<u8>) -> CallRequest {
    paying(to, data, 0)
}

pub(crate) fn paying(to: Address, data: Vec<u8>, wei: u64) -> CallRequest {
    CallRequest {
        from: Some(SENDER),
        to,
        data: data.into(),
        value: U256::from(wei),
    }
}

/// Puts an assembled contract at an address of its own and calls it without data.
pub(crate) async fn assembled(stage: &dyn Stage, place: u8, code: Vec<u8>) -> Address {
    let address = Address::from_word(keccak256([place]));
    stage.set_code(address, code).await;
    address
}

/// Puts a writer of one event at Permit2's address.
pub(crate) async fn permit2_that_logs(
    stage: &dyn Stage,
    event: &str,
    indexed: &[Address],
    words: &[U256],
) {
    let topics: Vec<B256> = [keccak256(event)]
        .into_iter()
        .chain(indexed.iter().map(Address::into_word))
        .collect();
    stage
        .set_code(PERMIT2, assembly::all(&[assembly::logs(&topics, words)]))
        .await;
}

/// An address as a word of data.
pub(crate) fn word(address: Address) -> U256 {
    U256::from_be_bytes(address.into_word().0)
}
