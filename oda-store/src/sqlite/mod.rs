//! The embedded store: one SQLite file that several processes share.

mod batch;
mod check;
mod connection;
mod error;
mod read;
mod row;
mod schema;
mod worker;
mod write;

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use oda_core::{
    Commit, CommitOutcome, Day, DaySpend, ExecutionState, IntentId, Store, StoreError, StoredIntent,
};
use oda_receipts::{Link, Receipt, ReceiptDraft};

use connection::Pair;
use error::unavailable;
use row::IntentRow;
use worker::Worker;
use write::Change;

/// A [`Store`] in one SQLite file. Every process of one machine may open the same file.
///
/// - `Ok` from a change means that it is synced to disk (write-ahead log, `synchronous=FULL`).
/// - Changes are serialised over all processes by SQLite's write lock. A call waits up to ten seconds
///   for it, then fails with [`StoreError::Unavailable`] and has changed nothing.
/// - Changes that wait at the same time in one process share a transaction and a disk sync.
/// - Reads never wait for changes.
/// - A call whose future is dropped still runs to its end: wholly or not at all.
/// - No runtime is needed: the work is done on two threads of its own. Dropping the store waits for what
///   was begun.
///
/// The file and SQLite's two side files are readable for their owner only (mode 0600); a file that is open
/// to other users is refused. It belongs on a local disk: on network file systems the locks cannot be
/// relied on. It is closed to `fork`: open it anew in the child.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    // Dropped first: the last connection to close folds the write-ahead log into the file.
    reader: Worker,
    writer: Worker,
}

impl SqliteStore {
    /// Opens the store at `path`, and creates it when nothing is there. The directory must exist; see
    /// [`OdaHome`](crate::OdaHome). Blocks for some disk accesses.
    ///
    /// A file of an older schema version is migrated, in one transaction. There is no check of the whole
    /// file here, which would take longer the longer it was used: damage is reported by the call that
    /// meets it, and [`check`](Self::check) looks for it everywhere.
    ///
    /// # Errors
    ///
    /// [`StoreError::NewerSchema`] for a file of a newer program; [`StoreError::Corrupt`] for a file that is
    /// not a store, which is left as it is, or is damaged or empty; [`StoreError::Unavailable`] when the
    /// file cannot be created, read and written, belongs to or is open to other users, or is locked.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let Pair { writer, reader } = connection::open_pair(path)?;
        let starting = |error| unavailable("start its threads", error);
        Ok(Self {
            path: path.to_owned(),
            reader: Worker::reader(reader).map_err(starting)?,
            writer: Worker::writer(writer).map_err(starting)?,
        })
    }

    /// Where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the whole file and looks for damage: pages and indexes, every intent and receipt, the chain of
    /// the receipts, and whether the day counters are what the intents hold. Seals of intents are not
    /// verified: that takes the secret, which the engine has. Takes as long as the file is big; changes and
    /// other processes go on meanwhile, other reads through this store wait.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] with the first finding.
    pub async fn check(&self) -> Result<(), StoreError> {
        self.reader.call("check its file", check::check).await
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn insert(
        &self,
        intent: &StoredIntent,
        receipt: ReceiptDraft,
    ) -> Result<Receipt, StoreError> {
        let row = IntentRow::new(intent)?;
        self.writer
            .call("write an intent", move |connection| {
                write::insert(connection, &row, receipt)
            })
            .await
    }

    async fn get(&self, id: &IntentId) -> Result<Option<StoredIntent>, StoreError> {
        let id = id.clone();
        self.reader
            .call("read an intent", move |connection| {
                read::get(connection, &id)
            })
            .await
    }

    async fn commit(&self, commit: Commit<'_>) -> Result<CommitOutcome, StoreError> {
        let progress = &commit.next.progress;
        let change = Change {
            row: IntentRow::new(commit.next)?,
            onto: progress.version.checked_sub(1),
            hold: progress.hold,
            sequence: progress.sequence.clone(),
            receipt: commit.receipt,
            cap: commit.cap,
        };
        self.writer
            .call("write a state change", move |connection| {
                write::commit(connection, change)
            })
            .await
    }

    async fn reserve_sequence(
        &self,
        lane: &str,
        floor: u64,
        id: &IntentId,
    ) -> Result<u64, StoreError> {
        let (lane, id) = (lane.to_owned(), id.clone());
        self.writer
            .call("reserve a sequence number", move |connection| {
                write::reserve_sequence(connection, &lane, floor, &id)
            })
            .await
    }

    async fn spent(&self, day: Day) -> Result<DaySpend, StoreError> {
        self.reader
            .call("read a day's counters", move |connection| {
                read::spent(connection, day)
            })
            .await
    }

    async fn list(
        &self,
        states: &[ExecutionState],
        limit: usize,
    ) -> Result<Vec<StoredIntent>, StoreError> {
        let states = states.to_vec();
        self.reader
            .call("list intents", move |connection| {
                read::list(connection, &states, limit)
            })
            .await
    }

    async fn receipts_after(
        &self,
        seq: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Receipt>, StoreError> {
        self.reader
            .call("read receipts", move |connection| {
                read::receipts_after(connection, seq, limit)
            })
            .await
    }

    async fn receipts_of(&self, id: &IntentId) -> Result<Vec<Receipt>, StoreError> {
        let id = id.clone();
        self.reader
            .call("read receipts", move |connection| {
                read::receipts_of(connection, &id)
            })
            .await
    }

    async fn head(&self) -> Result<Option<Link>, StoreError> {
        self.reader.call("read the last receipt", read::head).await
    }
}

#[cfg(test)]
mod tests;
