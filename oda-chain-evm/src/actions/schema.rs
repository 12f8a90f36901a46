//! The descriptors, and the pieces that their schemas share.

use oda_core::Descriptor;
use serde_json::{Value, json};

use crate::chains::chain_names;

/// The descriptors' version: that of the reference implementation's actions of the same names.
const VERSION: &str = "0.1.0";

/// The release of alloy that these actions are built on.
const ALLOY: &str = "2.5.0";

/// The EVM chains, as an enum of names.
pub(crate) fn chain() -> Value {
    json!({"type": "string", "enum": chain_names().collect::<Vec<_>>()})
}

pub(crate) fn address() -> Value {
    json!({"type": "string", "pattern": "^0x[0-9a-fA-F]{40}$"})
}

/// Base units: a decimal string.
pub(crate) fn amount() -> Value {
    json!({"type": "string", "pattern": "^[0-9]{1,78}$"})
}

pub(crate) fn approval_kind() -> Value {
    json!({"type": "string", "enum": ["erc20", "erc721", "erc1155"]})
}

/// What a descriptor says besides what all of them say.
pub(crate) struct Text {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
}

/// The descriptor of a query: reads or simulates, moves nothing, writes no receipt.
pub(crate) fn query(text: &Text, effect: &str, input: Value, output: Value) -> Descriptor {
    build(
        text,
        json!({
            "effects": [effect],
            "custody": {"reads_key": false, "sends_key": false, "moves_funds": "never"},
            "input_schema": input,
            "output_schema": output,
            "policy": {"rules": []},
            "receipt": false,
        }),
    )
}

/// The descriptor of an action: prepares a transaction that a signer signs and sends after approval.
pub(crate) fn action(text: &Text, input: Value, rules: &[&str]) -> Descriptor {
    build(
        text,
        json!({
            "effects": ["sign", "broadcast"],
            "custody": {"reads_key": false, "sends_key": false, "moves_funds": "with_approval"},
            "input_schema": input,
            "output_schema": prepared_intent(),
            "policy": {"rules": rules},
            "receipt": true,
        }),
    )
}

/// The rules that concern an action that moves a token: all but those of venues.
pub(crate) const TRANSFER_RULES: [&str; 12] = [
    "network_mainnet_not_enabled",
    "chain_allowlist",
    "token_allowlist",
    "contract_allowlist",
    "recipient_allowlist",
    "max_per_trade",
    "max_usd_per_trade",
    "max_usd_per_day",
    "unknown_price",
    "intent_ttl",
    "simulation_required",
    "simulation_failed",
];

/// The output of every prepare (ODA draft 0, section 6).
fn prepared_intent() -> Value {
    json!({
        "type": "object",
        "properties": {
            "intent_id": {"type": "string", "pattern": "^si_[A-Za-z0-9_-]{43}$"},
            "action": {"type": "string"},
            "expires_at": {"type": "string"},
            "summary": {"type": "string"},
            "policy": {"type": "object"},
            "simulation": {},
            "fee_disclosure": {},
            "unsigned": {"type": "object"},
        },
        "required": [
            "intent_id", "action", "expires_at", "summary", "policy", "simulation", "fee_disclosure", "unsigned"
        ],
    })
}

/// An input schema: closed, with these properties.
pub(crate) fn input(properties: Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

#[expect(
    clippy::expect_used,
    reason = "the parts are constants of this crate; a test checks every descriptor that is made of them"
)]
fn build(text: &Text, mut parts: Value) -> Descriptor {
    parts["schema"] = json!("sato.action/v1");
    parts["id"] = json!(text.id);
    parts["name"] = json!(text.id.replace('.', "_"));
    parts["version"] = json!(VERSION);
    parts["title"] = json!(text.title);
    parts["description"] = json!(text.description);
    parts["chains"] = json!(chain_names().collect::<Vec<_>>());
    parts["fixtures"] = json!([]);
    parts["upstream"] = json!({"alloy": ALLOY});
    parts["sponsored"] = Value::Null;
    serde_json::from_value(parts).expect("a descriptor made of constants is well formed")
}
