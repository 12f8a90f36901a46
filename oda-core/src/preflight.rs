//! The pre-flight evaluator: a policy and some facts to a list of refusals. Pure.

use crate::Refusal;
use crate::base_units::BaseUnits;
use crate::chain::Network;
use crate::decimal::Decimal;
use crate::ecma::{UNKNOWN, number_text};
use crate::facts::{Facts, Reading};
use crate::policy::{Policy, UnknownVerdict};
use crate::refusal::RuleId;
use crate::token_identity::{TokenIdentity, account_identity};

/// Evaluates every rule of the policy on the facts.
///
/// All rules are evaluated; none hides another. The refusals are ordered by rule id and then by message, so
/// the same facts always give the same list. An empty list means allowed.
///
/// Dollars are compared and added as the decimal numbers that they are written as: 0.1 and 0.2 stay within a
/// cap of 0.3.
///
/// Where the facts are text that a policy lists, they are compared by identity: one token however it is
/// written, EVM addresses without case, base58 keys with case, chains and venues without case. The spender
/// of an approval must be on the recipient list when that list has entries, and otherwise on the contract
/// list when that one has: an approval lets the spender take the tokens, so it is a recipient first, and a
/// policy that lists contracts only means the contracts it trusts.
#[must_use]
pub fn evaluate(policy: &Policy, facts: &Facts) -> Vec<Refusal> {
    let mut refusals = Refusals(Vec::new());
    network(policy, facts, &mut refusals);
    lists(policy, facts, &mut refusals);
    spender(policy, facts, &mut refusals);
    dollars(policy, facts, &mut refusals);
    per_trade(policy, facts, &mut refusals);
    slippage(policy, facts, &mut refusals);
    ttl(policy, facts, &mut refusals);
    simulation(facts, &mut refusals);
    let mut refusals = refusals.0;
    refusals.sort_by(|a, b| (&a.rule, &a.message).cmp(&(&b.rule, &b.message)));
    refusals
}

struct Refusals(Vec<Refusal>);

impl Refusals {
    /// `what` begins the sentence; it names limit and observed.
    fn add(&mut self, rule: RuleId, what: &str, limit: &str, observed: &str) {
        let observed = if observed.is_empty() {
            UNKNOWN
        } else {
            observed
        };
        let limit = if limit.is_empty() { UNKNOWN } else { limit };
        self.0.push(Refusal {
            rule: rule.as_str().to_owned(),
            limit: limit.to_owned(),
            observed: observed.to_owned(),
            message: format!("{what} {limit}; observed {observed}."),
        });
    }
}

fn network(policy: &Policy, facts: &Facts, refusals: &mut Refusals) {
    if facts.network == Some(Network::Mainnet) && policy.network != Network::Mainnet {
        refusals.add(
            RuleId::NetworkMainnetNotEnabled,
            "The policy's network is",
            policy.network.as_str(),
            Network::Mainnet.as_str(),
        );
    }
}

fn lists(policy: &Policy, facts: &Facts, refusals: &mut Refusals) {
    let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
    if !policy.allow_chains.is_empty()
        && !policy
            .allow_chains
            .iter()
            .any(|chain| same(chain, &facts.chain))
    {
        refusals.add(
            RuleId::ChainAllowlist,
            "allow_chains lists",
            &policy.allow_chains.join(","),
            &facts.chain,
        );
    }
    if let Some(token) = facts
        .token
        .as_deref()
        .filter(|_| !policy.allow_tokens.is_empty())
    {
        let identity = TokenIdentity::of(&facts.chain, token);
        if !policy
            .allow_tokens
            .iter()
            .any(|entry| TokenIdentity::of_entry(entry) == identity)
        {
            refusals.add(
                RuleId::TokenAllowlist,
                "allow_tokens lists",
                &policy.allow_tokens.join(","),
                &format!("{}:{token}", facts.chain),
            );
        }
    }
    account(
        RuleId::ContractAllowlist,
        "allow_contracts lists",
        &policy.allow_contracts,
        facts,
        facts.contract.as_deref(),
        refusals,
    );
    account(
        RuleId::RecipientAllowlist,
        "allow_recipients lists",
        &policy.allow_recipients,
        facts,
        facts.recipient.as_deref(),
        refusals,
    );
    let venue_fits = |venue: &str| {
        policy.allow_venues.is_empty()
            || policy
                .allow_venues
                .iter()
                .any(|allowed| same(allowed, venue))
    };
    if let Some(venue) = facts.venue.as_deref().filter(|venue| !venue_fits(venue)) {
        refusals.add(
            RuleId::VenueAllowlist,
            "allow_venues lists",
            &policy.allow_venues.join(","),
            venue,
        );
    }
}

fn account(
    rule: RuleId,
    what: &str,
    list: &[String],
    facts: &Facts,
    account: Option<&str>,
    refusals: &mut Refusals,
) {
    let Some(account) = account.filter(|_| !list.is_empty()) else {
        return;
    };
    if !is_listed(list, &facts.chain, account) {
        refusals.add(
            rule,
            what,
            &list.join(","),
            &format!("{}:{account}", facts.chain),
        );
    }
}

fn is_listed(list: &[String], chain: &str, account: &str) -> bool {
    let identity = account_identity(chain, account);
    list.iter().any(|entry| {
        entry
            .split_once(':')
            .is_some_and(|(chain, account)| account_identity(chain, account) == identity)
    })
}

fn spender(policy: &Policy, facts: &Facts, refusals: &mut Refusals) {
    let (rule, what, list) = if policy.allow_recipients.is_empty() {
        (
            RuleId::ContractAllowlist,
            "allow_contracts, which a spender must be on, lists",
            &policy.allow_contracts,
        )
    } else {
        (
            RuleId::RecipientAllowlist,
            "allow_recipients, which a spender must be on, lists",
            &policy.allow_recipients,
        )
    };
    account(rule, what, list, facts, facts.spender.as_deref(), refusals);
}

