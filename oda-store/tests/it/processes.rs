//! Several processes on one store, and processes that are killed.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

use oda_core::{ExecutionState, HoldStatus, Store};
use oda_store::SqliteStore;

use crate::child::{HOLD, HOLDS_EACH, LOST, Part, Running, WON, gate, notes};
use crate::fixtures::{id, reserved, today, usd};
use crate::suite::{counters_match_the_holds, put, verified_receipts};

const PROCESSES: u64 = 10;

struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    fn store(&self) -> PathBuf {
        self.directory.path().join("store.db")
    }

    fn open(&self) -> SqliteStore {
        SqliteStore::open(self.store()).unwrap()
    }

    fn race(&self, part: Part) -> Vec<i32> {
        let mut children: Vec<Running> = (0..PROCESSES)
            .map(|number| part.start(&self.store(), number))
            .collect();
        fs::write(gate(&self.store()), "").unwrap();
        children
            .iter_mut()
            .map(|child| child.exit_code().unwrap())
            .collect()
    }
}

#[tokio::test]
async fn ten_processes_create_one_store() {
    let place = Place::new();
    let codes = place.race(Part::Insert);
    assert_eq!(codes, [WON; 10]);
    let store = place.open();
    assert_eq!(verified_receipts(&store).await.len(), 10);
    for n in 0..PROCESSES {
        assert!(store.get(&id(n)).await.unwrap().is_some());
    }
    store.check().await.unwrap();
    drop(store);
    let drafts: Vec<_> = fs::read_dir(place.directory.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('.'))
        .collect();
    assert!(drafts.is_empty(), "{drafts:?}");
}

#[tokio::test]
async fn of_ten_processes_one_claims() {
    let place = Place::new();
    let store = place.open();
    put(&store, 0).await;
    let codes = place.race(Part::Claim);
    let winner = codes.iter().position(|code| *code == WON).unwrap();
    assert_eq!(
        codes.iter().filter(|code| **code == LOST).count(),
        9,
        "{codes:?}"
    );
    let stored = store.get(&id(0)).await.unwrap().unwrap();
    assert_eq!(stored.progress.version, 1);
    assert_eq!(stored.progress.hold, Some(reserved(winner as u64)));
    assert_eq!(
        store.spent(today()).await.unwrap().reserved,
        usd(winner as u64)
    );
}

#[tokio::test]
async fn ten_processes_fill_the_cap_and_never_pass_it() {
    let wanted = PROCESSES * HOLDS_EACH * HOLD;
    // The first cap is a multiple of a hold and is met exactly, the second leaves a rest, the third is never met.
    for (cap, full) in [(150, 150), (100, 99), (wanted + 1, wanted)] {
        let place = Place::new();
        let store = place.open();
        fs::write(place.store().with_extension("cap"), cap.to_string()).unwrap();
        assert_eq!(place.race(Part::Hold), [WON; 10]);
        let spent = counters_match_the_holds(&store).await;
        assert_eq!(spent.reserved, usd(full), "cap {cap}");
        let held = store.list(&[ExecutionState::Claimed], usize::MAX).await;
        assert_eq!(held.unwrap().len() as u64, full / HOLD);
        verified_receipts(&store).await;
    }
}

#[tokio::test]
async fn a_killed_writer_leaves_whole_changes_and_loses_none_that_was_acknowledged() {
    let place = Place::new();
    let store = place.open();
    let mut acknowledged = HashSet::new();
    for round in 0..6_u64 {
        let before = store.head().await.unwrap().map_or(0, |head| head.seq);
        let mut writers: Vec<Running> = (0..3)
            .map(|n| Part::WriteForever.start(&place.store(), 3 * round + n))
            .collect();
        // Killed somewhere in the middle of its work, at another place each time.
        while store.head().await.unwrap().map_or(0, |head| head.seq) < before + 20 + 7 * round {
            assert!(writers.iter_mut().all(Running::is_running));
        }
        for (n, writer) in (0..).zip(&mut writers) {
            assert_eq!(writer.kill().code(), None, "ended by the signal");
            let notes = fs::read_to_string(notes(&place.store(), 3 * round + n)).unwrap();
            acknowledged.extend(notes.lines().map(|seq| seq.parse::<u64>().unwrap()));
        }
        let receipts = verified_receipts(&store).await;
        let written: HashSet<u64> = receipts.iter().map(oda_receipts::Receipt::seq).collect();
        assert!(acknowledged.is_subset(&written));
        let spent = counters_match_the_holds(&store).await;
        assert!(spent.reserved > usd(0));
        every_change_has_its_receipt(&store).await;
        store.check().await.unwrap();
        // A store opened from nothing sees the same, and works.
        let fresh = place.open();
        put(&fresh, round).await;
        assert_eq!(
            verified_receipts(&fresh).await.len(),
            receipts.len() + 1,
            "round {round}"
        );
    }
}

/// Version 0 has one receipt, the claim adds none, the last change adds one.
async fn every_change_has_its_receipt(store: &SqliteStore) {
    for intent in store.list(&ExecutionState::ALL, usize::MAX).await.unwrap() {
        let receipts = store.receipts_of(intent.id()).await.unwrap().len() as u64;
        let expected = match intent.progress.version {
            0 | 1 => 1,
            _ => 2,
        };
        assert_eq!(receipts, expected, "version {}", intent.progress.version);
        let held = intent.progress.hold.map(|hold| hold.status);
        let expected = (intent.progress.version > 0).then_some(HoldStatus::Reserved);
        assert_eq!(held, expected);
    }
}
