//! Documents to canonicalise: receipts, intents, deep, unicode-heavy and number-heavy ones.
//!
//! The field order of the types is the order in which the reference implementation writes them,
//! so objects arrive unsorted, as they do in practice.

#![allow(
    missing_docs,
    reason = "the fields are those of the formats; the names have no other meaning"
)]

use std::collections::HashMap;

use serde::Serialize;

use crate::Random;

/// A receipt (`sato.receipt/v1`), about 1 KB as text.
#[derive(Debug, Clone, Serialize)]
pub struct Receipt {
    pub intent_id: String,
    pub action: &'static str,
    pub chain: &'static str,
    pub params_digest: String,
    pub policy: Policy,
    pub simulation: Option<Simulation>,
    pub fee_disclosure: Option<Fee>,
    pub tx_hash: Option<String>,
    pub status: &'static str,
    pub created_at: String,
    pub mandate: Mandate,
    pub schema: &'static str,
    pub seq: u64,
    pub prev_hash: String,
}

/// A policy verdict.
#[derive(Debug, Clone, Serialize)]
pub struct Policy {
    pub ok: bool,
    pub refusals: Vec<Refusal>,
}

/// One refusal of a verdict.
#[derive(Debug, Clone, Serialize)]
pub struct Refusal {
    pub rule: &'static str,
    pub limit: String,
    pub observed: String,
    pub message: String,
}

/// The outcome of a simulation.
#[derive(Debug, Clone, Serialize)]
pub struct Simulation {
    pub ok: bool,
    pub method: &'static str,
    pub block: String,
    pub gas_estimate: String,
    pub error: Option<String>,
    pub as_of: String,
}

/// What a venue says about its fee.
#[derive(Debug, Clone, Serialize)]
pub struct Fee {
    pub venue: &'static str,
    pub fee_bps: Option<u32>,
    pub fee_recipient: Option<String>,
    pub statement: String,
    pub direct_quote_available: bool,
}

/// Who allowed the action.
#[derive(Debug, Clone, Serialize)]
pub struct Mandate {
    pub kind: &'static str,
    pub intent_id: String,
    pub action: &'static str,
    pub policy_digest: String,
    pub expires_at: String,
    pub approval: &'static str,
}

/// A prepared intent with an unsigned EVM transaction.
#[derive(Debug, Clone, Serialize)]
pub struct Intent {
    pub intent_id: String,
    pub action: &'static str,
    pub expires_at: String,
    pub summary: String,
    pub policy: Policy,
    pub simulation: Option<Simulation>,
    pub fee_disclosure: Option<Fee>,
    pub unsigned: Transaction,
}

/// An unsigned EVM transaction.
#[derive(Debug, Clone, Serialize)]
pub struct Transaction {
    pub kind: &'static str,
    pub chain: &'static str,
    pub chain_id: u64,
    pub from: Option<String>,
    pub to: String,
    pub data: String,
    pub value: String,
}

/// One level of a deep document.
#[derive(Debug, Clone, Serialize)]
pub struct Nested {
    pub name: String,
    pub depth: u64,
    pub inner: Option<Box<Nested>>,
    pub flags: Vec<bool>,
    pub end: &'static str,
}

/// Text that is not ASCII, in keys (of a map in no order) and in values.
#[derive(Debug, Clone, Serialize)]
pub struct Text {
    pub title: String,
    pub names: HashMap<String, String>,
    pub body: Vec<String>,
}

/// Numbers of every kind.
#[derive(Debug, Clone, Serialize)]
pub struct Numbers {
    pub series: Vec<f64>,
    pub prices: Vec<f64>,
    pub counts: Vec<u64>,
    pub offsets: Vec<i32>,
}

const BASE64URL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn intent_id(random: &mut Random) -> String {
    format!("si_{}", random.text(BASE64URL, 43))
}

fn digest(random: &mut Random) -> String {
    format!("sha256:{}", random.hex(64))
}

fn time(random: &mut Random) -> String {
    let (hour, minute, second) = (random.below(24), random.below(60), random.below(60));
    format!(
        "2026-09-26T{hour:02}:{minute:02}:{second:02}.{:03}Z",
        random.below(1000)
    )
}

fn policy(random: &mut Random) -> Policy {
    let refused = random.below(4) == 0;
    let refusal = Refusal {
        rule: "max_usd_per_action",
        limit: random.below(1000).to_string(),
        observed: random.below(100_000).to_string(),
        message: "the action is worth more than one action may be".to_owned(),
    };
    Policy {
        ok: !refused,
        refusals: if refused { vec![refusal] } else { Vec::new() },
    }
}

fn simulation(random: &mut Random) -> Simulation {
    Simulation {
        ok: true,
        method: "eth_call+eth_estimateGas",
        block: (35_000_000 + random.below(1_000_000)).to_string(),
        gas_estimate: random.below(500_000).to_string(),
        error: None,
        as_of: time(random),
    }
}

