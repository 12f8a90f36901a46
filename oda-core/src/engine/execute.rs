//! Execute: claim, recheck, sign, send. Takes the id and nothing else.

use oda_receipts::{Approval, Status};
use serde_json::Value;

use super::judge::{Case, Judgement};
use super::receipts::{Telling, day_cap_refusal, seconds_between};
use super::steps::{NotTaken, Stepped, stale};
use super::{CLAIM_LEASE_MS, Engine, Execution};
use crate::approver::Decision;
use crate::error::EngineError;
use crate::intent::IntentId;
use crate::kind::{Door, ErasedKind};
use crate::record::{Hold, HoldStatus, IntegrityError, StoredIntent};
use crate::request::ExecuteRequest;
use crate::state::{Event, ExecutionState};
use crate::store::DaySpend;
use crate::{PolicyOutcome, Refusal, UsdMicros};

impl Engine {
    /// Executes a request, `{ "intent_id": "si_…" }` and no other key.
    ///
    /// # Errors
    ///
    /// As [`Engine::execute`], and [`EngineError::Request`] for anything but that one key.
    pub async fn execute_request(&self, request: &Value) -> Result<Execution, EngineError> {
        self.execute(&ExecuteRequest::parse(request)?.intent_id)
            .await
    }

    /// Executes a prepared intent, at most once.
    ///
    /// The checks stand in this order: the id is known; nothing stored was edited; it was not executed; its
    /// time is not over; no rule refused it; somebody can sign its kind; a person approved it where the
    /// policy asks for one. Then the intent is claimed together with its share of the day's cap, simulated
    /// and judged again under today's policy, signed, made durable, and only then sent.
    ///
    /// An answer of the chain that is not certain is no error: the execution is
    /// [`ExecutionState::Uncertain`], and [`Engine::reconcile`] settles it.
    ///
    /// # Errors
    ///
    /// [`EngineError`]; its documentation says for each case whether the intent stays executable.
    pub async fn execute(&self, id: &IntentId) -> Result<Execution, EngineError> {
        let intent = self.intent(id).await?;
        self.ensure_prepared(&intent).await?;
        self.ensure_not_replayed(&intent).await?;
        let kind = self.kind_of(&intent.record.intent.unsigned)?;
        ensure_door(kind, &intent.record.intent.unsigned)?;
        self.sync_log().await?;
        let intent = self.ensure_approved(intent).await?;
        let claimed = self.claim(&intent).await?;
        let rechecked = self.recheck(kind, claimed).await?;
        match kind.door() {
            Door::SignAndSend => self.sign_and_send(kind, rechecked).await,
            _ => self.sign_then_submit(kind, rechecked).await,
        }
    }

    /// Writes the one `expired` receipt of an intent whose time is over. Inclusive: at exactly the stated
    /// instant it is over.
    pub(super) async fn expire_if_due(&self, intent: &StoredIntent) -> Result<(), EngineError> {
        let record = &intent.record;
        if self.now() < record.expires_at {
            return Ok(());
        }
        let draft = self.draft(
            record,
            Telling {
                status: Status::Expired,
                approval: Approval::None,
                policy: record.intent.policy.clone(),
                policy_digest: self.policy_digest,
                simulation: record.intent.simulation.as_ref(),
                transaction: None,
            },
        )?;
        self.step(intent, Event::Expire, Some(draft), |_| {})
            .await?;
        Err(EngineError::Expired {
            id: intent.id().clone(),
            expires_at: record.intent.expires_at.clone(),
        })
    }

    /// A row that says `prepared` although the receipts tell of an execution was put back from a copy.
    async fn ensure_not_replayed(&self, intent: &StoredIntent) -> Result<(), EngineError> {
        let receipts = self.store.receipts_of(intent.id()).await?;
        let told = receipts
            .iter()
            .map(|receipt| receipt.draft().status)
            .find(|status| matches!(status, Status::Executed | Status::Failed | Status::Expired));
        let Some(status) = told else { return Ok(()) };
        // Row and receipts are two reads: another process may have executed it between them, and then the
        // row says so by now.
        let row = self.intent(intent.id()).await?;
        if row.progress.version != intent.progress.version {
            return Err(stale(intent, row.progress.state));
        }
        Err(EngineError::Integrity {
            id: intent.id().clone(),
            source: IntegrityError::Replayed {
                status: status.as_str().to_owned(),
                state: intent.progress.state,
            },
        })
    }

