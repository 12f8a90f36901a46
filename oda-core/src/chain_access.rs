//! How a chain plugs in: simulate, sign, submit and look up one kind of payload.

use std::fmt;

use async_trait::async_trait;

use crate::artifact::{Artifact, Signed};
use crate::clock::UnixMillis;
use crate::intent::IntentId;
use crate::payload::Payload;
use crate::simulation::Simulation;

/// Tells whether a payload would succeed and what it would change.
///
/// Implementations serve every chain of their payload kind and must check that the node they ask serves
/// the chain that the payload names, before anything else.
#[async_trait]
pub trait Simulator: Send + Sync {
    /// The kind of payload.
    type Payload: Payload;

    /// Simulates at a block of the simulator's choice, which the result names.
    ///
    /// # Errors
    ///
    /// When there is no answer. A payload that would fail is an answer: `ok: false`.
    async fn simulate(
        &self,
        payload: &Self::Payload,
        now: UnixMillis,
    ) -> Result<Simulation, ChainError>;
}

/// Signs. It never sends.
///
/// What the engine has done by then: validated the payload, simulated it afresh, evaluated the policy,
/// asked the approver, claimed the intent. What it does next: makes the result durable, then sends it.
/// What the signer must do itself: refuse a payload that it does not understand completely, refuse terms
/// that raise what leaves the account beyond the payload's own value and a fee it can defend, and never
/// let the key out. The engine does not check that the bytes match the payload; the signer's word is final.
#[async_trait]
pub trait Signer: Send + Sync {
    /// The kind of payload.
    type Payload: Payload;

    /// What kind of signer it is, for people: `local`, `kms`, ….
    fn kind(&self) -> &str;

    /// The address it signs with on a chain, in the chain's canonical text form.
    ///
    /// # Errors
    ///
    /// When it has none there.
    async fn address(&self, chain: &str) -> Result<String, SignerError>;

    /// Signs the payload under these terms.
    ///
    /// # Errors
    ///
    /// When it refuses or fails. The intent is then failed for good: nothing was signed, as far as this
    /// machine knows.
    async fn sign(
        &self,
        payload: &Self::Payload,
        terms: &<Self::Payload as Payload>::Terms,
    ) -> Result<Signed, SignerError>;
}

/// A wallet that signs and sends in one call. Its answer can be "unknown", and then nobody can tell what
/// it did: prefer a [`Signer`].
#[async_trait]
pub trait SendingSigner: Send + Sync {
    /// The kind of payload.
    type Payload: Payload;

    /// What kind of signer it is, for people.
    fn kind(&self) -> &str;

    /// The address it signs with on a chain.
    ///
    /// # Errors
    ///
    /// When it has none there.
    async fn address(&self, chain: &str) -> Result<String, SignerError>;

    /// Signs and sends. `idempotency_key` is the intent's id: the same one is never passed for two
    /// different payloads.
    async fn sign_and_send(&self, payload: &Self::Payload, idempotency_key: &IntentId) -> Sent;
}

/// What a [`SendingSigner`] answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sent {
    /// It was handed to the chain.
    Accepted {
        /// The chain's id of it.
        id: String,
    },
    /// It certainly was not.
    Refused {
        /// Why.
        reason: String,
    },
    /// Nobody knows.
    Unknown {
        /// What happened.
        reason: String,
    },
}

/// Talks to the chain about one kind of payload: fixes the terms, sends signed bytes, looks up what became
/// of them.
#[async_trait]
pub trait Submitter: Send + Sync {
    /// The kind of payload.
    type Payload: Payload;

    /// The sequence that orders the sender's transactions, on chains that have one. The engine reserves a
    /// number in it under the store's lock.
    ///
    /// # Errors
    ///
    /// When the chain does not answer. The intent goes back to `prepared` then.
    async fn lane(&self, payload: &Self::Payload, sender: &str)
    -> Result<Option<Lane>, ChainError>;

    /// Fixes what the payload leaves open: fees, the reserved sequence number, a fresh blockhash.
    ///
    /// # Errors
    ///
    /// When the chain does not answer, or asks for more than the payload kind allows. The intent goes back
    /// to `prepared` then.
    async fn terms(
        &self,
        payload: &Self::Payload,
        request: &TermsRequest<'_>,
    ) -> Result<<Self::Payload as Payload>::Terms, ChainError>;

