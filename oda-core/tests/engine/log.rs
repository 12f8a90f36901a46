//! The receipts log follows the store, and nothing is signed while it cannot.

use std::sync::{Arc, Mutex};

use oda_core::{ReceiptLog, Store};
use oda_receipts::{Checks, Link, Receipt, Verifier};
use serde_json::json;

use crate::world::{World, prepared};

/// A log in memory that can be told to fail.
#[derive(Debug, Default)]
struct Log {
    receipts: Mutex<Vec<Receipt>>,
    broken: Mutex<bool>,
}

impl Log {
    fn break_it(&self, broken: bool) {
        *self.broken.lock().unwrap() = broken;
    }

    fn text(&self) -> String {
        self.receipts
            .lock()
            .unwrap()
            .iter()
            .map(Receipt::to_line)
            .collect()
    }
}

impl ReceiptLog for Log {
    fn tail(&self) -> Result<Option<Link>, String> {
        Ok(self.receipts.lock().unwrap().last().map(Receipt::link))
    }

    fn append(&self, receipts: &[Receipt]) -> Result<(), String> {
        if *self.broken.lock().unwrap() {
            return Err("no space left on device".into());
        }
        self.receipts.lock().unwrap().extend_from_slice(receipts);
        Ok(())
    }
}

#[tokio::test]
async fn the_log_is_the_stores_chain() {
    let world = World::new();
    let log = Arc::new(Log::default());
    let engine = world.builder(&json!({})).log(log.clone()).build().unwrap();
    for _ in 0..3 {
        let id = prepared(&engine, 1.0).await;
        engine.execute(&id).await.unwrap();
    }
    let report = Verifier::new(Checks::Full)
        .verify(log.text().as_bytes())
        .unwrap();
    assert_eq!(report.lines, 6);
    assert_eq!(report.last, world.store.head().await.unwrap());
}

#[tokio::test]
async fn defect_18_while_the_log_cannot_be_written_nothing_is_signed() {
    let world = World::new();
    let log = Arc::new(Log::default());
    let engine = world.builder(&json!({})).log(log.clone()).build().unwrap();
    let first = prepared(&engine, 1.0).await;
    log.break_it(true);
    let second = prepared(&engine, 1.0).await;
    for id in [&first, &second] {
        let error = engine.execute(id).await.unwrap_err();
        assert_eq!(error.code(), "log");
        assert!(error.to_string().contains("no space left"), "{error}");
    }
    assert_eq!(world.signer.asked(), 0);
    log.break_it(false);
    engine.execute(&first).await.unwrap();
    assert_eq!(log.receipts.lock().unwrap().len(), 3, "the log catches up");
}

#[tokio::test]
async fn a_log_that_fails_after_sending_is_reported_and_catches_up() {
    let world = World::new();
    let log = Arc::new(Log::default());
    let engine = world.builder(&json!({})).log(log.clone()).build().unwrap();
    let id = prepared(&engine, 1.0).await;
    // It breaks between the check before the claim and the receipt of the execution.
    world
        .chain
        .script(oda_testkit::Call::Submit, [oda_testkit::Fault::Slow]);
    let execution = tokio::spawn({
        let engine = Arc::new(engine);
        let (engine, id) = (engine.clone(), id.clone());
        async move { (engine.execute(&id).await, engine) }
    });
    while !world.chain.calls().contains(&oda_testkit::Call::Submit) {
        tokio::task::yield_now().await;
    }
    log.break_it(true);
    world.chain.release();
    let (executed, engine) = execution.await.unwrap();
    assert!(
        executed
            .unwrap()
            .log_behind
            .unwrap()
            .contains("no space left")
    );
    log.break_it(false);
    engine.sync_log().await.unwrap();
    assert_eq!(log.receipts.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_log_that_knows_more_than_the_store_stops_everything() {
    let full = World::new();
    let log = Arc::new(Log::default());
    let engine = full.builder(&json!({})).log(log.clone()).build().unwrap();
    prepared(&engine, 1.0).await;
    // The store was replaced by an empty one; the log was not.
    let empty = World::new();
    let engine = empty.builder(&json!({})).log(log).build().unwrap();
    let error = engine.sync_log().await.unwrap_err();
    assert!(error.to_string().contains("older copy"), "{error}");
}
