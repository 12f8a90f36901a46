//! Where a policy is evaluated otherwise.

use oda_core::TokenIdentity;
use serde_json::{Map, Value, json};

use super::Place;
use crate::conformance::case::Case;

/// The six effects of ODA draft 0, section 1.
const EFFECTS: [&str; 6] = ["read", "quote", "simulate", "sign", "broadcast", "pay"];

/// An effect that nobody knows is treated like the most consequential ones.
pub(super) fn unknown_effect_cautious(_: &Place<'_>, case: &Case, _: &Value) -> Option<Value> {
    let effects: Vec<String> = case.read("effects").ok()?;
    let unknown = effects
        .iter()
        .any(|effect| !EFFECTS.contains(&effect.as_str()));
    unknown.then(|| {
        json!({
            "readOnlyHint": false,
            "idempotentHint": false,
            "destructiveHint": true,
            "requiresUserInteraction": true,
        })
    })
}

/// Base58 keeps its case: an account that differs from a listed one in case is another account.
pub(super) fn base58_case(_: &Place<'_>, case: &Case, expected: &Value) -> Option<Value> {
    let input = Input::read(case)?;
    if !input.chain.to_lowercase().starts_with("solana") {
        return None;
    }
    let mut answer = Answer::of(expected)?;
    for (fact, member, rule) in [
        ("contract", "allow_contracts", "contract_allowlist"),
        ("recipient", "allow_recipients", "recipient_allowlist"),
    ] {
        let list = input.list(member);
        let Some(account) = input.facts.get(fact).and_then(Value::as_str) else {
            continue;
        };
        let entry = format!("{}:{account}", input.chain);
        let lower = entry.to_lowercase();
        let listed_in_another_case = list.iter().any(|listed| listed.to_lowercase() == lower);
        if listed_in_another_case && !list.contains(&entry) {
            answer.add(rule, &list.join(","), &entry);
        }
    }
    Some(answer.done())
}

/// One token has one identity per chain, however it is written; the smallest cap of it binds.
pub(super) fn token_identity(_: &Place<'_>, case: &Case, expected: &Value) -> Option<Value> {
    let input = Input::read(case)?;
    let token = input.facts.get("token")?.as_str()?;
    let identity = TokenIdentity::of(&input.chain, token);
    let mut answer = Answer::of(expected)?;

    let allowed = input.list("allow_tokens");
    if !allowed.is_empty() {
        answer.remove("token_allowlist", None);
        if !allowed
            .iter()
            .any(|entry| TokenIdentity::of_entry(entry) == identity)
        {
            let observed = format!("{}:{token}", input.chain);
            answer.add("token_allowlist", &allowed.join(","), &observed);
        }
    }
    let caps = input
        .policy
        .get("max_per_trade")
        .and_then(Value::as_object)
        .cloned();
    let caps = caps.unwrap_or_default();
    if let Some(cap) = reference_cap(&caps, &input.chain, token) {
        answer.remove("max_per_trade", None);
        answer.remove("unknown_verdict", Some(cap));
    }
    let ours = caps
        .iter()
        .filter(|(entry, _)| TokenIdentity::of_entry(entry) == identity)
        .filter_map(|(_, cap)| cap.as_str())
        .min_by_key(|cap| magnitude(cap));
    if let Some(cap) = ours {
        let amount = input
            .facts
            .get("token_amount_base_units")
            .and_then(Value::as_str);
        match amount.filter(|amount| is_base_units(amount)) {
            Some(amount) if magnitude(amount) > magnitude(cap) => {
                answer.add("max_per_trade", cap, amount);
            }
            Some(_) => {}
            None if input.refuses_unknown() => answer.add_first("unknown_verdict", cap, "unknown"),
            None => {}
        }
    }
    Some(answer.done())
}

/// The cap that the reference finds: the first key in code-unit order that equals ignoring case.
fn reference_cap<'a>(caps: &'a Map<String, Value>, chain: &str, token: &str) -> Option<&'a str> {
    let wanted = format!("{chain}:{token}").to_lowercase();
    caps.iter()
        .find(|(key, _)| key.to_lowercase() == wanted)
        .and_then(|(_, cap)| cap.as_str())
}

/// Decimal digits compare by length, then by text, once leading zeros are gone.
fn magnitude(digits: &str) -> (usize, &str) {
    let digits = digits.trim_start_matches('0');
    (digits.len(), digits)
}

