//! A person's yes or no.

use oda_receipts::{Approval, Status};

use super::Engine;
use super::receipts::{Telling, denial};
use crate::PolicyOutcome;
use crate::approver::Decision;
use crate::error::EngineError;
use crate::intent::IntentId;
use crate::record::StoredIntent;
use crate::state::ExecutionState;

impl Engine {
    /// Records a person's decision about a prepared intent.
    ///
    /// A yes is kept with the intent, under its seal, and is what `human_approval` asks for. A no is
    /// recorded as a refusal and leaves the intent alive until it expires; it also takes back an earlier
    /// yes.
    ///
    /// # Errors
    ///
    /// When the intent is unknown, was edited, is not prepared any more, or its time is over.
    pub async fn decide(
        &self,
        id: &IntentId,
        decision: &Decision,
    ) -> Result<StoredIntent, EngineError> {
        let intent = self.intent(id).await?;
        self.ensure_prepared(&intent).await?;
        self.record_decision(&intent, decision).await
    }

    pub(super) async fn record_decision(
        &self,
        intent: &StoredIntent,
        decision: &Decision,
    ) -> Result<StoredIntent, EngineError> {
        let now = self.now();
        let stepped = match decision {
            Decision::Approved => {
                self.annotate(intent, None, |progress| progress.approved_at = Some(now))
                    .await?
            }
            Decision::Denied { reason } => {
                let record = &intent.record;
                let draft = self.draft(
                    record,
                    Telling {
                        status: Status::Refused,
                        approval: Approval::None,
                        policy: PolicyOutcome {
                            ok: false,
                            refusals: vec![denial(reason)],
                        },
                        policy_digest: self.policy_digest,
                        simulation: record.intent.simulation.as_ref(),
                        transaction: None,
                    },
                )?;
                self.annotate(intent, Some(draft), |progress| {
                    progress.approved_at = None;
                    progress.note = Some(format!("denied by a person: {reason}"));
                })
                .await?
            }
        };
        Ok(stepped.intent)
    }

    /// Passes only an intent that can still be executed; expires it when its time is over.
    pub(super) async fn ensure_prepared(&self, intent: &StoredIntent) -> Result<(), EngineError> {
        let id = intent.id().clone();
        match intent.progress.state {
            ExecutionState::Prepared => self.expire_if_due(intent).await,
            ExecutionState::Refused => {
                self.expire_if_due(intent).await?;
                Err(EngineError::Refused {
                    id,
                    refusals: self.refusals_of(intent).await?,
                })
            }
            ExecutionState::Expired => Err(EngineError::Expired {
                id,
                expires_at: intent.record.intent.expires_at.clone(),
            }),
            ExecutionState::Uncertain => Err(EngineError::OutcomeOpen { id }),
            state @ (ExecutionState::Claimed
            | ExecutionState::Signed
            | ExecutionState::Submitting) => Err(EngineError::InProgress { id, state }),
            state @ (ExecutionState::Submitted
            | ExecutionState::Confirmed
            | ExecutionState::Reverted
            | ExecutionState::Failed
            | ExecutionState::Dead) => Err(EngineError::AlreadyExecuted { id, state }),
        }
    }

    /// Why an intent is refused: at prepare the record says so, at execute the last receipt does.
    async fn refusals_of(&self, intent: &StoredIntent) -> Result<Vec<crate::Refusal>, EngineError> {
        let at_prepare = &intent.record.intent.policy;
        if !at_prepare.ok {
            return Ok(at_prepare.refusals.clone());
        }
        let receipts = self.store.receipts_of(intent.id()).await?;
        Ok(receipts
            .iter()
            .rev()
            .find(|receipt| receipt.draft().status == Status::Refused)
            .map(|receipt| receipt.draft().policy.refusals.clone())
            .unwrap_or_default())
    }
}
