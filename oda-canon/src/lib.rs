//! Canonical JSON bytes and digests.
//!
//! Everything in this project that is hashed or signed goes through this crate: two programs
//! agree on a digest only if they agree on every byte before it.
//!
//! ```
//! use oda_canon::{canonicalize, digest, parse_strict, to_string};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize)]
//! struct Transfer {
//!     to: String,
//!     amount: String,
//! }
//!
//! let transfer: Transfer = parse_strict(br#"{"to": "0xab", "amount": "15"}"#)?;
//! assert_eq!(to_string(&transfer)?, r#"{"amount":"15","to":"0xab"}"#);
//! assert_eq!(canonicalize(br#"{"to": "0xab", "amount": "15"}"#)?, br#"{"amount":"15","to":"0xab"}"#);
//! assert!(digest(&transfer)?.to_string().starts_with("sha256:"));
//!
//! let error = canonicalize(br#"{"amount": 1, "amount": 2}"#).unwrap_err();
//! assert_eq!((error.code(), error.byte()), ("json_duplicate_key", Some(14)));
//! # Ok::<(), oda_canon::CanonError>(())
//! ```
//!
//! # What it promises
//!
//! - The bytes are those of RFC 8785: keys ordered by UTF-16 code units, strings with the fewest
//!   escapes, numbers as ECMAScript prints them, no white space.
//! - A value has the same bytes through every door: as a typed value, as a `serde_json::Value`,
//!   as text.
//! - What would lose information on the way into the hash is an error that says where, never a
//!   silent change.
//!
//! # Where it is stricter
//!
//! The reference implementation of ODA, and RFC 8785 with it, take every number as a double and
//! leave the rest to the JSON parser of the host. Two documents that differ can then share a
//! digest. These inputs are errors here (names as in the shared vector file `oda-canonical`):
//!
//! | vector case | what it holds | error code |
//! |---|---|---|
//! | `lone high surrogate in a string`, `lone low surrogate in a string` | half a surrogate pair, which no UTF-8 text can hold | `json_lone_surrogate` |
//! | `number 2^53+1 rounds` | an integer that would be hashed like its neighbour | `json_inexact_integer` |
//! | `number uint256 max loses digits` | the same, 78 digits long | `json_inexact_integer` |
//! | `duplicate keys: last wins at parse` | a key with two values | `json_duplicate_key` |
//! | `JSON text 1e400 parses to Infinity, then fails` | an error in the reference too, found while reading here | `json_non_finite` |
//!
//! Byte order marks, invalid UTF-8, trailing bytes, and documents beyond [`MAX_DEPTH`] or
//! [`MAX_TEXT_BYTES`] are errors as well.
//!
//! # Numbers
//!
//! An integer of a typed value must be exactly a double: every integer up to 2^53, and beyond
//! that those with at most 53 significant bits (2^60 passes and is written as ECMAScript does,
//! `1152921504606847000`). In JSON text, a number without a fractional part may also be the
//! canonical text of a double, however it is spelled (`1e23`, `295147905179352830000`):
//! otherwise this crate could refuse what it wrote itself. Numbers with a fractional part round to the nearest
//! double, as everywhere in JSON. `f32` is widened to the double of the same value first, as
//! `serde_json::to_value` does: `0.1f32` is `0.10000000149011612`. Keep amounts of money in strings.
//!
//! # Typed values
//!
//! The shape is that of `serde_json` (options, enums, bytes as arrays of numbers), with two
//! differences: map keys must be strings, and a key that a `Serialize` implementation emits
//! twice (`#[serde(flatten)]` can) is an error. `RawValue` is canonicalised like any other text.

mod canon;
mod compound;
mod copy;
mod digest;
mod error;
mod key;
mod layout;
mod limits;
mod number;
mod output;
mod profile;
mod scratch;
mod strict;
mod string;
mod text;
mod writer;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use canon::Canon;
pub use digest::{Digest, digest_bytes};
pub use error::{CanonError, Place};
pub use limits::{Limits, MAX_DEPTH, MAX_LIMIT_BYTES, MAX_TEXT_BYTES};
pub use profile::{Oda, Profile};

/// The canonical bytes of a value in profile [`Oda`].
///
/// ```
/// use serde_json::json;
///
/// let bytes = oda_canon::to_vec(&json!({"b": 1.0, "a": [1e21, -0.0]}))?;
/// assert_eq!(bytes, br#"{"a":[1e+21,0],"b":1}"#);
/// # Ok::<(), oda_canon::CanonError>(())
/// ```
///
/// # Errors
///
/// A [`CanonError`] with the path of the value that has no canonical form.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, CanonError> {
    Canon::new().to_vec(value)
}

/// [`to_vec`] as text.
///
/// # Errors
///
/// As [`to_vec`].
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> Result<String, CanonError> {
    Canon::new().to_string(value)
}

/// The SHA-256 of a value's canonical bytes in profile [`Oda`] (ODA draft 0: `params_digest`
/// and receipt hashes), without allocating them.
///
/// # Errors
///
/// As [`to_vec`].
pub fn digest<T: Serialize + ?Sized>(value: &T) -> Result<Digest, CanonError> {
    Canon::new().digest(value)
}

/// Hands a value's canonical bytes to `sink`, in pieces: for a MAC or another hash.
///
/// The pieces together are [`to_vec`] of the value; where they are cut carries no meaning.
///
/// ```
/// let mut length = 0;
/// oda_canon::feed("text", |piece| length += piece.len())?;
/// assert_eq!(length, 6);
/// # Ok::<(), oda_canon::CanonError>(())
/// ```
///
/// # Errors
///
/// As [`to_vec`]. `sink` is called only after the whole value was accepted.
pub fn feed<T: Serialize + ?Sized>(value: &T, sink: impl FnMut(&[u8])) -> Result<(), CanonError> {
    Canon::new().feed(value, sink)
}

/// The canonical bytes of JSON text in profile [`Oda`], with every strict check.
///
/// # Errors
///
/// A [`CanonError`] with the byte position of the first fault.
pub fn canonicalize(text: &[u8]) -> Result<Vec<u8>, CanonError> {
    Canon::new().canonicalize(text)
}

/// The SHA-256 of [`canonicalize`], without allocating the bytes.
///
/// # Errors
///
/// As [`canonicalize`].
pub fn digest_text(text: &[u8]) -> Result<Digest, CanonError> {
    Canon::new().digest_text(text)
}

/// Reads untrusted JSON text into a value: every strict check of [`canonicalize`] first, then
/// the type's own.
///
/// ```
/// let error = oda_canon::parse_strict::<Vec<u8>>(b"[1, 2, 256]").unwrap_err();
/// assert_eq!(error.code(), "json_type_mismatch");
/// assert_eq!(error.path(), Some("$[2]"));
/// ```
///
/// # Errors
///
/// A [`CanonError`] with a byte position; [`CanonError::TypeMismatch`] carries a path as well.
/// A nesting limit above 127 is of no use here: `serde_json` stops there by itself.
pub fn parse_strict<T: DeserializeOwned>(text: &[u8]) -> Result<T, CanonError> {
    Canon::new().parse_strict(text)
}
