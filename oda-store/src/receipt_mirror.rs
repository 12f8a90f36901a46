//! The receipts log as the mirror of a store.

use oda_core::ReceiptLog;
use oda_receipts::{JsonlLog, Link, Receipt};

/// A [`JsonlLog`] that is written from the committed rows of a store.
///
/// It never leads the store: the engine appends a receipt here after the store has it, and whatever a crash
/// kept from the log is appended by the next call that syncs it. Two histories are never mixed: a receipt
/// that does not follow the log's end is refused.
///
/// ```
/// use oda_core::ReceiptLog;
/// use oda_receipts::JsonlLog;
/// use oda_store::ReceiptMirror;
///
/// # let place = tempfile::tempdir()?;
/// let (log, repair) = JsonlLog::open(place.path().join("receipts.jsonl"))?;
/// let mirror = ReceiptMirror::new(log);
/// assert_eq!((mirror.tail()?, repair), (None, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ReceiptMirror {
    log: JsonlLog,
}

impl ReceiptMirror {
    /// The mirror in this log. The log must be fed by nothing else.
    #[must_use]
    pub const fn new(log: JsonlLog) -> Self {
        Self { log }
    }
}

impl ReceiptLog for ReceiptMirror {
    /// What other processes appended is read first: one installation has several engines.
    fn tail(&self) -> Result<Option<Link>, String> {
        self.log.refresh().map_err(|error| error.to_string())
    }

    fn append(&self, receipts: &[Receipt]) -> Result<(), String> {
        let mirrored = self.log.append_sealed(receipts);
        for repair in self.log.take_repairs() {
            tracing::warn!(?repair, "the receipts log was repaired");
        }
        mirrored.map(drop).map_err(|error| error.to_string())
    }
}
