//! The digest type and its text form.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::CanonError;

const PREFIX: &str = "sha256:";
const TEXT_BYTES: usize = PREFIX.len() + 64;

/// A SHA-256 digest, shown everywhere as `sha256:` and 64 lower-case hex digits.
///
/// This is the form of ODA draft 0 (`params_digest`, receipt hashes). Reading it is as strict
/// as writing it: upper case, a missing prefix or another length is refused, so one digest has
/// exactly one text.
///
/// ```
/// use oda_canon::{Digest, digest_bytes};
///
/// let digest = digest_bytes(b"");
/// let text = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/// assert_eq!(digest.to_string(), text);
/// assert_eq!(text.parse::<Digest>()?, digest);
/// # Ok::<(), oda_canon::CanonError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// 32 zero bytes: what the first receipt of a chain names as its predecessor.
    pub const ZERO: Self = Self([0; 32]);

    /// Takes the 32 bytes of a SHA-256 digest computed elsewhere.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    fn with_text<R>(self, read: impl FnOnce(&str) -> R) -> R {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0u8; TEXT_BYTES];
        text[..PREFIX.len()].copy_from_slice(PREFIX.as_bytes());
        for (pair, byte) in text[PREFIX.len()..].chunks_exact_mut(2).zip(self.0) {
            pair[0] = HEX[usize::from(byte >> 4)];
            pair[1] = HEX[usize::from(byte & 15)];
        }
        #[expect(clippy::expect_used, reason = "the buffer holds ASCII only")]
        read(std::str::from_utf8(&text).expect("prefix and hex digits are ASCII"))
    }
}

/// The SHA-256 of `bytes` as they are.
///
/// For bytes that are canonical already, or that are no JSON at all. To hash a value, use
/// [`digest`](crate::digest).
#[must_use]
pub fn digest_bytes(bytes: &[u8]) -> Digest {
    Digest(Sha256::digest(bytes).into())
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_text(|text| f.pad(text))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = CanonError;

    fn from_str(text: &str) -> Result<Self, CanonError> {
        let malformed = |reason| CanonError::MalformedDigest { reason };
        let hex = text
            .strip_prefix(PREFIX)
            .ok_or_else(|| malformed("it does not start with `sha256:`"))?;
        if hex.len() != 64 {
            return Err(malformed("it does not have 64 hex digits"));
        }
        let mut bytes = [0u8; 32];
        for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
            let (Some(high), Some(low)) = (hex_digit(pair[0]), hex_digit(pair[1])) else {
                return Err(malformed("a character is not a lower-case hex digit"));
            };
            *byte = high << 4 | low;
        }
        Ok(Self(bytes))
    }
}

const fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_text(|text| serializer.serialize_str(text))
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = Digest;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`sha256:` and 64 lower-case hex digits")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Digest, E> {
        text.parse().map_err(E::custom)
    }
}
