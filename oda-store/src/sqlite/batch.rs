//! Group commit: what waits in the queue shares one transaction and one disk sync.

use std::sync::mpsc;

use oda_core::StoreError;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::error::{failed, unavailable};
use super::worker::Job;

/// The most jobs in one transaction. At some 50 µs each, other processes wait a few milliseconds at most.
const MAX_BATCH: usize = 64;

const WRITING: &str = "write a batch of changes";

/// Serves the queue until the store is dropped.
pub(super) fn write_all(connection: &Connection, queue: &mpsc::Receiver<Box<dyn Job>>) {
    while let Ok(first) = queue.recv() {
        let mut batch = vec![first];
        batch.extend(queue.try_iter().take(MAX_BATCH - 1));
        let lost = commit_together(connection, &mut batch).err();
        for job in batch {
            job.report(lost.as_ref());
        }
    }
}

/// One transaction around the whole batch, begun with the write lock so that it never has to give up half
/// way. A job that fails takes back its own changes only; when the transaction itself is lost, all are.
fn commit_together(connection: &Connection, batch: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
    let writing = failed(WRITING);
    let transaction =
        Transaction::new_unchecked(connection, TransactionBehavior::Immediate).map_err(&writing)?;
    for job in batch {
        step(&transaction, "SAVEPOINT job").map_err(&writing)?;
        let keep = job.run(&transaction);
        if transaction.is_autocommit() {
            // On a full disk and the like SQLite has already rolled everything back.
            return Err(unavailable(WRITING, "a change beside it failed; try again"));
        }
        if !keep {
            step(&transaction, "ROLLBACK TO job").map_err(&writing)?;
        }
        step(&transaction, "RELEASE job").map_err(&writing)?;
    }
    transaction.commit().map_err(&writing)
}

fn step(transaction: &Transaction<'_>, sql: &str) -> rusqlite::Result<()> {
    transaction.prepare_cached(sql)?.execute([]).map(|_| ())
}
