//! The rules by which this project differs from the reference, as code.
//!
//! A rule looks at the input of a case and at the reference's answer, never at ours, and says what our answer
//! has to be instead.

mod exact;
mod flow;
mod json_text;
mod policy;
mod request;

pub(super) use json_text::READABLE;
use serde_json::Value;

use super::case::Case;

/// Where a case stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) file: &'a str,
    pub(super) list: &'a str,
}

/// One rule.
#[derive(Debug)]
pub(super) struct Rule {
    /// Its name in `docs/differences.md`.
    pub(super) name: &'static str,
    /// What this project answers, given what the reference answers; `None` where the rule does not apply.
    pub(super) ours: fn(&Place<'_>, &Case, &Value) -> Option<Value>,
}

impl Rule {
    const fn new(name: &'static str, ours: fn(&Place<'_>, &Case, &Value) -> Option<Value>) -> Self {
        Self { name, ours }
    }
}

/// Every rule. `docs/differences.md` has to state each of them.
pub(super) const RULES: &[Rule] = &[
    Rule::new("lone-surrogate", json_text::lone_surrogate),
    Rule::new("duplicate-keys", json_text::duplicate_keys),
    Rule::new("inexact-integer", json_text::inexact_integer),
    Rule::new("keys-have-no-order", request::keys_have_no_order),
    Rule::new("unknown-effect-cautious", policy::unknown_effect_cautious),
    Rule::new("base58-case", policy::base58_case),
    Rule::new("token-identity", policy::token_identity),
    Rule::new("usd-exact-sum", policy::usd_exact_sum),
    Rule::new("spender-is-checked", policy::spender_is_checked),
    Rule::new("fresh-simulation-at-execute", flow::fresh_simulation),
    Rule::new("executed-never-expires", flow::executed_never_expires),
    Rule::new("one-expired-receipt", flow::one_expired_receipt),
];
