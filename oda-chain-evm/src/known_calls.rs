//! What well-known calldata says about money: who may get how much of which token.
//!
//! Read the way the EVM reads it, not the way a decoder would like it: a contract takes the words that it
//! needs and ignores what follows, reads zeros where the data ends, and older ones ignore dirty upper bytes
//! of an address. A rule that were blind to such calldata could be walked around with it.

use std::sync::OnceLock;

use alloy::primitives::{U256, keccak256};

use crate::address::EvmAddress;
use crate::amount::Amount;

/// What a call of a well-known function does with a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownCall {
    /// The canonical signature.
    pub signature: &'static str,
    /// The token, when it is not the called contract itself (Permit2).
    pub token: Option<EvmAddress>,
    /// How much, in the token's base units. `None` when the call moves or frees a whole collection, or
    /// tokens that are counted one by one.
    pub amount: Option<Amount>,
    /// Who receives it.
    pub recipient: Option<EvmAddress>,
    /// Who may spend it later.
    pub spender: Option<EvmAddress>,
}

/// Reads calldata. `None` when its function is not one of those that move tokens or grant allowances in
/// ERC-20, ERC-721, ERC-1155, ERC-2612, EIP-3009 or Permit2.
#[must_use]
pub fn known_call(data: &[u8]) -> Option<KnownCall> {
    let (selector, arguments) = data.split_first_chunk::<4>()?;
    let (_, layout) = selectors().iter().find(|(known, _)| known == selector)?;
    Some(layout.read(arguments))
}

/// Which argument (a 32-byte word, counted from 0) says what.
struct Layout {
    signature: &'static str,
    token: Option<usize>,
    amount: How,
    recipient: Option<usize>,
    spender: Option<usize>,
}

enum How {
    /// The amount stands in this word.
    Word(usize),
    /// Nothing is granted when this word, a boolean, is false; everything otherwise.
    AllOrNothing(usize),
    /// It only takes an allowance back.
    Nothing,
    /// Not an amount, or several.
    Unknown,
}

const fn moves(signature: &'static str, recipient: usize, amount: How) -> Layout {
    Layout {
        signature,
        token: None,
        amount,
        recipient: Some(recipient),
        spender: None,
    }
}

const fn grants(signature: &'static str, spender: usize, amount: How) -> Layout {
    Layout {
        signature,
        token: None,
        amount,
        recipient: None,
        spender: Some(spender),
    }
}

const LAYOUTS: [Layout; 20] = [
    // ERC-20; the second also ERC-721, where the last word is the token's id.
    moves("transfer(address,uint256)", 0, How::Word(1)),
    moves("transferFrom(address,address,uint256)", 1, How::Word(2)),
    grants("approve(address,uint256)", 0, How::Word(1)),
    grants("increaseAllowance(address,uint256)", 0, How::Word(1)),
    grants("increaseApproval(address,uint256)", 0, How::Word(1)),
    grants("decreaseAllowance(address,uint256)", 0, How::Nothing),
    // ERC-2612, and the form that DAI has.
    grants(
        "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)",
        1,
        How::Word(2),
    ),
    grants(
        "permit(address,address,uint256,uint256,bytes)",
        1,
        How::Word(2),
    ),
    grants(
        "permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)",
        1,
        How::AllOrNothing(4),
    ),
    // EIP-3009.
    moves(
        "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)",
        1,
        How::Word(2),
    ),
    moves(
        "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)",
        1,
        How::Word(2),
    ),
    moves(
        "receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)",
        1,
        How::Word(2),
    ),
    moves(
        "receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)",
        1,
        How::Word(2),
    ),
    // ERC-721 and ERC-1155.
    grants("setApprovalForAll(address,bool)", 0, How::AllOrNothing(1)),
    moves("safeTransferFrom(address,address,uint256)", 1, How::Unknown),
    moves(
        "safeTransferFrom(address,address,uint256,bytes)",
        1,
        How::Unknown,
    ),
    moves(
        "safeTransferFrom(address,address,uint256,uint256,bytes)",
        1,
        How::Word(3),
    ),
    moves(
        "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)",
        1,
        How::Unknown,
    ),
    // Permit2: the token is an argument, the called contract is Permit2.
    Layout {
        signature: "approve(address,address,uint160,uint48)",
        token: Some(0),
        amount: How::Word(2),
        recipient: None,
        spender: Some(1),
    },
    Layout {
        signature: "transferFrom(address,address,uint160,address)",
        token: Some(3),
        amount: How::Word(2),
        recipient: Some(1),
        spender: None,
    },
];

