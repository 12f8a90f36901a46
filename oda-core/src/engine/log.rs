//! Mirroring the committed receipts into a log.

use std::fmt;

use oda_receipts::{Link, Receipt};

use super::Engine;
use crate::crash_point::crash_point;
use crate::error::EngineError;

/// How many receipts are copied into the log at once.
const BATCH: usize = 256;

/// A log that receipts are mirrored into after they were committed to the store.
///
/// It may lag behind the store; it never leads. [`oda_receipts::JsonlLog`] is one.
pub trait ReceiptLog: Send + Sync + fmt::Debug {
    /// The last receipt in the log.
    ///
    /// # Errors
    ///
    /// When the log cannot be read. The text says why.
    fn tail(&self) -> Result<Option<Link>, String>;

    /// Appends receipts that are already sealed, in order and durably. Those that the log has are skipped.
    ///
    /// # Errors
    ///
    /// When the log cannot be written, or would fork. The text says why.
    fn append(&self, receipts: &[Receipt]) -> Result<(), String>;
}

impl Engine {
    /// Brings the receipts log up to date with the store.
    ///
    /// # Errors
    ///
    /// [`EngineError::Log`] when the log cannot be read or written, when it forks from the store, or when it
    /// tells of receipts that the store does not have: then the store is an older copy, or another one.
    pub async fn sync_log(&self) -> Result<(), EngineError> {
        let Some(log) = &self.log else { return Ok(()) };
        let failed = |reason: String| EngineError::Log { reason };
        loop {
            let tail = log.tail().map_err(failed)?;
            let head = self.store.head().await?;
            check_not_ahead(tail, head).map_err(failed)?;
            let batch = self
                .store
                .receipts_after(tail.map(|link| link.seq), BATCH)
                .await?;
            if batch.is_empty() {
                return Ok(());
            }
            crash_point("before-log-append");
            log.append(&batch).map_err(failed)?;
            crash_point("after-log-append");
        }
    }

    /// After a step that is already durable: a log that cannot follow is reported, not an error.
    pub(super) async fn follow_log(&self) -> Option<String> {
        let error = self.sync_log().await.err()?;
        tracing::warn!(%error, "the receipts log is behind the store");
        Some(error.to_string())
    }
}

fn check_not_ahead(tail: Option<Link>, head: Option<Link>) -> Result<(), String> {
    let Some(tail) = tail else { return Ok(()) };
    match head {
        Some(head) if head.seq > tail.seq => Ok(()),
        Some(head) if head.seq == tail.seq && head.hash == tail.hash => Ok(()),
        Some(head) if head.seq == tail.seq => Err(format!(
            "receipt {} is {} in the log and {} in the store: they are two different histories",
            tail.seq, tail.hash, head.hash
        )),
        head => Err(format!(
            "the log ends at receipt {} and the store at {}: the store is an older copy or another one",
            tail.seq,
            head.map_or_else(|| "none".to_owned(), |head| head.seq.to_string()),
        )),
    }
}
