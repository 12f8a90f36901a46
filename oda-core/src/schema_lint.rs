//! Whether a JSON schema loads in every host: ODA draft 0, section 3.

use oda_canon::CanonError;
use serde_json::Value;

use crate::ecma::is_line_terminator;
use crate::lint::{LintIssue, LintRule};
use crate::tree::{Entries, Tree};

/// What a root may not combine with.
const COMBINATORS: [&str; 4] = ["oneOf", "anyOf", "allOf", "not"];

/// The keys whose value is one schema, in the order in which they are walked.
const SINGLE: [&str; 8] = [
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
];

/// The keys whose value is a list of schemas, in the order in which they are walked.
const LISTS: [&str; 4] = ["oneOf", "anyOf", "allOf", "prefixItems"];

/// Every way in which a schema is not portable; empty when it is.
///
/// Issues come in the order of the walk. The entries of `properties` are walked in the order of
/// the map, which `serde_json` sorts: use [`lint_portable_schema_text`] for the order of the
/// document.
///
/// The walk visits `properties`, the schemas under `items`, `additionalProperties`, `not`, `if`,
/// `then`, `else`, `contains` and `propertyNames`, and the lists `oneOf`, `anyOf`, `allOf` and
/// `prefixItems`. It does not visit `patternProperties`, `dependentSchemas`,
/// `unevaluatedProperties`, `unevaluatedItems`, `additionalItems` and the list form of `items`.
///
/// ```
/// use oda_core::lint_portable_schema;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"amount": {"type": "number"}}});
/// let issues = lint_portable_schema(&schema);
/// assert_eq!(issues[0].path, "$.properties.amount");
/// assert_eq!(issues[0].rule.as_str(), "amount_not_string");
/// ```
#[must_use]
pub fn lint_portable_schema(schema: &Value) -> Vec<LintIssue> {
    lint(&Tree::of(schema), "$")
}

/// [`lint_portable_schema`] on JSON text, with issues in the order of the document.
///
/// # Errors
///
/// A [`CanonError`] when the text is not strict JSON.
pub fn lint_portable_schema_text(schema: &str) -> Result<Vec<LintIssue>, CanonError> {
    Ok(lint(&Tree::parse(schema.as_bytes())?, "$"))
}

/// Lints a schema that stands at `place`.
pub(crate) fn lint(schema: &Tree, place: &str) -> Vec<LintIssue> {
    let mut issues = Vec::new();
    let root = schema.as_object();
    if type_of(root) != Some("object") {
        issues.push(LintIssue::new(place, LintRule::RootNotObject));
    }
    if let Some(root) = root {
        for key in COMBINATORS.into_iter().filter(|key| root.has(key)) {
            issues.push(LintIssue::new(
                format!("{place}.{key}"),
                LintRule::RootCombinator,
            ));
        }
        walk(root, place, &mut issues);
    }
    issues
}

fn walk(node: &Entries, path: &str, issues: &mut Vec<LintIssue>) {
    let mut report = |key: &str, rule| issues.push(LintIssue::new(format!("{path}.{key}"), rule));
    if node.has("$ref") {
        report("$ref", LintRule::RefForbidden);
    }
    for key in ["$defs", "definitions"] {
        if node.has(key) {
            report(key, LintRule::DefsForbidden);
        }
    }
    if node.get("type").is_some_and(|t| t.as_array().is_some()) {
        report("type", LintRule::TypeArray);
    }
    if let Some(properties) = node.get("properties").and_then(Tree::as_object) {
        for (name, property) in properties.iter() {
            if let Some(property) = property.as_object() {
                let path = format!("{path}.properties.{name}");
                check_by_name(name, property, &path, issues);
                walk(property, &path, issues);
            }
        }
    }
    for key in SINGLE {
        if let Some(child) = node.get(key).and_then(Tree::as_object) {
            walk(child, &format!("{path}.{key}"), issues);
        }
    }
    for key in LISTS {
        let children = node.get(key).and_then(Tree::as_array).unwrap_or_default();
        for (place, child) in children.iter().enumerate() {
            if let Some(child) = child.as_object() {
                walk(child, &format!("{path}.{key}[{place}]"), issues);
            }
        }
    }
}

