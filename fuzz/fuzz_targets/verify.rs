//! Any bytes as a receipts log: never a panic, and the stricter checks accept less. Then the same
//! bytes as one receipt, given the right place and hash: the one-pass reader, the reader of
//! parsed values and the validator must agree on it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use oda_canon::{Digest, canonicalize, parse_strict};
use oda_receipts::{Checks, Receipt, ReceiptError, Report, Verifier, validate_receipt};
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    let exact = verify(Checks::exact(), bytes);
    let full = verify(Checks::full(), bytes);
    let chain = verify(Checks::chain_only(), bytes);
    if let Some(report) = exact {
        assert_eq!(full, Some(report), "exact lines are whole lines");
    }
    if let Some(report) = full {
        let chain = chain.expect("whole receipts are a chain");
        assert_eq!((chain.lines, chain.last), (report.lines, report.last));
    }
    resealed(bytes);
});

fn verify(checks: Checks, log: &[u8]) -> Option<Report> {
    match Verifier::new(checks).verify(log) {
        Ok(report) => Some(report),
        Err(ReceiptError::Broken(_)) => None,
        Err(other) => panic!("reading from memory failed: {other}"),
    }
}

/// Puts the bytes at the start of a chain, when they are a JSON object, and compares verdicts.
fn resealed(bytes: &[u8]) {
    let Ok(Value::Object(mut root)) = parse_strict::<Value>(bytes) else {
        return;
    };
    root.insert("seq".into(), 0.into());
    root.insert("prev_hash".into(), Digest::ZERO.to_string().into());
    root.remove("hash");
    // A value keeps large numbers as integers, which only its text can be hashed with.
    let text = Value::Object(root.clone()).to_string();
    let Ok(hash) = oda_canon::digest_text(text.as_bytes()) else {
        return;
    };
    root.insert("hash".into(), hash.to_string().into());
    let value = Value::Object(root);
    let text = value.to_string();

    assert!(
        verify(Checks::chain_only(), text.as_bytes()).is_some(),
        "a chain of one: {text}"
    );
    let errors = validate_receipt(&value);
    let line = canonicalize(text.as_bytes()).expect("it was digested");
    for line in [text.as_bytes(), &line[..]] {
        match Receipt::from_line(line) {
            Ok(receipt) => {
                assert!(errors.is_empty(), "{errors:?}");
                assert_eq!(receipt.hash(), hash);
                let again = Receipt::from_line(receipt.to_line().as_bytes());
                assert_eq!(again.expect("what is written is read"), receipt);
            }
            Err(ReceiptError::Shape(found)) => assert_eq!(found, errors),
            Err(other) => panic!("{other}: {text}"),
        }
    }
}
