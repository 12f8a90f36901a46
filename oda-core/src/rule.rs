//! The rules a policy consists of.

use std::fmt;

/// A rule of the pre-flight evaluator. The list is closed (ODA draft 0 with `sato.policy/v1`): these ids are
/// what descriptors declare and refusals name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleId {
    /// The chain is not on the list.
    ChainAllowlist,
    /// The token is not on the list.
    TokenAllowlist,
    /// The contract, or the spender of an approval, is not on the list.
    ContractAllowlist,
    /// The recipient, or the spender of an approval, is not on the list.
    RecipientAllowlist,
    /// The venue is not on the list.
    VenueAllowlist,
    /// One trade is worth too much.
    MaxUsdPerTrade,
    /// The day's trades are worth too much.
    MaxUsdPerDay,
    /// One trade moves too much of a token.
    MaxPerTrade,
    /// The tolerated slippage is too large.
    MaxSlippageBps,
    /// The intent would live too long.
    IntentTtl,
    /// A dollar cap is set and the value is unknown.
    UnknownPrice,
    /// Something else that a cap needs is unknown.
    UnknownVerdict,
    /// There is no simulation.
    SimulationRequired,
    /// The simulation failed.
    SimulationFailed,
    /// Real money, and the policy does not say so.
    NetworkMainnetNotEnabled,
}

impl RuleId {
    /// Every rule, in the order of the specification.
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

    /// The rule id of a person's no. It stands outside the closed list, which has no word for it, and is
    /// named after the member of the policy file that asks for the person.
    pub const HUMAN_APPROVAL: &'static str = "human_approval";

    /// The id, such as `max_usd_per_day`.
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

    /// The rule with that id.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.as_str() == id)
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
