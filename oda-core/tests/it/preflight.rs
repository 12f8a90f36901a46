//! The pre-flight evaluator: each rule, each defect of the reference implementation, and what
//! tightening a policy may do.

use oda_core::{Facts, Network, Policy, Reading, SimulationVerdict, evaluate};
use oda_receipts::Refusal;
use proptest::prelude::*;
use serde_json::{Value, json};

const USDC: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const NATIVE: &str = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";
const ZERO: &str = "0x0000000000000000000000000000000000000000";
const ROUTER: &str = "0x1111111111111111111111111111111111111111";
const FRIEND: &str = "0x2222222222222222222222222222222222222222";

fn policy(extra: Value) -> Policy {
    let mut file = json!({"schema": "sato.policy/v1"});
    for (key, value) in extra.as_object().unwrap() {
        file[key] = value.clone();
    }
    Policy::from_value(&file).unwrap()
}

fn facts(extra: Value) -> Facts {
    let mut facts = json!({
        "action": "token.transfer", "chain": "base", "network": "fork", "ttl_s": 60,
        "usd_value": 1, "usd_spent_today": 0, "simulation": {"ok": true, "error": null},
    });
    for (key, value) in extra.as_object().unwrap() {
        facts[key] = value.clone();
    }
    Facts::from_value(&facts)
}

/// Rule, limit and observed of every refusal.
fn refusals(policy_keys: Value, fact_keys: Value) -> Vec<(String, String, String)> {
    evaluate(&policy(policy_keys), &facts(fact_keys))
        .into_iter()
        .map(|refusal| (refusal.rule, refusal.limit, refusal.observed))
        .collect()
}

fn rules(policy_keys: Value, fact_keys: Value) -> Vec<String> {
    refusals(policy_keys, fact_keys)
        .into_iter()
        .map(|(rule, _, _)| rule)
        .collect()
}

const NONE: [&str; 0] = [];

#[test]
fn defect_07_a_mainnet_chain_needs_a_mainnet_policy() {
    let mainnet = || json!({"network": "mainnet"});
    assert_eq!(rules(json!({}), mainnet()), ["network_mainnet_not_enabled"]);
    assert_eq!(
        rules(json!({"network": "testnet"}), mainnet()),
        ["network_mainnet_not_enabled"]
    );
    assert_eq!(rules(json!({"network": "mainnet"}), mainnet()), NONE);
    assert_eq!(rules(json!({}), json!({"network": "testnet"})), NONE);
}

#[test]
fn defect_09_the_spender_of_an_allowance_is_checked() {
    let to = |spender: &str| json!({"contract": USDC, "spender": spender});
    let entry = |address: &str| format!("base:{address}");
    let recipients = json!({"allow_recipients": [entry(FRIEND)]});
    assert_eq!(
        refusals(recipients.clone(), to(ROUTER)),
        [("recipient_allowlist".into(), entry(FRIEND), entry(ROUTER))]
    );
    assert_eq!(rules(recipients, to(FRIEND)), NONE);

    let contracts = json!({"allow_contracts": [entry(USDC), entry(ROUTER)]});
    assert_eq!(rules(contracts.clone(), to(FRIEND)), ["contract_allowlist"]);
    assert_eq!(rules(contracts, to(ROUTER)), NONE);

    // A spender is a recipient first: being a contract that may be called is not enough.
    let both = json!({
        "allow_contracts": [entry(USDC), entry(ROUTER)], "allow_recipients": [entry(FRIEND)],
    });
    assert_eq!(rules(both.clone(), to(ROUTER)), ["recipient_allowlist"]);
    assert_eq!(rules(both.clone(), to(FRIEND)), NONE);
    assert_eq!(rules(both, to(&FRIEND.replace("0x", "0X"))), NONE);
    assert_eq!(rules(json!({}), to(ROUTER)), NONE);
}

