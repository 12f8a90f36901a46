//! `oda-approval.json`: effects to approval hints.

use oda_core::approval_hints_of_words;
use serde_json::{Value, json};

use super::super::case::{Case, Check, Malformed};
use super::super::load::VectorFile;
use super::List;

pub(super) const LISTS: &[List] = &[List::each("table", &["effects"], hints)];

/// The members of an answer.
const HINTS: [&str; 4] = [
    "readOnlyHint",
    "idempotentHint",
    "destructiveHint",
    "requiresUserInteraction",
];

fn hints(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let effects: Vec<String> = case.read("effects")?;
    let mut expected = json!({});
    for hint in HINTS {
        expected[hint] = Value::Bool(case.read(hint)?);
    }
    Ok(Check::compared(
        expected,
        json!(approval_hints_of_words(&effects)),
    ))
}
