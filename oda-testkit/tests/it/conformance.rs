//! The conformance runner: over the repository's own copy of the vectors, and over spoilt ones.

use std::path::{Path, PathBuf};

use oda_testkit::conformance::{self, By, CaseReport, Outcome, Report};
use serde_json::{Value, json};
use tempfile::TempDir;

fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/vectors")
}

fn vector(file: &str) -> Value {
    serde_json::from_slice(&std::fs::read(vectors().join(file)).unwrap()).unwrap()
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    dir
}

fn run(files: &[(&str, &str)]) -> Report {
    conformance::run(folder(files).path()).unwrap()
}

fn only_case(report: &Report) -> &CaseReport {
    let [file] = report.files.as_slice() else {
        panic!("{report}")
    };
    let [case] = file.cases.as_slice() else {
        panic!("{report}")
    };
    case
}

#[test]
fn nothing_fails() {
    let report = conformance::run(&vectors()).unwrap();
    println!("{report}");
    assert!(report.is_ok(), "{report}");
}

/// The files that concern the crates there are: every one of them really runs.
#[test]
fn every_file_of_these_crates_runs() {
    let report = conformance::run(&vectors()).unwrap();
    for file in [
        "oda-actions.json",
        "oda-approval.json",
        "oda-canonical.json",
        "oda-flow.json",
        "oda-intents.json",
        "oda-lint.json",
        "oda-names.json",
        "oda-policy.json",
        "oda-receipts.json",
        "oda-validate.json",
    ] {
        let found = report.file(file).unwrap();
        assert!(found.passed() + found.differ() > found.skipped(), "{found}");
    }
}

#[test]
fn rules_that_published_cases_fall_under_are_at_work() {
    let report = conformance::run(&vectors()).unwrap();
    let at_work: Vec<&str> = report
        .files
        .iter()
        .flat_map(|file| &file.cases)
        .filter_map(|case| match &case.outcome {
            Outcome::Differs {
                by: By::Rules(names),
                ..
            } => Some(names.clone()),
            _ => None,
        })
        .flatten()
        .collect();
    for rule in [
        "lone-surrogate",
        "duplicate-keys",
        "inexact-integer",
        "keys-have-no-order",
        "unknown-effect-cautious",
        "base58-case",
        "token-identity",
        "usd-exact-sum",
        "fresh-simulation-at-execute",
        "one-expired-receipt",
    ] {
        assert!(at_work.contains(&rule), "{rule}");
    }
}