fn is_base_units(text: &str) -> bool {
    (1..=78).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Dollars are added in millionths, not in doubles: 0.1 and 0.2 are 0.3.
pub(super) fn usd_exact_sum(_: &Place<'_>, case: &Case, expected: &Value) -> Option<Value> {
    let input = Input::read(case)?;
    let known = |name: &str| {
        input
            .facts
            .get(name)?
            .as_f64()
            .filter(|value| value.is_finite() && *value >= 0.0)
    };
    let cap = input.policy.get("max_usd_per_day")?.as_f64()?;
    let (spent, value) = (known("usd_spent_today")?, known("usd_value")?);
    let sum = micros(spent)?.checked_add(micros(value)?)?;
    let mut answer = Answer::of(expected)?;
    answer.remove("max_usd_per_day", None);
    if sum > micros(cap)? {
        let text = oda_core::number_text(
            format!("{}.{:06}", sum / MICROS, sum % MICROS)
                .parse()
                .ok()?,
        );
        answer.add("max_usd_per_day", &oda_core::number_text(cap), &text);
    }
    Some(answer.done())
}

/// Millionths in a dollar.
const MICROS: u64 = 1_000_000;

/// A number of dollars in millionths, from its shortest decimal text; `None` for a finer one, where rounding
/// decides and this rule does not speak.
fn micros(dollars: f64) -> Option<u64> {
    let text = format!("{dollars}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    if fraction.len() > 6 {
        return None;
    }
    let fraction: u64 = format!("{fraction:0<6}").parse().ok()?;
    whole
        .parse::<u64>()
        .ok()?
        .checked_mul(MICROS)?
        .checked_add(fraction)
}

/// Who may spend later is checked like who receives now.
pub(super) fn spender_is_checked(_: &Place<'_>, case: &Case, expected: &Value) -> Option<Value> {
    let input = Input::read(case)?;
    let spender = input.facts.get("spender")?.as_str()?;
    let (rule, list) = match input.list("allow_recipients") {
        list if list.is_empty() => ("contract_allowlist", input.list("allow_contracts")),
        list => ("recipient_allowlist", list),
    };
    let entry = format!("{}:{spender}", input.chain);
    let fold = |text: &str| match input.chain.starts_with("solana") {
        true => text.to_owned(),
        false => text.to_lowercase(),
    };
    if list.is_empty() || list.iter().any(|listed| fold(listed) == fold(&entry)) {
        return None;
    }
    let mut answer = Answer::of(expected)?;
    answer.add(rule, &list.join(","), &entry);
    Some(answer.done())
}

/// A policy file and facts, as the case states them.
struct Input {
    policy: Map<String, Value>,
    facts: Map<String, Value>,
    chain: String,
}

impl Input {
    fn read(case: &Case) -> Option<Self> {
        let facts: Map<String, Value> = case.read("facts").ok()?;
        let chain = facts.get("chain")?.as_str()?.to_owned();
        Some(Self {
            policy: case.read("policy_file").ok()?,
            facts,
            chain,
        })
    }

    fn list(&self, member: &str) -> Vec<String> {
        let list = self.policy.get(member).and_then(Value::as_array);
        let mut entries: Vec<String> = Vec::new();
        for entry in list.into_iter().flatten().filter_map(Value::as_str) {
            if !entries.iter().any(|known| known == entry) {
                entries.push(entry.to_owned());
            }
        }
        entries
    }

    fn refuses_unknown(&self) -> bool {
        self.policy.get("unknown_verdict").and_then(Value::as_str) != Some("allow")
    }
}

/// A list of refusals, in the order of their rules.
struct Answer(Vec<Value>);

impl Answer {
    fn of(expected: &Value) -> Option<Self> {
        expected.get("refusals")?.as_array().cloned().map(Self)
    }

    fn remove(&mut self, rule: &str, limit: Option<&str>) {
        self.0.retain(|refusal| {
            refusal["rule"] != rule || limit.is_some_and(|limit| refusal["limit"] != limit)
        });
    }

    fn add(&mut self, rule: &str, limit: &str, observed: &str) {
        let place = self
            .0
            .partition_point(|refusal| refusal["rule"].as_str() <= Some(rule));
        self.insert(place, rule, limit, observed);
    }

    fn add_first(&mut self, rule: &str, limit: &str, observed: &str) {
        let place = self
            .0
            .partition_point(|refusal| refusal["rule"].as_str() < Some(rule));
        self.insert(place, rule, limit, observed);
    }

    fn insert(&mut self, place: usize, rule: &str, limit: &str, observed: &str) {
        self.0.insert(
            place,
            json!({ "rule": rule, "limit": limit, "observed": observed }),
        );
    }

    fn done(self) -> Value {
        json!({ "ok": self.0.is_empty(), "refusals": self.0 })
    }
}
