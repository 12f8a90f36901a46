//! A receipt in one line.

use oda_receipts::Receipt;

/// How many characters of an intent's id are enough to recognise it among those of one log.
const SHORT_ID: usize = 11;

/// The columns of a receipt: number, time, status, action, intent, what the chain calls it.
pub(crate) fn row(receipt: &Receipt) -> [String; 6] {
    let draft = receipt.draft();
    let what = draft
        .tx_hash
        .as_ref()
        .or(draft.signature.as_ref())
        .or(draft.safe_tx_hash.as_ref())
        .or(draft.typed_data_signature.as_ref());
    let rules: Vec<&str> = draft
        .policy
        .refusals
        .iter()
        .map(|refusal| refusal.rule.as_str())
        .collect();
    let detail = match what {
        Some(id) => id.clone(),
        None => rules.join(", "),
    };
    [
        receipt.seq().to_string(),
        draft.created_at.clone(),
        draft.status.as_str().to_owned(),
        draft.action.clone(),
        short(&draft.intent_id),
        detail,
    ]
}

/// The beginning of an id.
fn short(id: &str) -> String {
    let start: String = id.chars().take(SHORT_ID).collect();
    if start.len() < id.len() {
        format!("{start}…")
    } else {
        start
    }
}
