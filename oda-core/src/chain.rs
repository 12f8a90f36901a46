//! The vocabulary of chains: ODA's names, EVM chain ids, and what is at stake on each.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What is at stake on a chain, in rising order (policy key `network`).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Network {
    /// A local chain or a local fork: nothing is at stake.
    #[default]
    Fork,
    /// A public test network.
    Testnet,
    /// Real money, or a chain that nobody here knows.
    Mainnet,
}

impl Network {
    /// The word in a policy.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fork => "fork",
            Self::Testnet => "testnet",
            Self::Mainnet => "mainnet",
        }
    }

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        [Self::Fork, Self::Testnet, Self::Mainnet]
            .into_iter()
            .find(|network| network.as_str() == word)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One chain of the ODA list.
struct Row {
    name: &'static str,
    evm_chain_id: Option<u64>,
    network: Network,
    /// The symbols that stand for the chain's own coin.
    native: &'static [&'static str],
}

const fn evm(
    name: &'static str,
    id: u64,
    network: Network,
    native: &'static [&'static str],
) -> Row {
    Row {
        name,
        evm_chain_id: Some(id),
        network,
        native,
    }
}

const fn solana(name: &'static str, network: Network) -> Row {
    Row {
        name,
        evm_chain_id: None,
        network,
        native: &["SOL"],
    }
}

const TABLE: [Row; 11] = [
    evm("ethereum", 1, Network::Mainnet, &["ETH"]),
    evm("sepolia", 11_155_111, Network::Testnet, &["ETH"]),
    evm("base", 8453, Network::Mainnet, &["ETH"]),
    evm("base-sepolia", 84532, Network::Testnet, &["ETH"]),
    evm("arbitrum", 42161, Network::Mainnet, &["ETH"]),
    evm("arbitrum-sepolia", 421_614, Network::Testnet, &["ETH"]),
    evm("optimism", 10, Network::Mainnet, &["ETH"]),
    evm("optimism-sepolia", 11_155_420, Network::Testnet, &["ETH"]),
    evm("polygon", 137, Network::Mainnet, &["POL", "MATIC"]),
    solana("solana", Network::Mainnet),
    solana("solana-devnet", Network::Testnet),
];

/// The chain names that a descriptor may use (ODA draft 0; the list only grows).
pub const ODA_CHAINS: [&str; TABLE.len()] = {
    let mut names = [""; TABLE.len()];
    let mut at = 0;
    while at < TABLE.len() {
        names[at] = TABLE[at].name;
        at += 1;
    }
    names
};

/// The chain ids of local development nodes: what anvil and Hardhat use, and what geth and
/// Ganache use.
const LOCAL_CHAIN_IDS: [u64; 2] = [31337, 1337];

/// The genesis hash, as CAIP-2 cuts it, of Solana's devnet.
const SOLANA_DEVNET_CAIP2: &str = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1";

/// The EIP-155 id of an ODA chain name; `None` for other names and for chains that are not EVM.
#[must_use]
pub fn evm_chain_id(name: &str) -> Option<u64> {
    row(name)?.evm_chain_id
}

/// The ODA name of an EIP-155 id.
#[must_use]
pub fn evm_chain_name(id: u64) -> Option<&'static str> {
    TABLE
        .iter()
        .find(|row| row.evm_chain_id == Some(id))
        .map(|row| row.name)
}

/// What is at stake on an EVM chain.
///
/// The test networks of the ODA list are [`Network::Testnet`], 31337 and 1337 are
/// [`Network::Fork`]. Every other id is [`Network::Mainnet`], the unknown ones too: an unknown
/// chain may hold real money.
///
/// ```
/// use oda_core::{Network, network_of_evm_chain_id};
///
/// assert_eq!(network_of_evm_chain_id(84532), Network::Testnet);
/// assert_eq!(network_of_evm_chain_id(31337), Network::Fork);
/// assert_eq!(network_of_evm_chain_id(56), Network::Mainnet);
/// ```
#[must_use]
pub fn network_of_evm_chain_id(id: u64) -> Network {
    if LOCAL_CHAIN_IDS.contains(&id) {
        return Network::Fork;
    }
    TABLE
        .iter()
        .find(|row| row.evm_chain_id == Some(id))
        .map_or(Network::Mainnet, |row| row.network)
}

/// What is at stake on a chain by its ODA name or its CAIP-2 id (`eip155:84532`).
///
/// Unknown names are [`Network::Mainnet`], for the same reason as unknown ids.
#[must_use]
pub fn network_of_chain(name: &str) -> Network {
    if let Some(row) = row(name) {
        return row.network;
    }
    if name == SOLANA_DEVNET_CAIP2 {
        return Network::Testnet;
    }
    name.strip_prefix("eip155:")
        .and_then(|id| id.parse().ok())
        .map_or(Network::Mainnet, network_of_evm_chain_id)
}

/// Whether `symbol` stands for the chain's own coin.
pub(crate) fn is_native_symbol(chain: &str, symbol: &str) -> bool {
    row(chain).is_some_and(|row| {
        row.native
            .iter()
            .any(|native| native.eq_ignore_ascii_case(symbol))
    })
}

fn row(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_are_each_others_inverse() {
        for name in ODA_CHAINS {
            match evm_chain_id(name) {
                Some(id) => assert_eq!(evm_chain_name(id), Some(name)),
                None => assert!(name.starts_with("solana"), "{name}"),
            }
        }
        assert_eq!(evm_chain_id("nowhere"), None);
        assert_eq!(evm_chain_name(7), None);
    }

    #[test]
    fn defect_07_the_network_follows_from_the_chain_id() {
        for id in [1, 10, 137, 8453, 42161] {
            assert_eq!(network_of_evm_chain_id(id), Network::Mainnet, "{id}");
        }
        for id in [11_155_111, 84532, 421_614, 11_155_420] {
            assert_eq!(network_of_evm_chain_id(id), Network::Testnet, "{id}");
        }
        for id in [0, 2, 56, u64::MAX] {
            assert_eq!(network_of_evm_chain_id(id), Network::Mainnet, "{id}");
        }
    }

    #[test]
    fn an_unknown_chain_may_hold_real_money() {
        for (name, network) in [
            ("base", Network::Mainnet),
            ("base-sepolia", Network::Testnet),
            ("solana", Network::Mainnet),
            ("solana-devnet", Network::Testnet),
            ("moonchain", Network::Mainnet),
            ("", Network::Mainnet),
            ("eip155:84532", Network::Testnet),
            ("eip155:31337", Network::Fork),
            ("eip155:x", Network::Mainnet),
            ("solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1", Network::Testnet),
            ("solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", Network::Mainnet),
        ] {
            assert_eq!(network_of_chain(name), network, "{name}");
        }
    }

    #[test]
    fn networks_rise_in_what_is_at_stake() {
        assert!(Network::Fork < Network::Testnet && Network::Testnet < Network::Mainnet);
        assert_eq!(Network::from_word("testnet"), Some(Network::Testnet));
        assert_eq!(Network::from_word("prod"), None);
    }
}
