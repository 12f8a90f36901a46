//! Which token is meant, and what it is worth.

use std::fmt;
use std::str::FromStr;

use alloy::primitives::{U256, address};
use oda_core::stablecoin;

use crate::address::EvmAddress;
use crate::amount::Amount;
use crate::error::EvmError;

/// The address that venues use for the native currency.
const NATIVE_MARKER: EvmAddress =
    EvmAddress::from_bytes(address!("eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee").into_array());

/// A token on one chain: one identity, however it was spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenId {
    /// The chain's own currency.
    Native,
    /// A token contract.
    Contract(EvmAddress),
}

impl TokenId {
    /// Reads a token: a contract's address, or one of the spellings of the native currency: `native`, its
    /// symbol on the chain (`ETH`; on Polygon `POL` or `MATIC`) in any case, `0xeeee…eeee`, the zero
    /// address.
    ///
    /// ```
    /// use oda_chain_evm::TokenId;
    ///
    /// for text in ["native", "ETH", "0x0000000000000000000000000000000000000000"] {
    ///     assert_eq!(TokenId::parse("base", text)?, TokenId::Native);
    /// }
    /// assert!(TokenId::parse("base", "POL").is_err());
    /// # Ok::<(), oda_chain_evm::EvmError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`EvmError::Address`] when it is neither. Symbols of token contracts are not accepted: anybody can
    /// give a contract any symbol.
    pub fn parse(chain: &str, text: &str) -> Result<Self, EvmError> {
        let symbol = native_symbols(chain)
            .iter()
            .any(|symbol| symbol.eq_ignore_ascii_case(text));
        if symbol || text.eq_ignore_ascii_case("native") {
            return Ok(Self::Native);
        }
        EvmAddress::from_str(text).map(Self::of)
    }

    /// The token at this address, which may be one of the two that stand for the native currency.
    #[must_use]
    pub fn of(address: EvmAddress) -> Self {
        if address.is_zero() || address == NATIVE_MARKER {
            Self::Native
        } else {
            Self::Contract(address)
        }
    }

    /// The text that facts carry: the native symbol of the chain, or the contract's address with its
    /// checksum.
    #[must_use]
    pub fn fact(self, chain: &str) -> String {
        match self {
            Self::Native => native_symbol(chain).to_owned(),
            Self::Contract(address) => address.to_string(),
        }
    }
}

impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Native => f.write_str("native"),
            Self::Contract(address) => address.fmt(f),
        }
    }
}

/// The symbol of a chain's own currency: `ETH`, on Polygon `POL`.
#[must_use]
pub fn native_symbol(chain: &str) -> &'static str {
    if chain == "polygon" { "POL" } else { "ETH" }
}

fn native_symbols(chain: &str) -> &'static [&'static str] {
    if chain == "polygon" {
        &["POL", "MATIC"]
    } else {
        &["ETH"]
    }
}

/// The decimals of every native currency of these chains.
pub(crate) const NATIVE_DECIMALS: u8 = 18;

/// What an amount of a token is worth in US dollars, when it is a listed stablecoin
/// ([`oda_core::STABLECOINS`]).
#[must_use]
pub fn usd_value(chain: &str, token: TokenId, amount: Amount) -> Option<f64> {
    match token {
        TokenId::Native => None,
        TokenId::Contract(address) => {
            let coin = stablecoin(chain, &address.to_lower_hex())?;
            Some(base_units_to_number(amount, coin.decimals))
        }
    }
}

/// An amount in whole units as a double, the way the reference implementation of ODA computes it: the
/// whole part and the remainder are converted and divided separately. For comparing with caps and for
/// nothing else; [`Amount::in_units`] is exact.
#[must_use]
pub fn base_units_to_number(amount: Amount, decimals: u8) -> f64 {
    let (whole, rest) = match U256::from(10).checked_pow(U256::from(decimals)) {
        Some(unit) => amount.get().div_rem(unit),
        None => (U256::ZERO, amount.get()),
    };
    nearest_double(&whole.to_string())
        + nearest_double(&rest.to_string()) / nearest_double(&format!("1e{decimals}"))
}

/// The double nearest to a decimal number; every text made here is one.
fn nearest_double(decimal: &str) -> f64 {
    decimal.parse().unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    const USDC: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";

    #[test]
    fn every_spelling_of_the_native_currency_is_one_identity() {
        for (chain, texts) in [
            ("base", &["ETH", "eth", "native"][..]),
            ("polygon", &["POL", "MATIC", "matic", "native"][..]),
        ] {
            let addresses = [
                "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE",
                "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
                "0x0000000000000000000000000000000000000000",
            ];
            for text in texts.iter().chain(&addresses) {
                assert_eq!(
                    TokenId::parse(chain, text).unwrap(),
                    TokenId::Native,
                    "{chain} {text}"
                );
            }
        }
        assert_eq!(TokenId::Native.fact("polygon"), "POL");
        assert_eq!(TokenId::Native.fact("base-sepolia"), "ETH");
    }

    #[test]
    fn a_contract_is_its_address_and_never_a_symbol() {
        let lower = TokenId::parse("base", &USDC.to_lowercase()).unwrap();
        assert_eq!(lower, TokenId::parse("base", USDC).unwrap());
        assert_eq!(lower.fact("base"), USDC);
        for text in ["USDC", "MATIC", "", "0x12"] {
            assert!(TokenId::parse("base", text).is_err(), "{text}");
        }
    }

    #[test]
    fn listed_stablecoins_have_a_value_on_their_own_chain_only() {
        let usdc = TokenId::parse("base", USDC).unwrap();
        let amount = Amount::from(12_345_678_u64);
        assert_eq!(usd_value("base", usdc, amount), Some(12.345_678));
        assert_eq!(usd_value("ethereum", usdc, amount), None);
        assert_eq!(usd_value("base", TokenId::Native, amount), None);
    }

    /// The results of the reference implementation (`oda-usd.json`).
    #[test]
    fn base_units_become_the_same_doubles_as_in_the_reference() {
        for (amount, decimals, number) in [
            ("10000000", 6, 10.0),
            ("12345678", 6, 12.345_678),
            ("2500000000000000000", 18, 2.5),
            ("1", 18, 1e-18),
            ("1", 6, 1e-6),
            (&Amount::MAX.to_string(), 6, 1.157_920_892_373_162e71),
            ("9007199254740993000000", 6, 9_007_199_254_740_992.0),
            ("100000000000000001", 18, 0.1),
        ] {
            let found = base_units_to_number(amount.parse().unwrap(), decimals);
            assert!(
                found.to_bits() == f64::to_bits(number),
                "{amount} {decimals}: {found}"
            );
        }
        assert!(base_units_to_number(Amount::MAX, 255) < 1e-170);
    }
}
