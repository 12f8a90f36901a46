//! What a replay left behind, in the form of the file.

use oda_core::{EngineError, Execution, PreparedIntent, StoredIntent};
use oda_receipts::Receipt;
use serde_json::{Value, json};

use super::super::intents::class;
use super::scenario::REASON;

/// What stands for the free wording of a refusal.
const MESSAGE: &str = "<message>";

/// The result of a prepare step.
pub(super) fn prepared(intent: &PreparedIntent, summary: &str) -> Value {
    let rules: Vec<Value> = intent
        .policy
        .refusals
        .iter()
        .map(|refusal| json!([refusal.rule, refusal.limit, refusal.observed]))
        .collect();
    json!({
        "intent_id": intent.intent_id,
        "expires_at": intent.expires_at,
        "policy_ok": intent.policy.ok,
        "rules": rules,
        "simulation": intent.simulation,
        "summary_extended": intent.summary.len() > summary.len(),
    })
}

/// The result of an execute step.
pub(super) fn executed(execution: &Execution) -> Value {
    let Some(receipt) = &execution.receipt else {
        return json!({ "state": execution.state });
    };
    let draft = receipt.draft();
    let mut result = json!({
        "status": draft.status,
        "tx_hash": draft.tx_hash,
        "approval": draft.mandate.approval,
    });
    let optional = [
        ("safe_tx_hash", &draft.safe_tx_hash),
        ("signature", &draft.signature),
        ("typed_data_signature", &draft.typed_data_signature),
    ];
    for (member, id) in optional {
        if let Some(id) = id {
            result[member] = Value::String(id.clone());
        }
    }
    result
}

/// The result of a step that failed.
pub(super) fn failed(error: &EngineError) -> Value {
    json!({ "error": class(error.code()) })
}

/// A stored intent in the form of the reference's record.
pub(super) fn record(stored: &StoredIntent, summary: &str) -> Value {
    let record = &stored.record;
    let mut intent = json!(record.intent);
    if let Some(longer) = record.intent.summary.strip_prefix(summary)
        && !longer.is_empty()
    {
        intent["summary"] = Value::String(format!("{summary}{REASON}"));
    }
    without_wording(&mut intent["policy"]);
    json!({
        "intent": intent,
        "params": record.params,
        "params_digest": record.params_digest,
        "unsigned": record.intent.unsigned,
        "nonce": record.nonce,
        "expires_at_ms": record.expires_at.as_u64(),
    })
}

/// A receipt without its hashes, which cover the free wording.
pub(super) fn receipt(receipt: &Receipt) -> Value {
    let mut value = json!(receipt);
    if let Value::Object(members) = &mut value {
        members.remove("hash");
        members.remove("prev_hash");
    }
    without_wording(&mut value["policy"]);
    value
}

fn without_wording(policy: &mut Value) {
    let refusals = policy.get_mut("refusals").and_then(Value::as_array_mut);
    for refusal in refusals.into_iter().flatten() {
        refusal["message"] = Value::String(MESSAGE.to_owned());
    }
}
