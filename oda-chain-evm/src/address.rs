//! EVM addresses, compared as 20 bytes and written with their checksum.

use std::fmt;
use std::str::FromStr;

use alloy::primitives::Address;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{AddressRule, EvmError, Quoted};

/// `0x` and two hexadecimal digits for each of the 20 bytes.
const TEXT_LENGTH: usize = 42;

/// An EVM address: 20 bytes, always shown with the checksum of EIP-55.
///
/// Reading accepts `0x` and 40 hexadecimal digits, all in lower case, all in upper case, or in mixed case
/// with a correct checksum. Mixed case with a wrong checksum is refused with [`AddressRule::Checksum`]
/// (ODA draft 0 does not check it; an address that was mistyped is the dearest typing mistake there is).
///
/// ```
/// use oda_chain_evm::EvmAddress;
///
/// let address: EvmAddress = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913".parse()?;
/// assert_eq!(address.to_string(), "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");
/// assert!("0x833589FCD6eDb6E08f4c7C32D4f71b54bdA02913".parse::<EvmAddress>().is_err());
/// # Ok::<(), oda_chain_evm::EvmError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EvmAddress(Address);

impl EvmAddress {
    /// The address of 20 zero bytes, which nobody holds a key of.
    pub const ZERO: Self = Self(Address::ZERO);

    /// The address of these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 20]) -> Self {
        Self(Address::new(bytes))
    }

    /// The 20 bytes.
    #[must_use]
    pub fn bytes(&self) -> [u8; 20] {
        self.0.into_array()
    }

    /// The same as alloy's type.
    #[must_use]
    pub const fn to_alloy(self) -> Address {
        self.0
    }

    /// The text in lower case, as keys of lanes and tables carry it.
    #[must_use]
    pub fn to_lower_hex(&self) -> String {
        format!("{:#x}", self.0)
    }

    /// Whether it is the zero address.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }
}

impl FromStr for EvmAddress {
    type Err = EvmError;

    fn from_str(text: &str) -> Result<Self, EvmError> {
        parse(text).map_err(|rule| EvmError::Address {
            found: Quoted::new(text),
            rule,
        })
    }
}

fn parse(text: &str) -> Result<EvmAddress, AddressRule> {
    let digits = text.strip_prefix("0x").ok_or(AddressRule::Prefix)?;
    if let Some(index) = digits.chars().position(|digit| !digit.is_ascii_hexdigit()) {
        return Err(AddressRule::Digit {
            position: index + 3,
        });
    }
    let mut bytes = [0_u8; 20];
    if text.len() != TEXT_LENGTH || hex::decode_to_slice(digits, &mut bytes).is_err() {
        return Err(AddressRule::Length {
            found: text.chars().count(),
        });
    }
    let address = EvmAddress::from_bytes(bytes);
    let lower = digits.bytes().any(|digit| digit.is_ascii_lowercase());
    let upper = digits.bytes().any(|digit| digit.is_ascii_uppercase());
    if lower && upper && address.to_string() != text {
        return Err(AddressRule::Checksum);
    }
    Ok(address)
}

impl fmt::Display for EvmAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_checksum(None))
    }
}

impl fmt::Debug for EvmAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<Address> for EvmAddress {
    fn from(address: Address) -> Self {
        Self(address)
    }
}

impl From<EvmAddress> for Address {
    fn from(address: EvmAddress) -> Self {
        address.0
    }
}

impl Serialize for EvmAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for EvmAddress {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = EvmAddress;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an EVM address: a string of `0x` and 40 hexadecimal digits")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<EvmAddress, E> {
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

    const USDC: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";

    fn rule(text: &str) -> AddressRule {
        match text.parse::<EvmAddress>() {
            Err(EvmError::Address { rule, .. }) => rule,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn reads_lower_upper_and_checksummed_and_writes_checksummed() {
        let upper = format!("0x{}", USDC[2..].to_uppercase());
        for text in [USDC, &USDC.to_lowercase(), &upper] {
            assert_eq!(text.parse::<EvmAddress>().unwrap().to_string(), USDC);
        }
    }

    #[test]
    fn a_wrong_checksum_is_refused_and_no_correction_is_offered() {
        let wrong = "0x833589FCD6eDb6E08f4c7C32D4f71b54bdA02913";
        assert_eq!(rule(wrong), AddressRule::Checksum);
        let error = wrong.parse::<EvmAddress>().unwrap_err();
        assert_eq!(error.code(), "address_checksum");
        let message = error.to_string();
        assert!(
            message.contains("EIP-55") && message.contains("copy it again"),
            "{message}"
        );
        assert!(!message.contains(USDC), "{message}");
    }

    #[test]
    fn each_other_mistake_has_its_rule() {
        assert_eq!(rule(""), AddressRule::Prefix);
        assert_eq!(rule(&USDC.replace("0x", "0X")), AddressRule::Prefix);
        assert_eq!(rule("0x"), AddressRule::Length { found: 2 });
        assert_eq!(rule(&USDC[..41]), AddressRule::Length { found: 41 });
        assert_eq!(rule(&format!("{USDC}0")), AddressRule::Length { found: 43 });
        assert_eq!(rule(&format!(" {USDC}")), AddressRule::Prefix);
        assert_eq!(
            rule(&format!("{USDC} ")),
            AddressRule::Digit { position: 43 }
        );
        assert_eq!(
            rule("0x833589fcd6edb6e08f4c7c32d4f71b54bda0291g"),
            AddressRule::Digit { position: 42 }
        );
    }

    #[test]
    fn json_other_than_a_string_is_refused() {
        let error = serde_json::from_str::<EvmAddress>("5")
            .unwrap_err()
            .to_string();
        assert!(error.contains("an EVM address"), "{error}");
    }

    proptest! {
        #[test]
        fn round_trip(bytes: [u8; 20]) {
            let address = EvmAddress::from_bytes(bytes);
            prop_assert_eq!(address.to_string().parse::<EvmAddress>().unwrap(), address);
            prop_assert_eq!(address.to_lower_hex().parse::<EvmAddress>().unwrap(), address);
            let json = serde_json::to_string(&address).unwrap();
            prop_assert_eq!(serde_json::from_str::<EvmAddress>(&json).unwrap(), address);
        }

        #[test]
        fn no_text_panics(text in ".{0,60}") {
            let _ = text.parse::<EvmAddress>();
        }

        #[test]
        fn one_changed_letter_case_is_noticed(bytes: [u8; 20], at in 2_usize..42) {
            let text = EvmAddress::from_bytes(bytes).to_string();
            let mut changed = text.clone().into_bytes();
            changed[at] ^= if changed[at].is_ascii_alphabetic() { 0x20 } else { 0 };
            let changed = String::from_utf8(changed).unwrap();
            let mixed = changed[2..].bytes().any(|c| c.is_ascii_lowercase())
                && changed[2..].bytes().any(|c| c.is_ascii_uppercase());
            prop_assert_eq!(
                changed.parse::<EvmAddress>().is_ok(),
                changed == text || !mixed
            );
        }
    }
}
