//! The doors: typed values and JSON text in, canonical bytes and digests out.

use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

use crate::layout::Layout;
use crate::profile::{Oda, Profile};
use crate::scratch::with_layout;
use crate::{CanonError, Digest, Limits, strict, text, writer};

/// The doors of one profile, with the limits of one caller.
///
/// The free functions of the crate are this with profile [`Oda`] and default [`Limits`].
#[derive(Debug, Clone, Copy)]
pub struct Canon<P: Profile = Oda> {
    limits: Limits,
    profile: PhantomData<P>,
}

impl Canon {
    /// The `oda` profile with default limits.
    #[must_use]
    pub fn new() -> Self {
        Self::of_profile()
    }
}

impl<P: Profile> Default for Canon<P> {
    fn default() -> Self {
        Self::of_profile()
    }
}

impl<P: Profile> Canon<P> {
    /// The profile `P` with default limits.
    #[must_use]
    pub fn of_profile() -> Self {
        Self {
            limits: Limits::default(),
            profile: PhantomData,
        }
    }

    /// The same doors with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The canonical bytes of a value. See [`to_vec`](crate::to_vec).
    ///
    /// # Errors
    ///
    /// Any [`CanonError`] with a path.
    pub fn to_vec<T: Serialize + ?Sized>(&self, value: &T) -> Result<Vec<u8>, CanonError> {
        with_layout(|layout| {
            writer::write_value::<P, T>(layout, self.limits, value)?;
            Ok(collect(layout))
        })
    }

    /// The canonical text of a value. See [`to_string`](crate::to_string).
    ///
    /// # Errors
    ///
    /// Any [`CanonError`] with a path.
    pub fn to_string<T: Serialize + ?Sized>(&self, value: &T) -> Result<String, CanonError> {
        let bytes = self.to_vec(value)?;
        #[expect(
            clippy::expect_used,
            reason = "the writer copies whole `str`s and adds ASCII"
        )]
        Ok(String::from_utf8(bytes).expect("canonical text is UTF-8"))
    }

    /// The digest of a value's canonical bytes. See [`digest`](crate::digest).
    ///
    /// # Errors
    ///
    /// Any [`CanonError`] with a path.
    pub fn digest<T: Serialize + ?Sized>(&self, value: &T) -> Result<Digest, CanonError> {
        with_layout(|layout| {
            writer::write_value::<P, T>(layout, self.limits, value)?;
            Ok(hash(layout))
        })
    }

    /// Hands a value's canonical bytes to `sink`, piece by piece. See [`feed`](crate::feed).
    ///
    /// # Errors
    ///
    /// Any [`CanonError`] with a path; then `sink` was not called.
    pub fn feed<T: Serialize + ?Sized>(
        &self,
        value: &T,
        sink: impl FnMut(&[u8]),
    ) -> Result<(), CanonError> {
        with_layout(|layout| {
            writer::write_value::<P, T>(layout, self.limits, value)?;
            layout.read(sink);
            Ok(())
        })
    }

    /// The canonical bytes of JSON text. See [`canonicalize`](crate::canonicalize).
    ///
    /// # Errors
    ///
    /// Any [`CanonError`] with a byte position.
    pub fn canonicalize(&self, text: &[u8]) -> Result<Vec<u8>, CanonError> {
        with_layout(|layout| {
            text::write_document::<P>(layout, self.limits, text)?;
            Ok(collect(layout))
        })
    }

    /// The digest of the canonical bytes of JSON text. See [`digest_text`](crate::digest_text).
    ///
    /// # Errors
    ///
    /// Any [`CanonError`] with a byte position.
    pub fn digest_text(&self, text: &[u8]) -> Result<Digest, CanonError> {
        with_layout(|layout| {
            text::write_document::<P>(layout, self.limits, text)?;
            Ok(hash(layout))
        })
    }

    /// Reads JSON text strictly into a value. See [`parse_strict`](crate::parse_strict).
    ///
    /// # Errors
    ///
    /// Any [`CanonError`] with a byte position.
    pub fn parse_strict<T: DeserializeOwned>(&self, text: &[u8]) -> Result<T, CanonError> {
        with_layout(|layout| text::write_document::<P>(layout, self.limits, text))?;
        strict::deserialize(text)
    }
}

fn collect(layout: &Layout) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(layout.raw.len());
    layout.read(|piece| bytes.extend_from_slice(piece));
    bytes
}

/// How many bytes of small pieces are gathered before they are hashed: SHA-256 works on blocks
/// of 64 bytes, and handing it every comma would cost more than the hashing.
const GATHER_BYTES: usize = 512;

fn hash(layout: &Layout) -> Digest {
    let mut hasher = Sha256::new();
    let mut gathered = [0; GATHER_BYTES];
    let mut len = 0;
    layout.read(|piece| {
        if len + piece.len() > GATHER_BYTES {
            hasher.update(&gathered[..len]);
            len = 0;
        }
        if piece.len() > GATHER_BYTES {
            hasher.update(piece);
        } else {
            gathered[len..len + piece.len()].copy_from_slice(piece);
            len += piece.len();
        }
    });
    hasher.update(&gathered[..len]);
    Digest::from_bytes(hasher.finalize().into())
}
