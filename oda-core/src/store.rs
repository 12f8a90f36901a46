//! What the engine needs from a durable store.

use std::fmt;

use async_trait::async_trait;
use oda_receipts::{Link, Receipt, ReceiptDraft};

use crate::clock::Day;
use crate::intent::IntentId;
use crate::record::{Hold, StoredIntent};
use crate::state::ExecutionState;
use crate::{HoldStatus, UsdMicros};

/// The largest number that every store can hold: databases count in signed 64 bits.
///
/// It bounds versions, sequence numbers and the counters of a day (nine million million dollars). No honest
/// value comes near; a larger one is refused rather than wrapped.
pub const MAX_STORED_NUMBER: u64 = i64::MAX.unsigned_abs();

/// Keeps intents, receipts, day counters and account sequences.
///
/// Every method that returns `Ok` has made its whole effect durable; every method that returns `Err` has
/// either made the whole effect durable or none of it, and the caller finds out which by reading. A state
/// change, its receipt and its change of the day counter are one transaction. Several processes may use
/// one store at once.
///
/// A store does not judge: it compares versions, keeps counters under their cap, and seals receipts onto
/// the one chain. It does not verify seals of intents (it has no secret).
#[async_trait]
pub trait Store: Send + Sync + fmt::Debug {
    /// Writes a new intent and its first receipt.
    ///
    /// # Errors
    ///
    /// [`StoreError::Duplicate`] when the id is already there, [`StoreError::Receipt`] for a receipt of
    /// another intent or one that cannot be sealed; nothing is changed then.
    async fn insert(
        &self,
        intent: &StoredIntent,
        receipt: ReceiptDraft,
    ) -> Result<Receipt, StoreError>;

    /// Reads an intent.
    ///
    /// # Errors
    ///
    /// When the store cannot be read, or holds something that is not an intent.
    async fn get(&self, id: &IntentId) -> Result<Option<StoredIntent>, StoreError>;

    /// Writes the next version of an intent, if the stored version is still the one it was computed from.
    ///
    /// In the same transaction: the receipt is sealed onto the chain; the day counter is moved by the
    /// difference between the stored hold and the new one ([`CounterChange::between`]); a sequence
    /// number that the new version no longer occupies is given free.
    ///
    /// # Errors
    ///
    /// [`StoreError::Missing`], [`StoreError::Receipt`], or when the store fails. A lost race and a full
    /// cap are outcomes, not errors.
    async fn commit(&self, commit: Commit<'_>) -> Result<CommitOutcome, StoreError>;

    /// Reserves the smallest number of a lane that is at least `floor` and that no other intent occupies.
    /// An intent that already occupies a number at or above the floor gets the same one again. What is
    /// reserved stays so until a [`commit`](Self::commit) of the intent whose progress does not occupy it.
    ///
    /// # Errors
    ///
    /// [`StoreError::Missing`] when the intent is not stored; [`StoreError::Ended`] when it has ended, because
    /// nothing would ever give its number free again; when the store fails, or no number up to
    /// [`MAX_STORED_NUMBER`] is left.
    async fn reserve_sequence(
        &self,
        lane: &str,
        floor: u64,
        id: &IntentId,
    ) -> Result<u64, StoreError>;

    /// What the intents of a day hold of its cap.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    async fn spent(&self, day: Day) -> Result<DaySpend, StoreError>;

    /// The intents in the given states, oldest change first.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    async fn list(
        &self,
        states: &[ExecutionState],
        limit: usize,
    ) -> Result<Vec<StoredIntent>, StoreError>;

    /// The receipts after a sequence number (from the first one for `None`), in order.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    async fn receipts_after(
        &self,
        seq: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Receipt>, StoreError>;

    /// The receipts of one intent, in order.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    async fn receipts_of(&self, id: &IntentId) -> Result<Vec<Receipt>, StoreError>;

    /// The last receipt's place in the chain; `None` when there is none.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    async fn head(&self) -> Result<Option<Link>, StoreError>;
}

/// One change of one intent.
#[derive(Debug)]
pub struct Commit<'a> {
    /// The whole new row. Its version is one more than the one it was computed from.
    pub next: &'a StoredIntent,
    /// The receipt of this change, when it has one.
    pub receipt: Option<ReceiptDraft>,
    /// The cap that a newly taken hold must fit under; `None` when there is no cap.
    pub cap: Option<UsdMicros>,
}

/// What became of a [`Commit`].
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "returned once per change and taken apart at once"
)]
pub enum CommitOutcome {
    /// It is durable.
    Committed {
        /// The sealed receipt, when the change has one.
        receipt: Option<Receipt>,
    },
    /// Another process changed the intent first. Nothing was written.
    Stale {
        /// The version that is stored now.
        version: u64,
        /// The state that is stored now.
        state: ExecutionState,
    },
    /// The hold does not fit under the cap. Nothing was written.
    CapExceeded {
        /// What the day held before.
        spent: DaySpend,
    },
}

/// What the intents of one day hold of its cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DaySpend {
    /// The UTC day.
    pub day: Day,
    /// Taken by intents whose outcome is open.
    pub reserved: UsdMicros,
    /// Taken by intents that have spent it.
    pub committed: UsdMicros,
    /// How many holds have no known value.
    pub unknown: u64,
}

