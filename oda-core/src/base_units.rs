//! Amounts in a token's smallest unit, as decimal text of any size.

use std::cmp::Ordering;

/// The longest base-units text: 2^256 - 1 has 78 digits.
pub const MAX_BASE_UNITS_DIGITS: usize = 78;

/// A decimal number of base units: `^[0-9]{1,78}$`. Ordered by value; the text is kept as written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BaseUnits(String);

impl BaseUnits {
    /// Reads a decimal text. No sign, point, exponent or space; leading zeros are kept.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let fits = (1..=MAX_BASE_UNITS_DIGITS).contains(&text.len());
        (fits && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| Self(text.to_owned()))
    }

    /// The text as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the value is greater than another's.
    #[must_use]
    pub fn exceeds(&self, other: &Self) -> bool {
        self.compare(other) == Ordering::Greater
    }

    /// Compares by value.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Ordering {
        let digits = |units: &Self| units.0.trim_start_matches('0').to_owned();
        let (a, b) = (digits(self), digits(other));
        a.len().cmp(&b.len()).then_with(|| a.cmp(&b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_digits() {
        for text in [
            "",
            "-1",
            "+1",
            "1.5",
            "1e3",
            " 1",
            "0x5",
            "١",
            &"1".repeat(79),
        ] {
            assert_eq!(BaseUnits::parse(text), None, "{text}");
        }
        assert!(BaseUnits::parse(&"9".repeat(78)).is_some());
    }

    proptest! {
        #[test]
        fn ordered_as_numbers(a: u128, b: u128, zeros in 0_usize..5) {
            let read = |n: u128| BaseUnits::parse(&format!("{}{n}", "0".repeat(zeros))).unwrap();
            prop_assert_eq!(read(a).compare(&BaseUnits::parse(&b.to_string()).unwrap()), a.cmp(&b));
        }
    }
}
