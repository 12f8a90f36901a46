//! The shared vectors: results of ODA's reference implementation.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::path::Path;

use oda_receipts::{
    Checks, FaultKind, Link, Receipt, ReceiptDraft, ReceiptError, Verifier, validate_receipt,
};
use serde_json::Value;

fn vectors(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../oda-testkit/testdata/vectors");
    let text = std::fs::read(folder.join(name)).expect("the vector file is in the repository");
    serde_json::from_slice(&text).expect("the vector file is JSON")
}

fn list<'a>(of: &'a Value, key: &str) -> &'a Vec<Value> {
    let list = of[key].as_array().expect("a list");
    assert!(!list.is_empty(), "{key} has cases");
    list
}

/// The draft that a sealed receipt of the vectors was made from.
fn draft_of(receipt: &Value) -> ReceiptDraft {
    Receipt::try_from(receipt)
        .expect("a sealed receipt")
        .into_draft()
}

#[test]
fn the_chain_seals_to_the_same_bytes() {
    let file = vectors("oda-receipts.json");
    let mut prev: Option<Link> = None;
    for case in list(&file, "chain") {
        let sealed = Receipt::seal(draft_of(&case["receipt"]), prev).expect("seals");
        assert_eq!(sealed.hash().to_string(), case["hash"]);
        let member = format!("\"hash\":\"{}\",", sealed.hash());
        assert_eq!(
            sealed.as_json().replacen(&member, "", 1),
            case["hash_input"].as_str().unwrap()
        );
        let foreign = case["line"].as_str().unwrap();
        assert_ne!(
            foreign,
            sealed.as_json(),
            "the reference writes other key orders"
        );
        assert_eq!(
            Receipt::from_line(foreign.as_bytes()).expect("reads"),
            sealed
        );
        assert_eq!(serde_json::to_value(&sealed).unwrap(), case["receipt"]);
        prev = Some(sealed.link());
    }
    assert_eq!(
        Receipt::seal(draft_of(&file["chain"][0]["receipt"]), None)
            .unwrap()
            .prev_hash()
            .to_string(),
        file["genesis_prev_hash"]
    );
}

/// A file of the given lines; the reference's `null` line is the JSON text `null`.
fn log_of(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_chain_alone_verifies_as_in_the_reference() {
    for case in list(&vectors("oda-receipts.json"), "verify") {
        let log = log_of(case["lines"].as_array().unwrap());
        let outcome = Verifier::new(Checks::chain_only()).verify(log.as_bytes());
        let broken_at = match &outcome {
            Ok(_) => None,
            Err(ReceiptError::Broken(fault)) => Some(fault.index),
            Err(other) => panic!("{}: {other}", case["name"]),
        };
        assert_eq!(
            broken_at,
            case["broken_at"].as_u64(),
            "{}: {outcome:?}",
            case["name"]
        );
        assert_eq!(
            outcome.is_ok(),
            case["ok"].as_bool().unwrap(),
            "{}",
            case["name"]
        );
    }
}

#[test]
fn full_checks_never_find_less_than_the_chain_alone() {
    for case in list(&vectors("oda-receipts.json"), "verify") {
        let log = log_of(case["lines"].as_array().unwrap());
        let Some(broken_at) = case["broken_at"].as_u64() else {
            continue;
        };
        let Err(ReceiptError::Broken(fault)) = Verifier::new(Checks::full()).verify(log.as_bytes())
        else {
            panic!("{} verified", case["name"]);
        };
        assert!(fault.index <= broken_at, "{}: {fault}", case["name"]);
    }
}

#[test]
fn full_checks_find_the_first_impossible_life_in_the_synthetic_chain() {
    let file = vectors("oda-receipts.json");
    let lines: Vec<Value> = list(&file, "chain")
        .iter()
        .map(|c| c["receipt"].clone())
        .collect();
    let Err(ReceiptError::Broken(fault)) =
        Verifier::new(Checks::full()).verify(log_of(&lines).as_bytes())
    else {
        panic!("the fourth line is `failed` for an intent never prepared");
    };
    assert_eq!((fault.index, fault.line), (3, 4));
    assert!(matches!(fault.kind, FaultKind::StateOrder(_)), "{fault}");
    let good = log_of(&lines[..3]);
    assert_eq!(fault.offset, good.len() as u64);
    assert_eq!(
        Verifier::new(Checks::full())
            .verify(good.as_bytes())
            .unwrap()
            .last,
        fault.last_good
    );
}

#[test]
fn shapes_are_judged_as_in_the_reference() {
    for case in list(&vectors("oda-validate.json"), "receipts") {
        let errors = validate_receipt(&case["receipt"]);
        let names: Vec<&str> = errors.iter().map(oda_receipts::FieldError::name).collect();
        let expected: Vec<&str> = case["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|e| e.as_str().unwrap())
            .collect();
        assert_eq!(names, expected, "{}", case["name"]);
        assert_eq!(
            errors.is_empty(),
            case["ok"].as_bool().unwrap(),
            "{}",
            case["name"]
        );
    }
}

#[test]
fn typed_data_signatures_follow_the_written_rule() {
    let file = vectors("oda-validate.json");
    let whole = &list(&file, "receipts")[0]["receipt"];
    for case in list(&file, "typed_data_signature_rule") {
        let mut receipt = whole.clone();
        receipt["typed_data_signature"] = case["typed_data_signature"].clone();
        let errors = validate_receipt(&receipt);
        assert_eq!(
            errors.is_empty(),
            case["accepted"].as_bool().unwrap(),
            "{case}: {errors:?}"
        );
    }
}
