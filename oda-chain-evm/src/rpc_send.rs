//! What an error to `eth_sendRawTransaction` says about the bytes.

/// What a refusal of a signed transaction means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SendAnswer {
    /// The node has these very bytes.
    AlreadyKnown,
    /// The node did not take them and has not included them.
    Refused,
    /// They may be on their way, or included.
    Unknown,
}

/// "These bytes are here", in lower case: geth, Erigon, Reth and anvil; Nethermind; Besu; Parity's heirs.
const ALREADY_KNOWN: [&str; 6] = [
    "already known",
    "already imported",
    "alreadyknown",
    "known transaction",
    "transaction already in pool",
    "already in mempool",
];

/// Refusals that hold for the bytes as such, or for an account that cannot pay: the node keeps nothing.
///
/// "Nonce too low" is not here: it may be this very transaction that consumed the nonce. "Underpriced"
/// as a replacement is not here either: the one it would replace may be an earlier copy of it.
const REFUSED: [&str; 26] = [
    "insufficient funds",
    "insufficient balance",
    "insufficientfunds",
    "upfront cost exceeds",
    "invalid sender",
    "invalid signature",
    "invalid chain id",
    "invalid chainid",
    "wrong chain id",
    "incompatible eip-155",
    "only replay-protected",
    "intrinsic gas too low",
    "intrinsic gas exceeds",
    "exceeds block gas limit",
    "gas limit too high",
    "gas limit reached",
    "less than block base fee",
    "max fee per gas less than",
    "maxpriorityfeepergas",
    "tip above fee cap",
    "gas price below minimum",
    "fee too low",
    "tx type not supported",
    "transaction type not supported",
    "oversized data",
    "rlp:",
];

/// Reads an error to `eth_sendRawTransaction`. What is not recognised is unknown, never refused.
pub(crate) fn classify(code: i64, message: &str) -> SendAnswer {
    let lower = message.to_lowercase();
    if ALREADY_KNOWN.iter().any(|known| lower.contains(known)) {
        return SendAnswer::AlreadyKnown;
    }
    if lower.contains("nonce too low") || lower.contains("replacement") {
        return SendAnswer::Unknown;
    }
    // The parameters did not parse, or the method does not exist: nothing can have been taken.
    if matches!(code, -32601 | -32602) || REFUSED.iter().any(|known| lower.contains(known)) {
        return SendAnswer::Refused;
    }
    SendAnswer::Unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_the_common_nodes() {
        for (code, message, expected) in [
            (-32000, "already known", SendAnswer::AlreadyKnown),
            (-32000, "AlreadyKnown", SendAnswer::AlreadyKnown),
            (-32000, "Known transaction", SendAnswer::AlreadyKnown),
            (
                -32003,
                "transaction already imported",
                SendAnswer::AlreadyKnown,
            ),
            (
                -32000,
                "nonce too low: next nonce 5, tx nonce 4",
                SendAnswer::Unknown,
            ),
            (-32003, "nonce too low", SendAnswer::Unknown),
            (
                -32000,
                "replacement transaction underpriced",
                SendAnswer::Unknown,
            ),
            (-32000, "txpool is full", SendAnswer::Unknown),
            (-32603, "Internal error", SendAnswer::Unknown),
            (-32005, "rate limit exceeded", SendAnswer::Unknown),
            (-32000, "", SendAnswer::Unknown),
            (
                -32000,
                "insufficient funds for gas * price + value",
                SendAnswer::Refused,
            ),
            (
                -32003,
                "Insufficient funds for gas * price + value",
                SendAnswer::Refused,
            ),
            (
                -32000,
                "intrinsic gas too low: gas 2, minimum needed 21000",
                SendAnswer::Refused,
            ),
            (
                -32000,
                "max fee per gas less than block base fee",
                SendAnswer::Refused,
            ),
            (-32000, "invalid sender", SendAnswer::Refused),
            (-32602, "Invalid params", SendAnswer::Refused),
            (-32601, "Method not found", SendAnswer::Refused),
        ] {
            assert_eq!(classify(code, message), expected, "{message}");
        }
    }
}
