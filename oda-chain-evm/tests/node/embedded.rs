//! The embedded chain on its own, and forked from others.

use std::sync::Arc;

use alloy::primitives::{Address, B256, U256, keccak256};
use alloy::sol_types::SolCall as _;
use oda_chain_evm::{
    BaseFee, CallOutcome, CallRequest, CountAt, EmbeddedChain, EvmNetworks, EvmNode, EvmSimulator,
    Genesis, SendOutcome,
};
use oda_core::UnixMillis;

use crate::assembly;
use crate::scene::{SPENDER, SUPPLY, Scene, Token, assembled, call, paying};
use crate::stage::{CHAIN, CHAIN_ID, Embedded, OTHER, OnAnvil, SENDER, Stage, initial_balance};

fn number(outcome: CallOutcome) -> U256 {
    match outcome {
        CallOutcome::Success { output } => U256::from_be_slice(&output),
        other => panic!("{other:?}"),
    }
}

fn balance_of(token: Address, holder: Address) -> CallRequest {
    let selector = &keccak256("balanceOf(address)")[..4];
    call(token, [selector, holder.into_word().as_slice()].concat())
}

#[tokio::test]
async fn every_kept_block_can_be_looked_back_at() {
    let stage = Embedded::new();
    let scene = Scene::set(&stage).await;
    let node = stage.node();
    let start = node.head().await.unwrap().number;
    let transfer = Token::transferCall {
        to: OTHER,
        value: U256::from(10),
    }
    .abi_encode();
    for _ in 0..5 {
        stage.act(SENDER, scene.token, transfer.clone()).await;
    }
    for step in 0..=5_u64 {
        let held = node
            .call(&balance_of(scene.token, OTHER), start + step)
            .await
            .unwrap();
        assert_eq!(number(held), U256::from(step * 10));
        let block = node.block(start + step).await.unwrap().unwrap();
        assert_eq!(block.number, start + step);
    }
    // A trace of the past measures tokens on the past, too.
    let networks = EvmNetworks::new().with_node(CHAIN, stage.node());
    let now = EvmSimulator::new(Arc::new(networks))
        .simulate_call(CHAIN, &call(scene.token, transfer), UnixMillis::new(0))
        .await
        .unwrap();
    assert!(now.ok);
    assert!(
        node.call(&balance_of(scene.token, OTHER), start + 6)
            .await
            .is_err()
    );
}

#[tokio::test]
async fn a_snapshot_goes_its_own_way() {
    let stage = Embedded::new();
    let scene = Scene::set(&stage).await;
    let copy = Embedded(stage.0.snapshot());
    let shared = Embedded(stage.0.clone());
    let transfer = Token::transferCall {
        to: OTHER,
        value: U256::from(10),
    }
    .abi_encode();
    copy.act(SENDER, scene.token, transfer).await;
    for (stage, held, blocks) in [(&stage, 0, 5), (&shared, 0, 5), (&copy, 10, 6)] {
        let node = stage.node();
        let head = node.head().await.unwrap().number;
        assert_eq!(head, blocks);
        let found = node
            .call(&balance_of(scene.token, OTHER), head)
            .await
            .unwrap();
        assert_eq!(number(found), U256::from(held));
    }
}

#[tokio::test]
async fn time_and_base_fee_move_as_told() {
    let genesis = Genesis::new(1)
        .with_timestamp(100)
        .with_base_fee(1_000_000_000, BaseFee::Eip1559);
    let chain = EmbeddedChain::new(genesis);
    chain.mine();
    let empty = chain.head().await.unwrap();
    assert_eq!(empty.timestamp, 101);
    assert_eq!(empty.base_fee_per_gas, Some(1_000_000_000));
    // An empty block lowers the next base fee by an eighth.
    assert_eq!(chain.fees().await.unwrap().base_fee_per_gas, 875_000_000);
    chain.set_next_timestamp(5_000);
    chain.mine();
    assert_eq!(chain.head().await.unwrap().timestamp, 5_000);
    chain.set_next_timestamp(7);
    chain.mine();
    assert_eq!(chain.head().await.unwrap().timestamp, 5_000);
}

#[tokio::test]
async fn bytes_that_are_no_transaction_change_nothing() {
    let stage = Embedded::new();
    for bytes in [&[][..], &[0x02], &[0xc0], b"hello", &[0x7f; 200]] {
        let outcome = stage.node().send_raw(bytes).await;
        assert!(
            matches!(outcome, SendOutcome::Refused { .. }),
            "{outcome:?}"
        );
    }
    assert_eq!(stage.node().head().await.unwrap().number, 0);
    assert_eq!(stage.node().transaction(B256::ZERO).await.unwrap(), None);
}

