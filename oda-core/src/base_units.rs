//! Amounts of a token in its smallest unit, as decimal text.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::form::is_decimal;

/// The most digits of an amount: 2^256 - 1 has 78 (ODA draft 0: base units).
pub const MAX_BASE_UNITS_DIGITS: usize = 78;

/// A text that is not an amount in base units.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "an amount is 1 to {MAX_BASE_UNITS_DIGITS} decimal digits of base units, without sign, point, exponent or space"
)]
pub struct NotBaseUnits;

/// An amount in base units: 1 to 78 decimal digits, leading zeros allowed.
///
/// The text stays as it was written, because refusals quote it; comparison is by value, of any
/// size. 78 digits can exceed 256 bits: the chain crates check that.
///
/// ```
/// use oda_core::BaseUnits;
///
/// let cap: BaseUnits = "0100".parse()?;
/// assert!(cap < "00101".parse()?);
/// assert_eq!(cap, "100".parse()?);
/// assert_eq!((cap.as_str(), cap.canonical()), ("0100", "100"));
/// # Ok::<(), oda_core::NotBaseUnits>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BaseUnits(String);

impl BaseUnits {
    /// The text as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text without leading zeros; `0` for zero.
    #[must_use]
    pub fn canonical(&self) -> &str {
        let significant = self.0.trim_start_matches('0');
        if significant.is_empty() {
            "0"
        } else {
            significant
        }
    }

    /// Whether nothing moves.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.canonical() == "0"
    }
}

impl Ord for BaseUnits {
    fn cmp(&self, other: &Self) -> Ordering {
        let (left, right) = (self.canonical(), other.canonical());
        left.len().cmp(&right.len()).then_with(|| left.cmp(right))
    }
}

impl PartialOrd for BaseUnits {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for BaseUnits {
    fn eq(&self, other: &Self) -> bool {
        self.canonical() == other.canonical()
    }
}

impl Eq for BaseUnits {}

impl Hash for BaseUnits {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.canonical().hash(state);
    }
}

impl From<u128> for BaseUnits {
    fn from(amount: u128) -> Self {
        Self(amount.to_string())
    }
}

impl TryFrom<String> for BaseUnits {
    type Error = NotBaseUnits;

    fn try_from(text: String) -> Result<Self, NotBaseUnits> {
        if text.len() <= MAX_BASE_UNITS_DIGITS && is_decimal(&text) {
            Ok(Self(text))
        } else {
            Err(NotBaseUnits)
        }
    }
}

impl FromStr for BaseUnits {
    type Err = NotBaseUnits;

    fn from_str(text: &str) -> Result<Self, NotBaseUnits> {
        text.to_owned().try_into()
    }
}

impl From<BaseUnits> for String {
    fn from(amount: BaseUnits) -> Self {
        amount.0
    }
}

impl fmt::Display for BaseUnits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str) -> BaseUnits {
        text.parse().unwrap()
    }

    #[test]
    fn what_is_not_plain_digits_is_refused() {
        for bad in [
            "", "-1", "+1", "1.0", "1e3", " 1", "1 ", "0x5", "１", "1_000", "1\n",
        ] {
            assert_eq!(bad.parse::<BaseUnits>(), Err(NotBaseUnits), "{bad:?}");
        }
        assert!("9".repeat(78).parse::<BaseUnits>().is_ok());
        assert!("9".repeat(79).parse::<BaseUnits>().is_err());
    }

    #[test]
    fn order_is_numeric_at_any_size() {
        assert!(units("9") < units("10"));
        assert!(units("0009") < units("10"));
        assert!(units(&"9".repeat(77)) < units(&format!("1{}", "0".repeat(77))));
        assert_eq!(units("000"), units("0"));
        assert!(units("000").is_zero() && !units("1").is_zero());
    }

    proptest::proptest! {
        #[test]
        fn order_agrees_with_integers(a: u128, b: u128, zeros in 0_usize..5) {
            let padded = units(&format!("{}{a}", "0".repeat(zeros)));
            proptest::prop_assert_eq!(padded.cmp(&BaseUnits::from(b)), a.cmp(&b));
        }
    }
}
