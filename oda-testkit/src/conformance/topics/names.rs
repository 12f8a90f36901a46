//! `oda-names.json`: ODA ids and tool names.

use oda_core::{ActionId, MAX_TOOL_NAME, id_to_name, name_to_id};
use serde_json::{Value, json};

use super::super::case::{Case, Check, Malformed};
use super::super::load::VectorFile;
use super::List;

pub(super) const LISTS: &[List] = &[
    List::each("id_to_name", &["id"], id_to_tool_name),
    List::each("name_to_id", &["name", "known_ids"], tool_name_to_id),
    List::each("name_max", &[], name_max),
    List::none("id_regex", REGEX),
    List::none("name_regex", REGEX),
];

const REGEX: &str = "a regular expression is not run; the cases that use it are";

fn id_to_tool_name(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let id: String = case.read("id")?;
    let expected = json!({
        "valid_id": case.read::<bool>("valid_id")?,
        "name": case.read::<Option<String>>("name")?,
        "error": case.read::<Option<String>>("error")?,
    });
    let (name, error) = match id_to_name(&id) {
        Ok(name) => (Some(name.to_string()), None),
        Err(error) => (None, Some(error_class(error.code()))),
    };
    let actual = json!({
        "valid_id": id.parse::<ActionId>().is_ok(),
        "name": name,
        "error": error,
    });
    Ok(Check::compared(expected, actual))
}

/// The reference's word for one of our codes.
fn error_class(code: &str) -> &str {
    code
}

fn tool_name_to_id(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let name: String = case.read("name")?;
    let known: Option<Vec<String>> = case.read("known_ids")?;
    let known: Option<Vec<&str>> = known
        .as_ref()
        .map(|ids| ids.iter().map(String::as_str).collect());
    let actual = name_to_id(&name, known.as_deref()).map(|id| id.to_string());
    Ok(Check::compared(case.read::<Value>("id")?, json!(actual)))
}

fn name_max(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    Ok(Check::compared(case.whole::<Value>()?, MAX_TOOL_NAME))
}
