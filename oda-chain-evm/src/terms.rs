//! What the chain fixes at the moment of signing: nonce, gas and fees.

use std::fmt;

use crate::amount::Amount;
use crate::error::EvmError;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The most that a signature may spend on fees where the native currency is ether: 0.2 ETH. A million gas
/// at 200 gwei.
pub const MAX_FEE_WEI_ETHER: u128 = 200_000_000_000_000_000;

/// The most that a signature may spend on fees on Polygon, whose unit is worth far less: 100 POL.
pub const MAX_FEE_WEI_POLYGON: u128 = 100_000_000_000_000_000_000;

/// The most gas that a signature may allow: the largest limit that one transaction may have on any of the
/// chains (Arbitrum; Ethereum has half of it since EIP-7825).
pub const MAX_GAS_LIMIT: u64 = 32_000_000;

const POLYGON: u64 = 137;

/// What one signature may spend on fees on a chain unless its owner decides otherwise:
/// [`MAX_FEE_WEI_ETHER`], on Polygon [`MAX_FEE_WEI_POLYGON`].
#[must_use]
pub fn default_fee_limit(chain_id: u64) -> Amount {
    Amount::from(if chain_id == POLYGON {
        MAX_FEE_WEI_POLYGON
    } else {
        MAX_FEE_WEI_ETHER
    })
}

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

    /// Refuses terms that no signer should sign, whoever proposed them: a fee that could come to more than
    /// `fee_limit` wei, more than [`MAX_GAS_LIMIT`] gas, a tip above the whole fee, the one nonce that no
    /// transaction may have. Every [`Signer`](oda_core::Signer) of this payload should ask.
    ///
    /// # Errors
    ///
    /// [`EvmError::Terms`].
    pub fn check(&self, fee_limit: Amount) -> Result<(), EvmError> {
        let refuse = |rule: String| Err(EvmError::Terms { rule });
        if self.max_priority_fee_per_gas > self.max_fee_per_gas {
            return refuse(format!(
                "the tip of {} wei per gas is above the whole fee of {} wei per gas",
                self.max_priority_fee_per_gas, self.max_fee_per_gas
            ));
        }
        if self.gas_limit > MAX_GAS_LIMIT {
            return refuse(format!(
                "the gas limit {} is above {MAX_GAS_LIMIT}",
                self.gas_limit
            ));
        }
        if Amount::from(self.max_fee()) > fee_limit {
            return refuse(format!(
                "the fee could come to {} wei ({} gas at {} wei), above the limit of {fee_limit} wei",
                self.max_fee(),
                self.gas_limit,
                self.max_fee_per_gas
            ));
        }
        // EIP-2681: the nonce 2^64 - 1 is not valid.
        if self.nonce == u64::MAX {
            return refuse("the nonce is 2^64 - 1, which no transaction may have".to_owned());
        }
        Ok(())
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
