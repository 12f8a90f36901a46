//! Why a contract refused, in words.

use alloy::dyn_abi::{DynSolType, DynSolValue};
use alloy::primitives::{U256, hex, keccak256};

use crate::text::{MAX_FOREIGN_TEXT, foreign};

/// `Error(string)`, what `require` and `revert` with a text produce (Solidity ABI).
const ERROR_STRING: [u8; 4] = [0x08, 0xc3, 0x79, 0xa0];

/// `Panic(uint256)`, what the compiler's own checks produce (Solidity ABI).
const PANIC: [u8; 4] = [0x4e, 0x48, 0x7b, 0x71];

/// How many bytes of revert data are shown when nothing can be read from it: a selector and three words.
const MAX_RAW_BYTES: usize = 100;

/// The custom errors that are known by name: those of ERC-6093 (tokens), of EIP-2612 and of the access,
/// pause, reentrancy and transfer libraries that most contracts are built from.
const KNOWN_ERRORS: [&str; 38] = [
    "ERC20InsufficientBalance(address,uint256,uint256)",
    "ERC20InvalidSender(address)",
    "ERC20InvalidReceiver(address)",
    "ERC20InsufficientAllowance(address,uint256,uint256)",
    "ERC20InvalidApprover(address)",
    "ERC20InvalidSpender(address)",
    "ERC721InvalidOwner(address)",
    "ERC721NonexistentToken(uint256)",
    "ERC721IncorrectOwner(address,uint256,address)",
    "ERC721InvalidSender(address)",
    "ERC721InvalidReceiver(address)",
    "ERC721InsufficientApproval(address,uint256)",
    "ERC721InvalidApprover(address)",
    "ERC721InvalidOperator(address)",
    "ERC1155InsufficientBalance(address,uint256,uint256,uint256)",
    "ERC1155InvalidSender(address)",
    "ERC1155InvalidReceiver(address)",
    "ERC1155MissingApprovalForAll(address,address)",
    "ERC1155InvalidApprover(address)",
    "ERC1155InvalidOperator(address)",
    "ERC1155InvalidArrayLength(uint256,uint256)",
    "ERC2612ExpiredSignature(uint256)",
    "ERC2612InvalidSigner(address,address)",
    "SafeERC20FailedOperation(address)",
    "SafeERC20FailedDecreaseAllowance(address,uint256,uint256)",
    "OwnableUnauthorizedAccount(address)",
    "OwnableInvalidOwner(address)",
    "AccessControlUnauthorizedAccount(address,bytes32)",
    "EnforcedPause()",
    "ExpectedPause()",
    "ReentrancyGuardReentrantCall()",
    "AddressEmptyCode(address)",
    "FailedCall()",
    "InsufficientBalance(uint256,uint256)",
    "InvalidAccountNonce(address,uint256)",
    "AllowanceExpired(uint256)",
    "InsufficientAllowance(uint256)",
    "SignatureExpired(uint256)",
];

/// Revert data in words: the text of `Error(string)`, the meaning of `Panic(uint256)`, a known custom error
/// with its arguments, the selector of an unknown one, or the raw bytes.
///
/// The contract chooses the data, so the text is bounded, its control characters are escaped, and it is
/// a claim of the contract, not a fact.
///
/// ```
/// let data = alloy::primitives::hex!("4e487b710000000000000000000000000000000000000000000000000000000000000011");
/// assert_eq!(oda_chain_evm::revert_reason(&data), "arithmetic overflow or underflow (panic 0x11)");
/// ```
#[must_use]
pub fn revert_reason(data: &[u8]) -> String {
    let Some((selector, arguments)) = data.split_first_chunk::<4>() else {
        return if data.is_empty() {
            "the contract gave no reason".to_owned()
        } else {
            format!("unreadable revert data {}", raw(data))
        };
    };
    match *selector {
        ERROR_STRING => error_string(arguments),
        PANIC => panic_code(arguments),
        other => custom_error(other, arguments),
    }
    .unwrap_or_else(|| {
        format!(
            "custom error {} with data {}",
            hex::encode_prefixed(selector),
            raw(arguments)
        )
    })
}

fn error_string(arguments: &[u8]) -> Option<String> {
    let decoded = DynSolType::String
        .abi_decode(word_sequence(arguments)?)
        .ok();
    let text = match decoded {
        Some(DynSolValue::String(text)) => text,
        // Old compilers and hand-written assembly leave out the padding or write bytes that are no UTF-8.
        _ => loose_string(arguments)?,
    };
    Some(if text.trim().is_empty() {
        "the contract gave an empty reason".to_owned()
    } else {
        foreign(&text)
    })
}

/// `DynSolType::abi_decode` on a single dynamic value expects the offset word that is there.
fn word_sequence(arguments: &[u8]) -> Option<&[u8]> {
    (arguments.len() >= 64).then_some(arguments)
}

fn loose_string(arguments: &[u8]) -> Option<String> {
    let length = usize::try_from(U256::from_be_slice(arguments.get(32..64)?)).ok()?;
    let rest = arguments.get(64..)?;
    let text = rest.get(..length.min(rest.len()))?;
    Some(String::from_utf8_lossy(text).into_owned())
}

