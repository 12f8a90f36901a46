//! What can go wrong with receipts.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use oda_canon::CanonError;

use crate::receipt::Link;
use crate::shape::FieldError;
use crate::verify::Fault;

/// Every error of this crate.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ReceiptError {
    /// A draft that no truthful writer seals. Code `receipt_draft`.
    #[error("receipt field {field} {rule}")]
    Draft {
        /// The field, such as `tx_hash` or `mandate.action`.
        field: &'static str,
        /// The rule it breaks.
        rule: &'static str,
    },
    /// Text that is not one of the words a field allows. Code `receipt_word`.
    #[error("{field} must be one of: {allowed}")]
    UnknownWord {
        /// The field.
        field: &'static str,
        /// The words allowed.
        allowed: &'static str,
    },
    /// A value has no canonical form, or a text is not strict JSON. Code `receipt_json`.
    #[error("receipt: {0}")]
    Json(#[from] CanonError),
    /// A value is not a receipt. Code `receipt_shape`.
    #[error("not a receipt of sato.receipt/v1: {}", list(.0))]
    Shape(Vec<FieldError>),
    /// A receipt does not hash to its own `hash`. Code `receipt_hash`.
    #[error("the receipt's hash does not match its content; it was changed after it was sealed")]
    Hash,
    /// A receipt line would be longer than readers accept. Code `receipt_too_large`.
    #[error("the receipt is {bytes} bytes long; a line may have at most {limit}")]
    TooLarge {
        /// Its length.
        bytes: usize,
        /// [`MAX_LINE_BYTES`](crate::MAX_LINE_BYTES).
        limit: usize,
    },
    /// The chain is as long as a sequence number can count. Code `receipt_sequence_exhausted`.
    #[error("the chain has used every sequence number up to 2^53 - 1; start a new log")]
    SequenceExhausted,
    /// A chain is not whole. Code `receipts_broken`.
    #[error("{0}")]
    Broken(Box<Fault>),
    /// The receipts could not be read. Code `receipts_read`.
    #[error("the receipts could not be read: {0}")]
    Read(#[source] Arc<io::Error>),
    /// Receipts of another chain, or of another branch of this one. Code `receipts_fork`.
    #[error(
        "receipt {} does not belong to this log: at its place the log ends with {}; \
         the two are different chains", offered.seq, tail.hash
    )]
    Fork {
        /// The end of the log.
        tail: Link,
        /// The receipt that contradicts it.
        offered: Link,
    },
    /// Receipts are missing between the log and what was offered. Code `receipts_gap`.
    #[error("receipt {offered} does not follow: the next one of this log is {expected}")]
    Gap {
        /// The sequence number that would follow.
        expected: u64,
        /// The one that was offered.
        offered: u64,
    },
    /// A file that is not a receipts log. It was left as it is. Code `log_not_a_log`.
    #[error("{}: not a receipts log ({reason}); nothing was changed", path.display())]
    NotALog {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The last complete line of a log is not whole, so nothing may be appended.
    /// Code `log_tail_corrupt`.
    #[error(
        "{}: the last line, at byte {offset}, is not a whole receipt ({reason}); \
         verify the log and restore it before appending", path.display()
    )]
    CorruptTail {
        /// The log.
        path: PathBuf,
        /// Where the bad line starts, in bytes.
        offset: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The log's file was moved, replaced or deleted under us. Code `log_replaced`.
    #[error("{}: the file was moved, replaced or deleted while it was open; open the log again", path.display())]
    Replaced {
        /// The log.
        path: PathBuf,
    },
    /// The log became shorter while it was open. Code `log_truncated`.
    #[error("{}: the file is {length} bytes long and had {expected}; receipts were cut off", path.display())]
    Truncated {
        /// The log.
        path: PathBuf,
        /// Its length now.
        length: u64,
        /// The length it had.
        expected: u64,
    },
    /// An operation on the log's file failed and nothing was acknowledged. What a failed write
    /// left was cut off again; if that failed too, the next append says `Poisoned`.
    /// Code `log_io`.
    #[error("{}: {operation} failed: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done.
        operation: &'static str,
        /// The system's answer.
        source: Arc<io::Error>,
    },
    /// An earlier failure left the file in an unknown state; this handle appends no more.
    /// Code `log_poisoned`.
    #[error("{}: no more appends after: {reason}; open the log again", path.display())]
    Poisoned {
        /// The log.
        path: PathBuf,
        /// The failure.
        reason: String,
    },
}

impl ReceiptError {
    /// A stable code for programs: it never changes for a given variant.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Draft { .. } => "receipt_draft",
            Self::UnknownWord { .. } => "receipt_word",
            Self::Json(_) => "receipt_json",
            Self::Shape(_) => "receipt_shape",
            Self::Hash => "receipt_hash",
            Self::TooLarge { .. } => "receipt_too_large",
            Self::SequenceExhausted => "receipt_sequence_exhausted",
            Self::Broken(_) => "receipts_broken",
            Self::Read(_) => "receipts_read",
            Self::Fork { .. } => "receipts_fork",
            Self::Gap { .. } => "receipts_gap",
            Self::NotALog { .. } => "log_not_a_log",
            Self::CorruptTail { .. } => "log_tail_corrupt",
            Self::Replaced { .. } => "log_replaced",
            Self::Truncated { .. } => "log_truncated",
            Self::Io { .. } => "log_io",
            Self::Poisoned { .. } => "log_poisoned",
        }
    }
}

fn list(errors: &[FieldError]) -> String {
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    texts.join("; ")
}
