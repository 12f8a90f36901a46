//! `oda-actions.json`: the reference's actions and tools as descriptors.

use oda_core::{
    approval_hints_of_words, id_to_name, lint_descriptor_text, lint_portable_schema_text,
    validate_descriptor_text,
};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::case::{Case, Check, Malformed};
use super::super::load::VectorFile;
use super::{List, lint};

pub(super) const LISTS: &[List] = &[
    List::each("actions", &["id"], action),
    List::each("meta_tools", &["name"], tool),
    List::none(
        "registry_order",
        "the order in which the reference registers its actions binds nobody",
    ),
    List::none(
        "default_profile",
        "which tools a server offers by default comes with a later issue",
    ),
];

/// The members of a descriptor that the file leaves out, because they are prose.
const PROSE: &str = r#""schema":"sato.action/v1","title":"t","description":"d","fixtures":["f"]"#;

/// The members that the file adds.
const BESIDES: [&str; 2] = ["kind", "hints"];

/// What our own descriptor of the same action is compared in: everything but prose, and `upstream`, which names
/// the packages that an implementation is built on.
const COMPARED: [&str; 10] = [
    "id",
    "name",
    "version",
    "effects",
    "custody",
    "chains",
    "input_schema",
    "output_schema",
    "policy",
    "receipt",
];

fn action(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let text = descriptor(case)?;
    let id: String = case.read("id")?;
    let mut expected = json!({
        "name": case.read::<String>("name")?,
        "hints": case.read::<Value>("hints")?,
        "errors": [],
        "issues": [],
    });
    let mut actual = json!({
        "name": id_to_name(&id).map(|name| name.to_string()).ok(),
        "hints": approval_hints_of_words(&case.read::<Vec<String>>("effects")?),
        "errors": match validate_descriptor_text(&text) {
            Ok(errors) => errors.iter().map(oda_receipts::FieldError::name).collect(),
            Err(error) => json!(error.code()),
        },
        "issues": match lint_descriptor_text(&text) {
            Ok(issues) => lint::issue_list(&issues),
            Err(error) => json!(error.code()),
        },
    });
    if let Some(own) = own_descriptor(&id) {
        let reference: Value = case.whole()?;
        for field in COMPARED {
            expected["ours"][field] = reference[field].clone();
            actual["ours"][field] = own[field].clone();
        }
    }
    Ok(Check::compared(expected, actual))
}

#[cfg(feature = "evm")]
fn own_descriptor(id: &str) -> Option<Value> {
    super::own_actions::descriptor(id)
}

#[cfg(not(feature = "evm"))]
fn own_descriptor(_: &str) -> Option<Value> {
    None
}

/// The descriptor's text, its keys in the file's order.
fn descriptor(case: &Case) -> Result<String, Malformed> {
    let mut text = format!("{{{PROSE}");
    for (key, value) in case.members() {
        if !BESIDES.contains(&key.as_str()) {
            text.push_str(&format!(",{}:{}", Value::String(key.clone()), value.get()));
        }
    }
    text.push('}');
    Ok(text)
}

fn tool(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let expected =
        json!({ "hints": case.read::<Value>("hints")?, "input_issues": [], "output_issues": [] });
    let issues = |schema: &RawValue| match lint_portable_schema_text(schema.get()) {
        Ok(issues) => lint::issue_list(&issues),
        Err(error) => json!(error.code()),
    };
    let actual = json!({
        "hints": approval_hints_of_words(&case.read::<Vec<String>>("effects")?),
        "input_issues": issues(case.raw("input_schema")?),
        "output_issues": issues(case.raw("output_schema")?),
    });
    Ok(Check::compared(expected, actual))
}
