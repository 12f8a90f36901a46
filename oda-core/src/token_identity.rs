//! One identity per token and chain, however it is written.

use crate::chain::is_native_symbol;
use crate::form::is_base58_key;

/// The zero address, which many venues write for the native token.
const ZERO_ADDRESS: &str = "0x0000000000000000000000000000000000000000";
/// The other address that venues write for the native token (ERC-7528).
const NATIVE_ADDRESS: &str = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";

/// A stablecoin whose unit counts as one US dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stablecoin {
    /// The chain's ODA name.
    pub chain: &'static str,
    /// The symbol that policies may write.
    pub symbol: &'static str,
    /// The contract (lower-case) or mint.
    pub token: &'static str,
    /// Decimals of one unit.
    pub decimals: u8,
}

/// Token, chain and decimals of the stablecoins that count as one dollar a unit.
///
/// The list is that of the reference implementation, with the testnet coins that it knows elsewhere.
pub const STABLECOINS: [Stablecoin; 19] = [
    coin(
        "ethereum",
        "USDC",
        "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
        6,
    ),
    coin(
        "ethereum",
        "USDT",
        "0xdac17f958d2ee523a2206206994597c13d831ec7",
        6,
    ),
    coin(
        "ethereum",
        "DAI",
        "0x6b175474e89094c44da98b954eedeac495271d0f",
        18,
    ),
    coin(
        "base",
        "USDC",
        "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        6,
    ),
    coin(
        "base",
        "USDT",
        "0xfde4c96c8593536e31f229ea8f37b2ada2699bb2",
        6,
    ),
    coin(
        "base",
        "DAI",
        "0x50c5725949a6f0c72e6c4a641f24049a917db0cb",
        18,
    ),
    coin(
        "arbitrum",
        "USDC",
        "0xaf88d065e77c8cc2239327c5edb3a432268e5831",
        6,
    ),
    coin(
        "arbitrum",
        "USDT",
        "0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9",
        6,
    ),
    coin(
        "arbitrum",
        "DAI",
        "0xda10009cbd5d07dd0cecc66161fc93d7c9000da1",
        18,
    ),
    coin(
        "optimism",
        "USDC",
        "0x0b2c639c533813f4aa9d7837caf62653d097ff85",
        6,
    ),
    coin(
        "optimism",
        "USDT",
        "0x94b008aa00579c1307b0ef2c499ad98a8ce58e58",
        6,
    ),
    coin(
        "optimism",
        "DAI",
        "0xda10009cbd5d07dd0cecc66161fc93d7c9000da1",
        18,
    ),
    coin(
        "polygon",
        "USDC",
        "0x3c499c542cef5e3811e1192ce70d8cc03d5c3359",
        6,
    ),
    coin(
        "polygon",
        "USDT",
        "0xc2132d05d31c914a87c6611c10748aeb04b58e8f",
        6,
    ),
    coin(
        "polygon",
        "DAI",
        "0x8f3cf7ad23cd3cadbd9735aff958023239c6a063",
        18,
    ),
    coin(
        "base-sepolia",
        "USDC",
        "0x036cbd53842c5426634e7929541ec2318f3dcf7e",
        6,
    ),
    coin(
        "solana",
        "USDC",
        "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
        6,
    ),
    coin(
        "solana",
        "USDT",
        "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB",
        6,
    ),
    coin(
        "solana-devnet",
        "USDC",
        "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU",
        6,
    ),
];

const fn coin(
    chain: &'static str,
    symbol: &'static str,
    token: &'static str,
    decimals: u8,
) -> Stablecoin {
    Stablecoin {
        chain,
        symbol,
        token,
        decimals,
    }
}

/// The listed stablecoin that a token is, if it is one.
#[must_use]
pub fn stablecoin(chain: &str, token: &str) -> Option<&'static Stablecoin> {
    let identity = TokenIdentity::of(chain, token);
    STABLECOINS
        .iter()
        .find(|coin| identity == TokenIdentity::of(coin.chain, coin.token))
}

