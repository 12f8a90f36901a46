//! Somebody edits the store. Everything that execute relies on is under a seal.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use oda_core::{
    Commit, CommitOutcome, Day, DaySpend, Engine, ExecutionState, Hold, HoldStatus, IntentId,
    IntentSecret, MemoryStore, Store, StoreError, StoredIntent, UnixMillis,
};
use oda_receipts::{Link, Receipt, ReceiptDraft};
use serde_json::{Value, json};

use crate::world::{World, parse, prepared};

type Edit = dyn Fn(&mut StoredIntent) + Send + Sync;

/// A store whose rows were edited by somebody without the secret.
struct Edited {
    inner: Arc<MemoryStore>,
    edit: Box<Edit>,
}

impl fmt::Debug for Edited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Edited")
    }
}

#[async_trait]
impl Store for Edited {
    async fn insert(&self, i: &StoredIntent, r: ReceiptDraft) -> Result<Receipt, StoreError> {
        self.inner.insert(i, r).await
    }
    async fn get(&self, id: &IntentId) -> Result<Option<StoredIntent>, StoreError> {
        let mut intent = self.inner.get(id).await?;
        if let Some(intent) = &mut intent {
            (self.edit)(intent);
        }
        Ok(intent)
    }
    async fn commit(&self, commit: Commit<'_>) -> Result<CommitOutcome, StoreError> {
        self.inner.commit(commit).await
    }
    async fn reserve_sequence(&self, l: &str, f: u64, id: &IntentId) -> Result<u64, StoreError> {
        self.inner.reserve_sequence(l, f, id).await
    }
    async fn spent(&self, day: Day) -> Result<DaySpend, StoreError> {
        self.inner.spent(day).await
    }
    async fn list(&self, s: &[ExecutionState], n: usize) -> Result<Vec<StoredIntent>, StoreError> {
        self.inner.list(s, n).await
    }
    async fn receipts_after(&self, s: Option<u64>, n: usize) -> Result<Vec<Receipt>, StoreError> {
        self.inner.receipts_after(s, n).await
    }
    async fn receipts_of(&self, id: &IntentId) -> Result<Vec<Receipt>, StoreError> {
        self.inner.receipts_of(id).await
    }
    async fn head(&self) -> Result<Option<Link>, StoreError> {
        self.inner.head().await
    }
}

async fn code_after(
    policy: &Value,
    edit: impl Fn(&mut StoredIntent) + Send + Sync + 'static,
) -> String {
    let world = World::new();
    let intent = world
        .engine(policy)
        .prepare("test.send", &json!({"usd": 4}))
        .await
        .unwrap();
    let store = Arc::new(Edited {
        inner: world.store.clone(),
        edit: Box::new(edit),
    });
    let engine = world.builder_on(store, policy).build().unwrap();
    let error = engine.execute(&intent.intent_id).await.unwrap_err();
    assert_eq!(world.signer.asked(), 0, "nothing is signed: {error}");
    assert!(world.chain.arrivals().is_empty());
    error.code().to_owned()
}

#[tokio::test]
async fn defect_01_flipping_the_stored_verdict_is_detected() {
    let policy = json!({"max_usd_per_trade": 1});
    let code = code_after(&policy, |intent| {
        intent.record.intent.policy.ok = true;
        intent.record.intent.policy.refusals.clear();
    });
    assert_eq!(code.await, "integrity");
    let code = code_after(&policy, |intent| {
        intent.progress.state = ExecutionState::Prepared;
    });
    assert_eq!(code.await, "integrity");
}

#[tokio::test]
async fn defect_02_raising_the_stored_expiry_is_detected() {
    let raise = |intent: &mut StoredIntent| {
        intent.record.expires_at = intent.record.expires_at.plus_seconds(3_600);
    };
    assert_eq!(code_after(&json!({}), raise).await, "integrity");
}

