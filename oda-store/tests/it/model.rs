//! Any sequence of calls looks the same on the store in memory and on the one on disk.

use oda_core::{
    Commit, Day, ExecutionState, Hold, HoldStatus, MemoryStore, Sequence, Store, StoredIntent,
};
use oda_receipts::Status;
use oda_store::SqliteStore;
use proptest::prelude::*;

use crate::fixtures::{NOON, draft, id, intent, next, today, usd};

const INTENTS: u64 = 4;
const LANES: [&str; 2] = ["evm:1:0xa", "evm:1:0xb"];
const STATUSES: [Status; 5] = [
    Status::Prepared,
    Status::Refused,
    Status::Executed,
    Status::Failed,
    Status::Expired,
];

#[derive(Debug, Clone)]
enum Call {
    Insert {
        n: u64,
        truthful: bool,
    },
    Commit {
        n: u64,
        /// What is added to the stored version: 1 follows it.
        step: u64,
        state: usize,
        hold: Option<(u64, Option<u64>, u8)>,
        sequence: Option<(usize, u64)>,
        receipt: Option<usize>,
        truthful: bool,
        cap: Option<u64>,
    },
    Reserve {
        n: u64,
        lane: usize,
        floor: u64,
    },
    /// The store on disk is closed and opened again.
    Reopen,
}

fn call() -> impl Strategy<Value = Call> {
    let n = 0..INTENTS;
    let truthful = || prop::bool::weighted(0.9);
    let amount = prop_oneof![
        9 => (0_u64..60).prop_map(Some),
        2 => Just(None),
        1 => Just(Some(u64::MAX)),
    ];
    let hold = prop::option::of((0_u64..2, amount, 0_u8..3));
    let sequence = prop::option::of((0..LANES.len(), 0_u64..6));
    let commit = (
        (n.clone(), prop_oneof![1 => 0_u64..4, 4 => Just(1)]),
        0..ExecutionState::ALL.len(),
        (hold, sequence),
        (prop::option::of(0..STATUSES.len()), truthful()),
        prop::option::of(0_u64..100),
    )
        .prop_map(
            |((n, step), state, (hold, sequence), (receipt, truthful), cap)| Call::Commit {
                n,
                step,
                state,
                hold,
                sequence,
                receipt,
                truthful,
                cap,
            },
        );
    prop_oneof![
        3 => (n.clone(), truthful()).prop_map(|(n, truthful)| Call::Insert { n, truthful }),
        10 => commit,
        4 => (n, 0..LANES.len(), prop_oneof![9 => 0_u64..6, 1 => Just(u64::MAX)])
            .prop_map(|(n, lane, floor)| Call::Reserve { n, lane, floor }),
        1 => Just(Call::Reopen),
    ]
}

/// What a call did, as text: errors cannot be compared otherwise.
async fn outcome(store: &impl Store, call: &Call, stored: Option<&StoredIntent>) -> String {
    match call {
        Call::Insert { n, truthful } => {
            let intent = intent(*n);
            let mut receipt = draft(&intent, Status::Prepared);
            if !truthful {
                receipt.action.clear();
            }
            format!("{:?}", store.insert(&intent, receipt).await)
        }
        Call::Commit {
            n,
            receipt,
            truthful,
            cap,
            ..
        } => {
            let fresh = intent(*n);
            let moved = moved(stored.unwrap_or(&fresh), call);
            let receipt = receipt.map(|status| {
                let of = if *truthful { *n } else { INTENTS + 1 };
                draft(&intent(of), STATUSES[status])
            });
            let commit = Commit {
                next: &moved,
                receipt,
                cap: cap.map(usd),
            };
            format!("{:?}", store.commit(commit).await)
        }
        Call::Reserve { n, lane, floor } => {
            let taken = store.reserve_sequence(LANES[*lane], *floor, &id(*n)).await;
            // Why nothing is left may be told in other words.
            format!("{:?}", taken.map_err(|error| error.code()))
        }
        Call::Reopen => String::new(),
    }
}

fn moved(stored: &StoredIntent, call: &Call) -> StoredIntent {
    let Call::Commit {
        step,
        state,
        hold,
        sequence,
        ..
    } = call
    else {
        return stored.clone();
    };
    let mut moved = next(stored, |progress| {
        progress.state = ExecutionState::ALL[*state];
        progress.updated_at = NOON.plus_millis(progress.version % 3);
        progress.hold = hold.map(|(day, amount, status)| Hold {
            day: Day::from_number(today().number() + day),
            usd: amount.map(usd),
            status: [
                HoldStatus::Reserved,
                HoldStatus::Pinned,
                HoldStatus::Committed,
            ][usize::from(status)],
        });
        progress.sequence = sequence.map(|(lane, number)| Sequence {
            lane: LANES[lane].to_owned(),
            number,
        });
    });
    moved.progress.version = stored.progress.version + step;
    moved
}

/// Everything that can be seen of a store.
async fn seen(store: &impl Store) -> String {
    let mut seen = Vec::new();
    for n in 0..=INTENTS {
        seen.push(format!("{:?}", store.get(&id(n)).await));
        seen.push(format!("{:?}", store.receipts_of(&id(n)).await));
    }
    for day in 0..3 {
        let day = Day::from_number(today().number() + day);
        seen.push(format!("{:?}", store.spent(day).await));
    }
    seen.push(format!("{:?}", store.list(&ExecutionState::ALL, 3).await));
    let open = [ExecutionState::Claimed, ExecutionState::Uncertain];
    seen.push(format!("{:?}", store.list(&open, 99).await));
    seen.push(format!("{:?}", store.receipts_after(Some(1), 2).await));
    seen.push(format!("{:?}", store.receipts_after(None, 999).await));
    seen.push(format!("{:?}", store.head().await));
    seen.join("\n")
}

async fn same(calls: Vec<Call>) -> Result<(), TestCaseError> {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("store.db");
    let memory = MemoryStore::new();
    let mut disk = SqliteStore::open(&path).unwrap();
    for call in calls {
        if let Call::Reopen = call {
            drop(disk);
            disk = SqliteStore::open(&path).unwrap();
        }
        let stored = match &call {
            Call::Commit { n, .. } => memory.get(&id(*n)).await.unwrap(),
            _ => None,
        };
        let expected = outcome(&memory, &call, stored.as_ref()).await;
        let got = outcome(&disk, &call, stored.as_ref()).await;
        prop_assert_eq!(got, expected, "{:?}", call);
        prop_assert_eq!(seen(&disk).await, seen(&memory).await, "after {:?}", call);
    }
    let checked = disk.check().await;
    prop_assert!(checked.is_ok(), "{:?}", checked);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 32,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn both_stores_look_the_same(calls in prop::collection::vec(call(), 1..40)) {
        tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(same(calls))?;
    }
}
