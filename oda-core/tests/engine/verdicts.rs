//! What the policy says, at prepare and again at execute.

use std::sync::Arc;

use oda_core::{Decision, EngineError, ExecutionState};
use oda_receipts::{Approval, Status};
use oda_testkit::{Call, Fault, RecordingApprover};
use serde_json::json;

use crate::world::{World, parse, prepared};

#[tokio::test]
async fn an_allowed_intent_is_executed_once() {
    let world = World::new();
    let engine = world.engine(&json!({}));
    let id = prepared(&engine, 1.0).await;
    assert_eq!(world.signer.asked(), 0, "prepare signs nothing");
    let executed = engine.execute(&id).await.unwrap();
    assert_eq!(executed.state, ExecutionState::Submitted);
    assert_eq!(world.told(&id).await, [Status::Prepared, Status::Executed]);
    let again = engine.execute(&id).await.unwrap_err();
    assert_eq!(again.code(), "already_executed");
    world.chain.mine();
    assert_eq!(
        engine.reconcile(&id).await.unwrap().state,
        ExecutionState::Confirmed
    );
    assert_eq!(world.chain.effects().len(), 1);
    assert_eq!(world.held().await, (0, 1_000_000));
}

#[tokio::test]
async fn a_refused_intent_is_stored_and_never_executed() {
    let world = World::new();
    let engine = world.engine(&json!({"max_usd_per_trade": 5}));
    let intent = engine
        .prepare("test.send", &json!({"usd": 6}))
        .await
        .unwrap();
    assert_eq!(intent.policy.refusals[0].rule, "max_usd_per_trade");
    assert!(
        intent.unsigned.is_object(),
        "the payload is shown even when refused"
    );
    let error = engine.execute(&intent.intent_id).await.unwrap_err();
    assert_eq!((error.code(), error.refusals().len()), ("refused", 1));
    assert_eq!(world.told(&intent.intent_id).await, [Status::Refused]);
    assert_eq!(world.signer.asked(), 0);
}

#[tokio::test]
async fn defect_03_two_intents_prepared_under_one_cap_do_not_both_execute() {
    let world = World::new();
    let engine = world.engine(&json!({"max_usd_per_day": 10}));
    let first = prepared(&engine, 9.0).await;
    let second = prepared(&engine, 9.0).await;
    engine.execute(&first).await.unwrap();
    let error = engine.execute(&second).await.unwrap_err();
    let refusal = &error.refusals()[0];
    assert_eq!(
        (
            refusal.rule.as_str(),
            refusal.limit.as_str(),
            refusal.observed.as_str()
        ),
        ("max_usd_per_day", "10", "18")
    );
    assert_eq!(
        world.told(&second).await,
        [Status::Prepared, Status::Refused]
    );
    world.chain.mine();
    assert_eq!(world.chain.effects().len(), 1);
}

#[tokio::test]
async fn defect_04_a_stricter_policy_binds_what_was_prepared_under_a_lax_one() {
    let world = World::new();
    let id = prepared(&world.engine(&json!({})), 8.0).await;
    let strict = world.engine(&json!({"max_usd_per_trade": 5}));
    let error = strict.execute(&id).await.unwrap_err();
    assert_eq!(error.refusals()[0].rule, "max_usd_per_trade");
    let digest = parse(&json!({"max_usd_per_trade": 5}))
        .policy_digest()
        .unwrap();
    let receipts = oda_core::Store::receipts_of(world.store.as_ref(), &id)
        .await
        .unwrap();
    let last = receipts.last().unwrap();
    assert_eq!(
        (last.status(), last.mandate().policy_digest),
        (Status::Refused, digest)
    );
    assert_eq!(
        world.held().await,
        (0, 0),
        "a refused claim gives its share back"
    );
    assert!(world.chain.arrivals().is_empty());
}

#[tokio::test]
async fn a_shorter_time_to_live_binds_too() {
    let world = World::new();
    let id = prepared(&world.engine(&json!({"intent_ttl_s": 600})), 1.0).await;
    let error = world
        .engine(&json!({"intent_ttl_s": 60}))
        .execute(&id)
        .await
        .unwrap_err();
    assert_eq!(error.refusals()[0].rule, "intent_ttl");
}

#[tokio::test]
async fn defect_05_human_approval_is_enforced() {
    let world = World::new();
    let engine = world.engine(&json!({"human_approval": true}));
    let id = prepared(&engine, 1.0).await;
    assert_eq!(
        engine.execute(&id).await.unwrap_err().code(),
        "approval_required"
    );
    assert_eq!(world.signer.asked(), 0);
    engine.decide(&id, &Decision::Approved).await.unwrap();
    let executed = engine.execute(&id).await.unwrap();
    assert_eq!(
        executed.receipt.unwrap().mandate().approval,
        Approval::Human
    );
}

#[tokio::test]
async fn an_approver_is_asked_once_and_shown_the_intent() {
    let world = World::new();
    let approver = RecordingApprover::approving();
    let engine = world
        .builder(&json!({"human_approval": true}))
        .approver(Arc::new(approver.clone()))
        .build()
        .unwrap();
    let id = prepared(&engine, 1.0).await;
    engine.execute(&id).await.unwrap();
    let shown = approver.shown();
    assert_eq!(shown.len(), 1);
    assert_eq!(
        (&shown[0].intent_id, shown[0].summary.as_str()),
        (&id, "Send 1000 wei.")
    );
}

