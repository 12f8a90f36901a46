//! Intents and receipts as the engine would hand them to a store.

use oda_canon::Digest;
use oda_core::{
    BoundParams, Day, ExecutionState, Facts, Hold, HoldStatus, IntentId, IntentRecord,
    IntentSecret, MacInput, Nonce, PolicyOutcome, PreparedIntent, Progress, StoredIntent,
    UnixMillis, UsdMicros,
};
use oda_receipts::{Approval, Mandate, MandateKind, ReceiptDraft, Status};
use serde_json::json;

/// 2026-09-26T12:00:00.000Z.
pub(crate) const NOON: UnixMillis = UnixMillis::new(1_790_424_000_000);

pub(crate) fn secret() -> IntentSecret {
    IntentSecret::new(&[7; 32]).unwrap()
}

pub(crate) fn today() -> Day {
    NOON.day()
}

pub(crate) fn usd(micros: u64) -> UsdMicros {
    UsdMicros::from_micros(micros)
}

/// The `n`th prepared intent. The same `n` gives the same intent in every process.
pub(crate) fn intent(n: u64) -> StoredIntent {
    let expires_at = NOON.plus_seconds(300);
    let mut nonce = [0; 16];
    nonce[..8].copy_from_slice(&n.to_be_bytes());
    let nonce = Nonce::from_bytes(nonce);
    let unsigned = json!({"kind": "evm_tx", "chain": "base", "to": "0x01", "value": n.to_string()});
    let params = BoundParams {
        params: json!({"amount": n.to_string(), "memo": "zażółć \u{1f980}"}),
        unsigned: unsigned.clone(),
        usd_value: Some(12.5),
    };
    let params_digest = oda_canon::digest(&params).unwrap();
    let input = MacInput {
        action: "evm.transfer",
        params_digest: &params_digest,
        expires_at: &expires_at.to_string(),
        nonce: nonce.as_str(),
    };
    let record = IntentRecord {
        intent: PreparedIntent {
            intent_id: IntentId::mint(&secret(), &input).unwrap(),
            action: "evm.transfer".to_owned(),
            expires_at: expires_at.to_string(),
            summary: format!("Send {n} wei"),
            policy: PolicyOutcome::allowed(),
            simulation: None,
            fee_disclosure: None,
            unsigned,
        },
        params,
        params_digest,
        nonce,
        expires_at,
        prepared_at: NOON,
        chain: "base".to_owned(),
        facts: Facts {
            action: "evm.transfer".to_owned(),
            chain: "base".to_owned(),
            usd_value: Some(12.5),
            ..Facts::default()
        },
    };
    let progress = Progress {
        state: ExecutionState::Prepared,
        version: 0,
        updated_at: NOON,
        lease_until: None,
        approved_at: None,
        hold: None,
        sequence: None,
        artifact: None,
        simulation: None,
        policy_digest: None,
        block: None,
        note: None,
    };
    StoredIntent::seal(record, progress, &secret()).unwrap()
}

pub(crate) fn id(n: u64) -> IntentId {
    intent(n).id().clone()
}

/// The next version of an intent.
pub(crate) fn next(from: &StoredIntent, change: impl FnOnce(&mut Progress)) -> StoredIntent {
    let mut progress = from.progress.clone();
    change(&mut progress);
    from.advanced(progress, &secret()).unwrap()
}

pub(crate) fn claimed(from: &StoredIntent) -> StoredIntent {
    next(from, |progress| progress.state = ExecutionState::Claimed)
}

pub(crate) fn holding(from: &StoredIntent, hold: Hold) -> StoredIntent {
    next(from, |progress| {
        progress.state = ExecutionState::Claimed;
        progress.hold = Some(hold);
    })
}

pub(crate) fn reserved(micros: u64) -> Hold {
    Hold {
        day: today(),
        usd: Some(usd(micros)),
        status: HoldStatus::Reserved,
    }
}

/// A receipt that a truthful writer may write.
pub(crate) fn draft(of: &StoredIntent, status: Status) -> ReceiptDraft {
    let record = &of.record.intent;
    let executed = status == Status::Executed;
    ReceiptDraft {
        intent_id: record.intent_id.to_string(),
        action: record.action.clone(),
        chain: "base".to_owned(),
        params_digest: of.record.params_digest,
        policy: record.policy.clone(),
        simulation: None,
        fee_disclosure: None,
        tx_hash: executed.then(|| format!("0x{}", "ab".repeat(32))),
        status,
        created_at: NOON.to_string(),
        mandate: Mandate {
            kind: MandateKind::Intent,
            intent_id: record.intent_id.to_string(),
            action: record.action.clone(),
            policy_digest: Digest::ZERO,
            expires_at: record.expires_at.clone(),
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

pub(crate) fn prepared_draft(of: &StoredIntent) -> ReceiptDraft {
    draft(of, Status::Prepared)
}
