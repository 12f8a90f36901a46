//! `oda-lint.json`: schema, description and descriptor lints, and the structure of descriptors.

use oda_core::{
    LintIssue, lint_description, lint_descriptor_text, lint_portable_schema_text,
    validate_descriptor_text,
};
use serde_json::{Value, json};

use super::super::case::{Case, Check, Malformed};
use super::super::load::VectorFile;
use super::List;

pub(super) const LISTS: &[List] = &[
    List::each("schemas", &["name"], schema),
    List::each("descriptions", &["text"], description),
    List::each("descriptors", &["name"], descriptor),
    List::each("descriptor_validation", &["name"], validation),
];

/// The order of issues follows the order of the document's keys, so the text is linted as it stands.
fn schema(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let actual = match lint_portable_schema_text(case.raw("schema")?.get()) {
        Ok(issues) => issue_list(&issues),
        Err(error) => json!({ "error": error.code() }),
    };
    Ok(Check::compared(case.read::<Value>("issues")?, actual))
}

fn description(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let text: String = case.read("text")?;
    let rules: Vec<&str> = lint_description(&text)
        .iter()
        .map(|issue| issue.rule.as_str())
        .collect();
    let expected = json!({
        "utf16_length": case.read::<Value>("utf16_length")?,
        "rules": case.read::<Value>("rules")?,
    });
    let actual = json!({ "utf16_length": text.encode_utf16().count(), "rules": rules });
    Ok(Check::compared(expected, actual))
}

fn descriptor(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let actual = match lint_descriptor_text(case.raw("descriptor")?.get()) {
        Ok(issues) => issue_list(&issues),
        Err(error) => json!({ "error": error.code() }),
    };
    Ok(Check::compared(case.read::<Value>("issues")?, actual))
}

fn validation(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let expected = json!({
        "ok": case.read::<bool>("ok")?,
        "errors": case.read::<Value>("errors")?,
    });
    let actual = match validate_descriptor_text(case.raw("descriptor")?.get()) {
        Ok(errors) => {
            let names: Vec<&str> = errors.iter().map(oda_receipts::FieldError::name).collect();
            json!({ "ok": errors.is_empty(), "errors": names })
        }
        Err(error) => json!({ "ok": false, "error": error.code() }),
    };
    Ok(Check::compared(expected, actual))
}

/// Rule and place; the wording of a message is free.
pub(super) fn issue_list(issues: &[LintIssue]) -> Value {
    issues
        .iter()
        .map(|issue| json!({ "rule": issue.rule.as_str(), "path": issue.path }))
        .collect()
}
