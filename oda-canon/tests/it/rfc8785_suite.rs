//! The input, output and hex triples of the RFC 8785 author's own suite.

use oda_canon::{canonicalize, to_vec};
use serde_json::Value;

use crate::suites;

#[test]
fn every_triple_matches() {
    let Some(suite) = suites::folder("jcs") else {
        return;
    };
    let inputs = suites::files(&suite.join("input"));
    assert!(inputs.len() >= 6, "only {} inputs", inputs.len());
    for (name, input) in inputs {
        let output = std::fs::read(suite.join("output").join(&name)).unwrap();
        let hex_name = name.replace(".json", ".txt");
        let hex = std::fs::read_to_string(suite.join("outhex").join(hex_name)).unwrap();
        let from_text = canonicalize(&input).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(
            String::from_utf8_lossy(&from_text),
            String::from_utf8_lossy(&output),
            "{name}"
        );
        let expected: Vec<u8> = hex
            .split_whitespace()
            .map(|byte| u8::from_str_radix(byte, 16).unwrap())
            .collect();
        assert_eq!(from_text, expected, "{name}");
        let value: Value = serde_json::from_slice(&input).unwrap();
        assert_eq!(to_vec(&value).unwrap(), expected, "{name}: typed door");
    }
}