fn fee() -> Fee {
    Fee {
        venue: "lifi",
        fee_bps: None,
        fee_recipient: None,
        statement: "The venue takes its fee from the quoted output — see the quote".to_owned(),
        direct_quote_available: true,
    }
}

/// `count` receipts.
#[must_use]
pub fn receipts(count: u64) -> Vec<Receipt> {
    let mut random = Random::new(1);
    (0..count).map(|seq| receipt(&mut random, seq)).collect()
}

fn receipt(random: &mut Random, seq: u64) -> Receipt {
    let intent_id = intent_id(random);
    Receipt {
        mandate: Mandate {
            kind: "intent",
            intent_id: intent_id.clone(),
            action: "swap.prepare",
            policy_digest: digest(random),
            expires_at: time(random),
            approval: "none",
        },
        intent_id,
        action: "swap.prepare",
        chain: "base",
        params_digest: digest(random),
        policy: policy(random),
        simulation: Some(simulation(random)),
        fee_disclosure: Some(fee()),
        tx_hash: (random.below(2) == 0).then(|| format!("0x{}", random.hex(64))),
        status: "executed",
        created_at: time(random),
        schema: "sato.receipt/v1",
        seq,
        prev_hash: digest(random),
    }
}

/// `count` prepared intents.
#[must_use]
pub fn intents(count: u64) -> Vec<Intent> {
    let mut random = Random::new(2);
    (0..count).map(|_| intent(&mut random)).collect()
}

fn intent(random: &mut Random) -> Intent {
    Intent {
        intent_id: intent_id(random),
        action: "token.transfer",
        expires_at: time(random),
        summary: format!("Send {} base units of USDC on Base", random.below(1 << 40)),
        policy: policy(random),
        simulation: Some(simulation(random)),
        fee_disclosure: None,
        unsigned: Transaction {
            kind: "evm_tx",
            chain: "base",
            chain_id: 8453,
            from: Some(format!("0x{}", random.hex(40))),
            to: format!("0x{}", random.hex(40)),
            data: format!("0xa9059cbb{}", random.hex(128)),
            value: "0".to_owned(),
        },
    }
}

/// `count` documents of 90 nested objects.
#[must_use]
pub fn deep(count: u64) -> Vec<Nested> {
    let mut random = Random::new(3);
    (0..count)
        .filter_map(|_| nested(&mut random, 90).map(|nested| *nested))
        .collect()
}

fn nested(random: &mut Random, levels: u64) -> Option<Box<Nested>> {
    let inner_levels = levels.checked_sub(1)?;
    Some(Box::new(Nested {
        name: random.hex(12),
        depth: levels,
        inner: nested(random, inner_levels),
        flags: (0..random.below(4)).map(|bit| bit & 1 == 0).collect(),
        end: "end",
    }))
}

/// `count` documents of text in several scripts, with characters that must be escaped, and
/// keys on both sides of the surrogates.
#[must_use]
pub fn unicode(count: u64) -> Vec<Text> {
    const SCRIPTS: [&str; 6] = [
        "日本語漢字仮名交文",
        "абвгдежзийклмноп",
        "αβγδεζηθικλ",
        "😀😁🚀💸🪙",
        "\u{e000}\u{fb33}\u{ffee}",
        "ab \"\\\n\t\u{1}cdefgh",
    ];
    let mut random = Random::new(4);
    let mut word = move |length| {
        let script = random.pick(&SCRIPTS).unwrap_or_default();
        random.text(script, length)
    };
    (0..count)
        .map(|_| Text {
            title: word(24),
            names: (0..12).map(|_| (word(6), word(10))).collect(),
            body: (0..8).map(|_| word(60)).collect(),
        })
        .collect()
}

/// `count` documents of 96 numbers each.
#[must_use]
pub fn numbers(count: u64) -> Vec<Numbers> {
    let mut random = Random::new(5);
    (0..count)
        .map(|_| Numbers {
            series: (0..32).map(|_| any_double(&mut random)).collect(),
            prices: (0..32).map(|_| price(&mut random)).collect(),
            counts: (0..16).map(|_| random.below(1 << 53)).collect(),
            offsets: (0..16).map(|_| offset(&mut random)).collect(),
        })
        .collect()
}

/// Any finite double that is not tiny, bit by bit: the worst case of every printer.
fn any_double(random: &mut Random) -> f64 {
    loop {
        let value = f64::from_bits(random.bits());
        if value.is_normal() {
            return value;
        }
    }
}

/// A price with two places.
fn price(random: &mut Random) -> f64 {
    let cents = u32::try_from(random.below(10_000_000)).unwrap_or_default();
    f64::from(cents) / 100.0
}

fn offset(random: &mut Random) -> i32 {
    i32::try_from(random.below(2_000_000)).unwrap_or_default() - 1_000_000
}
