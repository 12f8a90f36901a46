//! `oda-policy.json`: policy files, and evaluations of facts under them.

use oda_core::{Facts, Policy, evaluate};
use serde_json::{Value, json};

use super::super::case::{Case, Check, Malformed};
use super::super::load::VectorFile;
use super::List;

pub(super) const LISTS: &[List] = &[
    List::each("parse", &["name"], parse),
    List::each("preflight", &["name"], preflight),
];

fn parse(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let expected = if case.read("ok")? {
        json!({
            "policy": case.read::<Value>("policy")?,
            "policy_digest": case.read::<Value>("policy_digest")?,
        })
    } else {
        json!({ "error_at": case.read::<Value>("error_at")? })
    };
    let actual = match Policy::parse(case.raw("input")?.get().as_bytes()) {
        Ok(policy) => json!({
            "policy": policy,
            "policy_digest": match policy.policy_digest() {
                Ok(digest) => digest.to_string(),
                Err(error) => error.code().to_owned(),
            },
        }),
        Err(error) => json!({ "error_at": error.field }),
    };
    Ok(Check::compared(expected, actual))
}

fn preflight(case: &Case, _: &VectorFile) -> Result<Check, Malformed> {
    let policy = Policy::parse(case.raw("policy_file")?.get().as_bytes())
        .map_err(|error| Malformed(format!("`policy_file`: {error}")))?;
    let facts = Facts::from_value(&case.read("facts")?);
    let refusals = evaluate(&policy, &facts);
    let expected = json!({
        "ok": case.read::<bool>("ok")?,
        "refusals": case.read::<Value>("refusals")?,
    });
    let told: Vec<Value> = refusals
        .iter()
        .map(|refusal| {
            json!({
                "rule": refusal.rule,
                "limit": refusal.limit,
                "observed": refusal.observed,
            })
        })
        .collect();
    Ok(Check::compared(
        expected,
        json!({ "ok": refusals.is_empty(), "refusals": told }),
    ))
}
