//! A signer that does what the test says.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use oda_core::{Death, Signed, Signer, SignerError};
use tokio::sync::Notify;

use crate::fake_chain::lane_of;
use crate::test_tx::{TestTerms, TestTx};

/// The account of a [`MockSigner`].
pub const TEST_SENDER: &str = "0x00000000000000000000000000000000000a11ce";

/// What a [`MockSigner`] does when it is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignerStep {
    /// It signs.
    Accept,
    /// It refuses.
    Refuse {
        /// Why.
        reason: String,
    },
    /// It waits until [`MockSigner::release`], then signs. What was asked of it meanwhile stands still: this
    /// is a wallet whose owner went for a walk.
    Hang,
    /// It signs, and is gone before it can hand the bytes over: [`MockSigner::signed`] has them, the caller
    /// has an error. Then the crash hook runs, which may end the process.
    CrashAfterSigning,
}

/// What runs in the place of a crash. It may abort the process.
type CrashHook = Box<dyn Fn(&Signed) + Send + Sync>;

/// A signer for [`TestTx`]. Its signature is a digest, so the same payload under the same terms gives the same
/// bytes.
#[derive(Clone)]
pub struct MockSigner {
    shared: Arc<Shared>,
}

struct Shared {
    otherwise: SignerStep,
    state: Mutex<State>,
    released: Notify,
    crash: CrashHook,
}

#[derive(Default)]
struct State {
    script: VecDeque<SignerStep>,
    signed: Vec<Signed>,
    asked: usize,
    permits: usize,
}

impl MockSigner {
    /// A signer that does the same whenever it is asked.
    #[must_use]
    pub fn new(step: SignerStep) -> Self {
        Self::with_crash(step, |_| {})
    }

    /// A signer that signs everything.
    #[must_use]
    pub fn accepting() -> Self {
        Self::new(SignerStep::Accept)
    }

    /// A signer whose crashes run `crash` with the bytes that were signed, such as to abort the process.
    #[must_use]
    pub fn with_crash(step: SignerStep, crash: impl Fn(&Signed) + Send + Sync + 'static) -> Self {
        Self {
            shared: Arc::new(Shared {
                otherwise: step,
                state: Mutex::default(),
                released: Notify::new(),
                crash: Box::new(crash),
            }),
        }
    }

    /// Says what it does the next times; afterwards it does again what it was made for.
    pub fn script(&self, steps: impl IntoIterator<Item = SignerStep>) {
        self.state().script.extend(steps);
    }

    /// Everything that it ever signed, handed over or not.
    #[must_use]
    pub fn signed(&self) -> Vec<Signed> {
        self.state().signed.clone()
    }

    /// How often it was asked to sign.
    #[must_use]
    pub fn asked(&self) -> usize {
        self.state().asked
    }

    /// Lets one hanging call go on, the present one or the next.
    pub fn release(&self) {
        self.state().permits += 1;
        self.shared.released.notify_waiters();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn next_step(&self) -> SignerStep {
        let mut state = self.state();
        state.asked += 1;
        state
            .script
            .pop_front()
            .unwrap_or_else(|| self.shared.otherwise.clone())
    }

    async fn wait_for_release(&self) {
        loop {
            // Made before the look at the permits, it hears a release that comes in between.
            let released = self.shared.released.notified();
            {
                let mut state = self.state();
                if state.permits > 0 {
                    state.permits -= 1;
                    return;
                }
            }
            released.await;
        }
    }

    fn put_name_to(&self, payload: &TestTx, terms: &TestTerms) -> Result<Signed, SignerError> {
        let bytes = oda_canon::to_vec(&(payload, terms)).map_err(|error| SignerError::Failed {
            reason: error.to_string(),
        })?;
        let digest = oda_canon::digest_bytes(&bytes);
        let signed = Signed {
            id: format!("0x{}", hex::encode(digest.as_bytes())),
            bytes,
            death: Death::SequenceConsumed {
                lane: lane_of(&terms.sender),
                number: terms.nonce,
            },
        };
        self.state().signed.push(signed.clone());
        Ok(signed)
    }
}

impl fmt::Debug for MockSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MockSigner")
            .field("otherwise", &self.shared.otherwise)
            .field("asked", &self.asked())
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Signer for MockSigner {
    type Payload = TestTx;

    fn kind(&self) -> &str {
        "mock"
    }

    async fn address(&self, _: &str) -> Result<String, SignerError> {
        Ok(TEST_SENDER.to_owned())
    }

    async fn sign(&self, payload: &TestTx, terms: &TestTerms) -> Result<Signed, SignerError> {
        match self.next_step() {
            SignerStep::Accept => self.put_name_to(payload, terms),
            SignerStep::Refuse { reason } => Err(SignerError::Refused { reason }),
            SignerStep::Hang => {
                self.wait_for_release().await;
                self.put_name_to(payload, terms)
            }
            SignerStep::CrashAfterSigning => {
                let signed = self.put_name_to(payload, terms)?;
                (self.shared.crash)(&signed);
                Err(SignerError::Failed {
                    reason: "injected crash after signing".to_owned(),
                })
            }
        }
    }
}
