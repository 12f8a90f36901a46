//! What becomes of an intent between signing and the block it ends in.

use std::sync::Arc;

use async_trait::async_trait;
use oda_core::{
    CLAIM_LEASE_MS, Engine, ExecutionState, IntentId, PayloadKind, SendingSigner, Sent,
    SignerError, Store,
};
use oda_receipts::Status;
use oda_testkit::{Call, Fault, MockSigner, SignerStep, TestTx};
use serde_json::json;

use crate::world::{World, prepared};

#[tokio::test]
async fn defect_17_a_lost_answer_is_uncertain_and_never_failed() {
    for fault in [Fault::ReplyLost, Fault::ServerErrorAfterAccept] {
        let world = World::new();
        let engine = world.engine(&json!({"max_usd_per_day": 10}));
        let id = prepared(&engine, 9.0).await;
        world.chain.script(Call::Submit, [fault.clone()]);
        let executed = engine.execute(&id).await.unwrap();
        assert_eq!(executed.state, ExecutionState::Uncertain, "{fault:?}");
        assert!(executed.transaction.is_some() && executed.note.is_some());
        assert_eq!(world.told(&id).await, [Status::Prepared]);
        assert_eq!(
            world.held().await,
            (9_000_000, 0),
            "the share stays taken while it is open"
        );
        assert_eq!(engine.execute(&id).await.unwrap_err().code(), "uncertain");

        world.chain.mine();
        let settled = engine.reconcile(&id).await.unwrap();
        assert_eq!(settled.state, ExecutionState::Confirmed);
        assert_eq!(world.told(&id).await, [Status::Prepared, Status::Executed]);
        assert_eq!(world.chain.effects().len(), 1);
        assert_eq!(world.held().await, (0, 9_000_000));
        assert_eq!(world.signer.asked(), 1);
    }
}

#[tokio::test]
async fn bytes_that_never_arrived_are_sent_again_and_not_signed_again() {
    let world = World::new();
    let engine = world.engine(&json!({}));
    let id = prepared(&engine, 1.0).await;
    world.chain.script(Call::Submit, [Fault::Unavailable]);
    assert_eq!(
        engine.execute(&id).await.unwrap().state,
        ExecutionState::Uncertain
    );
    assert!(world.chain.arrivals().is_empty());
    assert_eq!(
        engine.reconcile(&id).await.unwrap().state,
        ExecutionState::Submitted
    );
    world.chain.mine();
    assert_eq!(
        engine.reconcile(&id).await.unwrap().state,
        ExecutionState::Confirmed
    );
    assert_eq!((world.chain.effects().len(), world.signer.asked()), (1, 1));
}

#[tokio::test]
async fn the_same_bytes_twice_have_one_effect() {
    let world = World::new();
    let engine = world.engine(&json!({}));
    let id = prepared(&engine, 1.0).await;
    world.chain.script(Call::Submit, [Fault::Reordered]);
    engine.execute(&id).await.unwrap();
    engine.reconcile(&id).await.unwrap();
    world.chain.deliver_held();
    world.chain.mine();
    assert_eq!(world.chain.arrivals().len(), 2);
    assert_eq!(world.chain.effects().len(), 1);
}

#[tokio::test]
async fn bytes_whose_number_another_transaction_took_are_dead_only_when_that_is_final() {
    let world = World::new();
    let engine = world.engine(&json!({"max_usd_per_day": 10}));
    let id = prepared(&engine, 9.0).await;
    world.chain.script(Call::Submit, [Fault::Unavailable]);
    engine.execute(&id).await.unwrap();
    world.chain.foreign_transaction(oda_testkit::TEST_SENDER);
    world.chain.mine();
    world.chain.script(Call::Submit, [Fault::Unavailable]);
    let waiting = engine.reconcile(&id).await.unwrap();
    assert_eq!(
        waiting.state,
        ExecutionState::Uncertain,
        "a reorganisation could still undo it"
    );
    assert_eq!(world.held().await, (9_000_000, 0));
    world.chain.finalize();
    let dead = engine.reconcile(&id).await.unwrap();
    assert_eq!(dead.state, ExecutionState::Dead);
    assert_eq!(world.held().await, (0, 0), "proof gives the share back");
    assert_eq!(world.told(&id).await, [Status::Prepared, Status::Failed]);
    assert_eq!(
        engine.execute(&id).await.unwrap_err().code(),
        "already_executed"
    );
}

