//! What the chain fixes at the moment of signing: nonce, gas and fees.

use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What an [`EvmTx`](crate::EvmTx) leaves open and the chain fixes when it is signed.
///
/// Fees are in wei per gas and carried as decimal strings: they do not fit a JSON number.
///
/// ```
/// use oda_chain_evm::EvmTerms;
///
/// let terms = EvmTerms {
///     nonce: 7,
///     gas_limit: 21_000,
///     max_fee_per_gas: 2_000_000_000,
///     max_priority_fee_per_gas: 1_000_000_000,
/// };
/// assert_eq!(terms.max_fee(), 42_000_000_000_000);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvmTerms {
    /// The number of the transaction in its account's sequence.
    pub nonce: u64,
    /// The most gas that it may use.
    pub gas_limit: u64,
    /// The most it pays for each gas, base fee and tip together, in wei (EIP-1559).
    #[serde(with = "decimal")]
    pub max_fee_per_gas: u128,
    /// The most it tips for each gas, in wei (EIP-1559).
    #[serde(with = "decimal")]
    pub max_priority_fee_per_gas: u128,
}

impl EvmTerms {
    /// The most that the fee can come to, in wei. Chains that charge for data on top (OP Stack chains) may
    /// take more than this.
    #[must_use]
    pub const fn max_fee(&self) -> u128 {
        self.max_fee_per_gas.saturating_mul(self.gas_limit as u128)
    }
}

mod decimal {
    use super::{Decimal, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(value: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<u128, D::Error> {
        deserializer.deserialize_str(Decimal)
    }
}

struct Decimal;

impl Visitor<'_> for Decimal {
    type Value = u128;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a fee in wei per gas: a string of decimal digits below 2^128")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<u128, E> {
        crate::Amount::parse_canonical(text)
            .map_err(E::custom)?
            .get()
            .try_into()
            .map_err(|_| E::custom("a fee must be below 2^128"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_round_trip_and_closed_keys() {
        let terms = EvmTerms {
            nonce: 1,
            gas_limit: 21_000,
            max_fee_per_gas: u128::MAX,
            max_priority_fee_per_gas: 0,
        };
        let json = serde_json::to_string(&terms).unwrap();
        assert_eq!(
            json,
            "{\"nonce\":1,\"gas_limit\":21000,\
             \"max_fee_per_gas\":\"340282366920938463463374607431768211455\",\
             \"max_priority_fee_per_gas\":\"0\"}"
        );
        assert_eq!(serde_json::from_str::<EvmTerms>(&json).unwrap(), terms);
        assert!(serde_json::from_str::<EvmTerms>(&json.replace("\"0\"", "0")).is_err());
        assert!(serde_json::from_str::<EvmTerms>(&json.replace("455", "456")).is_err());
        assert!(serde_json::from_str::<EvmTerms>(&json.replace("nonce\"", "n\"")).is_err());
        assert_eq!(terms.max_fee(), u128::MAX, "never wraps");
    }
}