impl DaySpend {
    /// A day on which nothing happened.
    #[must_use]
    pub const fn none(day: Day) -> Self {
        Self {
            day,
            reserved: UsdMicros::ZERO,
            committed: UsdMicros::ZERO,
            unknown: 0,
        }
    }

    /// Everything held, or `None` when part of it is unknown.
    #[must_use]
    pub fn total(&self) -> Option<UsdMicros> {
        if self.unknown > 0 {
            None
        } else {
            self.reserved.checked_add(self.committed)
        }
    }

    /// The counters after a change, or `None` when the change takes something new and the known part of
    /// the total would then pass `cap`, or [`MAX_STORED_NUMBER`] when there is no cap.
    #[must_use]
    pub fn after(&self, change: &CounterChange, cap: Option<UsdMicros>) -> Option<Self> {
        let moved = |value: UsdMicros, up: UsdMicros, down: UsdMicros| {
            Some(value.checked_add(up)?.saturating_sub(down))
        };
        let next = Self {
            day: self.day,
            reserved: moved(self.reserved, change.reserve, change.unreserve)?,
            committed: moved(self.committed, change.commit, change.uncommit)?,
            unknown: (self.unknown + change.unknown_up).saturating_sub(change.unknown_down),
        };
        let total = next.reserved.checked_add(next.committed)?;
        if total.as_micros() > MAX_STORED_NUMBER {
            return None;
        }
        let before = self.reserved.checked_add(self.committed)?;
        match cap {
            Some(cap) if total > before && total > cap => None,
            _ => Some(next),
        }
    }
}

/// How one change of one intent moves the counters of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CounterChange {
    /// Newly held and open.
    pub reserve: UsdMicros,
    /// No longer held open.
    pub unreserve: UsdMicros,
    /// Newly spent.
    pub commit: UsdMicros,
    /// No longer spent.
    pub uncommit: UsdMicros,
    /// Newly held without a known value.
    pub unknown_up: u64,
    /// No longer held without a known value.
    pub unknown_down: u64,
}

impl CounterChange {
    /// The days that a change of hold touches, each with its change. A hold never moves between days,
    /// but a claim after midnight of an intent that was released takes a new day.
    #[must_use]
    pub fn between(before: Option<&Hold>, after: Option<&Hold>) -> Vec<(Day, Self)> {
        let mut changes: Vec<(Day, Self)> = Vec::new();
        let mut on = |day: Day, apply: &dyn Fn(&mut Self)| {
            if let Some((_, change)) = changes.iter_mut().find(|(known, _)| *known == day) {
                apply(change);
            } else {
                let mut change = Self::default();
                apply(&mut change);
                changes.push((day, change));
            }
        };
        if before == after {
            return Vec::new();
        }
        if let Some(hold) = before {
            on(hold.day, &|change| match (hold.usd, hold.status) {
                (None, _) => change.unknown_down = 1,
                (Some(usd), HoldStatus::Committed) => change.uncommit = usd,
                (Some(usd), _) => change.unreserve = usd,
            });
        }
        if let Some(hold) = after {
            on(hold.day, &|change| match (hold.usd, hold.status) {
                (None, _) => change.unknown_up = 1,
                (Some(usd), HoldStatus::Committed) => change.commit = usd,
                (Some(usd), _) => change.reserve = usd,
            });
        }
        changes
    }
}

/// The store did not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// An intent with this id is already stored.
    #[error("an intent with the id {id} is already stored")]
    Duplicate {
        /// The id.
        id: IntentId,
    },
    /// There is no such intent.
    #[error("no intent with the id {id} is stored")]
    Missing {
        /// The id.
        id: IntentId,
    },
    /// The intent has ended and can take nothing any more.
    #[error("intent {id} is {state}: it cannot take a sequence number any more")]
    Ended {
        /// The id.
        id: IntentId,
        /// Where it stands.
        state: ExecutionState,
    },
    /// The store cannot be opened, read or written.
    #[error("the store failed to {action}: {reason}")]
    Unavailable {
        /// What was being done, such as `write a state change`.
        action: &'static str,
        /// What the operating system or database said.
        reason: String,
    },
    /// The store holds something that this version did not write or cannot read.
    #[error("the store holds an unreadable {what}: {reason}")]
    Corrupt {
        /// Which row or value.
        what: String,
        /// Why it cannot be read.
        reason: String,
    },
    /// A newer version of this program wrote the store.
    #[error(
        "the store has schema version {found}; this program knows versions up to {known}: use a newer program"
    )]
    NewerSchema {
        /// The version found.
        found: u32,
        /// The newest version known here.
        known: u32,
    },
    /// A receipt could not be sealed.
    #[error("a receipt could not be sealed: {0}")]
    Receipt(String),
}

impl StoreError {
    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Duplicate { .. } => "store_duplicate",
            Self::Missing { .. } => "store_missing",
            Self::Ended { .. } => "store_ended",
            Self::Unavailable { .. } => "store_unavailable",
            Self::Corrupt { .. } => "store_corrupt",
            Self::NewerSchema { .. } => "store_newer_schema",
            Self::Receipt(_) => "store_receipt",
        }
    }
}
