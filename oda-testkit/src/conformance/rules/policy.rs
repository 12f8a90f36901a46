//! Where a policy is evaluated otherwise.

use oda_core::TokenIdentity;
use serde_json::{Map, Value, json};

use super::Place;
use super::exact::Exact;
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
        if listed_in_another_case && !list.iter().any(|listed| is_same_account(listed, &entry)) {
            answer.add(rule, &list.join(","), &entry);
        }
    }
    Some(answer.done())
}

/// Chain names have no case; base58 accounts do.
fn is_same_account(listed: &str, entry: &str) -> bool {
    let parts = |text: &str| {
        text.split_once(':')
            .map(|(chain, account)| (chain.to_lowercase(), account.to_owned()))
    };
    parts(listed) == parts(entry)
}

/// One token has one identity per chain, however it is written; the smallest cap of it binds.
pub(super) fn token_identity(_: &Place<'_>, case: &Case, expected: &Value) -> Option<Value> {
    let input = Input::read(case)?;
    let token = input.facts.get("token")?.as_str()?;
    let identity = TokenIdentity::of(&input.chain, token);
    let mut answer = Answer::of(expected)?;

    let allowed = input.list("allow_tokens");
    if !allowed.is_empty() {
        answer.remove("token_allowlist");
        if !allowed
            .iter()
            .any(|entry| TokenIdentity::of_entry(entry) == identity)
        {
            let observed = format!("{}:{token}", input.chain);
            answer.add("token_allowlist", &allowed.join(","), &observed);
        }
    }
    judge_amount(&input, token, &identity, &mut answer);
    Some(answer.done())
}

/// The reference's word about the amount goes, ours comes.
fn judge_amount(input: &Input, token: &str, identity: &TokenIdentity, answer: &mut Answer) {
    let caps = input
        .policy
        .get("max_per_trade")
        .and_then(Value::as_object)
        .cloned();
    let caps = caps.unwrap_or_default();
    let amount = input
        .facts
        .get("token_amount_base_units")
        .and_then(Value::as_str);
    let amount = amount.filter(|amount| is_base_units(amount));
    let unreadable = amount.is_none() && input.refuses_unknown();

    if let Some(cap) = reference_cap(&caps, &input.chain, token) {
        answer.remove("max_per_trade");
        if unreadable {
            answer.remove_first("unknown_verdict", cap);
        }
    }
    let ours = caps
        .iter()
        .filter(|(entry, _)| TokenIdentity::of_entry(entry) == *identity)
        .filter_map(|(_, cap)| cap.as_str())
        .min_by_key(|cap| magnitude(cap));
    let Some(cap) = ours else { return };
    match amount {
        Some(amount) if magnitude(amount) > magnitude(cap) => {
            answer.add("max_per_trade", cap, amount);
        }
        None if unreadable => answer.add_first("unknown_verdict", cap, "unknown"),
        _ => {}
    }
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

/// Dollars are added as the decimal numbers that they are written as: 0.1 and 0.2 are 0.3.
pub(super) fn usd_exact_sum(_: &Place<'_>, case: &Case, expected: &Value) -> Option<Value> {
    let input = Input::read(case)?;
    let known = |name: &str| input.facts.get(name)?.as_f64().and_then(Exact::of);
    let cap = input.policy.get("max_usd_per_day")?.as_f64()?;
    let sum = known("usd_spent_today")?.plus(&known("usd_value")?);
    let mut answer = Answer::of(expected)?;
    answer.remove("max_usd_per_day");
    if sum > Exact::of(cap)? {
        let limit = oda_core::number_text(cap);
        let nearest = oda_core::number_text(sum.text().parse().ok()?);
        // A refusal that says "10 is more than 10" would contradict itself.
        let observed = if nearest == limit {
            sum.text()
        } else {
            nearest
        };
        answer.add("max_usd_per_day", &limit, &observed);
    }
    Some(answer.done())
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
    let is_base58 = input.chain.to_lowercase().starts_with("solana");
    let is_listed = |listed: &String| match is_base58 {
        true => is_same_account(listed, &entry),
        false => listed.to_lowercase() == entry.to_lowercase(),
    };
    if list.is_empty() || list.iter().any(is_listed) {
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

    fn remove(&mut self, rule: &str) {
        self.0.retain(|refusal| refusal["rule"] != rule);
    }

    /// Of refusals by one rule, the one about an amount stands first.
    fn remove_first(&mut self, rule: &str, limit: &str) {
        let is_it = |refusal: &Value| refusal["rule"] == rule && refusal["limit"] == limit;
        if let Some(place) = self.0.iter().position(is_it) {
            self.0.remove(place);
        }
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