#[test]
fn a_spender_and_a_contract_can_break_the_same_rule() {
    let policy = policy(json!({"allow_contracts": [format!("base:{FRIEND}")]}));
    let refusals = evaluate(
        &policy,
        &facts(json!({"contract": USDC, "spender": ROUTER})),
    );
    let mut observed: Vec<&str> = refusals.iter().map(|r| r.observed.as_str()).collect();
    observed.sort_unstable();
    assert_eq!(observed, [format!("base:{ROUTER}"), format!("base:{USDC}")]);
    assert!(refusals.iter().all(|r| r.rule == "contract_allowlist"));
}

#[test]
fn defect_10_a_cap_binds_every_spelling_of_its_token() {
    for (cap, token) in [
        ("ETH", NATIVE),
        ("ETH", ZERO),
        ("ETH", "eth"),
        ("USDC", USDC),
        ("usdc", USDC),
        (&USDC.to_lowercase()[..], "USDC"),
        (ZERO, NATIVE),
        (ZERO, "ETH"),
    ] {
        let caps = json!({"max_per_trade": {format!("base:{cap}"): "5"}});
        let over = json!({"token": token, "token_amount_base_units": "6"});
        assert_eq!(
            rules(caps.clone(), over),
            ["max_per_trade"],
            "{cap} {token}"
        );
        let within = json!({"token": token, "token_amount_base_units": "5"});
        assert_eq!(rules(caps, within), NONE, "{cap} {token}");
    }
    let other_chain = json!({"max_per_trade": {"optimism:USDC": "5"}});
    let over = json!({"token": USDC, "token_amount_base_units": "6"});
    assert_eq!(rules(other_chain, over), NONE);
}

#[test]
fn defect_10_the_smallest_of_conflicting_caps_counts() {
    let caps =
        json!({"max_per_trade": {"base:ETH": "9", "base:eth": "007", format!("base:{ZERO}"): "8"}});
    assert_eq!(
        refusals(
            caps,
            json!({"token": "ETH", "token_amount_base_units": "8"})
        ),
        [("max_per_trade".into(), "007".into(), "8".into())]
    );
}

#[test]
fn defect_10_a_list_admits_every_spelling_of_its_token() {
    for (entry, token, listed) in [
        ("USDC", USDC, true),
        (USDC, "usdc", true),
        ("ETH", NATIVE, true),
        ("ETH", ZERO, true),
        ("WETH", "ETH", false),
        ("USDT", USDC, false),
    ] {
        let list = json!({"allow_tokens": [format!("base:{entry}")]});
        let refused = !rules(list, json!({"token": token})).is_empty();
        assert_eq!(refused, !listed, "{entry} {token}");
    }
}

#[test]
fn defect_11_base58_entries_are_case_sensitive() {
    let key = "GwRkq9EBWwcLNbFzYYGSKkgoBYo4grLvCV67dHoEZ4ZB";
    let other = "gwRkq9EBWwcLNbFzYYGSKkgoBYo4grLvCV67dHoEZ4ZB";
    // On a chain that nobody listed as well: a base58 key is told by its form.
    for chain in ["solana", "solana-devnet", "eclipse"] {
        for (list, fact, rule) in [
            ("allow_recipients", "recipient", "recipient_allowlist"),
            ("allow_recipients", "spender", "recipient_allowlist"),
            ("allow_contracts", "contract", "contract_allowlist"),
            ("allow_tokens", "token", "token_allowlist"),
        ] {
            let list = json!({list: [format!("{chain}:{key}")]});
            let with = |name: &str| json!({"chain": chain, fact: name});
            assert_eq!(rules(list.clone(), with(key)), NONE, "{chain} {fact}");
            assert_eq!(rules(list.clone(), with(other)), [rule], "{chain} {fact}");
            let lower = key.to_lowercase();
            assert_eq!(rules(list, with(&lower)), [rule], "{chain} {fact}");
        }
    }
}

