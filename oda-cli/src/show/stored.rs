//! A stored intent: where it stands, what it waits for.

use oda_core::{Death, HoldStatus, StoredIntent, UnixMillis};
use serde_json::{Value, json};

use super::execution::meaning;
use crate::page::Page;

/// The stored intent for programs. The signed bytes are left out: whoever has them can send them.
pub(crate) fn json(intent: &StoredIntent) -> Value {
    let (prepared, progress) = (&intent.record.intent, &intent.progress);
    let hold = progress.hold.map(
        |hold| json!({ "day": hold.day, "usd": hold.usd.map(dollars), "status": hold.status }),
    );
    json!({
        "intent_id": prepared.intent_id,
        "action": prepared.action,
        "summary": prepared.summary,
        "state": progress.state,
        "prepared_at": intent.record.prepared_at.to_string(),
        "expires_at": prepared.expires_at,
        "updated_at": progress.updated_at.to_string(),
        "approved_at": progress.approved_at.map(|at| at.to_string()),
        "transaction": progress.artifact.as_ref().map(|artifact| &artifact.id),
        "sender": progress.artifact.as_ref().map(|artifact| &artifact.sender),
        "block": progress.block,
        "note": progress.note,
        "hold": hold,
        "waits_for": progress.artifact.as_ref().map(|artifact| death(&artifact.death)),
        "refusals": prepared.policy.refusals,
    })
}

/// Writes one open intent onto a page.
pub(crate) fn write(page: &mut Page, intent: &StoredIntent, now: UnixMillis) {
    let progress = &intent.progress;
    page.pair("intent", intent.id());
    let since = age(progress.updated_at, now);
    page.pair(
        "state",
        format_args!(
            "{} for {since}: {}",
            progress.state,
            meaning(progress.state)
        ),
    );
    page.pair("summary", &intent.record.intent.summary);
    if let Some(artifact) = &progress.artifact {
        page.pair("transaction", &artifact.id);
        if !progress.state.is_final() {
            page.pair("dead when", death(&artifact.death));
        }
    }
    if let Some(note) = &progress.note {
        page.pair("note", note);
    }
    if let Some(hold) = progress.hold {
        let usd = hold.usd.map_or_else(
            || "an unknown amount".to_owned(),
            |usd| format!("{} USD", dollars(usd)),
        );
        let how = match hold.status {
            HoldStatus::Reserved => "reserved",
            HoldStatus::Pinned => "reserved until the outcome is proven",
            HoldStatus::Committed => "spent",
        };
        page.pair(
            "holds",
            format_args!("{usd} of the cap of {}, {how}", hold.day),
        );
    }
}

/// The condition under which signed bytes can never have an effect again.
fn death(death: &Death) -> String {
    match death {
        Death::SequenceConsumed { lane, number } => {
            format!("nonce {number} of {lane} is consumed by another final transaction")
        }
        Death::BlockHeightPassed { height } => {
            format!("a final block lies above height {height} and the signature is not found")
        }
        Death::TimePassed { unix_seconds } => {
            format!("a final block is later than {unix_seconds} (Unix seconds) and it is unused")
        }
        _ => "no condition is known: only a person can settle it".to_owned(),
    }
}

/// US dollars with their cents and whatever follows.
pub(crate) fn dollars(usd: oda_core::UsdMicros) -> String {
    let micros = usd.as_micros();
    let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    let cut = text.trim_end_matches('0');
    let decimals = cut
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    format!("{cut}{}", "0".repeat(2_usize.saturating_sub(decimals)))
}

/// How long ago something was, in the largest fitting unit.
pub(crate) fn age(then: UnixMillis, now: UnixMillis) -> String {
    let seconds = now.as_u64().saturating_sub(then.as_u64()) / 1_000;
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7_199 => format!("{} min", seconds / 60),
        7_200..=172_799 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use oda_core::UsdMicros;

    use super::*;

    #[test]
    fn dollars_keep_their_cents() {
        for (micros, text) in [
            (0, "0.00"),
            (1_500_000, "1.50"),
            (1, "0.000001"),
            (12_340_000, "12.34"),
        ] {
            assert_eq!(dollars(UsdMicros::from_micros(micros)), text);
        }
    }

    #[test]
    fn ages_are_rounded_down() {
        let then = UnixMillis::new(1_000);
        for (millis, text) in [
            (0, "0 s"),
            (120_999, "119 s"),
            (121_000, "2 min"),
            (7_201_000, "2 h"),
        ] {
            assert_eq!(age(then, UnixMillis::new(millis)), text);
        }
    }
}
