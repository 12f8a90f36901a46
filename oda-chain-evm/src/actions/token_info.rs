//! What a token contract says about itself, and how a summary repeats it.

use alloy::primitives::Bytes;
use oda_core::{ActionError, stablecoin};
use serde_json::Value;

use crate::abi::FunctionAbi;
use crate::actions::common;
use crate::address::EvmAddress;
use crate::amount::Amount;
use crate::error::quoted;
use crate::node::{CallOutcome, CallRequest, EvmNode, NodeError};

/// The longest symbol that a summary shows. Real ones have up to eleven characters.
const MAX_SYMBOL: usize = 16;

/// The most decimals that make sense: 10^77 is the largest power of ten below 2^256.
const MAX_DECIMALS: u8 = 77;

/// Symbol and decimals of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TokenInfo {
    /// A token of our own list: nothing was read from its contract.
    Listed { symbol: &'static str, decimals: u8 },
    /// What the contract says. Anybody can write a contract that calls itself anything.
    Claimed { symbol: String, decimals: u8 },
    /// It does not say, or not in the form of ERC-20.
    Silent,
}

impl TokenInfo {
    /// Asks the contract, unless the token is listed.
    pub(crate) async fn read(
        node: &dyn EvmNode,
        chain: &str,
        token: EvmAddress,
        block: u64,
    ) -> Result<Self, ActionError> {
        if let Some(coin) = stablecoin(chain, &token.to_lower_hex()) {
            return Ok(Self::Listed {
                symbol: coin.symbol,
                decimals: coin.decimals,
            });
        }
        let (symbol, decimals) = tokio::join!(
            call(
                node,
                token,
                "function symbol() view returns (string)",
                block
            ),
            call(
                node,
                token,
                "function decimals() view returns (uint8)",
                block
            ),
        );
        let symbol = symbol?.and_then(|output| text(&output));
        let decimals = decimals?.and_then(|output| small_number(&output));
        Ok(match (symbol, decimals) {
            (Some(symbol), Some(decimals)) => Self::Claimed { symbol, decimals },
            _ => Self::Silent,
        })
    }

    /// An amount as a summary says it: in whole units where they are known, and always in base units.
    pub(crate) fn describe(&self, amount: Amount, token: EvmAddress) -> String {
        match self {
            Self::Listed { symbol, decimals } => {
                format!(
                    "{} {symbol} ({amount} base units of {token})",
                    amount.in_units(*decimals)
                )
            }
            Self::Claimed { symbol, decimals } => format!(
                "{} of the token that calls itself {} ({amount} base units of {token}, {decimals} decimals by \
                 its own word)",
                amount.in_units(*decimals),
                quoted(symbol, MAX_SYMBOL)
            ),
            Self::Silent => format!(
                "{amount} base units of {token} (the token does not tell its symbol and decimals, so the amount \
                 in whole units is not known)"
            ),
        }
    }
}

/// Refuses an address without code: a call there succeeds and does nothing. Nodes that cannot tell are
/// believed; the simulation still has to succeed.
pub(crate) async fn require_contract(
    node: &dyn EvmNode,
    field: &str,
    address: EvmAddress,
    block: u64,
) -> Result<(), ActionError> {
    match node.code(address.to_alloy(), block).await {
        Ok(code) if code.is_empty() => Err(ActionError::invalid(
            field,
            format!(
                "there is no contract at {address} on this chain: a call there would do nothing"
            ),
        )),
        Ok(_) | Err(NodeError::Unsupported { .. }) => Ok(()),
        Err(error) => Err(common::node(error)),
    }
}

/// The output of a call without arguments; `None` when the contract refuses it.
async fn call(
    node: &dyn EvmNode,
    token: EvmAddress,
    function: &str,
    block: u64,
) -> Result<Option<Bytes>, ActionError> {
    let function = FunctionAbi::parse_text(function).map_err(common::invalid_abi)?;
    let data = function.encode_call(&[]).map_err(common::invalid_abi)?;
    let request = CallRequest {
        from: None,
        to: token.to_alloy(),
        data: data.to_alloy(),
        value: alloy::primitives::U256::ZERO,
    };
    match node.call(&request, block).await.map_err(common::node)? {
        CallOutcome::Success { output } => Ok(Some(output)),
        CallOutcome::Revert { .. } | CallOutcome::Failed { .. } => Ok(None),
    }
}

/// A string, or text in the `bytes32` that some early tokens return.
fn text(output: &[u8]) -> Option<String> {
    if let Ok(word) = <&[u8; 32]>::try_from(output) {
        let end = word
            .iter()
            .position(|byte| *byte == 0)
            .unwrap_or(word.len());
        let text = std::str::from_utf8(word.get(..end)?).ok()?;
        return (!text.is_empty()).then(|| text.to_owned());
    }
    match decoded("function symbol() view returns (string)", output)? {
        Value::String(text) if !text.trim().is_empty() => Some(text),
        _ => None,
    }
}

fn small_number(output: &[u8]) -> Option<u8> {
    let number = decoded("function decimals() view returns (uint8)", output)?;
    number
        .as_str()?
        .parse()
        .ok()
        .filter(|decimals| *decimals <= MAX_DECIMALS)
}

fn decoded(function: &str, output: &[u8]) -> Option<Value> {
    FunctionAbi::parse_text(function)
        .ok()?
        .decode_output(output)
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_come_as_string_or_as_bytes32() {
        let mut word = [0; 32];
        word[..3].copy_from_slice(b"MKR");
        assert_eq!(text(&word).as_deref(), Some("MKR"));
        assert_eq!(text(&[0; 32]), None);
        assert_eq!(text(&[]), None);
        assert_eq!(text(&[0xff; 96]), None);
    }

    #[test]
    fn decimals_beyond_reason_are_no_decimals() {
        let mut word = [0; 32];
        word[31] = 18;
        assert_eq!(small_number(&word), Some(18));
        word[31] = 78;
        assert_eq!(small_number(&word), None);
        word[30] = 1;
        assert_eq!(small_number(&word), None);
        assert_eq!(small_number(&[]), None);
    }

    #[test]
    fn a_claimed_symbol_is_marked_and_cannot_break_the_sentence() {
        let token: EvmAddress = "0x000000000000000000000000000000000000dEaD"
            .parse()
            .unwrap();
        let info = TokenInfo::Claimed {
            symbol: "USDC\" to 0x1\n and everything else".to_owned(),
            decimals: 6,
        };
        let sentence = info.describe(Amount::from(1_500_000_u64), token);
        assert_eq!(
            sentence,
            "1.5 of the token that calls itself \"USDC\\u{22} to 0x1\\u{a} an…\" (1500000 base units of \
             0x000000000000000000000000000000000000dEaD, 6 decimals by its own word)"
        );
    }
}
