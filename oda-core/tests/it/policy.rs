//! Reading a policy file: which fault is named, and what a file means.

use oda_core::{Policy, PolicyError};
use serde_json::{Value, json};

const POLICY_SCHEMA: &str = "sato.policy/v1";

/// The keys, in the order of the schema.
const KEYS: [&str; 17] = [
    "schema",
    "version",
    "network",
    "allow_chains",
    "allow_tokens",
    "allow_contracts",
    "allow_recipients",
    "allow_venues",
    "max_usd_per_trade",
    "max_usd_per_day",
    "max_per_trade",
    "max_slippage_bps",
    "intent_ttl_s",
    "unknown_verdict",
    "require_simulation",
    "human_approval",
    "scan",
];

const SCAN_KEYS: [&str; 5] = [
    "lookalike",
    "token",
    "payto_changed",
    "treasury_recipients",
    "hosted_check",
];

fn with(key: &str, value: Value) -> Result<Policy, PolicyError> {
    let mut file = json!({"schema": POLICY_SCHEMA});
    file[key] = value;
    Policy::from_value(&file)
}

fn field(key: &str, value: Value) -> String {
    with(key, value).unwrap_err().field
}

#[test]
fn a_file_with_only_its_schema_is_the_default() {
    let policy = Policy::parse(br#"{"schema":"sato.policy/v1"}"#).unwrap();
    assert_eq!(policy, Policy::default_policy());
    let again = Policy::from_value(&serde_json::to_value(&policy).unwrap());
    assert_eq!(again, Ok(policy));
}

#[test]
fn faults_come_in_a_fixed_order() {
    let mut file = json!({
        "zz": 1, "schema": "x", "version": 2, "network": null, "allow_chains": 1,
        "allow_tokens": 1, "allow_contracts": 1, "allow_recipients": 1, "allow_venues": 1,
        "max_usd_per_trade": 0, "max_usd_per_day": 0, "max_per_trade": null,
        "max_slippage_bps": -1, "intent_ttl_s": null, "unknown_verdict": null,
        "require_simulation": null, "human_approval": null, "scan": null,
    });
    assert_eq!(Policy::from_value(&file).unwrap_err().field, "unknown:zz");
    file.as_object_mut().unwrap().remove("zz");
    for key in KEYS {
        assert_eq!(Policy::from_value(&file).unwrap_err().field, key);
        if key == "schema" {
            file[key] = json!(POLICY_SCHEMA);
        } else {
            file.as_object_mut().unwrap().remove(key);
        }
    }
    assert_eq!(Policy::from_value(&file), Ok(Policy::default_policy()));
}

#[test]
fn the_first_unknown_key_of_the_document_is_named_with_a_suggestion() {
    let text = br#"{"zeta":1,"alpha":2,"schema":"sato.policy/v1"}"#;
    assert_eq!(Policy::parse(text).unwrap_err().field, "unknown:zeta");
    let error = with("max_usd_per_dat", json!(1)).unwrap_err();
    assert!(error.to_string().contains("`max_usd_per_day`"), "{error}");
    assert_eq!(field("scan", json!({"x": 1})), "unknown:scan.x");
}

#[test]
fn a_repeated_key_is_refused() {
    let text = br#"{"schema":"sato.policy/v1","max_usd_per_day":5,"max_usd_per_day":5000}"#;
    let error = Policy::parse(text).unwrap_err();
    assert_eq!(
        (error.code(), error.field.as_str()),
        ("invalid_policy", "policy")
    );
    assert!(error.rule.contains("max_usd_per_day"), "{error}");
}

#[test]
fn numbers_have_bounds() {
    for (key, value) in [
        ("max_usd_per_day", json!(-0.0)),
        ("max_usd_per_day", json!("5")),
        ("max_slippage_bps", json!(5001)),
        ("max_slippage_bps", json!(0.5)),
        ("intent_ttl_s", json!(0)),
        ("intent_ttl_s", json!(3601)),
        ("intent_ttl_s", json!(1.5)),
        ("version", json!("1")),
    ] {
        assert_eq!(field(key, value.clone()), key, "{value}");
    }
    assert_eq!(with("intent_ttl_s", json!(1.0)).unwrap().intent_ttl_s, 1);
    assert_eq!(
        with("max_slippage_bps", json!(0)).unwrap().max_slippage_bps,
        Some(0)
    );
    assert_eq!(
        with("max_usd_per_day", json!(null))
            .unwrap()
            .max_usd_per_day,
        None
    );
}

#[test]
fn lists_have_a_limit_and_drop_exact_repetitions() {
    let many: Vec<String> = (0..201).map(|n| format!("c{n}")).collect();
    assert!(with("allow_chains", json!(many[..200])).is_ok());
    assert_eq!(field("allow_chains", json!(many)), "allow_chains");
    let tokens = json!(["base:usdc", "base:USDC", "base:usdc"]);
    assert_eq!(with("allow_tokens", tokens).unwrap().allow_tokens.len(), 2);
    assert_eq!(field("allow_venues", json!(["a", ""])), "allow_venues[1]");
    assert_eq!(field("allow_venues", json!(["-a"])), "allow_venues[0]");
    assert_eq!(field("allow_tokens", json!([1])), "allow_tokens[0]");
}

#[test]
fn scan_is_read_and_covered_by_the_digest() {
    let policy = with("scan", json!({})).unwrap();
    assert_eq!(
        policy.scan.as_ref().map(|scan| scan.lookalike.as_str()),
        Some("refuse")
    );
    assert_ne!(
        policy.policy_digest(),
        Policy::default_policy().policy_digest()
    );
    for key in SCAN_KEYS {
        let fault = field("scan", json!({key: null}));
        assert_eq!(fault, format!("scan.{key}"));
    }
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_a_policy_or_an_error(
        text in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200),
    ) {
        let _ = Policy::parse(&text);
    }

    #[test]
    fn any_value_of_any_key_is_read_or_named(
        key in proptest::sample::select(&KEYS[1..]),
        text in "(null|true|-?[0-9]{1,25}|\"[a-z:0-9]{0,9}\"|\\[(\"a:b\")?\\]|\\{\"a:b\":\"1\"\\})",
    ) {
        let file = format!(r#"{{"schema":"{POLICY_SCHEMA}","{key}":{text}}}"#);
        match Policy::parse(file.as_bytes()) {
            Ok(policy) => {
                let again = Policy::parse(&oda_canon::to_vec(&policy).unwrap());
                proptest::prop_assert_eq!(again, Ok(policy));
            }
            Err(error) => proptest::prop_assert!(
                error.field.contains(key) || error.field == "policy"
                    || error.field == "unknown:scan.a:b"
            ),
        }
    }
}
