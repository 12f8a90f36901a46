//! Tiny contracts, assembled by hand: each does one thing that no honest token does.

use alloy::primitives::{Address, B256, U256};

const STOP: u8 = 0x00;
const ADD: u8 = 0x01;
const DIV: u8 = 0x04;
const EQ: u8 = 0x14;
const CALLER: u8 = 0x33;
const CALLVALUE: u8 = 0x34;
const CALLDATASIZE: u8 = 0x36;
const POP: u8 = 0x50;
const MSTORE: u8 = 0x52;
const SLOAD: u8 = 0x54;
const SSTORE: u8 = 0x55;
const JUMPI: u8 = 0x57;
const GAS: u8 = 0x5a;
const JUMPDEST: u8 = 0x5b;
const PUSH0: u8 = 0x5f;
const PUSH1: u8 = 0x60;
const PUSH20: u8 = 0x73;
const PUSH32: u8 = 0x7f;
const LOG0: u8 = 0xa0;
const CREATE: u8 = 0xf0;
const CALL: u8 = 0xf1;
const RETURN: u8 = 0xf3;
const DELEGATECALL: u8 = 0xf4;
const REVERT: u8 = 0xfd;
const SELFDESTRUCT: u8 = 0xff;

/// Writes one log, made of whole words.
pub(crate) fn logs(topics: &[B256], data: &[U256]) -> Vec<u8> {
    let mut code = Vec::new();
    for (place, word) in data.iter().enumerate() {
        code.push(PUSH32);
        code.extend_from_slice(&word.to_be_bytes::<32>());
        code.extend_from_slice(&[PUSH1, u8::try_from(place * 32).unwrap(), MSTORE]);
    }
    for topic in topics.iter().rev() {
        code.push(PUSH32);
        code.extend_from_slice(topic.as_slice());
    }
    code.extend_from_slice(&[PUSH1, u8::try_from(data.len() * 32).unwrap(), PUSH0]);
    code.push(LOG0 + u8::try_from(topics.len()).unwrap());
    code
}

/// One contract that does one thing after another.
pub(crate) fn all(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut code = parts.concat();
    code.push(STOP);
    code
}

/// Sends half of what it receives back to the caller.
pub(crate) fn sends_half_back() -> Vec<u8> {
    vec![
        PUSH0, PUSH0, PUSH0, PUSH0, PUSH1, 2, CALLVALUE, DIV, CALLER, GAS, CALL, POP,
    ]
}

/// Answers `balanceOf(address)` with its slot 0, and does `otherwise` for any other call.
pub(crate) fn balance_from_slot(otherwise: &[u8]) -> Vec<u8> {
    let jump_to = u8::try_from(8 + otherwise.len()).unwrap();
    let mut code = vec![PUSH1, 36, CALLDATASIZE, EQ, PUSH1, jump_to, JUMPI];
    code.extend_from_slice(otherwise);
    code.push(STOP);
    assert_eq!(code.len(), usize::from(jump_to));
    code.extend_from_slice(&[
        JUMPDEST, PUSH0, SLOAD, PUSH0, MSTORE, PUSH1, 32, PUSH0, RETURN,
    ]);
    code
}

/// Adds to its slot 0.
pub(crate) fn raises_slot(by: u8) -> Vec<u8> {
    vec![PUSH1, by, PUSH0, SLOAD, ADD, PUSH0, SSTORE]
}

/// Creates a contract without code.
pub(crate) fn creates() -> Vec<u8> {
    vec![PUSH0, PUSH0, PUSH0, CREATE, POP]
}

/// Hands its balance to the caller and destroys itself.
pub(crate) fn destroys_itself() -> Vec<u8> {
    vec![CALLER, SELFDESTRUCT]
}

/// Calls an account without value and goes on whatever comes of it.
pub(crate) fn calls(target: Address) -> Vec<u8> {
    let mut code = vec![PUSH0, PUSH0, PUSH0, PUSH0, PUSH0, PUSH20];
    code.extend_from_slice(target.as_slice());
    code.extend_from_slice(&[GAS, CALL, POP]);
    code
}

/// Runs another account's code as its own.
pub(crate) fn delegates_to(target: Address) -> Vec<u8> {
    let mut code = vec![PUSH0, PUSH0, PUSH0, PUSH0, PUSH20];
    code.extend_from_slice(target.as_slice());
    code.extend_from_slice(&[GAS, DELEGATECALL, POP]);
    code
}

/// Calls whoever called it, without value.
pub(crate) fn calls_back() -> Vec<u8> {
    vec![PUSH0, PUSH0, PUSH0, PUSH0, PUSH0, CALLER, GAS, CALL, POP]
}

/// Gives up without a reason.
pub(crate) fn reverts() -> Vec<u8> {
    vec![PUSH0, PUSH0, REVERT]
}