#[test]
fn defect_37_dollars_are_added_exactly() {
    let cap = |usd: f64| json!({"max_usd_per_day": usd});
    let day = |spent: f64, value: f64| json!({"usd_spent_today": spent, "usd_value": value});
    assert_eq!(rules(cap(0.3), day(0.1, 0.2)), NONE);
    assert_eq!(rules(cap(1.0), day(0.7, 0.3)), NONE);
    assert_eq!(
        refusals(cap(0.3), day(0.1, 0.200_000_1)),
        [("max_usd_per_day".into(), "0.3".into(), "0.3000001".into())]
    );
    // The nearest double of the sum is the cap: the refusal still says what is beyond it.
    assert_eq!(
        refusals(cap(0.3), day(0.3, 1e-20)),
        [(
            "max_usd_per_day".into(),
            "0.3".into(),
            "0.30000000000000000001".into()
        )]
    );
}

#[test]
fn defect_37_a_negative_value_is_unknown_and_never_lowers_a_sum() {
    let caps = || json!({"max_usd_per_day": 10});
    assert_eq!(rules(caps(), json!({"usd_value": -1})), ["unknown_price"]);
    assert_eq!(
        rules(caps(), json!({"usd_spent_today": -1})),
        ["unknown_verdict"]
    );
    let mut facts = facts(json!({}));
    for value in [f64::NAN, f64::INFINITY] {
        facts.usd_value = Some(value);
        let refusals = evaluate(&policy(caps()), &facts);
        assert_eq!(refusals[0].rule, "unknown_price");
        assert_eq!(refusals[0].observed, "unknown");
    }
}

#[test]
fn unknown_readings_refuse_in_the_order_amount_slippage_day() {
    let caps = json!({
        "max_usd_per_day": 5, "max_slippage_bps": 50, "max_per_trade": {"base:USDC": "7"},
    });
    let unread = json!({"usd_spent_today": null, "slippage_bps": "x", "token": "USDC"});
    let limits: Vec<String> = refusals(caps.clone(), unread.clone())
        .into_iter()
        .map(|(rule, limit, observed)| {
            assert_eq!(
                (rule.as_str(), observed.as_str()),
                ("unknown_verdict", "unknown")
            );
            limit
        })
        .collect();
    assert_eq!(limits, ["7", "50", "5"]);
    let mut lenient = caps;
    lenient["unknown_verdict"] = json!("allow");
    assert_eq!(rules(lenient, unread), NONE);
}

#[test]
fn the_time_to_live_is_always_needed() {
    for (ttl, observed) in [
        (json!(0), "0"),
        (json!(-1), "-1"),
        (json!(301), "301"),
        (json!(null), "unknown"),
    ] {
        assert_eq!(
            refusals(json!({}), json!({"ttl_s": ttl})),
            [("intent_ttl".into(), "300".into(), observed.into())]
        );
    }
    assert_eq!(rules(json!({}), json!({"ttl_s": 300})), NONE);
}

#[test]
fn a_policy_that_was_broken_in_code_allows_nothing() {
    let mut policy = policy(json!({"max_usd_per_trade": 5, "max_usd_per_day": 5}));
    policy.max_usd_per_trade = Some(f64::NAN);
    policy.max_usd_per_day = Some(-1.0);
    let rules: Vec<String> = evaluate(&policy, &facts(json!({})))
        .into_iter()
        .map(|refusal| refusal.rule)
        .collect();
    assert_eq!(rules, ["max_usd_per_day", "max_usd_per_trade"]);
}

#[test]
fn every_message_names_limit_and_observed() {
    let strict = policy(json!({
        "allow_chains": ["optimism"], "allow_tokens": ["base:DAI"], "allow_venues": ["lifi"],
        "allow_contracts": ["base:0x1"], "allow_recipients": ["base:0x2"],
        "max_usd_per_trade": 1, "max_usd_per_day": 1, "max_per_trade": {"base:USDC": "1"},
        "max_slippage_bps": 1, "intent_ttl_s": 1,
    }));
    let all = facts(json!({
        "network": "mainnet", "token": "USDC", "token_amount_base_units": "2", "usd_value": 2,
        "contract": "0x3", "recipient": "0x4", "spender": "0x5", "venue": "sato",
        "slippage_bps": 2, "simulation": {"ok": false, "error": "reverted"}, "ttl_s": 2,
    }));
    let refusals = evaluate(&strict, &all);
    let mut seen: Vec<&str> = refusals.iter().map(|r| r.rule.as_str()).collect();
    assert!(seen.is_sorted());
    seen.dedup();
    assert_eq!(seen.len(), 12);
    for Refusal {
        rule,
        limit,
        observed,
        message,
    } in &refusals
    {
        assert!(
            message.contains(limit) && message.contains(observed),
            "{rule}: {message}"
        );
        assert!(
            message.ends_with('.') && !message.contains('\n'),
            "{message}"
        );
    }
}

