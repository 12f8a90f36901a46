//! What an action does, and how a host should ask about it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// One thing that an action does, in order of rising consequence (ODA draft 0, sections 1 and 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Reads state.
    Read,
    /// Asks a venue for a price.
    Quote,
    /// Simulates a call.
    Simulate,
    /// Asks a signer for a signature.
    Sign,
    /// Sends a transaction.
    Broadcast,
    /// Pays for something.
    Pay,
}

/// A word that is not one of the six effects.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an effect; use read, quote, simulate, sign, broadcast or pay")]
pub struct UnknownEffect(String);

impl Effect {
    /// All six, in order of rising consequence.
    pub const ALL: [Self; 6] = [
        Self::Read,
        Self::Quote,
        Self::Simulate,
        Self::Sign,
        Self::Broadcast,
        Self::Pay,
    ];

    /// The word in a descriptor.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Quote => "quote",
            Self::Simulate => "simulate",
            Self::Sign => "sign",
            Self::Broadcast => "broadcast",
            Self::Pay => "pay",
        }
    }

    /// Whether the effect leaves everything as it was.
    #[must_use]
    pub const fn is_passive(self) -> bool {
        matches!(self, Self::Read | Self::Quote | Self::Simulate)
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Effect {
    type Err = UnknownEffect;

    fn from_str(word: &str) -> Result<Self, UnknownEffect> {
        Self::ALL
            .into_iter()
            .find(|effect| effect.as_str() == word)
            .ok_or_else(|| UnknownEffect(word.to_owned()))
    }
}

/// What a host is told about asking for approval (ODA draft 0, section 5). The names on the wire
/// are those of MCP tool annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalHints {
    /// The action changes nothing.
    pub read_only_hint: bool,
    /// Calling it again has no further effect.
    pub idempotent_hint: bool,
    /// The action may change something that cannot be taken back.
    pub destructive_hint: bool,
    /// A person has to agree before the call.
    pub requires_user_interaction: bool,
}

impl ApprovalHints {
    /// The hints of an action that only reads, quotes or simulates.
    pub const PASSIVE: Self = Self {
        read_only_hint: true,
        idempotent_hint: true,
        destructive_hint: false,
        requires_user_interaction: false,
    };

    /// The cautious hints: a person has to agree.
    pub const CONSEQUENTIAL: Self = Self {
        read_only_hint: false,
        idempotent_hint: false,
        destructive_hint: true,
        requires_user_interaction: true,
    };
}

/// The approval hints of a list of effects: passive when there is at least one and all are
/// passive, else cautious.
///
/// ```
/// use oda_core::{ApprovalHints, Effect, approval_hints};
///
/// assert_eq!(approval_hints(&[Effect::Read, Effect::Quote]), ApprovalHints::PASSIVE);
/// assert_eq!(approval_hints(&[Effect::Read, Effect::Sign]), ApprovalHints::CONSEQUENTIAL);
/// assert_eq!(approval_hints(&[]), ApprovalHints::CONSEQUENTIAL);
/// ```
#[must_use]
pub fn approval_hints(effects: &[Effect]) -> ApprovalHints {
    if !effects.is_empty() && effects.iter().all(|effect| effect.is_passive()) {
        ApprovalHints::PASSIVE
    } else {
        ApprovalHints::CONSEQUENTIAL
    }
}

/// [`approval_hints`] for words that were not checked, such as those of a foreign descriptor.
///
/// A word that is not one of the six effects makes the answer cautious: nobody knows what it
/// does. The reference implementation gives no hint at all there, which a host reads as harmless.
///
/// ```
/// use oda_core::{ApprovalHints, approval_hints_of_words};
///
/// assert_eq!(approval_hints_of_words(&["read"]), ApprovalHints::PASSIVE);
/// assert_eq!(approval_hints_of_words(&["mint"]), ApprovalHints::CONSEQUENTIAL);
/// ```
#[must_use]
pub fn approval_hints_of_words<S: AsRef<str>>(words: &[S]) -> ApprovalHints {
    let effects: Result<Vec<Effect>, _> = words.iter().map(|word| word.as_ref().parse()).collect();
    effects.map_or(ApprovalHints::CONSEQUENTIAL, |effects| {
        approval_hints(&effects)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defect_15_an_effect_outside_the_six_is_cautious() {
        for words in [&["mint"][..], &["READ"], &["read", "mint"], &[""]] {
            assert_eq!(
                approval_hints_of_words(words),
                ApprovalHints::CONSEQUENTIAL,
                "{words:?}"
            );
        }
    }

    #[test]
    fn effects_rise_in_consequence_and_read_back() {
        assert!(Effect::ALL.is_sorted());
        for effect in Effect::ALL {
            assert_eq!(effect.as_str().parse(), Ok(effect));
            let word = serde_json::to_string(&effect).unwrap();
            assert_eq!(word, format!("\"{effect}\""));
        }
    }

    #[test]
    fn hints_have_the_wire_names_of_mcp() {
        assert_eq!(
            serde_json::to_value(ApprovalHints::PASSIVE).unwrap(),
            serde_json::json!({
                "readOnlyHint": true, "idempotentHint": true,
                "destructiveHint": false, "requiresUserInteraction": false,
            })
        );
    }
}
