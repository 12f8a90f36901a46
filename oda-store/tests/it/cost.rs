//! What durability costs here, next to SQLite alone.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use oda_core::Store;
use oda_store::SqliteStore;
use rusqlite::Connection;

use crate::fixtures::{intent, prepared_draft};

const ROUNDS: u64 = 40;
const PER_ROUND: u64 = 20;
const WRITERS: u64 = 64;

/// Run with `cargo test --release -p oda-store --test it -- --ignored --nocapture durable_commit`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement, not a check"]
async fn durable_commit_next_to_bare_sqlite() {
    let place = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(place.path().join("store.db")).unwrap());
    let bare = bare(&place.path().join("bare.db"));
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    // Interleaved: the disk has good and bad minutes.
    for round in 0..ROUNDS {
        for n in 0..PER_ROUND {
            let intent = intent(round * PER_ROUND + n);
            let receipt = prepared_draft(&intent);
            let row = oda_canon::to_string(&intent).unwrap();
            let start = Instant::now();
            let receipt = store.insert(&intent, receipt).await.unwrap();
            ours.push(start.elapsed());
            let start = Instant::now();
            bare.prepare_cached("INSERT INTO bare VALUES (?1, ?2)")
                .unwrap()
                .execute([row.as_str(), receipt.as_json()])
                .unwrap();
            theirs.push(start.elapsed());
        }
    }
    let (ours, theirs) = (median(ours), median(theirs));
    println!("one writer: {ours:?}, bare insert of the same bytes: {theirs:?}");
    println!("ratio: {:.2}", ours.as_secs_f64() / theirs.as_secs_f64());

    let start = Instant::now();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let store = store.clone();
            tokio::spawn(async move {
                for n in 0..PER_ROUND {
                    let intent = intent(1_000_000 + writer * PER_ROUND + n);
                    store
                        .insert(&intent, prepared_draft(&intent))
                        .await
                        .unwrap();
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    let each = start.elapsed() / u32::try_from(WRITERS * PER_ROUND).unwrap();
    println!("{WRITERS} writers: {each:?} each, making of the intent included");
}

fn bare(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection
        .pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))
        .unwrap();
    connection
        .pragma_update(None, "synchronous", "FULL")
        .unwrap();
    connection
        .execute_batch("CREATE TABLE bare (intent TEXT, receipt TEXT)")
        .unwrap();
    connection
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
