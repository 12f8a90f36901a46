//! Drafts for tests, fixed and random.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test program uses a part of this"
)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use oda_canon::{Digest, digest_bytes};
use oda_receipts::{
    Approval, Link, Mandate, MandateKind, PolicyOutcome, Receipt, ReceiptDraft, Refusal, Status,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// The intent with a number: `si_` and the number in 43 digits.
pub fn intent(number: u64) -> String {
    format!("si_{number:0>43}")
}

/// A plain draft of about 1 KiB: what an EVM transfer leaves.
pub fn draft(number: u64, status: Status) -> ReceiptDraft {
    ReceiptDraft {
        intent_id: intent(number),
        action: "token.transfer".into(),
        chain: "base".into(),
        params_digest: digest_bytes(&number.to_le_bytes()),
        policy: PolicyOutcome::allowed(),
        simulation: Some(json!({
            "ok": true, "method": "eth_call+eth_estimateGas", "block": "35000000",
            "gas_estimate": "200000", "error": null, "as_of": "2026-09-26T12:00:00.000Z",
        })),
        fee_disclosure: None,
        tx_hash: None,
        status,
        created_at: "2026-09-26T12:00:00.000Z".into(),
        mandate: Mandate {
            kind: MandateKind::Intent,
            intent_id: intent(number),
            action: "token.transfer".into(),
            policy_digest: Digest::ZERO,
            expires_at: "2026-09-26T12:05:00.000Z".into(),
            approval: Approval::None,
        },
        safe_tx_hash: None,
        signature: None,
        typed_data_signature: None,
    }
}

/// `count` receipts in one chain: each intent prepared, every second one executed.
pub fn chain(count: u64) -> Vec<Receipt> {
    let mut receipts: Vec<Receipt> = Vec::new();
    for number in 0..count {
        let status = if number % 2 == 0 {
            Status::Prepared
        } else {
            Status::Executed
        };
        let prev = receipts.last().map(Receipt::link);
        receipts.push(Receipt::seal(draft(number / 2, status), prev).unwrap());
    }
    receipts
}

/// The file of a chain.
pub fn log_text(receipts: &[Receipt]) -> String {
    receipts.iter().map(Receipt::to_line).collect()
}

/// Seals drafts one after another.
pub fn seal_all(drafts: Vec<ReceiptDraft>) -> Vec<Receipt> {
    let mut last: Option<Link> = None;
    drafts
        .into_iter()
        .map(|draft| {
            let receipt = Receipt::seal(draft, last).unwrap();
            last = Some(receipt.link());
            receipt
        })
        .collect()
}

/// Any JSON value that has a canonical form, shallow.
pub fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-9_007_199_254_740_991_i64..=9_007_199_254_740_991).prop_map(Value::from),
        any::<f64>().prop_filter_map("finite", |n| n.is_finite().then(|| json!(n))),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((any_text(), inner), 0..4)
                .prop_map(|members| Value::from(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Text with a bias towards what JSON escapes and what UTF-16 order is about.
pub fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z0-9_ ]{0,12}",
        1 => any::<String>(),
        1 => vec(prop_oneof![
            Just('"'), Just('\\'), Just('\n'), Just('\u{1f}'), Just('\u{7f}'), Just('/'),
            Just('\u{e000}'), Just('\u{1f600}'), Just('\u{2028}'), Just('\u{ffff}'),
        ], 0..6).prop_map(String::from_iter),
    ]
}

fn any_object() -> impl Strategy<Value = Option<Value>> {
    option::of(
        vec((any_text(), any_json()), 0..5)
            .prop_map(|members| Value::from(members.into_iter().collect::<Map<_, _>>())),
    )
}

fn any_policy() -> impl Strategy<Value = PolicyOutcome> {
    let refusal = (any_text(), any_text(), any_text(), any_text()).prop_map(
        |(rule, limit, observed, message)| Refusal {
            rule,
            limit,
            observed,
            message,
        },
    );
    vec(refusal, 0..3).prop_map(PolicyOutcome::from_refusals)
}

/// Any draft that may be sealed, of the intent with a number.
pub fn any_draft(number: u64) -> impl Strategy<Value = ReceiptDraft> {
    let facts = (
        any_policy(),
        any_object(),
        any_object(),
        option::of("[!-~]{1,70}"),
    );
    let optional = (
        option::of("0x[0-9a-fA-F]{64}"),
        option::of("[1-9A-HJ-NP-Za-km-z]{86,88}"),
        option::of("0x[0-9a-fA-F]{130}"),
    );
    let place = (
        "[a-z][a-z0-9]{0,5}(_[a-z0-9]{1,4}){0,1}(\\.[a-z][a-z0-9]{0,5}){1,2}",
        "[a-z0-9:-]{1,20}",
        any::<[u8; 32]>(),
        "20[0-9]{2}-0[1-9]-[12][0-8]T[01][0-9]:[0-5][0-9]:[0-5][0-9]\\.[0-9]{3}Z",
        prop_oneof![
            Just(Approval::Human),
            Just(Approval::Policy),
            Just(Approval::None)
        ],
    );
    (facts, optional, place).prop_map(move |(facts, optional, place)| {
        let mut made = draft(number, Status::Prepared);
        (
            made.policy,
            made.simulation,
            made.fee_disclosure,
            made.tx_hash,
        ) = facts;
        (made.safe_tx_hash, made.signature, made.typed_data_signature) = optional;
        let digest = Digest::from_bytes(place.2);
        (made.action, made.chain, made.params_digest) = (place.0, place.1, digest);
        made.mandate.action.clone_from(&made.action);
        made.mandate.policy_digest = digest;
        (made.created_at, made.mandate.approval) = (place.3, place.4);
        made
    })
}
