//! The shape of a receipt, checked on a parsed value.

use std::fmt;

use serde_json::{Map, Value};

use crate::SCHEMA;
use crate::rules;
use crate::status::Status;

/// The keys that every receipt has, in the order in which they are checked.
const REQUIRED: [&str; 15] = [
    "schema",
    "seq",
    "prev_hash",
    "hash",
    "intent_id",
    "action",
    "chain",
    "params_digest",
    "policy",
    "simulation",
    "fee_disclosure",
    "tx_hash",
    "status",
    "created_at",
    "mandate",
];

/// The keys that a receipt may have. Absent is valid, `null` is not.
const OPTIONAL: [&str; 3] = ["safe_tx_hash", "signature", "typed_data_signature"];

/// The keys of a mandate, all required, none other allowed.
const MANDATE: [&str; 6] = [
    "kind",
    "intent_id",
    "action",
    "policy_digest",
    "expires_at",
    "approval",
];

/// One thing wrong with the shape of a receipt.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FieldError {
    name: String,
    rule: &'static str,
}

impl FieldError {
    /// An error about one field.
    pub fn new(name: impl Into<String>, rule: &'static str) -> Self {
        Self {
            name: name.into(),
            rule,
        }
    }

    /// A stable name: the field (`tx_hash`), `required:receipt.<key>` for a missing key,
    /// `unknown:receipt.<key>` or `unknown:mandate.<key>` for a key that does not belong.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The rule that the field breaks, for a person.
    #[must_use]
    pub const fn rule(&self) -> &'static str {
        self.rule
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.rule)
    }
}

/// Every way in which a value is not a receipt of `sato.receipt/v1`; empty when it is one.
///
/// The order is fixed: missing keys, unknown keys, then one error per field whose value breaks
/// its rule, in the order of ODA draft 0, section 7, with the optional fields last. A missing
/// field is named twice, as `required:receipt.x` and as `x`.
///
/// Closed are the root and the mandate. `policy`, refusals, `simulation` and `fee_disclosure`
/// may carry further keys. This is the reader's rule; what a writer of this crate has to meet
/// on top is [`ReceiptDraft::check`](crate::ReceiptDraft::check). The hash is not looked at:
/// that is verification.
#[must_use]
pub fn validate_receipt(receipt: &Value) -> Vec<FieldError> {
    let Some(root) = receipt.as_object() else {
        return vec![FieldError::new("receipt", "must be a JSON object")];
    };
    let mut errors = Vec::new();
    check_keys(root, "receipt", &REQUIRED, &OPTIONAL, &mut errors);
    for key in REQUIRED {
        if key == "mandate" {
            check_mandate(root.get(key), &mut errors);
        } else if !field_fits(key, root.get(key)) {
            errors.push(FieldError::new(key, field_rule(key)));
        }
    }
    for key in OPTIONAL {
        if root.contains_key(key) && !field_fits(key, root.get(key)) {
            errors.push(FieldError::new(key, field_rule(key)));
        }
    }
    errors
}

fn check_keys(
    object: &Map<String, Value>,
    place: &str,
    required: &[&str],
    optional: &[&str],
    errors: &mut Vec<FieldError>,
) {
    for key in required.iter().filter(|key| !object.contains_key(**key)) {
        errors.push(FieldError::new(
            format!("required:{place}.{key}"),
            "the key must be present",
        ));
    }
    for key in object.keys() {
        if !required.contains(&key.as_str()) && !optional.contains(&key.as_str()) {
            errors.push(FieldError::new(
                format!("unknown:{place}.{key}"),
                "the key does not belong here; the object is closed",
            ));
        }
    }
}

fn field_fits(key: &str, value: Option<&Value>) -> bool {
    let Some(value) = value else { return false };
    let text = |rule: fn(&[u8]) -> bool| value.as_str().is_some_and(|t| rule(t.as_bytes()));
    match key {
        "schema" => value == SCHEMA,
        "seq" => is_sequence_number(value),
        "prev_hash" | "hash" | "params_digest" => text(rules::is_digest),
        "intent_id" => text(rules::is_intent_id),
        "action" => text(rules::is_action_id),
        "chain" => text(|t| !t.is_empty()),
        "policy" => is_policy(value),
        "simulation" | "fee_disclosure" => value.is_object() || value.is_null(),
        "tx_hash" => value.is_null() || text(|t| !t.is_empty()),
        "status" => text(|t| Status::from_bytes(t).is_some()),
        "created_at" => text(rules::is_instant_form),
        "safe_tx_hash" => text(rules::is_safe_tx_hash),
        "signature" => text(rules::is_solana_signature),
        "typed_data_signature" => text(rules::is_typed_data_signature),
        _ => false,
    }
}

fn field_rule(key: &str) -> &'static str {
    match key {
        "schema" => "must be sato.receipt/v1",
        "seq" => "must be an integer from 0",
        "prev_hash" | "hash" | "params_digest" => "must be sha256: and 64 lower-case hex digits",
        "intent_id" => "must be si_ and 43 base64url characters",
        "action" => "must be an ODA id such as token.transfer",
        "chain" => "must be a non-empty string",
        "policy" => {
            "must have ok (true or false) and refusals, a list of {rule, limit, observed, message}"
        }
        "simulation" | "fee_disclosure" => "must be an object or null",
        "tx_hash" => "must be a non-empty string or null",
        "status" => "must be prepared, refused, executed, failed or expired",
        "created_at" => "must be an instant in UTC such as 2026-09-26T12:00:00.000Z",
        "safe_tx_hash" => "must be 0x and 64 hex digits; leave it out when there is none",
        "signature" => "must be 86 to 88 base58 characters; leave it out when there is none",
        "typed_data_signature" => {
            "must be 0x and 128 or 130 hex digits; leave it out when there is none"
        }
        _ => "must follow the receipt's schema",
    }
}

/// An integer from 0 as JavaScript sees it: `1` and `1.0` are the same number.
fn is_sequence_number(value: &Value) -> bool {
    value.is_u64() || value.as_f64().is_some_and(|n| n >= 0.0 && n.fract() == 0.0)
}

fn is_policy(value: &Value) -> bool {
    let ok = value.get("ok").is_some_and(Value::is_boolean);
    let refusals = value.get("refusals").and_then(Value::as_array);
    ok && refusals.is_some_and(|list| list.iter().all(is_refusal))
}

fn is_refusal(value: &Value) -> bool {
    ["rule", "limit", "observed", "message"]
        .iter()
        .all(|key| value.get(key).is_some_and(Value::is_string))
}

fn check_mandate(value: Option<&Value>, errors: &mut Vec<FieldError>) {
    const RULE: &str =
        "must have kind intent, intent_id, action, policy_digest, expires_at and approval";
    let Some(mandate) = value.and_then(Value::as_object) else {
        errors.push(FieldError::new("mandate", RULE));
        return;
    };
    check_keys(mandate, "mandate", &MANDATE, &[], errors);
    let text = |key: &str| mandate.get(key).and_then(Value::as_str);
    let fits = text("kind") == Some("intent")
        && text("intent_id").is_some()
        && text("action").is_some()
        && text("expires_at").is_some()
        && text("policy_digest").is_some_and(|t| rules::is_digest(t.as_bytes()))
        && matches!(text("approval"), Some("human" | "policy" | "none"));
    if !fits {
        errors.push(FieldError::new("mandate", RULE));
    }
}
