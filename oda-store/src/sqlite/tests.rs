use std::future::Future;
use std::pin::pin;
use std::task::{Context, Waker};

use super::*;

#[path = "../../tests/it/fixtures.rs"]
#[expect(dead_code, reason = "the tests of the public door use more of it")]
mod fixtures;

use fixtures::{id, intent, prepared_draft};

fn place() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    (directory, path)
}

async fn put(store: &SqliteStore, n: u64) -> Result<Receipt, StoreError> {
    let intent = intent(n);
    store.insert(&intent, prepared_draft(&intent)).await
}

async fn may_grow_to(store: &SqliteStore, pages: i64) {
    store
        .writer
        .call("limit the file", move |connection| {
            connection
                .pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))
                .map_err(error::failed("limit the file"))
        })
        .await
        .unwrap();
}

/// What a full disk looks like to SQLite, for machines on which no small disk can be mounted.
#[tokio::test]
async fn a_file_that_may_not_grow() {
    let (_directory, path) = place();
    let store = SqliteStore::open(&path).unwrap();
    may_grow_to(&store, 1).await;
    let mut inserted = 0;
    let error = loop {
        match put(&store, inserted).await {
            Ok(_) => inserted += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(error.code(), "store_unavailable");
    assert!(error.to_string().contains("the disk is full"), "{error}");
    assert_eq!(store.get(&id(inserted)).await.unwrap(), None);
    let receipts = store.receipts_after(None, usize::MAX).await.unwrap();
    assert_eq!(receipts.len() as u64, inserted);
    store.check().await.unwrap();

    may_grow_to(&store, 1_000_000).await;
    put(&store, inserted).await.unwrap();
    store.check().await.unwrap();
}

/// Several calls that wait together share a transaction. One that fails takes back its own changes only.
#[tokio::test]
async fn a_failing_job_spares_the_others_of_its_batch() {
    let (_directory, path) = place();
    let store = SqliteStore::open(&path).unwrap();
    put(&store, 0).await.unwrap();
    let (hold, held) = std::sync::mpsc::channel::<()>();
    // The writer's thread is kept busy until everything else is queued behind it.
    let mut busy = pin!(store.writer.call("wait", move |_| {
        let _ = held.recv();
        Ok(())
    }));
    let mut context = Context::from_waker(Waker::noop());
    assert!(busy.as_mut().poll(&mut context).is_pending());
    let mut untruthful = prepared_draft(&intent(2));
    untruthful.chain.clear();
    let intents = [intent(1), intent(2), intent(3)];
    let mut first = pin!(store.insert(&intents[0], prepared_draft(&intents[0])));
    let mut bad = pin!(store.insert(&intents[1], untruthful));
    let mut again = pin!(put(&store, 0));
    let mut last = pin!(store.insert(&intents[2], prepared_draft(&intents[2])));
    assert!(first.as_mut().poll(&mut context).is_pending());
    assert!(bad.as_mut().poll(&mut context).is_pending());
    assert!(again.as_mut().poll(&mut context).is_pending());
    assert!(last.as_mut().poll(&mut context).is_pending());
    hold.send(()).unwrap();
    busy.await.unwrap();
    assert_eq!(first.await.unwrap().seq(), 1);
    assert_eq!(bad.await.unwrap_err().code(), "store_receipt");
    assert_eq!(again.await.unwrap_err().code(), "store_duplicate");
    assert_eq!(last.await.unwrap().seq(), 2);
    assert_eq!(store.get(&id(2)).await.unwrap(), None);
    store.check().await.unwrap();
}

/// No tokio runtime, and no runtime at all, is behind the calls.
#[test]
fn any_executor_will_do() {
    let (_directory, path) = place();
    let store = SqliteStore::open(&path).unwrap();
    let mut call = pin!(put(&store, 0));
    let mut context = Context::from_waker(Waker::noop());
    let receipt = loop {
        match call.as_mut().poll(&mut context) {
            std::task::Poll::Ready(receipt) => break receipt.unwrap(),
            std::task::Poll::Pending => std::thread::yield_now(),
        }
    };
    assert_eq!(receipt.seq(), 0);
}

#[tokio::test]
async fn a_job_that_panics_ends_in_errors_and_leaves_nothing_behind() {
    let (_directory, path) = place();
    let store = SqliteStore::open(&path).unwrap();
    put(&store, 0).await.unwrap();
    let ended = store
        .writer
        .call("test", |connection| -> Result<(), StoreError> {
            connection
                .execute_batch("DELETE FROM intents WHERE 0; UPDATE intents SET version = 9")
                .unwrap();
            panic!("the panic that this test is about");
        })
        .await;
    assert_eq!(ended.unwrap_err().code(), "store_unavailable");
    let error = put(&store, 1).await.unwrap_err();
    assert!(error.to_string().contains("open it again"), "{error}");
    drop(store);
    let store = SqliteStore::open(&path).unwrap();
    put(&store, 1).await.unwrap();
    store.check().await.unwrap();
}
