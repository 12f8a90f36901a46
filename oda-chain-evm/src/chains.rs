//! The EVM chains of ODA draft 0, by name and by id.

use oda_core::{ODA_CHAINS, evm_chain_id, evm_chain_name};

/// The names of the EVM chains that ODA draft 0 knows, in its order.
pub fn chain_names() -> impl Iterator<Item = &'static str> {
    ODA_CHAINS
        .into_iter()
        .filter(|name| evm_chain_id(name).is_some())
}

/// The id of a chain (EIP-155); `None` when ODA draft 0 does not name it or it is no EVM chain.
#[must_use]
pub fn chain_id_of(name: &str) -> Option<u64> {
    evm_chain_id(name)
}

/// The name of a chain; `None` when ODA draft 0 does not name it.
#[must_use]
pub fn chain_name_of(id: u64) -> Option<&'static str> {
    evm_chain_name(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_are_one_to_one() {
        assert_eq!(chain_names().count(), 9);
        for name in chain_names() {
            assert_eq!(chain_id_of(name).and_then(chain_name_of), Some(name));
        }
        assert_eq!(chain_id_of("base-sepolia"), Some(84_532));
        assert_eq!(chain_id_of("Base"), None);
        assert_eq!(chain_id_of("solana"), None);
        assert_eq!(chain_name_of(31_337), None);
    }
}
