//! The shape of the four kinds of unsigned payloads: ODA draft 0, section 6.

use oda_canon::CanonError;
use oda_receipts::FieldError;
use serde_json::Value;

use crate::ecma::is_space;
use crate::form::{check_closed, is_base58_key, is_calldata, is_decimal, is_evm_address};
use crate::tree::{Entries, Tree};

/// Every way in which a value is not an unsigned payload of one of the four kinds of ODA draft 0
/// (`evm_tx`, `x402_payment`, `typed_data`, `solana_tx`); empty when it is one.
///
/// Names are `unsigned` for what is no object, `unsigned.kind` for any other kind,
/// `evm_tx.value` for a field, `unknown:evm_tx.x` for a key that does not belong, and
/// `required:typed_data.submit` when that key is missing, since its `null` has a meaning.
///
/// This is the shape only: a chain name that does not fit its id, an address with a wrong
/// checksum, a value beyond 256 bits pass. What may be signed is for the chain crates to decide.
///
/// ```
/// use oda_core::validate_unsigned;
/// use serde_json::json;
///
/// let errors = validate_unsigned(&json!({
///     "kind": "evm_tx", "chain": "base", "chain_id": 8453, "from": null,
///     "to": "0x000000000000000000000000000000000000dEaD", "data": "0x", "value": "0x1",
/// }));
/// assert_eq!(errors[0].name(), "evm_tx.value");
/// ```
#[must_use]
pub fn validate_unsigned(payload: &Value) -> Vec<FieldError> {
    validate(&Tree::of(payload))
}

/// [`validate_unsigned`] on JSON text, with unknown keys in the order of the document.
///
/// # Errors
///
/// A [`CanonError`] when the text is not strict JSON.
pub fn validate_unsigned_text(payload: &str) -> Result<Vec<FieldError>, CanonError> {
    Ok(validate(&Tree::parse(payload.as_bytes())?))
}

const EVM_KEYS: [&str; 7] = ["kind", "chain", "chain_id", "from", "to", "data", "value"];

const X402_KEYS: [&str; 6] = ["kind", "network", "resource", "pay_to", "asset", "amount"];

const TYPED_DATA_KEYS: [&str; 9] = [
    "kind",
    "chain",
    "chain_id",
    "signer",
    "domain",
    "types",
    "primaryType",
    "message",
    "submit",
];

const SOLANA_KEYS: [&str; 6] = [
    "kind",
    "chain",
    "fee_payer",
    "transaction_base64",
    "recent_blockhash",
    "last_valid_block_height",
];

fn validate(payload: &Tree) -> Vec<FieldError> {
    let Some(root) = payload.as_object() else {
        return vec![FieldError::new("unsigned", "must be a JSON object")];
    };
    match root.get("kind").and_then(Tree::as_str) {
        Some("evm_tx") => evm_tx(root),
        Some("x402_payment") => x402_payment(root),
        Some("typed_data") => typed_data(root),
        Some("solana_tx") => solana_tx(root),
        _ => vec![FieldError::new(
            "unsigned.kind",
            "must be evm_tx, x402_payment, typed_data or solana_tx",
        )],
    }
}

/// The checks of one kind, in order.
struct Shape<'a> {
    kind: &'static str,
    root: &'a Entries,
    errors: Vec<FieldError>,
}

impl<'a> Shape<'a> {
    fn new(kind: &'static str, root: &'a Entries, keys: &[&str]) -> Self {
        let mut errors = Vec::new();
        check_closed(root, kind, keys, &mut errors);
        Self { kind, root, errors }
    }

    fn field(&mut self, key: &str, rule: &'static str, fits: impl Fn(&Tree) -> bool) {
        if !self.root.get(key).is_some_and(fits) {
            let name = format!("{}.{key}", self.kind);
            self.errors.push(FieldError::new(name, rule));
        }
    }

    fn text(&mut self, key: &str, rule: &'static str, fits: impl Fn(&str) -> bool) {
        self.field(key, rule, |value| value.as_str().is_some_and(&fits));
    }

    fn not_empty(&mut self, key: &str) {
        self.text(key, "must be a non-empty string", |text| !text.is_empty());
    }

    fn decimal(&mut self, key: &str) {
        self.text(key, "must be a string of decimal digits", is_decimal);
    }

