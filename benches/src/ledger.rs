//! Receipts of about 1 KiB, as swaps leave them.

use oda_receipts::{
    Approval, Mandate, MandateKind, PolicyOutcome, Receipt, ReceiptDraft, ReceiptError, Status,
};
use serde_json::json;

/// A draft of the intent with a number.
#[must_use]
pub fn draft(number: u64, status: Status) -> ReceiptDraft {
    let intent_id = format!("si_{number:0>43}");
    let action = "swap.prepare".to_owned();
    let executed = status == Status::Executed;
    ReceiptDraft {
        intent_id: intent_id.clone(),
        action: action.clone(),
        chain: "base".into(),
        params_digest: oda_canon::digest_bytes(&number.to_le_bytes()),
        policy: PolicyOutcome::allowed(),
        simulation: Some(json!({
            "ok": true, "method": "eth_call+eth_estimateGas", "block": "35000000",
            "gas_estimate": "200000", "error": null, "as_of": "2026-09-26T12:00:00.000Z",
        })),
        fee_disclosure: Some(json!({
            "venue": "lifi", "fee_bps": 25, "fee_recipient": null,
            "statement": "The venue takes 0.25 % of the amount sold.",
            "direct_quote_available": true,
        })),
        tx_hash: executed.then(|| format!("0x{number:0>64x}")),
        status,
        created_at: "2026-09-26T12:00:00.000Z".into(),
        mandate: Mandate {
            kind: MandateKind::Intent,
            intent_id,
            action,
            policy_digest: oda_canon::digest_bytes(b"policy"),
            expires_at: "2026-09-26T12:05:00.000Z".into(),
            approval: if executed {
                Approval::Policy
            } else {
                Approval::None
            },
        },
        safe_tx_hash: None,
        signature: None,
        typed_data_signature: None,
    }
}

/// A chain of receipts: each intent prepared, then executed.
///
/// # Errors
///
/// None for these drafts; what sealing reports otherwise.
pub fn chain(count: u64) -> Result<Vec<Receipt>, ReceiptError> {
    let mut receipts: Vec<Receipt> = Vec::new();
    for number in 0..count {
        let status = if number % 2 == 0 {
            Status::Prepared
        } else {
            Status::Executed
        };
        let last = receipts.last().map(Receipt::link);
        receipts.push(Receipt::seal(draft(number / 2, status), last)?);
    }
    Ok(receipts)
}
