//! Everything that can go wrong at the engine's door.

use oda_canon::CanonError;

use crate::Refusal;
use crate::action::ActionError;
use crate::chain_access::{ChainError, SignerError};
use crate::intent::{IntentId, NonceError};
use crate::payload::PayloadError;
use crate::record::IntegrityError;
use crate::request::RequestError;
use crate::state::{ExecutionState, IllegalStep};
use crate::store::StoreError;

/// Why the engine did not do what it was asked. A refused `prepare` is not an error: it is a prepared
/// intent whose verdict says no.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// There is no such action.
    #[error("there is no action `{action}`{}", nearest.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
    UnknownAction {
        /// What was asked for.
        action: String,
        /// The nearest known one.
        nearest: Option<String>,
    },
    /// A query was prepared, or an action with an effect was asked to answer.
    #[error("`{action}` {is}: use `{instead}`")]
    WrongCall {
        /// The action.
        action: String,
        /// What it is.
        is: &'static str,
        /// Which call fits.
        instead: &'static str,
    },
    /// The input does not fit the action.
    #[error("`{action}`: {source}")]
    Action {
        /// The action.
        action: String,
        /// What was wrong.
        source: ActionError,
    },
    /// The payload breaks a rule of its kind.
    #[error(transparent)]
    Payload(#[from] PayloadError),
    /// The payload's kind has no chain plugged in.
    #[error("no chain is plugged in for payloads of the kind `{kind}`")]
    UnknownKind {
        /// The kind.
        kind: String,
    },
    /// The execute request is not one.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// No such intent is stored.
    #[error("no intent {id} is stored here")]
    UnknownIntent {
        /// The id.
        id: IntentId,
    },
    /// The stored intent is not what was written.
    #[error("intent {id}: {source}")]
    Integrity {
        /// The id.
        id: IntentId,
        /// What does not hold.
        source: IntegrityError,
    },
    /// Its time is over.
    #[error("intent {id} expired at {expires_at}: prepare it again")]
    Expired {
        /// The id.
        id: IntentId,
        /// When.
        expires_at: String,
    },
    /// A rule refuses it.
    #[error("intent {id} is refused: {}", .refusals.iter().map(|r| r.message.as_str()).collect::<Vec<_>>().join("; "))]
    Refused {
        /// The id.
        id: IntentId,
        /// Every reason.
        refusals: Vec<Refusal>,
    },
    /// It was executed before, whatever came of it.
    #[error("intent {id} was already executed: it is {state}")]
    AlreadyExecuted {
        /// The id.
        id: IntentId,
        /// Where it stands.
        state: ExecutionState,
    },
    /// Another process is at work on it.
    #[error("intent {id} is being executed by another process (it is {state}): look again later")]
    InProgress {
        /// The id.
        id: IntentId,
        /// Where it stands.
        state: ExecutionState,
    },
    /// It was signed and nobody knows whether the chain has it. Nothing is signed for it again.
    #[error(
        "intent {id} is uncertain: it may be on its way to the chain; recovery finds out, and it must not be prepared again until then"
    )]
    OutcomeOpen {
        /// The id.
        id: IntentId,
    },
    /// The policy asks for a person and none was asked.
    #[error(
        "intent {id} needs a person's approval (`human_approval` in the policy): approve it first"
    )]
    ApprovalRequired {
        /// The id.
        id: IntentId,
    },
    /// A person said no.
    #[error("intent {id} was denied by a person: {reason}")]
    ApprovalDenied {
        /// The id.
        id: IntentId,
        /// What the person said.
        reason: String,
    },
    /// No signer is plugged in.
    #[error(
        "no signer is configured for payloads of the kind `{kind}`: the intent stays executable"
    )]
    NoSigner {
        /// The kind.
        kind: String,
    },
    /// The signer lacks what this kind needs.
    #[error(
        "the signer cannot `{capability}`, which payloads of the kind `{kind}` need: the intent stays executable"
    )]
    MissingCapability {
        /// The kind.
        kind: String,
        /// What is missing.
        capability: &'static str,
    },
    /// The signer refused or failed; the intent is failed for good.
    #[error("intent {id} failed: {source}")]
    Signer {
        /// The id.
        id: IntentId,
        /// Why.
        source: SignerError,
    },
    /// The chain refused the signed bytes for certain; the intent is failed for good.
    #[error("intent {id} failed: the chain refused the transaction: {reason}")]
    SubmitRefused {
        /// The id.
        id: IntentId,
        /// The chain's reason.
        reason: String,
    },
    /// The chain did not answer before anything was signed; the intent stays executable.
    #[error("{source}: nothing was signed, the intent stays executable")]
    Chain {
        /// What happened.
        source: ChainError,
    },
    /// The store failed before anything was signed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store failed after bytes may have been sent. The stored intent says `submitting`, and `recover`
    /// settles it; it must not be prepared again until then.
    #[error(
        "intent {id} may have been sent as {transaction} and that could not be recorded: {source}; run recovery before anything else"
    )]
    Unrecorded {
        /// The id.
        id: IntentId,
        /// The chain's id of what may have been sent.
        transaction: String,
        /// Why it could not be recorded.
        source: StoreError,
    },
    /// The receipts log cannot be written, so nothing may be signed.
    #[error("the receipts log cannot be brought up to date: {reason}; nothing was signed")]
    Log {
        /// Why.
        reason: String,
    },
    /// Something has no canonical form.
    #[error(transparent)]
    Canon(#[from] CanonError),
    /// No randomness.
    #[error(transparent)]
    Nonce(#[from] NonceError),
    /// A step that the state diagram does not draw: a defect of this program.
    #[error("intent {id}: {source}")]
    IllegalStep {
        /// The id.
        id: IntentId,
        /// Which step.
        source: IllegalStep,
    },
}

impl EngineError {
    /// The stable code of this error, as CLI and servers print it.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownAction { .. } => "unknown_action",
            Self::WrongCall { .. } => "wrong_command",
            Self::Action { source, .. } => source.code(),
            Self::Payload(_) => "invalid_payload",
            Self::UnknownKind { .. } => "unknown_kind",
            Self::Request(error) => error.code(),
            Self::UnknownIntent { .. } => "unknown_intent",
            Self::Integrity { .. } => "integrity",
            Self::Expired { .. } => "expired",
            Self::Refused { .. } => "refused",
            Self::AlreadyExecuted { .. } => "already_executed",
            Self::InProgress { .. } => "in_progress",
            Self::OutcomeOpen { .. } => "uncertain",
            Self::ApprovalRequired { .. } => "approval_required",
            Self::ApprovalDenied { .. } => "approval_denied",
            Self::NoSigner { .. } => "no_signer",
            Self::MissingCapability { .. } => "missing_capability",
            Self::Signer { .. } => "signer_error",
            Self::SubmitRefused { .. } => "submit_refused",
            Self::Chain { source } => source.code(),
            Self::Store(error) => error.code(),
            Self::Unrecorded { .. } => "unrecorded",
            Self::Log { .. } => "log",
            Self::Canon(_) => "canonical_form",
            Self::Nonce(_) => "nonce",
            Self::IllegalStep { .. } => "illegal_step",
        }
    }

    /// The refusals, when a rule refused.
    #[must_use]
    pub fn refusals(&self) -> &[Refusal] {
        match self {
            Self::Refused { refusals, .. }
            | Self::Action {
                source: ActionError::Refused { refusals },
                ..
            } => refusals,
            _ => &[],
        }
    }
}
