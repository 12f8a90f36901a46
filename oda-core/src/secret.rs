//! The intent secret: what makes an intent id unforgeable and a stored record tamper-evident.

use std::fmt;

use hmac::{Hmac, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

/// The shortest secret accepted, in bytes (ODA draft 0, section 6; 16 bytes = 128 bits).
pub const MIN_SECRET_BYTES: usize = 16;

/// The length of a secret that this project makes itself, in bytes: one SHA-256 block of entropy.
pub const SECRET_BYTES: usize = 32;

/// A 32-byte HMAC-SHA-256 tag.
pub(crate) type Tag = [u8; 32];

/// The key under which intent ids are minted and stored records are sealed.
///
/// The key schedule is computed once; the bytes themselves are not kept. `Debug` shows nothing of it.
#[derive(Clone)]
pub struct IntentSecret {
    keyed: Hmac<Sha256>,
}

impl IntentSecret {
    /// Takes a secret of at least [`MIN_SECRET_BYTES`] bytes.
    ///
    /// # Errors
    ///
    /// [`SecretTooShort`] for a shorter one.
    pub fn new(bytes: &[u8]) -> Result<Self, SecretTooShort> {
        if bytes.len() < MIN_SECRET_BYTES {
            return Err(SecretTooShort { bytes: bytes.len() });
        }
        let keyed = <Hmac<Sha256> as Mac>::new_from_slice(bytes)
            .map_err(|_| SecretTooShort { bytes: bytes.len() })?;
        Ok(Self { keyed })
    }

    /// HMAC-SHA-256 over the parts, one after the other.
    pub(crate) fn tag(&self, parts: &[&[u8]]) -> Tag {
        let mut mac = self.keyed.clone();
        for part in parts {
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}

impl fmt::Debug for IntentSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IntentSecret(…)")
    }
}

/// Compares without telling by its timing where the difference is.
pub(crate) fn equal_in_constant_time(a: &[u8], b: &[u8]) -> bool {
    a.ct_eq(b).into()
}

/// The secret has fewer than [`MIN_SECRET_BYTES`] bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the intent secret has {bytes} bytes; at least {MIN_SECRET_BYTES} are required")]
pub struct SecretTooShort {
    /// How many bytes were given.
    pub bytes: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifteen_bytes_are_too_few() {
        assert_eq!(
            IntentSecret::new(&[7; 15]).unwrap_err(),
            SecretTooShort { bytes: 15 }
        );
        assert!(IntentSecret::new(&[7; 16]).is_ok());
    }

    #[test]
    fn debug_shows_nothing_of_the_secret() {
        let secret = IntentSecret::new(&[0x41; 32]).unwrap();
        assert_eq!(format!("{secret:?}"), "IntentSecret(…)");
    }
}
