//! Receipts and their chain.

use std::sync::Arc;

use oda_core::{CommitOutcome, ExecutionState, Store};
use oda_receipts::Status;

use crate::fixtures::{claimed, draft, holding, id, intent, next, prepared_draft, reserved, usd};
use crate::suite::{commit, commit_with, counters_match_the_holds, put, verified_receipts};

pub(crate) async fn receipts_form_one_chain(store: impl Store) {
    assert_eq!(store.head().await.unwrap(), None);
    let (a, b) = (put(&store, 1).await, put(&store, 2).await);
    let a = claimed(&a);
    commit(&store, &a).await;
    let sent = next(&a, |progress| progress.state = ExecutionState::Submitted);
    let outcome = commit_with(&store, &sent, draft(&sent, Status::Executed))
        .await
        .unwrap();
    let CommitOutcome::Committed {
        receipt: Some(receipt),
    } = outcome
    else {
        panic!("{outcome:?}");
    };
    let all = verified_receipts(&store).await;
    assert_eq!(all.len(), 3);
    assert_eq!(all[2], receipt);
    assert_eq!(
        store.receipts_of(a.id()).await.unwrap(),
        [all[0].clone(), all[2].clone()]
    );
    assert_eq!(store.receipts_of(b.id()).await.unwrap(), [all[1].clone()]);
    assert!(store.receipts_of(&id(9)).await.unwrap().is_empty());
    assert_eq!(store.receipts_after(None, 2).await.unwrap(), all[..2]);
    assert_eq!(store.receipts_after(Some(0), 1).await.unwrap(), all[1..2]);
    assert!(store.receipts_after(Some(2), 9).await.unwrap().is_empty());
    assert!(store.receipts_after(None, 0).await.unwrap().is_empty());
    let beyond = store.receipts_after(Some(u64::MAX), usize::MAX).await;
    assert!(beyond.unwrap().is_empty());
}

pub(crate) async fn receipts_of_many_tasks_form_one_chain<S: Store + 'static>(store: S) {
    let store = Arc::new(store);
    let writers: Vec<_> = (0..64)
        .map(|n| {
            let store = store.clone();
            tokio::spawn(async move {
                put(&*store, n).await;
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    assert_eq!(verified_receipts(&*store).await.len(), 64);
}

pub(crate) async fn an_untruthful_receipt_takes_the_whole_change_with_it(store: impl Store) {
    let stranger = intent(2);
    let mut bad = prepared_draft(&stranger);
    bad.chain.clear();
    let error = store.insert(&stranger, bad).await.unwrap_err();
    assert_eq!(error.code(), "store_receipt");
    assert_eq!(store.get(stranger.id()).await.unwrap(), None);

    let first = put(&store, 1).await;
    let number = store.reserve_sequence("lane", 4, first.id()).await.unwrap();
    let claim = holding(&first, reserved(5));
    let mut bad = draft(&claim, Status::Executed);
    bad.tx_hash = Some(String::new());
    let error = commit_with(&store, &claim, bad).await.unwrap_err();
    assert!(error.to_string().contains("tx_hash"), "{error}");
    assert_eq!(store.get(first.id()).await.unwrap(), Some(first.clone()));
    assert_eq!(counters_match_the_holds(&store).await.reserved, usd(0));
    assert_eq!(verified_receipts(&store).await.len(), 1);
    // The sequence number was not given free either.
    put(&store, 3).await;
    let other = store.reserve_sequence("lane", 4, &id(3)).await.unwrap();
    assert_eq!((number, other), (4, 5));
}

pub(crate) async fn a_receipt_belongs_to_the_intent_that_changes(store: impl Store) {
    let (one, two) = (intent(1), intent(2));
    let error = store.insert(&one, prepared_draft(&two)).await.unwrap_err();
    assert_eq!(error.code(), "store_receipt");
    assert_eq!(store.get(one.id()).await.unwrap(), None);
    put(&store, 1).await;
    let claim = claimed(&one);
    let error = commit_with(&store, &claim, draft(&two, Status::Executed))
        .await
        .unwrap_err();
    assert_eq!(error.code(), "store_receipt");
    assert_eq!(store.get(one.id()).await.unwrap(), Some(one));
}
