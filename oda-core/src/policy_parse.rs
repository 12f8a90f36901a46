//! Reading a policy file, one rule after the other in the order of `sato.policy/v1`.

use std::collections::BTreeMap;

use crate::base_units::BaseUnits;
use crate::chain::Network;
use crate::nearest::nearest;
use crate::policy::{
    DEFAULT_INTENT_TTL_S, MAX_INTENT_TTL_S, MAX_LIST_ENTRIES, MAX_SLIPPAGE_BPS, Policy,
    PolicyError, Scan, UnknownVerdict,
};
use crate::tree::{Entries, Tree};

const SCHEMA: &str = "sato.policy/v1";
const VERSION: u32 = 1;

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

type Read<T> = Result<T, PolicyError>;

pub(crate) fn defaults() -> Policy {
    Policy {
        schema: SCHEMA,
        version: VERSION,
        network: Network::Fork,
        allow_chains: Vec::new(),
        allow_tokens: Vec::new(),
        allow_contracts: Vec::new(),
        allow_recipients: Vec::new(),
        allow_venues: Vec::new(),
        max_usd_per_trade: None,
        max_usd_per_day: None,
        max_per_trade: BTreeMap::new(),
        max_slippage_bps: None,
        intent_ttl_s: DEFAULT_INTENT_TTL_S,
        unknown_verdict: UnknownVerdict::Refuse,
        require_simulation: true,
        human_approval: false,
        scan: None,
    }
}

pub(crate) fn read(file: &Tree) -> Read<Policy> {
    let Some(file) = file.as_object() else {
        return Err(PolicyError::new("policy", "must be a JSON object"));
    };
    refuse_unknown_keys(file, &KEYS, "")?;
    schema(file)?;
    version(file)?;
    // The members are read in the order in which the specification reports their errors.
    let network = network(file)?;
    let allow_chains = list(file, "allow_chains", is_policy_name, NAME_RULE)?;
    let allow_tokens = list(file, "allow_tokens", is_chain_qualified, ENTRY_RULE)?;
    let allow_contracts = list(file, "allow_contracts", is_chain_qualified, ENTRY_RULE)?;
    let allow_recipients = list(file, "allow_recipients", is_chain_qualified, ENTRY_RULE)?;
    let allow_venues = list(file, "allow_venues", is_policy_name, NAME_RULE)?;
    let max_usd_per_trade = usd(file, "max_usd_per_trade")?;
    let max_usd_per_day = usd(file, "max_usd_per_day")?;
    Ok(Policy {
        network,
        allow_chains,
        allow_tokens,
        allow_contracts,
        allow_recipients,
        allow_venues,
        max_usd_per_trade,
        max_usd_per_day,
        max_per_trade: max_per_trade(file)?,
        max_slippage_bps: slippage(file)?,
        intent_ttl_s: ttl(file)?,
        unknown_verdict: unknown_verdict(file)?,
        require_simulation: require_simulation(file)?,
        human_approval: boolean(file, "human_approval", "human_approval")?.unwrap_or(false),
        scan: scan(file)?,
        ..defaults()
    })
}

fn refuse_unknown_keys(object: &Entries, known: &[&str], prefix: &str) -> Read<()> {
    match object.keys().find(|key| !known.contains(key)) {
        None => Ok(()),
        Some(key) => Err(PolicyError::new(
            format!("unknown:{prefix}{key}"),
            match nearest(key, known.iter().copied()) {
                Some(name) => format!("is no member of the policy; did you mean `{name}`?"),
                None => format!("is no member of the policy; known are {}", known.join(", ")),
            },
        )),
    }
}

fn schema(file: &Entries) -> Read<()> {
    match file.get("schema").and_then(Tree::as_str) {
        Some(SCHEMA) => Ok(()),
        _ => Err(PolicyError::new("schema", format!("must be \"{SCHEMA}\""))),
    }
}

