//! Taking one step: compute the next version, write it with its receipt, keep the log up to date.

use oda_receipts::{Receipt, ReceiptDraft};

use super::Engine;
use crate::UsdMicros;
use crate::crash_point::{around_commit, crash_point};
use crate::error::EngineError;
use crate::record::{Progress, StoredIntent};
use crate::state::{Event, ExecutionState};
use crate::store::{Commit, CommitOutcome, DaySpend};

/// An intent after a step, with what the step left behind.
pub(super) struct Stepped {
    pub(super) intent: StoredIntent,
    pub(super) receipt: Option<Receipt>,
    pub(super) log_behind: Option<String>,
}

/// Why a step was not taken. Nothing was written.
pub(super) enum NotTaken {
    Error(EngineError),
    /// The day's cap is full.
    CapExceeded(DaySpend),
}

impl From<EngineError> for NotTaken {
    fn from(error: EngineError) -> Self {
        Self::Error(error)
    }
}

impl Engine {
    /// Takes the step `event` with `change` applied to the progress.
    pub(super) async fn step(
        &self,
        intent: &StoredIntent,
        event: Event,
        receipt: Option<ReceiptDraft>,
        change: impl FnOnce(&mut Progress),
    ) -> Result<Stepped, EngineError> {
        self.step_under_cap(intent, event, receipt, None, change)
            .await
            .map_err(|not_taken| {
                match not_taken {
                    NotTaken::Error(error) => error,
                    // Without a cap no hold can be too large.
                    NotTaken::CapExceeded(_) => stale(intent, intent.progress.state),
                }
            })
    }

    /// The same, where a newly taken hold must fit under a cap.
    pub(super) async fn step_under_cap(
        &self,
        intent: &StoredIntent,
        event: Event,
        receipt: Option<ReceiptDraft>,
        cap: Option<UsdMicros>,
        change: impl FnOnce(&mut Progress),
    ) -> Result<Stepped, NotTaken> {
        let state =
            intent
                .progress
                .state
                .next(event)
                .map_err(|source| EngineError::IllegalStep {
                    id: intent.id().clone(),
                    source,
                })?;
        self.write(intent, Some(event), receipt, cap, |progress| {
            progress.state = state;
            change(progress);
        })
        .await
    }

    /// Writes a change that is not a step, such as a person's yes.
    pub(super) async fn annotate(
        &self,
        intent: &StoredIntent,
        receipt: Option<ReceiptDraft>,
        change: impl FnOnce(&mut Progress),
    ) -> Result<Stepped, EngineError> {
        self.write(intent, None, receipt, None, change)
            .await
            .map_err(|not_taken| match not_taken {
                NotTaken::Error(error) => error,
                NotTaken::CapExceeded(_) => stale(intent, intent.progress.state),
            })
    }

    async fn write(
        &self,
        intent: &StoredIntent,
        event: Option<Event>,
        receipt: Option<ReceiptDraft>,
        cap: Option<UsdMicros>,
        change: impl FnOnce(&mut Progress),
    ) -> Result<Stepped, NotTaken> {
        let mut progress = intent.progress.clone();
        progress.updated_at = self.now();
        change(&mut progress);
        let next = intent
            .advanced(progress, &self.secret)
            .map_err(EngineError::from)?;
        let commit = Commit {
            next: &next,
            receipt,
            cap,
        };
        let (before, after) = around_commit(event);
        crash_point(before);
        match self.store.commit(commit).await.map_err(EngineError::from)? {
            CommitOutcome::Committed { receipt } => {
                crash_point(after);
                let log_behind = if receipt.is_some() {
                    self.follow_log().await
                } else {
                    None
                };
                Ok(Stepped {
                    intent: next,
                    receipt,
                    log_behind,
                })
            }
            CommitOutcome::Stale { state, .. } => Err(stale(intent, state).into()),
            CommitOutcome::CapExceeded { spent } => Err(NotTaken::CapExceeded(spent)),
        }
    }
}

/// Another process was first. What it made of the intent decides what to tell.
pub(super) fn stale(intent: &StoredIntent, state: ExecutionState) -> EngineError {
    let id = intent.id().clone();
    match state {
        ExecutionState::Expired => EngineError::Expired {
            id,
            expires_at: intent.record.intent.expires_at.clone(),
        },
        ExecutionState::Uncertain => EngineError::OutcomeOpen { id },
        ExecutionState::Submitted
        | ExecutionState::Confirmed
        | ExecutionState::Reverted
        | ExecutionState::Failed
        | ExecutionState::Dead => EngineError::AlreadyExecuted { id, state },
        ExecutionState::Prepared
        | ExecutionState::Refused
        | ExecutionState::Claimed
        | ExecutionState::Signed
        | ExecutionState::Submitting => EngineError::InProgress { id, state },
    }
}
