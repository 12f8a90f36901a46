//! The engine: prepare, approve, execute, recover.

mod approve;
mod builder;
mod execute;
mod judge;
mod log;
mod prepare;
mod receipts;
mod recover;
mod steps;
mod submit;

use std::collections::BTreeMap;
use std::sync::Arc;

use oda_canon::Digest;
use oda_receipts::Receipt;
use serde_json::Value;

use crate::action::BuildContext;
use crate::approver::Approver;
use crate::clock::{Clock, UnixMillis};
use crate::error::EngineError;
use crate::intent::{IntentId, NonceSource};
use crate::kind::ErasedKind;
use crate::record::StoredIntent;
use crate::registry::{Entry, Registry};
use crate::secret::IntentSecret;
use crate::state::ExecutionState;
use crate::store::{DaySpend, Store};
use crate::{Descriptor, Policy};

pub use builder::{BuildEngineError, EngineBuilder};
pub use log::ReceiptLog;

/// How long a process that claimed an intent is taken to be at work on it, in milliseconds.
///
/// It must outlast the slowest signer and node (each has limits well below a minute). It decides only when
/// another process may look after the intent: safety rests on the version of the stored row, so a process
/// that sleeps through its lease and wakes up can no longer write, and so no longer send.
pub const CLAIM_LEASE_MS: u64 = 120_000;

/// How many intents [`Engine::recover`] looks after in one call. The rest is found by the next one.
pub const RECOVERY_BATCH: usize = 1_000;

/// Prepares actions, executes them by id, and keeps the receipts.
///
/// Cheap to share behind an [`Arc`]: every method takes `&self`, and several engines in several processes
/// may work on one store. See the crate documentation for a runnable example.
#[derive(Debug)]
pub struct Engine {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    nonces: Arc<dyn NonceSource>,
    secret: IntentSecret,
    policy: Policy,
    policy_digest: Digest,
    approver: Option<DebugApprover>,
    registry: Registry,
    kinds: BTreeMap<&'static str, Box<dyn ErasedKind>>,
    log: Option<Arc<dyn ReceiptLog>>,
}

struct DebugApprover(Arc<dyn Approver>);

impl std::fmt::Debug for DebugApprover {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Approver")
    }
}

/// Where an intent stands after a call of the engine.
#[derive(Debug, Clone, PartialEq)]
pub struct Execution {
    /// The intent.
    pub intent_id: IntentId,
    /// Where it stands. `Submitted` means that the chain accepted it; `Uncertain` that nobody knows.
    pub state: ExecutionState,
    /// The chain's id of what was signed: a transaction hash or a signature.
    pub transaction: Option<String>,
    /// The block in which it was seen, decimal.
    pub block: Option<String>,
    /// The receipt of the last step, when that step has one.
    pub receipt: Option<Receipt>,
    /// Why it stands there, when that needs words.
    pub note: Option<String>,
    /// Set when the step is safe in the store but the receipts log could not be brought up to date. The
    /// log catches up with the next call that can write it.
    pub log_behind: Option<String>,
}

impl Engine {
    /// Starts building an engine.
    #[must_use]
    pub fn builder(store: Arc<dyn Store>, secret: IntentSecret, policy: Policy) -> EngineBuilder {
        EngineBuilder::new(store, secret, policy)
    }

    /// The descriptors of everything that can be called, in the order of their ids.
    pub fn descriptors(&self) -> impl Iterator<Item = &Descriptor> {
        self.registry.descriptors()
    }

    /// The descriptor of one action, by ODA id or tool name.
    ///
    /// # Errors
    ///
    /// [`EngineError::UnknownAction`], with the nearest known id.
    pub fn describe(&self, action: &str) -> Result<&Descriptor, EngineError> {
        Ok(self.registry.find(action)?.descriptor())
    }

    /// The policy in force.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Asks a query.
    ///
    /// # Errors
    ///
    /// [`EngineError::WrongCall`] for an action with an effect, [`EngineError::Action`] when the input is
    /// wrong or nobody answers.
    pub async fn query(&self, action: &str, input: &Value) -> Result<Value, EngineError> {
        let Entry::Query(query) = self.registry.find(action)? else {
            return Err(EngineError::WrongCall {
                action: action.to_owned(),
                is: "prepares a payload",
                instead: "prepare",
            });
        };
        query
            .answer(input, &self.build_context())
            .await
            .map_err(|source| EngineError::Action {
                action: query.descriptor().id.to_string(),
                source,
            })
    }

    /// Reads a stored intent and checks its seals.
    ///
    /// # Errors
    ///
    /// [`EngineError::UnknownIntent`], [`EngineError::Integrity`], or a store that cannot be read.
    pub async fn intent(&self, id: &IntentId) -> Result<StoredIntent, EngineError> {
        let intent = self
            .store
            .get(id)
            .await?
            .ok_or_else(|| EngineError::UnknownIntent { id: id.clone() })?;
        if intent.id() != id {
            return Err(EngineError::Integrity {
                id: id.clone(),
                source: crate::record::IntegrityError::IntentId,
            });
        }
        intent
            .verify(&self.secret)
            .map_err(|source| EngineError::Integrity {
                id: id.clone(),
                source,
            })?;
        Ok(intent)
    }

    /// The stored intents in the given states, oldest change first, at most `limit`. Their seals are not
    /// checked: this is for showing.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub async fn list(
        &self,
        states: &[ExecutionState],
        limit: usize,
    ) -> Result<Vec<StoredIntent>, EngineError> {
        Ok(self.store.list(states, limit).await?)
    }

    /// What the intents of the present UTC day hold of its cap.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub async fn spent_today(&self) -> Result<DaySpend, EngineError> {
        Ok(self.store.spent(self.now().day()).await?)
    }

    fn now(&self) -> UnixMillis {
        self.clock.now()
    }

    fn build_context(&self) -> BuildContext<'_> {
        BuildContext {
            policy: &self.policy,
            now: self.now(),
        }
    }

    fn kind(&self, kind: &str) -> Result<&dyn ErasedKind, EngineError> {
        self.kinds
            .get(kind)
            .map(Box::as_ref)
            .ok_or_else(|| EngineError::UnknownKind {
                kind: kind.to_owned(),
            })
    }

    fn kind_of(&self, unsigned: &Value) -> Result<&dyn ErasedKind, EngineError> {
        self.kind(
            unsigned
                .get("kind")
                .and_then(Value::as_str)
                .unwrap_or_default(),
        )
    }
}
