use std::sync::Arc;

use alloy::primitives::U256;
use async_trait::async_trait;
use oda_core::{ChainError, Payload, Policy, Simulation, UnixMillis, *};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::fake_node::{BLOCK, FakeNode};
use super::*;

mod descriptors;
mod prepares;
mod queries;

const OWNER: &str = "0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1";
const OTHER: &str = "0x2222222222222222222222222222222222222222";
const TOKEN: &str = "0x3333333333333333333333333333333333333333";
const USDC_BASE: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const BASE_SEPOLIA: u64 = 84_532;

fn address(text: &str) -> EvmAddress {
    text.parse().unwrap()
}

fn word(number: u64) -> Vec<u8> {
    U256::from(number).to_be_bytes::<32>().to_vec()
}

/// A string as a contract returns it.
fn string(text: &str) -> Vec<u8> {
    let mut output = [word(32), word(u64::try_from(text.len()).unwrap())].concat();
    output.extend(text.as_bytes());
    output.resize(output.len().next_multiple_of(32), 0);
    output
}

/// Base Sepolia with one token of 6 decimals that calls itself TEST.
fn token_chain() -> FakeNode {
    FakeNode::serving(BASE_SEPOLIA)
        .answering(address(TOKEN), "symbol()", string("TEST"))
        .answering(address(TOKEN), "decimals()", word(6))
        .answering(address(TOKEN), "allowance(address,address)", word(5))
}

fn on(chain: &str, node: &Arc<FakeNode>) -> Arc<EvmNetworks> {
    Arc::new(EvmNetworks::new().with_node(chain, Arc::clone(node) as _))
}

fn base_sepolia(node: FakeNode) -> Arc<EvmNetworks> {
    on("base-sepolia", &Arc::new(node))
}

fn signer() -> Option<EvmAddress> {
    Some(address(OWNER))
}

fn policy() -> Policy {
    Policy::parse(br#"{"schema": "sato.policy/v1"}"#).unwrap()
}

fn read_input<T: DeserializeOwned>(input: Value) -> Result<T, ActionError> {
    serde_json::from_value(input).map_err(|error| ActionError::invalid("input", error.to_string()))
}

async fn build<A: Action<Payload = EvmTx>>(
    action: &A,
    input: Value,
) -> Result<Built<EvmTx>, ActionError> {
    let policy = policy();
    let context = BuildContext {
        policy: &policy,
        now: UnixMillis::new(0),
    };
    action.build(read_input(input)?, &context).await
}

async fn answer<Q: Query>(query: &Q, input: Value) -> Result<Value, ActionError> {
    let policy = policy();
    let context = BuildContext {
        policy: &policy,
        now: UnixMillis::new(0),
    };
    query.answer(read_input(input)?, &context).await
}

/// The field and the rule of an input error.
fn invalid<T: std::fmt::Debug>(result: Result<T, ActionError>) -> (String, String) {
    match result {
        Err(ActionError::InvalidInput { field, rule }) => (field, rule),
        other => panic!("{other:?}"),
    }
}
