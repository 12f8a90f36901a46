//! What a token itself says about a balance, before and after a call.
//!
//! A Transfer log is a claim: a contract can write one without moving anything, or move something without
//! writing one. Asking `balanceOf` around the call tells what the holder will be able to see.

use alloy::primitives::{Address, U256};
use alloy::sol_types::SolCall;

use crate::effects::is_erc20_transfer_of;
use crate::node::CallRequest;
use crate::trace::TracedCall;

/// How many contracts are asked for the balance around one call. A call that touches more tokens of one
/// sender than this is unusual enough that its logs alone are shown, with a remark.
pub(crate) const MAX_CHECKED_TOKENS: usize = 16;

alloy::sol! {
    function balanceOf(address holder) external view returns (uint256);
}

/// A token's own account of one holder's balance around a call, in base units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenBalance {
    /// The contract that was asked.
    pub token: Address,
    /// `balanceOf` before the call.
    pub before: U256,
    /// `balanceOf` after it.
    pub after: U256,
}

/// The contracts worth asking: those that logged a transfer of the holder, then those whose storage
/// changed. The holder's own account is none.
pub(crate) fn candidates(traced: &TracedCall, holder: Address) -> Vec<Address> {
    let logged = traced
        .logs
        .iter()
        .filter(|log| is_erc20_transfer_of(log, holder))
        .map(|log| log.address);
    let changed = traced.internals.storage_changed.iter().flatten().copied();
    let mut tokens: Vec<Address> = Vec::new();
    for token in logged.chain(changed) {
        if token != holder && !tokens.contains(&token) {
            tokens.push(token);
        }
    }
    tokens.truncate(MAX_CHECKED_TOKENS);
    tokens
}

/// The question.
pub(crate) fn balance_of(token: Address, holder: Address) -> CallRequest {
    CallRequest {
        from: None,
        to: token,
        data: balanceOfCall { holder }.abi_encode().into(),
        value: U256::ZERO,
    }
}

/// The answer, when it is one: exactly one word.
pub(crate) fn read_balance(output: &[u8]) -> Option<U256> {
    (output.len() == 32).then(|| U256::from_be_slice(output))
}
