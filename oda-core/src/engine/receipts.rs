//! Drafting receipts: the engine's states told in the five words of ODA draft 0, section 7.

use oda_canon::Digest;
use oda_receipts::{Approval, Mandate, MandateKind, ReceiptDraft, Status};

use super::Engine;
use crate::clock::UnixMillis;
use crate::error::EngineError;
use crate::payload::ReceiptId;
use crate::record::IntentRecord;
use crate::simulation::Simulation;
use crate::{PolicyOutcome, Refusal, RuleId};

/// What a receipt says beyond the record.
pub(super) struct Telling<'a> {
    pub(super) status: Status,
    pub(super) approval: Approval,
    pub(super) policy: PolicyOutcome,
    pub(super) policy_digest: Digest,
    pub(super) simulation: Option<&'a Simulation>,
    /// The chain's id and which member carries it.
    pub(super) transaction: Option<(ReceiptId, &'a str)>,
}

impl Engine {
    pub(super) fn draft(
        &self,
        record: &IntentRecord,
        telling: Telling<'_>,
    ) -> Result<ReceiptDraft, EngineError> {
        let intent = &record.intent;
        let carried = |member: ReceiptId| {
            telling
                .transaction
                .and_then(|(carries, id)| (carries == member).then(|| id.to_owned()))
        };
        Ok(ReceiptDraft {
            intent_id: intent.intent_id.to_string(),
            action: intent.action.clone(),
            chain: record.chain.clone(),
            params_digest: record.params_digest,
            policy: telling.policy,
            simulation: telling.simulation.map(to_value).transpose()?,
            fee_disclosure: intent.fee_disclosure.as_ref().map(to_value).transpose()?,
            tx_hash: carried(ReceiptId::TxHash),
            status: telling.status,
            created_at: self.now().to_string(),
            mandate: Mandate {
                kind: MandateKind::Intent,
                intent_id: intent.intent_id.to_string(),
                action: intent.action.clone(),
                policy_digest: telling.policy_digest,
                expires_at: intent.expires_at.clone(),
                approval: telling.approval,
            },
            safe_tx_hash: carried(ReceiptId::SafeTxHash),
            signature: carried(ReceiptId::Signature),
            typed_data_signature: carried(ReceiptId::TypedDataSignature),
        })
    }
}

fn to_value<T: serde::Serialize>(part: &T) -> Result<serde_json::Value, EngineError> {
    let bytes = oda_canon::to_vec(part)?;
    Ok(oda_canon::parse_strict(&bytes)?)
}

/// A person's no, as a refusal. The rule id is this project's own: the closed list has none for it.
pub(super) fn denial(reason: &str) -> Refusal {
    Refusal {
        rule: RuleId::HUMAN_APPROVAL.to_owned(),
        limit: "approved".to_owned(),
        observed: "denied".to_owned(),
        message: format!("human_approval asks for approved; a person denied it: {reason}"),
    }
}

/// The cap of the day is full at the moment of the claim.
pub(super) fn day_cap_refusal(cap: f64, observed: &str) -> Refusal {
    let cap = crate::number_text(cap);
    Refusal {
        rule: RuleId::MaxUsdPerDay.as_str().to_owned(),
        message: format!(
            "max_usd_per_day is {cap} USD; with what the day already holds this makes {observed} USD."
        ),
        limit: cap,
        observed: observed.to_owned(),
    }
}

/// Whole seconds between two instants.
pub(super) fn seconds_between(from: UnixMillis, to: UnixMillis) -> f64 {
    let millis = to.as_u64().saturating_sub(from.as_u64());
    // Instants end with the year 9999, far below 2^53 milliseconds: exact as a double.
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let seconds = millis as f64 / 1_000.0;
    seconds
}
