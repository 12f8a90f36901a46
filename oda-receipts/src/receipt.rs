//! A sealed receipt.

use std::fmt;

use oda_canon::Digest;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::Value;

use crate::draft::ReceiptDraft;
use crate::error::ReceiptError;
use crate::line;
use crate::mandate::Mandate;
use crate::number::restore_doubles;
use crate::refusal::PolicyOutcome;
use crate::scan::Scope;
use crate::seal::Unsealed;
use crate::status::Status;

/// A place in a chain: the sequence number of a receipt and its hash.
///
/// Kept by an auditor, it is a checkpoint: a chain that no longer contains it was rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Link {
    /// The sequence number, counted from 0.
    pub seq: u64,
    /// The receipt's hash.
    pub hash: Digest,
}

/// One sealed line of a receipts chain, `sato.receipt/v1` (ODA draft 0, section 7).
///
/// A value of this type is whole: its shape is right and its hash matches its content. It is
/// made by [`Receipt::seal`] or read by [`Receipt::from_line`], and cannot be changed. Two
/// receipts are equal when their canonical lines are.
#[derive(Clone)]
pub struct Receipt {
    draft: ReceiptDraft,
    link: Link,
    prev_hash: Digest,
    /// Canonical JSON without a line end. Kept because a receipt read from elsewhere may have
    /// members below the root that the draft has no field for, and the hash covers them.
    line: Box<str>,
}

impl Receipt {
    /// Gives a draft its place after `prev` (`None`: the first of a chain) and its hash.
    ///
    /// `seq` is the previous one plus 1, or 0; `prev_hash` is the previous hash, or 64 zeros;
    /// `hash` is the SHA-256 of the canonical JSON of everything but `hash` itself (ODA
    /// draft 0, section 7).
    ///
    /// # Errors
    ///
    /// [`ReceiptError::Draft`] for a draft that breaks [`ReceiptDraft::check`],
    /// [`ReceiptError::Json`] when `simulation` or `fee_disclosure` has no canonical form,
    /// [`ReceiptError::TooLarge`] and [`ReceiptError::SequenceExhausted`].
    pub fn seal(draft: ReceiptDraft, prev: Option<Link>) -> Result<Self, ReceiptError> {
        Unsealed::new(draft)?.seal(prev)
    }

    /// Reads one line, with or without its line end and in any key order, and checks its shape
    /// and its hash. Whether it follows the line before it is for a
    /// [`Verifier`](crate::Verifier).
    ///
    /// # Errors
    ///
    /// [`ReceiptError::Json`] for text that is not strict JSON, [`ReceiptError::Shape`],
    /// [`ReceiptError::Hash`], and [`ReceiptError::TooLarge`].
    pub fn from_line(line: &[u8]) -> Result<Self, ReceiptError> {
        let read = line::read(line::without_end(line), Scope::Receipt, &mut Vec::new())?;
        if !read.hash_matches() {
            return Err(ReceiptError::Hash);
        }
        let canonical = read.into_canonical();
        let wire: line::Wire = oda_canon::parse_strict(canonical.as_bytes())?;
        Ok(wire.into_receipt(canonical))
    }

    pub(crate) fn from_parts(
        draft: ReceiptDraft,
        link: Link,
        prev_hash: Digest,
        line: Box<str>,
    ) -> Self {
        Self {
            draft,
            link,
            prev_hash,
            line,
        }
    }

    /// The line as this crate writes it: canonical JSON and a line feed.
    #[must_use]
    pub fn to_line(&self) -> String {
        let mut line = String::with_capacity(self.line.len() + 1);
        line.push_str(&self.line);
        line.push('\n');
        line
    }

    /// The canonical JSON of the whole receipt, without a line end.
    #[must_use]
    pub fn as_json(&self) -> &str {
        &self.line
    }

    /// The sequence number, counted from 0.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.link.seq
    }

    /// The hash of the receipt before this one; [`Digest::ZERO`] for the first.
    #[must_use]
    pub const fn prev_hash(&self) -> Digest {
        self.prev_hash
    }

    /// The receipt's own hash.
    #[must_use]
    pub const fn hash(&self) -> Digest {
        self.link.hash
    }

    /// Sequence number and hash: what the next receipt is sealed on.
    #[must_use]
    pub const fn link(&self) -> Link {
        self.link
    }

    /// What the receipt says.
    #[must_use]
    pub const fn draft(&self) -> &ReceiptDraft {
        &self.draft
    }

    /// What the receipt says, without the seal.
    #[must_use]
    pub fn into_draft(self) -> ReceiptDraft {
        self.draft
    }

    /// The intent.
    #[must_use]
    pub fn intent_id(&self) -> &str {
        &self.draft.intent_id
    }

    /// The action's ODA id.
    #[must_use]
    pub fn action(&self) -> &str {
        &self.draft.action
    }

    /// The chain or network name.
    #[must_use]
    pub fn chain(&self) -> &str {
        &self.draft.chain
    }

    /// Digest of parameters, payload and value.
    #[must_use]
    pub const fn params_digest(&self) -> Digest {
        self.draft.params_digest
    }

    /// The verdict.
    #[must_use]
    pub const fn policy(&self) -> &PolicyOutcome {
        &self.draft.policy
    }

    /// The simulation, a JSON object.
    #[must_use]
    pub const fn simulation(&self) -> Option<&Value> {
        self.draft.simulation.as_ref()
    }

    /// The fee disclosure, a JSON object.
    #[must_use]
    pub const fn fee_disclosure(&self) -> Option<&Value> {
        self.draft.fee_disclosure.as_ref()
    }

    /// The EVM transaction hash.
    #[must_use]
    pub fn tx_hash(&self) -> Option<&str> {
        self.draft.tx_hash.as_deref()
    }

    /// The state change.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.draft.status
    }

    /// When it happened, as written.
    #[must_use]
    pub fn created_at(&self) -> &str {
        &self.draft.created_at
    }

    /// The mandate.
    #[must_use]
    pub const fn mandate(&self) -> &Mandate {
        &self.draft.mandate
    }
}

impl PartialEq for Receipt {
    fn eq(&self, other: &Self) -> bool {
        self.line == other.line
    }
}

impl Eq for Receipt {}

impl fmt::Debug for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Receipt").field(&self.line).finish()
    }
}

impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line)
    }
}

/// Writes every member, also those below the root that this crate has no field for.
impl Serialize for Receipt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut value: Value = serde_json::from_str(&self.line).map_err(ser::Error::custom)?;
        restore_doubles(&mut value);
        value.serialize(serializer)
    }
}

/// Reads and checks shape and hash, as [`Receipt::from_line`] does.
impl<'de> Deserialize<'de> for Receipt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::try_from(&value).map_err(de::Error::custom)
    }
}

impl TryFrom<&Value> for Receipt {
    type Error = ReceiptError;

    fn try_from(value: &Value) -> Result<Self, ReceiptError> {
        let mut value = value.clone();
        restore_doubles(&mut value);
        Self::from_line(&oda_canon::to_vec(&value)?)
    }
}
