//! The ids of the rules that refuse.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A rule of the pre-flight evaluator: the closed list of 15 that descriptors and refusals name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleId {
    /// The chain is not in `allow_chains`.
    ChainAllowlist,
    /// The token is not in `allow_tokens`.
    TokenAllowlist,
    /// The contract that is called, or the spender of an allowance, is not in `allow_contracts`.
    ContractAllowlist,
    /// The recipient, or the spender of an allowance, is not in `allow_recipients`.
    RecipientAllowlist,
    /// The venue is not in `allow_venues`.
    VenueAllowlist,
    /// Worth more than `max_usd_per_trade`.
    MaxUsdPerTrade,
    /// Together with the day's spend, worth more than `max_usd_per_day`.
    MaxUsdPerDay,
    /// More base units than `max_per_trade` allows for the token.
    MaxPerTrade,
    /// More slippage than `max_slippage_bps`.
    MaxSlippageBps,
    /// A time to live that is unreadable or longer than `intent_ttl_s`.
    IntentTtl,
    /// A USD cap is set and the value is unknown.
    UnknownPrice,
    /// A limit is set and what it limits is unknown.
    UnknownVerdict,
    /// There is no simulation.
    SimulationRequired,
    /// The simulation did not succeed.
    SimulationFailed,
    /// A mainnet chain under a policy for less.
    NetworkMainnetNotEnabled,
}

/// A word that is not a rule id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a rule id")]
pub struct UnknownRule(String);

impl RuleId {
    /// The rule id of a person's "no". It is this project's own and stands outside the closed
    /// list: no policy evaluation gives it, and a descriptor may not declare it.
    pub const HUMAN_APPROVAL: &'static str = "human_approval";

    /// All 15, in the order of the list.
    pub const ALL: [Self; 15] = [
        Self::ChainAllowlist,
        Self::TokenAllowlist,
        Self::ContractAllowlist,
        Self::RecipientAllowlist,
        Self::VenueAllowlist,
        Self::MaxUsdPerTrade,
        Self::MaxUsdPerDay,
        Self::MaxPerTrade,
        Self::MaxSlippageBps,
        Self::IntentTtl,
        Self::UnknownPrice,
        Self::UnknownVerdict,
        Self::SimulationRequired,
        Self::SimulationFailed,
        Self::NetworkMainnetNotEnabled,
    ];

    /// The id as it stands in refusals and descriptors.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ChainAllowlist => "chain_allowlist",
            Self::TokenAllowlist => "token_allowlist",
            Self::ContractAllowlist => "contract_allowlist",
            Self::RecipientAllowlist => "recipient_allowlist",
            Self::VenueAllowlist => "venue_allowlist",
            Self::MaxUsdPerTrade => "max_usd_per_trade",
            Self::MaxUsdPerDay => "max_usd_per_day",
            Self::MaxPerTrade => "max_per_trade",
            Self::MaxSlippageBps => "max_slippage_bps",
            Self::IntentTtl => "intent_ttl",
            Self::UnknownPrice => "unknown_price",
            Self::UnknownVerdict => "unknown_verdict",
            Self::SimulationRequired => "simulation_required",
            Self::SimulationFailed => "simulation_failed",
            Self::NetworkMainnetNotEnabled => "network_mainnet_not_enabled",
        }
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for RuleId {
    type Err = UnknownRule;

    fn from_str(word: &str) -> Result<Self, UnknownRule> {
        Self::ALL
            .into_iter()
            .find(|rule| rule.as_str() == word)
            .ok_or_else(|| UnknownRule(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_back_and_have_the_same_wire_form() {
        for rule in RuleId::ALL {
            assert_eq!(rule.as_str().parse(), Ok(rule));
            assert_eq!(serde_json::to_value(rule).unwrap(), rule.as_str());
        }
        assert!(RuleId::HUMAN_APPROVAL.parse::<RuleId>().is_err());
    }
}
