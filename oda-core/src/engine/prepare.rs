//! Prepare: build, simulate, judge, store. Nothing is signed.

use oda_receipts::{Approval, Status};
use serde_json::Value;

use super::Engine;
use super::judge::{Case, Judgement};
use super::receipts::Telling;
use crate::crash_point::crash_point;
use crate::error::EngineError;
use crate::intent::{IntentId, MacInput};
use crate::payload::SimulationNeed;
use crate::record::{BoundParams, IntentRecord, PreparedIntent, Progress, StoredIntent};
use crate::registry::{BuildError, Entry, ErasedAction, ErasedBuilt};
use crate::state::ExecutionState;

impl Engine {
    /// Prepares an action: builds its payload, simulates it, judges it, stores the intent and its receipt.
    ///
    /// A refusal by the policy is an answer, not an error: `policy.ok` is false, the intent is stored as
    /// refused and its receipt says why.
    ///
    /// # Errors
    ///
    /// When there is no such action, the input or the payload breaks a rule, or the store fails. Nothing is
    /// stored then, and no receipt is written.
    pub async fn prepare(
        &self,
        action: &str,
        input: &Value,
    ) -> Result<PreparedIntent, EngineError> {
        let Entry::Action(action) = self.registry.find(action)? else {
            return Err(EngineError::WrongCall {
                action: action.to_owned(),
                is: "only reads",
                instead: "read",
            });
        };
        let id = action.descriptor().id.to_string();
        let built = self.build(action.as_ref(), &id, input).await?;
        let kind = self.kind(built.kind)?;
        // Read back as it will be read at execute: what does not survive that is refused now.
        kind.inspect(&built.unsigned)?;
        let spent = self.spent_today().await?.total();
        let judgement = self
            .judge(
                kind,
                &Case {
                    action: &id,
                    unsigned: &built.unsigned,
                    inspected: &built.inspected,
                    facts: &built.facts,
                    spent_today: spent.map(crate::UsdMicros::to_f64),
                    ttl_s: f64::from(self.policy.intent_ttl_s),
                },
            )
            .await?;
        self.store_prepared(&id, input, built, judgement).await
    }

    async fn build(
        &self,
        action: &dyn ErasedAction,
        id: &str,
        input: &Value,
    ) -> Result<ErasedBuilt, EngineError> {
        action
            .build(input, &self.build_context())
            .await
            .map_err(|error| match error {
                BuildError::Action(source) => EngineError::Action {
                    action: id.to_owned(),
                    source,
                },
                BuildError::Payload(error) => error.into(),
            })
    }

    async fn store_prepared(
        &self,
        action: &str,
        input: &Value,
        built: ErasedBuilt,
        judgement: Judgement,
    ) -> Result<PreparedIntent, EngineError> {
        let record = self.record(action, input, built, &judgement)?;
        let ok = judgement.outcome.ok;
        let draft = self.draft(
            &record,
            Telling {
                status: if ok {
                    Status::Prepared
                } else {
                    Status::Refused
                },
                approval: Approval::None,
                policy: judgement.outcome,
                policy_digest: self.policy_digest,
                simulation: record.intent.simulation.as_ref(),
                transaction: None,
            },
        )?;
        let progress = first_progress(&record, ok);
        let intent = StoredIntent::seal(record, progress, &self.secret)?;
        crash_point("before-insert");
        self.store.insert(&intent, draft).await?;
        crash_point("after-insert");
        self.follow_log().await;
        Ok(intent.record.intent)
    }

    fn record(
        &self,
        action: &str,
        input: &Value,
        built: ErasedBuilt,
        judgement: &Judgement,
    ) -> Result<IntentRecord, EngineError> {
        let now = self.now();
        let expires_at = now.plus_seconds(u64::from(self.policy.intent_ttl_s));
        // What is not a number has no canonical form; for the rules it is unknown either way.
        let mut facts = built.facts;
        facts.usd_value = facts.usd_value.filter(|value| value.is_finite());
        let params = BoundParams {
            params: built.params.unwrap_or_else(|| input.clone()),
            unsigned: built.unsigned.clone(),
            usd_value: facts.usd_value,
        };
        let params_digest = oda_canon::digest(&params)?;
        let nonce = self.nonces.nonce()?;
        let expires_text = expires_at.to_string();
        let intent_id = IntentId::mint(
            &self.secret,
            &MacInput {
                action,
                params_digest: &params_digest,
                expires_at: &expires_text,
                nonce: nonce.as_str(),
            },
        )?;
        Ok(IntentRecord {
            intent: PreparedIntent {
                intent_id,
                action: action.to_owned(),
                expires_at: expires_text,
                summary: summary(built.summary, built.inspected.simulation),
                policy: judgement.outcome.clone(),
                simulation: judgement.simulation.clone(),
                fee_disclosure: built.fee_disclosure,
                unsigned: built.unsigned,
            },
            params,
            params_digest,
            nonce,
            expires_at,
            prepared_at: now,
            chain: built.inspected.chain,
            facts,
        })
    }
}

/// The draft asks that an intent which is not simulated states why (section 6).
fn summary(summary: String, need: SimulationNeed) -> String {
    match need {
        SimulationNeed::NotApplicable { reason } if !summary.contains(reason) => {
            format!("{summary} {reason}")
        }
        _ => summary,
    }
}

fn first_progress(record: &IntentRecord, ok: bool) -> Progress {
    Progress {
        state: if ok {
            ExecutionState::Prepared
        } else {
            ExecutionState::Refused
        },
        version: 0,
        updated_at: record.prepared_at,
        lease_until: None,
        approved_at: None,
        hold: None,
        sequence: None,
        artifact: None,
        simulation: None,
        policy_digest: None,
        block: None,
        note: None,
    }
}