fn dollars(policy: &Policy, facts: &Facts, refusals: &mut Refusals) {
    let (per_trade, per_day) = (policy.max_usd_per_trade, policy.max_usd_per_day);
    let Some(first_cap) = per_trade.or(per_day) else {
        return;
    };
    let Some(value) = facts.usd_value.and_then(Decimal::of) else {
        if policy.unknown_verdict == UnknownVerdict::Refuse {
            let name = if per_trade.is_some() {
                "max_usd_per_trade"
            } else {
                "max_usd_per_day"
            };
            let what = format!("{name} needs a known value; it is");
            refusals.add(
                RuleId::UnknownPrice,
                &what,
                &number_text(first_cap),
                UNKNOWN,
            );
        }
        return;
    };
    if let Some(cap) = per_trade.filter(|cap| exceeds(&value, *cap)) {
        refusals.add(
            RuleId::MaxUsdPerTrade,
            "max_usd_per_trade is",
            &number_text(cap),
            &number_text(value.to_f64()),
        );
    }
    let Some(cap) = per_day else { return };
    match facts.usd_spent_today.and_then(Decimal::of) {
        Some(spent) => day(cap, &spent.plus(&value), refusals),
        None if policy.unknown_verdict == UnknownVerdict::Refuse => refusals.add(
            RuleId::UnknownVerdict,
            "max_usd_per_day needs to know what the day has spent; it is",
            &number_text(cap),
            UNKNOWN,
        ),
        None => {}
    }
}

/// Equality passes.
fn day(cap: f64, sum: &Decimal, refusals: &mut Refusals) {
    if exceeds(sum, cap) {
        let limit = number_text(cap);
        // The double nearest to the sum can be the cap itself. The exact sum is written then, so that the
        // refusal does not contradict itself.
        let nearest = number_text(sum.to_f64());
        let observed = if nearest == limit {
            sum.to_plain_text()
        } else {
            nearest
        };
        refusals.add(
            RuleId::MaxUsdPerDay,
            "max_usd_per_day is",
            &limit,
            &observed,
        );
    }
}

/// A cap that is no amount allows nothing.
fn exceeds(value: &Decimal, cap: f64) -> bool {
    Decimal::of(cap).is_none_or(|cap| *value > cap)
}

/// Of several caps that name one token in different spellings the smallest binds.
fn per_trade(policy: &Policy, facts: &Facts, refusals: &mut Refusals) {
    let Some(token) = facts.token.as_deref() else {
        return;
    };
    let identity = TokenIdentity::of(&facts.chain, token);
    let cap = policy
        .max_per_trade
        .iter()
        .filter(|(entry, _)| TokenIdentity::of_entry(entry) == identity)
        .filter_map(|(_, cap)| cap.parse::<BaseUnits>().ok())
        .min();
    let Some(cap) = cap else { return };
    match facts
        .token_amount_base_units
        .as_deref()
        .and_then(|amount| amount.parse::<BaseUnits>().ok())
    {
        Some(amount) if amount > cap => refusals.add(
            RuleId::MaxPerTrade,
            &format!("max_per_trade of {}:{token} is", facts.chain),
            cap.as_str(),
            amount.as_str(),
        ),
        Some(_) => {}
        None if policy.unknown_verdict == UnknownVerdict::Refuse => refusals.add(
            RuleId::UnknownVerdict,
            &format!(
                "max_per_trade of {}:{token} needs an amount in base units; it is",
                facts.chain
            ),
            cap.as_str(),
            UNKNOWN,
        ),
        None => {}
    }
}

fn slippage(policy: &Policy, facts: &Facts, refusals: &mut Refusals) {
    let Some(cap) = policy.max_slippage_bps else {
        return;
    };
    let cap_text = number_text(f64::from(cap));
    match facts.slippage_bps {
        Reading::Known(slippage) if slippage.is_finite() => {
            if slippage > f64::from(cap) {
                refusals.add(
                    RuleId::MaxSlippageBps,
                    "max_slippage_bps is",
                    &cap_text,
                    &number_text(slippage),
                );
            }
        }
        Reading::Absent => {}
        Reading::Known(_) | Reading::Unknown => {
            if policy.unknown_verdict == UnknownVerdict::Refuse {
                refusals.add(
                    RuleId::UnknownVerdict,
                    "max_slippage_bps needs a known slippage; it is",
                    &cap_text,
                    UNKNOWN,
                );
            }
        }
    }
}

fn ttl(policy: &Policy, facts: &Facts, refusals: &mut Refusals) {
    let limit = f64::from(policy.intent_ttl_s);
    let fits = facts
        .ttl_s
        .is_some_and(|ttl| ttl.is_finite() && ttl > 0.0 && ttl <= limit);
    if !fits {
        let observed = facts
            .ttl_s
            .filter(|ttl| ttl.is_finite())
            .map_or_else(|| UNKNOWN.to_owned(), number_text);
        refusals.add(
            RuleId::IntentTtl,
            "intent_ttl_s is",
            &number_text(limit),
            &observed,
        );
    }
}

fn simulation(facts: &Facts, refusals: &mut Refusals) {
    match &facts.simulation {
        None => {
            refusals.add(
                RuleId::SimulationRequired,
                "A simulation is",
                "required",
                "none",
            );
        }
        Some(simulation) if !simulation.ok => refusals.add(
            RuleId::SimulationFailed,
            "The simulation must be",
            "ok",
            simulation.error.as_deref().unwrap_or("failed"),
        ),
        Some(_) => {}
    }
}
