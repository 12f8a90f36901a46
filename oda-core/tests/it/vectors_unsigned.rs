//! The unsigned payloads of `oda-validate.json`.

use oda_core::{FieldError, validate_unsigned_text};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::vectors::load;

#[derive(Deserialize)]
struct Validations {
    unsigned_payloads: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    payload: Box<RawValue>,
    ok: bool,
    errors: Vec<String>,
}

#[test]
fn unsigned_payloads() {
    let file: Validations = load("oda-validate.json");
    assert!(file.unsigned_payloads.len() >= 40);
    for case in file.unsigned_payloads {
        let errors = validate_unsigned_text(case.payload.get()).unwrap();
        let names: Vec<&str> = errors.iter().map(FieldError::name).collect();
        assert_eq!(names, case.errors, "{}", case.name);
        assert_eq!(errors.is_empty(), case.ok, "{}", case.name);
    }
}
