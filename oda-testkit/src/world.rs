//! The engine's world, moved by hand: time, nonces, a person.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use oda_core::{
    Approver, Clock, Decision, Nonce, NonceError, NonceSource, PreparedIntent, UnixMillis,
};

/// A clock that stands still until it is moved.
#[derive(Debug, Clone)]
pub struct ManualClock {
    now: Arc<Mutex<UnixMillis>>,
}

impl ManualClock {
    /// A clock that stands at this many milliseconds since the epoch.
    #[must_use]
    pub fn at(millis: u64) -> Self {
        Self {
            now: Arc::new(Mutex::new(UnixMillis::new(millis))),
        }
    }

    /// Moves it forward.
    pub fn advance(&self, millis: u64) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        *now = now.plus_millis(millis);
    }

    /// Sets it, backwards if need be.
    pub fn set(&self, millis: u64) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = UnixMillis::new(millis);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> UnixMillis {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Nonces from a list, so that intent ids can be foretold.
#[derive(Debug, Clone)]
pub struct ScriptedNonces {
    left: Arc<Mutex<VecDeque<Nonce>>>,
}

impl ScriptedNonces {
    /// These nonces, in this order. When they are used up, the source fails.
    #[must_use]
    pub fn new(nonces: impl IntoIterator<Item = Nonce>) -> Self {
        Self {
            left: Arc::new(Mutex::new(nonces.into_iter().collect())),
        }
    }
}

impl NonceSource for ScriptedNonces {
    fn nonce(&self) -> Result<Nonce, NonceError> {
        self.left
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front()
            .ok_or_else(|| NonceError("the scripted nonces are used up".to_owned()))
    }
}

/// A person who answers as scripted and remembers what was shown.
#[derive(Debug, Clone)]
pub struct RecordingApprover {
    inner: Arc<Mutex<Approvals>>,
}

#[derive(Debug)]
struct Approvals {
    answers: VecDeque<Decision>,
    otherwise: Decision,
    shown: Vec<PreparedIntent>,
}

impl RecordingApprover {
    /// A person who always gives this answer.
    #[must_use]
    pub fn always(answer: Decision) -> Self {
        let inner = Approvals {
            answers: VecDeque::new(),
            otherwise: answer,
            shown: Vec::new(),
        };
        Self {
            inner: Arc::new(Mutex::new(inner)),
        }
    }

    /// A person who says yes.
    #[must_use]
    pub fn approving() -> Self {
        Self::always(Decision::Approved)
    }

    /// A person who says no.
    #[must_use]
    pub fn denying(reason: impl Into<String>) -> Self {
        Self::always(Decision::Denied {
            reason: reason.into(),
        })
    }

    /// Says what the person answers the next times.
    pub fn script(&self, answers: impl IntoIterator<Item = Decision>) {
        self.inner
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .answers
            .extend(answers);
    }

    /// Everything that was shown, in order.
    #[must_use]
    pub fn shown(&self) -> Vec<PreparedIntent> {
        self.inner
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .shown
            .clone()
    }
}

#[async_trait]
impl Approver for RecordingApprover {
    async fn ask(&self, intent: &PreparedIntent) -> Decision {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.shown.push(intent.clone());
        inner
            .answers
            .pop_front()
            .unwrap_or_else(|| inner.otherwise.clone())
    }
}