    async fn ensure_approved(&self, intent: StoredIntent) -> Result<StoredIntent, EngineError> {
        if !self.policy.human_approval || intent.progress.approved_at.is_some() {
            return Ok(intent);
        }
        let Some(approver) = &self.approver else {
            return Err(EngineError::ApprovalRequired {
                id: intent.id().clone(),
            });
        };
        let decision = approver.0.ask(&intent.record.intent).await;
        // The person may have taken longer than the intent lives.
        self.expire_if_due(&intent).await?;
        let decided = self.record_decision(&intent, &decision).await?;
        match decision {
            Decision::Approved => Ok(decided),
            Decision::Denied { reason } => Err(EngineError::ApprovalDenied {
                id: intent.id().clone(),
                reason,
            }),
        }
    }

    async fn claim(&self, intent: &StoredIntent) -> Result<StoredIntent, EngineError> {
        let now = self.now();
        let usd = match intent.record.params.usd_value {
            Some(value) => UsdMicros::spend_from_f64(value),
            None => None,
        };
        let hold = Hold {
            day: now.day(),
            usd,
            status: HoldStatus::Reserved,
        };
        let cap = self
            .policy
            .max_usd_per_day
            .and_then(UsdMicros::cap_from_f64);
        let claimed = self
            .step_under_cap(intent, Event::Claim, None, cap, |progress| {
                progress.lease_until = Some(now.plus_millis(CLAIM_LEASE_MS));
                progress.hold = Some(hold);
                progress.policy_digest = Some(self.policy_digest);
            })
            .await;
        match claimed {
            Ok(stepped) => Ok(stepped.intent),
            Err(NotTaken::Error(error)) => Err(error),
            Err(NotTaken::CapExceeded(spent)) => self.refuse_full_cap(intent, spent).await,
        }
    }

    async fn refuse_full_cap(
        &self,
        intent: &StoredIntent,
        spent: DaySpend,
    ) -> Result<StoredIntent, EngineError> {
        let usd = intent
            .record
            .params
            .usd_value
            .and_then(UsdMicros::spend_from_f64);
        let observed = spent
            .total()
            .zip(usd)
            .and_then(|(spent, usd)| spent.checked_add(usd))
            .map_or_else(
                || "unknown".to_owned(),
                |sum| crate::number_text(sum.to_f64()),
            );
        let cap = self.policy.max_usd_per_day.unwrap_or_default();
        let outcome = PolicyOutcome {
            ok: false,
            refusals: vec![day_cap_refusal(cap, &observed)],
        };
        let simulation = intent.record.intent.simulation.clone();
        Err(self.refuse(intent, outcome, simulation).await)
    }

    /// Simulates and judges again. The verdict is today's; what was prepared under another policy, or at
    /// another state of the chain, does not bind it.
    async fn recheck(
        &self,
        kind: &dyn ErasedKind,
        claimed: StoredIntent,
    ) -> Result<StoredIntent, EngineError> {
        let judged = self.judge_claimed(kind, &claimed).await;
        let judgement = match judged {
            Ok(judgement) => judgement,
            Err(error) => return Err(self.release(&claimed, error).await),
        };
        if let Some(source) = judgement.unanswered {
            return Err(self.release(&claimed, EngineError::Chain { source }).await);
        }
        if !judgement.outcome.ok {
            return Err(self
                .refuse(&claimed, judgement.outcome, judgement.simulation)
                .await);
        }
        let mut rechecked = claimed;
        rechecked.progress.simulation = judgement.simulation;
        Ok(rechecked)
    }