#[tokio::test]
async fn defect_24_a_persons_no_is_a_refusal_and_leaves_the_intent_alive() {
    let world = World::new();
    let engine = world.engine(&json!({"human_approval": true}));
    let id = prepared(&engine, 1.0).await;
    engine
        .decide(
            &id,
            &Decision::Denied {
                reason: "too early".into(),
            },
        )
        .await
        .unwrap();
    let receipts = oda_core::Store::receipts_of(world.store.as_ref(), &id)
        .await
        .unwrap();
    let refusal = &receipts[1].policy().refusals[0];
    assert_eq!(
        (receipts[1].status(), refusal.rule.as_str()),
        (Status::Refused, "human_approval")
    );
    assert!(refusal.message.contains("too early"));
    engine.decide(&id, &Decision::Approved).await.unwrap();
    assert_eq!(
        engine.execute(&id).await.unwrap().state,
        ExecutionState::Submitted
    );
    assert_eq!(
        world.told(&id).await,
        [Status::Prepared, Status::Refused, Status::Executed]
    );
}

#[tokio::test]
async fn a_no_takes_back_an_earlier_yes() {
    let world = World::new();
    let engine = world.engine(&json!({"human_approval": true}));
    let id = prepared(&engine, 1.0).await;
    engine.decide(&id, &Decision::Approved).await.unwrap();
    engine
        .decide(
            &id,
            &Decision::Denied {
                reason: "on second thought".into(),
            },
        )
        .await
        .unwrap();
    assert_eq!(
        engine.execute(&id).await.unwrap_err().code(),
        "approval_required"
    );
}

#[tokio::test]
async fn defect_07_the_network_is_the_chains_own_and_not_the_policys() {
    let world = World::new();
    let engine = world.engine(&json!({"network": "testnet"}));
    let intent = engine
        .prepare("test.send", &json!({"chain_id": 8453}))
        .await
        .unwrap();
    assert_eq!(
        intent.policy.refusals[0].rule,
        "network_mainnet_not_enabled"
    );
}

#[tokio::test]
async fn defect_12_the_simulation_is_made_again_at_execute() {
    let world = World::new();
    let engine = world.engine(&json!({}));
    let id = prepared(&engine, 1.0).await;
    world.chain.script(
        Call::Simulate,
        [Fault::WouldFail {
            reason: "drained meanwhile".into(),
        }],
    );
    let error = engine.execute(&id).await.unwrap_err();
    assert_eq!(error.refusals()[0].rule, "simulation_failed");
    assert!(error.to_string().contains("drained meanwhile"), "{error}");
    assert_eq!(world.signer.asked(), 0);
}

#[tokio::test]
async fn without_a_simulation_nothing_that_moves_funds_is_prepared() {
    let world = World::new();
    let engine = world.engine(&json!({}));
    world.chain.script(Call::Simulate, [Fault::Unavailable]);
    let intent = engine.prepare("test.send", &json!({})).await.unwrap();
    assert_eq!(intent.policy.refusals[0].rule, "simulation_required");
    assert_eq!(intent.simulation, None);
}

#[tokio::test]
async fn a_chain_that_does_not_answer_at_execute_leaves_the_intent_executable() {
    let world = World::new();
    let engine = world.engine(&json!({"max_usd_per_day": 10}));
    let id = prepared(&engine, 9.0).await;
    for call in [Call::Simulate, Call::Lane, Call::Terms] {
        world.chain.script(call, [Fault::Unavailable]);
        let error = engine.execute(&id).await.unwrap_err();
        assert!(
            matches!(error, EngineError::Chain { .. }),
            "{call:?}: {error}"
        );
        assert_eq!(world.held().await, (0, 0), "{call:?}: the share goes back");
    }
    assert_eq!(world.told(&id).await, [Status::Prepared]);
    assert_eq!(
        engine.execute(&id).await.unwrap().state,
        ExecutionState::Submitted
    );
}

#[tokio::test]
async fn defect_23_an_intent_expires_once_and_only_if_it_was_never_executed() {
    let world = World::new();
    let engine = world.engine(&json!({}));
    let executed = prepared(&engine, 1.0).await;
    engine.execute(&executed).await.unwrap();
    let idle = prepared(&engine, 1.0).await;
    world.clock.advance(300_000);
    for _ in 0..3 {
        assert_eq!(engine.execute(&idle).await.unwrap_err().code(), "expired");
        assert_eq!(
            engine.execute(&executed).await.unwrap_err().code(),
            "already_executed"
        );
    }
    assert_eq!(world.told(&idle).await, [Status::Prepared, Status::Expired]);
    assert_eq!(
        world.told(&executed).await,
        [Status::Prepared, Status::Executed]
    );
}

#[tokio::test]
async fn the_last_millisecond_still_counts() {
    let world = World::new();
    let engine = world.engine(&json!({}));
    let id = prepared(&engine, 1.0).await;
    world.clock.advance(299_999);
    assert!(engine.execute(&id).await.is_ok());
}

#[tokio::test]
async fn a_reservation_belongs_to_the_day_it_was_taken() {
    let world = World::new();
    let engine = world.engine(&json!({"max_usd_per_day": 10, "intent_ttl_s": 3600}));
    world
        .clock
        .set(crate::world::START + 12 * 3_600_000 - 60_000);
    let before_midnight = prepared(&engine, 9.0).await;
    engine.execute(&before_midnight).await.unwrap();
    let next_day = prepared_refused(&engine).await;
    assert_eq!(next_day, "max_usd_per_day");
    world.clock.advance(60_000);
    let after_midnight = prepared(&engine, 9.0).await;
    assert!(engine.execute(&after_midnight).await.is_ok());
}

async fn prepared_refused(engine: &oda_core::Engine) -> String {
    let intent = engine
        .prepare("test.send", &json!({"usd": 9}))
        .await
        .unwrap();
    intent.policy.refusals[0].rule.clone()
}