fn version(file: &Entries) -> Read<()> {
    match file.get("version") {
        None => Ok(()),
        Some(version) if integer(version) == Some(VERSION) => Ok(()),
        Some(_) => Err(PolicyError::new("version", "must be the number 1")),
    }
}

fn network(file: &Entries) -> Read<Network> {
    match file.get("network") {
        None => Ok(Network::Fork),
        Some(network) => network
            .as_str()
            .and_then(Network::from_word)
            .ok_or_else(|| PolicyError::new("network", "must be fork, testnet or mainnet")),
    }
}

const NAME_RULE: &str = "must be a name of a-z, 0-9, `.`, `_` and `-`, at most 60 characters";
const ENTRY_RULE: &str = "must have the form `chain:id`, such as `base:0x…`, with 1 to 64 letters and digits after the colon";

/// Exact duplicates are dropped; the order stays.
fn list(file: &Entries, field: &str, fits: fn(&str) -> bool, rule: &str) -> Read<Vec<String>> {
    let Some(value) = file.get(field) else {
        return Ok(Vec::new());
    };
    let entries = value
        .as_array()
        .filter(|entries| entries.len() <= MAX_LIST_ENTRIES)
        .ok_or_else(|| {
            PolicyError::new(
                field,
                format!("must be a list of at most {MAX_LIST_ENTRIES} texts"),
            )
        })?;
    let mut kept: Vec<String> = Vec::with_capacity(entries.len());
    for (at, entry) in entries.iter().enumerate() {
        let text = entry
            .as_str()
            .filter(|text| fits(text))
            .ok_or_else(|| PolicyError::new(format!("{field}[{at}]"), rule))?;
        if !kept.iter().any(|known| known == text) {
            kept.push(text.to_owned());
        }
    }
    Ok(kept)
}

fn usd(file: &Entries, field: &str) -> Read<Option<f64>> {
    match file.get(field) {
        None | Some(Tree::Null) => Ok(None),
        Some(value) => value
            .as_number()
            .filter(|cap| cap.is_finite() && *cap > 0.0)
            .map(Some)
            .ok_or_else(|| PolicyError::new(field, "must be a number greater than 0, or null")),
    }
}

fn max_per_trade(file: &Entries) -> Read<BTreeMap<String, String>> {
    let caps = match file.get("max_per_trade") {
        None => return Ok(BTreeMap::new()),
        Some(Tree::Object(caps)) => caps,
        Some(_) => {
            return Err(PolicyError::new(
                "max_per_trade",
                "must be an object of `chain:token` to base units",
            ));
        }
    };
    caps.iter()
        .map(|(key, cap)| {
            if !is_chain_qualified(key) {
                return Err(PolicyError::new(
                    "max_per_trade.key",
                    format!("`{key}` {ENTRY_RULE}"),
                ));
            }
            match cap.as_str().filter(|cap| cap.parse::<BaseUnits>().is_ok()) {
                Some(cap) => Ok((key.to_owned(), cap.to_owned())),
                None => Err(PolicyError::new(
                    "max_per_trade.value",
                    format!("of `{key}` must be base units: a text of 1 to 78 digits"),
                )),
            }
        })
        .collect()
}

fn slippage(file: &Entries) -> Read<Option<u32>> {
    match file.get("max_slippage_bps") {
        None | Some(Tree::Null) => Ok(None),
        Some(value) => integer(value)
            .filter(|bps| *bps <= MAX_SLIPPAGE_BPS)
            .map(Some)
            .ok_or_else(|| {
                PolicyError::new(
                    "max_slippage_bps",
                    format!("must be a whole number from 0 to {MAX_SLIPPAGE_BPS}, or null"),
                )
            }),
    }
}

