//! Many at once: one wins, and a cap is a cap.

use std::collections::BTreeSet;
use std::sync::Arc;

use oda_core::{ExecutionState, Store};
use serde_json::json;

use crate::world::{World, prepared};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixteen_executors_of_one_intent_have_one_effect() {
    let world = World::new();
    let policy = json!({"max_usd_per_day": 10});
    let id = prepared(&world.engine(&policy), 9.0).await;
    let mut tasks = Vec::new();
    for _ in 0..16 {
        let (engine, id) = (world.engine(&policy), id.clone());
        tasks.push(tokio::spawn(async move { engine.execute(&id).await }));
    }
    let mut won = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(executed) => {
                assert_eq!(executed.state, ExecutionState::Submitted);
                won += 1;
            }
            Err(error) => {
                assert!(
                    ["in_progress", "already_executed"].contains(&error.code()),
                    "{error}"
                );
            }
        }
    }
    world.chain.mine();
    assert_eq!(
        (won, world.chain.effects().len(), world.signer.asked()),
        (1, 1, 1)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_day_cap_is_met_exactly_whoever_comes_first() {
    let world = World::new();
    let policy = json!({"max_usd_per_day": 1});
    let engine = Arc::new(world.engine(&policy));
    let mut ids = Vec::new();
    for _ in 0..64 {
        // 0.1 each: added as doubles, ten of them are not 1.
        ids.push(prepared(&engine, 0.1).await);
    }
    let mut tasks = Vec::new();
    for id in ids {
        let engine = engine.clone();
        tasks.push(tokio::spawn(async move { engine.execute(&id).await }));
    }
    let mut executed = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(_) => executed += 1,
            Err(error) => assert_eq!(error.code(), "refused", "{error}"),
        }
    }
    assert_eq!(executed, 10);
    assert_eq!(world.held().await, (1_000_000, 0));
    world.chain.mine();
    assert_eq!(world.chain.effects().len(), 10, "ten numbers without a gap");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn intents_of_one_account_get_different_numbers() {
    let world = World::new();
    let engine = Arc::new(world.engine(&json!({})));
    let mut tasks = Vec::new();
    for _ in 0..32 {
        let id = prepared(&engine, 1.0).await;
        let engine = engine.clone();
        tasks.push(tokio::spawn(async move { (engine.execute(&id).await, id) }));
    }
    let mut numbers = BTreeSet::new();
    for task in tasks {
        let (executed, id) = task.await.unwrap();
        executed.unwrap();
        let stored = world.store.get(&id).await.unwrap().unwrap();
        numbers.insert(stored.progress.sequence.unwrap().number);
    }
    assert_eq!(numbers.len(), 32);
    assert_eq!((numbers.first(), numbers.last()), (Some(&0), Some(&31)));
}