/// The rules for properties that carry onchain values, recognised by name.
fn check_by_name(name: &str, property: &Entries, path: &str, issues: &mut Vec<LintIssue>) {
    let kind = type_of(Some(property));
    let pattern = property.get("pattern").and_then(Tree::as_str);
    let mut report = |rule| issues.push(LintIssue::new(path, rule));
    if is_amount_name(name) {
        match kind {
            Some("number" | "integer") => report(LintRule::AmountNotString),
            Some("string") if !pattern.is_some_and(mentions_digits) => {
                report(LintRule::AmountNoPattern);
            }
            _ => {}
        }
    }
    if is_address_name(name) && !matches!(kind, Some("array" | "object")) {
        let patterned = kind == Some("string") && pattern.is_some_and(|p| !p.is_empty());
        if !patterned {
            report(LintRule::AddressNotPatternedString);
        }
    }
    if matches!(name, "chain" | "chain_id") {
        let choices = property.get("enum").and_then(Tree::as_array);
        if choices.is_none_or(<[Tree]>::is_empty) {
            report(LintRule::ChainNotEnum);
        }
    }
}

fn type_of(node: Option<&Entries>) -> Option<&str> {
    node?.get("type")?.as_str()
}

fn mentions_digits(pattern: &str) -> bool {
    pattern.contains("[0-9]") || pattern.contains("\\d")
}

/// `^(amount|amount_.+|value|.+_wei|.+_base_units|uint256)$`.
fn is_amount_name(name: &str) -> bool {
    matches!(name, "amount" | "value" | "uint256")
        || name.strip_prefix("amount_").is_some_and(is_any_text)
        || name.strip_suffix("_wei").is_some_and(is_any_text)
        || name.strip_suffix("_base_units").is_some_and(is_any_text)
}

/// `^(address|.+_address|to|from|token|recipient)$`.
fn is_address_name(name: &str) -> bool {
    matches!(name, "address" | "to" | "from" | "token" | "recipient")
        || name.strip_suffix("_address").is_some_and(is_any_text)
}

/// `.+`.
fn is_any_text(text: &str) -> bool {
    !text.is_empty() && !text.contains(is_line_terminator)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rules(schema: &Value) -> Vec<(String, &'static str)> {
        lint_portable_schema(schema)
            .into_iter()
            .map(|issue| (issue.path, issue.rule.as_str()))
            .collect()
    }

    #[test]
    fn names_are_recognised_whole() {
        for name in [
            "amount",
            "amount_in",
            "value",
            "fee_wei",
            "a_base_units",
            "uint256",
        ] {
            assert!(is_amount_name(name), "{name}");
        }
        for name in [
            "amount_",
            "_wei",
            "max_value",
            "Amount",
            "amount_\n",
            "uint256s",
        ] {
            assert!(!is_amount_name(name), "{name:?}");
        }
        for name in [
            "address",
            "to",
            "from",
            "token",
            "recipient",
            "safe_address",
        ] {
            assert!(is_address_name(name), "{name}");
        }
        for name in ["_address", "tokens", "toAddress", "\u{2028}_address"] {
            assert!(!is_address_name(name), "{name:?}");
        }
    }

    #[test]
    fn the_walk_goes_in_a_fixed_order() {
        let bad = json!({"$ref": "#"});
        let schema = json!({
            "type": "object",
            "prefixItems": [1, bad], "allOf": [bad], "anyOf": [bad], "oneOf": [bad],
            "propertyNames": bad, "contains": bad, "else": bad, "then": bad, "if": bad, "not": bad,
            "additionalProperties": bad, "items": bad,
            "properties": {"z": bad},
        });
        let paths: Vec<String> = rules(&schema).into_iter().map(|(path, _)| path).collect();
        assert_eq!(
            paths,
            [
                "$.oneOf",
                "$.anyOf",
                "$.allOf",
                "$.not",
                "$.properties.z.$ref",
                "$.items.$ref",
                "$.additionalProperties.$ref",
                "$.not.$ref",
                "$.if.$ref",
                "$.then.$ref",
                "$.else.$ref",
                "$.contains.$ref",
                "$.propertyNames.$ref",
                "$.oneOf[0].$ref",
                "$.anyOf[0].$ref",
                "$.allOf[0].$ref",
                "$.prefixItems[1].$ref",
            ]
        );
    }

    #[test]
    fn text_keeps_the_order_of_the_document() {
        let text = r#"{"type":"object","properties":{"to":{},"amount":{"type":"number"}}}"#;
        let of_text = lint_portable_schema_text(text).unwrap();
        assert_eq!(of_text[0].path, "$.properties.to");
        let of_value = lint_portable_schema(&serde_json::from_str(text).unwrap());
        assert_eq!(of_value[0].path, "$.properties.amount");
        assert!(lint_portable_schema_text("{").is_err());
    }

    #[test]
    fn a_name_can_break_two_rules() {
        let schema = json!({
            "type": "object",
            "properties": {"amount_address": {"type": "integer"}},
        });
        let path = "$.properties.amount_address".to_owned();
        assert_eq!(
            rules(&schema),
            [
                (path.clone(), "amount_not_string"),
                (path, "address_not_patterned_string"),
            ]
        );
    }
}
