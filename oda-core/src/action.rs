//! What an agent can call: actions that prepare a payload, and queries that only read.

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::chain_access::ChainError;
use crate::clock::UnixMillis;
use crate::fee::FeeDisclosure;
use crate::payload::Payload;
use crate::{Descriptor, Facts, Policy, Refusal};

/// An action with an effect: it turns an input into an unsigned payload and signs nothing.
///
/// ```
/// # use async_trait::async_trait;
/// use oda_core::{Action, ActionError, BuildContext, Built, Descriptor, Payload};
///
/// # struct Tip<P> { descriptor: Descriptor, payload: P }
/// #[async_trait]
/// impl<P: Payload> Action for Tip<P> {
///     type Input = serde_json::Map<String, serde_json::Value>;
///     type Payload = P;
///
///     fn descriptor(&self) -> &Descriptor {
///         &self.descriptor
///     }
///
///     async fn build(
///         &self,
///         _input: Self::Input,
///         _context: &BuildContext<'_>,
///     ) -> Result<Built<P>, ActionError> {
///         Ok(Built::new(self.payload.clone(), "Tip the author."))
///     }
/// }
/// ```
#[async_trait]
pub trait Action: Send + Sync {
    /// The input, typed. It must refuse unknown keys (`deny_unknown_fields`): an input that is not
    /// understood must not be half obeyed.
    type Input: DeserializeOwned + Send;

    /// The kind of payload that it builds.
    type Payload: Payload;

    /// What the action is, as hosts and agents read it.
    fn descriptor(&self) -> &Descriptor;

    /// Builds the payload. May read from a chain; must not change anything anywhere.
    ///
    /// # Errors
    ///
    /// [`ActionError`]. Nothing is stored and no receipt is written then.
    async fn build(
        &self,
        input: Self::Input,
        context: &BuildContext<'_>,
    ) -> Result<Built<Self::Payload>, ActionError>;
}

/// An action without an effect: it reads, quotes or simulates and returns an answer.
#[async_trait]
pub trait Query: Send + Sync {
    /// The input, typed. It must refuse unknown keys.
    type Input: DeserializeOwned + Send;

    /// What the query is.
    fn descriptor(&self) -> &Descriptor;

    /// Answers it.
    ///
    /// # Errors
    ///
    /// [`ActionError`].
    async fn answer(
        &self,
        input: Self::Input,
        context: &BuildContext<'_>,
    ) -> Result<Value, ActionError>;
}

/// What an action may look at while it builds.
#[derive(Debug, Clone, Copy)]
pub struct BuildContext<'a> {
    /// The policy in force.
    pub policy: &'a Policy,
    /// The present instant.
    pub now: UnixMillis,
}

/// What an action built.
#[derive(Debug, Clone)]
pub struct Built<P> {
    /// The unsigned payload.
    pub payload: P,
    /// What is bound in the digest as `params`; `None` binds the input as it was given.
    pub params: Option<Value>,
    /// What the policy is to judge. The engine fills in the action, the chain, the network, the day's
    /// spend, the simulation and the time to live itself, whatever stands there.
    pub facts: Facts,
    /// One sentence that says what executing this does, in words and units a person can check.
    pub summary: String,
    /// What the venue takes, when there is one.
    pub fee_disclosure: Option<FeeDisclosure>,
}

impl<P> Built<P> {
    /// A payload with its summary, no facts, and no venue.
    pub fn new(payload: P, summary: impl Into<String>) -> Self {
        Self {
            payload,
            params: None,
            facts: Facts::default(),
            summary: summary.into(),
            fee_disclosure: None,
        }
    }
}

/// Why an action built nothing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ActionError {
    /// The input breaks a rule.
    #[error("input `{field}`: {rule}")]
    InvalidInput {
        /// The field, dotted, such as `amount` or `spenders[2]`.
        field: String,
        /// The rule that it breaks.
        rule: String,
    },
    /// The action itself refuses, before any intent exists.
    #[error("refused: {}", .refusals.iter().map(|r| r.message.as_str()).collect::<Vec<_>>().join("; "))]
    Refused {
        /// Every reason.
        refusals: Vec<Refusal>,
    },
    /// The chain, or the node in front of it, did not answer as it should.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// Another service that the action asked did not answer as it should.
    #[error("{source_name}: {reason}")]
    World {
        /// Who was asked, without credentials.
        source_name: String,
        /// What went wrong and what to do.
        reason: String,
    },
}

impl ActionError {
    /// An input error about one field.
    pub fn invalid(field: impl Into<String>, rule: impl Into<String>) -> Self {
        Self::InvalidInput {
            field: field.into(),
            rule: rule.into(),
        }
    }

    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::InvalidInput { .. } => "invalid_input",
            Self::Refused { .. } => "refused",
            Self::Chain(error) => error.code(),
            Self::World { .. } => "unavailable",
        }
    }
}
