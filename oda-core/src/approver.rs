//! Asking a person.

use async_trait::async_trait;

use crate::record::PreparedIntent;

/// Asks a person whether a prepared intent may be executed.
///
/// Consulted when the policy says `human_approval` and no approval is stored with the intent. Only a clear
/// yes is a yes: a timeout, a closed terminal or an unreadable answer is a no.
#[async_trait]
pub trait Approver: Send + Sync {
    /// Shows the intent and returns the answer.
    async fn ask(&self, intent: &PreparedIntent) -> Decision;
}

/// A person's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Yes.
    Approved,
    /// No. It is recorded as a refusal and leaves the intent alive until it expires.
    Denied {
        /// Why, as far as the person said.
        reason: String,
    },
}
