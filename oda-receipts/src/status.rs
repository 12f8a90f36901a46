//! The state change that a receipt records.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::ReceiptError;

/// The state change that a receipt records (ODA draft 0, section 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// An intent was made and the policy let it through. Nothing is signed.
    Prepared,
    /// The policy, or a person, said no.
    Refused,
    /// Handed over to the chain. It does not mean confirmed.
    Executed,
    /// It did not happen, or what was handed over is proven dead.
    Failed,
    /// The intent's time ran out before it was executed.
    Expired,
}

impl Status {
    /// The word written in the receipt.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Prepared => "prepared",
            Self::Refused => "refused",
            Self::Executed => "executed",
            Self::Failed => "failed",
            Self::Expired => "expired",
        }
    }

    /// The status that a receipt's word stands for; `None` for any other text.
    pub(crate) const fn from_bytes(word: &[u8]) -> Option<Self> {
        match word {
            b"prepared" => Some(Self::Prepared),
            b"refused" => Some(Self::Refused),
            b"executed" => Some(Self::Executed),
            b"failed" => Some(Self::Failed),
            b"expired" => Some(Self::Expired),
            _ => None,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Status {
    type Err = ReceiptError;

    fn from_str(text: &str) -> Result<Self, ReceiptError> {
        Self::from_bytes(text.as_bytes()).ok_or(ReceiptError::UnknownWord {
            field: "status",
            allowed: "prepared, refused, executed, failed, expired",
        })
    }
}
