//! The EVM chains of ODA draft 0, by name and by id.

/// The nine EVM chains that ODA draft 0 names, with their ids (EIP-155). The list only ever grows.
const CHAINS: [(&str, u64); 9] = [
    ("ethereum", 1),
    ("sepolia", 11_155_111),
    ("base", 8_453),
    ("base-sepolia", 84_532),
    ("arbitrum", 42_161),
    ("arbitrum-sepolia", 421_614),
    ("optimism", 10),
    ("optimism-sepolia", 11_155_420),
    ("polygon", 137),
];

/// The names of the EVM chains that ODA draft 0 knows, in its order.
pub fn chain_names() -> impl Iterator<Item = &'static str> {
    CHAINS.iter().map(|(name, _)| *name)
}

/// The id of a chain; `None` when ODA draft 0 does not name it.
#[must_use]
pub fn chain_id_of(name: &str) -> Option<u64> {
    CHAINS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, id)| *id)
}

/// The name of a chain; `None` when ODA draft 0 does not name it.
#[must_use]
pub fn chain_name_of(id: u64) -> Option<&'static str> {
    CHAINS
        .iter()
        .find(|(_, known)| *known == id)
        .map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_are_one_to_one() {
        for name in chain_names() {
            assert_eq!(chain_id_of(name).and_then(chain_name_of), Some(name));
        }
        assert_eq!(chain_id_of("base-sepolia"), Some(84_532));
        assert_eq!(chain_id_of("Base"), None);
        assert_eq!(chain_name_of(31_337), None);
    }
}
