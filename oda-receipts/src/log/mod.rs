//! The crash-safe log file.

mod follow;
mod group;
mod storage;
mod tail;
mod writer;

#[cfg(test)]
mod faults;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use follow::Follower;
pub use tail::Repair;
pub use writer::Mirrored;

use crate::draft::ReceiptDraft;
use crate::error::ReceiptError;
use crate::receipt::{Link, Receipt};
use crate::seal::Unsealed;
use group::Group;
use storage::LogFile;
use tail::io_error;
use writer::{Done, Mirror, Work, Writer};

/// A receipts log in a file, one JSON line per receipt.
///
/// # What it promises
///
/// - **Durable.** When an append returns `Ok`, the line is on the disk (`fdatasync`), and so is
///   the file's directory entry. When it returns an error, the receipt is not in the log, with
///   one exception: after a power cut or a kill in the middle of an append, the caller never
///   heard an answer and the line may be there.
/// - **One chain.** Several threads and processes may append to one file: each batch is written
///   under an exclusive `flock` on the file, after reading what others appended. The system
///   frees the lock when a process dies. All of them have to use this crate, on a local file
///   system.
/// - **Constant cost.** The end of the log is kept in memory. An append reads only what others
///   wrote since, and threads that append at the same time share one sync.
/// - **Repaired, with a note.** A line that a crash cut short is moved to a file beside the log
///   (`<log>.torn-<offset>`), and a whole last line without its line feed gets it; see
///   [`Repair`]. Any other damage at the end is an error, and nothing is changed.
/// - **Never worse than before.** A failed write is cut off again. When that, or a sync, fails,
///   the handle refuses further appends ([`ReceiptError::Poisoned`]) until it is opened again.
///
/// What it does not do: opening looks at the last two lines only. To know that the whole file
/// is intact, run a [`Verifier`](crate::Verifier) over it. State order is not enforced here
/// either: that is the engine's business, and the verifier's.
///
/// A new file has mode 0600. The mode of an existing file is left as it is: whoever widened it
/// for an auditor meant to.
///
/// Appending blocks the thread for a disk sync. From async code, call it in a blocking task.
///
/// ```
/// # use oda_receipts::*;
/// # fn draft() -> ReceiptDraft {
/// #     let intent_id = format!("si_{}", "A".repeat(43));
/// #     ReceiptDraft {
/// #         intent_id: intent_id.clone(), action: "token.transfer".into(), chain: "base".into(),
/// #         params_digest: oda_canon::Digest::ZERO, policy: PolicyOutcome::allowed(),
/// #         simulation: None, fee_disclosure: None, tx_hash: None, status: Status::Prepared,
/// #         created_at: "2026-09-26T12:00:00.000Z".into(),
/// #         mandate: Mandate { kind: MandateKind::Intent, intent_id, action: "token.transfer".into(),
/// #             policy_digest: oda_canon::Digest::ZERO,
/// #             expires_at: "2026-09-26T12:05:00.000Z".into(), approval: Approval::None },
/// #         safe_tx_hash: None, signature: None, typed_data_signature: None,
/// #     }
/// # }
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("receipts.jsonl");
/// let (log, repair) = JsonlLog::open(&path)?;
/// assert_eq!(repair, None);
/// let receipt = log.append(draft())?;
///
/// let report = Verifier::new(Checks::exact()).verify(std::fs::File::open(&path)?)?;
/// assert_eq!(report.last, Some(receipt.link()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct JsonlLog {
    group: Arc<Group>,
    path: PathBuf,
}

impl JsonlLog {
    /// Opens a log, creating the file when it is missing (not its directory), and repairs a torn
    /// end. The repair, if there was one, is for the operator to see.
    ///
    /// # Errors
    ///
    /// [`ReceiptError::Io`]; [`ReceiptError::CorruptTail`] and [`ReceiptError::NotALog`] for a
    /// file whose end is not that of a log, which is left as it is.
    pub fn open(path: impl AsRef<Path>) -> Result<(Self, Option<Repair>), ReceiptError> {
        let path = path.as_ref();
        let file = LogFile::open(path).map_err(|e| io_error(path, "open", e))?;
        let mut writer = Writer::open(Box::new(file), path.to_owned())?;
        let repair = writer.take_repairs().pop();
        let log = Self {
            group: Arc::new(Group::new(writer)),
            path: path.to_owned(),
        };
        Ok((log, repair))
    }

    /// The log's file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Seals a draft at the end of the log. `Ok` means that the line is on the disk.
    ///
    /// # Errors
    ///
    /// What [`Receipt::seal`] refuses, before anything is written; then the errors of the file:
    /// [`ReceiptError::Io`], [`ReceiptError::Poisoned`], [`ReceiptError::Replaced`],
    /// [`ReceiptError::Truncated`], [`ReceiptError::CorruptTail`]. The receipt is then not in
    /// the log.
    pub fn append(&self, draft: ReceiptDraft) -> Result<Receipt, ReceiptError> {
        let unsealed = Unsealed::new(draft)?;
        match self.group.submit(Work::Seal(Box::new(unsealed)))? {
            Done::Sealed(unsealed, seal) => Ok(unsealed.into_receipt(seal)),
            Done::Mirrored(_) => Err(self.crossed_answers()),
        }
    }

    /// Takes over receipts that were sealed elsewhere: the log is then the mirror of a database,
    /// and catches up after a crash by being given the rows again.
    ///
    /// The receipts are a piece of one chain, in order. Those at or below the end of the log are
    /// skipped; the one that is the log's last must have the same hash. The rest must follow.
    /// Nothing is written when one of them does not. `Ok` means that all of them are on the disk.
    ///
    /// A log is fed by [`JsonlLog::append`] or by this, not both.
    ///
    /// # Errors
    ///
    /// [`ReceiptError::Gap`] when a receipt is missing, [`ReceiptError::Fork`] when the log holds
    /// another chain, and the errors of the file as in [`JsonlLog::append`].
    pub fn append_sealed(&self, receipts: &[Receipt]) -> Result<Mirrored, ReceiptError> {
        let mirror = Mirror::new(receipts)?;
        match self.group.submit(Work::Mirror(mirror))? {
            Done::Mirrored(mirrored) => Ok(mirrored),
            Done::Sealed(..) => Err(self.crossed_answers()),
        }
    }

    /// The last receipt's place as this handle knows it; others may have appended since.
    #[must_use]
    pub fn last(&self) -> Option<Link> {
        self.group.writer().tail()
    }

    /// Reads what others appended, and gives the last receipt's place.
    ///
    /// # Errors
    ///
    /// The errors of the file, as in [`JsonlLog::append`].
    pub fn refresh(&self) -> Result<Option<Link>, ReceiptError> {
        self.group.writer().refresh()
    }

    /// Repairs made since the log was opened, when another process died in the middle of a
    /// write. Each is given once, for the operator to see.
    #[must_use]
    pub fn take_repairs(&self) -> Vec<Repair> {
        self.group.writer().take_repairs()
    }

    fn crossed_answers(&self) -> ReceiptError {
        ReceiptError::Poisoned {
            path: self.path.clone(),
            reason: "a batch gave its answers in another order".into(),
        }
    }
}