#[tokio::test]
async fn a_revert_is_recorded_and_gives_its_share_back() {
    let world = World::new();
    let engine = world.engine(&json!({"max_usd_per_day": 10}));
    let id = prepared(&engine, 9.0).await;
    world.chain.script(
        Call::Submit,
        [Fault::WillRevert {
            reason: "slippage".into(),
        }],
    );
    engine.execute(&id).await.unwrap();
    world.chain.mine();
    let reverted = engine.reconcile(&id).await.unwrap();
    assert_eq!(
        (reverted.state, reverted.note.as_deref()),
        (ExecutionState::Reverted, Some("slippage"))
    );
    let receipt = reverted.receipt.unwrap();
    assert_eq!(receipt.status(), Status::Failed);
    assert_eq!(
        receipt.tx_hash(),
        reverted.transaction.as_deref(),
        "it is on the chain"
    );
    assert_eq!(
        world.told(&id).await,
        [Status::Prepared, Status::Executed, Status::Failed]
    );
    assert_eq!(world.held().await, (0, 0));
}

#[tokio::test]
async fn a_certain_refusal_fails_the_intent_and_frees_its_number() {
    let world = World::new();
    let engine = world.engine(&json!({"max_usd_per_day": 10}));
    let id = prepared(&engine, 9.0).await;
    world.chain.script(
        Call::Submit,
        [Fault::Refused {
            reason: "insufficient funds".into(),
        }],
    );
    let error = engine.execute(&id).await.unwrap_err();
    assert_eq!(error.code(), "submit_refused");
    assert!(error.to_string().contains("insufficient funds"));
    let stored = world.store.get(&id).await.unwrap().unwrap();
    assert_eq!(stored.progress.state, ExecutionState::Failed);
    assert_eq!(
        stored.progress.artifact.unwrap().bytes,
        None,
        "the bytes are forgotten"
    );
    assert_eq!(world.held().await, (0, 0));
    let next = prepared(&engine, 1.0).await;
    engine.execute(&next).await.unwrap();
    world.chain.mine();
    assert_eq!(
        world.chain.effects().len(),
        1,
        "the freed number leaves no gap"
    );
}

#[tokio::test]
async fn a_signer_that_refuses_fails_the_intent_for_good() {
    let signer = MockSigner::new(SignerStep::Refuse {
        reason: "not today".into(),
    });
    let world = World::signing(signer);
    let engine = world.engine(&json!({}));
    let id = prepared(&engine, 1.0).await;
    let error = engine.execute(&id).await.unwrap_err();
    assert_eq!(error.code(), "signer_error");
    assert_eq!(world.told(&id).await, [Status::Prepared, Status::Failed]);
    assert_eq!(
        engine.execute(&id).await.unwrap_err().code(),
        "already_executed"
    );
    assert_eq!(world.held().await, (0, 0));
}

#[tokio::test]
async fn a_claim_whose_process_died_is_given_up_after_its_lease_and_not_before() {
    let world = World::signing(MockSigner::new(SignerStep::Hang));
    let engine = Arc::new(world.engine(&json!({"max_usd_per_day": 10, "intent_ttl_s": 3600})));
    let id = prepared(&engine, 9.0).await;
    let dying = tokio::spawn({
        let (engine, id) = (engine.clone(), id.clone());
        async move { engine.execute(&id).await }
    });
    while world.signer.asked() == 0 {
        tokio::task::yield_now().await;
    }
    let recovered = engine.recover().await.unwrap();
    assert_eq!(recovered[0].1.as_ref().unwrap_err().code(), "in_progress");
    world.clock.advance(CLAIM_LEASE_MS);
    let recovered = engine.recover().await.unwrap();
    assert_eq!(
        recovered[0].1.as_ref().unwrap().state,
        ExecutionState::Failed
    );
    assert_eq!(world.held().await, (0, 0));
    // The process was not dead but asleep. It wakes up, and may not act any more.
    world.signer.release();
    let late = dying.await.unwrap().unwrap_err();
    assert_eq!(late.code(), "already_executed");
    assert!(
        world.chain.arrivals().is_empty(),
        "what it signed was never sent"
    );
}

#[derive(Debug)]
struct Wallet(Sent);

#[async_trait]
impl SendingSigner for Wallet {
    type Payload = TestTx;
    fn kind(&self) -> &str {
        "wallet"
    }
    async fn address(&self, _: &str) -> Result<String, SignerError> {
        Ok(oda_testkit::TEST_SENDER.to_owned())
    }
    async fn sign_and_send(&self, _: &TestTx, _: &IntentId) -> Sent {
        self.0.clone()
    }
}

