//! Under which authority an action ran.

use std::fmt;
use std::str::FromStr;

use oda_canon::Digest;
use serde::{Deserialize, Serialize};

use crate::error::ReceiptError;

/// What kind of authority a [`Mandate`] records. ODA draft 0 knows one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MandateKind {
    /// The action belongs to one prepared intent.
    #[default]
    Intent,
}

/// Who let the action through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Approval {
    /// A person approved it.
    Human,
    /// The policy alone let it through.
    Policy,
    /// Nobody had to: nothing was signed (`prepared`, `refused`, `expired`).
    None,
}

impl Approval {
    /// The word written in the receipt.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Policy => "policy",
            Self::None => "none",
        }
    }
}

impl fmt::Display for Approval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Approval {
    type Err = ReceiptError;

    fn from_str(text: &str) -> Result<Self, ReceiptError> {
        match text {
            "human" => Ok(Self::Human),
            "policy" => Ok(Self::Policy),
            "none" => Ok(Self::None),
            _ => Err(ReceiptError::UnknownWord {
                field: "approval",
                allowed: "human, policy, none",
            }),
        }
    }
}

/// The mandate block of a receipt (ODA draft 0, section 7): the intent, the policy in force and
/// the approval. A closed object of six members.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Mandate {
    /// Always `intent` in this draft.
    pub kind: MandateKind,
    /// The intent the mandate is for. A sealed receipt has the same id in its own `intent_id`.
    pub intent_id: String,
    /// The action's id. A sealed receipt has the same id in its own `action`.
    pub action: String,
    /// Digest of the policy, in its parsed form with defaults, that gave the verdict.
    pub policy_digest: Digest,
    /// When the intent expires: an instant in UTC such as `2026-09-26T12:05:00.000Z`.
    pub expires_at: String,
    /// Who let it through.
    pub approval: Approval,
}
