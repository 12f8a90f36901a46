//! What a policy is evaluated on.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::chain::Network;
use crate::ecma::number_text;

/// A reading that can be missing in two ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading<T> {
    /// The action has no such quantity: the rule about it is off.
    #[default]
    Absent,
    /// It has one and nobody could read it.
    Unknown,
    /// Its value.
    Known(T),
}

impl<T> Reading<T> {
    /// The value, when known.
    #[must_use]
    pub const fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Absent | Self::Unknown => None,
        }
    }
}

/// The facts about one action. A text that is `None` switches the rule about it off.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Facts {
    /// The action's ODA id.
    pub action: String,
    /// The chain's name.
    pub chain: String,
    /// What is at stake, derived from the chain.
    pub network: Option<Network>,
    /// The token that leaves: an address, a mint, or an alias such as the native symbol.
    pub token: Option<String>,
    /// How much of it, in base units, as written.
    pub token_amount_base_units: Option<String>,
    /// What it is worth in US dollars. `None` is unknown.
    pub usd_value: Option<f64>,
    /// What the day has spent already. `None` is unknown.
    pub usd_spent_today: Option<f64>,
    /// The contract that is called.
    pub contract: Option<String>,
    /// Who receives it.
    pub recipient: Option<String>,
    /// Who may take something later.
    pub spender: Option<String>,
    /// The venue that routes it.
    pub venue: Option<String>,
    /// The tolerated slippage in basis points.
    pub slippage_bps: Reading<f64>,
    /// What the simulation said. `None` when there is none.
    pub simulation: Option<SimulationVerdict>,
    /// How long the intent would live, in seconds. `None` is unknown.
    pub ttl_s: Option<f64>,
}

/// The part of a simulation that rules look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimulationVerdict {
    /// Whether it would succeed.
    pub ok: bool,
    /// Why not.
    pub error: Option<String>,
}

impl Facts {
    /// Reads facts from loose JSON, as hosts and test vectors write them: a member of another type is an
    /// unreadable fact, never a missing one.
    #[must_use]
    pub fn from_value(value: &Value) -> Self {
        let text = |name: &str| value.get(name).map(loose_text);
        let number = |name: &str| value.get(name).and_then(Value::as_f64);
        Self {
            action: text("action").unwrap_or_default(),
            chain: text("chain").unwrap_or_default(),
            network: value
                .get("network")
                .and_then(Value::as_str)
                .and_then(Network::from_word),
            token: text("token"),
            token_amount_base_units: value
                .get("token_amount_base_units")
                .map(|amount| amount.as_str().unwrap_or_default().to_owned()),
            usd_value: number("usd_value"),
            usd_spent_today: number("usd_spent_today"),
            contract: text("contract"),
            recipient: text("recipient"),
            spender: text("spender"),
            venue: value
                .get("venue")
                .map(|venue| venue.as_str().unwrap_or_default().to_owned()),
            slippage_bps: match value.get("slippage_bps") {
                None => Reading::Absent,
                Some(slippage) => slippage.as_f64().map_or(Reading::Unknown, Reading::Known),
            },
            simulation: value
                .get("simulation")
                .filter(|simulation| !simulation.is_null())
                .map(|simulation| SimulationVerdict {
                    ok: simulation.get("ok") == Some(&Value::Bool(true)),
                    error: simulation
                        .get("error")
                        .and_then(Value::as_str)
                        .map(str::to_owned),
                }),
            ttl_s: number("ttl_s"),
        }
    }
}

/// A member as it reads inside `chain:member`.
fn loose_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number
            .as_f64()
            .map_or_else(|| "unknown".to_owned(), number_text),
        other => other.to_string(),
    }
}