#[tokio::test]
async fn a_constructor_that_fails_says_why() {
    let stage = Embedded::new();
    let error = stage
        .0
        .deploy(OTHER, assembly::reverts().into())
        .await
        .unwrap_err();
    assert_eq!(error.code(), "embedded_creation");
    assert_eq!(stage.node().head().await.unwrap().number, 0);
}

/// A fork of `original` sees its state at a block, keeps what it changes to itself, and is not moved by what
/// happens there later.
async fn forks(original: &dyn Stage) {
    let scene = Scene::set(original).await;
    let silent = assembly::balance_from_slot(&assembly::raises_slot(7));
    let silent = assembled(original, 3, silent).await;
    original.mine().await;
    let node = original.node();
    let at = node.head().await.unwrap().number;
    let fork = Embedded(EmbeddedChain::forked(Arc::clone(&node), at).await.unwrap());
    let name = original.name();

    let transfer = Token::transferCall {
        to: OTHER,
        value: U256::from(10),
    }
    .abi_encode();
    original.act(SENDER, scene.token, transfer.clone()).await;
    assert_eq!(fork.node().chain_id().await.unwrap(), CHAIN_ID);
    let held = |holder| balance_of(scene.token, holder);
    let head = fork.node().head().await.unwrap();
    assert_eq!(head.hash, node.block(at).await.unwrap().unwrap().hash);
    let found = fork.node().call(&held(SENDER), head.number).await.unwrap();
    assert_eq!(number(found), U256::from(SUPPLY), "{name}");

    // Twice here, once there.
    fork.act(SENDER, scene.token, transfer.clone()).await;
    fork.act(SENDER, scene.token, transfer.clone()).await;
    let found = fork.node().call(&held(OTHER), at + 2).await.unwrap();
    assert_eq!(number(found), U256::from(20), "{name}");
    let found = fork.node().call(&held(OTHER), at).await.unwrap();
    assert_eq!(number(found), U256::ZERO, "{name}");
    let there = node.head().await.unwrap().number;
    assert_eq!(
        number(node.call(&held(OTHER), there).await.unwrap()),
        U256::from(10),
        "{name}"
    );

    // The same effects and gas as where the state comes from, at the same block.
    for request in [
        call(scene.token, transfer),
        call(
            scene.token,
            Token::approveCall {
                spender: SPENDER,
                value: U256::ONE,
            }
            .abi_encode(),
        ),
        call(silent, vec![]),
        paying(OTHER, vec![], 3),
    ] {
        let here = fork.node().estimate_gas(&request, at).await.unwrap();
        assert_eq!(
            here,
            node.estimate_gas(&request, at).await.unwrap(),
            "{name} {request:?}"
        );
        let here = effects_at(&*fork.node(), &request, at).await;
        assert_eq!(
            here,
            effects_at(&*node, &request, at).await,
            "{name} {request:?}"
        );
    }
    assert_eq!(
        fork.node()
            .transaction_count(SENDER, CountAt::Block(at))
            .await
            .unwrap(),
        node.transaction_count(SENDER, CountAt::Block(at))
            .await
            .unwrap()
    );
    assert!(fork.node().balance(SENDER, at).await.unwrap() <= initial_balance());
}

async fn effects_at(
    node: &dyn EvmNode,
    request: &CallRequest,
    block: u64,
) -> oda_core::SimulatedEffects {
    match node.trace(request, block).await.unwrap() {
        oda_chain_evm::Trace::Traced(traced) => oda_chain_evm::effects_of(&traced, SENDER),
        other @ oda_chain_evm::Trace::Unsupported { .. } => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_fork_of_an_embedded_chain() {
    forks(&Embedded::new()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_of_anvil() {
    if let Some(anvil) = OnAnvil::new(&[]) {
        forks(&anvil).await;
    }
}

/// The thread that drives the runtime is the only one it has: waiting for the other chain must not block it.
#[tokio::test(flavor = "current_thread")]
async fn a_fork_of_anvil_on_one_thread() {
    if let Some(anvil) = OnAnvil::new(&[]) {
        forks(&anvil).await;
    }
}

#[tokio::test]
async fn a_fork_of_a_node_that_is_down_fails_and_says_so() {
    let node = oda_chain_evm::RpcNode::new("http://127.0.0.1:9").unwrap();
    let error = EmbeddedChain::forked(Arc::new(node), 1).await.unwrap_err();
    assert!(error.to_string().contains("127.0.0.1:9"), "{error}");
}