    fn address(&mut self, key: &str) {
        self.text(key, ADDRESS_RULE, is_evm_address);
    }

    fn chain_id(&mut self) {
        self.field("chain_id", "must be an integer above zero", |value| {
            is_integer(value) && value.as_number().is_some_and(|id| id > 0.0)
        });
    }

    fn object(&mut self, key: &str) {
        self.field(key, "must be a JSON object", |value| {
            value.as_object().is_some()
        });
    }
}

const ADDRESS_RULE: &str = "must be 0x and 40 hex digits";

fn evm_tx(root: &Entries) -> Vec<FieldError> {
    let mut shape = Shape::new("evm_tx", root, &EVM_KEYS);
    shape.not_empty("chain");
    shape.chain_id();
    shape.field("from", "must be null, or 0x and 40 hex digits", |value| {
        value.is_null() || value.as_str().is_some_and(is_evm_address)
    });
    shape.address("to");
    shape.text("data", "must be 0x and pairs of hex digits", is_calldata);
    shape.decimal("value");
    shape.errors
}

fn x402_payment(root: &Entries) -> Vec<FieldError> {
    let mut shape = Shape::new("x402_payment", root, &X402_KEYS);
    for key in ["network", "resource", "pay_to", "asset"] {
        shape.not_empty(key);
    }
    shape.decimal("amount");
    shape.errors
}

fn typed_data(root: &Entries) -> Vec<FieldError> {
    let mut shape = Shape::new("typed_data", root, &TYPED_DATA_KEYS);
    shape.not_empty("chain");
    shape.chain_id();
    shape.address("signer");
    shape.object("domain");
    shape.field(
        "types",
        "must be an object of lists of `name` and `type`",
        is_types,
    );
    let types = root.get("types").and_then(Tree::as_object);
    shape.text("primaryType", "must be one of `types`", |name| {
        types.is_some_and(|types| types.has(name))
    });
    shape.object("message");
    match root.get("submit") {
        None => shape.errors.push(FieldError::new(
            "required:typed_data.submit",
            "the key must be present; null returns the signature",
        )),
        Some(Tree::Null) => {}
        Some(submit) => check_submit(submit, &mut shape.errors),
    }
    shape.errors
}

fn solana_tx(root: &Entries) -> Vec<FieldError> {
    let mut shape = Shape::new("solana_tx", root, &SOLANA_KEYS);
    shape.text("chain", "must be solana or solana-devnet", |chain| {
        matches!(chain, "solana" | "solana-devnet")
    });
    shape.text("fee_payer", KEY_RULE, is_base58_key);
    shape.text(
        "transaction_base64",
        "must be padded base64",
        is_padded_base64,
    );
    shape.text("recent_blockhash", KEY_RULE, is_base58_key);
    shape.field(
        "last_valid_block_height",
        "must be an integer, not negative",
        |value| is_integer(value) && value.as_number().is_some_and(|height| height >= 0.0),
    );
    shape.errors
}

const KEY_RULE: &str = "must be 32 to 44 base58 digits";

fn check_submit(submit: &Tree, errors: &mut Vec<FieldError>) {
    let none = Entries::default();
    let object = submit.as_object().unwrap_or(&none);
    let keys = ["kind", "url", "safe_address"];
    check_closed(object, "typed_data.submit", &keys, errors);
    let text = |key| object.get(key).and_then(Tree::as_str);
    let fits = text("kind") == Some("safe_tx_service")
        && text("url").is_some_and(is_https_url)
        && text("safe_address").is_some_and(is_evm_address);
    if !fits {
        errors.push(FieldError::new(
            "typed_data.submit",
            "must be null, or `kind` safe_tx_service with an https `url` and a `safe_address`",
        ));
    }
}

/// `^https:\/\/\S+$`.
fn is_https_url(url: &str) -> bool {
    url.strip_prefix("https://")
        .is_some_and(|rest| !rest.is_empty() && !rest.contains(is_space))
}

fn is_types(value: &Tree) -> bool {
    value.as_object().is_some_and(|types| {
        types.iter().all(|(_, fields)| {
            fields
                .as_array()
                .is_some_and(|list| list.iter().all(is_field))
        })
    })
}