fn selectors() -> &'static [([u8; 4], &'static Layout)] {
    static SELECTORS: OnceLock<Vec<([u8; 4], &'static Layout)>> = OnceLock::new();
    SELECTORS.get_or_init(|| {
        LAYOUTS
            .iter()
            .map(|layout| {
                let [a, b, c, d, ..] = keccak256(layout.signature).0;
                ([a, b, c, d], layout)
            })
            .collect()
    })
}

impl Layout {
    fn read(&self, arguments: &[u8]) -> KnownCall {
        let address = |index: Option<usize>| index.map(|index| address(word(arguments, index)));
        KnownCall {
            signature: self.signature,
            token: address(self.token),
            amount: match self.amount {
                How::Word(index) => Some(number(arguments, index)),
                How::AllOrNothing(index) if number(arguments, index).is_zero() => {
                    Some(Amount::ZERO)
                }
                How::Nothing => Some(Amount::ZERO),
                How::AllOrNothing(_) | How::Unknown => None,
            },
            recipient: address(self.recipient),
            spender: address(self.spender),
        }
    }
}

/// A word of the arguments; zeros beyond their end.
fn word(arguments: &[u8], index: usize) -> [u8; 32] {
    let mut word = [0; 32];
    let rest = arguments.get(index * 32..).unwrap_or_default();
    for (byte, given) in word.iter_mut().zip(rest) {
        *byte = *given;
    }
    word
}

fn number(arguments: &[u8], index: usize) -> Amount {
    Amount::new(U256::from_be_bytes(word(arguments, index)))
}

/// The low 20 bytes.
fn address(word: [u8; 32]) -> EvmAddress {
    alloy::primitives::Address::from_word(word.into()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FunctionAbi;
    use proptest::prelude::*;
    use serde_json::json;

    const A: &str = "0x1111111111111111111111111111111111111111";
    const B: &str = "0x2222222222222222222222222222222222222222";
    const C: &str = "0x3333333333333333333333333333333333333333";

    fn call(text: &str, args: &[serde_json::Value]) -> KnownCall {
        let data = FunctionAbi::parse_text(text)
            .unwrap()
            .encode_call(args)
            .unwrap();
        known_call(data.bytes()).unwrap()
    }

    fn at(text: &str) -> Option<EvmAddress> {
        Some(text.parse().unwrap())
    }

    #[test]
    fn money_in_calldata_is_seen() {
        let five = Some(Amount::from(5_u64));
        let found = call("transfer(address,uint256)", &[json!(A), json!("5")]);
        assert_eq!(
            (found.recipient, found.amount, found.spender),
            (at(A), five, None)
        );

        let found = call(
            "transferFrom(address,address,uint256)",
            &[json!(A), json!(B), json!("5")],
        );
        assert_eq!((found.recipient, found.amount), (at(B), five));

        for name in ["approve", "increaseAllowance"] {
            let found = call(&format!("{name}(address,uint256)"), &[json!(A), json!("5")]);
            assert_eq!(
                (found.spender, found.amount, found.recipient),
                (at(A), five, None)
            );
        }

        let found = call("setApprovalForAll(address,bool)", &[json!(A), json!(true)]);
        assert_eq!((found.spender, found.amount), (at(A), None));
        let found = call("setApprovalForAll(address,bool)", &[json!(A), json!(false)]);
        assert_eq!((found.spender, found.amount), (at(A), Some(Amount::ZERO)));

        let found = call(
            "approve(address,address,uint160,uint48)",
            &[json!(A), json!(B), json!("5"), json!("9")],
        );
        assert_eq!(
            (found.token, found.spender, found.amount),
            (at(A), at(B), five)
        );

        let found = call(
            "transferFrom(address,address,uint160,address)",
            &[json!(A), json!(B), json!("5"), json!(C)],
        );
        assert_eq!(
            (found.token, found.recipient, found.amount),
            (at(C), at(B), five)
        );
    }

    #[test]
    fn the_selectors_are_those_that_contracts_have() {
        for (selector, signature) in [
            ([0xa9, 0x05, 0x9c, 0xbb], "transfer(address,uint256)"),
            ([0x09, 0x5e, 0xa7, 0xb3], "approve(address,uint256)"),
            (
                [0x39, 0x50, 0x93, 0x51],
                "increaseAllowance(address,uint256)",
            ),
            (
                [0xd5, 0x05, 0xac, 0xcf],
                "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)",
            ),
            (
                [0x8f, 0xcb, 0xaf, 0x0c],
                "permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)",
            ),
            (
                [0x87, 0x51, 0x7c, 0x45],
                "approve(address,address,uint160,uint48)",
            ),
            (
                [0x36, 0xc7, 0x85, 0x16],
                "transferFrom(address,address,uint160,address)",
            ),
            (
                [0x42, 0x84, 0x2e, 0x0e],
                "safeTransferFrom(address,address,uint256)",
            ),
            (
                [0xf2, 0x42, 0x43, 0x2a],
                "safeTransferFrom(address,address,uint256,uint256,bytes)",
            ),
        ] {
            assert_eq!(known_call(&selector).unwrap().signature, signature);
        }
        assert_eq!(known_call(&[0xa9, 0x05, 0x9c]), None);
        assert_eq!(known_call(&[0, 0, 0, 0]), None);
    }

    #[test]
    fn dirty_long_and_short_calldata_is_read_as_the_evm_reads_it() {
        let clean = FunctionAbi::parse_text("transfer(address,uint256)")
            .unwrap()
            .encode_call(&[json!(A), json!("256")])
            .unwrap();
        let mut dirty = clean.bytes().to_vec();
        dirty[4] = 0xff;
        dirty.extend([7; 50]);
        assert_eq!(known_call(&dirty), known_call(clean.bytes()));
        let short = &clean.bytes()[..4 + 32 + 30];
        assert_eq!(known_call(short).unwrap().amount, Some(Amount::ZERO));
        assert_eq!(known_call(short).unwrap().recipient, at(A));
    }

    proptest! {
        #[test]
        fn no_data_panics(tail: Vec<u8>, index in 0..LAYOUTS.len()) {
            let data = [selectors()[index].0.as_slice(), &tail].concat();
            prop_assert!(known_call(&data).is_some());
            let _ = known_call(&tail);
        }
    }
}
