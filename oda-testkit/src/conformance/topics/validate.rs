//! `oda-validate.json`: the shape of payloads and receipts.

use oda_core::validate_unsigned_text;
use oda_receipts::{FieldError, validate_receipt};
use serde_json::{Value, json};

use super::super::case::{Case, Check, Malformed};
use super::super::load::VectorFile;
use super::List;

pub(super) const LISTS: &[List] = &[
    List::each("unsigned_payloads", &["name"], unsigned_payload),
    List::each("receipts", &["name"], receipt),
    List::each(
        "typed_data_signature_rule",
        &["typed_data_signature"],
        typed_data_signature,
    ),
];

fn unsigned_payload(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let errors = validate_unsigned_text(case.raw("payload")?.get())
        .map_err(|error| Malformed(format!("`payload`: {error}")))?;
    Ok(Check::compared(expected(case)?, told(&errors)))
}

fn receipt(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    Ok(Check::compared(
        expected(case)?,
        told(&validate_receipt(&case.read("receipt")?)),
    ))
}

/// The signature stands in a receipt of the file that is otherwise good.
fn typed_data_signature(case: &Case, file: &VectorFile) -> Result<Check, Malformed> {
    let good = file
        .lists
        .iter()
        .filter(|(name, _)| name == "receipts")
        .flat_map(|(_, cases)| cases)
        .find(|case| case.read("ok") == Ok(true));
    let Some(good) = good else {
        return Ok(Check::unchecked(
            "the file has no receipt to put the signature into",
        ));
    };
    let mut receipt: Value = good.read("receipt")?;
    receipt["typed_data_signature"] = case.read("typed_data_signature")?;
    let accepted = validate_receipt(&receipt).is_empty();
    Ok(Check::compared(case.read::<bool>("accepted")?, accepted))
}

fn expected(case: &Case) -> Result<Value, Malformed> {
    Ok(json!({ "ok": case.read::<bool>("ok")?, "errors": case.read::<Value>("errors")? }))
}

fn told(errors: &[FieldError]) -> Value {
    let names: Vec<&str> = errors.iter().map(FieldError::name).collect();
    json!({ "ok": errors.is_empty(), "errors": names })
}
