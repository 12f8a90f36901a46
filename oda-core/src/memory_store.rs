//! The store that forgets: everything in memory, for embedding, tests and benchmarks.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use oda_receipts::{Link, Receipt, ReceiptDraft};

use crate::clock::Day;
use crate::intent::IntentId;
use crate::record::StoredIntent;
use crate::state::ExecutionState;
use crate::store::{
    Commit, CommitOutcome, CounterChange, DaySpend, MAX_STORED_NUMBER, Store, StoreError,
};

/// A [`Store`] in memory. It keeps every promise of the trait but durability: when the process ends,
/// everything is gone, signed transactions on their way included. Nothing is ever evicted.
#[derive(Debug, Default)]
pub struct MemoryStore {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    intents: HashMap<IntentId, StoredIntent>,
    receipts: Vec<Receipt>,
    by_intent: HashMap<IntentId, Vec<usize>>,
    days: BTreeMap<Day, DaySpend>,
    sequences: BTreeMap<(String, u64), IntentId>,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    // Every change is computed first and applied last, so a panic elsewhere cannot leave half of one.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn head(&self) -> Option<Link> {
        self.receipts.last().map(Receipt::link)
    }

    fn seal(&self, id: &IntentId, draft: ReceiptDraft) -> Result<Receipt, StoreError> {
        if draft.intent_id != id.as_str() {
            return Err(StoreError::Receipt(format!(
                "it tells of {}, the change is one of {id}",
                draft.intent_id
            )));
        }
        Receipt::seal(draft, self.head()).map_err(|error| StoreError::Receipt(error.to_string()))
    }

    fn append(&mut self, id: &IntentId, receipt: Receipt) {
        self.by_intent
            .entry(id.clone())
            .or_default()
            .push(self.receipts.len());
        self.receipts.push(receipt);
    }

    /// The counters after the change, or the day whose cap it would break.
    fn counters_after(
        &self,
        before: &StoredIntent,
        commit: &Commit<'_>,
    ) -> Result<Vec<DaySpend>, DaySpend> {
        CounterChange::between(
            before.progress.hold.as_ref(),
            commit.next.progress.hold.as_ref(),
        )
        .into_iter()
        .map(|(day, change)| {
            let spent = self.days.get(&day).copied().unwrap_or(DaySpend::none(day));
            spent.after(&change, commit.cap).ok_or(spent)
        })
        .collect()
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn insert(
        &self,
        intent: &StoredIntent,
        receipt: ReceiptDraft,
    ) -> Result<Receipt, StoreError> {
        let mut inner = self.lock();
        let id = intent.id().clone();
        if inner.intents.contains_key(&id) {
            return Err(StoreError::Duplicate { id });
        }
        let receipt = inner.seal(&id, receipt)?;
        inner.append(&id, receipt.clone());
        inner.intents.insert(id, intent.clone());
        Ok(receipt)
    }

    async fn get(&self, id: &IntentId) -> Result<Option<StoredIntent>, StoreError> {
        Ok(self.lock().intents.get(id).cloned())
    }

    async fn commit(&self, commit: Commit<'_>) -> Result<CommitOutcome, StoreError> {
        let mut inner = self.lock();
        let id = commit.next.id().clone();
        let Some(stored) = inner.intents.get(&id) else {
            return Err(StoreError::Missing { id });
        };
        if stored.progress.version.checked_add(1) != Some(commit.next.progress.version) {
            let Progressed { version, state } = Progressed::of(stored);
            return Ok(CommitOutcome::Stale { version, state });
        }
        let days = match inner.counters_after(stored, &commit) {
            Ok(days) => days,
            Err(spent) => return Ok(CommitOutcome::CapExceeded { spent }),
        };
        let receipt = commit
            .receipt
            .clone()
            .map(|draft| inner.seal(&id, draft))
            .transpose()?;
        let kept = commit.next.progress.sequence.as_ref();
        inner.sequences.retain(|(lane, number), holder| {
            *holder != id || kept.is_some_and(|kept| kept.lane == *lane && kept.number == *number)
        });
        inner
            .days
            .extend(days.into_iter().map(|spent| (spent.day, spent)));
        if let Some(receipt) = &receipt {
            inner.append(&id, receipt.clone());
        }
        inner.intents.insert(id, commit.next.clone());
        Ok(CommitOutcome::Committed { receipt })
    }

    async fn reserve_sequence(
        &self,
        lane: &str,
        floor: u64,
        id: &IntentId,
    ) -> Result<u64, StoreError> {
        let mut inner = self.lock();
        let state = match inner.intents.get(id) {
            Some(stored) => stored.progress.state,
            None => return Err(StoreError::Missing { id: id.clone() }),
        };
        if state.is_final() {
            return Err(StoreError::Ended {
                id: id.clone(),
                state,
            });
        }
        let mut number = floor;
        for ((_, taken), holder) in inner
            .sequences
            .range((lane.to_owned(), floor)..=(lane.to_owned(), u64::MAX))
        {
            if holder == id {
                return Ok(*taken);
            }
            if *taken == number {
                number = number.saturating_add(1);
            }
        }
        if number > MAX_STORED_NUMBER {
            return Err(StoreError::Unavailable {
                action: "reserve a sequence number",
                reason: format!("no number from {floor} to {MAX_STORED_NUMBER} is free"),
            });
        }
        inner
            .sequences
            .insert((lane.to_owned(), number), id.clone());
        Ok(number)
    }

    async fn spent(&self, day: Day) -> Result<DaySpend, StoreError> {
        Ok(self
            .lock()
            .days
            .get(&day)
            .copied()
            .unwrap_or(DaySpend::none(day)))
    }

    async fn list(
        &self,
        states: &[ExecutionState],
        limit: usize,
    ) -> Result<Vec<StoredIntent>, StoreError> {
        let inner = self.lock();
        let mut found: Vec<&StoredIntent> = inner
            .intents
            .values()
            .filter(|intent| states.contains(&intent.progress.state))
            .collect();
        found.sort_by(|a, b| (a.progress.updated_at, a.id()).cmp(&(b.progress.updated_at, b.id())));
        Ok(found.into_iter().take(limit).cloned().collect())
    }

    async fn receipts_after(
        &self,
        seq: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Receipt>, StoreError> {
        let inner = self.lock();
        let from = seq.map_or(0, |seq| seq.saturating_add(1));
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        Ok(inner
            .receipts
            .iter()
            .skip(from)
            .take(limit)
            .cloned()
            .collect())
    }

    async fn receipts_of(&self, id: &IntentId) -> Result<Vec<Receipt>, StoreError> {
        let inner = self.lock();
        let places = inner
            .by_intent
            .get(id)
            .map(Vec::as_slice)
            .unwrap_or_default();
        Ok(places
            .iter()
            .filter_map(|place| inner.receipts.get(*place))
            .cloned()
            .collect())
    }

    async fn head(&self) -> Result<Option<Link>, StoreError> {
        Ok(self.lock().head())
    }
}

struct Progressed {
    version: u64,
    state: ExecutionState,
}

impl Progressed {
    fn of(intent: &StoredIntent) -> Self {
        Self {
            version: intent.progress.version,
            state: intent.progress.state,
        }
    }
}
