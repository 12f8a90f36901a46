//! Hash-chained receipts: `sato.receipt/v1` of ODA draft 0, section 7.
//!
//! Every state change of an intent leaves one line of JSON. Each line carries a sequence number,
//! the hash of the line before it and its own hash, so that a changed, dropped, repeated or
//! reordered line is found. This crate seals such lines and verifies files of them.
//!
//! ```
//! use oda_canon::Digest;
//! use oda_receipts::{
//!     Approval, Mandate, MandateKind, PolicyOutcome, Receipt, ReceiptDraft, Status,
//! };
//!
//! let intent_id = format!("si_{}", "A".repeat(43));
//! let draft = ReceiptDraft {
//!     intent_id: intent_id.clone(),
//!     action: "token.transfer".into(),
//!     chain: "base".into(),
//!     params_digest: Digest::ZERO,
//!     policy: PolicyOutcome::allowed(),
//!     simulation: None,
//!     fee_disclosure: None,
//!     tx_hash: None,
//!     status: Status::Prepared,
//!     created_at: "2026-09-26T12:00:00.000Z".into(),
//!     mandate: Mandate {
//!         kind: MandateKind::Intent,
//!         intent_id,
//!         action: "token.transfer".into(),
//!         policy_digest: Digest::ZERO,
//!         expires_at: "2026-09-26T12:05:00.000Z".into(),
//!         approval: Approval::None,
//!     },
//!     safe_tx_hash: None,
//!     signature: None,
//!     typed_data_signature: None,
//! };
//! let first = Receipt::seal(draft, None)?;
//! assert_eq!(Receipt::from_line(first.to_line().as_bytes())?, first);
//!
//! let edited = first.to_line().replace("base", "polygon");
//! assert_eq!(Receipt::from_line(edited.as_bytes()).unwrap_err().code(), "receipt_hash");
//! # Ok::<(), oda_receipts::ReceiptError>(())
//! ```

#[cfg(test)]
extern crate self as oda_receipts;

mod draft;
mod error;
mod line;
mod log;
mod mandate;
mod number;
mod order;
mod receipt;
mod refusal;
mod rules;
mod scan;
mod seal;
mod shape;
mod status;
mod verify;

pub use draft::ReceiptDraft;
pub use error::ReceiptError;
pub use line::MAX_LINE_BYTES;
pub use log::{Follower, JsonlLog, Mirrored, Repair};
pub use mandate::{Approval, Mandate, MandateKind};
pub use order::{MAX_TRACKED_INTENTS, OrderFault};
pub use receipt::{Link, Receipt};
pub use refusal::{PolicyOutcome, Refusal};
pub use shape::{FieldError, validate_receipt};
pub use status::Status;
pub use verify::{Checks, Fault, FaultKind, Report, Verifier};

/// The schema name that every receipt carries.
pub const SCHEMA: &str = "sato.receipt/v1";

#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod common;