    async fn judge_claimed(
        &self,
        kind: &dyn ErasedKind,
        claimed: &StoredIntent,
    ) -> Result<Judgement, EngineError> {
        let record = &claimed.record;
        let unsigned = &record.intent.unsigned;
        let inspected = kind.inspect(unsigned)?;
        let spent_today = self.spent_by_others(claimed).await?;
        self.judge(
            kind,
            &Case {
                action: &record.intent.action,
                unsigned,
                inspected: &inspected,
                facts: &record.facts,
                spent_today,
                ttl_s: seconds_between(record.prepared_at, record.expires_at),
            },
        )
        .await
    }

    /// What the day holds without this intent's own reservation.
    async fn spent_by_others(&self, claimed: &StoredIntent) -> Result<Option<f64>, EngineError> {
        let Some(hold) = claimed.progress.hold else {
            return Ok(None);
        };
        let mut spent = self.store.spent(hold.day).await?;
        match hold.usd {
            Some(usd) => spent.reserved = spent.reserved.saturating_sub(usd),
            None => spent.unknown = spent.unknown.saturating_sub(1),
        }
        Ok(spent.total().map(UsdMicros::to_f64))
    }

    /// Gives a claimed intent back because the world did not answer; returns the error to report.
    pub(super) async fn release(&self, claimed: &StoredIntent, error: EngineError) -> EngineError {
        let note = error.to_string();
        let released = self
            .step(claimed, Event::Release, None, |progress| {
                progress.lease_until = None;
                progress.hold = None;
                progress.sequence = None;
                progress.note = Some(note);
            })
            .await;
        match released {
            Ok(_) => error,
            Err(failure) => failure,
        }
    }

    /// Records a refusal at execute; returns the error to report.
    async fn refuse(
        &self,
        intent: &StoredIntent,
        outcome: PolicyOutcome,
        simulation: Option<crate::Simulation>,
    ) -> EngineError {
        match self.record_refusal(intent, outcome, simulation).await {
            Ok(refusals) => EngineError::Refused {
                id: intent.id().clone(),
                refusals,
            },
            Err(error) => error,
        }
    }

    async fn record_refusal(
        &self,
        intent: &StoredIntent,
        outcome: PolicyOutcome,
        simulation: Option<crate::Simulation>,
    ) -> Result<Vec<Refusal>, EngineError> {
        let record = &intent.record;
        let refusals = outcome.refusals.clone();
        let draft = self.draft(
            record,
            Telling {
                status: Status::Refused,
                approval: Approval::None,
                policy: outcome,
                policy_digest: self.policy_digest,
                simulation: simulation.as_ref(),
                transaction: None,
            },
        )?;
        self.step(intent, Event::Refuse, Some(draft), |progress| {
            progress.lease_until = None;
            progress.hold = None;
            progress.simulation = simulation;
        })
        .await?;
        Ok(refusals)
    }
}

/// Checks that somebody can sign and send this kind, before anything is claimed.
fn ensure_door(kind: &dyn ErasedKind, unsigned: &Value) -> Result<(), EngineError> {
    let name = || {
        unsigned
            .get("kind")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    match kind.door() {
        Door::SignThenSubmit | Door::SignAndSend => Ok(()),
        Door::NoSigner => Err(EngineError::NoSigner { kind: name() }),
        Door::NoSubmitter => Err(EngineError::MissingCapability {
            kind: name(),
            capability: "submit",
        }),
    }
}

/// How an execution looks from outside.
pub(super) fn execution(stepped: Stepped) -> Execution {
    let Stepped {
        intent,
        receipt,
        log_behind,
    } = stepped;
    Execution {
        intent_id: intent.id().clone(),
        state: intent.progress.state,
        transaction: intent
            .progress
            .artifact
            .as_ref()
            .map(|artifact| artifact.id.clone()),
        block: intent.progress.block.clone(),
        receipt,
        note: if intent.progress.state == ExecutionState::Submitted {
            None
        } else {
            intent.progress.note.clone()
        },
        log_behind,
    }
}
