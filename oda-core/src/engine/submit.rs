//! From a claimed intent to signed bytes, and from signed bytes to the chain.

use oda_receipts::{Approval, ReceiptDraft, Status};

use super::execute::execution;
use super::receipts::Telling;
use super::steps::stale;
use super::{Engine, Execution};
use crate::PolicyOutcome;
use crate::artifact::{Artifact, Death, Sequence, Signed};
use crate::chain_access::{ChainError, Sent, SignerError, Submission, TermsRequest};
use crate::crash_point::crash_point;
use crate::error::EngineError;
use crate::kind::{ErasedKind, KindError};
use crate::record::{HoldStatus, Progress, StoredIntent};
use crate::state::Event;

/// Why nothing was signed.
enum NotSigned {
    /// The world did not answer: the intent stays executable.
    World(EngineError),
    /// The signer said no: the intent is failed.
    Signer(SignerError),
}

impl From<KindError> for NotSigned {
    fn from(error: KindError) -> Self {
        Self::World(kind_error(error))
    }
}

impl From<SignerError> for NotSigned {
    fn from(error: SignerError) -> Self {
        Self::Signer(error)
    }
}

impl Engine {
    /// Signs here, makes the bytes durable, and sends them.
    pub(super) async fn sign_then_submit(
        &self,
        kind: &dyn ErasedKind,
        mut claimed: StoredIntent,
    ) -> Result<Execution, EngineError> {
        let artifact = match self.sign(kind, &mut claimed).await {
            Ok(artifact) => artifact,
            Err(NotSigned::World(error)) => return Err(self.release(&claimed, error).await),
            Err(NotSigned::Signer(source)) => return Err(self.fail_signer(&claimed, source).await),
        };
        let signed = self
            .step(&claimed, Event::Sign, None, |progress| {
                progress.artifact = Some(artifact);
                pin(progress);
            })
            .await?
            .intent;
        self.send(kind, &signed).await
    }

    /// Sends the stored bytes of a signed intent.
    pub(super) async fn send(
        &self,
        kind: &dyn ErasedKind,
        signed: &StoredIntent,
    ) -> Result<Execution, EngineError> {
        let submitting = self
            .step(signed, Event::BeginSubmit, None, |_| {})
            .await?
            .intent;
        let Some(artifact) = submitting.progress.artifact.clone() else {
            return Err(stale(&submitting, submitting.progress.state));
        };
        let unsigned = &submitting.record.intent.unsigned;
        crash_point("before-submit");
        let submission = match kind.submit(unsigned, &artifact).await {
            Ok(submission) => submission,
            // Nothing can have left without a submitter, but the state says that it may have.
            Err(error) => Submission::Unknown {
                reason: error.to_string(),
            },
        };
        crash_point("after-submit");
        match submission {
            Submission::Accepted => self.accept(kind, &submitting).await,
            Submission::Refused { reason } => self.fail_submit(kind, &submitting, reason).await,
            Submission::Unknown { reason } => self.lose_track(&submitting, reason).await,
        }
    }

    /// Lets a wallet sign and send in one call.
    pub(super) async fn sign_and_send(
        &self,
        kind: &dyn ErasedKind,
        claimed: StoredIntent,
    ) -> Result<Execution, EngineError> {
        let unsigned = &claimed.record.intent.unsigned;
        let sender = match kind.address(&claimed.record.chain).await {
            Ok(sender) => sender,
            Err(source) => return Err(self.fail_signer(&claimed, source).await),
        };
        let submitting = self
            .step(&claimed, Event::BeginSubmit, None, pin)
            .await?
            .intent;
        let sent = kind.sign_and_send(unsigned, submitting.id()).await;
        match sent {
            Ok(Sent::Accepted { id }) => {
                let mut sent = submitting;
                sent.progress.artifact = Some(Artifact {
                    id,
                    sender,
                    bytes: None,
                    death: Death::Unknown,
                });
                self.accept(kind, &sent).await
            }
            Ok(Sent::Refused { reason }) => self.fail_submit(kind, &submitting, reason).await,
            Ok(Sent::Unknown { reason }) => self.lose_track(&submitting, reason).await,
            Err(error) => self.lose_track(&submitting, error.to_string()).await,
        }
    }

    async fn sign(
        &self,
        kind: &dyn ErasedKind,
        claimed: &mut StoredIntent,
    ) -> Result<Artifact, NotSigned> {
        let unsigned = claimed.record.intent.unsigned.clone();
        let sender = kind.address(&claimed.record.chain).await?;
        let sequence = match kind.lane(&unsigned, &sender).await? {
            None => None,
            Some(lane) => {
                let number = self
                    .store
                    .reserve_sequence(&lane.key, lane.floor, claimed.id())
                    .await
                    .map_err(|error| NotSigned::World(error.into()))?;
                crash_point("after-sequence");
                Some(Sequence {
                    lane: lane.key,
                    number,
                })
            }
        };
        crash_point("before-signing");
        let request = TermsRequest {
            sender: &sender,
            sequence: sequence.as_ref().map(|sequence| sequence.number),
            simulation: claimed.progress.simulation.as_ref(),
        };
        let Signed { id, bytes, death } = kind.sign(&unsigned, &request).await??;
        crash_point("after-signing");
        claimed.progress.sequence = sequence;
        Ok(Artifact {
            id,
            sender,
            bytes: Some(hex::encode(bytes)),
            death,
        })
    }