#[test]
fn a_spoilt_answer_fails_by_name_with_expected_and_actual() {
    let mut file = vector("oda-names.json");
    let case = file["id_to_name"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .find(|case| case["id"] == "x402.prepare")
        .unwrap();
    case["name"] = json!("x402_prepared");
    let report = run(&[("oda-names.json", &file.to_string())]);

    assert!(!report.is_ok());
    assert_eq!(report.files[0].failed(), 1);
    let text = report.to_string();
    assert!(
        text.contains("FAILED: oda-names.json id_to_name `x402.prepare`"),
        "{text}"
    );
    assert!(
        text.contains("$.name: expected \"x402_prepared\", actual \"x402_prepare\""),
        "{text}"
    );
    assert_eq!(report.to_json()["ok"], false);
}

#[test]
fn a_spoilt_flow_fails_where_it_was_spoilt() {
    let mut file = vector("oda-flow.json");
    let flow = file["flows"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .find(|flow| flow["name"] == "daily total")
        .unwrap();
    flow["receipts"][1]["status"] = json!("failed");
    let report = run(&[("oda-flow.json", &file.to_string())]);

    assert_eq!(report.files[0].failed(), 1);
    let text = report.to_string();
    assert!(
        text.contains("$.receipts[1].status: expected \"failed\", actual \"executed\""),
        "{text}"
    );
}

#[test]
fn a_difference_that_is_stated_excuses_no_other() {
    // Under the rule `duplicate-keys` the answer is one error, whatever the file expects instead of it.
    let case = json!({ "name": "n", "json_text": "{\"a\":1,\"a\":2}", "canonical": "c",
        "canonical_utf8_hex": "", "sha256": "" });
    let report = run(&[(
        "oda-canonical.json",
        &json!({ "from_json_text": [case] }).to_string(),
    )]);
    assert!(
        matches!(&only_case(&report).outcome, Outcome::Differs { .. }),
        "{report}"
    );

    // Under `fresh-simulation-at-execute` only the calls differ: a wrong hash still fails.
    let mut file = vector("oda-flow.json");
    let last = file["flows"][0]["receipts"].as_array().unwrap().len() - 1;
    file["flows"][0]["receipts"][last]["tx_hash"] = json!("0x00");
    assert!(!run(&[("oda-flow.json", &file.to_string())]).is_ok());
}

#[test]
fn a_listed_difference_that_is_gone_fails() {
    let case = json!({ "name": "JSON text 1e400 parses to Infinity, then fails",
        "value": "JSON text 1e400", "ok": false, "error": "non-finite number", "at": "byte 0" });
    let report = run(&[(
        "oda-canonical.json",
        &json!({ "host_values": [case] }).to_string(),
    )]);
    let Outcome::Failed { why, .. } = &only_case(&report).outcome else {
        panic!("{report}")
    };
    assert!(why.contains("does not differ any more"), "{why}");
}

#[test]
fn what_nobody_knows_is_skipped_and_never_passed() {
    let report = run(&[
        (
            "oda-names.json",
            r#"{ "nicknames": [{ "name": "a" }, { "name": "b" }] }"#,
        ),
        (
            "oda-weather.json",
            r#"{ "forecasts": [1, 2, 3], "unit": "K" }"#,
        ),
    ]);
    assert!(report.is_ok());
    let [names, weather] = report.files.as_slice() else {
        panic!("{report}")
    };
    assert_eq!((names.passed(), names.skipped()), (0, 2));
    assert_eq!((weather.passed(), weather.skipped()), (0, 4));
    let text = report.to_string();
    assert!(text.contains("skipped: oda-names.json nicknames (2): this runner does not know"));
    assert!(text.contains("skipped: oda-weather.json forecasts (3): this runner does not know"));
}

#[test]
fn a_case_of_another_form_fails() {
    let report = run(&[(
        "oda-names.json",
        r#"{ "id_to_name": [{ "identifier": "a.b" }] }"#,
    )]);
    let Outcome::Failed { why, .. } = &only_case(&report).outcome else {
        panic!("{report}")
    };
    assert!(why.contains("`id`"), "{why}");
}

#[test]
fn a_flow_with_an_unknown_step_is_skipped() {
    let mut file = vector("oda-flow.json");
    let mut flow = file["flows"][0].clone();
    flow["steps"][0] = json!({ "teleport": 1 });
    file["flows"] = json!([flow]);
    let report = run(&[("oda-flow.json", &file.to_string())]);
    let Outcome::Skipped { reason } = &only_case(&report).outcome else {
        panic!("{report}")
    };
    assert!(reason.contains("teleport"), "{reason}");
}

#[test]
fn text_that_cannot_be_read_here_differs_and_is_told() {
    let case = r#"{ "text": "x\ud800y", "utf16_length": 3, "rules": [] }"#;
    let report = run(&[(
        "oda-lint.json",
        &format!(r#"{{ "descriptions": [{case}] }}"#),
    )]);
    assert!(
        matches!(&only_case(&report).outcome, Outcome::Differs { .. }),
        "{report}"
    );
}

#[test]
fn a_folder_that_cannot_be_checked_is_an_error() {
    let code = |files: &[(&str, &str)]| conformance::run(folder(files).path()).unwrap_err().code();
    assert_eq!(code(&[]), "vectors_not_found");
    assert_eq!(
        code(&[("README.md", "no vectors here")]),
        "vectors_not_found"
    );
    assert_eq!(
        code(&[("oda-names.json", "{ not JSON")]),
        "vectors_malformed"
    );
    assert_eq!(code(&[("oda-names.json", "[]")]), "vectors_malformed");
    let gone = conformance::run(Path::new("/nowhere/at/all")).unwrap_err();
    assert_eq!(gone.code(), "vectors_unreadable");
}

/// What the reference does to an intent that was executed and is asked for again after its time: it writes an
/// `expired` receipt. No published case shows it, so this one is made from a published one.
#[test]
fn an_executed_intent_does_not_expire_later() {
    let mut file = vector("oda-flow.json");
    let mut flow = file["flows"]
        .as_array()
        .unwrap()
        .iter()
        .find(|flow| flow["name"] == "solana with the capability")
        .unwrap()
        .clone();
    let steps = flow["steps"].as_array_mut().unwrap();
    steps.push(json!({ "advance_ms": 300_000 }));
    steps.push(json!({ "execute": 0, "error": "expired" }));
    let receipts = flow["receipts"].as_array_mut().unwrap();
    let mut expired = receipts[0].clone();
    expired["status"] = json!("expired");
    expired["seq"] = json!(2);
    expired["created_at"] = json!("2026-09-26T12:05:00.000Z");
    receipts.push(expired);
    file["flows"] = json!([flow]);

    let report = run(&[("oda-flow.json", &file.to_string())]);
    let Outcome::Differs {
        by: By::Rules(rules),
        ..
    } = &only_case(&report).outcome
    else {
        panic!("{report}")
    };
    assert_eq!(
        rules,
        &["fresh-simulation-at-execute", "executed-never-expires"]
    );
}

#[test]
fn a_spender_that_no_list_knows_is_refused() {
    let case = json!({
        "name": "spender",
        "policy_file": { "schema": "sato.policy/v1",
            "allow_recipients": ["base:0x0000000000000000000000000000000000000001"] },
        "facts": { "action": "token.approve", "chain": "base", "network": "fork", "usd_value": 0,
            "spender": "0x0000000000000000000000000000000000000002",
            "simulation": { "ok": true }, "ttl_s": 60 },
        "ok": true,
        "refusals": [],
    });
    let report = run(&[(
        "oda-policy.json",
        &json!({ "preflight": [case] }).to_string(),
    )]);
    let Outcome::Differs {
        by: By::Rules(rules),
        ..
    } = &only_case(&report).outcome
    else {
        panic!("{report}")
    };
    assert_eq!(rules, &["spender-is-checked"]);
}
