//! Reading untrusted text into types.

use std::collections::BTreeMap;

use oda_canon::{Digest, parse_strict};
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Policy {
    name: String,
    rules: Vec<Rule>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Rule {
    limit: u32,
}

#[test]
fn good_text_is_read() {
    let policy: Policy = parse_strict(br#" {"rules": [{"limit": 3}], "name": "p"} "#).unwrap();
    assert_eq!(
        policy,
        Policy {
            name: "p".to_owned(),
            rules: vec![Rule { limit: 3 }]
        }
    );
    let map: BTreeMap<String, Digest> = parse_strict(b"{}").unwrap();
    assert!(map.is_empty());
}

#[test]
fn strict_checks_come_first() {
    // The type would take the last one.
    let error = parse_strict::<Value>(br#"{"a":1,"b":{},"a":2}"#).unwrap_err();
    assert_eq!(
        (error.code(), error.byte()),
        ("json_duplicate_key", Some(14))
    );
    // The type would ignore it.
    let error = parse_strict::<Value>(b"1 2").unwrap_err();
    assert_eq!(
        (error.code(), error.byte()),
        ("json_trailing_bytes", Some(2))
    );
    let error = parse_strict::<u64>(b"9007199254740993").unwrap_err();
    assert_eq!(error.code(), "json_inexact_integer");
}

#[test]
fn type_errors_name_path_and_byte() {
    let text = b"{\"name\": \"p\",\n \"rules\": [{\"limit\": 1},\n {\"limit\": \"2\"}]}";
    let error = parse_strict::<Policy>(text).unwrap_err();
    assert_eq!(error.code(), "json_type_mismatch");
    assert_eq!(error.path(), Some("$.rules[1].limit"));
    let byte = error.byte().unwrap();
    let value = text
        .windows(3)
        .position(|window| window == b"\"2\"")
        .unwrap();
    assert!(
        (value..value + 3).contains(&byte),
        "byte {byte}, the value is at {value}"
    );
    let message = error.to_string();
    assert!(
        message.starts_with("$.rules[1].limit, at byte"),
        "{message}"
    );
    assert!(
        message.contains("expected u32") && !message.contains("column"),
        "{message}"
    );
}

#[test]
fn unknown_and_missing_fields_are_named() {
    let unknown = parse_strict::<Policy>(br#"{"name":"p","rules":[],"rulez":[]}"#).unwrap_err();
    assert!(
        unknown.to_string().contains("unknown field `rulez`"),
        "{unknown}"
    );
    let missing = parse_strict::<Policy>(br#"{"name":"p"}"#).unwrap_err();
    assert!(
        missing.to_string().contains("missing field `rules`"),
        "{missing}"
    );
    let root = parse_strict::<Policy>(b"null").unwrap_err();
    assert_eq!(root.path(), Some("$"));
    let upper = format!("\"sha256:{}\"", "A".repeat(64));
    let digest = parse_strict::<Digest>(upper.as_bytes()).unwrap_err();
    assert!(digest.to_string().contains("lower-case"), "{digest}");
}
