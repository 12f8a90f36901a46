//! What a simulation found: whether the payload would succeed, and what it would change.

use serde::{Deserialize, Serialize};

use crate::SimulationVerdict;

/// The result of simulating one payload at a stated block (ODA draft 0, section 6).
///
/// It stands in the prepared intent and, whole, in the receipts. `effects` is this project's addition:
/// absent when the simulator does not report effects at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Simulation {
    /// Whether the payload would succeed.
    pub ok: bool,
    /// How it was simulated, such as `eth_simulateV1`.
    pub method: String,
    /// The block (EVM) or slot (Solana) it was simulated at, decimal.
    pub block: Option<String>,
    /// Gas (EVM) or compute units (Solana) that it would use, decimal.
    pub gas_estimate: Option<String>,
    /// Why it would fail, such as the decoded revert reason. `None` when `ok`.
    pub error: Option<String>,
    /// When it was simulated: an ISO instant in UTC.
    pub as_of: String,
    /// What would change hands, when the simulator can tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<SimulatedEffects>,
}

impl Simulation {
    /// What the pre-flight evaluator needs to know of it.
    #[must_use]
    pub fn verdict(&self) -> SimulationVerdict {
        SimulationVerdict {
            ok: self.ok,
            error: self.error.clone(),
        }
    }
}

/// What a simulation saw change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case", deny_unknown_fields)]
pub enum SimulatedEffects {
    /// The simulator traced the call.
    Known {
        /// Everything that could be named, in the order in which it happened.
        changes: Vec<Change>,
        /// What was seen and could not be named, one line each: never left out silently.
        not_attributed: Vec<String>,
    },
    /// The simulator could not trace the call: only success or failure is known.
    Unknown {
        /// Why, in one sentence.
        reason: String,
    },
}

/// One change that a payload would make. Accounts and assets are in the chain's own canonical text
/// form; amounts are base units, decimal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Change {
    /// An account holds more or less of an asset.
    Balance {
        /// Whose balance.
        account: String,
        /// `native`, or the token contract or mint.
        asset: String,
        /// The signed difference in base units, such as `-1500000`.
        delta: String,
    },
    /// Somebody may take up to an amount later.
    Allowance {
        /// Who granted it.
        owner: String,
        /// Who may spend.
        spender: String,
        /// The token.
        asset: String,
        /// The new limit in base units.
        amount: String,
        /// Through which mechanism, such as `erc20` or `permit2`.
        standard: String,
    },
    /// Somebody may move one token of a collection later.
    TokenApproval {
        /// Who granted it.
        owner: String,
        /// Who may move it.
        operator: String,
        /// The collection.
        asset: String,
        /// The token's id, decimal.
        token_id: String,
    },
    /// Somebody may, or may no longer, move every token of a collection.
    OperatorApproval {
        /// Who granted or revoked it.
        owner: String,
        /// Who may move them.
        operator: String,
        /// The collection.
        asset: String,
        /// `true` when granted, `false` when revoked.
        approved: bool,
    },
}