prop_compose! {
    fn any_facts()(
        chain in prop::sample::select(vec!["base", "Base", "solana", "moonchain", ""]),
        network in prop::option::of(prop::sample::select(vec![Network::Fork, Network::Mainnet])),
        token in prop::option::of(prop::sample::select(vec!["USDC", "ETH", USDC, NATIVE])),
        amount in prop::option::of(0_u128..20),
        usd in prop::option::of(-1.0..20.0_f64),
        spent in prop::option::of(-1.0..20.0_f64),
        slippage in prop::option::of(prop::option::of(0.0..200.0_f64)),
        ok in any::<bool>(),
        ttl in 0.0..400.0_f64,
    ) -> Facts {
        Facts {
            chain: chain.into(),
            network,
            token: token.map(Into::into),
            token_amount_base_units: amount.map(|amount| amount.to_string()),
            usd_value: usd,
            usd_spent_today: spent,
            slippage_bps: slippage.map_or(Reading::Absent, |read| {
                read.map_or(Reading::Unknown, Reading::Known)
            }),
            simulation: Some(SimulationVerdict { ok, error: None }),
            ttl_s: Some(ttl),
            ..Facts::default()
        }
    }
}

fn refused_rules(policy: &Policy, facts: &Facts) -> Vec<String> {
    evaluate(policy, facts)
        .into_iter()
        .map(|refusal| refusal.rule)
        .collect()
}

proptest! {
    /// Tightening one cap never lets a call through that was refused, and never removes a rule
    /// from its refusals.
    #[test]
    fn tightening_never_removes_a_refusal(
        facts in any_facts(),
        loose in prop::option::of(1_u32..20),
        cut in 1_u32..20,
        which in 0_usize..5,
        allow in any::<bool>(),
    ) {
        let verdict = if allow { "allow" } else { "refuse" };
        let mut before = policy(json!({"unknown_verdict": verdict}));
        let tight = loose.map_or(cut, |loose| loose.min(cut));
        let mut after = before.clone();
        let usd = |n: u32| f64::from(n);
        match which {
            0 => {
                before.max_usd_per_trade = loose.map(usd);
                after.max_usd_per_trade = Some(usd(tight));
            }
            1 => {
                before.max_usd_per_day = loose.map(usd);
                after.max_usd_per_day = Some(usd(tight));
            }
            2 => {
                before.max_slippage_bps = loose;
                after.max_slippage_bps = Some(tight);
            }
            3 => {
                if let Some(loose) = loose {
                    before.max_per_trade.insert("base:USDC".into(), loose.to_string());
                }
                after.max_per_trade = before.max_per_trade.clone();
                after.max_per_trade.insert(format!("base:{USDC}"), tight.to_string());
            }
            _ => after.intent_ttl_s = tight,
        }
        let after = refused_rules(&after, &facts);
        for rule in refused_rules(&before, &facts) {
            prop_assert!(after.contains(&rule), "{rule} is gone; left: {after:?}");
        }
    }

    #[test]
    fn refusals_are_sorted_and_complete(facts in any_facts()) {
        let refusals = evaluate(&policy(json!({"max_usd_per_day": 5})), &facts);
        prop_assert!(refusals.is_sorted_by_key(|r| (r.rule.clone(), r.message.clone())));
        prop_assert!(refusals.iter().all(|r| !r.limit.is_empty() && !r.observed.is_empty()));
    }
}
