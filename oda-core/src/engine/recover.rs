//! Looking after intents whose execution was cut short or whose outcome is open.

use oda_receipts::Status;

use super::execute::execution;
use super::steps::Stepped;
use super::submit::{kind_error, let_go};
use super::{Engine, Execution, RECOVERY_BATCH};
use crate::chain_access::{Fate, Submission};
use crate::crash_point::crash_point;
use crate::error::EngineError;
use crate::intent::IntentId;
use crate::kind::ErasedKind;
use crate::record::{HoldStatus, StoredIntent};
use crate::state::{Event, ExecutionState};

/// The states that recovery looks after.
const OPEN: [ExecutionState; 5] = [
    ExecutionState::Claimed,
    ExecutionState::Signed,
    ExecutionState::Submitting,
    ExecutionState::Uncertain,
    ExecutionState::Submitted,
];

impl Engine {
    /// Looks after every intent whose execution is open: run it at every start.
    ///
    /// Brings the receipts log up to date, then reconciles each open intent. One that cannot be settled now
    /// is left as it is; its result says why.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or the log cannot be written.
    pub async fn recover(
        &self,
    ) -> Result<Vec<(IntentId, Result<Execution, EngineError>)>, EngineError> {
        self.sync_log().await?;
        let mut settled = Vec::new();
        for intent in self.store.list(&OPEN, RECOVERY_BATCH).await? {
            let id = intent.id().clone();
            let result = self.reconcile(&id).await;
            settled.push((id, result));
        }
        Ok(settled)
    }

    /// Finds out what became of one intent and writes it down. Sends the same bytes again when the chain does
    /// not have them; never signs anything.
    ///
    /// # Errors
    ///
    /// [`EngineError::InProgress`] while the process that claimed it is taken to be at work, and when the
    /// chain does not answer. The intent stays as it is then.
    pub async fn reconcile(&self, id: &IntentId) -> Result<Execution, EngineError> {
        let intent = self.intent(id).await?;
        let state = intent.progress.state;
        if OPEN.contains(&state)
            && intent
                .progress
                .lease_until
                .is_some_and(|lease| self.now() < lease)
        {
            return Err(EngineError::InProgress {
                id: id.clone(),
                state,
            });
        }
        let kind = self.kind_of(&intent.record.intent.unsigned)?;
        match state {
            ExecutionState::Claimed => self.abandon(kind, &intent).await,
            ExecutionState::Signed | ExecutionState::Submitting => {
                let reason = format!("the process that executed it ended while it was {state}");
                self.lose_track(&intent, reason).await?;
                self.settle(kind, &self.intent(id).await?).await
            }
            ExecutionState::Uncertain | ExecutionState::Submitted => {
                self.settle(kind, &intent).await
            }
            _ => Ok(execution(Stepped {
                intent,
                receipt: None,
                log_behind: None,
            })),
        }
    }

    /// Nothing was signed, as far as the store knows, and the claim is void: whatever the dead process had in
    /// memory was never sent, because sending needs a durable step first.
    async fn abandon(
        &self,
        kind: &dyn ErasedKind,
        claimed: &StoredIntent,
    ) -> Result<Execution, EngineError> {
        let draft = self.outcome_draft(kind, claimed, Status::Failed)?;
        let stepped = self
            .step(claimed, Event::Fail, Some(draft), |progress| {
                let_go(progress);
                progress.note =
                    Some("the process that claimed it ended before anything was signed".to_owned());
            })
            .await?;
        Ok(execution(stepped))
    }

    async fn settle(
        &self,
        kind: &dyn ErasedKind,
        intent: &StoredIntent,
    ) -> Result<Execution, EngineError> {
        let Some(artifact) = &intent.progress.artifact else {
            return self
                .note(intent, "a wallet signed and sent it in one call and never answered; only a person can tell")
                .await;
        };
        let unsigned = &intent.record.intent.unsigned;
        let fate = kind.fate(unsigned, artifact).await.map_err(kind_error)?;
        crash_point("after-fate");
        match fate {
            Fate::Unseen => self.send_again(kind, intent).await,
            Fate::Pending => self.seen(kind, intent, "waiting to be included").await,
            Fate::Included {
                block,
                succeeded: true,
                ..
            } => {
                self.conclude(kind, intent, Event::Confirm, block, None)
                    .await
            }
            Fate::Included {
                block,
                succeeded: false,
                reason,
                ..
            } => {
                let reason = reason.unwrap_or_else(|| "the chain does not say why".to_owned());
                self.conclude(kind, intent, Event::Revert, block, Some(reason))
                    .await
            }
            Fate::Dead { evidence } => self.bury(kind, intent, evidence).await,
        }
    }