fn with_wallet(world: &World, answer: Sent) -> Engine {
    let kind = PayloadKind::new()
        .simulator(Arc::new(world.chain.clone()))
        .submitter(Arc::new(world.chain.clone()))
        .sending_signer(Arc::new(Wallet(answer)));
    Engine::builder(
        world.store.clone(),
        oda_core::IntentSecret::new(&[7; 32]).unwrap(),
        crate::world::parse(&json!({"max_usd_per_day": 10})),
    )
    .clock(Arc::new(world.clock.clone()))
    .action(crate::world::Send::new())
    .kind(kind)
    .build()
    .unwrap()
}

#[tokio::test]
async fn a_wallet_that_signs_and_sends_may_leave_nobody_knowing() {
    let world = World::new();
    let engine = with_wallet(
        &world,
        Sent::Unknown {
            reason: "the window was closed".into(),
        },
    );
    let id = prepared(&engine, 9.0).await;
    let executed = engine.execute(&id).await.unwrap();
    assert_eq!(executed.state, ExecutionState::Uncertain);
    assert_eq!(
        engine.reconcile(&id).await.unwrap().state,
        ExecutionState::Uncertain
    );
    world.clock.advance(10 * CLAIM_LEASE_MS);
    assert_eq!(
        engine.reconcile(&id).await.unwrap().state,
        ExecutionState::Uncertain
    );
    assert_eq!(world.held().await, (9_000_000, 0), "no timer gives it back");
}

#[tokio::test]
async fn a_wallet_that_answers_is_taken_at_its_word() {
    let world = World::new();
    let engine = with_wallet(&world, Sent::Accepted { id: "0xabc".into() });
    let id = prepared(&engine, 1.0).await;
    let executed = engine.execute(&id).await.unwrap();
    assert_eq!(executed.receipt.unwrap().tx_hash(), Some("0xabc"));
    let engine = with_wallet(
        &world,
        Sent::Refused {
            reason: "no".into(),
        },
    );
    let id = prepared(&engine, 1.0).await;
    assert_eq!(
        engine.execute(&id).await.unwrap_err().code(),
        "submit_refused"
    );
}

#[tokio::test]
async fn without_a_signer_or_a_way_to_the_chain_nothing_is_consumed() {
    let world = World::new();
    let engine = Engine::builder(
        world.store.clone(),
        oda_core::IntentSecret::new(&[7; 32]).unwrap(),
        crate::world::parse(&json!({})),
    )
    .clock(Arc::new(world.clock.clone()))
    .action(crate::world::Send::new())
    .kind(world.chain.kind_without_signer())
    .build()
    .unwrap();
    let id = prepared(&engine, 1.0).await;
    assert_eq!(engine.execute(&id).await.unwrap_err().code(), "no_signer");
    assert!(world.engine(&json!({})).execute(&id).await.is_ok());
}

#[tokio::test]
async fn defect_06_a_kind_nobody_plugged_in_is_refused() {
    let world = World::new();
    let engine = Engine::builder(
        world.store.clone(),
        oda_core::IntentSecret::new(&[7; 32]).unwrap(),
        crate::world::parse(&json!({})),
    )
    .action(crate::world::Send::new())
    .build()
    .unwrap();
    let error = engine.prepare("test.send", &json!({})).await.unwrap_err();
    assert_eq!(error.code(), "unknown_kind");
    assert_eq!(world.store.head().await.unwrap(), None, "nothing is stored");
}

/// Found by rereading: a process that slept through its lease before it reserved its number reserved one for
/// an intent that had ended meanwhile. Nothing gave it free again, and every later transaction of the
/// account waited behind the gap.
#[tokio::test]
async fn a_process_that_wakes_after_its_lease_takes_no_number() {
    let world = World::new();
    let engine = Arc::new(world.engine(&json!({"intent_ttl_s": 3600})));
    let id = prepared(&engine, 1.0).await;
    world.chain.script(Call::Lane, [Fault::Slow]);
    let sleeping = tokio::spawn({
        let (engine, id) = (engine.clone(), id.clone());
        async move { engine.execute(&id).await }
    });
    while !world.chain.calls().contains(&Call::Lane) {
        tokio::task::yield_now().await;
    }
    world.clock.advance(CLAIM_LEASE_MS);
    engine.recover().await.unwrap();
    world.chain.release();
    assert_eq!(
        sleeping.await.unwrap().unwrap_err().code(),
        "already_executed"
    );
    assert_eq!(world.signer.asked(), 0);
    let next = prepared(&engine, 1.0).await;
    engine.execute(&next).await.unwrap();
    let stored = world.store.get(&next).await.unwrap().unwrap();
    assert_eq!(stored.progress.sequence.unwrap().number, 0, "no gap");
}
