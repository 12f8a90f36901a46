//! Exact sums and comparisons of the decimal numbers that doubles are written as.
//!
//! A cap of `0.3` in a policy file means three tenths, although no double is. The shortest
//! decimal text of a double is what the file's author wrote (up to 15 digits), so sums of money
//! are made of those texts and not of the doubles.

use std::cmp::Ordering;

/// A decimal number that is not negative: `digits` × 10^`exponent`. No leading zero digit, no
/// trailing one; zero has no digits and exponent 0, so equal numbers are equal field by field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decimal {
    digits: Vec<u8>,
    exponent: i32,
}

impl Decimal {
    /// The number that the shortest text of a double states; `None` for a negative or non-finite
    /// double.
    pub(crate) fn of(value: f64) -> Option<Self> {
        if !(value.is_finite() && value >= 0.0) {
            return None;
        }
        let text = format!("{:e}", value.abs());
        let (mantissa, exponent) = text.split_once('e')?;
        let exponent: i32 = exponent.parse().ok()?;
        let fraction = mantissa.split_once('.').map_or(0, |(_, f)| f.len());
        let digits = mantissa
            .bytes()
            .filter(u8::is_ascii_digit)
            .map(|byte| byte - b'0')
            .collect();
        Some(Self::normal(
            digits,
            exponent - i32::try_from(fraction).ok()?,
        ))
    }

    fn normal(digits: Vec<u8>, exponent: i32) -> Self {
        let mut digits: Vec<u8> = digits.into_iter().skip_while(|digit| *digit == 0).collect();
        let mut exponent = exponent;
        while digits.last() == Some(&0) {
            digits.pop();
            exponent += 1;
        }
        if digits.is_empty() {
            exponent = 0;
        }
        Self { digits, exponent }
    }

    /// The exact sum.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        let low = self.exponent.min(other.exponent);
        let high = self.end().max(other.end());
        let mut digits = Vec::new();
        let mut carry = 0;
        for place in low..=high {
            let sum = self.digit(place) + other.digit(place) + carry;
            digits.push(sum % 10);
            carry = sum / 10;
        }
        digits.reverse();
        Self::normal(digits, low)
    }

    /// The power of ten just above the first digit.
    fn end(&self) -> i32 {
        // A double has at most 17 digits, and a sum at most some 640.
        self.exponent + i32::try_from(self.digits.len()).unwrap_or(i32::MAX / 2)
    }

    /// The digit at 10^`place`.
    fn digit(&self, place: i32) -> u8 {
        usize::try_from(self.end() - 1 - place)
            .ok()
            .and_then(|at| self.digits.get(at))
            .copied()
            .unwrap_or(0)
    }

    /// Plain decimal text, without an exponent.
    pub(crate) fn to_plain_text(&self) -> String {
        let mut text = String::new();
        for place in (self.exponent.min(0)..self.end().max(1)).rev() {
            text.push(char::from(b'0' + self.digit(place)));
            if place == 0 && self.exponent < 0 {
                text.push('.');
            }
        }
        text
    }

    /// The nearest double.
    pub(crate) fn to_f64(&self) -> f64 {
        // Digits and an exponent always parse; out of range is an infinity.
        self.to_plain_text().parse().unwrap_or(f64::INFINITY)
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            // Without trailing zeros the longer of two equal beginnings is the larger.
            (false, false) => self
                .end()
                .cmp(&other.end())
                .then_with(|| self.digits.cmp(&other.digits)),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(value: f64) -> Decimal {
        Decimal::of(value).unwrap()
    }

    #[test]
    fn sums_are_those_of_the_written_numbers() {
        assert_eq!(decimal(0.1).plus(&decimal(0.2)), decimal(0.3));
        assert_eq!(decimal(99.99).plus(&decimal(0.01)), decimal(100.0));
        assert_eq!(decimal(0.0).plus(&decimal(0.0)), decimal(0.0));
        let far = decimal(1e300).plus(&decimal(1e-300));
        assert!(far > decimal(1e300) && far < decimal(1.000_000_000_000_000_2e300));
        assert_eq!(far.to_f64(), 1e300);
    }

    #[test]
    fn texts_are_plain() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.5, "1.5"),
            (1e-7, "0.0000001"),
            (1200.0, "1200"),
            (1e21, "1000000000000000000000"),
            (12.25, "12.25"),
        ] {
            assert_eq!(decimal(value).to_plain_text(), text);
        }
    }

    #[test]
    fn what_is_no_amount_has_no_decimal() {
        for value in [-1.0, -1e-300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Decimal::of(value), None, "{value}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_double_survives_and_keeps_its_order(a in 0.0..1e18_f64, b in 0.0..1e18_f64) {
            proptest::prop_assert_eq!(decimal(a).to_f64(), a);
            proptest::prop_assert_eq!(Some(decimal(a).cmp(&decimal(b))), a.partial_cmp(&b));
        }

        #[test]
        fn sums_of_cents_are_exact(a in 0_u32.., b in 0_u32..) {
            let cents = |n: u64| decimal(format!("{}.{:02}", n / 100, n % 100).parse().unwrap());
            let (a, b) = (u64::from(a), u64::from(b));
            proptest::prop_assert_eq!(cents(a).plus(&cents(b)), cents(a + b));
        }
    }
}
