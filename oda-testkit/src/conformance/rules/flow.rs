//! Where whole stories end differently.

use serde_json::{Value, json};

use super::Place;
use crate::conformance::case::Case;

/// The engine simulates again at execute, right before it signs.
pub(super) fn fresh_simulation(_: &Place<'_>, _: &Case, expected: &Value) -> Option<Value> {
    let calls = expected["collaborator_calls"].as_array()?;
    let mut ours = Vec::new();
    for call in calls {
        match call.as_str() {
            Some("sendTransaction") => ours.push(json!("simulate")),
            Some("sendSolanaTransaction" | "signSolanaTransaction") => {
                ours.push(json!("simulateSolana"));
            }
            _ => {}
        }
        ours.push(call.clone());
    }
    let mut answer = expected.clone();
    answer["collaborator_calls"] = Value::Array(ours);
    Some(answer)
}

/// An intent expires once: the second and every later `expired` receipt of an intent is left out.
pub(super) fn one_expired_receipt(_: &Place<'_>, _: &Case, expected: &Value) -> Option<Value> {
    let mut expired = Vec::new();
    keep_receipts(expected, |receipt| {
        let first = !expired.contains(&receipt["intent_id"]);
        if receipt["status"] == "expired" {
            expired.push(receipt["intent_id"].clone());
            return first;
        }
        true
    })
}

/// What was executed, or failed, does not expire later: it is told to be executed already.
pub(super) fn executed_never_expires(
    _: &Place<'_>,
    case: &Case,
    expected: &Value,
) -> Option<Value> {
    let mut over = Vec::new();
    let mut answer = keep_receipts(expected, |receipt| {
        if receipt["status"] == "executed" || receipt["status"] == "failed" {
            over.push(receipt["intent_id"].clone());
        }
        receipt["status"] != "expired" || !over.contains(&receipt["intent_id"])
    })?;
    let steps: Vec<Value> = case.read("steps").ok()?;
    let mut done = Vec::new();
    for (place, step) in steps.iter().enumerate() {
        let Some(executed) = step.get("execute") else {
            continue;
        };
        if step["error"] == "expired" && done.contains(executed) {
            answer["steps"][place] = json!({ "error": "already_executed" });
        }
        if step.get("result").is_some() || step["error"] == "signer_error" {
            done.push(executed.clone());
        }
    }
    Some(answer)
}

/// The answer with some receipts left out and the others numbered anew.
fn keep_receipts(expected: &Value, mut keep: impl FnMut(&Value) -> bool) -> Option<Value> {
    let receipts = expected["receipts"].as_array()?;
    let mut kept: Vec<Value> = receipts
        .iter()
        .filter(|receipt| keep(receipt))
        .cloned()
        .collect();
    for (seq, receipt) in kept.iter_mut().enumerate() {
        receipt["seq"] = json!(seq);
    }
    let mut answer = expected.clone();
    answer["receipts"] = Value::Array(kept);
    Some(answer)
}
