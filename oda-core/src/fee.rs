//! What a venue takes for routing an action.

use serde::{Deserialize, Serialize};

/// The fee disclosure of ODA draft 0, section 6: shown before anything is signed, kept in the receipts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeeDisclosure {
    /// The venue that routes the action.
    pub venue: String,
    /// The fee in basis points; `None` when the venue does not state one. A whole number.
    pub fee_bps: Option<u32>,
    /// Who receives the fee, when stated.
    pub fee_recipient: Option<String>,
    /// The venue's own sentence, word for word.
    pub statement: String,
    /// Whether the same quote can be had without this venue.
    pub direct_quote_available: bool,
}
