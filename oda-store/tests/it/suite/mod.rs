//! What every store must do, whatever it is made of.
//!
//! Each function takes an empty store. `store_behaviour!` runs them all against one kind of store.

mod counters;
mod intents;
mod receipts;
mod sequences;

pub(crate) use counters::*;
pub(crate) use intents::*;
pub(crate) use receipts::*;
pub(crate) use sequences::*;

use oda_core::{
    Commit, CommitOutcome, DaySpend, ExecutionState, Hold, HoldStatus, Store, StoreError,
    StoredIntent, UsdMicros,
};
use oda_receipts::{Checks, Receipt, ReceiptDraft, Verifier};

use crate::fixtures::{intent, prepared_draft, today};

/// Makes a test of every behaviour for a store, made by an expression that gives `(store, guard)`; the guard
/// lives as long as the test.
macro_rules! store_behaviour {
    ($make:expr) => {
        $crate::suite::store_behaviour! { $make;
            an_intent_reads_back_as_written,
            a_second_insert_is_a_duplicate_and_changes_nothing,
            claim_is_won_once,
            claim_is_won_once_among_many_tasks,
            a_change_must_follow_the_stored_version,
            an_intent_that_is_not_stored_cannot_change,
            receipts_form_one_chain,
            receipts_of_many_tasks_form_one_chain,
            an_untruthful_receipt_takes_the_whole_change_with_it,
            a_receipt_belongs_to_the_intent_that_changes,
            counters_follow_the_hold,
            unknown_values_are_counted,
            the_cap_is_reached_and_not_passed,
            the_cap_holds_among_many_tasks,
            a_lowered_cap_never_blocks_giving_back,
            amounts_beyond_counting_are_refused,
            sequences_start_at_the_floor_and_leave_no_gap,
            an_intent_keeps_its_sequence,
            a_sequence_is_freed_when_it_is_no_longer_occupied,
            a_sequence_number_never_has_two_owners,
            list_is_ordered_and_limited,
            a_call_that_nobody_waits_for_is_whole_or_not_at_all,
        }
    };
    ($make:expr; $($name:ident),* $(,)?) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            let (store, _guard) = $make;
            $crate::suite::$name(store).await;
        }
    )*};
}
pub(crate) use store_behaviour;

/// Inserts the `n`th intent.
pub(crate) async fn put(store: &impl Store, n: u64) -> StoredIntent {
    let intent = intent(n);
    store
        .insert(&intent, prepared_draft(&intent))
        .await
        .unwrap();
    intent
}

pub(crate) async fn commit(store: &impl Store, next: &StoredIntent) -> CommitOutcome {
    commit_under(store, next, None).await
}

pub(crate) async fn commit_under(
    store: &impl Store,
    next: &StoredIntent,
    cap: Option<UsdMicros>,
) -> CommitOutcome {
    let commit = Commit {
        next,
        receipt: None,
        cap,
    };
    store.commit(commit).await.unwrap()
}

async fn commit_with(
    store: &impl Store,
    next: &StoredIntent,
    receipt: ReceiptDraft,
) -> Result<CommitOutcome, StoreError> {
    store
        .commit(Commit {
            next,
            receipt: Some(receipt),
            cap: None,
        })
        .await
}

pub(crate) fn is_committed(outcome: &CommitOutcome) -> bool {
    matches!(outcome, CommitOutcome::Committed { .. })
}

/// Every receipt, and that they are one whole chain in a legal order.
pub(crate) async fn verified_receipts(store: &impl Store) -> Vec<Receipt> {
    let receipts = store.receipts_after(None, usize::MAX).await.unwrap();
    let file: String = receipts.iter().map(Receipt::to_line).collect();
    let report = Verifier::new(Checks::full())
        .verify(file.as_bytes())
        .unwrap();
    assert_eq!(report.last, store.head().await.unwrap());
    assert_eq!(report.lines, receipts.len() as u64);
    receipts
}

/// The counters of today must be what the stored intents hold together.
pub(crate) async fn counters_match_the_holds(store: &impl Store) -> DaySpend {
    let mut expected = DaySpend::none(today());
    for intent in store.list(&ExecutionState::ALL, usize::MAX).await.unwrap() {
        match intent.progress.hold {
            Some(Hold { usd: None, .. }) => expected.unknown += 1,
            Some(Hold {
                usd: Some(usd),
                status: HoldStatus::Committed,
                ..
            }) => expected.committed = expected.committed.checked_add(usd).unwrap(),
            Some(Hold { usd: Some(usd), .. }) => {
                expected.reserved = expected.reserved.checked_add(usd).unwrap();
            }
            None => {}
        }
    }
    let spent = store.spent(today()).await.unwrap();
    assert_eq!(spent, expected);
    spent
}
