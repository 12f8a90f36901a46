//! Amounts in base units and calldata: the two other texts that every transaction is made of.

use std::fmt;
use std::str::FromStr;

use alloy::primitives::{Bytes, U256};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{AmountRule, CalldataRule, EvmError, Quoted};

/// The digits of 2^256 - 1, the largest amount there is (ODA draft 0: base units are 1 to 78 digits).
const MAX_DIGITS: usize = 78;

/// The most calldata in one transaction, in bytes. Nodes refuse transactions above 128 KiB in their pools, so
/// anything longer could never be sent; the limit keeps hostile input from being copied around first.
pub const MAX_CALLDATA_BYTES: usize = 128 * 1024;

/// An amount in base units: a whole number below 2^256, carried as decimal text.
///
/// Reading accepts decimal digits and nothing else: no sign, point, exponent or space, and no JSON number,
/// each with its own [`AmountRule`]. Leading zeros are accepted (ODA draft 0 accepts them) and not written.
///
/// ```
/// use oda_chain_evm::Amount;
///
/// let amount: Amount = "1500000".parse()?;
/// assert_eq!(amount.in_units(6), "1.5");
/// assert!("1.5".parse::<Amount>().is_err());
/// # Ok::<(), oda_chain_evm::EvmError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Amount(U256);

impl Amount {
    /// Nothing.
    pub const ZERO: Self = Self(U256::ZERO);

    /// The largest amount, which allowances use for "without limit".
    pub const MAX: Self = Self(U256::MAX);

    /// The amount of this number.
    #[must_use]
    pub const fn new(value: U256) -> Self {
        Self(value)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> U256 {
        self.0
    }

    /// Whether it is nothing.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.0.is_zero()
    }

    /// Reads an amount that has only one spelling: as [`FromStr`], and without leading zeros.
    ///
    /// # Errors
    ///
    /// [`EvmError::Amount`].
    pub fn parse_canonical(text: &str) -> Result<Self, EvmError> {
        let amount: Self = text.parse()?;
        if text.len() > 1 && text.starts_with('0') {
            return Err(EvmError::Amount {
                found: Quoted::new(text),
                rule: AmountRule::LeadingZero,
            });
        }
        Ok(amount)
    }

    /// The amount in whole units of a currency with this many decimals, exactly: `1500000` at 6 is `1.5`.
    #[must_use]
    pub fn in_units(self, decimals: u8) -> String {
        let digits = self.0.to_string();
        let decimals = usize::from(decimals);
        let padded = format!("{digits:0>width$}", width = decimals + 1);
        let (whole, fraction) = padded.split_at(padded.len() - decimals);
        let fraction = fraction.trim_end_matches('0');
        if fraction.is_empty() {
            whole.to_owned()
        } else {
            format!("{whole}.{fraction}")
        }
    }
}

impl FromStr for Amount {
    type Err = EvmError;

    fn from_str(text: &str) -> Result<Self, EvmError> {
        parse_amount(text).map_err(|rule| EvmError::Amount {
            found: Quoted::new(text),
            rule,
        })
    }
}

fn parse_amount(text: &str) -> Result<Amount, AmountRule> {
    if text.is_empty() {
        return Err(AmountRule::Empty);
    }
    if let Some((index, character)) = text
        .chars()
        .enumerate()
        .find(|(_, character)| !character.is_ascii_digit())
    {
        return Err(match character {
            '+' | '-' | '\u{2212}' => AmountRule::Sign,
            '.' | ',' => AmountRule::Point,
            'e' | 'E' => AmountRule::Exponent,
            'x' | 'X' => AmountRule::Hexadecimal,
            space if space.is_whitespace() => AmountRule::Space,
            _ => AmountRule::Digit {
                position: index + 1,
            },
        });
    }
    if text.len() > MAX_DIGITS {
        return Err(AmountRule::Beyond256Bits);
    }
    U256::from_str_radix(text, 10)
        .map(Amount)
        .map_err(|_| AmountRule::Beyond256Bits)
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl From<u64> for Amount {
    fn from(value: u64) -> Self {
        Self(U256::from(value))
    }
}

impl From<u128> for Amount {
    fn from(value: u128) -> Self {
        Self(U256::from(value))
    }
}

impl From<U256> for Amount {
    fn from(value: U256) -> Self {
        Self(value)
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AmountText)
    }
}

