//! Decimal numbers as text, added and compared digit by digit: the schoolbook way, so that it owes nothing to
//! the code whose sums it checks.

use std::cmp::Ordering;

/// A number that is not negative: digits before and after the point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Exact {
    whole: Vec<u8>,
    fraction: Vec<u8>,
}

impl Exact {
    /// The shortest decimal text that reads back as this double; `None` when negative or not finite.
    pub(super) fn of(double: f64) -> Option<Self> {
        if !double.is_finite() || double < 0.0 {
            return None;
        }
        // Written without an exponent, however small or large.
        let text = format!("{}", double.abs());
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let digits = |text: &str| text.bytes().map(|byte| byte - b'0').collect();
        Some(
            Self {
                whole: digits(whole),
                fraction: digits(fraction),
            }
            .trimmed(),
        )
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        let places = self.fraction.len().max(other.fraction.len());
        let length = self.whole.len().max(other.whole.len()) + 1;
        let (left, right) = (self.aligned(length, places), other.aligned(length, places));
        let mut sum = vec![0; left.len()];
        let mut carry = 0;
        for place in (0..left.len()).rev() {
            let digit = left[place] + right[place] + carry;
            sum[place] = digit % 10;
            carry = digit / 10;
        }
        let fraction = sum.split_off(length);
        Self {
            whole: sum,
            fraction,
        }
        .trimmed()
    }

    /// Without needless zeros: `0.30`, written `0.3`.
    pub(super) fn text(&self) -> String {
        let digits = |digits: &[u8]| -> String {
            digits
                .iter()
                .map(|digit| char::from(b'0' + digit))
                .collect()
        };
        let whole = if self.whole.is_empty() {
            "0".to_owned()
        } else {
            digits(&self.whole)
        };
        match self.fraction.is_empty() {
            true => whole,
            false => format!("{whole}.{}", digits(&self.fraction)),
        }
    }

    fn aligned(&self, whole: usize, fraction: usize) -> Vec<u8> {
        let mut digits = vec![0; whole - self.whole.len()];
        digits.extend(&self.whole);
        digits.extend(&self.fraction);
        digits.resize(whole + fraction, 0);
        digits
    }

    fn trimmed(mut self) -> Self {
        let zeros = self.whole.iter().take_while(|digit| **digit == 0).count();
        self.whole.drain(..zeros);
        while self.fraction.last() == Some(&0) {
            self.fraction.pop();
        }
        self
    }
}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Exact {
    fn cmp(&self, other: &Self) -> Ordering {
        self.whole
            .len()
            .cmp(&other.whole.len())
            .then_with(|| self.whole.cmp(&other.whole))
            .then_with(|| self.fraction.cmp(&other.fraction))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(a: f64, b: f64) -> String {
        Exact::of(a).unwrap().plus(&Exact::of(b).unwrap()).text()
    }

    #[test]
    fn sums_are_exact() {
        assert_eq!(sum(0.1, 0.2), "0.3");
        assert_eq!(sum(0.0, 0.0), "0");
        assert_eq!(sum(999.99, 0.01), "1000");
        assert_eq!(sum(1e20, 1e-7), "100000000000000000000.0000001");
        assert!(Exact::of(-1.0).is_none() && Exact::of(f64::NAN).is_none());
    }

    #[test]
    fn comparison_is_exact() {
        let of = |value| Exact::of(value).unwrap();
        assert!(of(0.30000000000000004) > of(0.3));
        assert!(of(10.0) > of(9.99));
        assert!(of(0.3) > of(0.29));
        assert_eq!(of(5.0), of(5.0));
    }
}
