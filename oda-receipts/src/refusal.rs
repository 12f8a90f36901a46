//! What the policy said: a verdict and the refusals behind it.

use serde::{Deserialize, Serialize};

/// One reason why an action may not go ahead (ODA draft 0, section 6).
///
/// A refusal is a normal answer, not an error. All four fields are text; a reading that could
/// not be taken is written as `unknown`, never left out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Refusal {
    /// The rule that refused, for example `max_usd_per_trade`.
    pub rule: String,
    /// What the rule allows, as text (a number in ECMAScript form, a list joined by commas).
    pub limit: String,
    /// What was seen, as text, or `unknown`.
    pub observed: String,
    /// One sentence for a person, naming limit and observed. It is part of the receipt's hash,
    /// its wording is free.
    pub message: String,
}

/// The verdict of the policy with every refusal it gave.
///
/// A sealed receipt never carries a contradiction: `ok` is true exactly when `refusals` is
/// empty. [`PolicyOutcome::from_refusals`] keeps to that by construction.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PolicyOutcome {
    /// True when nothing refused.
    pub ok: bool,
    /// The refusals, in the order in which the evaluator gave them.
    pub refusals: Vec<Refusal>,
}

impl PolicyOutcome {
    /// The verdict "nothing refused".
    #[must_use]
    pub const fn allowed() -> Self {
        Self {
            ok: true,
            refusals: Vec::new(),
        }
    }

    /// The verdict that follows from a list of refusals: `ok` when the list is empty.
    #[must_use]
    pub fn from_refusals(refusals: Vec<Refusal>) -> Self {
        Self {
            ok: refusals.is_empty(),
            refusals,
        }
    }
}