    /// Sends the signed bytes. May be called again with the same artifact at any time.
    ///
    /// Anything but certainty is [`Submission::Unknown`]: a timeout, a lost reply, a server error, "nonce
    /// too low" (it may be this very transaction that consumed it).
    async fn submit(&self, payload: &Self::Payload, artifact: &Artifact) -> Submission;

    /// What became of the bytes, from the chain's own records.
    ///
    /// # Errors
    ///
    /// When the chain does not answer. That says nothing about the bytes.
    async fn fate(&self, payload: &Self::Payload, artifact: &Artifact) -> Result<Fate, ChainError>;
}

/// An account's sequence and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lane {
    /// The name of the sequence, unique to an account on a chain, such as `evm:84532:0xabc…`.
    pub key: String,
    /// The smallest number that the chain would accept next.
    pub floor: u64,
}

/// What [`Submitter::terms`] is asked for.
#[derive(Debug, Clone, Copy)]
pub struct TermsRequest<'a> {
    /// Who will sign.
    pub sender: &'a str,
    /// The number reserved in the sender's lane.
    pub sequence: Option<u64>,
    /// The simulation that was just made, for its gas.
    pub simulation: Option<&'a Simulation>,
}

/// What a node answered when the bytes were sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Submission {
    /// It has them. Also "already known".
    Accepted,
    /// It certainly did not take them, and nothing else can have.
    Refused {
        /// Its reason.
        reason: String,
    },
    /// No certain answer.
    Unknown {
        /// What happened.
        reason: String,
    },
}

/// What the chain's records say about signed bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// Not seen, and not proven dead: they may still arrive.
    Unseen,
    /// Waiting to be included.
    Pending,
    /// In a block.
    Included {
        /// The block, decimal.
        block: String,
        /// Whether it succeeded there.
        succeeded: bool,
        /// How many blocks stand on it, itself included.
        confirmations: u64,
        /// Why it failed, when it did and the chain tells.
        reason: Option<String>,
    },
    /// Provably without effect, now and for ever.
    Dead {
        /// The proof, in one sentence.
        evidence: String,
    },
}

/// The chain, or the node in front of it, did not answer as it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChainError {
    /// No connection, a timeout, a malformed answer.
    #[error("{node} did not answer: {reason}")]
    Unavailable {
        /// Which node, without credentials.
        node: String,
        /// What happened.
        reason: String,
    },
    /// No node is configured for the chain.
    #[error("no node is configured for {chain}: {hint}")]
    NoNode {
        /// The chain.
        chain: String,
        /// How to configure one.
        hint: String,
    },
    /// The node serves another chain.
    #[error("{node} serves chain id {found}, not {expected} ({chain}): nothing was sent to it")]
    WrongChain {
        /// Which node.
        node: String,
        /// The chain that was asked for.
        chain: String,
        /// Its id.
        expected: String,
        /// The id the node gave.
        found: String,
    },
    /// The terms would break a limit.
    #[error("{limit}: {reason}")]
    Terms {
        /// Which limit.
        limit: String,
        /// How it would be broken.
        reason: String,
    },
}

impl ChainError {
    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unavailable { .. } => "chain_unavailable",
            Self::NoNode { .. } => "no_node",
            Self::WrongChain { .. } => "wrong_chain",
            Self::Terms { .. } => "terms",
        }
    }
}

/// The signer did not sign.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignerError {
    /// It refuses this payload.
    #[error("the signer refused: {reason}")]
    Refused {
        /// Why.
        reason: String,
    },
    /// It could not.
    #[error("the signer failed: {reason}")]
    Failed {
        /// Why, without any secret.
        reason: String,
    },
    /// It has no key for the chain.
    #[error("the signer has no address on {chain}")]
    NoAddress {
        /// The chain.
        chain: String,
    },
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unseen => f.write_str("not seen by the node"),
            Self::Pending => f.write_str("waiting to be included"),
            Self::Included {
                block,
                succeeded: true,
                confirmations,
                ..
            } => {
                write!(f, "in block {block}, {confirmations} confirmation(s)")
            }
            Self::Included { block, reason, .. } => {
                write!(f, "failed in block {block}")?;
                reason
                    .as_ref()
                    .map_or(Ok(()), |reason| write!(f, ": {reason}"))
            }
            Self::Dead { evidence } => write!(f, "dead: {evidence}"),
        }
    }
}
