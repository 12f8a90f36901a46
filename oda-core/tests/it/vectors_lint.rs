//! `oda-lint.json`.

use oda_core::{
    FieldError, LintIssue, lint_description, lint_descriptor_text, lint_portable_schema_text,
    validate_descriptor_text,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::vectors::load;

#[derive(Deserialize)]
struct Lints {
    schemas: Vec<SchemaCase>,
    descriptions: Vec<DescriptionCase>,
    descriptors: Vec<DescriptorCase>,
    descriptor_validation: Vec<ValidationCase>,
}

#[derive(Deserialize)]
struct SchemaCase {
    name: String,
    schema: Box<RawValue>,
    issues: Vec<Issue>,
}

#[derive(Deserialize)]
struct DescriptionCase {
    text: String,
    utf16_length: usize,
    rules: Vec<String>,
}

#[derive(Deserialize)]
struct DescriptorCase {
    name: String,
    descriptor: Box<RawValue>,
    issues: Vec<Issue>,
}

#[derive(Deserialize)]
struct ValidationCase {
    name: String,
    descriptor: Box<RawValue>,
    ok: bool,
    errors: Vec<String>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Issue {
    rule: String,
    path: String,
}

fn plain(issues: Vec<LintIssue>) -> Vec<Issue> {
    issues
        .into_iter()
        .map(|issue| Issue {
            rule: issue.rule.to_string(),
            path: issue.path,
        })
        .collect()
}

#[test]
fn schemas() {
    let file: Lints = load("oda-lint.json");
    assert!(file.schemas.len() >= 60);
    for case in file.schemas {
        let issues = lint_portable_schema_text(case.schema.get()).unwrap();
        assert_eq!(plain(issues), case.issues, "{}", case.name);
    }
}

#[test]
fn descriptions() {
    let file: Lints = load("oda-lint.json");
    assert!(file.descriptions.len() >= 80);
    for case in file.descriptions {
        assert_eq!(case.text.encode_utf16().count(), case.utf16_length);
        let rules: Vec<String> = lint_description(&case.text)
            .iter()
            .map(|issue| issue.rule.to_string())
            .collect();
        assert_eq!(rules, case.rules, "{:?}", case.text);
    }
}

#[test]
fn descriptors() {
    let file: Lints = load("oda-lint.json");
    assert!(file.descriptors.len() >= 10);
    for case in file.descriptors {
        let issues = lint_descriptor_text(case.descriptor.get()).unwrap();
        assert_eq!(plain(issues), case.issues, "{}", case.name);
    }
}

#[test]
fn descriptor_structure() {
    let file: Lints = load("oda-lint.json");
    assert!(file.descriptor_validation.len() >= 30);
    for case in file.descriptor_validation {
        let errors = validate_descriptor_text(case.descriptor.get()).unwrap();
        let names: Vec<&str> = errors.iter().map(FieldError::name).collect();
        assert_eq!(names, case.errors, "{}", case.name);
        assert_eq!(errors.is_empty(), case.ok, "{}", case.name);
    }
}
