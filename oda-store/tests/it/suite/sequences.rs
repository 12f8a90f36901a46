//! Account sequence numbers.

use oda_core::{ExecutionState, Sequence, Store};

use crate::fixtures::{claimed, id, next};
use crate::suite::{commit, put};

pub(crate) async fn sequences_start_at_the_floor_and_leave_no_gap(store: impl Store) {
    for n in 0..5 {
        put(&store, n).await;
    }
    let take = async |lane, floor, n| store.reserve_sequence(lane, floor, &id(n)).await.unwrap();
    assert_eq!(take("a", 7, 0).await, 7);
    assert_eq!(take("a", 7, 1).await, 8);
    assert_eq!(take("a", 10, 2).await, 10);
    assert_eq!(take("a", 7, 3).await, 9, "the gap comes first");
    assert_eq!(take("a", 7, 4).await, 11);
    assert_eq!(take("b", 7, 0).await, 7, "lanes do not share numbers");
    assert_eq!(take("b", 0, 1).await, 0);
}

pub(crate) async fn an_intent_keeps_its_sequence(store: impl Store) {
    let first = put(&store, 1).await;
    put(&store, 2).await;
    let take = async |floor, n| store.reserve_sequence("a", floor, &id(n)).await.unwrap();
    assert_eq!(take(3, 1).await, 3);
    assert_eq!(take(3, 1).await, 3, "asked again");
    assert_eq!(take(2, 1).await, 3, "asked with a floor of an older block");
    assert_eq!(take(2, 2).await, 2);
    let signed = next(&first, |progress| {
        progress.sequence = Some(Sequence {
            lane: "a".to_owned(),
            number: 3,
        });
    });
    commit(&store, &signed).await;
    let later = next(&signed, |progress| {
        progress.state = ExecutionState::Uncertain;
    });
    commit(&store, &later).await;
    assert_eq!(take(3, 1).await, 3, "kept while the progress says so");
    assert_eq!(take(4, 1).await, 4, "the chain is past the old number");
    let ended = next(&later, |progress| {
        progress.state = ExecutionState::Dead;
        progress.sequence = None;
    });
    commit(&store, &ended).await;
    let error = store.reserve_sequence("a", 3, &id(1)).await.unwrap_err();
    assert_eq!(error.code(), "store_ended", "nothing would free it again");
    assert_eq!(take(3, 2).await, 3);
}

pub(crate) async fn a_sequence_is_freed_when_it_is_no_longer_occupied(store: impl Store) {
    let first = put(&store, 1).await;
    put(&store, 2).await;
    let take = async |lane, floor, n| store.reserve_sequence(lane, floor, &id(n)).await.unwrap();
    let occupy = |number| {
        Some(Sequence {
            lane: "a".to_owned(),
            number,
        })
    };
    assert_eq!(take("a", 5, 1).await, 5);
    // Reserved and never signed: the next change that does not occupy it gives it free.
    let released = claimed(&first);
    commit(&store, &released).await;
    assert_eq!(take("a", 5, 2).await, 5);
    assert_eq!(take("a", 5, 1).await, 6);
    let signed = next(&released, |progress| progress.sequence = occupy(6));
    commit(&store, &signed).await;
    // It moves on to a later number: the earlier one is no longer occupied.
    assert_eq!(take("a", 7, 1).await, 7);
    let moved = next(&signed, |progress| progress.sequence = occupy(7));
    commit(&store, &moved).await;
    put(&store, 3).await;
    assert_eq!(take("a", 5, 3).await, 6);
    let given_up = next(&moved, |progress| progress.sequence = None);
    commit(&store, &given_up).await;
    put(&store, 4).await;
    assert_eq!(take("a", 5, 4).await, 7);
}

pub(crate) async fn a_sequence_number_never_has_two_owners(store: impl Store) {
    put(&store, 1).await;
    put(&store, 2).await;
    let end = i64::MAX.unsigned_abs();
    // The last number that every store can hold, and then none.
    assert_eq!(store.reserve_sequence("a", end, &id(1)).await.unwrap(), end);
    let error = store.reserve_sequence("a", end, &id(2)).await.unwrap_err();
    assert_eq!(error.code(), "store_unavailable");
    for n in [1, 2] {
        let beyond = store.reserve_sequence("b", u64::MAX, &id(n)).await;
        assert_eq!(beyond.unwrap_err().code(), "store_unavailable");
    }
}
