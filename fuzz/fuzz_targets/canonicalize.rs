//! Any bytes: never a panic; what is accepted is canonical, means the same to `serde_json`, and
//! has one digest through every door; what is refused is refused with a position inside the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use oda_canon::{canonicalize, digest_bytes, digest_text, parse_strict};
use serde_json::Value;

fuzz_target!(|text: &[u8]| {
    match canonicalize(text) {
        Ok(bytes) => {
            assert_eq!(
                canonicalize(&bytes).as_ref(),
                Ok(&bytes),
                "canonical text is a fixed point"
            );
            assert_eq!(digest_text(text), Ok(digest_bytes(&bytes)));
            let before: Value = parse_strict(text).expect("accepted text is read");
            let after: Value = parse_strict(&bytes).expect("canonical text is read");
            assert_eq!(as_doubles(before), as_doubles(after), "the meaning is kept");
        }
        Err(error) => {
            assert!(
                error.byte().is_some_and(|byte| byte <= text.len()),
                "{error}"
            );
            assert_eq!(parse_strict::<Value>(text), Err(error));
        }
    }
});

/// Every number as the double it stands for.
fn as_doubles(value: Value) -> Value {
    match value {
        Value::Number(number) => number
            .as_f64()
            .map_or(Value::Null, |double| Value::from(double + 0.0)),
        Value::Array(items) => items.into_iter().map(as_doubles).collect(),
        Value::Object(map) => map
            .into_iter()
            .map(|(key, value)| (key, as_doubles(value)))
            .collect(),
        other => other,
    }
}