fn panic_code(arguments: &[u8]) -> Option<String> {
    if arguments.len() != 32 {
        return None;
    }
    let code = U256::from_be_slice(arguments);
    let meaning = match u64::try_from(code).unwrap_or(u64::MAX) {
        0x00 => "a panic without a kind",
        0x01 => "an assertion failed",
        0x11 => "arithmetic overflow or underflow",
        0x12 => "division or modulo by zero",
        0x21 => "a value that is no member of its enum",
        0x22 => "a storage byte array that is wrongly encoded",
        0x31 => "pop of an empty array",
        0x32 => "an array index out of bounds",
        0x41 => "too much memory requested",
        0x51 => "a call of an uninitialised internal function",
        _ => "an unknown kind of panic",
    };
    Some(format!("{meaning} (panic 0x{code:02x})"))
}

fn custom_error(selector: [u8; 4], arguments: &[u8]) -> Option<String> {
    let signature = KNOWN_ERRORS
        .iter()
        .find(|signature| keccak256(signature)[..4] == selector)?;
    let (name, types) = signature.split_once('(')?;
    let types = types.strip_suffix(')')?;
    let tuple = DynSolType::Tuple(
        types
            .split(',')
            .filter(|ty| !ty.is_empty())
            .map(DynSolType::parse)
            .collect::<Result<_, _>>()
            .ok()?,
    );
    let DynSolValue::Tuple(values) = tuple.abi_decode_params(arguments).ok()? else {
        return None;
    };
    let shown: Vec<String> = values.iter().map(argument).collect();
    Some(format!("{name}({})", shown.join(", ")))
}

/// One argument of a known error. They are addresses, numbers and words only.
fn argument(value: &DynSolValue) -> String {
    match value {
        DynSolValue::Address(address) => address.to_string(),
        DynSolValue::Uint(number, _) => number.to_string(),
        DynSolValue::FixedBytes(word, _) => word.to_string(),
        other => format!("{other:?}")
            .chars()
            .take(MAX_FOREIGN_TEXT)
            .collect(),
    }
}

fn raw(data: &[u8]) -> String {
    let shown = hex::encode_prefixed(&data[..data.len().min(MAX_RAW_BYTES)]);
    if data.len() > MAX_RAW_BYTES {
        format!("{shown}… ({} bytes)", data.len())
    } else {
        shown
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::address;
    use alloy::sol_types::{Panic, PanicKind, Revert, SolError};
    use proptest::prelude::*;

    use super::*;

    alloy::sol! {
        error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed);
        error EnforcedPause();
        error SomethingElse(uint256 code);
    }

    #[test]
    fn a_text_is_shown_as_it_is() {
        let data = Revert::from("transfer amount exceeds balance").abi_encode();
        assert_eq!(revert_reason(&data), "transfer amount exceeds balance");
    }

    #[test]
    fn a_text_cannot_move_the_cursor_or_fill_the_screen() {
        let data = Revert::from(format!("\u{1b}[31m{}", "x".repeat(5_000))).abi_encode();
        let reason = revert_reason(&data);
        assert!(reason.starts_with("\\u{1b}[31m"));
        assert!(reason.chars().count() < MAX_FOREIGN_TEXT + 20);
    }

    #[test]
    fn panics_have_a_meaning() {
        let data = Panic::from(PanicKind::ArrayOutOfBounds).abi_encode();
        assert_eq!(
            revert_reason(&data),
            "an array index out of bounds (panic 0x32)"
        );
        let data = Panic { code: U256::MAX }.abi_encode();
        assert!(revert_reason(&data).starts_with("an unknown kind of panic"));
    }

    #[test]
    fn known_custom_errors_show_their_arguments() {
        let data = ERC20InsufficientBalance {
            sender: address!("f39Fd6e51aad88F6F4ce6aB8827279cffFb92266"),
            balance: U256::from(5),
            needed: U256::from(7),
        }
        .abi_encode();
        assert_eq!(
            revert_reason(&data),
            "ERC20InsufficientBalance(0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266, 5, 7)"
        );
        assert_eq!(
            revert_reason(&EnforcedPause {}.abi_encode()),
            "EnforcedPause()"
        );
    }

    #[test]
    fn unknown_data_is_shown_raw_and_bounded() {
        let data = SomethingElse {
            code: U256::from(9),
        }
        .abi_encode();
        let selector = hex::encode_prefixed(&data[..4]);
        let reason = revert_reason(&data);
        assert!(
            reason.starts_with(&format!("custom error {selector} with data 0x00")),
            "{reason}"
        );
        assert_eq!(revert_reason(&[]), "the contract gave no reason");
        assert_eq!(
            revert_reason(&[0x08, 0xc3]),
            "unreadable revert data 0x08c3"
        );
        assert!(revert_reason(&[7; 4_000]).ends_with("… (3996 bytes)"));
    }

    #[test]
    fn every_known_error_has_its_own_selector() {
        let mut selectors: Vec<_> = KNOWN_ERRORS
            .iter()
            .map(|text| keccak256(text)[..4].to_vec())
            .collect();
        selectors.sort_unstable();
        selectors.dedup();
        assert_eq!(selectors.len(), KNOWN_ERRORS.len());
    }

    proptest! {
        #[test]
        fn no_data_breaks_it_or_makes_it_long(
            selector in prop_oneof![
                Just(ERROR_STRING), Just(PANIC), Just([0xe4, 0x50, 0xd3, 0x8c]), any::<[u8; 4]>()
            ],
            words in proptest::collection::vec(any::<u8>(), 0..400),
        ) {
            let reason = revert_reason(&[&selector[..], &words].concat());
            prop_assert!(!reason.is_empty());
            prop_assert!(!reason.chars().any(char::is_control));
            prop_assert!(reason.len() < 4 * 1024);
        }
    }
}
