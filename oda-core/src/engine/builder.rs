//! Putting an engine together.

use std::collections::BTreeMap;
use std::sync::Arc;

use oda_canon::CanonError;

use super::{DebugApprover, Engine, ReceiptLog};
use crate::Policy;
use crate::action::{Action, Query};
use crate::approver::Approver;
use crate::clock::{Clock, SystemClock};
use crate::intent::{NonceSource, OsNonces};
use crate::kind::{ErasedKind, PayloadKind};
use crate::payload::Payload;
use crate::registry::{Entry, Registry};
use crate::secret::IntentSecret;
use crate::store::Store;

/// Collects the parts of an [`Engine`]. Clock and nonces are the machine's own unless replaced.
#[derive(Debug)]
pub struct EngineBuilder {
    store: Arc<dyn Store>,
    secret: IntentSecret,
    policy: Policy,
    clock: Arc<dyn Clock>,
    nonces: Arc<dyn NonceSource>,
    approver: Option<DebugApprover>,
    registry: Registry,
    kinds: BTreeMap<&'static str, Box<dyn ErasedKind>>,
    log: Option<Arc<dyn ReceiptLog>>,
    defect: Option<BuildEngineError>,
}

impl EngineBuilder {
    pub(super) fn new(store: Arc<dyn Store>, secret: IntentSecret, policy: Policy) -> Self {
        Self {
            store,
            secret,
            policy,
            clock: Arc::new(SystemClock),
            nonces: Arc::new(OsNonces),
            approver: None,
            registry: Registry::default(),
            kinds: BTreeMap::new(),
            log: None,
            defect: None,
        }
    }

    /// Takes the time from here instead of from the machine.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Takes nonces from here instead of from the operating system.
    #[must_use]
    pub fn nonces(mut self, nonces: Arc<dyn NonceSource>) -> Self {
        self.nonces = nonces;
        self
    }

    /// Asks this person when the policy says `human_approval` and no approval is stored yet.
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.approver = Some(DebugApprover(approver));
        self
    }

    /// Mirrors the receipts into this log, from committed rows.
    #[must_use]
    pub fn log(mut self, log: Arc<dyn ReceiptLog>) -> Self {
        self.log = Some(log);
        self
    }

    /// Adds an action with an effect.
    #[must_use]
    pub fn action<A: Action + 'static>(self, action: A) -> Self {
        let id = action.descriptor().id.to_string();
        self.entry(id, Entry::Action(Box::new(action)))
    }

    /// Adds a query.
    #[must_use]
    pub fn query<Q: Query + 'static>(self, query: Q) -> Self {
        let id = query.descriptor().id.to_string();
        self.entry(id, Entry::Query(Box::new(query)))
    }

    /// Plugs in a kind of payload.
    #[must_use]
    pub fn kind<P: Payload>(mut self, kind: PayloadKind<P>) -> Self {
        if self.kinds.insert(P::KIND, Box::new(kind)).is_some() {
            self.defect
                .get_or_insert(BuildEngineError::DuplicateKind { kind: P::KIND });
        }
        self
    }

    /// The engine.
    ///
    /// # Errors
    ///
    /// [`BuildEngineError`], when two parts claim the same name.
    pub fn build(self) -> Result<Engine, BuildEngineError> {
        if let Some(defect) = self.defect {
            return Err(defect);
        }
        let policy_digest = self.policy.policy_digest()?;
        Ok(Engine {
            store: self.store,
            clock: self.clock,
            nonces: self.nonces,
            secret: self.secret,
            policy: self.policy,
            policy_digest,
            approver: self.approver,
            registry: self.registry,
            kinds: self.kinds,
            log: self.log,
        })
    }

    fn entry(mut self, id: String, entry: Entry) -> Self {
        if self.registry.insert(id.clone(), entry).is_some() {
            self.defect
                .get_or_insert(BuildEngineError::DuplicateAction { id });
        }
        self
    }
}

/// The parts of an engine contradict each other.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildEngineError {
    /// Two actions have one id.
    #[error("two actions have the id `{id}`")]
    DuplicateAction {
        /// The id.
        id: String,
    },
    /// Two kinds have one name.
    #[error("two payload kinds have the name `{kind}`")]
    DuplicateKind {
        /// The name.
        kind: &'static str,
    },
    /// The policy has no canonical form.
    #[error("the policy has no canonical form: {0}")]
    Policy(String),
}

impl From<CanonError> for BuildEngineError {
    fn from(error: CanonError) -> Self {
        Self::Policy(error.to_string())
    }
}
