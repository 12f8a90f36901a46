//! Intents and who may change them.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use oda_core::{
    Artifact, CommitOutcome, DaySpend, Death, ExecutionState, Progress, Sequence, Simulation,
    Store, StoreError,
};
use oda_receipts::Status;

use crate::fixtures::{
    NOON, claimed, draft, holding, id, intent, next, prepared_draft, reserved, secret, today, usd,
};
use crate::suite::{
    commit, commit_with, counters_match_the_holds, is_committed, put, verified_receipts,
};

pub(crate) async fn an_intent_reads_back_as_written(store: impl Store) {
    assert_eq!(store.get(&id(1)).await.unwrap(), None);
    let first = put(&store, 1).await;
    put(&store, 2).await;
    assert_eq!(store.get(first.id()).await.unwrap().as_ref(), Some(&first));

    let full = next(&first, |progress| {
        *progress = Progress {
            state: ExecutionState::Submitting,
            version: progress.version,
            updated_at: NOON.plus_millis(17),
            lease_until: Some(NOON.plus_seconds(60)),
            approved_at: Some(NOON.plus_millis(3)),
            hold: Some(reserved(12_500_000)),
            sequence: Some(Sequence {
                lane: "evm:8453:0xab".to_owned(),
                number: 7,
            }),
            artifact: Some(Artifact {
                id: "0xcd".to_owned(),
                sender: "0xab".to_owned(),
                bytes: Some("02f8".repeat(400)),
                death: Death::SequenceConsumed {
                    lane: "evm:8453:0xab".to_owned(),
                    number: 7,
                },
            }),
            simulation: Some(Simulation {
                ok: true,
                method: "eth_simulateV1".to_owned(),
                block: Some("123".to_owned()),
                gas_estimate: Some("21000".to_owned()),
                error: None,
                as_of: NOON.to_string(),
                effects: None,
            }),
            policy_digest: Some(oda_canon::digest_bytes(b"policy")),
            block: Some("124".to_owned()),
            note: Some("line\nbreak, \"quotes\", \u{0} and \u{1f980}".to_owned()),
        };
    });
    assert!(is_committed(&commit(&store, &full).await));
    let read = store.get(first.id()).await.unwrap().unwrap();
    assert_eq!(read, full);
    read.verify(&secret()).unwrap();
}

pub(crate) async fn a_second_insert_is_a_duplicate_and_changes_nothing(store: impl Store) {
    let first = put(&store, 1).await;
    let moved = claimed(&first);
    commit(&store, &moved).await;
    let before = verified_receipts(&store).await;
    let error = store
        .insert(&first, prepared_draft(&first))
        .await
        .unwrap_err();
    assert!(matches!(&error, StoreError::Duplicate { id } if id == first.id()));
    assert_eq!(error.code(), "store_duplicate");
    assert_eq!(store.get(first.id()).await.unwrap(), Some(moved));
    assert_eq!(verified_receipts(&store).await, before);
}

pub(crate) async fn claim_is_won_once(store: impl Store) {
    let first = put(&store, 1).await;
    let mine = next(&first, |progress| {
        progress.state = ExecutionState::Claimed;
        progress.note = Some("mine".to_owned());
    });
    let theirs = holding(&first, reserved(5));
    assert!(is_committed(&commit(&store, &mine).await));
    assert_eq!(
        commit(&store, &theirs).await,
        CommitOutcome::Stale {
            version: 1,
            state: ExecutionState::Claimed
        }
    );
    assert_eq!(store.get(first.id()).await.unwrap(), Some(mine));
    assert_eq!(store.spent(today()).await.unwrap(), DaySpend::none(today()));
}

pub(crate) async fn claim_is_won_once_among_many_tasks<S: Store + 'static>(store: S) {
    let store = Arc::new(store);
    let first = put(&*store, 1).await;
    let racers: Vec<_> = (0..50_u64)
        .map(|n| {
            let (store, claim) = (store.clone(), holding(&first, reserved(n)));
            tokio::spawn(async move { (n, commit(&*store, &claim).await) })
        })
        .collect();
    let mut winners = Vec::new();
    for racer in racers {
        let (n, outcome) = racer.await.unwrap();
        if is_committed(&outcome) {
            winners.push(n);
        }
    }
    assert_eq!(winners.len(), 1);
    assert_eq!(
        store.spent(today()).await.unwrap().reserved,
        usd(winners[0])
    );
}