struct AmountText;

impl AmountText {
    fn refuse<E: de::Error>(found: impl fmt::Display) -> E {
        E::custom(EvmError::Amount {
            found: Quoted::new(&found.to_string()),
            rule: AmountRule::NotAString,
        })
    }
}

impl Visitor<'_> for AmountText {
    type Value = Amount;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an amount: a string of decimal digits")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Amount, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, found: u64) -> Result<Amount, E> {
        Err(Self::refuse(found))
    }

    fn visit_i64<E: de::Error>(self, found: i64) -> Result<Amount, E> {
        Err(Self::refuse(found))
    }

    fn visit_f64<E: de::Error>(self, found: f64) -> Result<Amount, E> {
        Err(Self::refuse(found))
    }
}

/// The input of a contract call: bytes, written as `0x` and lower-case hexadecimal digits.
///
/// Reading accepts both cases, refuses half bytes and anything over [`MAX_CALLDATA_BYTES`].
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Calldata(Bytes);

impl Calldata {
    /// Calldata of these bytes.
    ///
    /// # Errors
    ///
    /// [`EvmError::Calldata`] beyond [`MAX_CALLDATA_BYTES`].
    pub fn new(bytes: impl Into<Bytes>) -> Result<Self, EvmError> {
        let bytes = bytes.into();
        if bytes.len() > MAX_CALLDATA_BYTES {
            return Err(EvmError::Calldata {
                found: Quoted::new("…"),
                rule: CalldataRule::TooLong {
                    found: bytes.len(),
                    limit: MAX_CALLDATA_BYTES,
                },
            });
        }
        Ok(Self(bytes))
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The same as alloy's type.
    #[must_use]
    pub fn to_alloy(&self) -> Bytes {
        self.0.clone()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for Calldata {
    type Err = EvmError;

    fn from_str(text: &str) -> Result<Self, EvmError> {
        parse_hex(text, MAX_CALLDATA_BYTES)
            .map(|bytes| Self(bytes.into()))
            .map_err(|rule| EvmError::Calldata {
                found: Quoted::new(text),
                rule,
            })
    }
}

/// Reads `0x` and an even number of hexadecimal digits, at most `limit` bytes.
pub(crate) fn parse_hex(text: &str, limit: usize) -> Result<Vec<u8>, CalldataRule> {
    let digits = text.strip_prefix("0x").ok_or(CalldataRule::Prefix)?;
    if digits.len() / 2 > limit {
        return Err(CalldataRule::TooLong {
            found: digits.len() / 2,
            limit,
        });
    }
    if let Some(index) = digits.chars().position(|digit| !digit.is_ascii_hexdigit()) {
        return Err(CalldataRule::Digit {
            position: index + 3,
        });
    }
    hex::decode(digits).map_err(|_| CalldataRule::OddLength)
}

impl fmt::Display for Calldata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Calldata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Calldata {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Calldata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = Calldata;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("calldata: a string of `0x` and an even number of hexadecimal digits")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Calldata, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MAX: &str =
        "115792089237316195423570985008687907853269984665640564039457584007913129639935";

    fn refused(text: &str) -> AmountRule {
        match text.parse::<Amount>() {
            Err(EvmError::Amount { rule, .. }) => rule,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn an_empty_amount_is_refused() {
        assert_eq!(refused(""), AmountRule::Empty);
    }

    #[test]
    fn an_amount_with_a_sign_is_refused() {
        assert_eq!(refused("-1"), AmountRule::Sign);
        assert_eq!(refused("+1"), AmountRule::Sign);
    }

    #[test]
    fn an_amount_with_a_point_is_refused() {
        assert_eq!(refused("1.5"), AmountRule::Point);
        assert_eq!(refused("1,5"), AmountRule::Point);
        let message = "1.5".parse::<Amount>().unwrap_err().to_string();
        assert!(
            message.contains("\"1.5\"") && message.contains("smallest unit"),
            "{message}"
        );
    }

    #[test]
    fn an_amount_with_an_exponent_is_refused() {
        assert_eq!(refused("1e18"), AmountRule::Exponent);
        assert_eq!(refused("1E18"), AmountRule::Exponent);
    }

    #[test]
    fn an_amount_with_a_space_is_refused() {
        for text in [" 1", "1 ", "1 0", "1\n", "1\u{a0}0"] {
            assert_eq!(refused(text), AmountRule::Space, "{text:?}");
        }
    }

    #[test]
    fn an_amount_beyond_256_bits_is_refused() {
        assert_eq!(MAX.parse::<Amount>().unwrap(), Amount::MAX);
        let next = format!("{}6", &MAX[..77]);
        assert_eq!(refused(&next), AmountRule::Beyond256Bits);
        assert_eq!(refused(&"1".repeat(79)), AmountRule::Beyond256Bits);
        assert_eq!(
            next.parse::<Amount>().unwrap_err().code(),
            "amount_too_large"
        );
    }

    #[test]
    fn other_characters_are_refused() {
        assert_eq!(refused("0x10"), AmountRule::Hexadecimal);
        assert_eq!(refused("12_000"), AmountRule::Digit { position: 3 });
        assert_eq!(refused("١٢"), AmountRule::Digit { position: 1 });
    }

    #[test]
    fn a_json_number_is_refused() {
        for json in ["1", "-1", "1.5", "1e30"] {
            let error = serde_json::from_str::<Amount>(json)
                .unwrap_err()
                .to_string();
            assert!(error.contains("must be a JSON string"), "{json}: {error}");
        }
        assert!(serde_json::from_str::<Amount>("null").is_err());
    }

    #[test]
    fn leading_zeros_are_read_and_not_written() {
        assert_eq!("0001".parse::<Amount>().unwrap().to_string(), "1");
        assert!(Amount::parse_canonical("0001").is_err());
        assert!(Amount::parse_canonical("00").is_err());
        assert_eq!(Amount::parse_canonical("0").unwrap(), Amount::ZERO);
    }

    #[test]
    fn whole_units_are_exact() {
        for (text, decimals, shown) in [
            ("1500000", 6, "1.5"),
            ("1", 18, "0.000000000000000001"),
            ("0", 18, "0"),
            ("10", 0, "10"),
            ("1000000", 6, "1"),
            ("9007199254740993000001", 6, "9007199254740993.000001"),
        ] {
            assert_eq!(text.parse::<Amount>().unwrap().in_units(decimals), shown);
        }
        assert_eq!(Amount::MAX.in_units(255).len(), 257);
    }

    #[test]
    fn calldata_mistakes_have_their_rules() {
        let rule = |text: &str| match text.parse::<Calldata>() {
            Err(EvmError::Calldata { rule, .. }) => rule,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(rule(""), CalldataRule::Prefix);
        assert_eq!(rule("0x123"), CalldataRule::OddLength);
        assert_eq!(rule("0x12zz"), CalldataRule::Digit { position: 5 });
        let long = format!("0x{}", "00".repeat(MAX_CALLDATA_BYTES + 1));
        assert!(matches!(rule(&long), CalldataRule::TooLong { .. }));
        assert_eq!("0xABcd".parse::<Calldata>().unwrap().to_string(), "0xabcd");
        assert_eq!(Calldata::default().to_string(), "0x");
    }

    proptest! {
        #[test]
        fn amounts_round_trip(limbs: [u64; 4]) {
            let amount = Amount::new(U256::from_limbs(limbs));
            prop_assert_eq!(amount.to_string().parse::<Amount>().unwrap(), amount);
            let json = serde_json::to_string(&amount).unwrap();
            prop_assert_eq!(serde_json::from_str::<Amount>(&json).unwrap(), amount);
        }

        #[test]
        fn calldata_round_trips(bytes: Vec<u8>) {
            let data = Calldata::new(bytes).unwrap();
            prop_assert_eq!(data.to_string().parse::<Calldata>().unwrap(), data);
        }

        #[test]
        fn no_text_panics(text in ".{0,100}") {
            let _ = text.parse::<Amount>();
            let _ = Amount::parse_canonical(&text);
            let _ = text.parse::<Calldata>();
        }

        #[test]
        fn whole_units_keep_every_digit(value: u128, decimals in 0_u8..40) {
            let shown = Amount::from(value).in_units(decimals);
            let (whole, fraction) = shown.split_once('.').unwrap_or((&shown, ""));
            let back = format!("{whole}{fraction:0<width$}", width = usize::from(decimals));
            prop_assert_eq!(back.parse::<Amount>().unwrap(), Amount::from(value));
        }
    }
}
