//! The structure of a descriptor: `sato.action/v1`, ODA draft 0, section 1.

use oda_canon::CanonError;
use oda_receipts::FieldError;
use serde_json::Value;

use crate::chain::ODA_CHAINS;
use crate::description_lint::MAX_DESCRIPTION;
use crate::descriptor::{DESCRIPTOR_SCHEMA, MAX_TITLE};
use crate::ecma::{is_blank, utf16_len};
use crate::effect::Effect;
use crate::form::{check_closed, check_present, is_date_form, is_exact_version, is_plain_version};
use crate::names::{is_action_id, is_tool_name};
use crate::refusal::RuleId;
use crate::tree::{Entries, Tree};

/// The keys of a descriptor, all required, in the order in which they are checked.
const KEYS: [&str; 16] = [
    "schema",
    "id",
    "name",
    "version",
    "title",
    "description",
    "effects",
    "custody",
    "chains",
    "input_schema",
    "output_schema",
    "policy",
    "receipt",
    "fixtures",
    "upstream",
    "sponsored",
];

const CUSTODY_KEYS: [&str; 3] = ["reads_key", "sends_key", "moves_funds"];

/// Every way in which a value is not a descriptor; empty when it is one.
///
/// The order is fixed: missing keys (`required:descriptor.title`), unknown keys
/// (`unknown:descriptor.x`), then one error per field whose value breaks its rule. A missing
/// field is named twice. That the name is the one derived from the id is for
/// [`lint_descriptor`](crate::lint_descriptor) to say, and what the schemas hold as well.
#[must_use]
pub fn validate_descriptor(descriptor: &Value) -> Vec<FieldError> {
    validate(&Tree::of(descriptor))
}

/// [`validate_descriptor`] on JSON text, with unknown keys in the order of the document.
///
/// # Errors
///
/// A [`CanonError`] when the text is not strict JSON.
pub fn validate_descriptor_text(descriptor: &str) -> Result<Vec<FieldError>, CanonError> {
    Ok(validate(&Tree::parse(descriptor.as_bytes())?))
}

pub(crate) fn validate(descriptor: &Tree) -> Vec<FieldError> {
    let Some(root) = descriptor.as_object() else {
        return vec![FieldError::new("descriptor", "must be a JSON object")];
    };
    let mut errors = Vec::new();
    check_present(root, "descriptor", &KEYS, &mut errors);
    check_closed(root, "descriptor", &KEYS, &mut errors);
    for key in KEYS {
        let value = root.get(key).unwrap_or(&Tree::Null);
        match key {
            "custody" => check_custody(value, &mut errors),
            "policy" => check_policy(value, &mut errors),
            // Null says that nobody sponsors; a missing key says nothing.
            "sponsored" => check_sponsored(root.get(key), &mut errors),
            _ if !fits(key, value) => errors.push(FieldError::new(key, rule_of(key))),
            _ => {}
        }
    }
    errors
}

fn fits(key: &str, value: &Tree) -> bool {
    let text = |rule: fn(&str) -> bool| value.as_str().is_some_and(rule);
    match key {
        "schema" => text(|t| t == DESCRIPTOR_SCHEMA),
        "id" => text(is_action_id),
        "name" => text(is_tool_name),
        "version" => text(is_plain_version),
        "title" => text(|t| !is_blank(t) && utf16_len(t) <= MAX_TITLE),
        "description" => text(|t| !is_blank(t) && utf16_len(t) <= MAX_DESCRIPTION),
        "effects" => is_set_of(value, |word| word.parse::<Effect>().is_ok()),
        "chains" => is_set_of(value, |name| ODA_CHAINS.contains(&name)),
        "input_schema" | "output_schema" => value.as_object().is_some(),
        "receipt" => value.as_bool().is_some(),
        "fixtures" => is_list_of(value, is_fixture),
        "upstream" => value.as_object().is_some_and(|map| {
            map.iter()
                .all(|(_, v)| v.as_str().is_some_and(is_exact_version))
        }),
        _ => false,
    }
}

fn rule_of(key: &str) -> &'static str {
    match key {
        "schema" => "must be `sato.action/v1`",
        "id" => "must be two or more lower-case segments joined by `.`",
        "name" => "must be lower-case words joined by `_`, at most 40 characters",
        "version" => "must be MAJOR.MINOR.PATCH",
        "title" => "must not be blank, nor longer than 120 UTF-16 code units",
        "description" => "must not be blank, nor longer than 1000 UTF-16 code units",
        "effects" => {
            "must be a non-empty list without repetition of read, quote, simulate, sign, broadcast, pay"
        }
        "chains" => "must be a non-empty list without repetition of ODA chain names",
        "receipt" => "must be true or false",
        "fixtures" => "must be a list of relative paths without `..`",
        "upstream" => "must be an object of exact versions",
        _ => "must be a JSON object",
    }
}

fn is_list_of(value: &Tree, rule: fn(&str) -> bool) -> bool {
    value
        .as_array()
        .is_some_and(|items| items.iter().all(|item| item.as_str().is_some_and(rule)))
}

fn is_set_of(value: &Tree, rule: fn(&str) -> bool) -> bool {
    let items = value.as_array().unwrap_or_default();
    let repeats = items
        .iter()
        .enumerate()
        .any(|(at, item)| items[..at].contains(item));
    !items.is_empty() && !repeats && is_list_of(value, rule)
}

