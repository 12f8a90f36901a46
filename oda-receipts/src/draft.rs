//! A receipt before it has a place in a chain.

use oda_canon::Digest;
use serde_json::Value;

use crate::error::ReceiptError;
use crate::mandate::Mandate;
use crate::refusal::PolicyOutcome;
use crate::rules;
use crate::status::Status;

/// Everything a receipt says, before [`Receipt::seal`](crate::Receipt::seal) gives it a place in
/// a chain (ODA draft 0, section 7).
///
/// `simulation`, `fee_disclosure` and `tx_hash` are always written, as `null` when absent here.
/// `safe_tx_hash`, `signature` and `typed_data_signature` are left out when absent, never `null`.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceiptDraft {
    /// The intent: `si_` and 43 characters of base64url.
    pub intent_id: String,
    /// The action's ODA id, two or more dotted segments such as `token.transfer`.
    pub action: String,
    /// The payload's chain name, or for an x402 payment its network (`eip155:8453`). Not empty.
    pub chain: String,
    /// Digest of the parameters, the payload and its value, as bound by the intent id.
    pub params_digest: Digest,
    /// The verdict in force at this state change.
    pub policy: PolicyOutcome,
    /// The simulation result, a JSON object, or absent when the payload kind has none.
    pub simulation: Option<Value>,
    /// What the venue said about its fee, a JSON object, or absent when no venue is involved.
    pub fee_disclosure: Option<Value>,
    /// The EVM transaction hash, once something was handed over. Not empty.
    pub tx_hash: Option<String>,
    /// The state change.
    pub status: Status,
    /// When it happened: a real instant in UTC such as `2026-09-26T12:00:00.000Z`.
    pub created_at: String,
    /// Under which authority. Its `intent_id` and `action` are those of this draft.
    pub mandate: Mandate,
    /// The hash under which a Safe proposal was filed: `0x` and 64 hex digits. Not a
    /// transaction hash.
    pub safe_tx_hash: Option<String>,
    /// The Solana transaction signature, 86 to 88 base58 characters.
    pub signature: Option<String>,
    /// The signature over typed data that was not submitted anywhere: `0x` and 128 (EIP-2098)
    /// or 130 hex digits.
    pub typed_data_signature: Option<String>,
}

impl ReceiptDraft {
    /// Checks what a writer has to meet: the shape that every reader demands, and what readers
    /// let pass but a truthful writer never writes.
    ///
    /// Beyond the shape: the mandate names the draft's own intent and action, `policy.ok` is
    /// true exactly when there are no refusals, and both times are real instants.
    ///
    /// # Errors
    ///
    /// [`ReceiptError::Draft`] naming the first field that breaks a rule.
    pub fn check(&self) -> Result<(), ReceiptError> {
        self.check_shape()?;
        self.check_truth()
    }

    fn check_shape(&self) -> Result<(), ReceiptError> {
        let is_object_or_absent = |v: &Option<Value>| v.as_ref().is_none_or(Value::is_object);
        let fits = |v: &Option<String>, rule: fn(&[u8]) -> bool| {
            v.as_ref().is_none_or(|text| rule(text.as_bytes()))
        };
        let checks: [(&'static str, bool, &'static str); 9] = [
            (
                "intent_id",
                rules::is_intent_id(self.intent_id.as_bytes()),
                "must be si_ and 43 base64url characters",
            ),
            (
                "action",
                rules::is_action_id(self.action.as_bytes()),
                "must be an ODA id such as token.transfer",
            ),
            ("chain", !self.chain.is_empty(), "must not be empty"),
            (
                "simulation",
                is_object_or_absent(&self.simulation),
                "must be a JSON object or absent",
            ),
            (
                "fee_disclosure",
                is_object_or_absent(&self.fee_disclosure),
                "must be a JSON object or absent",
            ),
            (
                "tx_hash",
                self.tx_hash.as_ref().is_none_or(|hash| !hash.is_empty()),
                "must not be empty when present",
            ),
            (
                "safe_tx_hash",
                fits(&self.safe_tx_hash, rules::is_safe_tx_hash),
                "must be 0x and 64 hex digits",
            ),
            (
                "signature",
                fits(&self.signature, rules::is_solana_signature),
                "must be 86 to 88 base58 characters",
            ),
            (
                "typed_data_signature",
                fits(&self.typed_data_signature, rules::is_typed_data_signature),
                "must be 0x and 128 or 130 hex digits",
            ),
        ];
        first_broken(&checks)
    }

    fn check_truth(&self) -> Result<(), ReceiptError> {
        const INSTANT: &str = "must be a real instant in UTC such as 2026-09-26T12:00:00.000Z";
        first_broken(&[
            (
                "created_at",
                rules::is_real_instant(self.created_at.as_bytes()),
                INSTANT,
            ),
            (
                "mandate.expires_at",
                rules::is_real_instant(self.mandate.expires_at.as_bytes()),
                INSTANT,
            ),
            (
                "mandate.intent_id",
                self.mandate.intent_id == self.intent_id,
                "must equal the receipt's intent_id",
            ),
            (
                "mandate.action",
                self.mandate.action == self.action,
                "must equal the receipt's action",
            ),
            (
                "policy.ok",
                self.policy.ok == self.policy.refusals.is_empty(),
                "must be true exactly when there are no refusals",
            ),
        ])
    }
}

fn first_broken(checks: &[(&'static str, bool, &'static str)]) -> Result<(), ReceiptError> {
    match checks.iter().find(|(_, holds, _)| !holds) {
        None => Ok(()),
        Some((field, _, rule)) => Err(ReceiptError::Draft { field, rule }),
    }
}