    /// The chain has it: this is what `executed` means in the receipts.
    pub(super) async fn accept(
        &self,
        kind: &dyn ErasedKind,
        sent: &StoredIntent,
    ) -> Result<Execution, EngineError> {
        let transaction = sent
            .progress
            .artifact
            .as_ref()
            .map(|artifact| artifact.id.clone());
        let draft = self.outcome_draft(kind, sent, Status::Executed)?;
        let accepted = self
            .step(sent, Event::Accept, Some(draft), |progress| {
                progress.lease_until = None;
                progress.note = None;
            })
            .await;
        accepted
            .map(execution)
            .map_err(|error| unrecorded(sent, transaction, error))
    }

    /// Nobody knows. No receipt yet: the five words have none for it.
    pub(super) async fn lose_track(
        &self,
        submitting: &StoredIntent,
        reason: String,
    ) -> Result<Execution, EngineError> {
        let transaction = submitting
            .progress
            .artifact
            .as_ref()
            .map(|artifact| artifact.id.clone());
        let lost = self
            .step(submitting, Event::LoseTrack, None, |progress| {
                progress.lease_until = None;
                progress.note = Some(reason);
            })
            .await;
        lost.map(execution)
            .map_err(|error| unrecorded(submitting, transaction, error))
    }

    async fn fail_submit(
        &self,
        kind: &dyn ErasedKind,
        submitting: &StoredIntent,
        reason: String,
    ) -> Result<Execution, EngineError> {
        let draft = self.outcome_draft(kind, submitting, Status::Failed)?;
        let note = reason.clone();
        self.step(submitting, Event::Fail, Some(draft), |progress| {
            let_go(progress);
            progress.note = Some(note);
        })
        .await?;
        Err(EngineError::SubmitRefused {
            id: submitting.id().clone(),
            reason,
        })
    }

    async fn fail_signer(&self, claimed: &StoredIntent, source: SignerError) -> EngineError {
        match self.record_signer_failure(claimed, &source).await {
            Ok(()) => EngineError::Signer {
                id: claimed.id().clone(),
                source,
            },
            Err(error) => error,
        }
    }

    async fn record_signer_failure(
        &self,
        claimed: &StoredIntent,
        source: &SignerError,
    ) -> Result<(), EngineError> {
        let kind = self.kind_of(&claimed.record.intent.unsigned)?;
        let draft = self.outcome_draft(kind, claimed, Status::Failed)?;
        let note = source.to_string();
        self.step(claimed, Event::Fail, Some(draft), |progress| {
            let_go(progress);
            progress.note = Some(note);
        })
        .await?;
        Ok(())
    }

    /// The receipt of what execution came to: the verdict at execute, the simulation at execute, and who
    /// approved.
    pub(super) fn outcome_draft(
        &self,
        kind: &dyn ErasedKind,
        intent: &StoredIntent,
        status: Status,
    ) -> Result<ReceiptDraft, EngineError> {
        let progress = &intent.progress;
        let transaction = match status {
            Status::Executed => progress.artifact.as_ref(),
            // A failed intent has no transaction on the chain, unless it was seen there.
            _ => progress
                .artifact
                .as_ref()
                .filter(|_| progress.block.is_some()),
        };
        self.draft(
            &intent.record,
            Telling {
                status,
                approval: if progress.approved_at.is_some() {
                    Approval::Human
                } else {
                    Approval::Policy
                },
                policy: PolicyOutcome {
                    ok: true,
                    refusals: Vec::new(),
                },
                policy_digest: progress.policy_digest.unwrap_or(self.policy_digest),
                simulation: progress.simulation.as_ref().or(intent
                    .record
                    .intent
                    .simulation
                    .as_ref()),
                transaction: transaction.map(|artifact| (kind.receipt_id(), artifact.id.as_str())),
            },
        )
    }
}

/// Signed bytes exist: from here on only proof gives the hold back.
fn pin(progress: &mut Progress) {
    if let Some(hold) = &mut progress.hold {
        hold.status = HoldStatus::Pinned;
    }
}

/// Nothing can move any more: the hold and the sequence number are free, and the bytes are forgotten so
/// that they can never be sent by accident.
pub(super) fn let_go(progress: &mut Progress) {
    progress.lease_until = None;
    progress.hold = None;
    progress.sequence = None;
    if let Some(artifact) = &mut progress.artifact {
        artifact.bytes = None;
    }
}

pub(super) fn kind_error(error: KindError) -> EngineError {
    match error {
        KindError::Payload(error) => error.into(),
        KindError::Chain(source) => EngineError::Chain { source },
        KindError::Missing { part, kind } => EngineError::Chain {
            source: ChainError::NoNode {
                chain: kind.to_owned(),
                hint: format!("no {part} is plugged in"),
            },
        },
    }
}

/// After the first byte may have left, a store that fails must not look like nothing happened.
fn unrecorded(
    intent: &StoredIntent,
    transaction: Option<String>,
    error: EngineError,
) -> EngineError {
    match error {
        EngineError::Store(source) => EngineError::Unrecorded {
            id: intent.id().clone(),
            transaction: transaction.unwrap_or_else(|| "unknown".to_owned()),
            source,
        },
        other => other,
    }
}
