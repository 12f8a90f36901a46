//! One kind of unsigned payload, and what the engine has to know of it.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Network;

/// An unsigned payload of one kind, such as `evm_tx` (ODA draft 0, section 6).
///
/// The serialised form is what is hashed, stored, shown and signed, so it must contain a `kind` member
/// equal to [`Payload::KIND`] and nothing that the signer does not honour. A payload never carries a
/// signature. Reading one back must refuse unknown keys.
pub trait Payload:
    Serialize + DeserializeOwned + Clone + fmt::Debug + Send + Sync + 'static
{
    /// The `kind` member, such as `evm_tx`.
    const KIND: &'static str;

    /// Which receipt member carries the chain's id of a payload of this kind.
    const RECEIPT_ID: ReceiptId;

    /// What a chain fixes at the moment of signing and the payload leaves open, such as nonce and fees.
    type Terms: Serialize + DeserializeOwned + Clone + fmt::Debug + Send + Sync + 'static;

    /// The chain's name as receipts carry it, such as `base-sepolia`.
    fn chain(&self) -> &str;

    /// Whether real money is at stake. Derived from the chain's own id, never from the policy.
    fn network(&self) -> Network;

    /// Checks every field and the fields against each other.
    ///
    /// Called before a payload enters the engine and again before it is signed.
    ///
    /// # Errors
    ///
    /// [`PayloadError`], naming the field and the rule.
    fn validate(&self) -> Result<(), PayloadError>;

    /// Whether it must be simulated, or why no simulation applies.
    fn simulation(&self) -> SimulationNeed;
}

/// Whether a payload has to be simulated before it may be signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimulationNeed {
    /// It moves funds by itself: without a successful simulation it is refused.
    Required,
    /// Signing it has no on-chain effect by itself. The reason is added to the summary.
    NotApplicable {
        /// One sentence, such as "Signing this has no on-chain effect by itself, so it is not simulated."
        reason: &'static str,
    },
}

/// Which member of a receipt carries the id that the chain knows an executed payload by
/// (ODA draft 0, section 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReceiptId {
    /// `tx_hash`: an EVM transaction hash and nothing else.
    TxHash,
    /// `signature`: the base58 signature of a Solana transaction.
    Signature,
    /// `safe_tx_hash`: the hash of a Safe proposal, which is not an on-chain transaction.
    SafeTxHash,
    /// `typed_data_signature`: a signature that was returned instead of sent.
    TypedDataSignature,
}

/// A payload breaks a rule of its kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("payload field `{field}`: {rule}")]
pub struct PayloadError {
    /// The field, dotted when nested, such as `evm_tx.to`.
    pub field: String,
    /// The rule that it breaks, and what was found where that helps.
    pub rule: String,
}

impl PayloadError {
    /// An error about one field.
    pub fn new(field: impl Into<String>, rule: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            rule: rule.into(),
        }
    }
}