/// What a token is on a chain, in a form that can be compared.
///
/// The native token has one identity, whether it is written as its symbol, `native`, the zero address or
/// `0xeeee…`; a listed symbol is its contract; EVM addresses compare without case; base58 keys compare with
/// case on every chain; any other symbol compares without case, as the reference does. Case is that of ASCII:
/// a symbol with a look-alike letter is another symbol.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenIdentity {
    chain: String,
    token: String,
}

impl TokenIdentity {
    /// The identity of a token as written in a policy or a fact.
    #[must_use]
    pub fn of(chain: &str, token: &str) -> Self {
        let chain = chain.to_ascii_lowercase();
        let token = resolve(&chain, token);
        Self { chain, token }
    }

    /// The identity of a policy entry, `chain:token`.
    #[must_use]
    pub fn of_entry(entry: &str) -> Self {
        let (chain, token) = entry.split_once(':').unwrap_or(("", entry));
        Self::of(chain, token)
    }
}

/// What an account or contract is on a chain: as a token, without aliases.
pub(crate) fn account_identity(chain: &str, account: &str) -> (String, String) {
    let chain = chain.to_ascii_lowercase();
    let account = if is_base58_chain(&chain) || is_base58_key(account) {
        account.to_owned()
    } else {
        account.to_ascii_lowercase()
    };
    (chain, account)
}

fn resolve(chain: &str, token: &str) -> String {
    let lower = token.to_ascii_lowercase();
    if is_native_alias(chain, &lower) {
        return "native".to_owned();
    }
    let listed = STABLECOINS
        .iter()
        .find(|coin| coin.chain == chain && coin.symbol.eq_ignore_ascii_case(token));
    match listed {
        Some(coin) => coin.token.to_owned(),
        // A base58 key that differs only in case is another key. Short symbols are no keys.
        None if is_base58_key(token) => token.to_owned(),
        None => lower,
    }
}

fn is_native_alias(chain: &str, lower: &str) -> bool {
    let address = matches!(lower, ZERO_ADDRESS | NATIVE_ADDRESS) && !is_base58_chain(chain);
    address || lower == "native" || is_native_symbol(chain, lower)
}

fn is_base58_chain(chain: &str) -> bool {
    chain == "solana" || chain.starts_with("solana-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defect_10_every_spelling_of_the_native_token_is_one_identity() {
        let native = TokenIdentity::of("base", "ETH");
        for token in [
            "eth",
            "native",
            ZERO_ADDRESS,
            NATIVE_ADDRESS,
            "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE",
        ] {
            assert_eq!(TokenIdentity::of("base", token), native, "{token}");
        }
        assert_eq!(
            TokenIdentity::of("polygon", "MATIC"),
            TokenIdentity::of("polygon", "POL")
        );
        assert_ne!(
            TokenIdentity::of("polygon", "ETH"),
            TokenIdentity::of("polygon", "POL")
        );
    }

    #[test]
    fn defect_10_a_listed_symbol_is_its_contract() {
        let usdc = TokenIdentity::of_entry("base:USDC");
        assert_eq!(
            usdc,
            TokenIdentity::of("base", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")
        );
        assert_ne!(
            usdc,
            TokenIdentity::of("ethereum", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")
        );
    }

    #[test]
    fn defect_11_base58_keys_differing_only_in_case_are_different() {
        let mint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
        assert_eq!(
            TokenIdentity::of("solana", mint),
            TokenIdentity::of("solana", "usdc")
        );
        assert_ne!(
            TokenIdentity::of("solana", mint),
            TokenIdentity::of("solana", &mint.to_lowercase())
        );
    }

    #[test]
    fn the_stablecoin_table_has_one_row_per_coin() {
        for coin in &STABLECOINS {
            assert_eq!(stablecoin(coin.chain, coin.token), Some(coin));
            assert_eq!(stablecoin(coin.chain, coin.symbol), Some(coin));
        }
    }
}