#[tokio::test]
async fn every_part_that_execute_relies_on_is_sealed() {
    let edits: Vec<(&str, Box<Edit>)> = vec![
        (
            "summary",
            Box::new(|i| i.record.intent.summary = "Send nothing.".into()),
        ),
        (
            "payload",
            Box::new(|i| i.record.intent.unsigned["value"] = json!("999999")),
        ),
        (
            "both payloads",
            Box::new(|i| {
                i.record.intent.unsigned["to"] =
                    json!("0x0000000000000000000000000000000000000bad");
                i.record.params.unsigned = i.record.intent.unsigned.clone();
            }),
        ),
        (
            "value",
            Box::new(|i| i.record.params.usd_value = Some(0.01)),
        ),
        ("facts", Box::new(|i| i.record.facts.usd_value = Some(0.01))),
        (
            "action",
            Box::new(|i| i.record.intent.action = "test.other".into()),
        ),
        (
            "simulation",
            Box::new(|i| i.record.intent.simulation = None),
        ),
        (
            "approval",
            Box::new(|i| i.progress.approved_at = Some(UnixMillis::new(1))),
        ),
        (
            "hold",
            Box::new(|i| {
                let day = i.record.prepared_at.day();
                i.progress.hold = Some(Hold {
                    day,
                    usd: None,
                    status: HoldStatus::Reserved,
                });
            }),
        ),
        ("version", Box::new(|i| i.progress.version += 1)),
        (
            "lease",
            Box::new(|i| i.progress.lease_until = Some(UnixMillis::new(1))),
        ),
        ("seal", Box::new(|i| i.record_seal = "00".repeat(32))),
    ];
    for (name, edit) in edits {
        // An edit that changes nothing would prove nothing.
        let world = World::new();
        let id = prepared(&world.engine(&json!({})), 4.0).await;
        let mut intent = world.store.get(&id).await.unwrap().unwrap();
        let before = intent.clone();
        edit(&mut intent);
        assert_ne!(intent, before, "{name}");
        assert_eq!(code_after(&json!({}), edit).await, "integrity", "{name}");
    }
}

#[tokio::test]
async fn defect_21_a_row_put_back_from_a_copy_does_not_execute_again() {
    let world = World::new();
    let engine = world.engine(&json!({}));
    let id = prepared(&engine, 4.0).await;
    let copy = world.store.get(&id).await.unwrap().unwrap();
    engine.execute(&id).await.unwrap();
    let store = Arc::new(Edited {
        inner: world.store.clone(),
        edit: Box::new(move |intent| *intent = copy.clone()),
    });
    let error = world
        .builder_on(store, &json!({}))
        .build()
        .unwrap()
        .execute(&id)
        .await
        .unwrap_err();
    assert_eq!(error.code(), "integrity");
    assert!(error.to_string().contains("older copy"), "{error}");
    assert_eq!(world.chain.arrivals().len(), 1);
}

#[tokio::test]
async fn an_intent_made_under_another_secret_is_refused_and_not_lost() {
    let world = World::new();
    let id = prepared(&world.engine(&json!({})), 4.0).await;
    let secret = IntentSecret::new(&[8; 32]).unwrap();
    let other = Engine::builder(world.store.clone(), secret, parse(&json!({})))
        .build()
        .unwrap();
    assert_eq!(other.execute(&id).await.unwrap_err().code(), "integrity");
    assert!(world.engine(&json!({})).execute(&id).await.is_ok());
}

#[tokio::test]
async fn one_intents_row_does_not_pass_for_another() {
    let world = World::new();
    let engine = world.engine(&json!({}));
    let first = prepared(&engine, 4.0).await;
    let second = prepared(&engine, 4.0).await;
    let row = world.store.get(&second).await.unwrap().unwrap();
    let store = Arc::new(Edited {
        inner: world.store.clone(),
        edit: Box::new(move |intent| *intent = row.clone()),
    });
    let error = world
        .builder_on(store, &json!({}))
        .build()
        .unwrap()
        .execute(&first)
        .await
        .unwrap_err();
    assert_eq!(error.code(), "integrity");
}

/// Found by sixteen executors racing: the row was read before another process executed the intent, the
/// receipts after. Nothing was put back.
#[tokio::test]
async fn an_execution_between_reading_the_row_and_its_receipts_is_no_replay() {
    let world = World::new();
    let engine = world.engine(&json!({}));
    let id = prepared(&engine, 4.0).await;
    let before = world.store.get(&id).await.unwrap().unwrap();
    engine.execute(&id).await.unwrap();
    let first = AtomicBool::new(true);
    let store = Arc::new(Edited {
        inner: world.store.clone(),
        edit: Box::new(move |intent| {
            if first.swap(false, Ordering::Relaxed) {
                *intent = before.clone();
            }
        }),
    });
    let late = world.builder_on(store, &json!({})).build().unwrap();
    let error = late.execute(&id).await.unwrap_err();
    assert_eq!(error.code(), "already_executed");
}
