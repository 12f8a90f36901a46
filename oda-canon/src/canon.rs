//! The doors: typed values and JSON text in, canonical bytes and digests out.

use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::profile::{Oda, Profile};
use crate::scratch::with_layout;
use crate::{CanonError, Digest, Limits, output, strict, text, writer};

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
            Ok(output::collect(layout))
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
            Ok(output::hash(layout))
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
            output::feed(layout, sink);
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
            Ok(output::collect(layout))
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
            Ok(output::hash(layout))
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
