//! The chain names of ODA and what they stand for. Names and numbers only: no chain's code is here.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Whether real money is at stake, in rising order. A policy allows everything up to its own level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// A local or forked chain.
    Fork,
    /// A public test network.
    Testnet,
    /// Real money, and every chain that is not known to be anything else.
    Mainnet,
}

impl Network {
    /// `fork`, `testnet` or `mainnet`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fork => "fork",
            Self::Testnet => "testnet",
            Self::Mainnet => "mainnet",
        }
    }

    /// The network of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Fork, Self::Testnet, Self::Mainnet]
            .into_iter()
            .find(|network| network.as_str() == name)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The chains that a descriptor may name (ODA draft 0; the list grows and never shrinks).
pub const ODA_CHAINS: [&str; 11] = [
    "ethereum",
    "sepolia",
    "base",
    "base-sepolia",
    "arbitrum",
    "arbitrum-sepolia",
    "optimism",
    "optimism-sepolia",
    "polygon",
    "solana",
    "solana-devnet",
];

/// The EVM chains of ODA: name, chain id (EIP-155), network.
const EVM_CHAINS: [(&str, u64, Network); 9] = [
    ("ethereum", 1, Network::Mainnet),
    ("sepolia", 11_155_111, Network::Testnet),
    ("base", 8_453, Network::Mainnet),
    ("base-sepolia", 84_532, Network::Testnet),
    ("arbitrum", 42_161, Network::Mainnet),
    ("arbitrum-sepolia", 421_614, Network::Testnet),
    ("optimism", 10, Network::Mainnet),
    ("optimism-sepolia", 11_155_420, Network::Testnet),
    ("polygon", 137, Network::Mainnet),
];

/// Chain ids that development nodes use by default (anvil and Hardhat, Ganache and geth `--dev`).
const DEVELOPMENT_CHAIN_IDS: [u64; 2] = [31_337, 1_337];

/// The chain id (EIP-155) of an EVM chain of ODA.
#[must_use]
pub fn evm_chain_id(name: &str) -> Option<u64> {
    EVM_CHAINS
        .iter()
        .find(|(known, ..)| *known == name)
        .map(|(_, id, _)| *id)
}

/// The ODA name of an EVM chain id.
#[must_use]
pub fn evm_chain_name(id: u64) -> Option<&'static str> {
    EVM_CHAINS
        .iter()
        .find(|(_, known, _)| *known == id)
        .map(|(name, ..)| *name)
}

/// What is at stake on a chain id. Unknown ids may hold real money, so they count as mainnet.
#[must_use]
pub fn network_of_evm_chain_id(id: u64) -> Network {
    if DEVELOPMENT_CHAIN_IDS.contains(&id) {
        return Network::Fork;
    }
    EVM_CHAINS
        .iter()
        .find(|(_, known, _)| *known == id)
        .map_or(Network::Mainnet, |(.., network)| *network)
}

/// What is at stake on a chain of that name. Unknown names count as mainnet.
#[must_use]
pub fn network_of_chain(name: &str) -> Network {
    match name {
        "solana-devnet" => Network::Testnet,
        _ => evm_chain_id(name).map_or(Network::Mainnet, network_of_evm_chain_id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_nobody_knows_may_hold_real_money() {
        assert_eq!(network_of_evm_chain_id(7), Network::Mainnet);
        assert_eq!(network_of_chain("moonchain"), Network::Mainnet);
        assert_eq!(network_of_evm_chain_id(31_337), Network::Fork);
        assert_eq!(network_of_chain("base-sepolia"), Network::Testnet);
    }

    #[test]
    fn names_and_ids_belong_together() {
        for (name, id, _) in EVM_CHAINS {
            assert!(ODA_CHAINS.contains(&name));
            assert_eq!(evm_chain_id(name), Some(id));
            assert_eq!(evm_chain_name(id), Some(name));
        }
    }
}