pub(crate) async fn a_change_must_follow_the_stored_version(store: impl Store) {
    let first = put(&store, 1).await;
    let second = claimed(&first);
    let third = next(&second, |_| {});
    let stale = CommitOutcome::Stale {
        version: 0,
        state: ExecutionState::Prepared,
    };
    assert_eq!(commit(&store, &third).await, stale, "one too far");
    assert_eq!(commit(&store, &first).await, stale, "no change at all");
    assert!(is_committed(&commit(&store, &second).await));
    assert!(is_committed(&commit(&store, &third).await));
    assert!(!is_committed(&commit(&store, &second).await));
    assert_eq!(store.get(first.id()).await.unwrap(), Some(third));
}

pub(crate) async fn an_intent_that_is_not_stored_cannot_change(store: impl Store) {
    let stranger = claimed(&intent(1));
    let error = commit_with(&store, &stranger, draft(&stranger, Status::Executed))
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::Missing { id } if id == *stranger.id()));
    let error = store
        .reserve_sequence("lane", 0, stranger.id())
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::Missing { .. }));
    assert_eq!(store.head().await.unwrap(), None);
}

pub(crate) async fn list_is_ordered_and_limited(store: impl Store) {
    let mut expected = Vec::new();
    for n in 0..6 {
        let first = put(&store, n).await;
        let moved = next(&first, |progress| {
            progress.state = if n == 5 {
                ExecutionState::Refused
            } else {
                ExecutionState::Claimed
            };
            progress.updated_at = NOON.plus_millis(10 - n.min(3));
        });
        commit(&store, &moved).await;
        expected.push(moved);
    }
    put(&store, 9).await;
    expected.sort_by_key(|intent| (intent.progress.updated_at, intent.id().clone()));
    let both = [ExecutionState::Refused, ExecutionState::Claimed];
    assert_eq!(store.list(&both, usize::MAX).await.unwrap(), expected);
    assert_eq!(store.list(&both, 2).await.unwrap(), expected[..2]);
    let claimed = [ExecutionState::Claimed; 20];
    assert_eq!(store.list(&claimed, 99).await.unwrap().len(), 5);
    assert!(store.list(&[], 99).await.unwrap().is_empty());
    assert!(store.list(&both, 0).await.unwrap().is_empty());
    let all = store.list(&ExecutionState::ALL, 99).await.unwrap();
    assert_eq!(all.len(), 7);
}

pub(crate) async fn a_call_that_nobody_waits_for_is_whole_or_not_at_all(store: impl Store) {
    let mut intents = Vec::new();
    for n in 0..20 {
        intents.push(put(&store, n).await);
    }
    for intent in &intents {
        let claim = holding(intent, reserved(3));
        let receipt = draft(&claim, Status::Failed);
        let mut call = pin!(commit_with(&store, &claim, receipt));
        let started = call.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        // A store may be done at once; otherwise the caller goes away here.
        if let Poll::Ready(outcome) = started {
            assert!(is_committed(&outcome.unwrap()));
        }
    }
    // Whatever was begun has its place in the order before this.
    let last = put(&store, 99).await;
    let mut moved = 0;
    for intent in &intents {
        let stored = store.get(intent.id()).await.unwrap().unwrap();
        let receipts = store.receipts_of(intent.id()).await.unwrap().len();
        assert_eq!(receipts as u64, 1 + stored.progress.version);
        moved += stored.progress.version;
    }
    let spent = counters_match_the_holds(&store).await;
    assert_eq!(spent.reserved, usd(3 * moved));
    assert_eq!(verified_receipts(&store).await.len() as u64, 21 + moved);
    assert!(is_committed(&commit(&store, &claimed(&last)).await));
}