/// A relative path. Backslashes are not looked at.
fn is_fixture(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('/') && path.split('/').all(|part| part != "..")
}

fn check_custody(value: &Tree, errors: &mut Vec<FieldError>) {
    let Some(custody) = value.as_object() else {
        return errors.push(FieldError::new("custody", "must be a JSON object"));
    };
    check_closed(custody, "custody", &CUSTODY_KEYS, errors);
    for key in ["reads_key", "sends_key"] {
        if custody.get(key).and_then(Tree::as_bool).is_none() {
            errors.push(FieldError::new(
                format!("custody.{key}"),
                "must be true or false",
            ));
        }
    }
    let moves = custody.get("moves_funds").and_then(Tree::as_str);
    if !matches!(moves, Some("never" | "with_approval" | "autonomous")) {
        errors.push(FieldError::new(
            "custody.moves_funds",
            "must be never, with_approval or autonomous",
        ));
    }
}

fn check_policy(value: &Tree, errors: &mut Vec<FieldError>) {
    let none = Entries::default();
    let policy = value.as_object().unwrap_or(&none);
    check_closed(policy, "policy", &["rules"], errors);
    let rules = policy.get("rules").unwrap_or(&Tree::Null);
    if !is_list_of(rules, |id| id.parse::<RuleId>().is_ok()) {
        errors.push(FieldError::new(
            "policy.rules",
            "must be a list of rule ids",
        ));
    }
}

fn check_sponsored(value: Option<&Tree>, errors: &mut Vec<FieldError>) {
    let rule = "must be null, or who sponsors (`by`) and since when (`since`, YYYY-MM-DD)";
    let Some(sponsored) = value.and_then(Tree::as_object) else {
        if !value.is_some_and(Tree::is_null) {
            errors.push(FieldError::new("sponsored", rule));
        }
        return;
    };
    check_closed(sponsored, "sponsored", &["by", "since"], errors);
    let text = |key| sponsored.get(key).and_then(Tree::as_str);
    if !(text("by").is_some_and(|by| !by.is_empty()) && text("since").is_some_and(is_date_form)) {
        errors.push(FieldError::new("sponsored", rule));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(value: &Value) -> Vec<String> {
        validate_descriptor(value)
            .iter()
            .map(|error| error.name().to_owned())
            .collect()
    }

    fn sample() -> Value {
        json!({
            "schema": "sato.action/v1", "id": "token.transfer", "name": "token_transfer",
            "version": "0.1.0", "title": "Transfer", "description": "Transfers a token.",
            "effects": ["sign", "broadcast"],
            "custody": {"reads_key": false, "sends_key": false, "moves_funds": "with_approval"},
            "chains": ["base"], "input_schema": {}, "output_schema": {},
            "policy": {"rules": ["intent_ttl", "intent_ttl"]}, "receipt": true,
            "fixtures": ["a/b.json", "a\\..\\b"], "upstream": {"viem": "2.0.0"}, "sponsored": null,
        })
    }

    #[test]
    fn each_field_has_its_rule() {
        assert!(names(&sample()).is_empty());
        for (key, value) in [
            ("schema", json!("sato.action/v2")),
            ("id", json!("transfer")),
            ("name", json!("token.transfer")),
            ("version", json!("1.0.0-rc.1")),
            ("title", json!("\u{feff} ")),
            ("title", json!("x".repeat(121))),
            ("description", json!("x".repeat(1001))),
            ("effects", json!([])),
            ("effects", json!(["read", "read"])),
            ("effects", json!("read")),
            ("custody", json!([])),
            ("chains", json!(["avalanche"])),
            ("input_schema", json!([])),
            ("output_schema", json!(null)),
            ("policy.rules", json!({"rules": ["human_approval"]})),
            ("receipt", json!(1)),
            ("fixtures", json!(["/a"])),
            ("fixtures", json!(["a/../b"])),
            ("upstream", json!({"viem": "^2.0.0"})),
            ("upstream", json!([])),
            ("sponsored", json!({"by": "", "since": "2026-01-01"})),
            ("sponsored", json!("nobody")),
        ] {
            let mut descriptor = sample();
            descriptor[key.split('.').next().unwrap()] = value.clone();
            assert_eq!(names(&descriptor), [key], "{value}");
        }
    }

    #[test]
    fn unknown_keys_come_in_the_order_of_the_document() {
        let text = sample()
            .to_string()
            .replacen('{', r#"{"zeta":1,"alpha":2,"#, 1);
        let errors = validate_descriptor_text(&text).unwrap();
        let names: Vec<_> = errors.iter().map(FieldError::name).collect();
        assert_eq!(
            names,
            ["unknown:descriptor.zeta", "unknown:descriptor.alpha"]
        );
    }

    #[test]
    fn the_closed_parts_name_their_unknown_keys() {
        let mut descriptor = sample();
        descriptor["custody"]["x"] = json!(1);
        descriptor["policy"]["y"] = json!(1);
        descriptor["sponsored"] = json!({"by": "b", "since": "2026-01-01", "z": 1});
        assert_eq!(
            names(&descriptor),
            [
                "unknown:custody.x",
                "unknown:policy.y",
                "unknown:sponsored.z"
            ]
        );
    }
}
