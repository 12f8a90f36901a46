//! A chain in memory that can be told, call by call, how to fail.

mod fault;
mod ledger;
mod parts;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use oda_core::{PayloadKind, Signer};
use tokio::sync::Notify;

pub use fault::{Call, Fault};
pub(crate) use parts::lane_of;

use crate::test_tx::TestTx;
use ledger::Ledger;

/// A chain in memory: one ledger that all its parts share, and a script of faults for each kind of call.
///
/// What it answers and what it does are two things, as on a real network: a lost reply leaves the
/// transaction in. [`FakeChain::effects`] counts what really happened, whatever anybody was told.
///
/// Nothing is mined on its own; blocks come with [`FakeChain::mine`].
///
/// ```
/// use std::sync::Arc;
///
/// use oda_testkit::{Call, FakeChain, Fault, MockSigner};
///
/// let chain = FakeChain::new();
/// chain.script(Call::Submit, [Fault::ReplyLost]);
/// let kind = chain.kind(Arc::new(MockSigner::accepting()));
/// // …an engine with this kind executes an intent and is told nothing certain; yet:
/// chain.mine();
/// assert_eq!(chain.effects().len(), 0, "nobody has executed anything in this example");
/// # drop(kind);
/// ```
#[derive(Debug, Clone, Default)]
pub struct FakeChain {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    released: Notify,
    entered: Notify,
}

#[derive(Debug, Default)]
struct State {
    ledger: Ledger,
    script: BTreeMap<Call, VecDeque<Fault>>,
    calls: Vec<Call>,
    /// How many slow calls may go on.
    permits: usize,
    waiting: usize,
}

impl FakeChain {
    /// A chain at block 0 where nobody has sent anything.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The parts of a payload kind over this chain, with a signer of the test's choice.
    #[must_use]
    pub fn kind(&self, signer: Arc<dyn Signer<Payload = TestTx>>) -> PayloadKind<TestTx> {
        self.kind_without_signer().signer(signer)
    }

    /// The parts of a payload kind over this chain that nobody can sign for.
    #[must_use]
    pub fn kind_without_signer(&self) -> PayloadKind<TestTx> {
        PayloadKind::new()
            .simulator(Arc::new(self.clone()))
            .submitter(Arc::new(self.clone()))
    }

    /// Appends faults to the script of a call: the first one strikes the next call of that kind, and so on.
    /// When the script is used up, calls are ordinary again.
    pub fn script(&self, call: Call, faults: impl IntoIterator<Item = Fault>) {
        self.state().script.entry(call).or_default().extend(faults);
    }

    /// How many scripted faults have not struck yet. A test that ends with some has not tested them.
    #[must_use]
    pub fn faults_left(&self) -> usize {
        self.state().script.values().map(VecDeque::len).sum()
    }

    /// The transactions that stand in a block and succeeded, by id. Two entries for one intent are the failure
    /// that the engine exists to prevent.
    #[must_use]
    pub fn effects(&self) -> Vec<String> {
        self.state().ledger.effects()
    }

    /// The id of every transaction that reached the node, once per arrival.
    #[must_use]
    pub fn arrivals(&self) -> Vec<String> {
        self.state().ledger.arrivals.clone()
    }

    /// Every call so far, in order.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.state().calls.clone()
    }

    /// Makes one block of everything that can go into one; returns its number.
    pub fn mine(&self) -> u64 {
        self.state().ledger.mine()
    }

    /// Makes the present block final, and with it all before.
    pub fn finalize(&self) {
        self.state().ledger.finalize();
    }

    /// The node restarts and forgets every transaction that waits.
    pub fn restart(&self) {
        self.state().ledger.forget_waiting();
    }

    /// Another wallet with the same key sends a transaction, which is mined at once; returns the sequence
    /// number that it took. What waits for that number is dropped.
    pub fn foreign_transaction(&self, sender: &str) -> u64 {
        self.state().ledger.foreign(sender)
    }

    /// Delivers what [`Fault::Reordered`] held back, last first; returns how many arrived.
    pub fn deliver_held(&self) -> usize {
        let mut state = self.state();
        let held = std::mem::take(&mut state.ledger.held);
        for tx in held.iter().rev() {
            state.ledger.arrive(tx);
        }
        held.len()
    }

    /// Lets one slow call go on, the present one or the next.
    pub fn release(&self) {
        self.state().permits += 1;
        self.shared.released.notify_waiters();
    }

    /// Waits until a slow call stands still.
    pub async fn until_slow(&self) {
        loop {
            let entered = self.shared.entered.notified();
            if self.state().waiting > 0 {
                return;
            }
            entered.await;
        }
    }

    // Every change is one assignment under the lock, so a panic elsewhere leaves no half of one.
    fn state(&self) -> MutexGuard<'_, State> {
        self.shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a call and waits where it is slow; returns the other fault that strikes it.
    async fn enter(&self, call: Call) -> Option<Fault> {
        let fault = {
            let mut state = self.state();
            state.calls.push(call);
            state.script.get_mut(&call).and_then(VecDeque::pop_front)
        };
        if fault != Some(Fault::Slow) {
            return fault;
        }
        self.state().waiting += 1;
        self.shared.entered.notify_waiters();
        loop {
            // Made before the look at the permits, it hears a release that comes in between.
            let released = self.shared.released.notified();
            {
                let mut state = self.state();
                if state.permits > 0 {
                    state.permits -= 1;
                    state.waiting -= 1;
                    return None;
                }
            }
            released.await;
        }
    }
}
