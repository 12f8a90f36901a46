//! The policy file `sato.policy/v1`.

use std::collections::BTreeMap;

use oda_canon::{CanonError, Digest};
use serde::Serialize;
use serde_json::Value;

use crate::chain::Network;
use crate::policy_parse;
use crate::tree::Tree;

/// How many entries an allowlist may have. From `sato.policy/v1`.
pub const MAX_LIST_ENTRIES: usize = 200;

/// The longest life of an intent, in seconds: one hour. From `sato.policy/v1`.
pub const MAX_INTENT_TTL_S: u32 = 3_600;

/// The life of an intent when the policy does not say, in seconds. From `sato.policy/v1`.
pub const DEFAULT_INTENT_TTL_S: u32 = 300;

/// The largest slippage a policy may tolerate, in basis points. From `sato.policy/v1`.
pub const MAX_SLIPPAGE_BPS: u32 = 5_000;

/// A policy with every default filled in. Reading one is the only way to make one, so every policy in the
/// program keeps the rules of `sato.policy/v1`.
///
/// Serialised it carries every key, in the form whose digest is the `policy_digest` of a mandate.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Policy {
    /// Always `sato.policy/v1`.
    pub schema: &'static str,
    /// Always 1.
    pub version: u32,
    /// Up to where money is at stake.
    pub network: Network,
    /// The chains allowed; empty allows any.
    pub allow_chains: Vec<String>,
    /// The tokens allowed, as `chain:token`; empty allows any.
    pub allow_tokens: Vec<String>,
    /// The contracts allowed, as `chain:address`; empty allows any.
    pub allow_contracts: Vec<String>,
    /// The recipients allowed, as `chain:address`; empty allows any.
    pub allow_recipients: Vec<String>,
    /// The venues allowed; empty allows any.
    pub allow_venues: Vec<String>,
    /// The most one trade may be worth, in US dollars.
    pub max_usd_per_trade: Option<f64>,
    /// The most that a UTC day's trades may be worth, in US dollars.
    pub max_usd_per_day: Option<f64>,
    /// The most of a token that one trade may move: `chain:token` to base units, as written.
    pub max_per_trade: BTreeMap<String, String>,
    /// The most slippage tolerated, in basis points.
    pub max_slippage_bps: Option<u32>,
    /// How long an intent lives, in seconds.
    pub intent_ttl_s: u32,
    /// What to do when a reading that a cap needs is unknown.
    pub unknown_verdict: UnknownVerdict,
    /// Always true: what moves funds is simulated first.
    pub require_simulation: bool,
    /// Whether a person has to approve every intent.
    pub human_approval: bool,
    /// Settings of a scanner. Recorded and part of the digest; this project does nothing with them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scan: Option<Scan>,
}

/// What to do with the unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownVerdict {
    /// An unknown reading refuses. The default.
    Refuse,
    /// An unknown reading passes silently.
    Allow,
}

/// The `scan` member, closed, with its defaults filled in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Scan {
    /// `refuse`, `caution` or `off`.
    pub lookalike: String,
    /// `refuse_not_canonical` or `off`.
    pub token: String,
    /// `caution`, `refuse` or `off`.
    pub payto_changed: String,
    /// `allowlist_only` or `off`.
    pub treasury_recipients: String,
    /// Whether a hosted check is asked.
    pub hosted_check: bool,
}

impl Policy {
    /// The policy of an empty file: fork network, no caps, no lists.
    #[must_use]
    pub fn default_policy() -> Self {
        policy_parse::defaults()
    }

    /// Reads a policy file. Duplicate keys, a byte order mark and trailing bytes are errors, as in every
    /// document that is hashed here.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] for the first rule that is broken, in the order of `sato.policy/v1`.
    pub fn parse(text: &[u8]) -> Result<Self, PolicyError> {
        let file = Tree::parse(text)
            .map_err(|error| PolicyError::new("policy", format!("is not JSON: {error}")))?;
        policy_parse::read(&file)
    }

    /// Reads a policy from JSON that was parsed already. Repeated keys can no longer be seen, and of several
    /// unknown keys the one that sorts first is named.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] for the first rule that is broken.
    pub fn from_value(value: &Value) -> Result<Self, PolicyError> {
        policy_parse::read(&Tree::of(value))
    }

    /// The digest that mandates carry: over the parsed form, defaults and `scan` included.
    ///
    /// # Errors
    ///
    /// Never for a policy that was read: every member has a canonical form.
    pub fn policy_digest(&self) -> Result<Digest, CanonError> {
        oda_canon::digest(self)
    }
}

/// A policy file breaks a rule. Nothing runs under a broken policy, least of all the default one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("policy `{field}` {rule}")]
pub struct PolicyError {
    /// Where: a member, `allow_chains[1]`, `max_per_trade.key`, or `unknown:name` for a key that does not exist.
    pub field: String,
    /// What is wrong and what would be right.
    pub rule: String,
}

impl PolicyError {
    pub(crate) fn new(field: impl Into<String>, rule: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            rule: rule.into(),
        }
    }

    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        "invalid_policy"
    }
}
