//! Intent ids: opaque, unforgeable names of prepared actions (ODA draft 0, section 6).

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use oda_canon::{CanonError, Digest};
use serde::{Deserialize, Serialize};

use crate::secret::{IntentSecret, equal_in_constant_time};

/// What every intent id starts with.
const PREFIX: &str = "si_";

/// An HMAC-SHA-256 tag in unpadded base64url.
const TAG_CHARACTERS: usize = 43;

/// Bytes of a nonce drawn by this project. The draft asks for at least 16.
pub const NONCE_BYTES: usize = 16;

/// The only thing `execute` accepts: `si_` and 43 characters of unpadded base64url.
///
/// The id is an HMAC over the action, the digest of its parameters, the expiry and a nonce. Holding one
/// proves nothing about the stored record; [`IntentId::verifies`] recomputes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct IntentId(String);

impl IntentId {
    /// Mints the id of an intent.
    ///
    /// # Errors
    ///
    /// Only if the inputs cannot be canonicalised, which text cannot cause.
    pub fn mint(secret: &IntentSecret, input: &MacInput<'_>) -> Result<Self, CanonError> {
        let text = oda_canon::to_vec(input)?;
        Ok(Self(format!(
            "{PREFIX}{}",
            URL_SAFE_NO_PAD.encode(secret.tag(&[&text]))
        )))
    }

    /// Whether this id was minted under `secret` for exactly these inputs. Compared in constant time.
    #[must_use]
    pub fn verifies(&self, secret: &IntentSecret, input: &MacInput<'_>) -> bool {
        Self::mint(secret, input)
            .is_ok_and(|minted| equal_in_constant_time(minted.0.as_bytes(), self.0.as_bytes()))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What an intent id is a MAC of. Canonicalised, its keys stand in the order `action`, `expires_at`,
/// `nonce`, `params_digest`.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct MacInput<'a> {
    /// The action's ODA id.
    pub action: &'a str,
    /// The digest of the bound parameters.
    pub params_digest: &'a Digest,
    /// The expiry in the exact spelling that is stored.
    pub expires_at: &'a str,
    /// The nonce as text.
    pub nonce: &'a str,
}

impl fmt::Display for IntentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for IntentId {
    type Err = MalformedIntentId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::try_from(text.to_owned())
    }
}

impl TryFrom<String> for IntentId {
    type Error = MalformedIntentId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let well_formed = text.strip_prefix(PREFIX).is_some_and(|tag| {
            tag.len() == TAG_CHARACTERS
                && tag
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        });
        if well_formed {
            Ok(Self(text))
        } else {
            Err(MalformedIntentId)
        }
    }
}

impl From<IntentId> for String {
    fn from(id: IntentId) -> Self {
        id.0
    }
}

/// The text is not an intent id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an intent id is `si_` followed by 43 characters of A-Z, a-z, 0-9, `_` and `-`")]
pub struct MalformedIntentId;

/// Makes two intents with the same parameters distinct. Unpadded base64url text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nonce(String);

impl Nonce {
    /// The text form of random bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; NONCE_BYTES]) -> Self {
        Self(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// The nonce as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Where nonces come from. Handed in, so that the published flows replay exactly.
pub trait NonceSource: Send + Sync + fmt::Debug {
    /// A nonce that was never returned before.
    ///
    /// # Errors
    ///
    /// When the source of randomness fails; nothing is prepared then.
    fn nonce(&self) -> Result<Nonce, NonceError>;
}

/// Nonces from the operating system's random number generator.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsNonces;

impl NonceSource for OsNonces {
    fn nonce(&self) -> Result<Nonce, NonceError> {
        let mut bytes = [0_u8; NONCE_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| NonceError(error.to_string()))?;
        Ok(Nonce::from_bytes(bytes))
    }
}

/// The source of randomness failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no nonce could be drawn: {0}")]
pub struct NonceError(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_one_shape() {
        let good = format!("si_{}", "A".repeat(43));
        assert!(good.parse::<IntentId>().is_ok());
        for bad in [
            "",
            "si_",
            &good[1..],
            &format!("{good}A"),
            &good.replace('A', "+"),
        ] {
            assert_eq!(bad.parse::<IntentId>(), Err(MalformedIntentId), "{bad}");
        }
    }

    #[test]
    fn system_nonces_do_not_repeat() {
        let a = OsNonces.nonce().unwrap();
        assert_eq!(a.as_str().len(), 22);
        assert_ne!(a, OsNonces.nonce().unwrap());
    }
}
