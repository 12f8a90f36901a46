//! A signed payload: the bytes that may be sent, and the condition under which they never can be again.

use serde::{Deserialize, Serialize};

/// What a signer returns. It has not been sent.
#[derive(Clone, PartialEq, Eq)]
pub struct Signed {
    /// The id by which the chain will know it, computed locally: a transaction hash or a signature.
    pub id: String,
    /// The exact bytes to send.
    pub bytes: Vec<u8>,
    /// When these bytes can no longer have an effect.
    pub death: Death,
}

impl std::fmt::Debug for Signed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signed")
            .field("id", &self.id)
            .field("bytes", &format_args!("<{} bytes>", self.bytes.len()))
            .field("death", &self.death)
            .finish()
    }
}

/// A signed payload as the store keeps it, durable before the first byte is sent.
///
/// Whoever holds the bytes can send them, so they never appear in `Debug`, logs or receipts.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    /// The chain's id of it.
    pub id: String,
    /// The account that signed, in the chain's canonical form.
    pub sender: String,
    /// The signed bytes, lower-case hex without prefix. `None` once they must never be sent again, or when
    /// a remote wallet signed and sent in one call.
    pub bytes: Option<String>,
    /// When they can no longer have an effect.
    pub death: Death,
}

impl std::fmt::Debug for Artifact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Artifact")
            .field("id", &self.id)
            .field("sender", &self.sender)
            .field(
                "bytes",
                &self
                    .bytes
                    .as_ref()
                    .map(|hex| format!("<{} bytes>", hex.len() / 2)),
            )
            .field("death", &self.death)
            .finish()
    }
}

/// The condition after which signed bytes are provably without effect. Until it is seen to hold, no other
/// bytes may be signed for the same intent, and what was reserved stays reserved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "when", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Death {
    /// The account's sequence number was consumed by another transaction, at a final block (EVM nonce).
    SequenceConsumed {
        /// Which account on which chain.
        lane: String,
        /// The number these bytes occupy.
        number: u64,
    },
    /// A final block lies above this height and the signature was not found (Solana blockhash).
    BlockHeightPassed {
        /// The last height at which they are valid.
        height: u64,
    },
    /// The time passed at a final block and the authorisation is unused (EIP-3009).
    TimePassed {
        /// Seconds since the epoch.
        unix_seconds: u64,
    },
    /// No condition is known: a remote wallet sent it and did not say under which terms. Only a person can
    /// settle it.
    Unknown,
}

/// A number reserved in an account's sequence (an EVM nonce).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sequence {
    /// Which account on which chain, such as `evm:84532:0xabc…`.
    pub lane: String,
    /// The reserved number.
    pub number: u64,
}