    /// The same bytes once more. Whatever the answer, at most one of them can have an effect.
    async fn send_again(
        &self,
        kind: &dyn ErasedKind,
        intent: &StoredIntent,
    ) -> Result<Execution, EngineError> {
        let Some(artifact) = intent
            .progress
            .artifact
            .as_ref()
            .filter(|a| a.bytes.is_some())
        else {
            return self
                .note(intent, "not seen by the node, and the bytes are not here")
                .await;
        };
        let unsigned = &intent.record.intent.unsigned;
        crash_point("before-submit-again");
        let submission = kind.submit(unsigned, artifact).await.map_err(kind_error)?;
        crash_point("after-submit-again");
        match submission {
            Submission::Accepted => self.seen(kind, intent, "sent again and accepted").await,
            // A refusal now proves nothing: the first sending may have been taken elsewhere.
            Submission::Refused { reason } => {
                self.note(intent, &format!("sent again and refused: {reason}"))
                    .await
            }
            Submission::Unknown { reason } => {
                self.note(
                    intent,
                    &format!("sent again without a certain answer: {reason}"),
                )
                .await
            }
        }
    }

    async fn seen(
        &self,
        kind: &dyn ErasedKind,
        intent: &StoredIntent,
        note: &str,
    ) -> Result<Execution, EngineError> {
        match intent.progress.state {
            ExecutionState::Uncertain => self.accept(kind, intent).await,
            _ => self.note(intent, note).await,
        }
    }

    /// It is in a block. An uncertain one was evidently handed over, and its receipt says so first.
    async fn conclude(
        &self,
        kind: &dyn ErasedKind,
        intent: &StoredIntent,
        event: Event,
        block: String,
        reverted: Option<String>,
    ) -> Result<Execution, EngineError> {
        let mut intent = intent.clone();
        let mut handed_over = None;
        if intent.progress.state == ExecutionState::Uncertain {
            handed_over = self.accept(kind, &intent).await?.receipt;
            intent = self.intent(intent.id()).await?;
        }
        let mut draft = None;
        if reverted.is_some() {
            intent.progress.block = Some(block.clone());
            draft = Some(self.outcome_draft(kind, &intent, Status::Failed)?);
        }
        let stepped = self
            .step(&intent, event, draft, |progress| {
                let succeeded = reverted.is_none();
                progress.block = Some(block);
                progress.note = reverted;
                progress.sequence = None;
                progress.hold = progress.hold.filter(|_| succeeded).map(|mut hold| {
                    hold.status = HoldStatus::Committed;
                    hold
                });
            })
            .await?;
        let mut result = execution(stepped);
        result.receipt = result.receipt.or(handed_over);
        Ok(result)
    }

    async fn bury(
        &self,
        kind: &dyn ErasedKind,
        intent: &StoredIntent,
        evidence: String,
    ) -> Result<Execution, EngineError> {
        let draft = self.outcome_draft(kind, intent, Status::Failed)?;
        let stepped = self
            .step(intent, Event::Bury, Some(draft), |progress| {
                let_go(progress);
                progress.note = Some(evidence);
            })
            .await?;
        Ok(execution(stepped))
    }

    /// Writes down why it still stands where it stands, when that is news.
    async fn note(&self, intent: &StoredIntent, note: &str) -> Result<Execution, EngineError> {
        if intent.progress.note.as_deref() == Some(note) {
            let intent = intent.clone();
            return Ok(execution(Stepped {
                intent,
                receipt: None,
                log_behind: None,
            }));
        }
        let stepped = self
            .annotate(intent, None, |progress| {
                progress.note = Some(note.to_owned());
            })
            .await?;
        Ok(execution(stepped))
    }
}
