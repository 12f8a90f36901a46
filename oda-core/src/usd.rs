//! US dollars, exactly: millionths of a dollar as integers.

use serde::{Deserialize, Serialize};

/// Decimals of a dollar that are kept.
const DECIMALS: usize = 6;

/// An amount of US dollars in millionths.
///
/// JSON numbers are read through their shortest decimal text, which is what a person wrote, and not through
/// their binary value: `0.1 + 0.2` is `0.3` here. What does not fit into six decimals is rounded against the
/// spender: spends up, caps down.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(try_from = "String", into = "String")]
pub struct UsdMicros(u64);

impl UsdMicros {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// An amount in millionths of a dollar.
    #[must_use]
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// Millionths of a dollar.
    #[must_use]
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// A spend: rounded up. `None` when negative, not finite, or beyond what is counted.
    #[must_use]
    pub fn spend_from_f64(value: f64) -> Option<Self> {
        let (micros, rest) = split(value)?;
        Some(Self(if rest { micros.checked_add(1)? } else { micros }))
    }

    /// A cap: rounded down. `None` when negative or not finite; a cap beyond what is counted is the largest
    /// amount that is.
    #[must_use]
    pub fn cap_from_f64(value: f64) -> Option<Self> {
        if !value.is_finite() || value < 0.0 {
            return None;
        }
        Some(split(value).map_or(Self(u64::MAX), |(micros, _)| Self(micros)))
    }

    /// The nearest double, for texts and for facts. Exact up to four billion dollars.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        let (whole, micros) = (self.0 / 1_000_000, self.0 % 1_000_000);
        format!("{whole}.{micros:06}")
            .parse()
            .unwrap_or(f64::INFINITY)
    }

    /// The sum, or `None` when it is beyond what is counted.
    #[must_use]
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Self(sum)),
            None => None,
        }
    }

    /// The difference, at least nothing.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

// Stored as a decimal string of millionths, as every amount is.
impl From<UsdMicros> for String {
    fn from(amount: UsdMicros) -> Self {
        amount.0.to_string()
    }
}

impl TryFrom<String> for UsdMicros {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map(Self)
    }
}

/// Whole millionths, and whether something smaller remains. `None` when negative, not finite or too large.
fn split(value: f64) -> Option<(u64, bool)> {
    if !value.is_finite() || value < 0.0 {
        return None;
    }
    // `Display` writes the shortest digits that read back as the same double, never an exponent.
    let text = value.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let kept = fraction
        .get(..DECIMALS.min(fraction.len()))
        .unwrap_or_default();
    let rest = fraction
        .get(kept.len()..)
        .unwrap_or_default()
        .bytes()
        .any(|digit| digit != b'0');
    let micros: u64 = format!("{kept:0<DECIMALS$}").parse().ok()?;
    let whole: u64 = whole.parse().ok()?;
    Some((whole.checked_mul(1_000_000)?.checked_add(micros)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_spend_rounds_up_and_a_cap_rounds_down() {
        assert_eq!(UsdMicros::spend_from_f64(0.000_000_1), Some(UsdMicros(1)));
        assert_eq!(UsdMicros::cap_from_f64(0.000_000_1), Some(UsdMicros(0)));
        assert_eq!(
            UsdMicros::spend_from_f64(12.345_678),
            Some(UsdMicros(12_345_678))
        );
        assert_eq!(UsdMicros::spend_from_f64(1e-300), Some(UsdMicros(1)));
        assert_eq!(UsdMicros::spend_from_f64(0.0), Some(UsdMicros(0)));
    }

    #[test]
    fn defect_37_tenths_add_up() {
        let sum = UsdMicros::spend_from_f64(0.1)
            .and_then(|a| a.checked_add(UsdMicros::spend_from_f64(0.2)?))
            .unwrap();
        assert_eq!(Some(sum), UsdMicros::cap_from_f64(0.3));
    }

    #[test]
    fn what_cannot_be_counted_is_no_spend() {
        for value in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(UsdMicros::spend_from_f64(value), None, "{value}");
        }
        assert_eq!(UsdMicros::cap_from_f64(1e300), Some(UsdMicros(u64::MAX)));
        assert_eq!(UsdMicros::cap_from_f64(f64::NAN), None);
    }

    proptest! {
        #[test]
        fn a_spend_is_never_below_and_a_cap_never_above(value in 0.0..4e9_f64) {
            let spend = UsdMicros::spend_from_f64(value).unwrap();
            let cap = UsdMicros::cap_from_f64(value).unwrap();
            prop_assert!(cap <= spend);
            prop_assert!(spend.0 - cap.0 <= 1);
            prop_assert!((spend.to_f64() - value).abs() < 2e-6);
        }

        #[test]
        fn micros_read_back(micros in 0..4_000_000_000_000_000_u64) {
            let amount = UsdMicros(micros);
            prop_assert_eq!(UsdMicros::spend_from_f64(amount.to_f64()), Some(amount));
        }
    }
}