fn is_field(value: &Tree) -> bool {
    value.as_object().is_some_and(|field| {
        ["name", "type"]
            .iter()
            .all(|key| field.get(key).is_some_and(|text| text.as_str().is_some()))
    })
}

fn is_integer(value: &Tree) -> bool {
    value
        .as_number()
        .is_some_and(|number| number.fract() == 0.0)
}

/// Groups of four of the standard alphabet, the last one padded with at most two `=`.
fn is_padded_base64(text: &str) -> bool {
    let digits = text
        .strip_suffix("==")
        .or_else(|| text.strip_suffix('='))
        .unwrap_or(text);
    !text.is_empty()
        && text.len().is_multiple_of(4)
        && digits
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(payload: &Value) -> Vec<String> {
        validate_unsigned(payload)
            .iter()
            .map(|error| error.name().to_owned())
            .collect()
    }

    fn typed() -> Value {
        json!({
            "kind": "typed_data", "chain": "base", "chain_id": 8453,
            "signer": "0x000000000000000000000000000000000000dEaD", "domain": {},
            "types": {"M": [{"name": "a", "type": "uint256", "extra": 1}]}, "primaryType": "M",
            "message": {}, "submit": null,
        })
    }

    #[test]
    fn defect_06_any_other_kind_is_refused() {
        for payload in [json!({"kind": "btc_tx"}), json!({"kind": 1}), json!({})] {
            assert_eq!(names(&payload), ["unsigned.kind"]);
        }
        for payload in [json!(null), json!([]), json!("evm_tx")] {
            assert_eq!(names(&payload), ["unsigned"]);
        }
    }

    #[test]
    fn every_missing_field_is_named() {
        assert_eq!(
            names(&json!({"kind": "evm_tx"})),
            ["chain", "chain_id", "from", "to", "data", "value"].map(|key| format!("evm_tx.{key}"))
        );
        assert_eq!(
            names(&json!({"kind": "x402_payment"})).len(),
            X402_KEYS.len() - 1
        );
        assert_eq!(
            names(&json!({"kind": "solana_tx"})).len(),
            SOLANA_KEYS.len() - 1
        );
        let missing = names(&json!({"kind": "typed_data"}));
        assert_eq!(missing.len(), TYPED_DATA_KEYS.len() - 1);
        assert_eq!(missing.last().unwrap(), "required:typed_data.submit");
    }

    #[test]
    fn unknown_keys_come_in_the_order_of_the_document() {
        let text = typed().to_string().replacen('{', r#"{"z":1,"a":1,"#, 1);
        let errors = validate_unsigned_text(&text).unwrap();
        let names: Vec<_> = errors.iter().map(FieldError::name).collect();
        assert_eq!(names, ["unknown:typed_data.z", "unknown:typed_data.a"]);
    }

    #[test]
    fn a_submission_is_closed_and_goes_over_https() {
        let submit = json!({
            "kind": "safe_tx_service", "url": "https://s.example",
            "safe_address": "0x1111111111111111111111111111111111111111",
        });
        let mut payload = typed();
        payload["submit"] = submit.clone();
        assert!(names(&payload).is_empty());
        payload["submit"]["x"] = json!(1);
        assert_eq!(names(&payload), ["unknown:typed_data.submit.x"]);
        for (key, value) in [
            ("url", json!("https://")),
            ("url", json!("http://s.example")),
            ("url", json!("https://s.example/\u{a0}")),
            ("safe_address", json!("0x1")),
            ("kind", json!("other")),
        ] {
            payload["submit"] = submit.clone();
            payload["submit"][key] = value;
            assert_eq!(names(&payload), ["typed_data.submit"]);
        }
        payload["submit"] = json!("https://s.example");
        assert_eq!(names(&payload), ["typed_data.submit"]);
    }

    #[test]
    fn base64_is_padded_and_of_the_standard_alphabet() {
        for good in ["AQID", "AQI=", "AQ==", "+/+/"] {
            assert!(is_padded_base64(good), "{good}");
        }
        for bad in ["", "AQI", "A===", "====", "-_8=", "AQ=D", "AQID\n", "=AQI"] {
            assert!(!is_padded_base64(bad), "{bad}");
        }
    }
}
