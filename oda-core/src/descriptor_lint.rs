//! The lint of a whole descriptor: names, schemas, description.

use oda_canon::CanonError;
use serde_json::Value;

use crate::description_lint::lint_description;
use crate::lint::{LintIssue, LintRule};
use crate::names::id_to_name;
use crate::schema_lint;
use crate::tree::{Entries, Tree};

/// What a descriptor does that its structure allows and a host dislikes: ODA draft 0, sections 2
/// to 4. Empty when there is nothing.
///
/// The order is id, name, input schema, output schema, description. Whether the value is a
/// descriptor at all is what [`validate_descriptor`](crate::validate_descriptor) says.
#[must_use]
pub fn lint_descriptor(descriptor: &Value) -> Vec<LintIssue> {
    lint(&Tree::of(descriptor))
}

/// [`lint_descriptor`] on JSON text, with the issues of a schema in the order of the document.
///
/// # Errors
///
/// A [`CanonError`] when the text is not strict JSON.
pub fn lint_descriptor_text(descriptor: &str) -> Result<Vec<LintIssue>, CanonError> {
    Ok(lint(&Tree::parse(descriptor.as_bytes())?))
}

pub(crate) fn lint(descriptor: &Tree) -> Vec<LintIssue> {
    let none = Entries::default();
    let root = descriptor.as_object().unwrap_or(&none);
    let text = |key| root.get(key).and_then(Tree::as_str);
    let mut issues = Vec::new();
    match text("id").map(id_to_name) {
        Some(Ok(name)) if text("name") == Some(name.as_str()) => {}
        Some(Ok(_)) => issues.push(LintIssue::new("name", LintRule::NameMismatch)),
        Some(Err(_)) | None => issues.push(LintIssue::new("id", LintRule::IdInvalid)),
    }
    issues.extend(schema_lint::lint(
        root.get("input_schema").unwrap_or(&Tree::Null),
        "input_schema",
    ));
    match root.get("output_schema") {
        None | Some(Tree::Null) => issues.push(LintIssue::new(
            "output_schema",
            LintRule::OutputSchemaMissing,
        )),
        Some(schema) => issues.extend(schema_lint::lint(schema, "output_schema")),
    }
    issues.extend(
        text("description")
            .map(lint_description)
            .unwrap_or_default(),
    );
    issues
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_no_object_lacks_everything() {
        for value in [Value::Null, serde_json::json!([1]), serde_json::json!("x")] {
            let rules: Vec<_> = lint_descriptor(&value)
                .iter()
                .map(|issue| issue.rule.as_str())
                .collect();
            assert_eq!(
                rules,
                ["id_invalid", "root_not_object", "output_schema_missing"]
            );
        }
    }

    #[test]
    fn messages_name_the_place_and_what_to_do() {
        let issues = lint_descriptor_text(r#"{"id":"a.b","name":"c"}"#).unwrap();
        assert!(
            issues[0]
                .to_string()
                .starts_with("name: make the name the id")
        );
    }
}
