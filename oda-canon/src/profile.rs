//! The profiles: which rules turn a value into canonical text.

use crate::copy::append_range;
use crate::number::{self, Literal, NumberFault};

/// A set of canonical-form rules, as a type.
///
/// The profile is a type so that bytes of one profile can never be produced or compared under
/// another one by a flag that somebody forgot. The trait is sealed: a profile is part of a
/// signature format, and a signature format is not an extension point.
pub trait Profile: Rules {
    /// The name that documents and error reports use for this profile.
    const NAME: &'static str;
}

/// The `oda` profile: RFC 8785 (JSON Canonicalization Scheme), as ODA draft 0 uses it for
/// `params_digest`, intent ids and receipts.
///
/// Where RFC 8785 leaves a choice, or loses information, this profile refuses: see the
/// crate documentation for the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oda;

impl Profile for Oda {
    const NAME: &'static str = "oda";
}

impl Rules for Oda {
    const VERBATIM: bool = true;

    #[inline]
    fn plain(out: &mut Vec<u8>, text: &[u8], run: usize) -> Escaped {
        append_range(out, text, 0, run);
        Escaped::No
    }

    fn literal(out: &mut Vec<u8>, literal: &Literal<'_>) -> Result<(), NumberFault> {
        number::write_literal(out, literal)
    }

    fn double(out: &mut Vec<u8>, value: f64) -> Result<(), NumberFault> {
        number::write_double(out, value)
    }

    fn integer(out: &mut Vec<u8>, negative: bool, magnitude: u128) -> Result<(), NumberFault> {
        number::write_integer(out, negative, magnitude)
    }
}

/// What a profile decides. Everything else (structure, key order, strictness) is shared.
///
/// Not nameable outside this crate, which is what seals [`Profile`].
pub trait Rules {
    /// Whether [`plain`](Self::plain) writes every run as it is.
    const VERBATIM: bool;

    /// Writes the first `run` bytes of `text`, which are UTF-8 without a control character,
    /// `"` or `\`, and tells whether anything in it had to be escaped (key order looks at the
    /// unescaped text). What follows the run in `text` must not be looked at, only copied over.
    fn plain(out: &mut Vec<u8>, text: &[u8], run: usize) -> Escaped;

    /// Writes a number that stood in JSON text.
    fn literal(out: &mut Vec<u8>, literal: &Literal<'_>) -> Result<(), NumberFault>;

    /// Writes a floating-point number of a typed value.
    fn double(out: &mut Vec<u8>, value: f64) -> Result<(), NumberFault>;

    /// Writes an integer of a typed value.
    fn integer(out: &mut Vec<u8>, negative: bool, magnitude: u128) -> Result<(), NumberFault>;
}

/// Whether written text differs from the text it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escaped {
    /// The written bytes are the text.
    No,
    /// The written bytes contain an escape sequence.
    Yes,
}

impl Escaped {
    pub(crate) fn or(self, other: Self) -> Self {
        if self == Self::Yes { self } else { other }
    }
}