fn ttl(file: &Entries) -> Read<u32> {
    match file.get("intent_ttl_s") {
        None => Ok(DEFAULT_INTENT_TTL_S),
        Some(value) => integer(value)
            .filter(|seconds| (1..=MAX_INTENT_TTL_S).contains(seconds))
            .ok_or_else(|| {
                PolicyError::new(
                    "intent_ttl_s",
                    format!("must be a whole number of seconds from 1 to {MAX_INTENT_TTL_S}"),
                )
            }),
    }
}

fn unknown_verdict(file: &Entries) -> Read<UnknownVerdict> {
    match file.get("unknown_verdict").map(Tree::as_str) {
        None | Some(Some("refuse")) => Ok(UnknownVerdict::Refuse),
        Some(Some("allow")) => Ok(UnknownVerdict::Allow),
        Some(_) => Err(PolicyError::new(
            "unknown_verdict",
            "must be refuse or allow",
        )),
    }
}

fn require_simulation(file: &Entries) -> Read<bool> {
    match file.get("require_simulation") {
        None | Some(Tree::Bool(true)) => Ok(true),
        Some(_) => Err(PolicyError::new("require_simulation", "can only be true")),
    }
}

fn boolean(object: &Entries, key: &str, field: &str) -> Read<Option<bool>> {
    match object.get(key) {
        None => Ok(None),
        Some(Tree::Bool(value)) => Ok(Some(*value)),
        Some(_) => Err(PolicyError::new(field, "must be true or false")),
    }
}

fn scan(file: &Entries) -> Read<Option<Scan>> {
    let scan = match file.get("scan") {
        None => return Ok(None),
        Some(Tree::Object(scan)) => scan,
        Some(_) => return Err(PolicyError::new("scan", "must be an object")),
    };
    const MODES: [&str; 5] = [
        "lookalike",
        "token",
        "payto_changed",
        "treasury_recipients",
        "hosted_check",
    ];
    refuse_unknown_keys(scan, &MODES, "scan.")?;
    let mode = |key: &str, allowed: &[&str]| -> Read<String> {
        let default = allowed.first().copied().unwrap_or_default();
        match scan.get(key) {
            None => Ok(default.to_owned()),
            Some(value) => value
                .as_str()
                .filter(|mode| allowed.contains(mode))
                .map(str::to_owned)
                .ok_or_else(|| {
                    PolicyError::new(
                        format!("scan.{key}"),
                        format!("must be one of {}", allowed.join(", ")),
                    )
                }),
        }
    };
    Ok(Some(Scan {
        lookalike: mode("lookalike", &["refuse", "caution", "off"])?,
        token: mode("token", &["refuse_not_canonical", "off"])?,
        payto_changed: mode("payto_changed", &["caution", "refuse", "off"])?,
        treasury_recipients: mode("treasury_recipients", &["allowlist_only", "off"])?,
        hosted_check: boolean(scan, "hosted_check", "scan.hosted_check")?.unwrap_or(false),
    }))
}

/// A number without a fractional part, in any spelling (`300`, `300.0`, `3e2`).
fn integer(value: &Tree) -> Option<u32> {
    let number = value.as_number()?;
    if number.fract() != 0.0 || !(0.0..=f64::from(u32::MAX)).contains(&number) {
        return None;
    }
    format!("{number:.0}").parse().ok()
}

/// `^[a-z0-9][a-z0-9._-]{0,59}$`
fn is_policy_name(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    (1..=60).contains(&text.len())
        && text.bytes().next().is_some_and(allowed)
        && text
            .bytes()
            .all(|byte| allowed(byte) || matches!(byte, b'.' | b'_' | b'-'))
}

/// `^[a-z][a-z0-9-]{0,39}:[A-Za-z0-9]{1,64}$`
fn is_chain_qualified(text: &str) -> bool {
    let Some((chain, id)) = text.split_once(':') else {
        return false;
    };
    (1..=40).contains(&chain.len())
        && chain
            .bytes()
            .next()
            .is_some_and(|byte| byte.is_ascii_lowercase())
        && chain
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && (1..=64).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
