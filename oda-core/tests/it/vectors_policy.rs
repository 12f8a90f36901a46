//! `oda-policy.json`: policy files and evaluations.

use oda_core::{Facts, Policy, evaluate};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::vectors::load;

#[derive(Deserialize)]
struct Policies {
    parse: Vec<ParseCase>,
    preflight: Vec<PreflightCase>,
}

#[derive(Deserialize)]
struct ParseCase {
    name: String,
    input: Box<RawValue>,
    ok: bool,
    error_at: Option<String>,
    policy: Option<Value>,
    policy_digest: Option<String>,
}

#[derive(Deserialize)]
struct PreflightCase {
    name: String,
    policy_file: Box<RawValue>,
    facts: Value,
    ok: bool,
    refusals: Vec<Refused>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Refused {
    rule: String,
    limit: String,
    observed: String,
}

/// Where we do the right thing and the reference does not: the case, and what we refuse.
const DIFFERENCES: [(&str, &[[&str; 3]]); 3] = [
    (
        "recipient base58 differing only in case is allowed",
        &[[
            "recipient_allowlist",
            "solana-devnet:GwRkq9EBWwcLNbFzYYGSKkgoBYo4grLvCV67dHoEZ4ZB",
            "solana-devnet:gwRkq9EBWwcLNbFzYYGSKkgoBYo4grLvCV67dHoEZ4ZB",
        ]],
    ),
    ("day float total", &[]),
    (
        "cap by symbol does not bind an address",
        &[["max_per_trade", "1", "999999999"]],
    ),
];

#[test]
fn policy_files() {
    let file: Policies = load("oda-policy.json");
    assert!(file.parse.len() >= 40);
    for case in file.parse {
        let parsed = Policy::parse(case.input.get().as_bytes());
        assert_eq!(parsed.is_ok(), case.ok, "{}: {parsed:?}", case.name);
        match parsed {
            Ok(policy) => {
                let form = serde_json::to_value(&policy).unwrap();
                let digest = policy.policy_digest().unwrap().to_string();
                // Compared as canonical text: the file writes 5 where a double is 5.0.
                assert_eq!(
                    oda_canon::to_string(&form).unwrap(),
                    oda_canon::to_string(&case.policy).unwrap(),
                    "{}",
                    case.name
                );
                assert_eq!(Some(digest), case.policy_digest, "{}", case.name);
            }
            Err(error) => assert_eq!(Some(error.field.clone()), case.error_at, "{}", case.name),
        }
    }
}

#[test]
fn evaluations() {
    let file: Policies = load("oda-policy.json");
    assert!(file.preflight.len() >= 50);
    let mut differences = 0;
    for case in file.preflight {
        let policy = Policy::parse(case.policy_file.get().as_bytes()).unwrap();
        let refusals: Vec<Refused> = evaluate(&policy, &Facts::from_value(&case.facts))
            .into_iter()
            .map(|refusal| Refused {
                rule: refusal.rule,
                limit: refusal.limit,
                observed: refusal.observed,
            })
            .collect();
        if let Some((_, ours)) = DIFFERENCES.iter().find(|(name, _)| *name == case.name) {
            let ours: Vec<Refused> = ours
                .iter()
                .map(|[rule, limit, observed]| Refused {
                    rule: (*rule).into(),
                    limit: (*limit).into(),
                    observed: (*observed).into(),
                })
                .collect();
            assert_eq!(refusals, ours, "{}", case.name);
            assert_ne!(refusals, case.refusals, "{}", case.name);
            differences += 1;
        } else {
            assert_eq!(refusals, case.refusals, "{}", case.name);
            assert_eq!(refusals.is_empty(), case.ok, "{}", case.name);
        }
    }
    assert_eq!(differences, DIFFERENCES.len());
}
