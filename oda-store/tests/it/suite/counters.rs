//! Day counters and the cap.

use std::sync::Arc;

use oda_core::{CommitOutcome, DaySpend, Hold, HoldStatus, Store};

use crate::fixtures::{holding, intent, next, reserved, today, usd};
use crate::suite::{commit, commit_under, counters_match_the_holds, is_committed, put};

pub(crate) async fn counters_follow_the_hold(store: impl Store) {
    let yesterday = oda_core::Day::from_number(today().number() - 1);
    let at = |day, micros, status| {
        Some(Hold {
            day,
            usd: Some(usd(micros)),
            status,
        })
    };
    let steps = [
        (at(today(), 30, HoldStatus::Reserved), (30, 0, 0)),
        (at(today(), 30, HoldStatus::Pinned), (30, 0, 0)),
        (at(today(), 30, HoldStatus::Committed), (0, 30, 0)),
        (at(today(), 20, HoldStatus::Committed), (0, 20, 0)),
        (at(today(), 25, HoldStatus::Reserved), (25, 0, 0)),
        (None, (0, 0, 0)),
        (at(yesterday, 9, HoldStatus::Pinned), (0, 0, 9)),
        (at(today(), 7, HoldStatus::Reserved), (7, 0, 0)),
        (None, (0, 0, 0)),
    ];
    let mut intent = put(&store, 1).await;
    for (hold, (held, spent, before)) in steps {
        intent = next(&intent, |progress| progress.hold = hold);
        assert!(is_committed(&commit(&store, &intent).await));
        let now = store.spent(today()).await.unwrap();
        assert_eq!((now.reserved, now.committed), (usd(held), usd(spent)));
        let then = store.spent(yesterday).await.unwrap();
        assert_eq!((then.reserved, then.day), (usd(before), yesterday));
    }
}

pub(crate) async fn unknown_values_are_counted(store: impl Store) {
    let unknown = Hold {
        usd: None,
        ..reserved(0)
    };
    let a = holding(&put(&store, 1).await, unknown);
    let b = holding(&put(&store, 2).await, unknown);
    commit(&store, &a).await;
    commit_under(&store, &b, Some(usd(0))).await;
    assert_eq!(counters_match_the_holds(&store).await.unknown, 2);
    let known = next(&a, |progress| progress.hold = Some(reserved(4)));
    commit(&store, &known).await;
    let spent = counters_match_the_holds(&store).await;
    assert_eq!((spent.unknown, spent.reserved), (1, usd(4)));
}

pub(crate) async fn the_cap_is_reached_and_not_passed(store: impl Store) {
    let cap = Some(usd(100));
    let (a, b) = (put(&store, 1).await, put(&store, 2).await);
    let a = holding(&a, reserved(60));
    assert!(is_committed(&commit_under(&store, &a, cap).await));
    let spent = store.spent(today()).await.unwrap();
    let over = holding(&b, reserved(41));
    assert_eq!(
        commit_under(&store, &over, cap).await,
        CommitOutcome::CapExceeded { spent }
    );
    assert_eq!(store.get(b.id()).await.unwrap(), Some(b.clone()));
    assert_eq!(counters_match_the_holds(&store).await, spent);
    let exact = holding(&b, reserved(40));
    assert!(is_committed(&commit_under(&store, &exact, cap).await));
    assert_eq!(counters_match_the_holds(&store).await.reserved, usd(100));
    // A stale claim is told that it is stale, whatever the cap says.
    let outcome = commit_under(&store, &over, Some(usd(0))).await;
    assert!(matches!(outcome, CommitOutcome::Stale { .. }));
}

pub(crate) async fn the_cap_holds_among_many_tasks<S: Store + 'static>(store: S) {
    let store = Arc::new(store);
    let mut claims = Vec::new();
    for n in 0..40 {
        claims.push(holding(&put(&*store, n).await, reserved(7)));
    }
    let tasks: Vec<_> = claims
        .into_iter()
        .map(|claim| {
            let store = store.clone();
            tokio::spawn(async move { commit_under(&*store, &claim, Some(usd(100))).await })
        })
        .collect();
    let mut taken = 0;
    for task in tasks {
        taken += u64::from(is_committed(&task.await.unwrap()));
    }
    assert_eq!(taken, 14, "14 × 7 = 98 fits under 100, 15 × 7 does not");
    assert_eq!(counters_match_the_holds(&*store).await.reserved, usd(98));
}

pub(crate) async fn a_lowered_cap_never_blocks_giving_back(store: impl Store) {
    let low = Some(usd(1));
    let held = holding(&put(&store, 1).await, reserved(60));
    commit(&store, &held).await;
    let spent = next(&held, |progress| {
        progress.hold = Some(Hold {
            status: HoldStatus::Committed,
            ..reserved(60)
        });
    });
    assert!(is_committed(&commit_under(&store, &spent, low).await));
    let less = next(&spent, |progress| progress.hold = Some(reserved(50)));
    assert!(is_committed(&commit_under(&store, &less, low).await));
    let none = next(&less, |progress| progress.hold = None);
    assert!(is_committed(&commit_under(&store, &none, low).await));
    assert_eq!(
        counters_match_the_holds(&store).await,
        DaySpend::none(today())
    );
}

pub(crate) async fn amounts_beyond_counting_are_refused(store: impl Store) {
    let a = holding(&put(&store, 1).await, reserved(u64::MAX));
    let refused = CommitOutcome::CapExceeded {
        spent: DaySpend::none(today()),
    };
    assert_eq!(commit(&store, &a).await, refused);
    let largest = i64::MAX.unsigned_abs();
    let a = holding(&intent(1), reserved(largest));
    assert!(is_committed(&commit(&store, &a).await));
    let b = holding(&put(&store, 2).await, reserved(1));
    let outcome = commit(&store, &b).await;
    assert!(matches!(outcome, CommitOutcome::CapExceeded { .. }));
    assert_eq!(
        counters_match_the_holds(&store).await.reserved,
        usd(largest)
    );
}
